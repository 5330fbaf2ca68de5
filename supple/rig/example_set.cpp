#include "supple/rig/example_set.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "supple/base/text.h"

namespace supple {

bool excludes(std::string_view flag) {
  constexpr std::array<std::string_view, 3> excluding{"snapped", "inverted", "unconverged"};
  return std::find(excluding.begin(), excluding.end(), flag) != excluding.end();
}

Pose ExampleSet::pose(std::size_t i) const {
  Pose result = rest_pose(skeleton);
  const std::size_t first = i * skeleton.size();
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    result.local[j].rotation = rotations[first + j];
    if (!translations.empty()) result.local[j].translation = translations[first + j];
    if (!scales.empty()) result.local[j].scale = scales[first + j];
  }
  return result;
}

bool ExampleSet::usable(std::size_t i) const {
  return std::none_of(examples[i].flags.begin(), examples[i].flags.end(), [](const auto& f) { return excludes(f); });
}

std::optional<std::size_t> ExampleSet::find(std::string_view name) const {
  for (std::size_t i = 0; i < examples.size(); ++i) {
    if (examples[i].name == name) return i;
  }
  return std::nullopt;
}

Mesh ExampleSet::rest_mesh() const {
  return {{rest_positions.begin(), rest_positions.end()},
          {rest_normals.begin(), rest_normals.end()},
          {triangles.begin(), triangles.end()}};
}

float size_of(const Skeleton& skeleton, std::span<const Vec3f> rest_positions) {
  std::vector<Vec3f> joints;
  for (const Affinef& world : to_world(skeleton, rest_pose(skeleton))) joints.push_back(world.translation);
  return std::max(bounds(rest_positions).diagonal(), bounds(joints).diagonal());
}

Result<std::size_t> find_part(const Character& character, std::string_view name) {
  const std::vector<Part>& parts = character.parts;
  if (parts.empty()) return Error{"'" + character.name + "'", "has no surface", "use a file with a skinned mesh"};
  if (name.empty()) {
    const auto skinned = std::find_if(parts.begin(), parts.end(), [](const Part& p) { return p.skin.has_value(); });
    return skinned == parts.end() ? std::size_t{0} : static_cast<std::size_t>(skinned - parts.begin());
  }
  std::vector<std::string> names;
  std::string list;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (parts[p].name == name) return p;
    names.push_back(parts[p].name);
    list += (p > 0 ? ", " : "it has ") + parts[p].name;
  }
  const std::string near = did_you_mean(name, names);
  return Error{"part '" + std::string(name) + "'", "is not in '" + character.name + "'", near.empty() ? list : near};
}

}  // namespace supple
