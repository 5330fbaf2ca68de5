// Weights in space: gradients against finite differences, partition of unity, moving frames, what covers what.
#include <cmath>
#include <numbers>

#include "gtest/gtest.h"
#include "supple/base/rng.h"
#include "supple/deform/field/reference.h"
#include "supple/deform/field/shape.h"
#include "supple/deform/field/star.h"
#include "support/flowing_limb.h"
#include "support/shapes.h"

using namespace supple;
using test::bent;
using test::field_of;
using test::table_of;
using test::thick_limb;

namespace {

template <class Value>
Vec3d difference(const Value& value, Vec3d p, double step) {
  Vec3d g;
  for (std::size_t k = 0; k < 3; ++k) {
    Vec3d e{};
    e[k] = step;
    g[k] = (value(p + e) - value(p - e)) / (2 * step);
  }
  return g;
}

Vec3d random_point(Rng& rng, Vec3d low, Vec3d high) {
  return {low.x + rng.uniform() * (high.x - low.x), low.y + rng.uniform() * (high.y - low.y),
          low.z + rng.uniform() * (high.z - low.z)};
}

/// A table of one shape, of each kind.
FieldTable one_shape(FieldShape::Kind kind) {
  FieldTable table;
  FieldShape s;
  s.kind = kind;
  s.joint = 0;
  s.weight = 0.7;
  s.a = {0.1, 0.2, -0.1};
  s.b = {0.4, 0.9, 0.3};
  s.falloff = 2.5;
  const Quatd turn = normalized(Quatd{0.2, -0.4, 0.1, 0.8});
  s.to_unit = Mat3d::diagonal({1 / 0.9, 1 / 1.4, 1 / 1.1}) * transpose(to_matrix(turn));
  if (kind == FieldShape::Kind::star) {
    Rng rng(4);
    std::vector<float> star;
    for (std::size_t k = 0; k < TissuePrimitive::star_size; ++k)
      star.push_back(static_cast<float>(0.2 * rng.uniform() - 0.1));
    table.stars.push_back(star);
  }
  if (kind == FieldShape::Kind::grid) {
    WeightGrid grid{{-1.2, -1, -1.1}, 0.25, {10, 12, 9}, {}, {}};
    Rng rng(5);
    for (int i = 0; i < 10 * 12 * 9; ++i) grid.values.push_back(static_cast<float>(rng.uniform()));
    table.grids.push_back(grid);
  }
  table.shapes.push_back(s);
  return table;
}

class Gradient : public testing::TestWithParam<FieldShape::Kind> {};

TEST_P(Gradient, IsThatOfTheValue) {
  const FieldTable table = one_shape(GetParam());
  Rng rng(1);
  const auto value = [&](Vec3d p) { return shape_value(table, table.shapes[0], p).value; };
  int inside = 0;
  for (int i = 0; i < 400; ++i) {
    const Vec3d p = random_point(rng, {-0.9, -0.7, -0.8}, {0.9, 1.2, 0.7});
    const ShapeValue v = shape_value(table, table.shapes[0], p);
    inside += v.value > 0 ? 1 : 0;
    // Central differences of a C1 function whose second derivatives are below 100: off by less than step * 100, and
    // far less where it is smooth.
    EXPECT_LT(length(difference(value, p, 1e-6) - v.gradient), 2e-4) << i;
  }
  EXPECT_GT(inside, 200);
}
INSTANTIATE_TEST_SUITE_P(Shapes, Gradient,
                         testing::Values(FieldShape::Kind::segment, FieldShape::Kind::ellipsoid, FieldShape::Kind::star,
                                         FieldShape::Kind::grid));

TEST(FieldWeights, BonesAreLevelInsideAndHaveNoGradient) {
  FieldTable table = one_shape(FieldShape::Kind::ellipsoid);
  table.shapes[0].bone = true;
  const FieldShape& s = table.shapes[0];
  const Mat3d out = inverse(s.to_unit);
  EXPECT_EQ(shape_value(table, s, s.a + out * Vec3d{0.99, 0, 0}).value, 0.7);
  EXPECT_GT(shape_value(table, s, s.a + out * Vec3d{1.1, 0, 0}).value, 0);
  EXPECT_LT(shape_value(table, s, s.a + out * Vec3d{1.1, 0, 0}).value, 0.7);
  EXPECT_EQ(shape_value(table, s, s.a + out * Vec3d{1.26, 0, 0}).value, 0);
  EXPECT_EQ(shape_value(table, s, s.a + out * Vec3d{1.1, 0, 0}).gradient, Vec3d{});
}

TEST(FieldWeights, SumToOneAndTheirGradientsToZeroWhereverTheLimbsAre) {
  const Character limb = thick_limb(3);
  for (const FieldSource source : {FieldSource::automatic, FieldSource::primitives, FieldSource::painted}) {
    const FieldTable table = table_of(limb, field_of(limb, source));
    FieldPath path(table);
    path.set(table, bent(limb, {20, 50, 30}));
    Rng rng(7);
    for (const std::size_t moment : {std::size_t{0}, path.steps(), 2 * path.steps()}) {
      const FieldMoment& m = path.moment(moment);
      for (int i = 0; i < 60; ++i) {
        // Near some limb, where that limb has got to.
        const auto joint = static_cast<JointIndex>(i % 3);
        const Vec3d p =
            m.joints[joint].point(random_point(rng, {-0.9, 2.7 * joint + 0.5, -0.9}, {0.9, 2.7 * joint + 2, 0.9}));
        double sum = 0;
        Vec3d slope{};
        const std::vector<JointWeight> weights = field_weights(table, m, p);
        ASSERT_FALSE(weights.empty());
        for (const JointWeight& w : weights) {
          sum += w.weight;
          slope += w.gradient;
          const auto value = [&](Vec3d at) {
            for (const JointWeight& other : field_weights(table, m, at))
              if (other.joint == w.joint) return other.weight;
            return 0.0;
          };
          EXPECT_LT(length(difference(value, p, 1e-6) - w.gradient), 1e-4);
        }
        EXPECT_NEAR(sum, 1, 1e-12);
        EXPECT_LT(length(slope), 1e-10);
      }
    }
  }
}

TEST(FieldWeights, PaintedOnesAreTheSkinsOwn) {
  const Character limb = thick_limb();
  const FieldTable table = table_of(limb, field_of(limb, FieldSource::painted));
  FieldMoment rest;
  rest.joints.resize(limb.skeleton.size());
  const Part& part = limb.parts[0];
  double worst = 0;
  for (std::size_t v = 0; v < part.mesh.positions.size(); v += 7) {
    double painted = 0;
    for (const Influence& i : part.weights.of(v)) painted += i.joint == 1 ? double{i.weight} : 0.0;
    double found = 0;
    for (const JointWeight& w : field_weights(table, rest, Vec3d(part.mesh.positions[v])))
      found += w.joint == 1 ? w.weight : 0.0;
    worst = std::max(worst, std::abs(found - painted));
  }
  // The spline blurs over a third of the radius, over which painted weights change by about 0.4.
  EXPECT_LT(worst, 0.06);
}

TEST(FieldWeights, StarsFollowASurface) {
  // An ellipsoid seen from its centre: the weight vanishes at `margin` times its distance in every direction.
  Mesh egg = test::sphere(1, 24, 32);
  for (Vec3f& p : egg.positions) p = {p.x * 0.8f + 2, p.y * 1.3f, p.z - 1};
  const auto star = fit_star(egg, 0, Affinef{{}, {1, 1, 1}}, {2, TissueKind::soft});
  ASSERT_TRUE(star);
  EXPECT_LT(length(star->center - Vec3f{1, -1, -2}), 0.01f);
  for (const Vec3d d : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, -1}, Vec3d{0.6, 0.64, -0.48}}) {
    const double radius = star_radius(star->star, d).radius * double{star->radii.x};
    const double exact = 2 / std::sqrt(d.x * d.x / 0.64 + d.y * d.y / 1.69 + d.z * d.z);
    EXPECT_NEAR(radius / exact, 1, 0.02);
  }
  Mesh ring = test::torus(1, 0.2, 24, 12);
  EXPECT_FALSE(fit_star(ring, 0, {}));
  egg.triangles.pop_back();
  EXPECT_FALSE(fit_star(egg, 0, {}));
}

TEST(FieldWeights, SkinWithoutTissueIsNamedAndFollowsTheAutomaticField) {
  const Character limb = thick_limb();
  DeformationField field = field_of(limb, FieldSource::primitives);
  field.primitives.erase(field.primitives.begin());  // nothing covers the first half
  const auto body = FleshBody::of(limb);
  ASSERT_TRUE(body);
  const std::vector<std::uint32_t> bare = uncovered_vertices(limb, *body, field);
  ASSERT_FALSE(bare.empty());
  EXPECT_LT(bare.size(), body->positions.size());
  Warnings warnings;
  const auto table = build_field(limb, *body, field, &warnings);
  ASSERT_TRUE(table);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find(std::to_string(bare.size()) + " vertices"), std::string::npos) << warnings[0];
  EXPECT_EQ(owner_limb(*table, Vec3d(body->positions[bare[0]]), {}), 0u);
}

TEST(FieldWeights, BadFieldsAreErrorsThatNameTheItem) {
  const Character limb = thick_limb();
  const auto body = FleshBody::of(limb);
  ASSERT_TRUE(body);
  const auto problem = [&](auto change) {
    DeformationField field = field_of(limb, FieldSource::primitives);
    change(field);
    const auto table = build_field(limb, *body, field);
    return table ? std::string() : table.error().message();
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(problem([&](auto& f) { f.primitives[1].radii.y = nan; }).find("limb-1"), std::string::npos);
  EXPECT_NE(problem([&](auto& f) { f.primitives[0].joint = 9; }).find("limb-0"), std::string::npos);
  EXPECT_NE(problem([&](auto& f) { f.primitives.clear(); }), "");
  EXPECT_NE(problem([&](auto& f) { f.spread = nan; }), "");
  EXPECT_NE(problem([&](auto& f) { f.step = 0; }), "");
  EXPECT_NE(problem([&](auto& f) { f.volume = {{1, {{0, 0.9f, 0.9f}}}}; }).find("limb-1"), std::string::npos);
  EXPECT_NE(problem([&](auto& f) { f.volume = {{1, {{1, 0.5f, 0.5f}, {0, 0.5f, 0.5f}}}}; }), "");
  EXPECT_EQ(problem([&](auto& f) { f.volume = {{1, {{0, 0.5f, 0.5f}, {1, 0.1f, 0.3f}}}}; }), "");
}

}  // namespace
