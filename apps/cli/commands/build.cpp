// supple build: kinodynamic skinning for a rig: weights in space and muscles under the skin, proposed or as told.
#include <fmt/core.h>

#include <algorithm>

#include "cli/commands/commands.h"
#include "supple/author/propose/propose_limbs.h"
#include "supple/author/propose/propose_muscles.h"
#include "supple/base/file.h"
#include "supple/deform/field/build.h"
#include "supple/deform/vortex/table.h"
#include "supple/files/gltf/deformers.h"
#include "supple/files/kinodynamic_recipe.h"
#include "supple/workflow/jobs/model.h"

namespace supple::cli {
namespace {

struct BuildCommand {
  std::string input, output, recipe, save_recipe;
  std::vector<std::string> tissue, muscles;
  bool automatic = false, ellipsoids = false, painted = false, remove = false;
  std::size_t most_muscles = 12;
  std::optional<double> window;

  bool has_source() const {
    return automatic || ellipsoids || painted || !recipe.empty() || !tissue.empty() || !muscles.empty();
  }
};

void declare(Command& app, BuildCommand& o) {
  app.option("file", o.input, "Rigged character (.glb, .gltf)").required().type("FILE");
  app.option("-o,--output", o.output, "File to write (.glb, .gltf)").type("FILE");
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
  app.option("--muscles", o.most_muscles, "How many muscles --auto proposes at most")
      .range(0, 64)
      .show_default()
      .type("N");
  app.option("--window", o.window, "Seconds that muscles remember where a moment of a clip is sought out").type("S");
  app.option("--save-recipe", o.save_recipe, "Write the recipe here, to be edited; with nothing else, that of the file")
      .type("FILE");
  app.flag("--remove", o.remove, "Take kinodynamics out of the file");
}

Result<void> check(const BuildCommand& o) {
  if (o.remove) {
    if (o.has_source() || !o.save_recipe.empty()) return Error{"--remove", "excludes everything but -o", ""};
    if (o.output.empty()) return Error{"--remove", "needs a file to write", "give -o FILE"};
    return {};
  }
  if (!o.has_source() && (o.save_recipe.empty() || !o.output.empty()))
    return Error{"supple build", "is not told what",
                 "give --auto, --painted, --recipe FILE, --tissue or --muscle KEYS"};
  if (o.automatic && !o.recipe.empty())
    return Error{"--auto", "excludes --recipe", "use one, and --tissue and --muscle for more"};
  if (o.painted && (o.ellipsoids || !o.tissue.empty()))
    return Error{"--painted", "excludes tissue", "weights come from one of them"};
  if (o.has_source() && o.output.empty() && o.save_recipe.empty() && !o.automatic)
    return Error{"supple build", "is not told where to write", "give -o FILE"};
  return {};
}

Result<Kinodynamics> kinodynamics_of(const BuildCommand& o, const Character& c, Session& session) {
  Kinodynamics k;
  if (!o.recipe.empty()) {
    auto read = read_kinodynamic_recipe(o.recipe, c, &session.warnings);
    if (!read) return read.error();
    k = std::move(*read);
  }
  if (o.automatic && o.most_muscles > 0) {
    if (auto muscles = propose_muscles(c, o.most_muscles)) {
      k.muscles = std::move(*muscles);
    } else {  // the field alone is of use too
      session.warnings.push_back("no muscles are proposed: " + muscles.error().problem);
    }
  }
  if (o.ellipsoids) {
    auto tissue = propose_tissue(c);
    if (!tissue) return Error{o.input, tissue.error().problem, tissue.error().remedy};
    k.field.primitives = std::move(*tissue);
    k.field.source = FieldSource::primitives;
  }
  for (const std::string& keys : o.tissue) {
    auto tissue = parse_tissue(keys, c, &session.warnings);
    if (!tissue) return tissue.error();
    k.field.primitives.push_back(std::move(*tissue));
    k.field.source = FieldSource::primitives;
  }
  for (const std::string& keys : o.muscles) {
    auto muscle = parse_muscle(keys, c, &session.warnings);
    if (!muscle) return muscle.error();
    k.muscles.push_back(std::move(*muscle));
  }
  if (o.painted) k.field.source = FieldSource::painted;
  if (o.window) k.window = static_cast<float>(*o.window);
  return k;
}

/// Skin that no tissue reaches, by part.
struct Uncovered {
  std::string part;
  std::vector<std::uint32_t> vertices;
};

/// A character of other than human size is probably not in metres, and gravity would be off by as much.
void wonder_about_unit(const Character& c, const FleshBody& body, Session& session) {
  const double size = double{bounds(body.positions).diagonal()};
  const auto& muscles = c.kinodynamics->muscles;
  const bool usual = std::any_of(muscles.begin(), muscles.end(),
                                 [](const VortexMuscle& m) { return m.gravity == VortexMuscle{}.gravity; });
  if (usual && size > 20)
    session.warnings.push_back(fmt::format(
        "the character is {:.0f} m large; if its unit is the centimetre, give muscles \"gravity\": 100 in the recipe",
        size));
}

/// Makes everything that would be shown, so that a file which is written can be shown.
Result<std::vector<Uncovered>> try_out(const BuildCommand& o, const Character& c, Session& session) {
  const auto located = [&](const Error& e) {
    return Error{e.item.empty() ? o.input : o.input + ", " + e.item, e.problem, e.remedy};
  };
  if (auto ok = validate(*c.kinodynamics, c); !ok) return located(ok.error());
  const auto body = FleshBody::of(c);
  if (!body) return located(body.error());
  wonder_about_unit(c, *body, session);
  const DeformationField& field = c.kinodynamics->field;
  if (const auto table = build_field(c, *body, field, &session.warnings); !table) return located(table.error());
  if (const auto table = build_vortex_table(c, &session.warnings); !table) return located(table.error());
  std::vector<Uncovered> all;
  if (field.source != FieldSource::primitives) return all;
  const std::vector<std::uint32_t> vertices = uncovered_vertices(c, *body, field);
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    if (!c.parts[p].skin) continue;
    Uncovered one{c.parts[p].name, {}};
    for (const std::uint32_t v : vertices)
      if (v >= body->first[p] && v - body->first[p] < c.parts[p].mesh.positions.size())
        one.vertices.push_back(v - body->first[p]);
    if (!one.vertices.empty()) all.push_back(std::move(one));
  }
  return all;
}

const char* name_of(FieldSource source) {
  return source == FieldSource::automatic ? "automatic" : source == FieldSource::primitives ? "primitives" : "painted";
}

std::string millimetres(Vec3f radii) {
  return fmt::format("{:.0f} x {:.0f} x {:.0f}", radii.x * 1000, radii.y * 1000, radii.z * 1000);
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

Outcome outcome_of(const BuildCommand& o, const Character& c, const std::vector<Uncovered>& uncovered) {
  const Kinodynamics& k = *c.kinodynamics;
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
                                millimetres(p.radii) + (p.star.empty() ? "" : " *"));
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
                                m.frequency, m.damping_ratio, m.samples, millimetres(m.radii));
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
    for (const Uncovered& u : uncovered)
      outcome.json["uncovered"].push_back({{"part", u.part}, {"vertices", u.vertices}});
  }
  return outcome;
}

Result<Outcome> run_remove(const BuildCommand& o, Model& model, Session& session) {
  Character& c = model.character();
  if (!c.kinodynamics) return Error{o.input, "has no kinodynamics", ""};
  const std::size_t muscles = c.kinodynamics->muscles.size();
  c.kinodynamics.reset();
  if (auto put = gltf::put_deformer(model.document, kinodynamic_kind, model.imported); !put) return put.error();
  if (auto saved = save_model(o.output, model, session); !saved) return saved.error();
  Outcome outcome;
  outcome.text = fmt::format("{}: kinodynamics with {} muscles taken out\n", o.output, muscles);
  outcome.json = {{"file", o.output}, {"removed_muscles", muscles}};
  return outcome;
}

Result<Outcome> run(const BuildCommand& o, Session& session) {
  if (auto ok = check(o); !ok) return ok.error();
  auto model = load_model(o.input, session);
  if (!model) return model.error();
  if (o.remove) return run_remove(o, *model, session);
  Character& c = model->character();
  if (o.has_source()) {
    auto built = kinodynamics_of(o, c, session);
    if (!built) return built.error();
    c.kinodynamics = std::move(*built);
  } else if (!c.kinodynamics) {
    return Error{o.input, "has no kinodynamics to write a recipe of", "give --auto, --painted or --muscle KEYS"};
  }
  const auto uncovered = try_out(o, c, session);
  if (!uncovered) return uncovered.error();
  const Json recipe = kinodynamic_recipe_json(*c.kinodynamics, c);
  if (!o.output.empty()) {
    if (auto put = gltf::put_deformer(model->document, kinodynamic_kind, model->imported); !put) return put.error();
    if (auto saved = save_model(o.output, *model, session); !saved) return saved.error();
  }
  if (!o.save_recipe.empty()) {
    if (auto saved = write_file(o.save_recipe, to_text(recipe)); !saved) return saved.error();
  }
  if (o.output.empty() && o.save_recipe.empty()) {
    Outcome outcome;
    outcome.text = to_text(recipe);
    outcome.json = recipe;
    return outcome;
  }
  return outcome_of(o, c, *uncovered);
}

}  // namespace

void add_build(Command& app, Session& session) {
  add_command<BuildCommand>(
      app, session, "build", "Give a rig kinodynamic skin: weights in space, and muscles that swing under it",
      "supple build body.glb --auto -o muscles.glb\n"
      "  supple build body.glb --auto --ellipsoids --save-recipe body.json   (edit it, then)\n"
      "  supple build body.glb --recipe body.json -o muscles.glb\n"
      "  supple build arm.glb --painted --muscle name=biceps,joint=arm,radii=0.03+0.1+0.03,center=0+0.15+0 -o arm2.glb",
      declare, run);
}

}  // namespace supple::cli
