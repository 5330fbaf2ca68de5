#include "supple/workflow/report/fit/fit_to_file.h"

#include <filesystem>

#include "supple/base/file.h"
#include "supple/workflow/jobs/fit/verdict.h"
#include "supple/workflow/report/fit/report.h"

namespace supple::workflow {
namespace {

namespace fs = std::filesystem;

/// With the buffer beside it, where there is one.
std::size_t bytes_of(const std::string& file) {
  std::error_code failed;
  std::size_t bytes = fs::file_size(file, failed);
  if (file.ends_with(".gltf")) bytes += fs::file_size(fs::path(file).replace_extension(".bin"), failed);
  return bytes;
}

template <class Job>
Result<Fitted> write(const Result<Job>& job, const FitOptions& o, const ReportOptions& report, Work& work) {
  if (!job) return job.error();
  if (auto saved = save_model(o.output, job->model, work); !saved) return saved.error();
  const auto verdict = judge_fit(*job, work);
  if (!verdict) return verdict.error();
  Fitted fitted{job->errors, fit_json(*job, o, bytes_of(o.output), work.warnings)};
  fitted.facts["verdict"] = verdict->sentence;
  fitted.facts["better_than_linear_blend"] = verdict->better;
  if (report.file.empty()) return fitted;
  const Result<std::string> html = fit_html(*job, o, fitted.facts, report.pictures, work);
  if (!html) return html.error();
  if (auto written = write_file(report.file, *html); !written) return written.error();
  return fitted;
}

}  // namespace

Result<Fitted> fit_to_file(const FitOptions& o, const ReportOptions& report, Work& work) {
  if (auto named = check_gltf_name(o.output); !named) return named.error();
  if (!report.file.empty() && fs::path(report.file).lexically_normal() == fs::path(o.output).lexically_normal())
    return Error{"--report " + report.file, "is the output file", "name another file"};
  if (o.is_of_modes()) return write(fit_modes(o, work), o, report, work);
  return write(fit_pose_space(o, work), o, report, work);
}

}  // namespace supple::workflow
