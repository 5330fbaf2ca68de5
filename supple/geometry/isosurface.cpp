// Marching cubes in layers: count, number, write; every layer knows beforehand where its output goes.
#include "supple/geometry/isosurface.h"

#include <cassert>
#include <cmath>
#include <utility>
#include <vector>

#include "supple/base/parallel.h"
#include "supple/geometry/isosurface_cases.h"

namespace supple {
namespace {

using detail::cube_cases;

// A vertex stays this far, in units of its grid edge, from the edge's ends: where a sample lies on the surface, the
// vertices around it would otherwise coincide and their triangles vanish.
constexpr double end_clearance = 1e-3;

struct LayerCount {
  std::uint32_t vertices = 0, triangles = 0;
};

class Marcher {
 public:
  Marcher(const Grid& grid, std::span<const float> values, float iso)
      : grid_(grid), values_(values), iso_(iso), nx_(grid.size[0]), ny_(grid.size[1]), nz_(grid.size[2]) {}

  Mesh run() const {
    std::vector<LayerCount> first(nz_ + 1);
    parallel_for(nz_, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) first[k + 1] = count(k);
    });
    for (std::size_t k = 0; k < nz_; ++k) {
      first[k + 1].vertices += first[k].vertices;
      first[k + 1].triangles += first[k].triangles;
    }
    Mesh mesh;
    mesh.positions.resize(first.back().vertices);
    mesh.triangles.resize(first.back().triangles);
    constexpr std::size_t slab = 8;
    parallel_for(nz_, slab, [&](std::size_t begin, std::size_t end) {
      EdgeNumbers below(3 * nx_ * ny_), above(3 * nx_ * ny_);
      number(begin, first[begin].vertices, below, &mesh);
      for (std::size_t k = begin; k < end && k + 1 < nz_; ++k) {
        number(k + 1, first[k + 1].vertices, above, k + 1 < end ? &mesh : nullptr);
        write_triangles(k, below, above, mesh.triangles.data() + first[k].triangles);
        std::swap(below, above);
      }
    });
    return mesh;
  }

 private:
  using EdgeNumbers = std::vector<std::uint32_t>;  // of the edges that start at sample (i, j): 3 * (i + nx * j) + axis

  bool inside(std::size_t i, std::size_t j, std::size_t k) const { return values_[i + nx_ * (j + ny_ * k)] < iso_; }

  bool crossed(std::size_t i, std::size_t j, std::size_t k, unsigned axis) const {
    const std::size_t i1 = i + (axis == 0), j1 = j + (axis == 1), k1 = k + (axis == 2);
    return i1 < nx_ && j1 < ny_ && k1 < nz_ && inside(i, j, k) != inside(i1, j1, k1);
  }

  unsigned corners(std::size_t i, std::size_t j, std::size_t k) const {
    unsigned bits = 0;
    for (unsigned c = 0; c < 8; ++c) {
      bits |= static_cast<unsigned>(inside(i + (c & 1u), j + ((c >> 1) & 1u), k + ((c >> 2) & 1u))) << c;
    }
    return bits;
  }

  template <class Visit>
  void for_each_cell(std::size_t k, Visit&& visit) const {
    for (std::size_t j = 0; j + 1 < ny_; ++j) {
      for (std::size_t i = 0; i + 1 < nx_; ++i) {
        const unsigned bits = corners(i, j, k);
        if (bits != 0 && bits != 255) visit(i, j, cube_cases[bits]);
      }
    }
  }

  LayerCount count(std::size_t k) const {
    LayerCount result;
    for (std::size_t j = 0; j < ny_; ++j) {
      for (std::size_t i = 0; i < nx_; ++i) {
        for (unsigned axis = 0; axis < 3; ++axis) result.vertices += crossed(i, j, k, axis);
      }
    }
    if (k + 1 < nz_) {
      for_each_cell(k, [&](std::size_t, std::size_t, const detail::CubeCase& c) { result.triangles += c.count; });
    }
    return result;
  }

  void number(std::size_t k, std::uint32_t next, EdgeNumbers& numbers, Mesh* mesh) const {
    for (std::size_t j = 0; j < ny_; ++j) {
      for (std::size_t i = 0; i < nx_; ++i) {
        for (unsigned axis = 0; axis < 3; ++axis) {
          if (!crossed(i, j, k, axis)) continue;
          if (mesh != nullptr) mesh->positions[next] = crossing(i, j, k, axis);
          numbers[3 * (i + nx_ * j) + axis] = next++;
        }
      }
    }
  }

  Vec3f crossing(std::size_t i, std::size_t j, std::size_t k, unsigned axis) const {
    const std::size_t strides[3] = {1, nx_, nx_ * ny_};
    const std::size_t at = i + nx_ * (j + ny_ * k);
    const double a = static_cast<double>(values_[at]) - iso_;
    const double b = static_cast<double>(values_[at + strides[axis]]) - iso_;
    const double t = std::clamp(a / (a - b), end_clearance, 1 - end_clearance);
    Vec3d p = grid_.point(i, j, k);
    // An infinite sample says on which side it is and no more: the middle is as good a guess as any.
    p[axis] += grid_.spacing[axis] * (std::isfinite(a) && std::isfinite(b) ? t : 0.5);
    return Vec3f(p);
  }

  void write_triangles(std::size_t k, const EdgeNumbers& below, const EdgeNumbers& above, Triangle* out) const {
    for_each_cell(k, [&](std::size_t i, std::size_t j, const detail::CubeCase& cube) {
      for (std::size_t t = 0; t < cube.count; ++t, ++out) {
        for (std::size_t corner = 0; corner < 3; ++corner) {
          const unsigned edge = cube.triangles[t][corner];
          const unsigned start = detail::cube_edge_start(edge);
          const std::size_t sample = (i + (start & 1u)) + nx_ * (j + ((start >> 1) & 1u));
          (*out)[corner] = ((start >> 2) & 1u ? above : below)[3 * sample + detail::cube_edge_axis(edge)];
        }
      }
    });
  }

  const Grid& grid_;
  std::span<const float> values_;
  float iso_;
  std::size_t nx_, ny_, nz_;
};

// Fills samples [low, high) by asking the field at the middle: where it is farther from zero than it can change up to
// one grid step beyond the box, neither a sample nor an edge that leaves the box meets the surface, and the sign is
// enough.
void sample_box(const Field& field, const Grid& grid, double lipschitz, std::array<std::size_t, 3> low,
                std::array<std::size_t, 3> high, std::vector<float>& values) {
  const auto fill = [&](auto&& value_at) {
    for (std::size_t k = low[2]; k < high[2]; ++k) {
      for (std::size_t j = low[1]; j < high[1]; ++j) {
        for (std::size_t i = low[0]; i < high[0]; ++i) {
          values[i + grid.size[0] * (j + grid.size[1] * k)] = static_cast<float>(value_at(i, j, k));
        }
      }
    }
  };
  const Vec3d a = grid.point(low[0], low[1], low[2]);
  const Vec3d b = grid.point(high[0] - 1, high[1] - 1, high[2] - 1);
  const double reach = length((b - a) * 0.5 + grid.spacing);
  const double middle = field((a + b) * 0.5);
  if (std::abs(middle) > lipschitz * reach) return fill([&](auto...) { return middle; });

  const std::size_t longest = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  if (longest <= 2)
    return fill([&](std::size_t i, std::size_t j, std::size_t k) { return field(grid.point(i, j, k)); });
  std::array<std::size_t, 3> half{};
  for (std::size_t axis = 0; axis < 3; ++axis) half[axis] = (low[axis] + high[axis] + 1) / 2;
  for (unsigned octant = 0; octant < 8; ++octant) {
    std::array<std::size_t, 3> from = low, to = high;
    for (unsigned axis = 0; axis < 3; ++axis) ((octant >> axis) & 1u ? from : to)[axis] = half[axis];
    if (from[0] < to[0] && from[1] < to[1] && from[2] < to[2]) sample_box(field, grid, lipschitz, from, to, values);
  }
}

}  // namespace

Grid grid_around(Vec3d low, Vec3d high, double spacing) {
  Grid grid{low, {spacing, spacing, spacing}, {}};
  for (std::size_t axis = 0; axis < 3; ++axis)
    grid.size[axis] = static_cast<std::size_t>(std::ceil((high[axis] - low[axis]) / spacing)) + 1;
  return grid;
}

Mesh isosurface(const Grid& grid, std::span<const float> values, float iso) {
  assert(values.size() == grid.samples());
  if (grid.size[0] < 2 || grid.size[1] < 2 || grid.size[2] < 2) return {};
  return Marcher(grid, values, iso).run();
}

Mesh isosurface(const Field& field, const Grid& grid, double lipschitz) {
  if (grid.size[0] < 2 || grid.size[1] < 2 || grid.size[2] < 2) return {};
  std::vector<float> values(grid.samples());
  constexpr std::size_t block = 16;
  std::array<std::size_t, 3> blocks{};
  for (std::size_t axis = 0; axis < 3; ++axis) blocks[axis] = (grid.size[axis] + block - 1) / block;
  parallel_for(blocks[0] * blocks[1] * blocks[2], 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      const std::array<std::size_t, 3> low = {block * (n % blocks[0]), block * (n / blocks[0] % blocks[1]),
                                              block * (n / (blocks[0] * blocks[1]))};
      std::array<std::size_t, 3> high{};
      for (std::size_t axis = 0; axis < 3; ++axis) high[axis] = std::min(low[axis] + block, grid.size[axis]);
      sample_box(field, grid, lipschitz, low, high, values);
    }
  });
  return isosurface(grid, values, 0);
}

}  // namespace supple
