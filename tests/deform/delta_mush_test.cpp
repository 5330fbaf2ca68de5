// Delta mush against a plain double-precision version of the paper, and what it promises: rest stays, rigid motion
// carries along, bends become smooth, seams stay closed, borders stay put.
#include <gtest/gtest.h>

#include <map>
#include <numbers>
#include <set>

#include "supple/deform/skin.h"
#include "supple/make/limb.h"

namespace supple {
namespace {

/// A bent limb of two bones, with delta mush.
Character limb() {
  make::LimbOptions options;
  options.vertices = 1500;
  Character c = make::make_limb(options).value();
  c.delta_mush.push_back({});
  return c;
}

Pose bent(const Character& c, double degrees) {
  Pose pose = c.rest();
  const double half = degrees * std::numbers::pi / 360;
  pose.local[1].rotation =
      pose.local[1].rotation * Quatf{static_cast<float>(std::sin(half)), 0, 0, static_cast<float>(std::cos(half))};
  return pose;
}

/// Slow and plain: maps and sets, double precision, one point after another.
std::vector<Vec3d> reference(const DeltaMush& mush, std::span<const Vec3f> rest, std::span<const Vec3f> posed,
                             std::span<const Triangle> triangles) {
  const std::size_t n = rest.size();
  std::vector<std::set<std::size_t>> around(n);
  for (const Triangle& t : triangles)
    for (const std::size_t i : {0, 1, 2})
      for (const std::size_t j : {0, 1, 2})
        if (i != j) around[t[i]].insert(t[j]);
  const auto smooth = [&](std::span<const Vec3f> points) {
    std::vector<Vec3d> a(points.begin(), points.end());
    for (std::uint32_t i = 0; i < mush.iterations; ++i) {
      std::vector<Vec3d> b = a;
      for (std::size_t v = 0; v < n; ++v) {
        Vec3d sum{};
        for (const std::size_t o : around[v]) sum += a[o];
        b[v] = a[v] + (sum / static_cast<double>(around[v].size()) - a[v]) * double{mush.strength};
      }
      a = b;
    }
    return a;
  };
  const auto normal = [&](const std::vector<Vec3d>& p, std::size_t v) {
    Vec3d sum{};
    for (const Triangle& t : triangles)
      if (t[0] == v || t[1] == v || t[2] == v) sum += cross(p[t[1]] - p[t[0]], p[t[2]] - p[t[0]]);
    return normalized(sum);
  };
  const std::vector<Vec3d> at_rest = smooth(rest), now = smooth(posed);
  std::vector<Vec3d> result;
  for (std::size_t v = 0; v < n; ++v) {
    const Vec3d out = normal(at_rest, v), out_now = normal(now, v);
    const auto across = [&](const std::vector<Vec3d>& p, std::size_t o, Vec3d z) {
      const Vec3d e = p[o] - p[v];
      return e - z * dot(z, e);
    };
    std::size_t ahead = *around[v].begin();
    for (const std::size_t o : around[v])
      if (length(across(at_rest, o, out)) > length(across(at_rest, ahead, out))) ahead = o;
    const Vec3d x = normalized(across(at_rest, ahead, out)), x_now = normalized(across(now, ahead, out_now));
    const Vec3d delta = Vec3d(rest[v]) - at_rest[v];
    result.push_back(now[v] + x_now * dot(x, delta) + cross(out_now, x_now) * dot(cross(out, x), delta) +
                     out_now * dot(out, delta));
  }
  return result;
}

TEST(DeltaMush, IsThePapersInDoublePrecision) {
  const Character c = limb();
  Character plain = c;
  plain.delta_mush.clear();
  auto skin = Skin::make(c), blend = Skin::make(plain);
  ASSERT_TRUE(skin && blend);
  const std::vector<Vec3f> rest(blend->positions().begin(), blend->positions().end());
  ASSERT_TRUE(skin->evaluate(bent(c, 90)) && blend->evaluate(bent(c, 90)));
  const auto expected = reference(c.delta_mush[0], rest, blend->positions(), c.parts[0].mesh.triangles);
  double farthest = 0;
  for (std::size_t v = 0; v < expected.size(); ++v)
    farthest = std::max(farthest, length(Vec3d(skin->positions()[v]) - expected[v]));
  EXPECT_LT(farthest, 2e-6);  // metres; ten rounds of sums of floats of half a metre
}

TEST(DeltaMush, RestStaysAndRigidMotionCarriesAlong) {
  const Character c = limb();
  Character plain = c;
  plain.delta_mush.clear();
  auto skin = Skin::make(c), blend = Skin::make(plain);
  ASSERT_TRUE(skin && blend);
  Pose moved = c.rest();
  moved.local[0].rotation = normalized(Quatf{0.3f, -0.5f, 0.2f, 0.7f});
  moved.local[0].translation = {1, 2, 3};
  for (const Pose& pose : {c.rest(), moved}) {
    ASSERT_TRUE(skin->evaluate(pose) && blend->evaluate(pose));
    for (std::size_t v = 0; v < skin->positions().size(); ++v) {
      ASSERT_LT(length(skin->positions()[v] - blend->positions()[v]), 4e-6f) << v;  // floats of a few metres
      ASSERT_LT(length(skin->normals()[v] - blend->normals()[v]), 1e-3f) << v;
    }
  }
}

/// The sharpest fold: the largest angle between normals of neighbouring triangles, beyond what is there at rest.
double sharpest(const Mesh& rest, std::span<const Vec3f> posed) {
  const auto normal = [](std::span<const Vec3f> p, const Triangle& t) {
    return normalized(cross(Vec3d(p[t[1]] - p[t[0]]), Vec3d(p[t[2]] - p[t[0]])));
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> by_edge;
  double most = 0;
  for (std::size_t t = 0; t < rest.triangles.size(); ++t)
    for (std::size_t i = 0; i < 3; ++i) {
      const auto edge = std::minmax(rest.triangles[t][i], rest.triangles[t][(i + 1) % 3]);
      const auto [other, is_new] = by_edge.try_emplace(edge, t);
      if (is_new) continue;
      const auto angle = [&](std::span<const Vec3f> p) {
        return std::acos(
            std::clamp(dot(normal(p, rest.triangles[t]), normal(p, rest.triangles[other->second])), -1.0, 1.0));
      };
      most = std::max(most, angle(posed) - angle(rest.positions));
    }
  return most;
}

TEST(DeltaMush, SmoothsTheStepsOfRigidWeights) {
  Character c = limb();
  SkinWeights rigid;  // every vertex on its heaviest joint, as a first rough binding
  for (std::size_t v = 0; v < c.parts[0].mesh.positions.size(); ++v) {
    const Influence one{c.parts[0].weights.of(v)[0].joint, 1};
    rigid.push_vertex(std::span(&one, 1));
  }
  c.parts[0].weights = rigid;
  c.delta_mush[0].iterations = 20;
  Character plain = c;
  plain.delta_mush.clear();
  auto skin = Skin::make(c), blend = Skin::make(plain);
  ASSERT_TRUE(skin->evaluate(bent(c, 45)) && blend->evaluate(bent(c, 45)));
  EXPECT_LT(sharpest(c.parts[0].mesh, skin->positions()), 0.5 * sharpest(c.parts[0].mesh, blend->positions()));
}

TEST(DeltaMush, ClosesSeamsAndKeepsBorders) {
  Character c = limb();
  Mesh& mesh = c.parts[0].mesh;
  // The first triangle gets vertices of its own, as a texture's seam does; the second is cut out.
  SkinWeights weights = c.parts[0].weights;
  Triangle& first = mesh.triangles[0];
  for (std::uint32_t& corner : first) {
    const std::vector<Influence> own(weights.of(corner).begin(), weights.of(corner).end());
    mesh.positions.push_back(mesh.positions[corner]);
    mesh.normals.push_back(mesh.normals[corner]);
    weights.push_vertex(own);
    corner = static_cast<std::uint32_t>(mesh.positions.size() - 1);
  }
  c.parts[0].weights = weights;
  const Triangle hole = mesh.triangles[400];
  mesh.triangles.erase(mesh.triangles.begin() + 400);
  Character plain = c;
  plain.delta_mush.clear();
  auto skin = Skin::make(c), blend = Skin::make(plain);
  ASSERT_TRUE(skin) << skin.error().message();
  const Weld joined = weld(mesh.positions);
  ASSERT_TRUE(skin->evaluate(bent(c, 70)) && blend->evaluate(bent(c, 70)));
  for (std::size_t v = 0; v < mesh.positions.size(); ++v)
    EXPECT_EQ(skin->positions()[v], skin->positions()[joined.to_vertex[joined.to_point[v]]]) << v;
  for (const std::uint32_t v : hole) EXPECT_LT(length(skin->positions()[v] - blend->positions()[v]), 1e-6f) << v;
}

TEST(DeltaMush, IsTheSameOnAnyNumberOfThreadsAndOnlyLive) {
  const Character c = limb();
  Character plain = c;
  plain.delta_mush.clear();
  auto one = Skin::make(c), many = Skin::make(c), given = Skin::make(c, Blend::linear, Layers::as_given()),
       blend = Skin::make(plain);
  const Pose pose = bent(c, 60);
  ASSERT_TRUE(one->evaluate(pose, 1) && many->evaluate(pose, 4) && given->evaluate(pose) && blend->evaluate(pose));
  EXPECT_TRUE(std::equal(one->positions().begin(), one->positions().end(), many->positions().begin()));
  EXPECT_TRUE(std::equal(given->positions().begin(), given->positions().end(), blend->positions().begin()));
  EXPECT_FALSE(std::equal(one->positions().begin(), one->positions().end(), blend->positions().begin()));
}

TEST(DeltaMush, FaultsAreNamed) {
  struct Case {
    const char* message;
    DeltaMush mush;
  };
  for (const Case& wrong : {Case{"part 7", {.part = 7}}, Case{"0 iterations", {.iterations = 0}},
                            Case{"201 iterations", {.iterations = 201}}, Case{"strength", {.strength = 0}},
                            Case{"strength", {.strength = 1.5f}}, Case{"strength", {.strength = NAN}}}) {
    Character c = limb();
    c.delta_mush = {wrong.mush};
    const auto checked = validate(c);
    ASSERT_FALSE(checked) << wrong.message;
    EXPECT_NE(checked.error().message().find(wrong.message), std::string::npos) << checked.error().message();
  }
  Character twice = limb();
  twice.delta_mush.push_back({});
  EXPECT_FALSE(validate(twice));
}

}  // namespace
}  // namespace supple
