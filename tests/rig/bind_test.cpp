#include "supple/rig/bind.h"

#include <gtest/gtest.h>

#include <numbers>

#include "supple/base/parallel.h"
#include "supple/rig/character.h"
#include "supple/rig/pose.h"

namespace supple {
namespace {

/// A tube of radius 0.1 along y from -1 to 2, with a texture seam: first and last column lie on each other.
Mesh tube(std::size_t rings = 61, std::size_t columns = 17) {
  Mesh mesh;
  for (std::size_t r = 0; r < rings; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      const double angle =
          2 * std::numbers::pi * static_cast<double>(c % (columns - 1)) / static_cast<double>(columns - 1);
      mesh.positions.push_back({static_cast<float>(0.1 * std::cos(angle)),
                                -1 + 3 * static_cast<float>(r) / static_cast<float>(rings - 1),
                                static_cast<float>(0.1 * std::sin(angle))});
    }
  }
  for (std::uint32_t r = 0; r + 1 < rings; ++r) {
    for (std::uint32_t c = 0; c + 1 < columns; ++c) {
      const auto n = static_cast<std::uint32_t>(columns), a = r * n + c, b = a + 1;
      mesh.triangles.push_back({a, a + n, b});
      mesh.triangles.push_back({b, a + n, b + n});
    }
  }
  return mesh;
}

Skeleton chain() {
  std::vector<RawJoint> joints{{"a", std::nullopt, {{0, -1, 0}, {}, {1, 1, 1}}, {}},
                               {"b", 0, {{0, 1, 0}, {}, {1, 1, 1}}, {}},
                               {"c", 1, {{0, 1, 0}, {}, {1, 1, 1}}, {}}};
  return build_skeleton(joints).value().skeleton;
}

TEST(Bind, BonesReachToTheirChildren) {
  const std::vector<JointIndex> joints{2, 0, 1};
  const std::vector<Bone> bones = bones_of(chain(), joints);
  ASSERT_EQ(bones.size(), 3u);
  EXPECT_EQ(bones[0].head, (Vec3f{0, -1, 0}));
  EXPECT_EQ(bones[0].tail, (Vec3f{0, 0, 0}));
  EXPECT_EQ(bones[2].head, (Vec3f{0, 1, 0}));
  EXPECT_EQ(bones[2].tail, (Vec3f{0, 1.5f, 0}));  // a leaf: half its parent's length further
  EXPECT_EQ(bones[2].parent, 1u);
}

TEST(Bind, WeightsFollowTheNearestBoneSmoothlyAndWithoutSeams) {
  const Mesh mesh = tube();
  const std::vector<JointIndex> joints{0, 1, 2};
  const SkinWeights w = bind_skin(mesh, bones_of(chain(), joints)).value();
  ASSERT_EQ(w.vertices(), mesh.positions.size());
  for (std::size_t v = 0; v < w.vertices(); ++v) {
    double sum = 0;
    for (const Influence& i : w.of(v)) sum += i.weight;
    EXPECT_NEAR(sum, 1, 1e-6);
    EXPECT_LE(w.of(v).size(), 4u);
    const float y = mesh.positions[v].y;
    if (std::abs(y - std::round(y)) > 0.35f) {
      EXPECT_EQ(w.of(v)[0].joint, y < 0 ? 0u : y < 1 ? 1u : 2u) << y;
      EXPECT_GT(w.of(v)[0].weight, 0.9f) << y;
    }
    if (v % 17 == 16) {
      EXPECT_TRUE(std::equal(w.of(v).begin(), w.of(v).end(), w.of(v - 16).begin(), w.of(v - 16).end()));
    }
  }
}

TEST(Bind, SurfacesAreUsedWhereEveryBoneHasOne) {
  // A thick second bone pulls the border of influence towards the first.
  const std::vector<JointIndex> joints{0, 1};
  std::vector<Bone> bones = bones_of(chain(), joints);
  const auto capsule = [](Vec3f a, Vec3f b, float r) {
    Mesh m;
    for (int i = 0; i < 64; ++i) {
      const auto t = static_cast<float>(i % 8) / 7, angle = static_cast<float>(i / 8) * 0.785398f;
      m.positions.push_back(lerp(a, b, t) + Vec3f{r * std::cos(angle), 0, r * std::sin(angle)});
    }
    for (std::uint32_t i = 0; i < 64; ++i) {
      if (i % 8 == 7) continue;
      const std::uint32_t next = (i + 8) % 64;
      m.triangles.push_back({i, next, i + 1});
      m.triangles.push_back({next, next + 1, i + 1});
    }
    return m;
  };
  const auto weight_of_second_at_border = [&] {
    const Mesh mesh = tube();
    const SkinWeights w = bind_skin(mesh, bones).value();
    double sum = 0;
    for (const Influence& i : w.of(20 * 17)) sum += i.joint == 1 ? i.weight : 0;  // the ring at y = 0
    return sum;
  };
  for (Bone& b : bones) b.surface = capsule(b.head, b.tail, 0.02f);
  const double even = weight_of_second_at_border();
  bones[1].surface = capsule(bones[1].head, bones[1].tail, 0.09f);
  EXPECT_NEAR(even, 0.5, 0.1);
  EXPECT_GT(weight_of_second_at_border(), even + 0.2);
}

TEST(Bind, BonesOfASkinLieWhereItBinds) {
  // The rig rests bent, but the skin was bound straight: the bones must be the straight ones.
  Skeleton bent = chain();
  Transformf rest = bent.rest(1);
  rest.rotation = from_axis_angle(Vec3f{0, 0, 1}, 1.0f);
  bent.set_rest(1, rest);
  const std::vector<Affinef> straight = to_world(chain(), rest_pose(chain()));
  const SkinBinding skin{"s", {1, 0}, {inverse(straight[1]), inverse(straight[0])}};
  const std::vector<Bone> bones = bones_of(bent, skin);
  ASSERT_EQ(bones.size(), 2u);
  EXPECT_LT(length(bones[1].head - Vec3f{0, 0, 0}), 1e-6f);
  EXPECT_LT(length(bones[1].tail - Vec3f{0, 1, 0}), 1e-6f);  // joint c is in no skin: it stays above b
}

TEST(Bind, SurfacesComeFromARigidPart) {
  const std::vector<JointIndex> joints{0, 1, 2};
  const std::vector<Bone> bones = bones_of(chain(), joints);
  const SkinBinding skin{"s", {2, 0}, {Affinef{}, Affinef{}}};
  Part part;
  part.mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 0, 0}, {6, 0, 0}, {5, 1, 0}};
  part.mesh.triangles = {{0, 1, 2}, {3, 4, 5}};
  for (std::uint32_t v = 0; v < 6; ++v) {
    const Influence whole{v < 3 ? 0u : 1u, 1};  // first triangle on joint 2, second on joint 0
    part.weights.push_vertex({&whole, 1});
  }
  const std::vector<Bone> dressed = with_surfaces(bones, part, skin);
  ASSERT_EQ(dressed.size(), 2u) << "joint 1 has no surface and is dropped";
  EXPECT_EQ(dressed[0].joint, 0u);
  EXPECT_EQ(dressed[0].surface.positions[0], (Vec3f{5, 0, 0}));
  EXPECT_EQ(dressed[1].joint, 2u);
  EXPECT_EQ(dressed[1].parent, 0u) << "its parent is the nearest ancestor that is left";
}

TEST(Bind, SameBytesForAnyThreadCount) {
  const Mesh mesh = tube();
  const std::vector<JointIndex> joints{0, 1, 2};
  set_thread_count(1);
  const SkinWeights one = bind_skin(mesh, bones_of(chain(), joints)).value();
  set_thread_count(3);
  const SkinWeights three = bind_skin(mesh, bones_of(chain(), joints)).value();
  set_thread_count(0);
  EXPECT_EQ(one.entries, three.entries);
}

TEST(Bind, BadInputIsRefused) {
  const std::vector<JointIndex> joints{0};
  EXPECT_FALSE(bind_skin(tube(), {}));
  EXPECT_FALSE(bind_skin(Mesh{}, bones_of(chain(), joints)));
  Mesh broken = tube();
  broken.triangles[3][1] = 1u << 30;
  EXPECT_FALSE(bind_skin(broken, bones_of(chain(), joints)));
  EXPECT_FALSE(bind_skin(tube(), bones_of(chain(), joints), {}, [](std::string_view, double) { return false; }));
}

TEST(Character, ValidationNamesTheItem) {
  Character c;
  c.skeleton = chain();
  c.skins.push_back({"skin", {0, 1}, {Affinef{}, Affinef{}}});
  Part part;
  part.name = "body";
  part.mesh = tube();
  part.skin = 0;
  const Influence whole{0, 1};
  for (std::size_t v = 0; v < part.mesh.positions.size(); ++v) part.weights.push_vertex({&whole, 1});
  c.parts.push_back(part);
  ASSERT_TRUE(validate(c)) << validate(c).error().message();

  const auto problem = [&](auto change) {
    Character bad = c;
    change(bad);
    const auto result = validate(bad);
    return result ? std::string() : result.error().message();
  };
  EXPECT_NE(problem([](Character& b) { b.parts[0].weights.entries[7].joint = 2; }).find("vertex 7"), std::string::npos);
  EXPECT_NE(problem([](Character& b) { b.parts[0].weights.entries[7].weight = 2; }).find("vertex 7"),
            std::string::npos);
  EXPECT_NE(problem([](Character& b) {
              b.skins[0].inverse_bind[1].linear = Mat3f::diagonal({1, 0, 1});
            }).find("joint 'b'"),
            std::string::npos);
  EXPECT_NE(problem([](Character& b) { b.skins[0].joints[1] = 99; }).find("99"), std::string::npos);
  EXPECT_NE(problem([](Character& b) { b.parts[0].mesh.positions[3].y = std::nanf(""); }).find("body"),
            std::string::npos);
  EXPECT_NE(problem([](Character& b) { b.parts[0].morphs.resize(1); }), "");
  EXPECT_NE(problem([](Character& b) { b.parts[0].mesh.normals.resize(2); }), "");
}

}  // namespace
}  // namespace supple
