// How the flesh of a character is simulated when nobody says how.
#pragma once

#include <filesystem>

#include "supple/workflow/jobs/simulate/simulate.h"
#include "supple/workflow/jobs/simulate/teaching_plan.h"

namespace supple::workflow {

/// What an effort may cost, about.
struct EffortFigures {
  std::size_t poses = 0, clip_frames = 0, cells = 0;  // of a lattice; poses within the joints' limits
  std::size_t tissue_poses = 0;
  double elements = 0;
};

struct FleshSetup {
  SimulateOptions options;  // without input, output and plan; tasks elsewhere are told each field that is set here
  TeachingPlan plan;
  std::vector<std::string> choices;  // what was decided, and why: one sentence each
};

/// Poses of a simulation that go wrong beyond which its flesh is not to be trusted, as a share of all.
inline constexpr double most_bad_poses = 1.0 / 3;
/// Poses that nothing can be learnt from: flesh went wrong in more than a place of them, or they are missing.
std::size_t bad_poses(const Gathered& gathered);

Result<void> make_folder(const std::filesystem::path& folder);

/// Sizes are chosen by the character, whatever its unit is; where its bones are capsules, how they hold flesh is tried
/// in a few poses, in a folder below `folder`. The error says why flesh cannot be simulated. `input` is the file that
/// the character was read from; `part` is the skin, by name: see flesh_parts().
Result<FleshSetup> flesh_setup(const Character& character, const std::string& part, const std::string& input,
                               const std::filesystem::path& folder, const EffortFigures& effort, Work& work);

}  // namespace supple::workflow
