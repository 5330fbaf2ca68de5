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

/// Simulates the poses of a sweep that have no record yet, starting from the last one that has. Each record is written
/// whole, when its pose is done.
Result<void> run_sweep(const Simulation& simulation, std::size_t sweep, const Progress& progress = {});

/// The first pose of a sweep after the flesh jumped: beyond it the state is another branch of equilibria (a crease of
/// the palm that snaps through), which depends on the way taken. A jump is a step that moves the flesh, for its angle,
/// more than three times as far from its guess as the median step does; poses in contact are not asked. Returns
/// reports.size() where there is none.
std::size_t first_snapped(std::span<const PoseReport> reports);

/// Joints that the plan turns although no bone follows them, as an error that names them.
Result<void> check_moved_joints(const Body& body, const PosePlan& plan);

}  // namespace supple::simulate
