#include "supple/learn/pose_space.h"

#include <algorithm>

#include "supple/deform/pose_space/influence.h"
#include "supple/learn/displacements.h"
#include "supple/learn/settings.h"
#include "supple/rig/append_morphs.h"

namespace supple::learn {
namespace {

constexpr float default_radius = 5.2f;    // radians: the 300 degrees that did best on hands
constexpr double other_rest_skin = 1e-4;  // of the set's size: a skin that is farther off is not the rest skin

/// Joints that bend the skin somewhere: those whose subtree has a part of a vertex's weight but not all of it.
std::vector<bool> bending_joints(const Character& character, std::size_t part) {
  PoseSpace all;
  all.part = static_cast<std::uint32_t>(part);
  for (JointIndex j = 0; j < character.skeleton.size(); ++j) all.joints.push_back(j);
  const JointInfluences influences(character, all);
  std::vector<bool> bends(all.joints.size());
  std::vector<double> u(all.joints.size());
  for (std::size_t v = 0; v < character.parts[part].mesh.positions.size(); ++v) {
    influences.of(v, u);
    for (std::size_t j = 0; j < u.size(); ++j) bends[j] = bends[j] || u[j] > 0;
  }
  return bends;
}

/// Training examples, and those among them that are at rest.
struct Chosen {
  std::vector<std::size_t> moved, resting;
  std::vector<JointIndex> joints;  // that count
};

Result<Chosen> choose(const ExampleSet& set, const Character& character, std::size_t part) {
  std::vector<std::size_t> usable;
  for (std::size_t i = 0; i < set.size(); ++i)
    if (set.usable(i) && set.examples[i].role == Role::train && set.examples[i].weight > 0) usable.push_back(i);
  const Settings settings = settings_of(set, usable);
  const std::vector<bool> bends = bending_joints(character, part);
  Chosen result;
  std::vector<bool> counts(character.skeleton.size());
  for (std::size_t e = 0; e < usable.size(); ++e) {
    bool at_rest = true;
    for (const JointIndex j : settings.moved[e]) {
      if (!bends[j]) continue;
      counts[j] = true;
      at_rest = false;
    }
    (at_rest ? result.resting : result.moved).push_back(usable[e]);
  }
  if (result.moved.empty())
    return Error{"examples", "none that can be learnt from moves a joint of the skin",
                 "give some examples the role 'train' and a weight above 0"};
  for (JointIndex j = 0; j < counts.size(); ++j)
    if (counts[j]) result.joints.push_back(j);
  return result;
}

PoseSpace space_of(const ExampleSet& set, const Chosen& chosen, const PoseSpaceOptions& options) {
  PoseSpace space;
  space.influence = options.influence;
  space.floor = options.floor;
  const bool is_plain = options.influence == JointInfluence::equal;
  space.radius = options.radius.value_or(is_plain ? PoseSpace::plain_radius_factor * default_radius : default_radius);
  space.joints = chosen.joints;
  for (const JointIndex j : space.joints) space.reference.push_back(set.skeleton.rest(j).rotation);
  space.settings.resize(space.joints.size());  // of the rest shape
  const Settings settings = settings_of(set, chosen.moved);
  for (std::size_t e = 0; e < chosen.moved.size(); ++e)
    for (const Quatf& q : settings.of(e, space.joints)) space.settings.push_back(normalized(q));
  return space;
}

void warn_of_resting(const ExampleSet& set, const Chosen& chosen, const Character& character, std::size_t part,
                     Warnings& warnings) {
  const auto found = rest_displacements(set, character, part, chosen.resting);
  if (!found) return;
  const double limit = other_rest_skin * double{size_of(set.skeleton, set.rest_positions)};
  for (std::size_t e = 0; e < chosen.resting.size(); ++e) {
    double largest = 0;
    for (const Vec3f& d : found->positions_of(e)) largest = std::max(largest, double{length(d)});
    if (largest > limit)
      warnings.push_back("example '" + set.examples[chosen.resting[e]].name +
                         "': is at rest, where the rest skin is shown; its own skin, which differs by up to " +
                         std::to_string(largest * 1000) + " mm, is left out");
  }
}

void warn_of_singular(const ExampleSet& set, const Chosen& chosen, const RestDisplacements& shapes,
                      Warnings& warnings) {
  if (shapes.singular.empty()) return;
  const auto [example, vertex] = shapes.singular.front();
  warnings.push_back("example '" + set.examples[chosen.moved[example]].name + "', vertex " + std::to_string(vertex) +
                     ": joints half a turn apart cancel; the rest shape is kept there (" +
                     std::to_string(shapes.singular.size()) + " such places in all)");
}

}  // namespace

Result<PoseSpace> train_pose_space(const ExampleSet& set, Character& character, std::span<const std::size_t> parts,
                                   const PoseSpaceOptions& options, Warnings* warnings, const Progress& progress) {
  const std::size_t part = parts[0];
  if (character.pose_space)
    return Error{"character", "has a pose space already", "take it out first: see remove_driven_morphs()"};
  if (auto fits = check_matches(set, character, part); !fits) return fits.error();
  if (!character.parts[part].skin)
    return Error{"part '" + character.parts[part].name + "'", "is not bound to joints", "bind it first"};
  if (!report(progress, "carrying examples to rest", 0)) return Error{"training", "was stopped", ""};
  const auto chosen = choose(set, character, part);
  if (!chosen) return chosen.error();
  const auto shapes = rest_displacements(set, character, part, chosen->moved);
  if (!shapes) return shapes.error();
  if (warnings != nullptr) {
    warn_of_resting(set, *chosen, character, part, *warnings);
    warn_of_singular(set, *chosen, *shapes, *warnings);
  }
  PoseSpace space = space_of(set, *chosen, options);
  space.part = static_cast<std::uint32_t>(part);
  std::vector<MorphTarget> targets;
  for (std::size_t e = 0; e < chosen->moved.size(); ++e) {
    const auto positions = shapes->positions_of(e), normals = shapes->normals_of(e);
    targets.push_back({set.examples[chosen->moved[e]].name,
                       {},
                       {positions.begin(), positions.end()},
                       {normals.begin(), normals.end()},
                       {}});
  }
  Character trained = character;
  const std::vector<float> resting(targets.size(), 0.0f);
  space.first_weight = append_morphs(trained, parts, std::move(targets), resting);
  trained.pose_space = space;
  if (auto ok = validate(space, trained); !ok) return ok.error();
  character = std::move(trained);
  report(progress, "carrying examples to rest", 1);
  return space;
}

Result<PoseSpace> train_pose_space(const ExampleSet& set, Character& character, std::size_t part,
                                   const PoseSpaceOptions& options, Warnings* warnings, const Progress& progress) {
  return train_pose_space(set, character, std::span(&part, 1), options, warnings, progress);
}

}  // namespace supple::learn
