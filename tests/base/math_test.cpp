#include <gtest/gtest.h>

#include <numbers>

#include "supple/base/dual_quat.h"
#include "supple/base/rng.h"
#include "supple/base/transform.h"

namespace supple {
namespace {

Quatd random_rotation(Rng& rng) {
  return normalized(Quatd{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)});
}
Vec3d random_vector(Rng& rng) { return {rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)}; }

TEST(Quat, MatrixAndBackAtEveryBranch) {
  Rng rng(1);
  for (int i = 0; i < 1000; ++i) {
    Quatd q = random_rotation(rng);
    if (i % 4 != 0) (&q.x)[i % 4] *= 1e-9, q = normalized(q);  // components near zero exercise each branch
    const Quatd back = from_matrix(to_matrix(q));
    EXPECT_NEAR(std::abs(dot(q, back)), 1, 1e-14);
    const Vec3d v = random_vector(rng);
    EXPECT_LT(length(rotate(q, v) - to_matrix(q) * v), 1e-14);
  }
}

TEST(Quat, SlerpTurnsEvenlyAlongTheShorterArc) {
  Rng rng(2);
  for (int i = 0; i < 200; ++i) {
    const Quatd a = random_rotation(rng), b = random_rotation(rng);
    const double whole = angle_between(a, b);
    EXPECT_LE(whole, std::numbers::pi + 1e-12);
    for (const double t : {0.0, 0.25, 0.5, 1.0}) {
      EXPECT_NEAR(angle_between(a, slerp(a, b, t)), t * whole, 1e-6);
      EXPECT_NEAR(angle_between(slerp(a, -b, t), slerp(a, b, t)), 0, 1e-7);
    }
  }
}

TEST(Quat, RotationBetweenHandlesOppositeVectors) {
  const Vec3d x{1, 0, 0};
  for (const Vec3d to : {Vec3d{0, 1, 0}, Vec3d{-1, 0, 0}, Vec3d{1, 0, 0}, normalized(Vec3d{-1, 1e-9, 0})}) {
    EXPECT_LT(length(rotate(rotation_between(x, to), x) - to), 1e-6);
  }
}

TEST(Matrix, CofactorCarriesAreas) {
  Rng rng(3);
  for (int i = 0; i < 100; ++i) {
    const Mat3d m{random_vector(rng), random_vector(rng), random_vector(rng)};
    const Vec3d a = random_vector(rng), b = random_vector(rng);
    EXPECT_LT(length(cofactor(m) * cross(a, b) - cross(m * a, m * b)), 1e-13);
    EXPECT_LT(norm(inverse(m) * m - Mat3d{}), 1e-9);
  }
}

TEST(Polar, RotationTimesSymmetricStretch) {
  Rng rng(4);
  for (int i = 0; i < 200; ++i) {
    const Mat3d m{random_vector(rng), random_vector(rng), random_vector(rng)};
    if (std::abs(determinant(m)) < 1e-3) continue;
    const Polar<double> p = polar(m);
    EXPECT_NEAR(determinant(p.rotation), 1, 1e-12);
    EXPECT_LT(norm(transpose(p.rotation) * p.rotation - Mat3d{}), 1e-12);
    EXPECT_LT(norm(p.stretch - transpose(p.stretch)), 1e-11);
    EXPECT_LT(norm(p.rotation * p.stretch - m), 1e-12);
  }
}

TEST(Transform, DecomposeInvertsCompose) {
  Rng rng(5);
  for (int i = 0; i < 100; ++i) {
    Transform<double> t{
        random_vector(rng), random_rotation(rng), {rng.uniform(0.2, 3), rng.uniform(0.2, 3), rng.uniform(0.2, 3)}};
    if (i % 3 == 0) t.scale.x = -t.scale.x;
    double shear = 1;
    const Transformf back = decompose(t.affine(), &shear);
    EXPECT_LT(shear, 1e-12);
    EXPECT_LT(norm(Mat3d(back.affine().linear) - t.affine().linear), 2e-6);
  }
  const Transform<double> flat{{}, from_axis_angle(Vec3d{0, 0, 1}, std::numbers::pi / 2), {0, 1, 1}};
  EXPECT_LT(norm(Mat3d(decompose(flat.affine()).affine().linear) - flat.affine().linear), 2e-6) << "a flattened axis";
  double shear = 0;
  decompose({{{1, 0, 0}, {0.5, 1, 0}, {0, 0, 1}}, {}}, &shear);
  EXPECT_GT(shear, 0.4);
}

TEST(DualQuat, MovesPointsLikeTheMatrixAndComposes) {
  Rng rng(6);
  for (int i = 0; i < 200; ++i) {
    const Quatd r1 = random_rotation(rng), r2 = random_rotation(rng);
    const Vec3d t1 = random_vector(rng), t2 = random_vector(rng), p = random_vector(rng);
    const DualQuatd a = make_dual_quat(r1, t1), b = make_dual_quat(r2, t2);
    const Affined ma{to_matrix(r1), t1}, mb{to_matrix(r2), t2};
    EXPECT_LT(length((a * b).point(p) - (ma * mb).point(p)), 1e-13);
    EXPECT_LT(length((-a).point(p) - a.point(p)), 1e-14);
    EXPECT_LT(length(normalized(a * 3.0).point(p) - a.point(p)), 1e-13);
  }
}

}  // namespace
}  // namespace supple
