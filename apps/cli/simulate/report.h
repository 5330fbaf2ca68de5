// What a simulation leaves for people and programs beside the examples: report.json, report.html and sheet.png.
#pragma once

#include "cli/simulate/adaptive.h"
#include "supple/render/image.h"

namespace supple::cli {

struct RunFacts {
  double seconds = 0;      // of this call, wall clock
  double peak_memory = 0;  // bytes, of this process
  std::string engine;
  std::vector<std::string> failures;
  std::vector<AdaptivePoint> curve;  // empty where the plan was fixed
};

/// Everything measured, as numbers.
Json report_json(const SimulateJob& job, const SimulateOptions& options, const Gathered& gathered,
                 const RunFacts& facts, const Warnings& warnings);
/// One bar per pose, from zero up or down; flagged poses in another colour.
std::string pose_bars(const Json& poses, const char* title, const char* unit, double (*value)(const Json&));
/// The same as a page that needs nothing but itself and sheet.png.
std::string report_html(const Json& report);
/// The end of every sweep, and whatever was flagged, as small pictures.
Result<render::Image> pose_sheet(const SimulateJob& job, const Gathered& gathered, const Progress& progress);

}  // namespace supple::cli
