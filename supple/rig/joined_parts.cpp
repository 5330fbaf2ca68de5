#include "supple/rig/joined_parts.h"

#include <algorithm>

namespace supple {

JoinedParts::JoinedParts(const Character& character, std::vector<std::size_t> parts) : parts_(std::move(parts)) {
  for (const std::size_t p : parts_) {
    const Mesh& mesh = character.parts[p].mesh;
    const std::uint32_t first = first_vertex_.back();
    for (const Triangle& t : mesh.triangles) triangles_.push_back({first + t[0], first + t[1], first + t[2]});
    first_vertex_.push_back(first + static_cast<std::uint32_t>(mesh.positions.size()));
    first_triangle_.push_back(static_cast<std::uint32_t>(triangles_.size()));
  }
}

JoinedParts::Place JoinedParts::place(const std::vector<std::uint32_t>& first, std::uint32_t joined) const {
  // Empty parts have no vertices: the last one that begins there is meant.
  const auto after = std::upper_bound(first.begin(), first.end() - 1, joined);
  const auto i = static_cast<std::size_t>(after - first.begin()) - 1;
  return {parts_[i], joined - first[i]};
}

}  // namespace supple
