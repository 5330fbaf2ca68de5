#include <algorithm>
#include <cmath>

#include "supple/deform/skinning/table.h"

namespace supple {
namespace {

// Runs are made of whole blocks: long enough to amortise a change of kernel, short enough to follow the weights.
constexpr std::size_t block = 16;

Result<void> check(const SkinWeights& weights, std::size_t joint_count) {
  if (joint_count == 0 || joint_count > 65536) {
    return Error{"skin", "has " + std::to_string(joint_count) + " joints", "1 to 65536 joints can be skinned at once"};
  }
  for (std::size_t v = 0; v < weights.vertices(); ++v) {
    double sum = 0;
    for (const Influence& i : weights.of(v)) {
      if (i.joint >= joint_count) {
        return Error{"vertex " + std::to_string(v),
                     "is bound to joint " + std::to_string(i.joint) + " of " + std::to_string(joint_count), ""};
      }
      sum += i.weight;
    }
    if (!(std::abs(sum - 1) < 1e-3)) {
      return Error{"vertex " + std::to_string(v), "has weights that sum to " + std::to_string(sum),
                   "normalise the weights"};
    }
  }
  return {};
}

template <class Value>
void make_distinct(std::vector<Value>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

Result<SkinTable> build_skin_table(const SkinWeights& weights, std::size_t joint_count) {
  if (auto ok = check(weights, joint_count); !ok) return ok.error();
  SkinTable table;
  table.vertex_count = static_cast<std::uint32_t>(weights.vertices());
  table.joint_count = static_cast<std::uint32_t>(joint_count);
  std::vector<std::array<std::uint16_t, 2>>& pairs = table.pairs;
  std::size_t distinct = 0;
  for (std::size_t begin = 0; begin < weights.vertices(); begin += block) {
    const std::size_t end = std::min(weights.vertices(), begin + block);
    std::size_t most = 1;
    for (std::size_t v = begin; v < end; ++v) most = std::max(most, weights.of(v).size());
    const auto influences = static_cast<std::uint32_t>(most);
    const auto vertices = static_cast<std::uint32_t>(end - begin);
    if (!table.runs.empty() && table.runs.back().influences == influences) {
      table.runs.back().vertices += vertices;
    } else {
      table.runs.push_back(
          {static_cast<std::uint32_t>(begin), vertices, influences, static_cast<std::uint32_t>(table.joints.size())});
    }
    for (std::size_t v = begin; v < end; ++v) {
      const std::span<const Influence> own = weights.of(v);
      for (std::size_t i = 0; i < most; ++i) {
        // Padding repeats the first joint: it is in the cache already.
        table.joints.push_back(static_cast<std::uint16_t>(own[i < own.size() ? i : 0].joint));
        table.weights.push_back(i < own.size() ? own[i].weight : 0.0f);
        if (i > 0 && i < own.size()) pairs.push_back({table.joints[table.joints.size() - 1 - i], table.joints.back()});
      }
    }
    if (pairs.size() > 2 * distinct + 4096) {  // now and then, so that the list stays short
      make_distinct(pairs);
      distinct = pairs.size();
    }
  }
  make_distinct(pairs);
  return table;
}

}  // namespace supple
