#include "supple/author/scan/parts_surface.h"

#include <algorithm>
#include <cmath>

#include "supple/geometry/topology.h"

namespace supple::scan {
namespace {

using Place = std::array<std::size_t, 3>;

struct Region {
  Place low{}, end{};  // samples of the volume
};

// The part's box and two samples more, for gradients; as far as the volume goes.
Region region_of(const Volume& volume, const Block& block, const Split& split, std::uint16_t part) {
  constexpr std::size_t more = 2;
  Place low = block.size, high{};
  for (std::size_t k = 0; k < block.size[2]; ++k) {
    for (std::size_t j = 0; j < block.size[1]; ++j) {
      for (std::size_t i = 0; i < block.size[0]; ++i) {
        if (split.part[block.place(i, j, k)] != part) continue;
        const Place at{i, j, k};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          low[axis] = std::min(low[axis], at[axis]);
          high[axis] = std::max(high[axis], at[axis]);
        }
      }
    }
  }
  Region region;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t first = block.origin[axis] + low[axis] - 1, last = block.origin[axis] + high[axis] - 1;
    region.low[axis] = first - std::min(first, more);
    region.end[axis] = std::min(last + 1 + more, volume.size[axis]);
  }
  return region;
}

// Which part a sample of the volume belongs to; 0 beyond the block too.
std::uint16_t part_at(const Block& block, const Split& split, const Place& sample) {
  Place at{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    at[axis] = sample[axis] + 1 - block.origin[axis];  // wraps around below the block, and so is beyond it
    if (at[axis] >= block.size[axis]) return 0;
  }
  return split.part[block.place(at[0], at[1], at[2])];
}

// The volume in the region as if this part were the only bone in it.
Volume alone(const Volume& volume, const Block& block, const Split& split, std::uint16_t part, const Region& region,
             double iso, double dense) {
  Volume own;
  own.slope = volume.slope;
  own.intercept = volume.intercept;
  own.to_world = volume.to_world;
  own.to_world.translation = volume.to_world.point(Vec3d{
      static_cast<double>(region.low[0]), static_cast<double>(region.low[1]), static_cast<double>(region.low[2])});
  for (std::size_t axis = 0; axis < 3; ++axis) own.size[axis] = region.end[axis] - region.low[axis];
  own.samples.reserve(own.count());
  const auto sample_of = [&](double value) {
    return static_cast<std::int16_t>(
        std::clamp(std::round((value - volume.intercept) / volume.slope), -32768., 32767.));
  };
  const std::int16_t filled = sample_of(dense), cut = sample_of(2 * iso - dense);
  const double threshold = (iso - volume.intercept) / volume.slope;
  for (std::size_t k = region.low[2]; k < region.end[2]; ++k) {
    for (std::size_t j = region.low[1]; j < region.end[1]; ++j) {
      for (std::size_t i = region.low[0]; i < region.end[0]; ++i) {
        const std::int16_t sample = volume.samples[volume.place(i, j, k)];
        const bool above = sample >= threshold, mine = part_at(block, split, {i, j, k}) == part;
        // Other parts, and pieces that are no part of the block, are cut away; cavities are filled.
        own.samples.push_back(above == mine ? sample : mine ? filled : cut);
      }
    }
  }
  return own;
}

// Filling leaves no cavities, and a part hangs together: but where rounding made a speck, it goes.
Mesh largest_part(const Mesh& mesh) {
  const supple::Parts parts = connected_parts(mesh.positions.size(), mesh.triangles);
  if (parts.count <= 1) return mesh;
  std::vector<std::size_t> size(parts.count, 0);
  for (const std::uint32_t p : parts.of_vertex) ++size[p];
  const auto most = static_cast<std::uint32_t>(std::max_element(size.begin(), size.end()) - size.begin());
  return extract_part(mesh, parts, most);
}

}  // namespace

// Sum of tetrahedra from a point near by.
void measure_part(BonePart& part) {
  const Vec3d origin = Vec3d(bounds(part.surface.positions).center());
  Vec3d moment{};
  part.volume = 0;
  for (const Triangle& t : part.surface.triangles) {
    Vec3d p[3];
    for (std::size_t i = 0; i < 3; ++i) p[i] = Vec3d(part.surface.positions[t[i]]) - origin;
    const double volume = dot(p[0], cross(p[1], p[2])) / 6;
    part.volume += volume;
    moment += (p[0] + p[1] + p[2]) * (volume / 4);
  }
  part.centre = part.volume > 0 ? origin + moment / part.volume : origin;
}

BonePart part_of_surface(const Mesh& surface) {
  BonePart result;
  result.surface = largest_part(surface);
  measure_part(result);
  result.touches.assign(result.surface.positions.size(), false);
  return result;
}

BonePart part_surface(const Volume& volume, const Block& block, const Split& split, std::uint16_t part, double iso,
                      double dense) {
  const Region region = region_of(volume, block, split, part);
  BonePart result = part_of_surface(isosurface(alone(volume, block, split, part, region, iso, dense), {iso, true}));
  if (split.parts == 1) return result;
  result.touches.clear();
  const Affined to_sample = inverse(volume.to_world);
  result.touches.reserve(result.surface.positions.size());
  for (const Vec3f p : result.surface.positions) {
    // A neighbour among the 27 samples around: the blur of the scanner reaches about as far as that.
    const Vec3d at = to_sample.point(Vec3d(p));
    bool touches = false;
    for (std::size_t n = 0; n < 27 && !touches; ++n) {
      const std::size_t step[3] = {n % 3, n / 3 % 3, n / 9};
      Place sample{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        sample[axis] = static_cast<std::size_t>(std::lround(std::max(at[axis], 0.0))) + step[axis] - 1;
      }
      const std::uint16_t other = part_at(block, split, sample);
      touches = other != 0 && other != part;
    }
    result.touches.push_back(touches);
  }
  return result;
}

}  // namespace supple::scan
