// The report of a fit, for people: how good the skin is first, then why, then what it costs.
#include <filesystem>

#include "supple/workflow/report/fit/report_sections.h"
#include "supple/workflow/report/html.h"
#include "supple/workflow/report/skin_pictures.h"

namespace supple::workflow {
namespace {

/// Without a way to draw, a note takes their place.
Result<std::string> all_pictures(const FitJob& job, Work& work) {
  auto drawn = SkinPictures::open(job.original, job.part);
  if (!drawn) {
    work.warnings.push_back("the report has no pictures: " + drawn.error().message());
    return "<h2>Pictures</h2>\n<p class='note'>Nothing could be drawn here: " + html::escaped(drawn.error().message()) +
           "</p>\n";
  }
  const Progress progress = work.progress;
  const auto modes = pictures_of_modes(job, *drawn, progress);
  if (!modes) return modes.error();
  const auto errors = pictures_of_errors(job, *drawn, progress);
  if (!errors) return errors.error();
  report(progress, "drawing", 1);
  return *modes + *errors;
}

}  // namespace

Result<std::string> fit_html(const FitJob& job, const FitOptions& o, const Json& facts, bool with_pictures,
                             Work& work) {
  std::string body = headline(facts) + error_against_modes(job) + error_against_examples(job) +
                     (job.kernel ? std::string() : spectra(job));
  if (with_pictures) {
    const auto pictures = all_pictures(job, work);
    if (!pictures) return pictures.error();
    body += *pictures;
  }
  body += corrections_table(facts) + size_and_cost(facts) + options_used(o);
  return html::page("Skin learnt for " + std::filesystem::path(o.model).filename().string(), body);
}

}  // namespace supple::workflow
