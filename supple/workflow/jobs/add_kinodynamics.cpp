#include "supple/workflow/jobs/add_kinodynamics.h"

#include <algorithm>

#include "supple/author/propose/propose_limbs.h"
#include "supple/author/propose/propose_muscles.h"
#include "supple/base/file.h"
#include "supple/deform/field/build.h"
#include "supple/deform/kinodynamic/hidden_morphs.h"
#include "supple/deform/vortex/table.h"
#include "supple/files/gltf/deformers.h"
#include "supple/files/kinodynamic_recipe.h"
#include "supple/workflow/jobs/mend_flow.h"
#include "supple/workflow/jobs/unit.h"

namespace supple::workflow {
namespace {

Result<void> check_kinodynamic_options(const AddKinodynamicsOptions& o) {
  if (!o.has_source() && (o.save_recipe.empty() || !o.output.empty()))
    return Error{"supple add kinodynamics", "is not told what",
                 "give --auto, --painted, --recipe FILE, --tissue or --muscle KEYS"};
  if (o.automatic && !o.recipe.empty())
    return Error{"--auto", "excludes --recipe", "use one, and --tissue and --muscle for more"};
  if (o.painted && (o.ellipsoids || !o.tissue.empty()))
    return Error{"--painted", "excludes tissue", "weights come from one of them"};
  if (o.has_source() && o.output.empty() && o.save_recipe.empty() && !o.automatic)
    return Error{"supple add kinodynamics", "is not told where to write", "give -o FILE"};
  return o.output.empty() ? Result<void>() : check_gltf_name(o.output);
}

Result<Kinodynamics> kinodynamics_of(const AddKinodynamicsOptions& o, const Character& c, Work& work) {
  Kinodynamics k;
  if (!o.recipe.empty()) {
    auto read = read_kinodynamic_recipe(o.recipe, c, &work.warnings);
    if (!read) return read.error();
    k = std::move(*read);
  }
  if (!o.hard.empty() || !o.soft.empty()) {
    const auto told = hardness_of(c, o.hard, o.soft);
    if (!told) return told.error();
    k.field.hardness = *told;
  }
  if (o.automatic && o.max_muscles > 0) {
    if (auto muscles = propose_muscles(c, o.max_muscles, k.field.hardness)) {
      k.muscles = std::move(*muscles);
    } else {  // the field alone is of use too
      work.warnings.push_back("no muscles are proposed: " + muscles.error().problem);
    }
  }
  if (o.ellipsoids) {
    auto tissue = propose_tissue(c);
    if (!tissue) return Error{o.input, tissue.error().problem, tissue.error().remedy};
    k.field.primitives = std::move(*tissue);
    k.field.source = FieldSource::primitives;
  }
  for (const std::string& keys : o.tissue) {
    auto tissue = parse_tissue(keys, c, &work.warnings);
    if (!tissue) return tissue.error();
    k.field.primitives.push_back(std::move(*tissue));
    k.field.source = FieldSource::primitives;
  }
  for (const std::string& keys : o.muscles) {
    auto muscle = parse_muscle(keys, c, &work.warnings);
    if (!muscle) return muscle.error();
    k.muscles.push_back(std::move(*muscle));
  }
  if (o.painted) k.field.source = FieldSource::painted;
  if (o.window) k.window = static_cast<float>(*o.window);
  return k;
}

/// Makes everything that would be shown.
Result<std::vector<UncoveredSkin>> try_out(const AddKinodynamicsOptions& o, const Character& c, Work& work) {
  const auto located = [&](const Error& e) {
    return Error{e.item.empty() ? o.input : o.input + ", " + e.item, e.problem, e.remedy};
  };
  if (auto ok = validate(*c.kinodynamics, c); !ok) return located(ok.error());
  const auto body = FleshBody::of(c);
  if (!body) return located(body.error());
  warn_of_hidden_morphs(c, work.warnings);
  const DeformationField& field = c.kinodynamics->field;
  if (const auto table = build_field(c, *body, field, &work.warnings); !table) return located(table.error());
  if (const auto table = build_vortex_table(c, &work.warnings); !table) return located(table.error());
  std::vector<UncoveredSkin> all;
  if (field.source != FieldSource::primitives) return all;
  const std::vector<std::uint32_t> vertices = uncovered_vertices(c, *body, field);
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    if (!c.parts[p].skin) continue;
    UncoveredSkin one{c.parts[p].name, {}};
    for (const std::uint32_t v : vertices)
      if (v >= body->first[p] && v - body->first[p] < c.parts[p].mesh.positions.size())
        one.vertices.push_back(v - body->first[p]);
    if (!one.vertices.empty()) all.push_back(std::move(one));
  }
  return all;
}

constexpr const char* flow_remedy = "try other weights: --auto, --painted or --ellipsoids, or fewer --max-muscles";

/// Compares with linear blend; what was proposed here, and not told, is mended where it is worse.
Result<void> judge_flow(const AddKinodynamicsOptions& o, Character& c, AddedKinodynamics& added, Work& work) {
  if (!o.compare || (o.output.empty() && (o.save_recipe.empty() || !o.automatic))) return {};
  if (!o.automatic) {
    auto compared = compare_deformer(c, kinodynamic_kind, {.after = Blend::kinodynamic}, flow_remedy, work);
    if (!compared) return compared.error();
    added.compared = std::move(*compared);
    return {};
  }
  Character plain = c;
  kinodynamic_kind.clear(plain);
  auto mended = mend_flow(plain, c, work);
  if (!mended) return mended.error();
  if (!*mended) {
    warn_of_no_poses(kinodynamic_kind.name, work);
    return {};
  }
  warn_of_worse((*mended)->comparison, c.skeleton, kinodynamic_kind.name, flow_remedy, work);
  added.compared = std::move((*mended)->comparison);
  added.mended = std::move((*mended)->told);
  return {};
}

}  // namespace

Result<AddedKinodynamics> add_kinodynamics(const AddKinodynamicsOptions& o, Work& work) {
  if (auto ok = check_kinodynamic_options(o); !ok) return ok.error();
  auto model = load_model(o.input, work);
  if (!model) return model.error();
  settle_unit(*model, o.unit, work);
  Character& c = model->character();
  if (o.has_source()) {
    auto built = kinodynamics_of(o, c, work);
    if (!built) return built.error();
    c.kinodynamics = std::move(*built);
  } else if (!c.kinodynamics) {
    return Error{o.input, "has no kinodynamics to write a recipe of", "give --auto, --painted or --muscle KEYS"};
  }
  AddedKinodynamics added;
  auto uncovered = try_out(o, c, work);
  if (!uncovered) return uncovered.error();
  added.uncovered = std::move(*uncovered);
  if (auto judged = judge_flow(o, c, added, work); !judged)
    return Error{o.input + ", " + judged.error().item, judged.error().problem, judged.error().remedy};
  if (!o.output.empty()) {
    if (auto put = gltf::put_deformer(model->document, kinodynamic_kind, model->imported); !put) return put.error();
    if (auto saved = save_model(o.output, *model, work); !saved) return saved.error();
  }
  if (!o.save_recipe.empty()) {
    const std::string recipe = to_text(kinodynamic_recipe_json(*c.kinodynamics, c));
    if (auto saved = write_file(o.save_recipe, recipe); !saved) return saved.error();
  }
  added.model = std::move(*model);
  return added;
}

}  // namespace supple::workflow
