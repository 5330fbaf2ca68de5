// The body-centred cubic lattice: two interleaved cubic grids whose points, with their fourteen nearest neighbours
// each, tile space by equal tetrahedra.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "supple/base/vec.h"

namespace supple::detail {

/// In steps of half a lattice constant: all three even (corner of a cube) or all three odd (centre of a cube).
struct BccPoint {
  std::array<std::int32_t, 3> at{};
  friend BccPoint operator+(BccPoint a, BccPoint b) {
    return {{a.at[0] + b.at[0], a.at[1] + b.at[1], a.at[2] + b.at[2]}};
  }
  friend bool operator==(const BccPoint&, const BccPoint&) = default;
};

/// The steps to the neighbours; step 13 - d leads back from step d. The long ones (one lattice constant) along the axes
/// and the short ones (sqrt(3)/2) along the diagonals.
inline constexpr std::array<BccPoint, 14> bcc_steps = {{{{2, 0, 0}},
                                                        {{0, 2, 0}},
                                                        {{0, 0, 2}},
                                                        {{-1, -1, 1}},
                                                        {{1, -1, 1}},
                                                        {{-1, 1, 1}},
                                                        {{1, 1, 1}},
                                                        {{-1, -1, -1}},
                                                        {{1, -1, -1}},
                                                        {{-1, 1, -1}},
                                                        {{1, 1, -1}},
                                                        {{0, 0, -2}},
                                                        {{0, -2, 0}},
                                                        {{-2, 0, 0}}}};
/// The first seven belong to the point they start from, so that each edge has one owner.
inline constexpr std::size_t bcc_owned_steps = 7;
constexpr bool is_long_step(std::size_t step) { return step < 3 || step > 10; }
/// The step from a to its neighbour b.
constexpr std::size_t bcc_step(BccPoint a, BccPoint b) {
  const std::int32_t x = b.at[0] - a.at[0], y = b.at[1] - a.at[1], z = b.at[2] - a.at[2];
  if (y == 0 && z == 0) return x > 0 ? 0 : 13;
  if (x == 0 && z == 0) return y > 0 ? 1 : 12;
  if (x == 0 && y == 0) return z > 0 ? 2 : 11;
  return static_cast<std::size_t>((z > 0 ? 3 : 7) + (x > 0 ? 1 : 0) + (y > 0 ? 2 : 0));
}

/// `size` cubes' corners along each axis and as many centres, numbered corners first.
struct BccLattice {
  Vec3d origin{};
  double constant = 1;  // side of the cubes, metres
  std::array<std::size_t, 3> size{};

  std::size_t corners() const { return size[0] * size[1] * size[2]; }
  std::size_t points() const { return 2 * corners(); }
  bool contains(BccPoint p) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (p.at[axis] < 0 || static_cast<std::size_t>(p.at[axis]) >= 2 * size[axis]) return false;
    }
    return true;
  }
  std::size_t number(BccPoint p) const {
    const auto i = static_cast<std::size_t>(p.at[0] >> 1), j = static_cast<std::size_t>(p.at[1] >> 1),
               k = static_cast<std::size_t>(p.at[2] >> 1);
    return i + size[0] * (j + size[1] * k) + ((p.at[0] & 1) != 0 ? corners() : 0);
  }
  BccPoint point(std::size_t number) const {
    const std::int32_t odd = number >= corners() ? 1 : 0;
    if (odd != 0) number -= corners();
    const auto i = static_cast<std::int32_t>(number % size[0]),
               j = static_cast<std::int32_t>(number / size[0] % size[1]),
               k = static_cast<std::int32_t>(number / (size[0] * size[1]));
    return {{2 * i + odd, 2 * j + odd, 2 * k + odd}};
  }
  Vec3d position(BccPoint p) const {
    return origin + Vec3d{static_cast<double>(p.at[0]), static_cast<double>(p.at[1]), static_cast<double>(p.at[2])} *
                        (0.5 * constant);
  }
};

/// Calls visit(corners) for the tetrahedra about the faces between cubes of layer k, and about its floor: each has two
/// centres and the two ends of an edge of the face between them, positively oriented.
template <class Visit>
void for_each_bcc_tetrahedron(const BccLattice& lattice, std::size_t k, Visit&& visit) {
  const auto sized = [&](std::size_t axis) { return static_cast<std::int32_t>(lattice.size[axis]); };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (axis == 2 && k == 0) continue;
    const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (std::int32_t j = axis == 1 ? 1 : 0; j < sized(1); ++j) {
      for (std::int32_t i = axis == 0 ? 1 : 0; i < sized(0); ++i) {
        const BccPoint low{{2 * i, 2 * j, 2 * static_cast<std::int32_t>(k)}};
        // The upper corners of the last cubes are not part of the lattice.
        if (low.at[u] / 2 + 1 >= sized(u) || low.at[v] / 2 + 1 >= sized(v)) continue;
        const BccPoint upper = low + BccPoint{{1, 1, 1}};
        BccPoint lower = upper;
        lower.at[axis] -= 2;
        std::array<BccPoint, 4> square{low, low, low, low};
        square[1].at[u] += 2;
        square[2].at[u] += 2;
        square[2].at[v] += 2;
        square[3].at[v] += 2;
        for (std::size_t s = 0; s < 4; ++s)
          visit(std::array<BccPoint, 4>{lower, upper, square[s], square[(s + 1) % 4]});
      }
    }
  }
}

}  // namespace supple::detail
