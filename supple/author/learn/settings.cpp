#include "supple/author/learn/settings.h"

#include <algorithm>

namespace supple::learn {
namespace {
constexpr float at_rest = 1e-3f;  // radians: files round their rotations
}  // namespace

bool Settings::moves(std::size_t example, JointIndex joint) const {
  return std::binary_search(moved[example].begin(), moved[example].end(), joint);
}

std::vector<Quatf> Settings::of(std::size_t example, std::span<const JointIndex> joints) const {
  std::vector<Quatf> result;
  for (const JointIndex j : joints) result.push_back(rotations[example][j]);
  return result;
}

Settings settings_of(const ExampleSet& set, std::span<const std::size_t> chosen) {
  return settings_from(set.skeleton, set, chosen);
}

Settings settings_from(const Skeleton& reference, const ExampleSet& set, std::span<const std::size_t> chosen) {
  Settings result;
  for (const std::size_t e : chosen) {
    auto& rotations = result.rotations.emplace_back();
    auto& moved = result.moved.emplace_back();
    for (JointIndex j = 0; j < set.skeleton.size(); ++j) {
      rotations.push_back(conjugate(reference.rest(j).rotation) * set.rotations_of(e)[j]);
      if (angle_between(Quatd(), Quatd(rotations.back())) > double{at_rest}) moved.push_back(j);
    }
  }
  return result;
}

Vec3f bone_axis(const Skeleton& skeleton, JointIndex joint) {
  Vec3f sum{};
  float longest = 0;
  for (const JointIndex child : skeleton.children(joint)) {
    sum += skeleton.rest(child).translation;
    longest = std::max(longest, length(skeleton.rest(child).translation));
  }
  constexpr float nothing = 1e-5f;  // of the longest: children on opposite sides
  if (!(length(sum) > nothing * longest))
    sum = rotate(conjugate(skeleton.rest(joint).rotation), skeleton.rest(joint).translation);
  return normalized(sum, Vec3f{0, 1, 0});
}

}  // namespace supple::learn
