// The folder that examples, report and pictures go to: what it may hold before, and what is left there after.
#pragma once

#include <functional>
#include <string>

#include "cli/session.h"
#include "cli/simulate/options.h"
#include "supple/render/image.h"

namespace supple::cli {

/// An earlier result is gone on with or begun again only where that was asked for.
Result<void> check_folder(const SimulateOptions& options);

/// Makes the folder, and with --force takes away what an earlier call left.
Result<void> open_folder(const SimulateOptions& options);

/// Draws the sheet, unless no pictures are wanted.
using DrawSheet = std::function<Result<render::Image>()>;

/// report.json, report.html and sheet.png; none of them is worth failing for, once the examples are there: what is not
/// written is told as a warning. `report` learns of the sheet before `page` is made of it.
void write_reports(const SimulateOptions& options, Json& report, std::string (*page)(const Json&),
                   const DrawSheet& sheet, Session& session);

}  // namespace supple::cli
