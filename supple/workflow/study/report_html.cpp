// The report of a scan project, for people: how good the hand is and how it looks first, then every stage in its order.
#include <fmt/core.h>

#include "supple/workflow/report/html.h"
#include "supple/workflow/study/report_sections.h"
#include "supple/workflow/study/report_studio.h"

namespace supple::workflow {
namespace {

/// As HTML; all empty where nothing is drawn.
struct Pictures {
  std::string review, scans, names, alignment, joints, fitting, fits, poses, methods;
};

Result<Pictures> all_pictures(const Chain& chain, const Judged& judged, ScanStudio& studio) {
  using namespace scan_report;
  Pictures result;
  const auto keep = [](std::string& place, Result<std::string> made) -> Result<void> {
    if (!made) return made.error();
    place = std::move(*made);
    return {};
  };
  if (auto ok = keep(result.review, pictures_of_review(chain, studio)); !ok) return ok.error();
  if (auto ok = keep(result.scans, pictures_of_scans(chain, studio)); !ok) return ok.error();
  if (auto ok = keep(result.names, pictures_of_names(chain, studio)); !ok) return ok.error();
  if (auto ok = keep(result.alignment, pictures_of_alignment(chain, studio)); !ok) return ok.error();
  if (auto ok = keep(result.joints, pictures_of_joints(chain, studio)); !ok) return ok.error();
  if (auto ok = keep(result.fitting, pictures_of_fitting(chain, judged, studio)); !ok) return ok.error();
  if (auto ok = keep(result.fits, pictures_of_fits(chain, studio)); !ok) return ok.error();
  if (auto ok = keep(result.poses, pictures_of_poses(chain, judged, studio)); !ok) return ok.error();
  if (auto ok = keep(result.methods, pictures_of_methods(chain, judged, studio)); !ok) return ok.error();
  return result;
}

/// About: a row for each scan, and what is drawn once.
std::size_t picture_count(const Chain& chain) { return 5 * chain.scans.size() + 25; }

std::string body_of(const Chain& chain, const Json& r, const Pictures& p) {
  using namespace scan_report;
  std::string body =
      verdict(r) + review_section(r, p.review) + p.methods + p.poses + "<h2>In numbers</h2>\n" + headline(r);
  body += fmt::format(
      "<p>What was decided on the way is in {}; change it there, run the command again, and only what depends on it is "
      "done anew.</p>\n",
      html::escaped(chain.project.file.filename().string()));
  body += html::list("Warnings", r["warnings"]);
  body += "<h2 id='scans'>Bone and skin of every scan</h2>\n" + p.scans + scans_table(r);
  body += "<h2 id='names'>Bones of the base scan</h2>\n" + p.names + bones_table(r);
  body += "<h2 id='alignment'>The same bones in every scan</h2>\n";
  if (!p.alignment.empty())
    body +=
        "<p>The base's bones where they were found. Grey: cut from a neighbour, or bone of the scan that none of them "
        "covers. Blue-green: not found.</p>\n" +
        p.alignment;
  body += alignment_table(r) + "<h2 id='joints'>Joints</h2>\n";
  if (!p.joints.empty()) body += "<p>Red: centres of rotation. Blue: joints that slide.</p>\n" + p.joints;
  body += joints_table(r) + kinds_table(r) + anatomical_table(r) + bone_axes_table(r) + angles_table(r);
  if (chain.has_skin())
    body += "<h2 id='skins'>One mesh for all scans</h2>\n" + p.fitting + p.fits + fits_table(r) + errors_table(r);
  return body + stages_table(r);
}

}  // namespace

Result<std::string> scan_html(const Chain& chain, const Judged& judged, Json facts, bool pictures,
                              const RunClock& clock, Work& work) {
  const double before_pictures = clock.seconds();
  Pictures drawn;
  std::string note;
  if (pictures) {
    auto studio = ScanStudio::open(chain, picture_count(chain), work.progress);
    if (studio) {
      auto made = all_pictures(chain, judged, *studio);
      if (!made) return made.error();
      drawn = std::move(*made);
      report(work.progress, "drawing", 1);
    } else {
      work.warnings.push_back("the report has no pictures: " + studio.error().message());
      note = "<p class='note'>Nothing could be drawn here: " + html::escaped(studio.error().message()) + "</p>\n";
    }
  }
  facts["pictures_seconds"] = clock.seconds() - before_pictures;
  facts["seconds"] = clock.seconds();
  facts["processor_seconds"] = clock.processor_seconds();
  facts["memory_mb"] = memory_used_mb();
  return html::page("Hand from scans: " + chain.project.name, note + body_of(chain, facts, drawn));
}

}  // namespace supple::workflow
