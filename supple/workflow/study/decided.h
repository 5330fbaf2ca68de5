// Decisions as people read and write them in a project file: millimetres, degrees, names.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "supple/author/scan/consistent.h"
#include "supple/author/scan/joints.h"
#include "supple/author/scan/naming.h"
#include "supple/author/scan/parts.h"
#include "supple/files/json.h"
#include "supple/workflow/jobs/work.h"

namespace supple::workflow {

/// Decimals that people read; a thousandth of a millimetre or of a degree is far below what a scan shows.
double rounded(double x);

Json pieces_json(const scan::Parts& parts);
/// Which pieces a bone consists of, and where each lies: pieces are numbered by size, and the numbers change with the
/// threshold.
Json bone_json(const scan::NamedBone& bone, const scan::Parts& parts);
/// What a bone was said to consist of; `item` names it in errors. Refuses numbers that have come to mean other pieces.
Result<std::vector<std::uint32_t>> pieces_of(const Json& json, const scan::Parts& parts, const std::string& item);

/// Motion of a bone from the base scan: turned about the end that faces its parent, then shifted.
Json motion_json(const scan::BoneFit& fit, const scan::ScanBone& bone);
Result<Affined> motion_of(const Json& json, const scan::ScanBone& bone, const std::string& item);

Json joint_json(const scan::JointEstimate& joint);
/// None where only something else about the joint was said.
Result<std::optional<Vec3d>> centre_of_joint(const Json& json, const std::string& item);

/// Features with where they lie on the base skin, and which skin that is.
Json features_json(std::span<const scan::Feature> features, const Mesh& base_skin);
struct GivenFeatures {
  std::vector<scan::Feature> features;
  Json item;  // as it was given, with vertices and places of this base skin
};
/// Vertices are numbers of the base skin that the item names. Where it has become another one, a vertex that is not
/// where it was said to be gives way to the nearest one of the new skin.
Result<GivenFeatures> features_of(const Json& json, const Mesh& base_skin, const std::string& item);

}  // namespace supple::workflow
