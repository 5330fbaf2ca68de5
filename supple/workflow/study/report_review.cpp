// What a person should look at first, with pictures of the places, and how sure every other decision is.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "supple/workflow/report/html.h"
#include "supple/workflow/study/report_sections.h"
#include "supple/workflow/study/report_studio.h"

namespace supple::workflow::scan_report {
namespace {

using html::escaped;

constexpr std::size_t most_drawn = 4, most_listed = 30;
constexpr float skin_glass = 0.2f, bone_glass = 0.35f;
constexpr double around = 0.025;  // metres: what is shown around a place
const Vec3f doubted_colour = render::from_hex(0xd4252a);

/// Where a decision is shown in the report.
std::string place_in_report(const std::string& decided) {
  static const std::map<std::string, std::pair<const char*, const char*>> places{
      {"size", {"scans", "scans"}},
      {"threshold", {"scans", "scans"}},
      {"scan", {"alignment", "alignment"}},
      {"side", {"names", "bones"}},
      {"pieces", {"names", "bones"}},
      {"name", {"names", "bones"}},
      {"alignment", {"alignment", "alignment"}},
      {"landmark", {"joints", "joints"}},
      {"centre", {"joints", "joints"}},
      {"kind", {"joints", "joints"}},
      {"feature", {"skins", "skins"}},
      {"fit", {"skins", "skins"}}};
  const auto found = places.find(decided);
  if (found == places.end()) return "";
  return fmt::format("<a href='#{}'>{}</a>", found->second.first, found->second.second);
}

std::string mended_by(const Json& item) {
  const std::string field = item.value("field", "");
  return (field.empty() ? "" : "<code>" + escaped(field) + "</code>: ") + escaped(item["remedy"]);
}

/// The bone of an item where it was found, in the scan's own bone and skin; feature points as dots.
render::Scene scene_of(const Chain& chain, const ReviewItem& item, std::vector<Vec3f>& subject) {
  const std::size_t s = item.scan_number;
  const ScanWork& work = chain.scans[s];
  const Affined to_model = to_model_space(chain, s);
  render::Scene scene;
  const auto motion = [&](std::size_t b) { return s == 0 ? Affined{} : work.alignment.bones[b].motion; };
  const bool of_bone = item.bone.has_value();
  if (of_bone) {
    render::Surface own = moved_surface(chain.bones[*item.bone].surface, to_model * motion(*item.bone));
    own.colour =
        item.decided == Decided::centre || item.decided == Decided::kind ? render::bone_colour : doubted_colour;
    own.finish = render::Finish::matte;
    subject = own.positions;
    scene.surfaces.push_back(std::move(own));
    const std::uint32_t parent = chain.bones[*item.bone].parent;
    if (parent != TemplateBone::none && chain.bones[parent].parent != TemplateBone::none) {
      const std::vector<Vec3f> before = moved(chain.bones[parent].surface.positions, to_model * motion(parent));
      subject.insert(subject.end(), before.begin(), before.end());
    }
  }
  std::vector<Vec3f> red;
  if (item.place) {
    const Vec3f place(to_model.point(*item.place));
    red.push_back(place);
    if (!of_bone)
      for (const double side : {-around, around})
        for (std::size_t k = 0; k < 3; ++k) {
          subject.push_back(place);
          subject.back()[k] += static_cast<float>(side);
        }
  }
  if (!red.empty()) scene.surfaces.push_back(dots(red, doubted_colour));
  render::Surface bone = moved_surface(work.surfaces.bone, to_model);
  bone.colour = render::bone_colour;
  bone.opacity = of_bone ? bone_glass : 1;
  scene.surfaces.push_back(std::move(bone));
  if (work.shows_skin()) {
    scene.surfaces.push_back(moved_surface(work.surfaces.skin, to_model));
    scene.surfaces.back().opacity = skin_glass;
  }
  return scene;
}

}  // namespace

Result<std::string> pictures_of_review(const Chain& chain, ScanStudio& studio) {
  std::vector<std::string> figures;
  std::size_t number = 0;
  for (const ReviewItem& item : chain.review) {
    if (!item.to_look_at() || number == most_drawn) break;
    ++number;
    std::vector<Vec3f> subject;
    render::Scene scene = scene_of(chain, item, subject);
    shade(scene);
    const auto add = [&](std::span<const Vec3f> shown, const std::string& caption) -> Result<void> {
      auto picture = studio.draw(scene, studio.oblique(), item.title(), shown);
      if (!picture) return picture.error();
      figures.push_back(html::figure(*picture, fmt::format("{}: {}", number, escaped(caption))));
      return {};
    };
    if (auto ok = add(subject, item.title()); !ok) return ok.error();
    if (subject.empty()) continue;
    if (auto ok = add({}, "the same in the whole scan"); !ok) return ok.error();
  }
  return html::gallery(figures, "13rem");
}

std::string review_section(const Json& r, const std::string& pictures) {
  const Json& items = r["review"]["items"];
  const std::size_t count = r["review"]["to_look_at"];
  std::string text = "<h2 id='review'>What to look at first</h2>\n";
  if (count == 0) {
    text += fmt::format(
        "<p><b>Nothing needs a look.</b> Of {} decisions the least sure has a confidence of {:.2f}: {}, {}.</p>\n",
        items.size(), items.empty() ? 1.0 : items[0]["confidence"].get<double>(),
        items.empty() ? "" : escaped(items[0]["title"]), items.empty() ? "" : escaped(items[0]["why"]));
  } else {
    text += fmt::format(
        "<p>{} of {} decisions {} a confidence below {:.1f}. Change the field in the project file and build "
        "again.</p>\n",
        count, items.size(), count == 1 ? "has" : "have", r["review"]["look_below"].get<double>());
    html::Table table({{"", true}, {"what"}, {"confidence", true}, {"why"}, {"see"}, {"to mend it"}});
    for (std::size_t i = 0; i < std::min(count, most_listed); ++i) {
      const Json& item = items[i];
      table.add({std::to_string(i + 1), escaped(item["title"]), fmt::format("{:.2f}", item["confidence"].get<double>()),
                 escaped(item["why"]), place_in_report(item["decided"]), mended_by(item)},
                i == 0);
    }
    if (count > most_listed) table.add({"", fmt::format("and {} more", count - most_listed), "", "", "", ""});
    text += table.text() + pictures;
  }
  html::Table all({{"what"}, {"confidence", true}, {"why"}});
  for (const Json& item : items)
    all.add({escaped(item["title"]), fmt::format("{:.2f}", item["confidence"].get<double>()), escaped(item["why"])},
            item["look"].get<bool>());
  return text + fmt::format("<details><summary>How sure each of {} decisions is</summary>\n{}</details>\n",
                            items.size(), all.text());
}

}  // namespace supple::workflow::scan_report
