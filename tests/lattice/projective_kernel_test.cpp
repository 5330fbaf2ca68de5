// The kernels of projective dynamics against each other, bit by bit, and against differences of the energy in double
// precision.
#include "supple/author/lattice/projective_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "supple/base/decompose.h"
#include "supple/base/quat.h"
#include "supple/base/rng.h"

namespace supple::lattice {
namespace {

constexpr Cell one_cell{0, 1, 2, 3, 4, 5, 6, 7};

Vec3d corner_at_rest(std::size_t c) {
  return {static_cast<double>((c >> 2) & 1), static_cast<double>((c >> 1) & 1), static_cast<double>(c & 1)};
}

/// The smallest of |F - P|^2 over matrices P of determinant 1, for the singular values of F: P has the same singular
/// vectors. Newton's method on (a, b) with singular values e^a, e^b and e^(-a-b).
double squared_distance_from_volume(Vec3d s) {
  const double volume = s.x * s.y * s.z, root = std::cbrt(volume);
  double a = 0, b = 0, best = 1e300;
  if (volume > 0) a = std::log(s.x / root), b = std::log(s.y / root);
  const auto value = [&](double u, double v) {
    const double p = std::exp(u) - s.x, q = std::exp(v) - s.y, r = std::exp(-u - v) - s.z;
    return p * p + q * q + r * r;
  };
  for (int step = 0; step < 60; ++step) {
    const double p = std::exp(a), q = std::exp(b), r = std::exp(-a - b);
    const double ga = (p - s.x) * p - (r - s.z) * r, gb = (q - s.y) * q - (r - s.z) * r;
    const double hr = (2 * r - s.z) * r;
    const double haa = (2 * p - s.x) * p + hr, hbb = (2 * q - s.y) * q + hr, det = haa * hbb - hr * hr;
    double da = -(hbb * ga - hr * gb) / det, db = -(haa * gb - hr * ga) / det;
    if (!(haa > 0 && det > 0)) da = -ga, db = -gb;
    best = value(a, b);
    double by = 1;
    while (by > 1e-9 && value(a + by * da, b + by * db) > best) by /= 2;
    a += by * da, b += by * db;
  }
  return std::min(best, value(a, b));
}

/// 1/2 the volume of each of six tetrahedra times |F - R|^2 + w |F - P|^2, in cells of edge `scale`.
double energy(const std::array<Vec3d, 8>& x, double volume_weight, double scale) {
  double sum = 0;
  std::array<std::size_t, 3> axes{0, 1, 2};
  do {  // a tetrahedron goes from corner 0 to corner 7 along the three axes in some order
    Mat3d f;
    std::size_t from = 0;
    for (const std::size_t axis : axes) {
      const std::size_t to = from | (4u >> axis);
      f[axis] = (x[to] - x[from]) * (1 / scale);
      from = to;
    }
    const Vec3d s = rotation_svd(f).values;
    double density = squared_length(s - Vec3d{1, 1, 1});
    if (volume_weight > 0) density += volume_weight * squared_distance_from_volume(s);
    sum += scale * scale * density / 12;
  } while (std::next_permutation(axes.begin(), axes.end()));
  return sum;
}

std::array<Vec3d, 8> reference_force(const std::array<Vec3d, 8>& x, double volume_weight, double scale) {
  constexpr double h = 1e-5;
  std::array<Vec3d, 8> force;
  for (std::size_t c = 0; c < 8; ++c)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::array<Vec3d, 8> more = x, less = x;
      more[c][axis] += h;
      less[c][axis] -= h;
      force[c][axis] = -(energy(more, volume_weight, scale) - energy(less, volume_weight, scale)) / (2 * h);
    }
  return force;
}

/// Cells side by side without common nodes, each lane deformed in another way.
struct Cells {
  std::vector<Cell> cells;
  std::vector<Lanes> x, force, rotations, scale;

  explicit Cells(std::size_t count) : x(24 * count), force(24 * count), rotations(24 * count), scale(count) {
    for (std::uint32_t k = 0; k < count; ++k) {
      Cell& cell = cells.emplace_back(one_cell);
      for (std::uint32_t& n : cell) n += 8 * k;
      for (std::size_t l = 0; l < lanes; ++l) scale[k].lane[l] = 1;
    }
    start({});
  }
  void start(Quatd q) {
    for (std::size_t i = 0; i < rotations.size(); i += 4)
      for (std::size_t l = 0; l < lanes; ++l) {
        rotations[i].lane[l] = static_cast<float>(q.x), rotations[i + 1].lane[l] = static_cast<float>(q.y);
        rotations[i + 2].lane[l] = static_cast<float>(q.z), rotations[i + 3].lane[l] = static_cast<float>(q.w);
      }
  }
  void put(std::size_t cell, std::size_t lane, const std::array<Vec3d, 8>& corners) {
    for (std::size_t c = 0; c < 8; ++c)
      for (std::size_t axis = 0; axis < 3; ++axis)
        x[3 * (8 * cell + c) + axis].lane[lane] = static_cast<float>(corners[c][axis]);
  }
  std::array<Vec3d, 8> corners(std::size_t cell, std::size_t lane, const std::vector<Lanes>& of) const {
    std::array<Vec3d, 8> result;
    for (std::size_t c = 0; c < 8; ++c)
      for (std::size_t axis = 0; axis < 3; ++axis) result[c][axis] = double{of[3 * (8 * cell + c) + axis].lane[lane]};
    return result;
  }
  void run(const ProjectiveKernel& kernel, float volume_weight, int times, bool scaled = false,
           const float* stiffness = nullptr) {
    for (int i = 0; i < times; ++i) {
      std::fill(force.begin(), force.end(), Lanes{});
      kernel.local_step({cells.data(), cells.size(), x.data(), force.data(), rotations.data(),
                         scaled ? scale.data() : nullptr, stiffness, volume_weight});
    }
  }
};

Quatd random_rotation(Rng& rng) {
  return normalized(Quatd{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)});
}

std::array<Vec3d, 8> deformed(Rng& rng, Quatd turn, double by, double size = 1) {
  std::array<Vec3d, 8> result;
  for (std::size_t c = 0; c < 8; ++c) {
    const Vec3d moved{rng.uniform(-by, by), rng.uniform(-by, by), rng.uniform(-by, by)};
    result[c] = rotate(turn, corner_at_rest(c) + moved) * size + Vec3d{3, -2, 1};
  }
  return result;
}

double largest_difference(const std::array<Vec3d, 8>& a, const std::array<Vec3d, 8>& b) {
  double worst = 0;
  for (std::size_t c = 0; c < 8; ++c) worst = std::max(worst, length(a[c] - b[c]));
  return worst;
}

class Kernels : public ::testing::TestWithParam<std::size_t> {
 protected:
  const ProjectiveKernel& kernel() const { return *projective_kernels()[GetParam()]; }
};
INSTANTIATE_TEST_SUITE_P(Projective, Kernels, ::testing::Range(std::size_t{0}, projective_kernels().size()),
                         [](const auto& kernel) { return std::string(projective_kernels()[kernel.param]->name); });

TEST_P(Kernels, AtRestNothingPulls) {
  Cells cells(1);
  Rng rng(1);
  for (std::size_t l = 0; l < lanes; ++l) cells.put(0, l, deformed(rng, {}, 0));
  cells.run(kernel(), 2, 1);
  for (const Lanes& f : cells.force)
    for (const float v : f.lane) EXPECT_NEAR(v, 0, 1e-6);
}

TEST_P(Kernels, ForceIsTheSlopeOfTheEnergy) {
  Rng rng(7);
  Cells cells(2);
  std::vector<Quatd> turns;
  for (std::size_t k = 0; k < 2; ++k)
    for (std::size_t l = 0; l < lanes; ++l) {
      // Up to 20 degrees from where the rotations begin, strained by up to a third.
      const Quatd turn = from_axis_angle(normalized(Vec3d{rng.uniform(-1, 1), rng.uniform(-1, 1), 0.3}), 0.35);
      cells.put(k, l, deformed(rng, turn, 0.1));
    }
  for (const float weight : {0.0f, 2.0f}) {
    cells.run(kernel(), weight, 6);
    for (std::size_t k = 0; k < 2; ++k)
      for (std::size_t l = 0; l < lanes; ++l) {
        const std::array<Vec3d, 8> expected = reference_force(cells.corners(k, l, cells.x), double{weight}, 1);
        double size = 0;
        for (const Vec3d f : expected) size = std::max(size, length(f));
        EXPECT_GT(size, 0.01);
        // Three steps of Newton's method for the volume; single precision.
        EXPECT_LT(largest_difference(cells.corners(k, l, cells.force), expected), 2e-3 * size + 2e-6)
            << "weight " << weight << ", cell " << k << ", lane " << l;
      }
  }
}

TEST_P(Kernels, LargeStrainsAndScaledCells) {
  Rng rng(8);
  Cells cells(1);
  for (std::size_t l = 0; l < lanes; ++l) {
    cells.scale[0].lane[l] = 0.5f + 0.125f * static_cast<float>(l);
    const double size = double{cells.scale[0].lane[l]};
    std::array<Vec3d, 8> corners = deformed(rng, {}, 0.12, size);
    for (Vec3d& p : corners) p.x *= l % 2 == 0 ? 1.5 : 0.6;  // all tetrahedra wider or thinner
    cells.put(0, l, corners);
  }
  cells.run(kernel(), 2, 8, true);
  for (std::size_t l = 0; l < lanes; ++l) {
    const std::array<Vec3d, 8> expected =
        reference_force(cells.corners(0, l, cells.x), 2, double{cells.scale[0].lane[l]});
    double size = 0;
    for (const Vec3d f : expected) size = std::max(size, length(f));
    EXPECT_LT(largest_difference(cells.corners(0, l, cells.force), expected), 0.03 * size) << l;
  }
}

TEST_P(Kernels, RotationsAreFoundFromFarAway) {
  // The axis is known to vanish only at half a turn; from 160 degrees it takes a dozen steps.
  Rng rng(9);
  Cells cells(1);
  for (std::size_t l = 0; l < lanes; ++l) {
    const Vec3d axis = normalized(Vec3d{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)});
    cells.put(0, l, deformed(rng, from_axis_angle(axis, 2.8), 0.1));
  }
  cells.run(kernel(), 0, 20);
  for (std::size_t l = 0; l < lanes; ++l) {
    const std::array<Vec3d, 8> expected = reference_force(cells.corners(0, l, cells.x), 0, 1);
    EXPECT_LT(largest_difference(cells.corners(0, l, cells.force), expected), 1e-4) << l;
  }
}

TEST_P(Kernels, ForcesOfACellBalance) {
  Rng rng(10);
  Cells cells(1);
  for (std::size_t l = 0; l < lanes; ++l) cells.put(0, l, deformed(rng, random_rotation(rng), 0.6));
  cells.run(kernel(), 2, 30);
  for (std::size_t l = 0; l < lanes; ++l) {
    const std::array<Vec3d, 8> force = cells.corners(0, l, cells.force);
    Vec3d sum{};
    for (const Vec3d f : force) sum += f;
    EXPECT_LT(length(sum), 1e-5) << l;
  }
}

TEST_P(Kernels, AStifferCellPullsHarder) {
  Rng rng(11);
  Cells cells(2);
  for (std::size_t l = 0; l < lanes; ++l) {
    const std::array<Vec3d, 8> corners = deformed(rng, random_rotation(rng), 0.3);
    cells.put(0, l, corners);
    cells.put(1, l, corners);
  }
  constexpr float stiffness[2] = {1, 4};
  cells.run(kernel(), 2, 5, false, stiffness);
  for (std::size_t l = 0; l < lanes; ++l) {
    std::array<Vec3d, 8> four = cells.corners(0, l, cells.force);
    for (Vec3d& f : four) f *= 4;
    EXPECT_LT(largest_difference(cells.corners(1, l, cells.force), four), 1e-5) << l;
  }
}

TEST_P(Kernels, InsideOutIsPushedBack) {
  // Mirrored and thinner: the nearest rotation turns nothing. P is the nearest matrix of volume 1, or R where Newton's
  // method does not find it.
  Cells cells(1);
  for (std::size_t l = 0; l < lanes; ++l) {
    std::array<Vec3d, 8> corners;
    const double thick = 0.1 + 0.035 * static_cast<double>(l);
    for (std::size_t c = 0; c < 8; ++c) corners[c] = corner_at_rest(c), corners[c].x *= -thick;
    cells.put(0, l, corners);
  }
  cells.run(kernel(), 2, 5);
  for (std::size_t l = 0; l < lanes; ++l) {
    const std::array<Vec3d, 8> both = reference_force(cells.corners(0, l, cells.x), 2, 1);
    std::array<Vec3d, 8> shape = reference_force(cells.corners(0, l, cells.x), 0, 1);
    for (Vec3d& f : shape) f *= 3;
    const std::array<Vec3d, 8> force = cells.corners(0, l, cells.force);
    double size = 0;
    for (const Vec3d f : both) size = std::max(size, length(f));
    // Three steps from so far away come near: the kernel wants a volume of .8 to 1.25.
    EXPECT_LT(std::min(largest_difference(force, shape), largest_difference(force, both)), 0.1 * size) << l;
    for (std::size_t c = 0; c < 8; ++c) {
      // Corners that should be at larger x are pushed there.
      EXPECT_GT(force[c].x * (corner_at_rest(c).x - 0.5), 0) << l;
    }
  }
}

TEST_P(Kernels, CollapsedCellsStayFinite) {
  Cells cells(1);
  Rng rng(12);
  for (std::size_t l = 0; l < lanes; ++l) {
    std::array<Vec3d, 8> corners = deformed(rng, random_rotation(rng), 0.3);
    if (l % 4 == 0) corners.fill({1, 2, 3});                                            // a point
    if (l % 4 == 1) std::ranges::for_each(corners, [](Vec3d& p) { p.z = 0; });          // flat
    if (l % 4 == 2) std::ranges::for_each(corners, [](Vec3d& p) { p = {p.x, 0, 0}; });  // a line
    if (l % 4 == 3) std::ranges::for_each(corners, [](Vec3d& p) { p *= 1e4; });         // exploded
    cells.put(0, l, corners);
  }
  cells.run(kernel(), 2, 40);
  for (std::size_t l = 0; l < lanes; ++l)
    for (const Vec3d f : cells.corners(0, l, cells.force)) {
      ASSERT_TRUE(is_finite(f)) << l;
      // No pull is longer than how far the tetrahedra are from a unit cube, which six share.
      EXPECT_LT(length(f), l % 4 == 3 ? 1e5 : 10.0) << l;
    }
}

TEST_P(Kernels, APoseOfNoNumbersLeavesTheOthersAlone) {
  Rng rng(13);
  Cells cells(1);
  for (std::size_t l = 0; l < lanes; ++l) cells.put(0, l, deformed(rng, {}, 0.2));
  Cells other = cells;
  std::array<Vec3d, 8> broken;
  broken.fill({std::nan(""), 1e38, 0});
  other.put(0, 5, broken);
  cells.run(kernel(), 2, 3);
  other.run(kernel(), 2, 3);
  for (std::size_t i = 0; i < cells.force.size(); ++i)
    for (std::size_t l = 0; l < lanes; ++l)
      if (l != 5) {
        ASSERT_EQ(cells.force[i].lane[l], other.force[i].lane[l]);
        ASSERT_EQ(cells.rotations[i].lane[l], other.rotations[i].lane[l]);
      }
}

TEST_P(Kernels, LocalStepGivesTheSameBits) {
  Rng rng(14);
  Cells cells(5);
  for (std::size_t k = 0; k < 5; ++k)
    for (std::size_t l = 0; l < lanes; ++l) {
      cells.scale[k].lane[l] = static_cast<float>(rng.uniform(0.5, 2));
      cells.put(k, l, deformed(rng, random_rotation(rng), k == 0 ? 2.0 : 0.3));  // the first is a tangle
    }
  cells.put(1, 3, {});  // and one a point
  for (const bool scaled : {false, true}) {
    Cells first = cells, own = cells;
    first.run(*projective_kernels()[0], 2, 4, scaled);
    own.run(kernel(), 2, 4, scaled);
    EXPECT_EQ(std::memcmp(first.force.data(), own.force.data(), first.force.size() * sizeof(Lanes)), 0);
    EXPECT_EQ(std::memcmp(first.rotations.data(), own.rotations.data(), own.rotations.size() * sizeof(Lanes)), 0);
  }
}

/// A lower triangular factor in panels of 1 to 13 columns, made up; `dense` is the same by rows.
struct MadeFactor {
  std::vector<FactorPanel> panels;
  std::vector<std::uint32_t> below;
  std::vector<float> values;
  std::size_t n = 90;
  std::vector<double> dense = std::vector<double>(n * n);

  MadeFactor() {
    Rng rng(15);
    for (std::uint32_t first = 0; first < n;) {
      const auto columns = std::min<std::uint32_t>(1 + rng.below(13), static_cast<std::uint32_t>(n) - first);
      FactorPanel panel{first, columns, static_cast<std::uint32_t>(below.size()), 0, values.size()};
      std::vector<std::uint32_t> rows;
      for (std::uint32_t r = first; r < first + columns; ++r) rows.push_back(r);
      for (std::uint32_t r = first + columns; r < n; ++r)
        if (rng.below(4) == 0) rows.push_back(r), below.push_back(r), ++panel.below_count;
      for (std::uint32_t i = 0; i < rows.size(); ++i)
        for (std::uint32_t c = 0; c < columns; ++c) {
          const bool stored = first + c <= rows[i];
          const double value = first + c == rows[i] ? rng.uniform(1, 2) : rng.uniform(-0.2, 0.2);
          if (stored) dense[rows[i] * n + first + c] = value;
          // What is above the diagonal must not be read; the diagonal is inverted.
          values.push_back(stored ? static_cast<float>(first + c == rows[i] ? 1 / value : value) : 1e30f);
        }
      panels.push_back(panel);
      first += columns;
    }
  }
  FactorView view() const { return {panels.data(), panels.size(), below.data(), values.data()}; }
};

TEST_P(Kernels, SolveIsRightAndGivesTheSameBits) {
  const MadeFactor factor;
  const std::size_t n = factor.n;
  Rng rng(16);
  std::vector<Lanes> right(3 * n);
  for (Lanes& l : right)
    for (float& v : l.lane) v = static_cast<float>(rng.uniform(-1, 1));
  std::vector<Lanes> x = right, first = right;
  kernel().solve(factor.view(), x.data());
  projective_kernels()[0]->solve(factor.view(), first.data());
  EXPECT_EQ(std::memcmp(x.data(), first.data(), x.size() * sizeof(Lanes)), 0);
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t l = 0; l < lanes; ++l) {
      std::vector<double> y(n);
      for (std::size_t i = 0; i < n; ++i) {
        y[i] = double{right[3 * i + axis].lane[l]};
        for (std::size_t k = 0; k < i; ++k) y[i] -= factor.dense[i * n + k] * y[k];
        y[i] /= factor.dense[i * n + i];
      }
      double largest = 0;
      for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) y[i] -= factor.dense[k * n + i] * y[k];
        y[i] /= factor.dense[i * n + i];
        largest = std::max(largest, std::abs(y[i]));
      }
      for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(double{x[3 * i + axis].lane[l]}, y[i], 1e-5 * largest);
    }
}

}  // namespace
}  // namespace supple::lattice
