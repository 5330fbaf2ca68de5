// Pose space deformation: from a character and its examples to the character that is written, and what is told of it.
#pragma once

#include "cli/fit/prepare.h"

namespace supple::cli {

struct PoseSpaceFit : Fit {
  PoseSpace space;
  /// As programs show it that know morph weights alone: the same weights for all vertices.
  std::array<learn::ErrorSummary, 3> elsewhere;
};

/// Reads, trains, bakes, measures; nothing is written.
Result<PoseSpaceFit> fit_pose_space(const FitOptions& options, Session& session);

/// Everything the report shows, as numbers; millimetres and degrees. `file_bytes` is the size of what was written.
Json pose_space_json(const PoseSpaceFit& fit, const FitOptions& options, std::size_t file_bytes,
                     const Warnings& warnings);

/// One self-contained HTML file: tables, and pictures unless told otherwise.
Result<std::string> pose_space_html(const PoseSpaceFit& fit, const FitOptions& options, const Json& facts,
                                    Session& session);

}  // namespace supple::cli
