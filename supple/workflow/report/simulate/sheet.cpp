// Small pictures of poses, side by side.
#include <algorithm>

#include "supple/render/character.h"
#include "supple/render/draw.h"
#include "supple/render/sheet.h"
#include "supple/workflow/jobs/simulate/job.h"
#include "supple/workflow/report/pictures.h"
#include "supple/workflow/report/simulate/report.h"
#include "supple/workflow/report/simulate/sheet.h"

namespace supple::workflow {
namespace {

constexpr std::size_t max_pictures = 96;
constexpr render::Size pose_picture{240, 260};
constexpr double aspect = 240.0 / 260;

/// The flagged poses and the last one of every sweep, in order; where that is too much, flagged ones stay.
std::vector<std::size_t> chosen(std::span<const SheetPose> poses) {
  std::vector<std::size_t> result;
  std::size_t flagged = 0;
  for (const SheetPose& p : poses) flagged += p.flagged ? 1 : 0;
  std::size_t room = max_pictures - std::min(max_pictures, flagged);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const SheetPose& p = poses[i];
    const bool last = i + 1 == poses.size() || poses[i + 1].sweep != p.sweep;
    const bool fits = p.flagged ? result.size() < max_pictures : last && room > 0;
    if (!fits) continue;
    if (!p.flagged) --room;
    result.push_back(i);
  }
  return result;
}

}  // namespace

Result<render::Image> draw_sheet(const Character& c, std::size_t part_number, std::span<const SheetPose> poses,
                                 const SheetSkin& skin, const Progress& progress) {
  auto renderer = render::Renderer::create();
  if (!renderer) return renderer.error();
  auto view = view_of(c, detail_view(c));
  if (!view) return view.error();
  const Part& part = c.parts[part_number];
  std::vector<render::SheetCell> cells;
  const std::vector<std::size_t> shown = chosen(poses);
  for (const std::size_t p : shown) {
    if (!report(progress, "drawing", static_cast<double>(cells.size()) / static_cast<double>(shown.size())))
      return Error{"pictures", "were stopped", ""};
    const std::optional<std::vector<Vec3f>> positions = skin(p);
    if (!positions) continue;
    render::PosedPart posed{part.name, *positions, {}, part.mesh.triangles, {}};
    if (part.material) {
      const auto& rgba = c.materials[*part.material].base_color;
      posed.colour = {rgba[0], rgba[1], rgba[2]};
    }
    render::CharacterLook look;
    look.occlusion = false;  // a second a picture is too long for dozens of them
    const auto scene = render::character_scene(std::span(&posed, 1), {}, look);
    if (!scene) return scene.error();
    auto image = renderer->draw(*scene, render::fit(render::points_of(*scene), *view, aspect), pose_picture);
    if (!image) return image.error();
    cells.push_back({std::move(*image), poses[p].caption});
  }
  render::SheetOptions options;
  options.columns = std::min<std::size_t>(8, cells.size());
  return render::contact_sheet(cells, options);
}

Result<render::Image> pose_sheet(const Simulated& simulated, const Progress& progress) {
  const auto& [job, gathered, run] = simulated;
  const simulate::Simulation& s = job.simulation;
  std::vector<SheetPose> poses;
  for (const PoseOutcome& p : gathered.poses) {
    std::string caption = s.plan.sweeps[p.sweep].poses[p.pose].name;
    for (const std::string& flag : p.flags) caption += ", " + flag;
    poses.push_back({p.sweep, std::move(caption), !p.flags.empty()});
  }
  const auto skin = [&](std::size_t i) -> std::optional<std::vector<Vec3f>> {
    const auto record = find_record(s, gathered.poses[i].sweep, gathered.poses[i].pose);
    if (!record) return std::nullopt;
    return example_skin(job, gathered.poses[i], record->nodes);
  };
  return draw_sheet(job.character, s.body.part, poses, skin, progress);
}

}  // namespace supple::workflow
