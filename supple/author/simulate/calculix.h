// The same flesh solved by CalculiX, a program of its own, as an oracle: same elements, bones and poses, another code.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "supple/author/simulate/walk.h"

namespace supple::simulate {

struct CalculixOptions {
  std::string program = "ccx";   // a path, or a name to be found on PATH
  unsigned threads = 0;          // 0: thread_count()
  std::filesystem::path folder;  // where the deck and all output stay; empty: a temporary one
  int increments = 1;            // equal parts of every step to begin with; halved where they do not converge
  std::optional<std::chrono::milliseconds> timeout;
};

struct CalculixResult {
  std::vector<std::vector<Vec3d>> shapes;  // a #N list of node positions for each waypoint or pose
  std::vector<ElementHealth> health;  // of each shape: large increments can step over elements that turn inside out
  int steps = 0, increments = 0, iterations = 0, cutbacks = 0;
  double seconds = 0;  // of the program itself
};

/// Whether the program can be started.
bool has_calculix(const CalculixOptions& options = {});

/// Where the free nodes rest while the bone nodes are held at each of `waypoints` in turn, from rest. A waypoint has #N
/// positions, of which those of the bone nodes count. Between waypoints bone nodes move along straight lines: bones
/// that turn far need several on their arcs. The law is Law::neo_hookean, whatever the model's. CalculiX takes no guess
/// of a shape: it always starts from rest.
Result<CalculixResult> solve_with_calculix(const TissueModel& model, std::span<const std::vector<Vec3d>> waypoints,
                                           const CalculixOptions& options = {}, const Progress& progress = {});

/// Leads the flesh from rest through poses by the steps that a Walker would take; a shape for each of `poses`.
Result<CalculixResult> calculix_walk(const Body& body, const Tissue& tissue, std::span<const Pose> poses,
                                     double max_step = WalkOptions{}.max_step, const CalculixOptions& options = {},
                                     const Progress& progress = {});

}  // namespace supple::simulate
