#include <algorithm>

#include "cli/pictures.h"
#include "cli/simulate/report.h"
#include "supple/render/character.h"
#include "supple/render/draw.h"
#include "supple/render/sheet.h"

namespace supple::cli {
namespace {

constexpr std::size_t max_pictures = 96;
constexpr render::Size picture_size{240, 260};
constexpr double aspect = 240.0 / 260;

/// The last pose of every sweep, and the flagged ones.
std::vector<const PoseOutcome*> chosen(const Gathered& gathered) {
  std::vector<const PoseOutcome*> result;
  for (std::size_t i = 0; i < gathered.poses.size(); ++i) {
    const bool last = i + 1 == gathered.poses.size() || gathered.poses[i + 1].sweep != gathered.poses[i].sweep;
    if ((last || !gathered.poses[i].flags.empty()) && result.size() < max_pictures)
      result.push_back(&gathered.poses[i]);
  }
  return result;
}

}  // namespace

Result<render::Image> pose_sheet(const SimulateJob& job, const Gathered& gathered, const Progress& progress) {
  const simulate::Simulation& s = job.simulation;
  const Character& c = job.model.character();
  auto renderer = render::Renderer::create();
  if (!renderer) return renderer.error();
  auto view = view_of(c, detail_view(c));
  if (!view) return view.error();
  const Part& part = c.parts[s.body.part];
  std::vector<render::SheetCell> cells;
  std::vector<Vec3f> positions(s.body.skin.positions.size());
  const auto poses = chosen(gathered);
  for (const PoseOutcome* p : poses) {
    if (!report(progress, "drawing", static_cast<double>(cells.size()) / static_cast<double>(poses.size())))
      return Error{"pictures", "were stopped", ""};
    const auto record = find_record(s, p->sweep, p->pose);
    if (!record) continue;
    simulate::skin_positions(s.tissue, record->nodes, positions);
    render::PosedPart posed{part.name, positions, {}, s.body.skin.triangles, {}};
    if (part.material) {
      const auto& rgba = c.materials[*part.material].base_color;
      posed.colour = {rgba[0], rgba[1], rgba[2]};
    }
    render::CharacterLook look;
    look.occlusion = false;  // a second a picture is too long for dozens of them
    const auto scene = render::character_scene(std::span(&posed, 1), {}, look);
    if (!scene) return scene.error();
    auto image = renderer->draw(*scene, render::fit(render::points_of(*scene), *view, aspect), picture_size);
    if (!image) return image.error();
    std::string caption = s.plan.sweeps[p->sweep].poses[p->pose].name;
    for (const std::string& flag : p->flags) caption += ", " + flag;
    cells.push_back({std::move(*image), caption});
  }
  render::SheetOptions options;
  options.columns = std::min<std::size_t>(8, cells.size());
  return render::contact_sheet(cells, options);
}

}  // namespace supple::cli
