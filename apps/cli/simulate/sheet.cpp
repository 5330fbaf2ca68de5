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

/// The flagged poses and the last one of every sweep, in order; where that is too much, flagged ones stay.
std::vector<const PoseOutcome*> chosen(const Gathered& gathered) {
  std::vector<const PoseOutcome*> result;
  std::size_t flagged = 0;
  for (const PoseOutcome& p : gathered.poses) flagged += p.flags.empty() ? 0 : 1;
  std::size_t room = max_pictures - std::min(max_pictures, flagged);
  for (std::size_t i = 0; i < gathered.poses.size(); ++i) {
    const PoseOutcome& p = gathered.poses[i];
    const bool last = i + 1 == gathered.poses.size() || gathered.poses[i + 1].sweep != p.sweep;
    const bool fits = p.flags.empty() ? last && room > 0 : result.size() < max_pictures;
    if (!fits) continue;
    if (p.flags.empty()) --room;
    result.push_back(&p);
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
