// What a simulation leaves for people and programs beside the examples: report.json, report.html and sheet.png.
#pragma once

#include <filesystem>
#include <functional>

#include "supple/files/json.h"
#include "supple/render/image.h"
#include "supple/workflow/jobs/simulate/simulate.h"
#include "supple/workflow/jobs/simulate/teach.h"
#include "supple/workflow/jobs/simulate/teach_lattice.h"

namespace supple::workflow {

/// Everything measured, as numbers.
Json simulated_json(const Simulated& simulated, const SimulateOptions& options, const Warnings& warnings);

/// Writes the report into the folder of the examples, with a sheet of small pictures where wanted. Returns what it
/// says.
Json report_simulated(const Simulated& simulated, const SimulateOptions& options, bool pictures, Work& work);
/// The same of examples that a deformer taught.
Json report_taught(const Taught& taught, const SimulateOptions& options, bool pictures, Work& work);

/// The same of examples by elastic flesh on a lattice.
Json report_lattice(const LatticeTaught& taught, const SimulateOptions& options, bool pictures, Work& work);

/// The command to type next: the skin that is learnt from the set is judged by its test poses.
std::string fit_command(const SimulateOptions& options);

/// The reports as pages that need nothing but themselves and sheet.png.
std::string simulated_html(const Json& report);
std::string taught_html(const Json& report);

/// Whether a pose of a report has a flag that keeps it from being learnt from.
bool is_left_out(const Json& pose);

/// One bar per pose, from zero up or down; flagged poses in another colour.
std::string pose_bars(const Json& poses, const char* title, const char* unit, double (*value)(const Json&));

/// Draws the sheet; none: no pictures are wanted.
using DrawSheet = std::function<Result<render::Image>()>;
/// report.json, report.html and sheet.png; none of them is worth failing for, once the examples are there: what is not
/// written is told as a warning. `report` learns of the sheet before `page` is made of it.
void write_reports(const std::filesystem::path& folder, Json& report, std::string (*page)(const Json&),
                   const DrawSheet& sheet, Work& work);

}  // namespace supple::workflow
