#include "supple/author/simulate/simulation.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "supple/author/simulate/record.h"

namespace supple::simulate {
namespace {

constexpr double jump_factor = 3;

/// The same plan gives the same floats, so their bytes identify a pose.
void add(Fingerprint& print, const Pose& pose) {
  for (const Transformf& t : pose.local) {
    for (const float f : {t.translation.x, t.translation.y, t.translation.z, t.rotation.x, t.rotation.y, t.rotation.z,
                          t.rotation.w, t.scale.x, t.scale.y, t.scale.z})
      print.add(f);
  }
}

/// Changes with everything but the plan that decides where a pose ends up.
std::uint64_t problem_key(const Simulation& s) {
  Fingerprint print;
  const TissueModel& model = s.tissue.model;
  const std::vector<Vec3d>& nodes = model.mesh().nodes;
  print.add(std::span<const double>(&nodes[0].x, 3 * nodes.size()));
  print.add(std::span<const std::uint32_t>(model.mesh().elements)).add(model.bone_of());
  for (const Influence& i : s.tissue.guess.entries) print.add(i.joint).add(i.weight);
  for (std::size_t e = 0; e < model.mesh().element_count(); ++e) {
    const Material& m = model.material(e).material();
    print.add(m.young).add(m.poisson).add(static_cast<int>(m.law));
  }
  for (const Bone& bone : s.body.bones) print.add(bone.joint);
  print.add(s.body.skeleton.parents());
  print.add(s.walk.max_step).add(s.walk.max_bisections).add(s.walk.newton.tolerance);
  print.add(s.walk.newton.max_iterations).add(static_cast<int>(s.walk.newton.solver));
  print.add(s.calculix.has_value());
  if (const auto& c = s.walk.contact)
    print.add(c->distance).add(c->stiffness).add(c->friction).add(c->watch).add(s.walk.newton.looks);
  add(print, rest_pose(s.body.skeleton));
  return print.value();
}

/// Changes with the way from rest to a pose, too.
std::uint64_t record_key(const Simulation& s, std::size_t sweep, std::size_t pose) {
  Fingerprint print;
  print.add(s.key);
  for (std::size_t p = 0; p <= pose; ++p) add(print, pose_of(s.plan.sweeps[sweep].poses[p], s.body.skeleton));
  return print.value();
}

/// Named by what it was made from, so that a plan may be edited and its sweeps reordered.
std::filesystem::path record_path(const Simulation& s, std::size_t sweep, std::size_t pose) {
  char name[32];
  std::snprintf(name, sizeof name, "%016llx.pose", static_cast<unsigned long long>(record_key(s, sweep, pose)));
  return s.folder / name;
}

/// The whole sweep in one run of the program, which cannot start from a shape.
Result<void> run_with_calculix(const Simulation& s, std::size_t sweep, const Progress& progress) {
  std::vector<Pose> poses;
  for (const PlannedPose& p : s.plan.sweeps[sweep].poses) poses.push_back(pose_of(p, s.body.skeleton));
  auto result = calculix_walk(s.body, s.tissue, poses, s.walk.max_step, *s.calculix, progress);
  if (!result) return result.error();
  for (std::size_t p = 0; p < poses.size(); ++p) {
    PoseRecord record;
    record.nodes = std::move(result->shapes[p]);
    record.report.health = result->health[p];
    record.report.seconds = result->seconds / static_cast<double>(poses.size());
    record.report.converged = true;  // the program says so itself, or the walk is an error
    if (auto written = write_record(record_path(s, sweep, p), record_key(s, sweep, p), record); !written)
      return written.error();
  }
  return {};
}

}  // namespace

Simulation make_simulation(Body body, Tissue tissue, PosePlan plan, const WalkOptions& walk,
                           std::filesystem::path folder, std::optional<CalculixOptions> calculix) {
  Simulation s{std::move(body), std::move(tissue), std::move(plan), walk, std::move(folder), std::move(calculix), 0};
  s.key = problem_key(s);
  return s;
}

std::optional<PoseRecord> find_record(const Simulation& s, std::size_t sweep, std::size_t pose) {
  auto record = read_record(record_path(s, sweep, pose), record_key(s, sweep, pose));
  if (!record || record->nodes.size() != s.tissue.mesh.nodes.size()) return std::nullopt;
  return record;
}

bool has_record(const Simulation& s, std::size_t sweep, std::size_t pose) {
  return record_has_key(record_path(s, sweep, pose), record_key(s, sweep, pose));
}

bool has_all_records(const Simulation& s, std::size_t sweep) {
  for (std::size_t p = s.plan.sweeps[sweep].poses.size(); p-- > 0;)  // the last one is the likeliest to be missing
    if (!has_record(s, sweep, p)) return false;
  return true;
}

Result<void> run_sweep(const Simulation& s, std::size_t sweep, const Progress& progress) {
  const std::vector<PlannedPose>& poses = s.plan.sweeps[sweep].poses;
  std::size_t done = 0;
  while (done < poses.size() && has_record(s, sweep, done)) ++done;
  if (done == poses.size()) return {};
  if (s.calculix) return run_with_calculix(s, sweep, progress);
  auto walker = Walker::make(s.body, s.tissue, s.walk);
  if (!walker) return walker.error();
  Pose sound_pose = rest_pose(s.body.skeleton);
  std::vector<Vec3d> sound_nodes = s.tissue.mesh.nodes;
  for (std::size_t p = done; p-- > 0;) {
    auto before = find_record(s, sweep, p);
    if (!before) return Error{record_path(s, sweep, p).string(), "cannot be read", "delete it and try again"};
    if (!before->report.sound()) continue;
    sound_pose = pose_of(poses[p], s.body.skeleton);
    sound_nodes = std::move(before->nodes);
    break;
  }
  const double count = static_cast<double>(poses.size());
  for (; done < poses.size(); ++done) {
    const Progress within = [&](std::string_view, double fraction) {
      return report(progress, poses[done].name, (static_cast<double>(done) + fraction) / count);
    };
    const Pose pose = pose_of(poses[done], s.body.skeleton);
    walker->resume(sound_pose, sound_nodes);
    auto reached = walker->go(pose, within);
    if (!reached) return reached.error();
    const PoseRecord record{std::move(*reached), {walker->nodes().begin(), walker->nodes().end()}};
    if (auto written = write_record(record_path(s, sweep, done), record_key(s, sweep, done), record); !written)
      return written.error();
    if (!record.report.sound()) continue;
    sound_pose = pose;
    sound_nodes = record.nodes;
  }
  return {};
}

std::optional<std::size_t> start_of(std::span<const PoseReport> reports, std::size_t pose) {
  for (std::size_t p = pose; p-- > 0;)
    if (reports[p].sound()) return p;
  return std::nullopt;
}

std::vector<bool> snapped_poses(std::span<const PoseReport> reports) {
  std::vector<bool> snapped(reports.size(), false);
  // Steps differ in length, where poses are close or a step had to be halved: what counts is the motion per angle.
  const auto pace = [](const StepReport& step) { return step.moved / step.angle; };
  // Flesh that presses on flesh leaves its guess for a reason that is no other branch.
  const auto counts = [](const PoseReport& r, const StepReport& step) { return step.angle > 0 && r.contacts == 0; };
  std::vector<double> moves;
  for (const PoseReport& r : reports)
    for (const StepReport& step : r.steps)
      if (counts(r, step)) moves.push_back(pace(step));
  if (moves.size() < 3) return snapped;  // no median to speak of
  std::nth_element(moves.begin(), moves.begin() + static_cast<std::ptrdiff_t>(moves.size() / 2), moves.end());
  const double limit = jump_factor * moves[moves.size() / 2];
  for (std::size_t p = 0; p < reports.size(); ++p) {
    const auto start = start_of(reports, p);
    snapped[p] = (start && snapped[*start]) || std::ranges::any_of(reports[p].steps, [&](const StepReport& step) {
                   return counts(reports[p], step) && pace(step) > limit;
                 });
  }
  return snapped;
}

Result<void> check_moved_joints(const Body& body, const PosePlan& plan) {
  std::set<std::string> boneless;
  for (const Sweep& sweep : plan.sweeps) {
    for (const PlannedPose& pose : sweep.poses) {
      for (const JointAngles& angle : pose.angles) {
        const auto joint = body.skeleton.find(angle.joint);
        if (!joint) continue;  // for validate(plan) to tell
        const bool moves_a_bone = std::any_of(body.bones.begin(), body.bones.end(), [&](const Bone& b) {
          return body.skeleton.is_ancestor(*joint, b.joint);
        });
        if (!moves_a_bone) boneless.insert(angle.joint);
      }
    }
  }
  if (boneless.empty()) return {};
  std::string names;
  for (const std::string& name : boneless) names += (names.empty() ? "'" : ", '") + name + "'";
  return Error{names,
               boneless.size() == 1 ? "moves no bone, so nothing would follow it"
                                    : "move no bones, so nothing "
                                      "would follow them",
               "leave the joints out with --joints or in the plan, or fit bones with --bones capsules"};
}

}  // namespace supple::simulate
