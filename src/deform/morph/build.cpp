#include <algorithm>
#include <array>
#include <cmath>

#include "supple/deform/morph/table.h"

namespace supple {
namespace {

constexpr std::uint32_t block_vertices = BlockOffsets::block_vertices, block_numbers = BlockOffsets::block_numbers;
constexpr double most = 32767;  // of a 16-bit number, either way
constexpr double normal_tolerance = 1e-5;

using Numbers = std::array<double, block_numbers>;

struct Entry {
  std::uint32_t block = 0, target = 0;
  float scale = 0;
  BlockOffsets::Block numbers{};
};

/// Takes from `left` what 16 bits can hold of it.
Entry quantized(std::uint32_t block, std::uint32_t target, Numbers& left) {
  Entry entry{block, target, 0, {}};
  double largest = 0;
  for (const double x : left) largest = std::max(largest, std::abs(x));
  entry.scale = static_cast<float>(largest / most);
  if (entry.scale == 0) return entry;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const double number = std::clamp(std::round(left[i] / double{entry.scale}), -most, most);
    entry.numbers.values[i] = static_cast<std::int16_t>(number);
    left[i] -= number * double{entry.scale};
  }
  return entry;
}

void add_entries(std::uint32_t block, std::uint32_t target, Numbers& left, double tolerance,
                 std::vector<Entry>& entries) {
  entries.push_back(quantized(block, target, left));
  double missing = 0;
  for (const double x : left) missing = std::max(missing, std::abs(x));
  if (missing <= tolerance) return;
  const Entry second = quantized(block, target, left);
  if (second.scale > 0) entries.push_back(second);
}

/// Entries of one target, block after block.
void add_target(const MorphTarget& target, std::uint32_t number, std::span<const Vec3f> offsets, double tolerance,
                std::vector<Entry>& entries) {
  Numbers numbers{};
  std::uint32_t block = 0;
  bool moved = false;
  const auto finish = [&] {
    if (moved) add_entries(block, number, numbers, tolerance, entries);
    numbers = {};
    moved = false;
  };
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const auto v = target.vertices.empty() ? static_cast<std::uint32_t>(i) : target.vertices[i];
    if (offsets[i] == Vec3f{}) continue;
    if (v / block_vertices != block) finish();
    block = v / block_vertices;
    moved = true;
    for (std::size_t r = 0; r < 3; ++r) numbers[3 * (v % block_vertices) + r] = double{offsets[i][r]};
  }
  finish();
}

BlockOffsets pack_blocks(std::span<const MorphTarget> targets, std::vector<Vec3f> MorphTarget::*offsets,
                         std::size_t vertex_count, double tolerance) {
  std::vector<Entry> entries;
  for (std::uint32_t t = 0; t < targets.size(); ++t) add_target(targets[t], t, targets[t].*offsets, tolerance, entries);
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.block < b.block; });
  BlockOffsets result;
  result.first.assign((vertex_count + block_vertices - 1) / block_vertices + 1, 0);
  for (const Entry& e : entries) {
    ++result.first[e.block + 1];
    result.targets.push_back(e.target);
    result.scales.push_back(e.scale);
    result.blocks.push_back(e.numbers);
  }
  for (std::size_t b = 0; b + 1 < result.first.size(); ++b) result.first[b + 1] += result.first[b];
  return result;
}

}  // namespace

MorphTable build_morph_table(std::span<const MorphTarget> targets, std::size_t vertex_count, double tolerance) {
  return {static_cast<std::uint32_t>(vertex_count), static_cast<std::uint32_t>(targets.size()),
          pack_blocks(targets, &MorphTarget::positions, vertex_count, tolerance),
          pack_blocks(targets, &MorphTarget::normals, vertex_count, tolerance > 0 ? normal_tolerance : 0)};
}

}  // namespace supple
