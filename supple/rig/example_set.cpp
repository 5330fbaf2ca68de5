#include "supple/rig/example_set.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "supple/rig/bind_pose.h"

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

std::string ExampleSet::part_names() const {
  if (parts.empty()) return part;
  std::string names;
  for (const ExamplePart& p : parts) names += (names.empty() ? "" : ", ") + p.name;
  return names;
}

ExampleSet with_vertices(const ExampleSet& set, std::span<const std::uint32_t> from, std::vector<Triangle> triangles) {
  const auto taken = [&](const SharedArray<Vec3f>& all, std::size_t rows) {
    std::vector<Vec3f> result;
    result.reserve(rows * from.size());
    for (std::size_t r = 0; r < rows; ++r)
      for (const std::uint32_t v : from) result.push_back(all[r * set.vertices() + v]);
    return result;
  };
  ExampleSet result = set;
  result.parts.clear();
  result.rest_positions = taken(set.rest_positions, 1);
  result.rest_normals = taken(set.rest_normals, 1);
  result.positions = taken(set.positions, set.size());
  result.normals = taken(set.normals, set.size());
  result.triangles = std::move(triangles);
  return result;
}

float size_of(const Skeleton& skeleton, std::span<const Vec3f> rest_positions) {
  std::vector<Vec3f> joints;
  for (const Affinef& world : to_world(skeleton, rest_pose(skeleton))) joints.push_back(world.translation);
  return std::max(bounds(rest_positions).diagonal(), bounds(joints).diagonal());
}

float size_of(const Character& character, const Part& part) {
  std::vector<Vec3f> joints;
  for (const Affinef& world : to_world(character.skeleton, character.rest())) joints.push_back(world.translation);
  const auto scale = static_cast<float>(mesh_to_world(character, part));
  return std::max(bounds(part.mesh.positions).diagonal(), bounds(joints).diagonal() / scale);
}

}  // namespace supple
