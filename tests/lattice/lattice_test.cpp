// The lattice against counts that follow from its grid, and against the surface that it is about.
#include "supple/author/lattice/lattice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "supple/base/rng.h"
#include "support/lattice_shapes.h"
#include "support/shapes.h"

namespace supple::lattice {
namespace {

using test::all_of;
using test::append_surface;
using test::cut_box;
using test::cut_sheet;
using test::surface_of;

using Coordinates = std::array<long, 3>;

Coordinates coordinates(const Lattice& l, std::size_t cell) {
  const Vec3f p = l.nodes[l.cells[cell][0]];
  return {std::lround(p.x), std::lround(p.y), std::lround(p.z)};
}
Coordinates cell_around(const Lattice& l, Vec3d p) {
  const Vec3d at = (p - l.origin) * (1 / l.edge);
  return {std::lround(std::floor(at.x)), std::lround(std::floor(at.y)), std::lround(std::floor(at.z))};
}
Vec3d node_place(const Lattice& l, std::uint32_t node) { return l.origin + Vec3d(l.nodes[node]) * l.edge; }

Vec3d embedded(const Lattice& l, std::size_t vertex) {
  const std::array<float, 8> shape = l.shape(vertex);
  Vec3d sum{};
  for (std::size_t c = 0; c < 8; ++c) sum += node_place(l, l.cells[l.cell_of[vertex]][c]) * double{shape[c]};
  return sum;
}

/// Which cells are connected over nodes: a number for each, equal where they are.
std::vector<std::uint32_t> components(const Lattice& l) {
  std::vector<std::uint32_t> root(l.nodes.size());
  std::iota(root.begin(), root.end(), 0u);
  const auto find = [&](std::uint32_t n) {
    while (root[n] != n) n = root[n] = root[root[n]];
    return n;
  };
  for (const Cell& cell : l.cells)
    for (const std::uint32_t n : cell) root[find(n)] = find(cell[0]);
  std::vector<std::uint32_t> result;
  for (const Cell& cell : l.cells) result.push_back(find(cell[0]));
  return result;
}

/// How many cells of a grid a box touches, as closed sets: an axis at a time.
std::size_t cells_along(const Lattice& l, double low, double high, double origin) {
  return static_cast<std::size_t>(std::floor((high - origin) / l.edge) - std::floor((low - origin) / l.edge)) + 1;
}

void expect_equal(const Lattice& a, const Lattice& b, double scale) {
  EXPECT_EQ(a.edge * scale, b.edge);
  EXPECT_EQ(a.origin * scale, b.origin);
  EXPECT_EQ(a.nodes, b.nodes);
  EXPECT_EQ(a.cells, b.cells);
  EXPECT_EQ(a.cell_of, b.cell_of);
  EXPECT_EQ(a.place, b.place);
}

/// A ball, a ring through it, a sheet and a bar: closed, crossing and open surfaces.
Surface mixture() {
  Surface s = surface_of(test::sphere(1, 16, 24));
  append_surface(s, test::torus(1.2, 0.15, 32, 8), all_of(0));
  append_surface(s, cut_sheet({-2, 1.5, 0.2}, 4, 1, 9), all_of(0));
  append_surface(s, cut_box({-2.5, -1, -0.1}, {-2.3, 1, 0.1}, {1, 7, 1}), all_of(0));
  return s;
}

const Lattice& lattice_of_mixture() {
  static const Lattice made = make_lattice(mixture(), 3000).value();
  return made;
}

TEST(Lattice, VerticesLieInTheirCellsAndComeBack) {
  const Surface s = mixture();
  const Lattice& l = lattice_of_mixture();
  ASSERT_EQ(l.cell_of.size(), s.positions.size());
  ASSERT_EQ(l.place.size(), s.positions.size());
  for (std::size_t v = 0; v < s.positions.size(); ++v) {
    const Vec3f p = l.place[v];
    // A place is rounded to single precision once, from numbers in double precision.
    ASSERT_GE(std::min({p.x, p.y, p.z}), -1e-6f) << v;
    ASSERT_LE(std::max({p.x, p.y, p.z}), 1 + 1e-6f) << v;
    const std::array<float, 8> shape = l.shape(v);
    EXPECT_NEAR(std::accumulate(shape.begin(), shape.end(), 0.0f), 1, 1e-6);
    // Weights in single precision, of nodes up to 60 edges from the origin.
    EXPECT_LT(length(embedded(l, v) - Vec3d(s.positions[v])), 1e-5 * l.edge) << v;
  }
}

TEST(Lattice, CellsAreCubesOfWholeNumbers) {
  const Lattice& l = lattice_of_mixture();
  for (const Cell& cell : l.cells) {
    const Vec3f corner = l.nodes[cell[0]];
    for (std::size_t c = 0; c < 8; ++c) {
      const Vec3f step{static_cast<float>((c >> 2) & 1), static_cast<float>((c >> 1) & 1), static_cast<float>(c & 1)};
      ASSERT_EQ(l.nodes[cell[c]], corner + step);
    }
  }
  std::vector<bool> used(l.nodes.size(), false);
  for (const Cell& cell : l.cells)
    for (const std::uint32_t n : cell) used[n] = true;
  EXPECT_EQ(std::count(used.begin(), used.end(), false), 0);
  EXPECT_EQ(l.tets(), 6 * l.cells.size());
}

TEST(Lattice, EveryPointOfTheSurfaceIsInACell) {
  const Surface s = mixture();
  const Lattice& l = lattice_of_mixture();
  std::set<Coordinates> cells;
  for (std::size_t k = 0; k < l.cells.size(); ++k) cells.insert(coordinates(l, k));
  Rng rng(5);
  for (const Triangle& t : s.triangles)
    for (int i = 0; i < 20; ++i) {
      double a = rng.uniform(), b = rng.uniform();
      if (a + b > 1) a = 1 - a, b = 1 - b;
      const Vec3d p =
          Vec3d(s.positions[t[0]]) * (1 - a - b) + Vec3d(s.positions[t[1]]) * a + Vec3d(s.positions[t[2]]) * b;
      ASSERT_TRUE(cells.contains(cell_around(l, p)));
    }
}

TEST(Lattice, CellsOfOneTriangleHangTogether) {
  // Two vertices of a triangle that follow no other are in cells that a path through cells of the triangle connects.
  const Surface s = surface_of({{{0, 0, 0}, {3, 0.2f, 0.1f}, {0.3f, 2, 1.7f}}, {}, {{0, 1, 2}}});
  const Lattice l = make_lattice(s, 200).value();
  const std::vector<std::uint32_t> component = components(l);
  EXPECT_EQ(std::set<std::uint32_t>(component.begin(), component.end()).size(), 1u);
}

TEST(Lattice, ABoxIsFilledAndNotMore) {
  const Vec3d low{-2, 0.1, -0.2}, high{2, 0.7, 0.2};
  const Lattice l = make_lattice(surface_of(cut_box(low, high, {9, 5, 3})), 4000).value();
  const std::size_t nx = cells_along(l, -2, 2, l.origin.x), ny = cells_along(l, double{0.1f}, double{0.7f}, l.origin.y),
                    nz = cells_along(l, double{-0.2f}, double{0.2f}, l.origin.z);
  EXPECT_EQ(l.cells.size(), nx * ny * nz);
  EXPECT_EQ(l.nodes.size(), (nx + 1) * (ny + 1) * (nz + 1));  // each shared by the cells about it
  const double volume = static_cast<double>(l.cells.size()) * l.edge * l.edge * l.edge;
  EXPECT_GT(volume, 0.96);
  EXPECT_LT(volume, 0.96 * 1.4);  // a layer of half a cell in the mean on each side
}

TEST(Lattice, ABallHoldsTheCellsThatReachIntoIt) {
  Surface ball = surface_of(test::sphere(1, 40, 60));
  append_surface(ball, cut_sheet({7, -0.1, 0}, 0.2, 0.2, 1), all_of(0));  // so that the ball is 15 cells across
  const Lattice l = make_lattice(ball, 2000).value();
  std::set<Coordinates> cells;
  for (std::size_t k = 0; k < l.cells.size(); ++k) cells.insert(coordinates(l, k));
  for (long x = 0; x < 30; ++x)
    for (long y = 0; y < 30; ++y)
      for (long z = 0; z < 30; ++z) {
        // The point of the cell nearest to the middle of the ball.
        const std::array<long, 3> at{x, y, z};
        Vec3d nearest = l.origin;
        for (std::size_t i = 0; i < 3; ++i) {
          const double low = nearest[i] + static_cast<double>(at[i]) * l.edge;
          nearest[i] = std::clamp(0.0, low, low + l.edge);
        }
        const double distance = length(nearest);
        if (nearest.x > 1) continue;
        // The surface is a polyhedron in the ball, less than .004 below it.
        const bool is_there = cells.contains(at);
        EXPECT_TRUE(is_there || distance >= 0.995) << x << ' ' << y << ' ' << z;
        EXPECT_FALSE(is_there && distance > 1) << x << ' ' << y << ' ' << z;
      }
}

TEST(Lattice, ASheetIsOneLayerOfCells) {
  const Lattice l = make_lattice(surface_of(cut_sheet({0, 0, 0}, 2, 1, 6)), 600).value();
  const std::size_t nx = cells_along(l, 0, 2, l.origin.x), ny = cells_along(l, 0, 1, l.origin.y);
  EXPECT_EQ(l.cells.size(), nx * ny);
  EXPECT_EQ(l.nodes.size(), 2 * (nx + 1) * (ny + 1));
}

TEST(Lattice, AnOpenBoxIsWhole) {
  Mesh mesh = cut_box({0, 0, 0}, {4, 1, 1}, {24, 6, 6});
  std::erase_if(mesh.triangles, [&](const Triangle& t) {  // no lid at one end
    return mesh.positions[t[0]].x == 4 && mesh.positions[t[1]].x == 4 && mesh.positions[t[2]].x == 4;
  });
  const Lattice l = make_lattice(surface_of(mesh), 2000).value();
  std::set<Coordinates> cells;
  for (std::size_t k = 0; k < l.cells.size(); ++k) cells.insert(coordinates(l, k));
  EXPECT_TRUE(cells.contains(cell_around(l, {1.5, 0.5, 0.5})));
  const std::vector<std::uint32_t> component = components(l);
  EXPECT_EQ(std::set<std::uint32_t>(component.begin(), component.end()).size(), 1u);
}

/// 0 is the root of two chains 1, 2 and 3, 4.
const std::vector<JointIndex> two_chains{no_joint, 0, 1, 0, 3};

/// The parts of the lattice that the vertices before `second` are in, and those from it on.
std::array<std::set<std::uint32_t>, 2> parts_of(const Lattice& l, std::size_t second) {
  const std::vector<std::uint32_t> component = components(l);
  std::array<std::set<std::uint32_t>, 2> result;
  for (std::size_t v = 0; v < l.cell_of.size(); ++v) result[v < second ? 0 : 1].insert(component[l.cell_of[v]]);
  return result;
}

std::array<Mesh, 2> limbs(double overlap) {
  return {cut_box({-0.2, 0, 0}, {overlap / 2, 2, 0.2}, {3, 20, 3}),
          cut_box({-overlap / 2, 0, 0}, {0.2, 2, 0.2}, {3, 20, 3})};
}

class TwoLimbs : public ::testing::TestWithParam<double> {};
// Overlap of the limbs by less than a cell and by several, a gap of less than a cell.
INSTANTIATE_TEST_SUITE_P(Lattice, TwoLimbs, ::testing::Values(0.01, 0.1, -0.01));

TEST_P(TwoLimbs, FarApartInTheTreeShareNoNodes) {
  const auto [left, right] = limbs(GetParam());
  Surface s = surface_of(left, two_chains, all_of(2));
  append_surface(s, right, all_of(4));
  const auto apart = parts_of(make_lattice(s, 2000).value(), left.positions.size());
  EXPECT_EQ(apart[0].size(), 1u);
  EXPECT_EQ(apart[1].size(), 1u);
  EXPECT_NE(apart[0], apart[1]);
}

TEST_P(TwoLimbs, OfOneJointAreOnePiece) {
  const auto [left, right] = limbs(GetParam());
  Surface s = surface_of(left, two_chains, all_of(2));
  append_surface(s, right, all_of(2));
  const auto one = parts_of(make_lattice(s, 2000).value(), left.positions.size());
  EXPECT_EQ(one[0].size(), 1u);
  EXPECT_EQ(one[0], one[1]);
}

/// Follows the first joint by a share, the second with the rest.
SkinWeights shared_by(std::size_t vertices, JointIndex first, float share, JointIndex second) {
  SkinWeights weights;
  for (std::size_t v = 0; v < vertices; ++v)
    weights.push_vertex(std::array{Influence{first, share}, Influence{second, 1 - share}});
  return weights;
}

TEST_P(TwoLimbs, ThatShareAJointAreOnePiece) {
  const auto [left, right] = limbs(GetParam());
  Surface s = surface_of(left, two_chains, all_of(1));
  append_surface(s, right, all_of(2));
  const std::size_t half = left.positions.size();
  SkinWeights weights = shared_by(half, 1, 0.6f, 0);
  for (std::size_t v = half; v < s.positions.size(); ++v) weights.push_vertex(shared_by(1, 1, 0.3f, 2).of(0));
  s.weights = weights;
  const auto one = parts_of(make_lattice(s, 2000).value(), half);
  EXPECT_EQ(one[0].size(), 1u);
  EXPECT_EQ(one[0], one[1]);
}

// An arm that is pushed into the chest, as toys and many figures of games have it.
TEST_P(TwoLimbs, ClosedAndOfOtherJointsAreBodiesOfTheirOwnThoughTheirBonesFollowOneAnother) {
  const auto [left, right] = limbs(GetParam());
  Surface s = surface_of(left, two_chains, all_of(1));
  append_surface(s, right, all_of(2));
  const auto apart = parts_of(make_lattice(s, 2000).value(), left.positions.size());
  EXPECT_EQ(apart[0].size(), 1u);
  EXPECT_EQ(apart[1].size(), 1u);
  EXPECT_NE(apart[0], apart[1]);
}

// A torso under an open jacket is open itself where nobody sees it.
TEST_P(TwoLimbs, OpenAndOfABoneAndTheNextAreOnePiece) {
  const auto [left, right] = limbs(GetParam());
  Surface s = surface_of(left, two_chains, all_of(1));
  append_surface(s, right, all_of(2));
  s.triangles.pop_back();
  const auto one = parts_of(make_lattice(s, 2000).value(), left.positions.size());
  EXPECT_EQ(one[0].size(), 1u);
  EXPECT_EQ(one[0], one[1]);
}

TEST(Lattice, LimbsThinnerThanACellHaveCellsOfTheirOwn) {
  // Six fingers a hundredth thick and as far apart, at least one cell between them all.
  Surface s;
  s.parents.assign(7, 0);
  s.parents[0] = no_joint;
  std::vector<std::size_t> first;
  for (std::uint32_t finger = 0; finger < 6; ++finger) {
    first.push_back(s.positions.size());
    const double x = 0.02 * finger;
    append_surface(s, cut_box({x, 0, 0}, {x + 0.01, 1, 0.01}, {1, 20, 1}), all_of(finger + 1));
  }
  first.push_back(s.positions.size());
  const Lattice l = make_lattice(s, 100).value();
  ASSERT_GT(l.edge, 0.05);
  const std::vector<std::uint32_t> component = components(l);
  std::set<std::uint32_t> seen;
  for (std::size_t finger = 0; finger < 6; ++finger) {
    std::set<std::uint32_t> own;
    for (std::size_t v = first[finger]; v < first[finger + 1]; ++v) own.insert(component[l.cell_of[v]]);
    EXPECT_EQ(own.size(), 1u);
    EXPECT_TRUE(seen.insert(*own.begin()).second) << "finger " << finger << " shares nodes with another";
  }
}

TEST(Lattice, HasAboutAsManyCellsAsAsked) {
  Mesh cigar = test::sphere(1, 16, 24);
  for (Vec3f& p : cigar.positions) p.y *= 5;
  const auto [left, right] = limbs(-0.1);
  Surface legs = surface_of(left, two_chains, all_of(2));
  append_surface(legs, right, all_of(4));
  for (const Surface& s : {surface_of(cigar), surface_of(cut_sheet({0, 0, 0}, 2, 1, 6)), legs})
    for (const std::size_t wanted : {1500u, 4000u}) {
      const double cells = static_cast<double>(make_lattice(s, wanted).value().cells.size());
      EXPECT_NEAR(cells / static_cast<double>(wanted), 1, 0.25) << wanted;
    }
}

TEST(Lattice, IsTheSameEveryTime) { expect_equal(lattice_of_mixture(), make_lattice(mixture(), 3000).value(), 1); }

TEST(Lattice, IsTheSameInOtherUnits) {
  // Powers of two change no digit of a product.
  const Surface s = mixture();
  const Lattice& one = lattice_of_mixture();
  for (const float scale : {0.015625f, 128.0f}) {
    Surface scaled = s;
    for (Vec3f& p : scaled.positions) p = p * scale;
    expect_equal(one, make_lattice(scaled, 3000).value(), double{scale});
  }
}

TEST(Lattice, IsTheSameOfASurfaceThatIsInsideOut) {
  Surface turned = mixture();
  for (Triangle& t : turned.triangles) std::swap(t[1], t[2]);
  expect_equal(lattice_of_mixture(), make_lattice(turned, 3000).value(), 1);
}

TEST(Lattice, AFanOfSheetsOnOneEdgeHangsTogether) {
  Mesh fan;
  fan.positions = {{0, 0, 0}, {0, 2, 0}};
  for (std::uint32_t i = 0; i < 3; ++i) {
    const double angle = 2 * test::pi * i / 3 + 0.1;
    const auto x = static_cast<float>(std::cos(angle)), z = static_cast<float>(std::sin(angle));
    fan.positions.push_back({x, 0, z});
    fan.positions.push_back({x, 2, z});
    fan.triangles.push_back({0, 2 + 2 * i, 3 + 2 * i});
    fan.triangles.push_back({0, 3 + 2 * i, 1});
  }
  const Lattice l = make_lattice(surface_of(fan), 500).value();
  const std::vector<std::uint32_t> component = components(l);
  EXPECT_EQ(std::set<std::uint32_t>(component.begin(), component.end()).size(), 1u);
}

TEST(Lattice, CarriesVerticesOfNoTriangle) {
  Surface s = surface_of(cut_box({0, 0, 0}, {1, 4, 1}, {3, 12, 3}));
  s.positions.push_back({0.5f, 0.5f, 0.5f});
  s.positions.push_back({1.02f, 0.5f, 0.5f});
  for (int i = 0; i < 2; ++i) s.weights.push_vertex(std::vector<Influence>{{0, 1}});
  const Lattice l = make_lattice(s, 1000).value();
  for (std::size_t v = s.positions.size() - 2; v < s.positions.size(); ++v)
    EXPECT_LT(length(embedded(l, v) - Vec3d(s.positions[v])), 1e-6);
}

TEST(Lattice, RenumberedIsTheSameLattice) {
  const Lattice& before = lattice_of_mixture();
  std::vector<std::uint32_t> order(before.nodes.size());
  std::iota(order.begin(), order.end(), 0u);
  Rng rng(3);
  for (std::uint32_t i = static_cast<std::uint32_t>(order.size()); i > 1; --i)
    std::swap(order[i - 1], order[rng.below(i)]);
  Lattice after = before;
  renumber(after, order);
  for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(after.nodes[i], before.nodes[order[i]]);
  for (std::size_t k = 0; k < before.cells.size(); ++k)
    for (std::size_t c = 0; c < 8; ++c) ASSERT_EQ(order[after.cells[k][c]], before.cells[k][c]);
}

TEST(Lattice, RefusesWhatIsNoSurface) {
  Surface s;
  s.parents = {no_joint};
  EXPECT_NE(make_lattice(s, 100).error().message().find("no triangles"), std::string::npos);
  Mesh point{{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, {}, {{0, 1, 2}}};
  EXPECT_NE(make_lattice(surface_of(point), 100).error().message().find("single point"), std::string::npos);
}

}  // namespace
}  // namespace supple::lattice
