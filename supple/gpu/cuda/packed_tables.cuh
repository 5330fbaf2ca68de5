// Tables as the tensor cores take them: numbers of 16 bits are as exact as wanted near 1, so sizes are divided by.
#pragma once

#include <algorithm>
#include <cmath>

#include "supple/gpu/batch/joints.h"
#include "supple/gpu/cuda/pose_tile.cuh"

namespace supple::gpu {

/// The power of two that is at least `x`; 1 of 0.
inline float power_of_two_above(float x) { return x > 0 ? std::exp2(std::ceil(std::log2(x))) : 1.0f; }

/// The largest number of the palette at rest, without translations.
inline float rest_matrix_size(const BatchTables& t) {
  const BatchView view = view_of(t);
  std::vector<float> world(std::size_t{12} * t.joint_count), palette(std::size_t{12} * t.palette_size);
  place_joints(view, OneThread(), JointArrays<const float>(), world.data());
  make_batch_palette(view, OneThread(), world.data(), palette.data());
  float most = 0;
  for (std::size_t i = 0; i < palette.size(); ++i)
    if (i % 4 != 3) most = std::max(most, std::abs(palette[i]));
  return most;
}

inline bool weights_sum_to_one(const BatchTables& t) {
  for (std::uint32_t v = 0; v < t.vertex_count; ++v) {
    const std::uint32_t g = v / group_vertices;
    float sum = 0;
    for (std::uint32_t row = t.row_first[g]; row < t.row_first[g + 1]; ++row)
      sum += t.row_weights[std::size_t{row} * group_vertices + v % group_vertices];
    if (!(std::abs(sum - 1) <= 1e-6f)) return false;
  }
  return true;
}

/// The diagonal of the box around the part.
inline float rest_size(const BatchTables& t) {
  float low[3] = {}, high[3] = {};
  for (std::uint32_t v = 0; v < t.vertex_count; ++v)
    for (unsigned c = 0; c < 3; ++c) {
      const float x = t.rest[offset_place(v / group_vertices, c, v % group_vertices)];
      low[c] = v == 0 ? x : std::min(low[c], x), high[c] = v == 0 ? x : std::max(high[c], x);
    }
  return std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
}

/// Finds sizes, and replaces the offsets of `t` by packed ones.
inline void pack_tables(BatchTables& t) {
  t.size = power_of_two_above(rest_size(t));
  t.matrix_size = power_of_two_above(rest_matrix_size(t));
  t.is_affine = weights_sum_to_one(t);
  const auto in_units = [&](unsigned c, float offset) { return c < 3 ? offset / t.size : offset; };
  t.target_sizes.assign(t.target_count, 0);
  for (std::size_t e = 0; e < t.entry_targets.size(); ++e) {
    float& most = t.target_sizes[t.entry_targets[e]];
    for (unsigned c = 0; c < 6; ++c)
      for (unsigned v = 0; v < group_vertices; ++v)
        most = std::max(most, std::abs(in_units(c, t.entry_offsets[offset_place(e, c, v)])));
  }
  for (float& size : t.target_sizes) size = power_of_two_above(size);
  for (std::uint32_t g = 0; g < t.group_count; ++g) {
    const std::uint32_t first = t.entry_first[g], count = t.entry_first[g + 1] - first;
    const std::uint32_t begin = static_cast<std::uint32_t>(t.packed_offsets.size() / packed_words);
    t.packed_first.push_back(begin);
    t.packed_offsets.resize((begin + (count + 7) / 8) * std::size_t{packed_words});
    for (std::uint32_t e = 0; e < count; ++e)
      for (unsigned c = 0; c < 6; ++c)
        for (unsigned v = 0; v < group_vertices; ++v) {
          const float offset = in_units(c, t.entry_offsets[offset_place(first + e, c, v)]);
          const std::size_t lane = packed_place(begin + e / 8, v / 8, 4 * (v % 8) + e % 4) + c / 2 * 32;
          t.packed_offsets[4 * lane + e % 8 / 4 * 2 + c % 2] =
              two_parts(offset / t.target_sizes[t.entry_targets[first + e]]);
        }
  }
  t.entry_offsets.clear();
}

}  // namespace supple::gpu
