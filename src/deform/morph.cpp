#include "supple/deform/morph.h"

#include <algorithm>

namespace supple {
namespace {

void add(std::span<const std::uint32_t> vertices, std::span<const Vec3f> offsets, float weight, std::span<Vec3f> out) {
  if (out.empty()) return;
  for (std::size_t i = 0; i < offsets.size(); ++i) out[vertices.empty() ? i : vertices[i]] += offsets[i] * weight;
}

}  // namespace

void apply_morphs(std::span<const MorphTarget> morphs, std::span<const float> weights, std::span<const Vec3f> positions,
                  std::span<const Vec3f> normals, std::span<Vec3f> out_positions, std::span<Vec3f> out_normals) {
  std::copy(positions.begin(), positions.end(), out_positions.begin());
  if (!out_normals.empty()) std::copy(normals.begin(), normals.end(), out_normals.begin());
  for (std::size_t m = 0; m < morphs.size(); ++m) {
    if (weights[m] == 0) continue;
    add(morphs[m].vertices, morphs[m].positions, weights[m], out_positions);
    add(morphs[m].vertices, morphs[m].normals, weights[m], out_normals);
  }
}

}  // namespace supple
