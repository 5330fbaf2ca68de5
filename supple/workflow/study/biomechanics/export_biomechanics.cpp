#include "supple/workflow/study/biomechanics/export_biomechanics.h"

#include <filesystem>

#include "supple/base/folder.h"
#include "supple/files/json_file.h"
#include "supple/files/load.h"
#include "supple/files/stl.h"
#include "supple/workflow/jobs/units.h"
#include "supple/workflow/study/biomechanics/joint_facts.h"
#include "supple/workflow/study/biomechanics/model_files.h"
#include "supple/workflow/study/biomechanics/tables.h"
#include "supple/workflow/study/biomechanics/transforms.h"
#include "supple/workflow/study/landmarks.h"

namespace supple::workflow {
namespace {

namespace fs = std::filesystem;
constexpr double grams_per_cm3 = 1000;  // in kg / m^3

/// Before the work, not after it.
Result<void> check_folder(const std::string& folder) {
  std::error_code failed;
  if (fs::exists(folder, failed) && !(fs::is_directory(folder, failed) && fs::is_empty(folder, failed)))
    return Error{folder, "exists already", "name a new or empty folder"};
  return {};
}

Json axis_json(Vec3d v) { return {v.x, v.y, v.z}; }

Json joint_facts(const Chain& chain, const JointAnalysis& joints, const HandModel& model, std::size_t b) {
  Json coordinates = Json::array();
  for (const ModelCoordinate& c : model.bodies[b].coordinates)
    coordinates.push_back(
        {{"name", c.name}, {"turns", c.turns}, {"axis", axis_json(c.axis)}, {"low", c.low}, {"high", c.high}});
  Json facts = kinds_json(joints.types[b]);
  facts["joint"] = chain.bones[b].name;
  facts["coordinates"] = std::move(coordinates);
  return facts;
}

Json facts_of(const Chain& chain, const JointAnalysis& joints, const HandModel& model, const BiomechanicsOptions& o) {
  Json list = Json::array(), bodies = Json::array();
  double mass = 0;
  for (std::size_t b = 0; b < chain.bones.size(); ++b) {
    if (chain.bones[b].parent != TemplateBone::none) list.push_back(joint_facts(chain, joints, model, b));
    const ModelBody& body = model.bodies[b];
    mass += body.mass.volume;
    bodies.push_back({{"name", body.name},
                      {"mass_kg", body.mass.volume},
                      {"axes", scan::describe(joints.frames[b].source)},
                      {"landmarks", body.landmarks.size()},
                      {"triangles", body.surface.triangles.size()}});
  }
  return {{"supple", "biomechanics"},
          {"version", 1},
          {"project", chain.project.file.string()},
          {"side", chain.project.right ? "right" : "left"},
          {"noise_scale", joints.types.empty() ? 1.0 : joints.types.back().scale},
          {"joints", std::move(list)},
          {"bodies", std::move(bodies)},
          {"mass_kg", mass},
          {"densities_g_cm3", {{"bone", o.bone_density}, {"flesh", o.flesh_density}}},
          {"coordinates", model.coordinate_count()}};
}

Result<void> write_model(const HandModel& model, const Chain& chain, const BiomechanicsOptions& o,
                         FolderTransaction& folder) {
  for (const ModelBody& body : model.bodies)
    if (auto ok = folder.write("model/Geometry/" + geometry_file(body), to_stl(body.surface, 1)); !ok) return ok;
  if (auto ok = folder.write("model/hand.xml", to_mjcf(model)); !ok) return ok;
  if (auto ok = folder.write("model/hand.osim", to_osim(model)); !ok) return ok;
  if (auto ok = folder.write("model/coordinates.csv", coordinates_csv(chain, model)); !ok) return ok;
  if (o.reference_poses == 0) return {};
  const ReferencePoses poses = reference_poses(model, o.reference_poses, 1);
  if (auto ok = folder.write("model/reference_coordinates.csv", poses.coordinates); !ok) return ok;
  return folder.write("model/reference_positions.csv", poses.positions);
}

}  // namespace

Result<Biomechanics> export_biomechanics(const BiomechanicsOptions& o, Work& work) {
  if (auto usable = check_folder(o.output); !usable) return usable.error();
  std::optional<Loaded> played;
  if (!o.clips.empty()) {
    auto loaded = load(o.clips, &work.warnings);
    if (!loaded) return loaded.error();
    if (loaded->character().clips.empty()) return Error{o.clips, "has no clip", "give a hand that moves"};
    played = std::move(*loaded);
  }
  auto project = read_project(o.project);
  if (!project) return project.error();
  auto chain = run_chain(std::move(*project), work);
  if (!chain) return chain.error();
  Biomechanics result;
  result.chain = std::move(*chain);
  const Chain& study = *result.chain;
  result.joints = analyse_joints(study);
  const auto& [types, frames] = result.joints;
  auto model = hand_model(study, types, frames, {o.bone_density * grams_per_cm3, o.flesh_density * grams_per_cm3});
  if (!model) return model.error();
  result.model = std::move(*model);
  const auto clips = clip_angles_csv(study, frames, played ? played->character() : study.assembled.character, o.rate);
  if (!clips) return Error{o.clips, clips.error().problem, clips.error().remedy};
  result.facts = facts_of(study, result.joints, result.model, o);
  result.facts["review"] = review_json(study.review);

  auto folder = FolderTransaction::create(o.output);
  if (!folder) return folder.error();
  const std::array<std::pair<const char*, std::string>, 8> tables{{{"joint_types.csv", joint_types_csv(study, types)},
                                                                   {"bone_axes.csv", bone_axes_csv(study, frames)},
                                                                   {"joint_axes.csv", joint_axes_csv(study, types)},
                                                                   {"angles_scans.csv", scan_angles_csv(study, frames)},
                                                                   {"angles_clips.csv", *clips},
                                                                   {"landmarks.csv", landmarks_csv(study)},
                                                                   {"review.csv", review_csv(study.review)},
                                                                   {"biomechanics.json", to_text(result.facts)}}};
  for (const auto& [name, text] : tables)
    if (auto ok = folder->write(name, text); !ok) return ok.error();
  if (auto ok = write_transforms(study, *folder); !ok) return ok.error();
  if (auto ok = write_model(result.model, study, o, *folder); !ok) return ok.error();
  if (auto ok = folder->commit(); !ok) return ok.error();
  result.facts["folder"] = o.output;
  return result;
}

}  // namespace supple::workflow
