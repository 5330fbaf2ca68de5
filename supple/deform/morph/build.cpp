#include <algorithm>
#include <array>
#include <cmath>

#include "supple/deform/morph/table.h"

namespace supple {
namespace {

constexpr std::uint32_t block_vertices = MorphTable::block_vertices;
constexpr double most = 32767;
constexpr double normal_tolerance = 1e-4;  // six thousandths of a degree

using Numbers = std::array<double, 3 * block_vertices>;

double largest(const Numbers& numbers) {
  double result = 0;
  for (const double x : numbers) result = std::max(result, std::abs(x));
  return result;
}

/// What a target adds to a block.
struct Offsets {
  std::uint32_t block = 0, target = 0;
  Numbers positions{}, normals{};

  bool zero() const { return largest(positions) == 0 && largest(normals) == 0; }
};

double nearest(double x) { return std::clamp(std::round(x), -most, most); }

/// 16-bit numbers of a target.
struct Quantized {
  std::array<std::int16_t, 3 * block_vertices> positions, normals;
};

/// Takes from the offsets what 16 bits of each can hold.
Quantized quantize(Offsets& left, const MorphBlock& unit, double scale) {
  Quantized result;
  const auto take = [](Numbers& from, double size, std::array<std::int16_t, 3 * block_vertices>& to) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      const double number = size > 0 ? nearest(from[i] / size) : 0;
      to[i] = static_cast<std::int16_t>(number);
      from[i] -= number * size;
    }
  };
  take(left.positions, double{unit.position} * scale, result.positions);
  take(left.normals, double{unit.normal} * scale, result.normals);
  return result;
}

MorphTable::Entry entry_of(const std::array<std::int16_t, 3 * block_vertices>& first,
                           const std::array<std::int16_t, 3 * block_vertices>& second) {
  MorphTable::Entry entry;
  for (std::size_t i = 0; i < first.size(); ++i)
    entry.pairs[i] = second[i] * 65536 + static_cast<std::uint16_t>(first[i]);
  return entry;
}

/// Entries of one kind, in pairs: see MorphTable::Entry.
void add_entries(std::span<const Quantized> targets, std::vector<MorphTable::Entry>& entries) {
  std::size_t t = 0;
  for (; t + 2 <= targets.size(); t += 2) {
    entries.push_back(entry_of(targets[t].positions, targets[t + 1].positions));
    entries.push_back(entry_of(targets[t].normals, targets[t + 1].normals));
  }
  if (t < targets.size()) entries.push_back(entry_of(targets[t].positions, targets[t].normals));
}

/// A unit that rounds by no more than the tolerance, unless large entries could not reach the largest offset then; nor
/// is it coarser than it need be.
float unit_for(double largest_offset, double tolerance) {
  return static_cast<float>(
      std::clamp(2 * tolerance, largest_offset / most / MorphTable::large, largest_offset / most));
}

/// Those of one target, block after block.
void add_target(const MorphTarget& target, std::uint32_t number, std::vector<Offsets>& all) {
  const std::size_t begin = all.size(), count = std::max(target.positions.size(), target.normals.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto v = target.vertices.empty() ? static_cast<std::uint32_t>(i) : target.vertices[i];
    const std::uint32_t block = v / block_vertices;
    if (all.size() == begin || all.back().block != block) {
      if (all.size() > begin && all.back().zero()) all.pop_back();
      all.push_back({block, number, {}, {}});
    }
    for (std::size_t r = 0; r < 3; ++r) {
      const std::size_t at = r * block_vertices + v % block_vertices;
      if (i < target.positions.size()) all.back().positions[at] = double{target.positions[i][r]};
      if (i < target.normals.size()) all.back().normals[at] = double{target.normals[i][r]};
    }
  }
  if (all.size() > begin && all.back().zero()) all.pop_back();
}

/// The targets of a block: those of the block before, if they are the same.
std::uint32_t add_list(std::span<const std::uint32_t> targets, std::uint32_t large, MorphTable& result) {
  const std::uint32_t plain = static_cast<std::uint32_t>(targets.size()) - large;
  const auto same = [&](const MorphList& l) {
    return l.large == large && l.plain == plain &&
           std::equal(targets.begin(), targets.end(), result.targets.begin() + l.first);
  };
  if (result.lists.empty() || !same(result.lists.back())) {
    result.lists.push_back({static_cast<std::uint32_t>(result.targets.size()), large, plain});
    result.targets.insert(result.targets.end(), targets.begin(), targets.end());
  }
  return static_cast<std::uint32_t>(result.lists.size() - 1);
}

/// The offsets of one block, large entries first.
void pack_block(std::span<Offsets* const> offsets, double tolerance, MorphTable& result) {
  const double allowed_normal = tolerance > 0 ? normal_tolerance : 0;
  double position = 0, normal = 0;
  for (const Offsets* o : offsets) {
    position = std::max(position, largest(o->positions));
    normal = std::max(normal, largest(o->normals));
  }
  MorphBlock block{static_cast<std::uint32_t>(result.entries.size()), 0, unit_for(position, tolerance),
                   unit_for(normal, allowed_normal)};
  std::vector<const Offsets*> done;  // by their large entries alone
  std::vector<std::uint32_t> list;
  std::vector<Quantized> large, plain;
  for (Offsets* o : offsets) {
    // The nearest number to what is half a unit too large is still within half a unit.
    if (largest(o->positions) <= (most + 0.5) * double{block.position} &&
        largest(o->normals) <= (most + 0.5) * double{block.normal})
      continue;
    list.push_back(o->target);
    large.push_back(quantize(*o, block, MorphTable::large));
    if (largest(o->positions) <= tolerance && largest(o->normals) <= allowed_normal) done.push_back(o);
  }
  for (Offsets* o : offsets) {
    if (std::find(done.begin(), done.end(), o) != done.end()) continue;
    list.push_back(o->target);
    plain.push_back(quantize(*o, block, 1));
  }
  block.list = add_list(list, static_cast<std::uint32_t>(large.size()), result);
  result.blocks.push_back(block);
  add_entries(large, result.entries);
  add_entries(plain, result.entries);
}

}  // namespace

MorphTable build_morph_table(std::span<const MorphTarget> targets, std::size_t vertex_count, double tolerance) {
  MorphTable result;
  result.vertex_count = static_cast<std::uint32_t>(vertex_count);
  result.target_count = static_cast<std::uint32_t>(targets.size());
  result.exact = !(tolerance > 0);
  std::vector<Offsets> all;
  for (std::uint32_t t = 0; t < targets.size(); ++t) add_target(targets[t], t, all);
  std::vector<Offsets*> ordered(all.size());  // by block, then by target; offsets are too large to be moved about
  std::transform(all.begin(), all.end(), ordered.begin(), [](Offsets& o) { return &o; });
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Offsets* a, const Offsets* b) { return a->block < b->block; });
  std::size_t begin = 0;
  for (std::uint32_t block = 0; block < (vertex_count + block_vertices - 1) / block_vertices; ++block) {
    std::size_t end = begin;
    while (end < ordered.size() && ordered[end]->block == block) ++end;
    pack_block(std::span(ordered).subspan(begin, end - begin), tolerance, result);
    begin = end;
  }
  return result;
}

}  // namespace supple
