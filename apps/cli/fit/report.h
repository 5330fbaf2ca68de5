// What `supple fit` tells: the facts as JSON, and the report that people read.
#pragma once

#include "cli/fit/job.h"

namespace supple::cli {

/// Everything the report shows, as numbers; millimetres and degrees. `file_bytes` is the size of what was written.
Json fit_json(const FitJob& job, const FitOptions& options, std::size_t file_bytes, const Warnings& warnings);

/// Errors of each group of poses, and what the file costs: parts of that which every method has.
Json groups_json(const std::array<learn::ErrorSummary, 3>& groups, const ExampleSet& set);
/// Held-out examples by what their tags say they are: random poses, grips, poses in which skin touches skin.
Json tags_json(const Fit& fit);
Json size_json(const Fit& fit, std::size_t file_bytes);
Json engines_json(const Character& character);

/// One self-contained HTML file: the numbers of fit_json() as tables and curves, and pictures unless told otherwise.
Result<std::string> fit_html(const FitJob& job, const FitOptions& options, const Json& facts, Session& session);

}  // namespace supple::cli
