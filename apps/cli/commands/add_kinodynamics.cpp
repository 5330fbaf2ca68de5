// supple add kinodynamics: weights in space and muscles under the skin, proposed or as told.
#include <fmt/core.h>

#include <algorithm>

#include "cli/commands/add.h"
#include "supple/files/gltf/json.h"
#include "supple/files/kinodynamic_recipe.h"
#include "supple/workflow/jobs/add_kinodynamics.h"

namespace supple::cli {
namespace {

void declare_kinodynamics_options(Command& app, AddKinodynamicsOptions& o) {
  app.option("file", o.input, "Rigged character (.glb, .gltf)").required().type("FILE");
  app.option("-o,--output", o.output, "File to write (.glb, .gltf)").type("FILE").writes_character();
  app.flag("--auto", o.automatic,
           "Weights by the distance to bones, and muscles where there is flesh; without -o the recipe is printed");
  app.flag("--ellipsoids", o.ellipsoids, "Weights by an ellipsoid of tissue along every bone instead, to be edited");
  app.flag("--painted", o.painted, "Weights by the skin weights of the mesh, carried into space");
  app.option("--recipe", o.recipe, "Field and muscles from this JSON file").existing_file().type("FILE");
  app.option("--tissue", o.tissue,
             "One piece of tissue: name=thigh,joint=leg,center=0+0.2+0,radii=0.2+0.4+0.2 or any keys of a recipe; "
             "may be repeated")
      .one_each()
      .type("KEYS");
  app.option("--muscle", o.muscles,
             "One muscle: name=calf,joint=shin,center=0+0.1+0,radii=0.04+0.12+0.04,frequency=4 or any keys of a "
             "recipe; may be repeated")
      .one_each()
      .type("KEYS");
  app.option("--max-muscles", o.max_muscles, "How many muscles --auto proposes at most")
      .range(0, 64)
      .show_default()
      .type("N");
  app.option("--window", o.window, "Seconds that muscles remember where a moment of a clip is sought out").type("S");
  app.option("--save-recipe", o.save_recipe, "Write the recipe here, to be edited; with nothing else, that of the file")
      .type("FILE");
  app.option("--unit", o.unit,
             "Metres per unit of the file; 0.01 for centimetres (default: as the file says, or by its size)")
      .positive()
      .type("M");
  declare_hardness(app, o.hard, o.soft);
  declare_no_compare(app, o.compare);
}

const char* name_of(FieldSource source) {
  return source == FieldSource::automatic ? "automatic" : source == FieldSource::primitives ? "primitives" : "painted";
}

/// `unit`: metres of one of the file's.
std::string millimetres(Vec3f radii, double unit) {
  const Vec3d mm = Vec3d(radii) * unit * 1000;
  return fmt::format("{:.0f} x {:.0f} x {:.0f}", mm.x, mm.y, mm.z);
}

Json vector_json(Vec3f v) {
  return Json::array({gltf::short_decimal(v.x), gltf::short_decimal(v.y), gltf::short_decimal(v.z)});
}

/// Of a column with these names.
template <class Items>
std::size_t widest(const Items& items, const Skeleton& skeleton) {
  std::size_t width = 8;
  for (const auto& item : items) width = std::max({width, item.name.size(), skeleton.name(item.joint).size()});
  return width;
}

Outcome outcome_of(const AddKinodynamicsOptions& o, const AddedKinodynamics& added) {
  const Character& c = added.model.character();
  const Kinodynamics& k = *c.kinodynamics;
  const double unit = c.unit.value_or(1);
  Outcome outcome;
  const bool tissue = k.field.source == FieldSource::primitives;
  outcome.text =
      fmt::format("{}: {} field, tissue {}{}, muscles {}, window {:g} s\n", o.output.empty() ? o.save_recipe : o.output,
                  name_of(k.field.source), k.field.primitives.size(),
                  tissue || k.field.primitives.empty() ? "" : " (not used)", k.muscles.size(), k.window);
  outcome.json = {{"field", {{"source", name_of(k.field.source)}, {"tissue", Json::array()}}},
                  {"muscles", Json::array()},
                  {"window", gltf::short_decimal(k.window)}};
  if (!o.output.empty()) outcome.json["file"] = o.output;
  if (!o.save_recipe.empty()) outcome.json["recipe"] = o.save_recipe;
  std::size_t width = widest(k.field.primitives, c.skeleton);
  if (!k.field.primitives.empty())
    outcome.text += fmt::format("  {:<{}} {:<{}} {:<5} {:>7} {:>18}\n", "tissue", width, "joint", width, "kind",
                                "weight", "radii mm");
  for (const TissuePrimitive& p : k.field.primitives) {
    const char* kind = p.kind == TissueKind::soft ? "soft" : "bone";
    const std::string& joint = c.skeleton.name(p.joint);
    outcome.text += fmt::format("  {:<{}} {:<{}} {:<5} {:>7.3g} {:>18}\n", p.name, width, joint, width, kind, p.weight,
                                millimetres(p.radii, unit) + (p.star.empty() ? "" : " *"));
    outcome.json["field"]["tissue"].push_back({{"name", p.name},
                                               {"joint", joint},
                                               {"kind", kind},
                                               {"weight", gltf::short_decimal(p.weight)},
                                               {"radii", vector_json(p.radii)},
                                               {"star", !p.star.empty()}});
  }
  width = widest(k.muscles, c.skeleton);
  if (!k.muscles.empty())
    outcome.text += fmt::format("  {:<{}} {:<{}} {:>7} {:>7} {:>7} {:>18}\n", "muscle", width, "joint", width, "Hz",
                                "damping", "samples", "radii mm");
  for (const VortexMuscle& m : k.muscles) {
    const std::string& joint = c.skeleton.name(m.joint);
    outcome.text += fmt::format("  {:<{}} {:<{}} {:>7.2f} {:>7.2f} {:>7} {:>18}\n", m.name, width, joint, width,
                                m.frequency, m.damping_ratio, m.samples, millimetres(m.radii, unit));
    outcome.json["muscles"].push_back({{"name", m.name},
                                       {"joint", joint},
                                       {"frequency", gltf::short_decimal(m.frequency)},
                                       {"damping_ratio", gltf::short_decimal(m.damping_ratio)},
                                       {"samples", m.samples},
                                       {"radii", vector_json(m.radii)},
                                       {"surface", !m.surface_positions.empty()},
                                       {"target", !m.target.empty()}});
  }
  if (tissue) {
    outcome.json["uncovered"] = Json::array();
    for (const UncoveredSkin& u : added.uncovered)
      outcome.json["uncovered"].push_back({{"part", u.part}, {"vertices", u.vertices}});
  }
  tell_comparison(added.compared, added.model.character().skeleton, outcome);
  tell_mended(added.mended, outcome);
  return outcome;
}

Result<Outcome> run_add_kinodynamics(const AddKinodynamicsOptions& o, Session& session) {
  const auto added = workflow::add_kinodynamics(o, session);
  if (!added) return added.error();
  if (!o.output.empty() || !o.save_recipe.empty()) return outcome_of(o, *added);
  Outcome outcome;
  outcome.json = kinodynamic_recipe_json(*added->model.character().kinodynamics, added->model.character());
  outcome.text = to_text(outcome.json);
  return outcome;
}

}  // namespace

void declare_add_kinodynamics(Command& add, Session& session) {
  add_command<AddKinodynamicsOptions>(
      add, session, "kinodynamics", "Give a rig kinodynamic skin: weights in space, and muscles that swing under it",
      "supple add kinodynamics body.glb --auto -o muscles.glb\n"
      "  supple add kinodynamics body.glb --auto --ellipsoids --save-recipe body.json   (edit it, then)\n"
      "  supple add kinodynamics body.glb --recipe body.json -o muscles.glb\n"
      "  supple add kinodynamics arm.glb --painted -o arm2.glb \\\n"
      "    --muscle name=biceps,joint=arm,radii=0.03+0.1+0.03,center=0+0.15+0",
      declare_kinodynamics_options, run_add_kinodynamics);
}

}  // namespace supple::cli
