#include "supple/workflow/jobs/improve/flesh_setup.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/deform/posed_surfaces.h"
#include "supple/files/pose_plan_file.h"
#include "supple/measure/volume.h"
#include "supple/rig/example_set.h"
#include "supple/workflow/jobs/simulate/taught_parts.h"

namespace supple::workflow {
namespace {

namespace fs = std::filesystem;

constexpr double flesh_elements_per_cell = 12;  // tetrahedra that a cube of the element size is cut into, about
constexpr double held_weight = 0.85;            // of one joint: from there on skin moves as it was modelled
constexpr std::size_t trial_poses = 8;          // to find out how flesh is best held
constexpr double most_elements = 3;             // times what the effort wants, where bones are thin

/// Diameter of the thinner bones: a quarter of them are thinner. Of a cylinder, four volumes over its surface.
double thin_bone(const simulate::Body& body) {
  std::vector<double> diameters;
  for (const Bone& bone : body.bones) {
    const auto volume = measure::closed_volume(bone.surface);
    double area = 0;
    for (const Triangle& t : bone.surface.triangles)
      area += 0.5 * double{length(cross(bone.surface.positions[t[1]] - bone.surface.positions[t[0]],
                                        bone.surface.positions[t[2]] - bone.surface.positions[t[0]]))};
    if (volume && area > 0) diameters.push_back(4 * std::abs(*volume) / area);
  }
  if (diameters.empty()) return std::numeric_limits<double>::infinity();
  const auto quarter = diameters.begin() + static_cast<std::ptrdiff_t>(diameters.size() / 4);
  std::nth_element(diameters.begin(), quarter, diameters.end());
  return *quarter;
}

PosePlan a_few_of(const PosePlan& plan) {
  PosePlan few;
  for (std::size_t i = 0; i < trial_poses && i < plan.sweeps.size(); ++i) {
    Sweep sweep = plan.sweeps[(2 * i + 1) * plan.sweeps.size() / (2 * std::min(trial_poses, plan.sweeps.size()))];
    sweep.poses.erase(sweep.poses.begin(), sweep.poses.end() - 1);
    few.sweeps.push_back(std::move(sweep));
  }
  return few;
}

/// Of the ways to hold flesh to bones that are only capsules, the first that goes well in a few poses, or the best.
Result<void> choose_hold(FleshSetup& setup, const std::string& input, const fs::path& folder, Work& work) {
  SimulateOptions& options = setup.options;
  const PosePlan few = a_few_of(setup.plan.plan);
  if (auto made = make_folder(folder); !made) return made;
  std::pair least(few.pose_count() + 1, std::size_t{0});  // poses that go wrong, and those that do at some place
  for (const double margin : {0.0, 1.0}) {
    SimulateOptions trial = options;
    trial.input = input;
    trial.output = (folder / "trial").string();
    trial.plan_file = (folder / "trial-plan.json").string();
    trial.body.held_weight = held_weight;
    trial.body.held_margin = margin;
    trial.force = true;
    if (auto written = write_pose_plan(trial.plan_file, few); !written) return written;
    Work trying;
    trying.asked_to_stop = work.asked_to_stop;
    trying.progress = [&](std::string_view, double) { return report(work.progress, "trying a few poses", 0.02); };
    const auto simulated = simulate(trial, trying);
    if (!simulated) return simulated.error();
    const std::pair bad(bad_poses(simulated->gathered), simulated->gathered.partial());
    if (bad < least) least = bad, options.body.held_margin = margin;
    if (bad.first + bad.second == 0) break;
  }
  std::error_code ignored;
  fs::remove_all(folder / "trial", ignored);
  fs::remove(folder / "trial-plan.json", ignored);
  if (static_cast<double>(least.first) > most_bad_poses * static_cast<double>(few.pose_count()))
    return Error{"", fmt::format("it goes wrong in {} of {} poses that were tried", least.first, few.pose_count()), ""};
  options.body.held_weight = held_weight;
  setup.choices.push_back(
      "Skin that follows one joint alone stays as it was modelled; flesh gives way between such places.");
  return {};
}

}  // namespace

std::size_t bad_poses(const Gathered& gathered) {
  const auto wrong = std::count_if(gathered.poses.begin(), gathered.poses.end(), [](const PoseOutcome& pose) {
    return std::any_of(pose.flags.begin(), pose.flags.end(), [](const std::string& f) { return excludes(f); });
  });
  return gathered.missing + static_cast<std::size_t>(wrong);
}

Result<void> make_folder(const fs::path& folder) {
  std::error_code failed;
  if (fs::create_directories(folder, failed); failed)
    return Error{folder.string(), "cannot be made: " + failed.message(), "choose another folder"};
  return {};
}

Result<FleshSetup> flesh_setup(const Character& character, const std::string& part, const std::string& input,
                               const fs::path& folder, const EffortFigures& effort, Work& work) {
  FleshSetup setup;
  SimulateOptions& options = setup.options;
  const auto parts = flesh_parts(character, part, options.body.bones_part);
  if (!parts) return parts.error();
  options.body.skin_part = part;
  const auto at_rest = posed_surfaces(character, character.rest());
  if (!at_rest) return at_rest.error();
  std::vector<Vec3f> surface;
  for (const std::size_t p : *parts) {
    const std::vector<Vec3f>& own = at_rest->parts[p].mesh.positions;
    surface.insert(surface.end(), own.begin(), own.end());
  }
  const double size = double{bounds(surface).diagonal()};
  options.body.close_holes = true;
  options.body.bone_tolerance = 5e-3 * size;
  simulate::BodyOptions of_one_skin = options.body;
  const Character one_skin = as_one_skin(character, *parts, of_one_skin);
  Warnings told_later;
  const auto body = simulate::body_of(one_skin, of_one_skin, &told_later);
  if (!body) return body.error();
  const auto volume = measure::closed_volume(body->closed_skin);
  if (!volume) return volume.error();
  const auto size_for = [&](double elements) {
    return std::cbrt(std::abs(*volume) * flesh_elements_per_cell / elements);
  };
  // So fine that thin capsules hold some nodes, as far as that does not cost too much.
  const double finest = body->capsules ? size_for(most_elements * effort.elements) : size_for(effort.elements);
  const double metres = std::clamp(thin_bone(*body), finest, size_for(effort.elements));
  options.size_mm = metres * 1000;
  options.tolerance_mm = metres;  // a thousandth of an element
  options.step_degrees = 30;
  std::vector<bool> has_bone(character.skeleton.size(), false);
  for (const Bone& bone : body->bones) has_bone[bone.joint] = true;
  auto plan = teaching_plan(character, has_bone, effort.tissue_poses);
  if (!plan) return plan.error();
  setup.plan = std::move(*plan);
  // Whoever animated by linear blend has let limbs pass through each other: only real bones say where flesh must not
  // go.
  options.contact = !body->capsules;
  if (body->capsules)
    if (auto ok = choose_hold(setup, input, folder, work); !ok) return ok.error();
  setup.choices.push_back(fmt::format("Flesh is simulated with elements of {:.3g} of its size over {} {}.",
                                      metres / size, body->bones.size(),
                                      body->capsules ? "capsules fitted to the joints" : "bones of the file"));
  return setup;
}

}  // namespace supple::workflow
