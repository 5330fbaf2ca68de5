#include "supple/gpu/skin_tables.h"

#include <algorithm>

#include "supple/deform/part_binding.h"

namespace supple::gpu {
namespace {

/// Fills the last row of a texture whose texels have `width` numbers.
template <class Number>
void fill_row(std::vector<Number>& texels, std::size_t width) {
  texels.resize(texture_rows(texels.size() / width) * SkinTables::texture_width * width);
}

void add_influences(const SkinWeights& weights, SkinTables& t) {
  for (std::size_t v = 0; v < t.vertex_count; ++v) {
    const std::span<const Influence> own = weights.of(v);
    t.ranges[4 * v] = static_cast<std::uint32_t>(t.influences.size() / 2);
    t.ranges[4 * v + 1] = static_cast<std::uint32_t>(own.size());
    for (const Influence& i : own) {
      t.influences.push_back(static_cast<float>(i.joint));
      t.influences.push_back(i.weight);
    }
  }
  fill_row(t.influences, 2);
}

/// What one target does to one vertex.
struct Offset {
  Vec3f position, normal;
  bool zero() const { return position == Vec3f{} && normal == Vec3f{}; }
};

/// Calls visit(vertex, offset) for every vertex that a target moves.
template <class Visit>
void for_offsets(const MorphTarget& target, const Visit& visit) {
  const std::size_t count = std::max(target.positions.size(), target.normals.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Offset offset{i < target.positions.size() ? target.positions[i] : Vec3f{},
                        i < target.normals.size() ? target.normals[i] : Vec3f{}};
    if (!offset.zero()) visit(target.vertices.empty() ? i : target.vertices[i], offset);
  }
}

/// From one list per target to one per vertex: counted first, then put in place.
void add_offsets(std::span<const MorphTarget> targets, SkinTables& t) {
  for (const MorphTarget& target : targets)
    for_offsets(target, [&](std::size_t v, const Offset&) { ++t.ranges[4 * v + 3]; });
  std::uint32_t total = 0;
  for (std::size_t v = 0; v < t.vertex_count; ++v) {
    t.ranges[4 * v + 2] = total;
    total += t.ranges[4 * v + 3];
  }
  t.offsets.resize(8 * std::size_t{total});
  std::vector<std::uint32_t> filled(t.vertex_count);
  for (std::size_t number = 0; number < targets.size(); ++number) {
    for_offsets(targets[number], [&](std::size_t v, const Offset& o) {
      float* entry = &t.offsets[8 * (std::size_t{t.ranges[4 * v + 2]} + filled[v]++)];
      const float values[8] = {
          static_cast<float>(number), o.position.x, o.position.y, o.position.z, o.normal.x, o.normal.y, o.normal.z, 0};
      std::copy(std::begin(values), std::end(values), entry);
    });
  }
  fill_row(t.offsets, 4);
}

}  // namespace

SkinTables build_skin_tables(const Character& character, const Part& part) {
  SkinTables t;
  t.vertex_count = static_cast<std::uint32_t>(part.mesh.positions.size());
  t.joint_count = static_cast<std::uint32_t>(palette_size(binding_of(character, part)));
  t.target_count = static_cast<std::uint32_t>(part.morphs.size());
  t.positions = part.mesh.positions;
  t.normals = rest_normals(part);
  t.ranges.resize(4 * std::size_t{t.vertex_count});
  add_influences(weights_of(part), t);
  add_offsets(part.morphs, t);
  fill_row(t.ranges, 4);
  return t;
}

}  // namespace supple::gpu
