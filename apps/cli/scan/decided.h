// Decisions as people read and write them in a project file: millimetres, degrees, names.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/session.h"
#include "supple/scan/consistent.h"
#include "supple/scan/joints.h"
#include "supple/scan/parts.h"

namespace supple::cli {

/// Decimals that people read; a thousandth of a millimetre or of a degree is far below what a scan shows.
double rounded(double x);

Json pieces_json(const scan::Parts& parts);
/// Which pieces a bone was said to consist of; `item` names it in errors.
Result<std::vector<std::uint32_t>> pieces_of(const Json& json, std::size_t piece_count, const std::string& item);

/// Motion of a bone from the base scan: turned about the end that faces its parent, then shifted.
Json motion_json(const scan::BoneFit& fit, const scan::ScanBone& bone);
Result<Affined> motion_of(const Json& json, const scan::ScanBone& bone, const std::string& item);

Json joint_json(const scan::JointEstimate& joint);
Result<Vec3d> centre_of_joint(const Json& json, const std::string& item);

Json features_json(std::span<const scan::Feature> features);
Result<std::vector<scan::Feature>> features_of(const Json& json, std::size_t vertices, const std::string& item);

}  // namespace supple::cli
