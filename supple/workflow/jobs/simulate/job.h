// One call of supple simulate: from files to a simulation, its sweeps as tasks, and the example set made of their
// records.
#pragma once

#include <filesystem>

#include "supple/author/simulate/partial_pose.h"
#include "supple/farm/task_list.h"
#include "supple/workflow/jobs/model.h"
#include "supple/workflow/jobs/simulate/options.h"

namespace supple::workflow {

/// How far a simulation is when its elements are made, and when all poses are.
inline constexpr double meshed = 0.02, simulated = 0.97;

struct SimulateJob {
  Model model;
  std::vector<std::size_t> parts;  // of the model, that the flesh is below
  /// What the body was read off: of several parts with those made one, whose place is simulation.body.part.
  Character character;
  double unit = 1;  // metres of one of the file's
  simulate::Simulation simulation;
};

/// The character that a body is read off: where the flesh is below several parts, or one whose name others have, with
/// those made one and the bones beside it. `options` then name that part.
Character as_one_skin(const Character& character, std::span<const std::size_t> parts, simulate::BodyOptions& options);

/// Where a call leaves its plan for tasks elsewhere.
std::filesystem::path written_plan(const SimulateOptions& options);
/// The plan that was named, or one made from the joint limits.
Result<PosePlan> plan_of(const SimulateOptions& options, const Character& character, Work& work);

/// Reads the character and the plan, and cuts the body into elements.
Result<SimulateJob> prepare(const SimulateOptions& options, Work& work);

/// One task per sweep. `command` is this program with the arguments of this call.
farm::TaskList tasks_of(const SimulateJob& job, const std::vector<std::string>& command);

/// What became of one pose of the plan.
struct PoseOutcome {
  std::size_t sweep = 0, pose = 0;
  simulate::PoseReport report;
  std::vector<std::string> flags;
  double volume_change = 0;  // of the flesh, relative to rest
  /// The skin whose flesh went well, if some element is inverted. The example shows linear blend elsewhere, if it is
  /// not flagged otherwise: see partial_flag.
  std::optional<simulate::SoundRegion> sound{};
  bool has(std::string_view flag) const;
};

struct Gathered {
  std::vector<PoseOutcome> poses;  // that are finished, in the order of the plan
  std::size_t missing = 0;
  /// Poses of the plan that are held out, and those of them that have no teacher: their flesh went wrong, or they are
  /// missing.
  std::size_t held_out = 0, held_out_without_teacher = 0;
  /// Joints nearest to places at which poses show linear blend, with the number of these poses, the largest first.
  std::vector<std::pair<std::string, std::size_t>> partial_near{};
  std::size_t partial() const;
  /// How many poses are partial and where, as a sentence; empty where none is.
  std::string partial_sentence() const;
};

/// #V of the skin by linear blend: what is shown where no flesh is near.
std::vector<Vec3f> linear_skin(const SimulateJob& job, const Pose& pose);
/// #V: the skin of a finished pose as its example shows it. `nodes`: where its flesh is.
std::vector<Vec3f> example_skin(const SimulateJob& job, const PoseOutcome& outcome, std::span<const Vec3d> nodes);

/// Writes the example set of all finished poses.
Result<Gathered> gather(const SimulateJob& job, const SimulateOptions& options, Work& work);

}  // namespace supple::workflow
