// Sparse skin weights with any number of influences per vertex.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "supple/base/result.h"

namespace supple {

struct Influence {
  std::uint32_t joint = 0;  // place in SkinBinding::joints
  float weight = 0;
  friend bool operator==(const Influence&, const Influence&) = default;
};

/// Influences of vertex v: entries[first[v]] .. entries[first[v + 1]], heaviest first, ties by joint number.
struct SkinWeights {
  std::vector<std::uint32_t> first{0};  // #V + 1
  std::vector<Influence> entries;

  std::size_t vertices() const { return first.size() - 1; }
  std::span<const Influence> of(std::size_t v) const { return {entries.data() + first[v], first[v + 1] - first[v]}; }
  std::size_t max_influences() const;
  void push_vertex(std::span<const Influence> influences);  // as they are; see clean()
};

/// What clean() found and mended, with the first vertex of each kind.
struct WeightRepairs {
  std::size_t zero = 0, negative = 0, not_finite = 0, not_normalized = 0, duplicate_joint = 0, joint_out_of_range = 0;
  std::uint32_t first_zero = 0, first_negative = 0, first_not_finite = 0, first_not_normalized = 0,
                first_out_of_range = 0;
  float worst_sum = 1;  // the weight sum farthest from 1
  std::size_t total() const {
    return zero + negative + not_finite + not_normalized + duplicate_joint + joint_out_of_range;
  }
  /// One line per kind of repair: how many vertices, the first of them, what was done.
  std::vector<std::string> describe() const;
};

/// Sorts, merges equal joints, drops what is not positive and finite, scales every vertex to sum 1. A vertex left with
/// nothing follows joint `fallback`. Sums within `tolerance` of 1 are normalised silently: files store rounded weights.
WeightRepairs clean(SkinWeights& weights, std::size_t joint_count, std::uint32_t fallback = 0, float tolerance = 1e-3f);

/// Keeps the n heaviest influences of each vertex. Plain truncation makes a joint's weight jump to zero where it
/// becomes the (n+1)th: here the (n+1)th weight is subtracted first, so weights reach zero continuously and no seam
/// shows. Vertices with at most n influences stay as they are.
SkinWeights top_influences(const SkinWeights& weights, std::size_t n);

}  // namespace supple
