// Pictures of the hand in poses that were not scanned, by every method (the paper's figures 10 and 11).
#include <fmt/core.h>

#include <algorithm>

#include "supple/deform/skin.h"
#include "supple/workflow/jobs/units.h"
#include "supple/workflow/report/chart.h"
#include "supple/workflow/report/html.h"
#include "supple/workflow/study/mixed_poses.h"
#include "supple/workflow/study/report_sections.h"
#include "supple/workflow/study/report_studio.h"

namespace supple::workflow::scan_report {
namespace {

Result<render::Surface> posed_skin(const Character& character, Pose pose) {
  auto skin = Skin::make(character);
  if (!skin) return skin.error();
  pose.morph_weights = character.morph_weights;
  if (auto ok = skin->evaluate(pose); !ok) return ok.error();
  render::Surface result = skin_surface(skin->positions(0), character.parts[0].mesh.triangles);
  result.normals.assign(skin->normals(0).begin(), skin->normals(0).end());
  return result;
}

const Character& of_method(const Judged& judged, SkinMethod method) {
  return judged.characters[static_cast<std::size_t>(method)];
}

/// Skin of the hand proper, to look at: what follows a joint below the wrist more than any other.
std::vector<Vec3f> hand_proper(const Character& character, std::span<const Vec3f> positions) {
  const Part& part = character.parts[0];
  const auto depth = [&](JointIndex j) {
    int steps = 0;
    for (; character.skeleton.parent(j) != no_joint; j = character.skeleton.parent(j)) ++steps;
    return steps;
  };
  std::vector<Vec3f> result;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const auto influences = part.weights.of(v);
    const auto most = std::max_element(influences.begin(), influences.end(),
                                       [](const Influence& a, const Influence& b) { return a.weight < b.weight; });
    constexpr int below_wrist = 2;  // the forearm's joint, the wrist's, then the fingers'
    if (most != influences.end() && depth(character.skins[*part.skin].joints[most->joint]) >= below_wrist)
      result.push_back(positions[v]);
  }
  return result;
}

render::Scene scene_of(render::Surface surface) {
  render::Scene scene;
  scene.surfaces.push_back(std::move(surface));
  return scene;
}

}  // namespace

Result<std::string> pictures_of_poses(const Chain& chain, const Judged& judged, ScanStudio& studio) {
  const std::vector<MixedPose> poses = poses_to_look_at(chain.assembled.examples);
  if (poses.empty()) return std::string();
  std::vector<std::string> figures;
  for (const MixedPose& mixed : poses) {
    auto skin = posed_skin(of_method(judged, SkinMethod::wpsd), mixed.pose);
    if (!skin) return skin.error();
    const std::vector<Vec3f> subject = hand_proper(chain.assembled.character, skin->positions);
    auto picture = studio.draw(scene_of(std::move(*skin)), studio.oblique(), mixed.caption, subject);
    if (!picture) return picture.error();
    figures.push_back(html::figure(
        *picture, fmt::format("{}; nearest scan: {}, up to {:.0f} degrees off at a joint", html::escaped(mixed.caption),
                              html::escaped(mixed.nearest_scan), mixed.nearest * degrees)));
  }
  return "<h2>Poses that were not scanned</h2>\n<p>" +
         std::string(chain.has_skin() ? "By weighted PSD; every" : "Every") +
         " finger is bent or straight as one of the "
         "scans has it.</p>\n" +
         html::gallery(figures, "15rem");
}

Result<std::string> pictures_of_methods(const Chain& chain, const Judged& judged, ScanStudio& studio) {
  const std::vector<MixedPose> poses = one_straight_poses(chain.assembled.examples);
  if (poses.empty() || !chain.has_skin()) return std::string();  // bones are the same by all methods
  std::vector<render::Scene> skins;
  for (const Character& character : judged.characters) {
    auto skin = posed_skin(character, poses[0].pose);
    if (!skin) return skin.error();
    skins.push_back(scene_of(std::move(*skin)));
    shade(skins.back());
  }
  const std::vector<Vec3f> weighted = skins[2].surfaces[0].positions,
                           subject = hand_proper(chain.assembled.character, weighted);
  std::vector<std::string> figures;
  for (const render::View* view : {&studio.oblique(), &studio.palm()}) {
    for (std::size_t m = 0; m < skins.size(); ++m) {
      auto picture = studio.draw(skins[m], *view, method_names[m], subject);
      if (!picture) return picture.error();
      figures.push_back(html::figure(*picture, method_names[m]));
    }
  }
  std::array<std::vector<float>, 2> away;
  std::vector<float> all;
  for (std::size_t m = 0; m < away.size(); ++m) {
    for (std::size_t v = 0; v < weighted.size(); ++v)
      away[m].push_back(length(skins[m].surfaces[0].positions[v] - weighted[v]));
    all.insert(all.end(), away[m].begin(), away[m].end());
  }
  const double end = scale_end_mm(std::move(all));
  std::vector<std::string> maps;
  for (std::size_t m = 0; m < away.size(); ++m) {
    render::Surface& map = skins[m].surfaces[0];
    map.colours = render::map_colours(away[m], 0, static_cast<float>(end) * metres_per_mm, render::ColourMap::ember);
    map.finish = render::Finish::data;
    auto picture = studio.draw(std::move(skins[m]), studio.oblique(),
                               std::string(method_names[m]) + " against weighted PSD", subject);
    if (!picture) return picture.error();
    maps.push_back(html::figure(*picture, std::string(method_names[m]) + ", distance to weighted PSD"));
  }
  return fmt::format(
             "<h2>Three methods in one pose</h2>\n<p>{}, as no scan has it (nearest: {}, up to {:.0f} degrees off at a "
             "joint).</p>\n",
             poses[0].caption, html::escaped(poses[0].nearest_scan), poses[0].nearest * degrees) +
         html::gallery(figures, "19rem") + colour_bar(render::ColourMap::ember, end, "distance to weighted PSD, mm") +
         html::gallery(maps, "19rem");
}

}  // namespace supple::workflow::scan_report
