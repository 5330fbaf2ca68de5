// A plan's poses, simulated sweep by sweep into a folder. The folder is the only state: what is there is done, whoever
// did it, so that sweeps may run anywhere, stop at any time, and go on where they were.
#pragma once

#include <filesystem>
#include <optional>

#include "supple/author/simulate/calculix.h"
#include "supple/author/simulate/walk.h"
#include "supple/rig/pose_plan.h"

namespace supple::simulate {

struct Simulation {
  Body body;
  Tissue tissue;
  PosePlan plan;
  WalkOptions walk;
  std::filesystem::path folder;               // of the records
  std::optional<CalculixOptions> calculix{};  // let that program solve instead of ours
  std::uint64_t key = 0;                      // fingerprint of the body, its elements and the options of the walk
};
Simulation make_simulation(Body body, Tissue tissue, PosePlan plan, const WalkOptions& walk,
                           std::filesystem::path folder, std::optional<CalculixOptions> calculix = {});

/// A finished pose: where the flesh went and how it got there.
struct PoseRecord {
  PoseReport report;
  std::vector<Vec3d> nodes;  // #N
};

/// The record of a pose. None where there is none, or where it was made from another body, mesh, material or way.
std::optional<PoseRecord> find_record(const Simulation& simulation, std::size_t sweep, std::size_t pose);
/// Whether find_record would find one, without reading the nodes.
bool has_record(const Simulation& simulation, std::size_t sweep, std::size_t pose);
bool has_all_records(const Simulation& simulation, std::size_t sweep);

/// The pose of a sweep that flesh is led from to another one: the last sound pose before it, so that a pose that went
/// wrong spoils no other. None: from rest. `reports`: of the poses before it, at least.
std::optional<std::size_t> start_of(std::span<const PoseReport> reports, std::size_t pose);

/// Simulates the poses of a sweep that have no record yet, each from start_of() what the records before it report. Each
/// record is written whole, when its pose is done.
Result<void> run_sweep(const Simulation& simulation, std::size_t sweep, const Progress& progress = {});

/// Which poses of a sweep the flesh jumped to, or was led to from such a pose: their state is another branch of
/// equilibria (a crease of the palm that snaps through), which depends on the way taken. A jump is a step that moves
/// the flesh, for its angle, more than three times as far from its guess as the median step of the sweep does; poses in
/// contact are not asked. See start_of(): a pose after one that went wrong is judged by where it was led from.
std::vector<bool> snapped_poses(std::span<const PoseReport> reports);

/// Joints that the plan turns although no bone follows them, as an error that names them.
Result<void> check_moved_joints(const Body& body, const PosePlan& plan);

}  // namespace supple::simulate
