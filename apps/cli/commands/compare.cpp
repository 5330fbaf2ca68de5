// supple compare: how far two posed characters are apart, and where.
#include <fmt/core.h>

#include <numbers>

#include "cli/commands/commands.h"
#include "cli/pose_options.h"
#include "supple/measure/error.h"
#include "supple/measure/mean_value.h"
#include "supple/measure/volume.h"
#include "supple/workflow/jobs/bake/show_moment.h"
#include "supple/workflow/jobs/model.h"
#include "supple/workflow/jobs/unit.h"

namespace supple::cli {
namespace {

struct CompareCommand {
  std::string first, second;
  PoseOptions pose;
  Blend blend = Blend::linear, second_blend = Blend::linear;
  double max = -1;
  std::size_t interior = 0;
};

void declare(Command& app, CompareCommand& o) {
  app.option("first", o.first, "File to measure").required().type("FILE");
  app.option("second", o.second, "Reference; the same file with another --reference-blend is fine")
      .required()
      .type("FILE");
  add_pose_options(app, o.pose);
  add_blend_option(app, o.blend);
  add_blend_option(app, o.second_blend, "--reference-blend");
  app.option("--max", o.max, "Exit with 1 where vertices are farther apart than this many metres")
      .not_negative()
      .type("M");
  app.option("--interior", o.interior,
             "Also measure det J of the first file's pose at about this many points inside it")
      .range(1, 1000000)
      .type("N");
}

/// A file's surfaces at rest and in the pose, both as the rig places them.
struct Posed {
  Model model;
  std::vector<Mesh> rest, parts;
};

std::vector<Mesh> surfaces(const Skin& skin, const Character& character) {
  std::vector<Mesh> meshes;
  for (std::size_t p = 0; p < skin.parts(); ++p) {
    meshes.push_back({{skin.positions(p).begin(), skin.positions(p).end()},
                      {skin.normals(p).begin(), skin.normals(p).end()},
                      character.parts[p].mesh.triangles});
  }
  return meshes;
}

Result<Posed> load_posed(const std::string& path, const PoseOptions& options, Blend blend, Session& session) {
  auto model = load_model(path, session);
  if (!model) return model.error();
  Posed posed{std::move(*model), {}, {}};
  const Character& character = posed.model.character();
  if (character.parts.empty()) return Error{path, "has no mesh", ""};
  // A file without joints (a baked surface) is taken as it is.
  const bool rigged = !character.skins.empty() || !character.clips.empty();
  const auto pose = pose_of(character, rigged ? options : PoseOptions{});
  if (!pose) return Error{path + ", " + pose.error().item, pose.error().problem, pose.error().remedy};
  auto skin = Skin::make(character, blend, {}, &session.warnings);
  if (!skin) return skin.error();
  posed.rest = surfaces(*skin, character);
  if (auto ok = show_moment(*skin, character, rigged ? options : PoseOptions{}, *pose, session); !ok) return ok.error();
  posed.parts = surfaces(*skin, character);
  return posed;
}

Json to_json(const measure::ErrorSummary& e, double unit, const Character& c, std::size_t part) {
  return {{"rms", e.rms * unit},
          {"mean", e.mean * unit},
          {"p99", e.p99 * unit},
          {"max", e.max * unit},
          {"vertices", e.count},
          {"worst",
           {{"part", part},
            {"vertex", e.worst},
            {"position", {e.worst_position.x, e.worst_position.y, e.worst_position.z}},
            {"joint", nearest_joint(c, part, e.worst)}}}};
}

std::string line(const char* what, const Json& e, const char* unit) {
  return fmt::format("  {:<18} rms {:<10.4g} p99 {:<10.4g} max {:<10.4g} {:<3} worst at vertex {}{}\n", what,
                     e["rms"].get<double>(), e["p99"].get<double>(), e["max"].get<double>(), unit,
                     e["worst"]["vertex"].get<std::size_t>(),
                     e["worst"]["joint"] == "" ? "" : " (" + e["worst"]["joint"].get<std::string>() + ")");
}

/// `unit`: metres of one of the files'; `worst` is in metres.
Result<void> compare_part(const Posed& a, const Posed& b, std::size_t p, const CompareCommand& o, double unit,
                          Outcome& outcome, double& worst) {
  const Character& c = a.model.character();
  const Mesh& first = a.parts[p];
  const Mesh& second = b.parts[p];
  Json part{{"name", c.parts[p].name}};
  outcome.text +=
      fmt::format("{} ({} vertices)\n", c.parts[p].name.empty() ? "part " + std::to_string(p) : c.parts[p].name,
                  first.positions.size());
  if (first.positions.size() == second.positions.size()) {
    const auto vertices = measure::vertex_error(first.positions, second.positions);
    if (!vertices) return vertices.error();
    const auto normals = measure::normal_error(first.normals, second.normals, first.positions);
    part["vertex_mm"] = to_json(*vertices, 1000 * unit, c, p);
    outcome.text += line("vertices", part["vertex_mm"], "mm");
    if (normals) {
      part["normal_degrees"] = to_json(*normals, 180 / std::numbers::pi, c, p);
      outcome.text += line("normals", part["normal_degrees"], "deg");
    }
    worst = std::max(worst, vertices->max * unit);
  }
  const auto surface = measure::surface_distance(first, second);
  if (!surface) return surface.error();
  part["surface_mm"] = to_json(surface->forward, 1000 * unit, c, p);
  part["surface_back_mm"] = to_json(surface->backward, 1000 * unit, b.model.character(), p);
  outcome.text += line("surface", part["surface_mm"], "mm") + line("surface, back", part["surface_back_mm"], "mm");
  if (!part.contains("vertex_mm")) worst = std::max(worst, surface->max() * unit);
  if (const auto volume = measure::volume_change(a.rest[p], first.positions)) {
    const double ml = 1e6 * unit * unit * unit;
    part["volume"] = {
        {"rest_ml", volume->rest * ml}, {"posed_ml", volume->posed * ml}, {"change_percent", volume->relative * 100}};
    outcome.text += fmt::format("  {:<18} {:.2f} ml at rest, {:.2f} ml posed: {:+.3f} %\n", "volume", volume->rest * ml,
                                volume->posed * ml, volume->relative * 100);
    if (o.interior > 0) {
      const auto jacobian = measure::skin_jacobian(a.rest[p], first.positions, o.interior);
      if (!jacobian) return jacobian.error();
      const Vec3d w = jacobian->worst_position;
      part["jacobian"] = {{"min", jacobian->min},
                          {"mean", jacobian->mean},
                          {"fraction_non_positive", jacobian->fraction_non_positive},
                          {"points", jacobian->count},
                          {"worst_position", {w.x, w.y, w.z}}};
      outcome.text += fmt::format(
          "  {:<18} min {:.4f} mean {:.4f}, {:.2f} % of {} points folded, worst at ({:.4f}, {:.4f}, {:.4f})\n", "det J",
          jacobian->min, jacobian->mean, jacobian->fraction_non_positive * 100, jacobian->count, w.x, w.y, w.z);
    }
  } else if (o.interior > 0) {
    return volume.error();
  }
  outcome.json["parts"].push_back(part);
  return {};
}

Result<Outcome> run(const CompareCommand& o, Session& session) {
  auto first = load_posed(o.first, o.pose, o.blend, session);
  if (!first) return first.error();
  const auto second = load_posed(o.second, o.pose, o.second_blend, session);
  if (!second) return second.error();
  if (first->parts.size() != second->parts.size()) {
    return Error{o.second,
                 fmt::format("has {} parts where {} has {}", second->parts.size(), o.first, first->parts.size()), ""};
  }
  Outcome outcome;
  outcome.json["parts"] = Json::array();
  const double unit = settle_unit(first->model.character(), session);
  double worst = 0;
  for (std::size_t p = 0; p < first->parts.size(); ++p) {
    if (auto ok = compare_part(*first, *second, p, o, unit, outcome, worst); !ok)
      return Error{o.first + " and " + o.second + ", part " + std::to_string(p) + ", " + ok.error().item,
                   ok.error().problem, ok.error().remedy};
  }
  outcome.json["max_mm"] = worst * 1000;
  if (o.max >= 0 && !(worst <= o.max)) {
    outcome.exit_code = difference;
    outcome.text += fmt::format("differs by {:.6g} m, more than {:.6g}\n", worst, o.max);
  }
  return outcome;
}

}  // namespace

void add_compare(Command& app, Session& session) {
  add_command<CompareCommand>(app, session, "compare", "Measure the difference between two posed characters",
                              "supple compare hand.glb hand.glb --clip fist --time 2 --reference-blend dual", declare,
                              run);
}

}  // namespace supple::cli
