#include <algorithm>
#include <cmath>

#include "supple/deform/skinning/table.h"

namespace supple {
namespace {

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

/// The vertices of one block.
struct VertexBlock {
  const SkinWeights& weights;
  std::size_t begin, end;

  std::size_t most_influences() const {
    std::size_t most = 1;
    for (std::size_t v = begin; v < end; ++v) most = std::max(most, weights.of(v).size());
    return most;
  }
  std::vector<std::uint16_t> joints() const {
    std::vector<std::uint16_t> all;
    for (std::size_t v = begin; v < end; ++v)
      for (const Influence& i : weights.of(v)) all.push_back(static_cast<std::uint16_t>(i.joint));
    make_distinct(all);
    return all;
  }
};

double joints_per_block(const SkinWeights& weights) {
  std::size_t sum = 0, blocks = 0;
  for (std::size_t begin = 0; begin < weights.vertices(); begin += SkinTable::block_vertices, ++blocks)
    sum += VertexBlock{weights, begin, std::min<std::size_t>(weights.vertices(), begin + SkinTable::block_vertices)}
               .joints()
               .size();
  return static_cast<double>(sum) / static_cast<double>(std::max<std::size_t>(blocks, 1));
}

void add_run(SkinTable& table, const VertexBlock& block, std::size_t influences) {
  const auto vertices = static_cast<std::uint32_t>(block.end - block.begin);
  if (!table.runs.empty() && table.runs.back().influences == influences) {
    table.runs.back().vertices += vertices;
  } else {
    table.runs.push_back({static_cast<std::uint32_t>(block.begin), vertices, static_cast<std::uint32_t>(influences),
                          static_cast<std::uint32_t>(table.joints.size())});
  }
}

void add_dense_block(SkinTable& table, const VertexBlock& block, std::span<const std::uint16_t> joints) {
  add_run(table, block, 0);
  const std::size_t first = table.block_weights.size();
  table.block_joints.insert(table.block_joints.end(), joints.begin(), joints.end());
  table.block_quarters.resize(first + joints.size());
  table.block_weights.resize(first + joints.size());
  for (std::size_t v = block.begin; v < block.end; ++v) {
    for (const Influence& i : block.weights.of(v)) {
      const auto found = std::lower_bound(joints.begin(), joints.end(), i.joint);
      const std::size_t row = first + static_cast<std::size_t>(found - joints.begin()), at = v - block.begin;
      table.block_weights[row].weights[at] += i.weight;
      table.block_quarters[row] = static_cast<std::uint8_t>(table.block_quarters[row] | 1 << at / 4);
    }
  }
}

void add_listed_block(SkinTable& table, const VertexBlock& block) {
  const std::size_t most = block.most_influences();
  add_run(table, block, most);
  for (std::size_t v = block.begin; v < block.end; ++v) {
    const std::span<const Influence> own = block.weights.of(v);
    for (std::size_t i = 0; i < most; ++i) {
      // Padding repeats the first joint: it is in the cache already.
      table.joints.push_back(static_cast<std::uint16_t>(own[i < own.size() ? i : 0].joint));
      table.weights.push_back(i < own.size() ? own[i].weight : 0.0f);
    }
  }
}

}  // namespace

Result<SkinTable> build_skin_table(const SkinWeights& weights, std::size_t joint_count, SkinLayout layout) {
  if (auto ok = check(weights, joint_count); !ok) return ok.error();
  SkinTable table;
  table.vertex_count = static_cast<std::uint32_t>(weights.vertices());
  table.joint_count = static_cast<std::uint32_t>(joint_count);
  table.block_rows.push_back(0);
  const bool in_rows = layout == SkinLayout::blocks && joints_per_block(weights) <= double{SkinTable::most_rows};
  std::size_t distinct = 0;
  for (std::size_t begin = 0; begin < weights.vertices(); begin += SkinTable::block_vertices) {
    const VertexBlock block{weights, begin,
                            std::min<std::size_t>(weights.vertices(), begin + SkinTable::block_vertices)};
    const std::vector<std::uint16_t> joints = block.joints();
    if (in_rows) {
      add_dense_block(table, block, joints);
    } else {
      add_listed_block(table, block);
    }
    table.block_rows.push_back(static_cast<std::uint32_t>(table.block_weights.size()));
    for (std::size_t v = block.begin; v < block.end; ++v) {
      const std::span<const Influence> own = weights.of(v);
      for (std::size_t i = 1; i < own.size(); ++i)
        table.pairs.push_back({static_cast<std::uint16_t>(own[0].joint), static_cast<std::uint16_t>(own[i].joint)});
    }
    if (table.pairs.size() > 2 * distinct + 4096) {  // now and then, so that the list stays short
      make_distinct(table.pairs);
      distinct = table.pairs.size();
    }
  }
  make_distinct(table.pairs);
  return table;
}

}  // namespace supple
