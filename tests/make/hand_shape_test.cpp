// The fields that the hand is made of: distances by brute force, no jumps where solids are skipped, bounds that hold.
#include "supple/make/hand_shape.h"

#include <gtest/gtest.h>

#include <cmath>

#include "supple/base/rng.h"
#include "supple/make/hand_bones.h"
#include "supple/make/sdf.h"

namespace supple::make {
namespace {

Vec3d random_point(Rng& rng, Vec3d low, Vec3d high) {
  return {rng.uniform(low.x, high.x), rng.uniform(low.y, high.y), rng.uniform(low.z, high.z)};
}

TEST(RoundCone, IsTheDistanceToASweptBall) {
  Rng rng(1);
  for (int round = 0; round < 20; ++round) {
    const Vec3d a = random_point(rng, {-5, -5, -5}, {5, 5, 5}), b = random_point(rng, {-5, -5, -5}, {5, 5, 5});
    const double ra = rng.uniform(0.5, 2), rb = rng.uniform(0.5, 2);
    if (length(b - a) < std::abs(ra - rb) + 0.1) continue;  // one ball inside the other
    const RoundCone cone(a, b, ra, rb);
    for (int i = 0; i < 50; ++i) {
      const Vec3d p = random_point(rng, {-10, -10, -10}, {10, 10, 10});
      double nearest = 1e9;
      for (int k = 0; k <= 4000; ++k) {
        const double t = k / 4000.0;
        nearest = std::min(nearest, length(p - lerp(a, b, t)) - (ra + (rb - ra) * t));
      }
      EXPECT_NEAR(cone(p), nearest, 1e-4);
      EXPECT_TRUE(!cone.is_beyond(p, cone(p) + 1e-6));
    }
  }
}

TEST(RoundCone, StretchedOnesAreZeroOnTheirEllipse) {
  const RoundCone cone({0, 0, 0}, {0, 10, 0}, 2, 2, {1, 0, 0}, 1.5, 0.5);
  for (double angle = 0; angle < 6.28; angle += 0.1) {
    EXPECT_NEAR(cone({3 * std::cos(angle), 5, std::sin(angle)}), 0, 1e-12);
  }
  const RoundCone ball = RoundCone::ellipsoid({1, 2, 3}, 2, {1, 2, 0.5});
  EXPECT_NEAR(ball({3, 2, 3}), 0, 1e-12);
  EXPECT_NEAR(ball({1, 6, 3}), 0, 1e-12);
  EXPECT_NEAR(ball({1, 2, 4}), 0, 1e-12);
}

TEST(SmoothUnion, SkippingChangesNothing) {
  Rng rng(2);
  SmoothUnion all;
  std::vector<std::pair<RoundCone, double>> parts;
  for (int i = 0; i < 12; ++i) {
    const Vec3d a = random_point(rng, {-9, -9, -9}, {9, 9, 9});
    parts.emplace_back(RoundCone(a, a + Vec3d{rng.uniform(1, 6), 1, 0}, 1.5, 1, {0, 0, 1}, 1.3, 0.8),
                       rng.uniform(1, 6));
    all.add(parts.back().first, parts.back().second);
  }
  for (int i = 0; i < 5000; ++i) {
    const Vec3d p = random_point(rng, {-15, -15, -15}, {15, 15, 15});
    double value = parts[0].first(p);
    for (std::size_t k = 1; k < parts.size(); ++k) value = smooth_min(value, parts[k].first(p), parts[k].second);
    EXPECT_EQ(all(p), value);
  }
}

TEST(HandShape, ChangesNoFasterThanItsBound) {
  const HandShape shape(hand_anatomy());
  Rng rng(3);
  std::size_t near_surface = 0;
  for (int i = 0; i < 60000; ++i) {
    const Vec3d p = random_point(rng, HandShape::low, HandShape::high);
    // Short steps find jumps: a jump of 0.02 mm over 0.01 mm would break the bound.
    const Vec3d q = p + random_point(rng, {-0.01, -0.01, -0.01}, {0.01, 0.01, 0.01});
    const double a = shape(p), b = shape(q);
    EXPECT_LE(std::abs(a - b), HandShape::lipschitz * length(q - p) + 1e-9) << p.x << ' ' << p.y << ' ' << p.z;
    near_surface += std::abs(a) < 4;
  }
  EXPECT_GT(near_surface, 4000u);
}

TEST(HandShape, ProjectionReachesTheSurface) {
  const HandShape shape(hand_anatomy());
  Rng rng(4);
  std::size_t checked = 0;
  while (checked < 3000) {
    const Vec3d p = random_point(rng, HandShape::low, HandShape::high);
    if (std::abs(shape(p)) > 1) continue;
    EXPECT_NEAR(shape(shape.project(p)), 0, 0.05);  // of a millimetre
    EXPECT_GT(shape.relative_edge(p), 0.2);
    EXPECT_LT(shape.relative_edge(p), 2);
    ++checked;
  }
}

TEST(HandShape, StaysInsideItsBox) {
  const HandShape shape(hand_anatomy());
  Rng rng(5);
  for (int i = 0; i < 20000; ++i) {
    Vec3d p = random_point(rng, HandShape::low, HandShape::high);
    const std::size_t axis = rng.below(3);
    p[axis] = rng.below(2) == 0 ? HandShape::low[axis] : HandShape::high[axis];
    EXPECT_GT(shape(p), 0.5);
  }
}

TEST(HandBones, LieAtTheirJoints) {
  const HandAnatomy hand = hand_anatomy();
  EXPECT_EQ(hand.bones.size(), 21u);
  for (const AnatomicalBone& bone : hand.bones) {
    EXPECT_NEAR(determinant(bone.axes), 1, 1e-9) << bone.joint;
    if (bone.kind != BoneKind::digit) continue;
    EXPECT_LT(bone_field(bone, bone.at(0.6)), -1) << bone.joint;
    EXPECT_GT(bone_field(bone, bone.head), 1) << bone.joint;  // the gap before its base
  }
}

}  // namespace
}  // namespace supple::make
