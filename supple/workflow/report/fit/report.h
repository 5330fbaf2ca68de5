// What a fit tells: the facts as JSON, and the report that people read.
#pragma once

#include "supple/files/json.h"
#include "supple/workflow/jobs/fit/fit.h"
#include "supple/workflow/jobs/fit/pose_space.h"

namespace supple::workflow {

/// Everything the report shows, as numbers; millimetres and degrees. `file_bytes` is the size of what was written.
Json fit_json(const FitJob& job, const FitOptions& options, std::size_t file_bytes, const Warnings& warnings);
Json fit_json(const PoseSpaceFit& fit, const FitOptions& options, std::size_t file_bytes, const Warnings& warnings);

/// Errors of each group of poses, and what the file costs: parts of that which every method has.
Json groups_json(const std::array<learn::ErrorSummary, 3>& groups, const Fit& fit);
/// Held-out examples by what their tags say they are: random poses, grips, poses in which skin touches skin.
Json tags_json(const Fit& fit);
/// Examples that are left out because the teacher failed, among them held-out ones, and those that show linear blend at
/// some place.
Json teacher_json(const ExampleSet& set);
Json size_json(const Fit& fit, std::size_t file_bytes);
Json engines_json(const Character& character);

/// One self-contained HTML file: the numbers of fit_json() as tables and curves, and pictures where wanted.
Result<std::string> fit_html(const FitJob& job, const FitOptions& options, const Json& facts, bool pictures,
                             Work& work);
Result<std::string> fit_html(const PoseSpaceFit& fit, const FitOptions& options, const Json& facts, bool pictures,
                             Work& work);

}  // namespace supple::workflow
