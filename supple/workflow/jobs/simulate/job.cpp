#include "supple/workflow/jobs/simulate/job.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <numbers>

#include "supple/files/example_set_file.h"
#include "supple/files/pose_plan_file.h"
#include "supple/files/volume_mesh.h"
#include "supple/geometry/carry_normals.h"
#include "supple/geometry/topology.h"
#include "supple/rig/append_morphs.h"
#include "supple/rig/bind_pose.h"
#include "supple/rig/crowding.h"
#include "supple/rig/merge_parts.h"
#include "supple/workflow/jobs/simulate/taught_parts.h"
#include "supple/workflow/jobs/unit.h"

namespace supple::workflow {
namespace {

namespace fs = std::filesystem;

constexpr double most_overlap = 5;  // distances of contact: deeper, flesh has passed through itself
constexpr std::size_t most_joints_named = 5;

Error in_file(const std::string& file, const Error& error) {
  return {file + (error.item.empty() ? "" : ", " + error.item), error.problem, error.remedy};
}

/// `unit`: metres of one of the file's.
Result<simulate::Tissue> tissue_of(const SimulateOptions& o, double unit, const simulate::Body& body, Work& work) {
  simulate::TissueOptions options;
  options.element_size = o.size_mm / 1000 / unit;
  options.unit = unit;
  options.quadratic = o.order == 2;
  options.max_elements = static_cast<std::size_t>(o.max_elements);
  auto materials = materials_of(o);
  if (!materials) return materials.error();
  for (const simulate::Material& m : *materials)  // before the work of meshing
    if (auto usable = simulate::Hyperelastic::make(m); !usable) return usable.error();
  options.materials = std::move(*materials);
  if (o.volume_file.empty() && options.materials.size() > 1)
    return Error{"--material", "is given for several regions, but without a volume mesh there is one",
                 "name a mesh with --mesh"};
  if (o.volume_file.empty()) return make_tissue(body, options, &work.warnings, within(work.progress, 0, meshed));
  auto volume = read_volume_mesh(o.volume_file, {.scale = o.volume_scale / unit}, &work.warnings);
  if (!volume) return volume.error();
  TetMesh mesh = options.quadratic ? to_quadratic(volume->mesh) : std::move(volume->mesh);
  auto tissue = make_tissue(body, std::move(mesh), volume->regions, options, &work.warnings);
  if (!tissue) return in_file(o.volume_file, tissue.error());
  return tissue;
}

/// Counts the poses that show linear blend near each joint.
std::vector<std::pair<std::string, std::size_t>> joints_of_partial(const Skeleton& skeleton,
                                                                   std::span<const PoseOutcome> poses) {
  std::map<JointIndex, std::size_t> count;
  for (const PoseOutcome& pose : poses)
    if (pose.has(partial_flag))
      for (const JointIndex joint : pose.sound->joints) ++count[joint];
  std::vector<std::pair<std::string, std::size_t>> joints;
  for (const auto& [joint, number] : count) joints.emplace_back(skeleton.name(joint), number);
  std::ranges::stable_sort(joints, std::greater(), &std::pair<std::string, std::size_t>::second);
  return joints;
}

}  // namespace

Character as_one_skin(const Character& character, std::span<const std::size_t> parts, simulate::BodyOptions& options) {
  const auto has_name = [&](const Part& p) { return p.name == character.parts[parts[0]].name; };
  if (parts.size() == 1 && std::ranges::count_if(character.parts, has_name) == 1) {
    options.skin_part = character.parts[parts[0]].name;
    return character;
  }
  std::vector<std::size_t> bones;
  for (std::size_t p = 0; p < character.parts.size(); ++p)
    if (character.parts[p].name == options.bones_part) bones.push_back(p);
  MergedParts merged = merge_parts(character, {parts.begin(), parts.end()}, Seams::kept, bones);
  options.skin_part = merged.part().name;
  return std::move(merged.character);
}

fs::path written_plan(const SimulateOptions& o) { return fs::path(o.output) / "plan.json"; }

Result<PosePlan> plan_of(const SimulateOptions& o, const Character& character, Work& work) {
  const Skeleton& skeleton = character.skeleton;
  const Crowding crowding(character);
  // A task of an adaptive plan finds what was chosen so far.
  const std::string file = o.task >= 0 && o.adaptive > 0 ? written_plan(o).string() : o.plan_file;
  auto plan = file.empty() ? make_plan(skeleton, o.plan, &crowding) : read_pose_plan(file);
  if (!plan) return file.empty() ? in_file(o.input, plan.error()) : plan.error();
  if (auto valid = validate(*plan, skeleton, &work.warnings); !valid)
    return in_file(file.empty() ? o.input : file, valid.error());
  return plan;
}

Result<SimulateJob> prepare(const SimulateOptions& o, Work& work) {
  auto model = load_model(o.input, work);
  if (!model) return model.error();
  remove_driven_morphs(model->character());  // of a file that was fitted: flesh begins at the shape it has at rest
  const double unit = o.unit > 0 ? o.unit : settle_unit(*model, {}, work);
  simulate::BodyOptions body_options = o.body;
  body_options.bone_tolerance /= unit;
  auto parts = flesh_parts(model->character(), body_options.skin_part, body_options.bones_part);
  if (!parts) return in_file(o.input, parts.error());
  if (const auto left = left_out(model->character(), *parts, body_options.bones_part);
      !left.empty() && body_options.skin_part.empty())
    work.warnings.push_back(fmt::format("{}: no flesh is simulated below {}, which share{} no border with {}", o.input,
                                        words_of_parts(model->character(), left), left.size() == 1 ? "s" : "",
                                        words_of_parts(model->character(), *parts)));
  Character character = as_one_skin(model->character(), *parts, body_options);
  auto body = simulate::body_of(character, body_options, &work.warnings);
  if (!body) return in_file(o.input, body.error());
  auto plan = plan_of(o, model->character(), work);
  if (!plan) return plan.error();
  if (auto moved = simulate::check_moved_joints(*body, *plan); !moved) return in_file(o.input, moved.error());
  auto tissue = tissue_of(o, unit, *body, work);
  if (!tissue) return tissue.error();
  simulate::WalkOptions walk;
  walk.max_step = o.step_degrees * std::numbers::pi / 180;
  walk.newton.tolerance = o.tolerance_mm / 1000 / unit;
  walk.newton.solver =
      o.solver == FleshSolver::cholmod ? simulate::SolverKind::cholmod : simulate::SolverKind::cholesky;
  if (!simulate::has_solver(walk.newton.solver))
    return Error{"--solver cholmod", "is not part of this build",
                 "configure with -DSUPPLE_CHOLMOD=ON, or leave it out"};
  if (o.contact && o.solver != FleshSolver::calculix)
    walk.contact = simulate::contact_options(*tissue, o.contact_distance_mm / 1000 / unit);
  std::optional<simulate::CalculixOptions> calculix;
  if (o.solver == FleshSolver::calculix) {
    if (o.law != simulate::Law::neo_hookean)
      return Error{"--solver calculix", "knows only the ordinary Neo-Hookean law", "add --law neo-hookean"};
    calculix.emplace();
    calculix->threads = 1;  // sweeps run beside each other
    if (!has_calculix(*calculix))
      return Error{"--solver calculix", "needs the program ccx", "install it (Debian: calculix-ccx) or leave it out"};
  }
  return SimulateJob{std::move(*model), std::move(*parts), std::move(character), unit,
                     simulate::make_simulation(std::move(*body), std::move(*tissue), std::move(*plan), walk,
                                               fs::path(o.output) / "work", std::move(calculix))};
}

farm::TaskList tasks_of(const SimulateJob& job, const std::vector<std::string>& command) {
  const simulate::Simulation& s = job.simulation;
  farm::TaskList tasks;
  tasks.count = s.plan.sweeps.size();
  tasks.name = [&s](std::size_t i) { return s.plan.sweeps[i].name; };
  tasks.done = [&s](std::size_t i) { return has_all_records(s, i); };
  tasks.run = [&s](std::size_t i, const Progress& progress) { return run_sweep(s, i, progress); };
  tasks.command = [command](const std::string& task) {
    std::vector<std::string> words = command;
    words.insert(words.end(), {"--task", task});
    return words;
  };
  tasks.cost = [&s](std::size_t i) { return length(s.plan.sweeps[i]); };
  return tasks;
}

std::vector<Vec3f> linear_skin(const SimulateJob& job, const Pose& pose) {
  std::vector<Affined> world;
  for (const Affinef& joint : to_world(job.character.skeleton, pose)) world.emplace_back(joint);
  std::vector<Vec3f> result;
  for (const Vec3d& v : blended(job.character, job.character.parts[job.simulation.body.part], world))
    result.emplace_back(v);
  return result;
}

bool PoseOutcome::has(std::string_view flag) const { return std::ranges::find(flags, flag) != flags.end(); }

std::size_t Gathered::partial() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(poses, [](const PoseOutcome& p) { return p.has(partial_flag); }));
}

std::string Gathered::partial_sentence() const {
  if (partial() == 0) return {};
  std::string near;
  for (std::size_t i = 0; i < partial_near.size() && i < most_joints_named; ++i)
    near += fmt::format("{}'{}' ({})", i == 0 ? "" : ", ", partial_near[i].first, partial_near[i].second);
  if (partial_near.size() > most_joints_named) near += ", and other joints";
  return fmt::format("{} linear blend where elements of flesh turned inside out: near {}.",
                     partial() == 1 ? std::string("1 pose shows") : fmt::format("{} poses show", partial()), near);
}

std::vector<Vec3f> example_skin(const SimulateJob& job, const PoseOutcome& outcome, std::span<const Vec3d> nodes) {
  const simulate::Simulation& s = job.simulation;
  const bool partial = outcome.has(partial_flag);
  std::vector<Vec3f> linear, positions(s.body.skin.positions.size());
  if (partial || simulate::reaches_beyond_flesh(s.tissue))
    linear = linear_skin(job, pose_of(s.plan.sweeps[outcome.sweep].poses[outcome.pose], s.body.skeleton));
  simulate::skin_positions(s.tissue, nodes, linear, positions,
                           partial ? std::span<const float>(outcome.sound->keep) : std::span<const float>());
  return positions;
}

Result<Gathered> gather(const SimulateJob& job, const SimulateOptions& o, Work& work) {
  const simulate::Simulation& s = job.simulation;
  auto writer = ExampleWriter::create(
      o.output, subject_of(job.model.character(), job.parts,
                           fmt::format("supple simulate {}", fs::path(o.input).filename().string())));
  if (!writer) return writer.error();
  Gathered gathered;
  gathered.held_out = gathered.held_out_without_teacher = s.plan.pose_count(Role::test);
  const double rest_volume = s.tissue.model.health(s.tissue.mesh.nodes).volume;
  std::vector<Vec3f> normals(s.body.skin.positions.size());
  const Mesh& rest = writer->subject().rest;
  const NormalCarrier carrier(rest, weld(rest.positions).to_point);
  const Progress progress = within(work.progress, simulated, 1);
  for (std::size_t w = 0; w < s.plan.sweeps.size(); ++w) {
    report(progress, "gathering examples", static_cast<double>(w) / static_cast<double>(s.plan.sweeps.size()));
    const Sweep& sweep = s.plan.sweeps[w];
    std::vector<simulate::PoseReport> reports;
    std::vector<std::vector<Vec3d>> nodes;
    for (std::size_t p = 0; p < sweep.poses.size(); ++p) {
      auto record = find_record(s, w, p);
      if (!record) break;  // what follows a missing pose was not reached either
      reports.push_back(std::move(record->report));
      nodes.push_back(std::move(record->nodes));
    }
    gathered.missing += sweep.poses.size() - reports.size();
    const std::vector<bool> snapped = simulate::snapped_poses(reports);
    for (std::size_t p = 0; p < reports.size(); ++p) {
      const PlannedPose& planned = sweep.poses[p];
      PoseOutcome outcome{w, p, reports[p], {}, reports[p].health.volume / rest_volume - 1};
      if (snapped[p]) outcome.flags.push_back("snapped");
      const bool overlapping = s.walk.contact && reports[p].overlap > most_overlap * s.walk.contact->distance;
      if (reports[p].health.inverted > 0) {
        outcome.sound = simulate::sound_region(s.body, s.tissue, nodes[p]);
        // Flesh that has jumped, has not come to rest or has passed through itself is wrong in more than these
        // elements.
        const bool partial =
            !snapped[p] && reports[p].converged && !overlapping && outcome.sound->blended < simulate::most_blended_skin;
        outcome.flags.push_back(partial ? partial_flag : "inverted");
      }
      if (!reports[p].converged) outcome.flags.push_back("unconverged");
      if (overlapping) outcome.flags.push_back("overlapping");
      const Pose pose = pose_of(planned, s.body.skeleton);
      const std::vector<Vec3f> positions = example_skin(job, outcome, nodes[p]);
      Example example;
      example.name = planned.name;
      example.sweep = sweep.name;
      example.role = planned.role;
      example.tags = planned.tags;
      example.weight = planned.weight;
      example.flags = outcome.flags;
      if (reports[p].contacts > 0) example.tags.push_back(contact_tag);
      // A pose that came out absurd is no reason to lose the others; a full disk is.
      carrier.carry(positions, normals);
      if (auto sound = check_example(example, s.body.skeleton, pose.local, positions, normals, s.body.skin.positions,
                                     size_of(s.body.skeleton, s.body.skin.positions));
          !sound) {
        work.warnings.push_back("left out: " + sound.error().message());
        ++gathered.missing;
        continue;
      }
      if (auto added = writer->add(example, pose, positions, normals); !added) return added.error();
      const bool taught = std::ranges::none_of(example.flags, [](const std::string& flag) { return excludes(flag); });
      if (taught && example.role == Role::test) --gathered.held_out_without_teacher;
      gathered.poses.push_back(std::move(outcome));
    }
  }
  gathered.partial_near = joints_of_partial(s.body.skeleton, gathered.poses);
  if (gathered.poses.empty()) return gathered;  // no set is better than an empty one
  if (auto finished = writer->finish(); !finished) return finished.error();
  return gathered;
}

}  // namespace supple::workflow
