// The report of a fit, for people: the verdict and pictures first, then why, then what it costs.
#include <filesystem>

#include "supple/workflow/report/fit/report_sections.h"
#include "supple/workflow/report/html.h"
#include "supple/workflow/report/skin_pictures.h"

namespace supple::workflow {
namespace {

struct Pictures {
  std::string errors, modes;
};

/// Without a way to draw, a note takes their place.
Result<Pictures> all_pictures(const FitJob& job, Work& work) {
  auto drawn = SkinPictures::open(job.original, job.part);
  if (!drawn) {
    work.warnings.push_back("the report has no pictures: " + drawn.error().message());
    return Pictures{"<p class='note'>Nothing could be drawn here: " + html::escaped(drawn.error().message()) + "</p>\n",
                    ""};
  }
  const auto modes = pictures_of_modes(job, *drawn, work.progress);
  if (!modes) return modes.error();
  const auto errors = pictures_of_errors(job, *drawn, work.progress);
  if (!errors) return errors.error();
  report(work.progress, "drawing", 1);
  return Pictures{*errors, *modes};
}

}  // namespace

Result<std::string> fit_html(const FitJob& job, const FitOptions& o, const Json& facts, bool with_pictures,
                             Work& work) {
  Pictures pictures;
  if (with_pictures) {
    auto drawn = all_pictures(job, work);
    if (!drawn) return drawn.error();
    pictures = std::move(*drawn);
  }
  std::string body = verdict(facts) + pictures.errors + "<h2>In numbers</h2>\n" + headline(facts) +
                     error_against_modes(job) + error_against_examples(job) +
                     (job.kernel ? std::string() : spectra(job)) + pictures.modes;
  body += corrections_table(facts) + size_and_cost(facts) + options_used(o);
  return html::page("Skin learnt for " + std::filesystem::path(o.model).filename().string(), body);
}

}  // namespace supple::workflow
