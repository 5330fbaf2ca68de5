// Pictures of bones: as they were scanned, named, found again, and where they turn (the paper's figures 2 and 5).
#include <fmt/core.h>

#include "supple/workflow/report/chart.h"
#include "supple/workflow/report/html.h"
#include "supple/workflow/study/report_sections.h"
#include "supple/workflow/study/report_studio.h"

namespace supple::workflow::scan_report {
namespace {

constexpr float skin_opacity = 0.28f;
constexpr float uncovered = 1.5f * metres_per_mm;  // bone of a scan that is farther from all that was moved there
const Vec3f lost_colour = render::from_hex(0x18a5b8), uncovered_colour = render::from_hex(0x8b929c);
const Vec3f centre_colour = render::from_hex(0xd4252a), sliding_colour = render::from_hex(0x2f6fb5);

render::Surface bone_surface(const Mesh& mesh, const Affined& by) {
  render::Surface result = moved_surface(mesh, by);
  result.name = "bone";
  result.colour = render::bone_colour;
  result.finish = render::Finish::matte;
  return result;
}

render::Surface glassy_skin(const Mesh& mesh, const Affined& by) {
  render::Surface result = moved_surface(mesh, by);
  result.opacity = skin_opacity;
  return result;
}

/// The base's bones laid into another scan, with their distance from the bone that is there.
struct Laid {
  render::Surface bones;         // model space, no colours yet
  std::vector<float> distances;  // #V, metres; none where a bone was cut from its neighbour
  std::vector<bool> lost;        // #V: of a bone that was not found
};

Laid laid_over(const Chain& chain, std::size_t s) {
  const ScanWork& work = chain.scans[s];
  const Bvh scanned(work.surfaces.bone.positions, work.surfaces.bone.triangles);
  const Affined to_model = to_model_space(chain, s);
  Laid result;
  for (std::size_t b = 0; b < chain.bones.size() + chain.bodies.size(); ++b) {
    const bool single = b >= chain.bones.size();
    const scan::ScanBone bone = single ? chain.bodies[b - chain.bones.size()] : scan::without_apart(chain.bones[b]);
    const scan::BoneFit& fit = single ? work.alignment.bodies[b - chain.bones.size()] : work.alignment.bones[b];
    append(result.bones, bone_surface(bone.surface, to_model * fit.motion));
    std::vector<float> away = distances_to(scanned, moved(bone.surface.positions, fit.motion));
    for (std::size_t v = 0; v < away.size(); ++v)
      if (v < bone.touches.size() && bone.touches[v]) away[v] = no_value;
    result.distances.insert(result.distances.end(), away.begin(), away.end());
    result.lost.insert(result.lost.end(), away.size(), !fit.found);
  }
  result.bones.finish = render::Finish::data;
  return result;
}

/// Bone of the scan that nothing was laid over: sesamoids, or a bone that was not found.
render::Surface uncovered_bone(const ScanWork& work, const Affined& to_model, const render::Surface& laid) {
  render::Surface all = bone_surface(work.surfaces.bone, to_model);
  const std::vector<float> away = distances_to(Bvh(laid.positions, laid.triangles), all.positions);
  std::erase_if(all.triangles, [&](const Triangle& t) {
    return away[t[0]] < uncovered || away[t[1]] < uncovered || away[t[2]] < uncovered;
  });
  all.colour = uncovered_colour;
  return all;
}

}  // namespace

Result<std::string> pictures_of_scans(const Chain& chain, ScanStudio& studio) {
  std::vector<std::string> figures;
  for (std::size_t s = 0; s < chain.scans.size(); ++s) {
    const ScanWork& work = chain.scans[s];
    const Affined to_model = to_model_space(chain, s);
    render::Scene scene;
    scene.surfaces.push_back(bone_surface(work.surfaces.bone, to_model));
    if (work.shows_skin()) scene.surfaces.push_back(glassy_skin(work.surfaces.skin, to_model));
    auto picture = studio.draw(std::move(scene), studio.oblique(), "bone and skin of " + work.entry->name);
    if (!picture) return picture.error();
    figures.push_back(html::figure(
        *picture,
        fmt::format("{}{}: {} triangles of bone, {} of skin", html::escaped(work.entry->name), s == 0 ? " (base)" : "",
                    work.surfaces.bone.triangles.size(), work.surfaces.skin.triangles.size())));
  }
  return html::gallery(figures, "15rem");
}

Result<std::string> pictures_of_names(const Chain& chain, ScanStudio& studio) {
  const Affined to_model = to_model_space(chain, 0);
  render::Scene scene;
  render::CategoryLegend legend{"bones", {}};
  std::vector<scan::ScanBone> bones;
  for (const scan::ScanBone& bone : chain.bones) bones.push_back(scan::without_apart(bone));
  bones.insert(bones.end(), chain.bodies.begin(), chain.bodies.end());
  for (std::size_t b = 0; b < bones.size(); ++b) {
    render::Surface surface = bone_surface(bones[b].surface, to_model);
    surface.colour = render::category_colour(b);
    legend.entries.push_back({bones[b].name, surface.colour});
    scene.surfaces.push_back(std::move(surface));
  }
  for (const std::uint32_t piece : chain.naming.unused) {
    scene.surfaces.push_back(bone_surface(chain.parts.parts[piece].surface, to_model));
    scene.surfaces.back().colour = uncovered_colour;
  }
  if (!chain.naming.unused.empty()) legend.entries.push_back({"no bone's", uncovered_colour});
  shade(scene);
  auto side = studio.draw(scene, studio.oblique(), "bones of the base scan from the thumb's side");
  if (!side) return side.error();
  auto named = studio.draw_named(std::move(scene), studio.palm(), "bones of the base scan by name", legend);
  if (!named) return named.error();
  const std::vector<std::string> figures{html::figure(*named, "from the palm"),
                                         html::figure(*side, "from the thumb's side")};
  return html::gallery(figures, "26rem");
}

Result<std::string> pictures_of_alignment(const Chain& chain, ScanStudio& studio) {
  std::vector<Laid> laid;
  std::vector<float> all;
  for (std::size_t s = 1; s < chain.scans.size(); ++s) {
    laid.push_back(laid_over(chain, s));
    for (std::size_t v = 0; v < laid.back().distances.size(); ++v)
      if (!laid.back().lost[v]) all.push_back(laid.back().distances[v]);
  }
  const double end = scale_end_mm(std::move(all));
  std::vector<std::string> figures;
  for (std::size_t s = 1; s < chain.scans.size(); ++s) {
    Laid& l = laid[s - 1];
    const ScanWork& work = chain.scans[s];
    std::string lost;
    for (std::size_t b = 0; b < chain.bones.size(); ++b)
      if (!work.alignment.bones[b].found) lost += (lost.empty() ? "; not found: " : ", ") + chain.bones[b].name;
    l.bones.colours =
        render::map_colours(l.distances, 0, static_cast<float>(end) * metres_per_mm, render::ColourMap::ember);
    for (std::size_t v = 0; v < l.lost.size(); ++v)
      if (l.lost[v]) l.bones.colours[v] = lost_colour;
    render::Scene scene;
    scene.surfaces.push_back(uncovered_bone(work, to_model_space(chain, s), l.bones));
    scene.surfaces.push_back(std::move(l.bones));
    auto picture = studio.draw(std::move(scene), studio.oblique(), "bones of the base laid over " + work.entry->name);
    if (!picture) return picture.error();
    figures.push_back(html::figure(*picture, html::escaped(work.entry->name + lost)));
  }
  return colour_bar(render::ColourMap::ember, end, "base bone to the scan's bone, mm") +
         html::gallery(figures, "15rem");
}

Result<std::string> pictures_of_joints(const Chain& chain, ScanStudio& studio) {
  const Affined to_model = to_model_space(chain, 0);
  render::Scene scene;
  for (const scan::ScanBone& bone : chain.bones) scene.surfaces.push_back(bone_surface(bone.surface, to_model));
  for (std::size_t b = 1; b < chain.joints.size(); ++b)
    scene.joints.push_back(
        {Vec3f(to_model.point(chain.joints[b].centre)), chain.joints[b].slides ? sliding_colour : centre_colour});
  if (chain.has_skin()) scene.surfaces.push_back(glassy_skin(chain.base_skin, to_model));
  shade(scene);
  std::vector<std::string> figures;
  for (const render::View* view : {&studio.palm(), &studio.oblique()}) {
    auto picture = studio.draw(scene, *view, "centres of rotation, " + view->name);
    if (!picture) return picture.error();
    figures.push_back(html::figure(*picture, view == &studio.palm() ? "from the palm" : "from the thumb's side"));
  }
  return html::gallery(figures, "22rem");
}

}  // namespace supple::workflow::scan_report
