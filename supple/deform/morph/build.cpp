#include <algorithm>
#include <array>
#include <cmath>

#include "supple/deform/morph/table.h"

namespace supple {
namespace {

constexpr std::uint32_t block_vertices = MorphTable::block_vertices;
constexpr double most = 32766;
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

/// The nearest 16-bit number. One is kept free at either end, for normals that make up for their position.
double nearest(double x) { return std::clamp(std::round(x), -most, most); }

/// Takes from the offsets what 16 bits of each can hold.
MorphTable::Entry quantize(Offsets& left, MorphTable::Unit unit, double scale) {
  MorphTable::Entry entry;
  const double position_unit = double{unit.position} * scale, normal_unit = double{unit.normal} * scale;
  for (std::size_t i = 0; i < left.positions.size(); ++i) {
    const double position = position_unit > 0 ? nearest(left.positions[i] / position_unit) : 0;
    const auto low = static_cast<std::uint16_t>(static_cast<std::int16_t>(position));
    const double normal = normal_unit > 0 ? nearest(left.normals[i] / normal_unit - low / 65536.0) : 0;
    entry.pairs[i] = static_cast<std::int32_t>(normal * 65536) + low;
    left.positions[i] -= position * position_unit;
    left.normals[i] -= (normal + low / 65536.0) * normal_unit;
  }
  return entry;
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

/// The offsets of one block, large entries first.
void pack_block(std::span<Offsets* const> offsets, double tolerance, MorphTable& result) {
  const double allowed_normal = tolerance > 0 ? normal_tolerance : 0;
  double position = 0, normal = 0;
  for (const Offsets* o : offsets) {
    position = std::max(position, largest(o->positions));
    normal = std::max(normal, largest(o->normals));
  }
  const MorphTable::Unit unit{unit_for(position, tolerance), unit_for(normal, allowed_normal)};
  std::vector<const Offsets*> done;  // by their large entries alone
  for (Offsets* o : offsets) {
    // The nearest number to what is half a unit too large is still within half a unit.
    if (largest(o->positions) <= (most + 0.5) * double{unit.position} &&
        largest(o->normals) <= (most + 0.5) * double{unit.normal})
      continue;
    result.targets.push_back(o->target);
    result.entries.push_back(quantize(*o, unit, MorphTable::large));
    if (largest(o->positions) <= tolerance && largest(o->normals) <= allowed_normal) done.push_back(o);
  }
  result.units.push_back(unit);
  result.plain.push_back(static_cast<std::uint32_t>(result.targets.size()));
  for (Offsets* o : offsets) {
    if (std::find(done.begin(), done.end(), o) != done.end()) continue;
    result.targets.push_back(o->target);
    result.entries.push_back(quantize(*o, unit, 1));
  }
  result.first.push_back(static_cast<std::uint32_t>(result.targets.size()));
}

}  // namespace

MorphTable build_morph_table(std::span<const MorphTarget> targets, std::size_t vertex_count, double tolerance) {
  MorphTable result;
  result.vertex_count = static_cast<std::uint32_t>(vertex_count);
  result.target_count = static_cast<std::uint32_t>(targets.size());
  std::vector<Offsets> all;
  for (std::uint32_t t = 0; t < targets.size(); ++t) add_target(targets[t], t, all);
  std::vector<Offsets*> ordered(all.size());  // by block, then by target; offsets are too large to be moved about
  std::transform(all.begin(), all.end(), ordered.begin(), [](Offsets& o) { return &o; });
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Offsets* a, const Offsets* b) { return a->block < b->block; });
  result.first.push_back(0);
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
