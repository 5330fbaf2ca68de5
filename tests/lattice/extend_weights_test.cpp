// Weights of nodes against the skin's, and against what harmonic functions must do.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "supple/author/lattice/lattice.h"
#include "support/lattice_shapes.h"

namespace supple::lattice {
namespace {

using test::all_of;
using test::append_surface;
using test::bend_between;
using test::cut_box;
using test::surface_of;

double weight_of(std::span<const Influence> influences, std::uint32_t joint) {
  double sum = 0;
  for (const Influence& i : influences) sum += i.joint == joint ? double{i.weight} : 0;
  return sum;
}

/// What the lattice says about a vertex.
double at_vertex(const Lattice& l, const SkinWeights& weights, std::size_t vertex, std::uint32_t joint) {
  const std::array<float, 8> shape = l.shape(vertex);
  double sum = 0;
  for (std::size_t c = 0; c < 8; ++c)
    sum += double{shape[c]} * weight_of(weights.of(l.cells[l.cell_of[vertex]][c]), joint);
  return sum;
}

void expect_partition_of_unity(const Lattice& l, const SkinWeights& weights, std::size_t joints) {
  ASSERT_EQ(weights.vertices(), l.nodes.size());
  for (std::size_t n = 0; n < l.nodes.size(); ++n) {
    const std::span<const Influence> own = weights.of(n);
    ASSERT_FALSE(own.empty()) << n;
    double sum = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      ASSERT_LT(own[i].joint, joints);
      ASSERT_GT(own[i].weight, 0) << n;
      ASSERT_LE(own[i].weight, 1) << n;
      ASSERT_TRUE(i == 0 || own[i].weight <= own[i - 1].weight) << n;
      sum += double{own[i].weight};
    }
    ASSERT_NEAR(sum, 1, 1e-6) << n;
  }
}

const Vec3d foot{-0.08, 0, -0.08}, head{0.08, 1, 0.08};

TEST(ExtendWeights, AreAPartitionOfUnity) {
  const Surface s = surface_of(cut_box(foot, head, {5, 24, 5}), {no_joint, 0}, bend_between(0, 1, 0.3, 0.7));
  const Lattice l = make_lattice(s, 1000).value();
  expect_partition_of_unity(l, extend_weights(l, s), 2);
}

TEST(ExtendWeights, AreTheSkinsAtTheSkin) {
  const Surface s = surface_of(cut_box(foot, head, {5, 24, 5}), {no_joint, 0}, bend_between(0, 1, 0.2, 0.8));
  const Lattice l = make_lattice(s, 1000).value();
  const SkinWeights weights = extend_weights(l, s);
  double worst = 0, sum = 0;
  for (std::size_t v = 0; v < s.positions.size(); ++v) {
    const double error = std::abs(at_vertex(l, weights, v, 1) - weight_of(s.weights.of(v), 1));
    worst = std::max(worst, error);
    sum += error;
  }
  // The skin's weights change by .08 over a cell; weights below .01 are left out, the rest is a compromise of least
  // squares.
  EXPECT_LT(worst, 0.03);
  EXPECT_LT(sum / static_cast<double>(s.positions.size()), 0.01);
}

TEST(ExtendWeights, GoOnHarmonicallyInside) {
  // Weights that are linear along the bar are harmonic, so that they are right everywhere: at nodes inside as well.
  const auto linear = [](Vec3d p) {
    const auto w = static_cast<float>(0.25 + 0.5 * p.y);
    return std::vector<Influence>{{0, 1 - w}, {1, w}};
  };
  const Surface s = surface_of(cut_box({-0.12, 0, -0.12}, {0.12, 1, 0.12}, {6, 20, 6}), {no_joint, 0}, linear);
  const Lattice l = make_lattice(s, 1000).value();
  const SkinWeights weights = extend_weights(l, s);
  for (std::uint32_t n = 0; n < l.nodes.size(); ++n) {
    const Vec3d p = l.origin + Vec3d(l.nodes[n]) * l.edge;
    if (p.y < 0.1 || p.y > 0.9) continue;  // beside the free ends they are flatter
    EXPECT_NEAR(weight_of(weights.of(n), 1), 0.25 + 0.5 * p.y, 0.02) << n;
  }
}

TEST(ExtendWeights, OneJointIsOneJoint) {
  const Surface s = surface_of(cut_box(foot, head, {3, 12, 3}), {no_joint, 0, 1}, all_of(1));
  const Lattice l = make_lattice(s, 500).value();
  const SkinWeights weights = extend_weights(l, s);
  for (std::size_t n = 0; n < l.nodes.size(); ++n) {
    ASSERT_EQ(weights.of(n).size(), 1u);
    ASSERT_EQ(weights.of(n)[0].joint, 1u);
    ASSERT_EQ(weights.of(n)[0].weight, 1);
  }
}

TEST(ExtendWeights, GoFarFromVerticesThatAreFew) {
  // Eight vertices, all of them at the ends: most cells have none, and share what the ends say.
  const Surface s = surface_of(cut_box(foot, head, {1, 1, 1}), {no_joint, 0}, bend_between(0, 1, 0.4, 0.6));
  const Lattice l = make_lattice(s, 1000).value();
  const SkinWeights weights = extend_weights(l, s);
  expect_partition_of_unity(l, weights, 2);
  double middle = 0, previous = 0;
  std::map<float, std::pair<double, int>> layers;  // by height: sum of weights, nodes
  for (std::uint32_t n = 0; n < l.nodes.size(); ++n) {
    const double w = weight_of(weights.of(n), 1), y = l.origin.y + double{l.nodes[n].y} * l.edge;
    // Linear between the ends but for the corners, where single vertices hold it: as around points, not planes.
    EXPECT_NEAR(w, y, 0.35) << n;
    auto& [sum, count] = layers[l.nodes[n].y];
    sum += w, ++count;
    if (std::abs(y - 0.5) <= l.edge / 2) middle = sum / count;
  }
  EXPECT_NEAR(middle, 0.5, 0.05);
  for (const auto& [height, layer] : layers) {
    EXPECT_GT(layer.first / layer.second, previous) << height;  // a harmonic function has no bumps
    previous = layer.first / layer.second;
  }
}

/// A chain of 60 joints along a bar; `reversed` numbers them from the other end.
Surface chain_of_60(bool reversed) {
  std::vector<JointIndex> parents(60);
  for (JointIndex j = 0; j < 60; ++j) parents[j] = reversed ? (j == 59 ? no_joint : j + 1) : j == 0 ? no_joint : j - 1;
  return surface_of(cut_box({-0.1, 0, -0.1}, {0.1, 6, 0.1}, {2, 240, 2}), parents, [reversed](Vec3d p) {
    const double at = std::clamp(p.y * 10, 0.0, 59.0);
    const auto joint = std::min(58u, static_cast<std::uint32_t>(at));
    const auto w = static_cast<float>(at - joint);
    if (reversed) return std::vector<Influence>{{59 - joint, 1 - w}, {58 - joint, w}};
    return std::vector<Influence>{{joint, 1 - w}, {joint + 1, w}};
  });
}

TEST(ExtendWeights, AreTheSameHoweverManyJointsAreNumbered) {
  // 48 joints are solved for at a time: numbered from the other end, others are in the second solve.
  const Surface s = chain_of_60(false), reversed = chain_of_60(true);
  const Lattice l = make_lattice(s, 1000).value();
  const SkinWeights weights = extend_weights(l, s), other = extend_weights(l, reversed);
  expect_partition_of_unity(l, weights, 60);
  expect_partition_of_unity(l, other, 60);
  for (std::size_t n = 0; n < l.nodes.size(); ++n)
    for (const Influence& i : weights.of(n)) ASSERT_NEAR(weight_of(other.of(n), 59 - i.joint), double{i.weight}, 1e-5);
  for (std::size_t v = 0; v < s.positions.size(); ++v) {
    // A joint's weight is a hat of five cells, rounded at its top; its middle stays.
    double middle = 0, wanted = 0;
    for (std::uint32_t j = 0; j < 60; ++j) {
      middle += j * at_vertex(l, weights, v, j);
      wanted += j * weight_of(s.weights.of(v), j);
    }
    ASSERT_NEAR(middle, wanted, 0.35) << v;
  }
}

TEST(ExtendWeights, DoNotPassBetweenLimbs) {
  Surface s = surface_of(cut_box({-0.2, 0, 0}, {0.01, 2, 0.2}, {3, 20, 3}), {no_joint, 0, 1, 0, 3}, all_of(2));
  append_surface(s, cut_box({-0.01, 0, 0}, {0.2, 2, 0.2}, {3, 20, 3}), all_of(4));
  const Lattice l = make_lattice(s, 1000).value();
  const SkinWeights weights = extend_weights(l, s);
  for (std::size_t v = 0; v < s.positions.size(); ++v)
    for (const std::uint32_t n : l.cells[l.cell_of[v]])
      EXPECT_EQ(weight_of(weights.of(n), s.weights.of(v)[0].joint), 1) << v;
}

}  // namespace
}  // namespace supple::lattice
