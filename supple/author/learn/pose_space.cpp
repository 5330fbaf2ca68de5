#include "supple/author/learn/pose_space.h"

#include <algorithm>

#include "supple/author/learn/displacements.h"
#include "supple/author/learn/pose_space_examples.h"
#include "supple/author/learn/settings.h"
#include "supple/deform/pose_space/influence.h"
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

/// Of each group its first example's.
PoseSpace space_of(const ExampleSet& set, const Chosen& chosen, std::span<const PoseGroup> groups,
                   const PoseSpaceOptions& options) {
  PoseSpace space;
  space.influence = options.influence;
  space.floor = options.floor;
  const bool is_plain = options.influence == JointInfluence::equal;
  space.radius = options.radius.value_or(is_plain ? PoseSpace::plain_radius_factor * default_radius : default_radius);
  space.joints = chosen.joints;
  for (const JointIndex j : space.joints) space.reference.push_back(set.skeleton.rest(j).rotation);
  space.settings.resize(space.joints.size());  // of the rest shape
  const Settings settings = settings_of(set, chosen.moved);
  for (const PoseGroup& g : groups)
    for (const Quatf& q : settings.of(g.members[0], space.joints)) space.settings.push_back(normalized(q));
  return space;
}

/// Poses as they count: near-duplicates merged, and of too many those that lie farthest apart.
std::vector<PoseGroup> groups_of(const ExampleSet& set, const Chosen& chosen, Warnings* warnings) {
  const Settings settings = settings_of(set, chosen.moved);
  std::vector<std::vector<Quatf>> of_joints;
  for (std::size_t e = 0; e < chosen.moved.size(); ++e) of_joints.push_back(settings.of(e, chosen.joints));
  std::vector<PoseGroup> groups = pick_poses(of_joints, PoseSpace::max_examples - 1);
  std::size_t used = 0;
  for (const PoseGroup& g : groups) used += g.members.size();
  if (warnings == nullptr || groups.size() == chosen.moved.size()) return groups;
  std::string line = std::to_string(chosen.moved.size()) + " training examples became " + std::to_string(groups.size());
  if (used > groups.size()) line += ": " + std::to_string(used - groups.size()) + " repeat the pose of another";
  if (used < chosen.moved.size())
    line += "; " + std::to_string(chosen.moved.size() - used) + " were left out, since a pose space has " +
            std::to_string(PoseSpace::max_examples - 1) + " at most (--method kernel takes all)";
  warnings->push_back(std::move(line));
  return groups;
}

/// The mean shape of a group, by the examples' weights.
MorphTarget target_of(const ExampleSet& set, const Chosen& chosen, const RestDisplacements& shapes,
                      const PoseGroup& group) {
  MorphTarget target{set.examples[chosen.moved[group.members[0]]].name, {}, {}, {}, {}};
  const auto first = shapes.positions_of(group.members[0]), first_normals = shapes.normals_of(group.members[0]);
  target.positions.assign(first.begin(), first.end());
  target.normals.assign(first_normals.begin(), first_normals.end());
  if (group.members.size() == 1) return target;
  double all = 0;
  for (const std::size_t e : group.members) all += double{set.examples[chosen.moved[e]].weight};
  const auto mean = [&](auto of, std::vector<Vec3f>& out) {
    std::vector<Vec3d> sum(out.size());
    for (const std::size_t e : group.members)
      for (std::size_t v = 0; v < sum.size(); ++v)
        sum[v] += Vec3d(of(e)[v]) * (double{set.examples[chosen.moved[e]].weight} / all);
    for (std::size_t v = 0; v < sum.size(); ++v) out[v] = Vec3f(sum[v]);
  };
  mean([&](std::size_t e) { return shapes.positions_of(e); }, target.positions);
  mean([&](std::size_t e) { return shapes.normals_of(e); }, target.normals);
  return target;
}

void warn_of_resting(const ExampleSet& set, const Chosen& chosen, const Character& character, std::size_t part,
                     Warnings& warnings) {
  const auto found = rest_displacements(set, character, part, chosen.resting);
  if (!found) return;
  const double limit = other_rest_skin * double{size_of(character, character.parts[part])};
  for (std::size_t e = 0; e < chosen.resting.size(); ++e) {
    double largest = 0;
    for (const Vec3f& d : found->positions_of(e)) largest = std::max(largest, double{length(d)});
    if (largest > limit)
      warnings.push_back("example '" + set.examples[chosen.resting[e]].name +
                         "': is at rest, where the rest skin is shown; its own skin, which differs by up to " +
                         std::to_string(largest * character.unit.value_or(1) * 1000) + " mm, is left out");
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
  const std::vector<PoseGroup> groups = groups_of(set, *chosen, warnings);
  PoseSpace space = space_of(set, *chosen, groups, options);
  space.part = static_cast<std::uint32_t>(part);
  std::vector<MorphTarget> targets;
  for (const PoseGroup& g : groups) targets.push_back(target_of(set, *chosen, *shapes, g));
  Character trained = character;
  const std::vector<float> resting(targets.size(), 0.0f);
  space.first_weight = append_morphs(trained, parts, std::move(targets), resting);
  space.ridge = std::max(needed_ridge(trained, space), needed_ridge(trained, plain(space)));
  if (space.ridge > 0 && warnings != nullptr)
    warnings->push_back(
        "some examples lie so near each other, as parts of the skin see them, that weights would grow "
        "beyond 3 around them; they are smoothed by a ridge of " +
        std::to_string(space.ridge) + ", and not all of them are hit exactly");
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
