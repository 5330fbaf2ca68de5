// Given normals on surfaces that move in ways that are known.
#include "supple/geometry/carry_normals.h"

#include <gtest/gtest.h>

#include "supple/base/quat.h"
#include "supple/base/rng.h"
#include "supple/geometry/topology.h"
#include "support/shapes.h"

namespace supple::test {
namespace {

/// A box has hard edges: its corners' own normals point along the diagonal, those given here are somewhere near it.
Mesh box_with_odd_normals() {
  Mesh mesh = box({-1, -1, -1}, {1, 1, 1});
  Rng rng(3);
  for (const Vec3f p : mesh.positions) {
    const Vec3f odd{static_cast<float>(rng.uniform(-0.2, 0.2)), static_cast<float>(rng.uniform(-0.2, 0.2)), 0};
    mesh.normals.push_back(normalized(normalized(p) + odd));
  }
  return mesh;
}

TEST(CarryNormals, TurnWithTheSurface) {
  const Mesh rest = box_with_odd_normals();
  const NormalCarrier carrier(rest, {});
  const Quatf turn = normalized(Quatf{0.3f, -0.5f, 0.7f, 0.2f});
  std::vector<Vec3f> moved, out(rest.positions.size());
  for (const Vec3f p : rest.positions) moved.push_back(rotate(turn, p) + Vec3f{3, 4, 5});
  carrier.carry(moved, out);
  for (std::size_t v = 0; v < out.size(); ++v)
    EXPECT_LT(length(out[v] - rotate(turn, rest.normals[v])), 1e-5f) << v;  // float positions at distance 7
  carrier.carry(rest.positions, out);
  for (std::size_t v = 0; v < out.size(); ++v) EXPECT_LT(length(out[v] - rest.normals[v]), 1e-6f) << v;
}

TEST(CarryNormals, FollowTheTrianglesWhereTheyWereTheTriangles) {
  Mesh rest = box({-1, -1, -1}, {1, 1, 1});
  rest.normals.resize(rest.positions.size());
  compute_normals(rest.positions, rest.triangles, rest.normals);
  const NormalCarrier carrier(rest, {});
  std::vector<Vec3f> moved = rest.positions, out(moved.size()), expected(moved.size());
  for (Vec3f& p : moved) p = {p.x + 0.4f * p.y, p.y * 1.3f, p.z - 0.2f * p.x};
  carrier.carry(moved, out);
  compute_normals(moved, rest.triangles, expected);
  for (std::size_t v = 0; v < out.size(); ++v) EXPECT_LT(length(out[v] - expected[v]), 1e-6f) << v;
}

TEST(CarryNormals, HardEdgesStayHard) {
  // Two triangles that share an edge by position only, bent by a right angle, each with its own normal.
  Mesh rest;
  rest.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}, {0, 0, -1}};
  rest.triangles = {{0, 1, 2}, {3, 5, 4}};
  rest.normals = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, -1, 0}, {0, -1, 0}, {0, -1, 0}};
  const NormalCarrier carrier(rest, weld(rest.positions).to_point);
  std::vector<Vec3f> moved = rest.positions, out(6);
  moved[2] = {0, 0, 1};  // the first folds forward
  carrier.carry(moved, out);
  for (const std::size_t v : {0u, 1u, 2u}) EXPECT_LT(length(out[v] - Vec3f{0, -1, 0}), 1e-6f) << v;
  for (const std::size_t v : {3u, 4u, 5u}) EXPECT_LT(length(out[v] - Vec3f{0, -1, 0}), 1e-6f) << v;
}

}  // namespace
}  // namespace supple::test
