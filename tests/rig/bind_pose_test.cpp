// Where joints were when their skin was bound, and linear blend there: files may bind in another pose than they rest
// in.
#include "supple/rig/bind_pose.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace supple::test {
namespace {

constexpr double fine = 1e-6;  // bind matrices are of single precision, lengths about 1

Quatf about_x(double radians) { return Quatf(from_axis_angle(Vec3d{1, 0, 0}, radians)); }
Quatf about_z(double radians) { return Quatf(from_axis_angle(Vec3d{0, 0, 1}, radians)); }

Affined placed(Vec3d translation, Quatf turn, double scale = 1) {
  const auto s = static_cast<float>(scale);
  return Affined(Transformf{Vec3f(translation), turn, {s, s, s}}.affine());
}

void expect_near(const Affined& a, const Affined& b, const std::string& what) {
  for (const Vec3d p : {Vec3d{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}})
    EXPECT_LT(length(a.point(p) - b.point(p)), 4 * fine) << what;
}

/// "hips", "thigh", "shin", "foot", a metre below each other along y, beside them "tail" on the hips. At rest the thigh
/// is turned about x and the shin about z; it was bound with other turns.
struct Leg {
  Character c;
  std::vector<Affined> bound;  // #joints, as they were
  std::vector<std::size_t> all{0};

  Leg() {
    const Transformf root{{0.3f, 2, 0}, about_z(0.2), {1, 1, 1}}, below{{0, -1, 0}, {}, {1, 1, 1}};
    std::vector<RawJoint> joints{{"hips", std::nullopt, root, {}},
                                 {"thigh", 0, below, {}},
                                 {"shin", 1, below, {}},
                                 {"foot", 2, below, {}},
                                 {"tail", 0, {{0, 0, -0.5f}, {}, {1, 1, 1}}, {}}};
    joints[1].rest.rotation = about_x(0.8);
    joints[2].rest.rotation = about_z(-0.4);
    joints[3].rest.rotation = about_x(0.3);
    c.skeleton = build_skeleton(joints).value().skeleton;
    bound.push_back(placed({0.3, 2, 0}, about_z(0.2)));
    bound.push_back(bound[0] * placed({0, -1, 0}, about_x(-0.5)));
    bound.push_back(bound[1] * placed({0, -1, 0}, about_z(0.9)));
    bound.push_back(bound[2] * placed({0, -1, 0}, about_x(0.3)));
    bound.push_back(bound[0] * placed({0, 0, -0.5}, {}));
    add_skin({0, 1, 2}, Affined{});
  }
  /// A part with a vertex for each joint and one between the first two, bound in coordinates of its own, which
  /// `to_world` takes to those of the world. `more` vertices that follow the first.
  void add_skin(const std::vector<JointIndex>& joints, const Affined& to_world, std::size_t more = 0) {
    SkinBinding skin{"skin", joints, {}};
    for (const JointIndex j : joints) skin.inverse_bind.push_back(Affinef(inverse(bound[j]) * to_world));
    Part part;
    part.name = "part " + std::to_string(c.parts.size());
    part.skin = static_cast<std::uint32_t>(c.skins.size());
    const auto vertex = [&](Vec3d world, std::vector<Influence> influences) {
      part.mesh.positions.push_back(Vec3f(inverse(to_world).point(world)));
      part.weights.push_vertex(influences);
    };
    for (std::uint32_t k = 0; k < joints.size(); ++k) vertex(bound[joints[k]].point({0.1, -0.5, 0.2}), {{k, 1}});
    vertex(bound[joints[0]].point({0, -0.9, 0.1}), {{0, 0.75f}, {1, 0.25f}});
    for (std::size_t i = 0; i < more; ++i)
      vertex(bound[joints[0]].point({0, 0.01 * static_cast<double>(i), 0}), {{0, 1}});
    c.skins.push_back(skin);
    c.parts.push_back(part);
  }
  void expect_bound(const std::vector<Affined>& is, const std::vector<Affined>& expected) const {
    ASSERT_EQ(is.size(), expected.size());
    for (JointIndex j = 0; j < is.size(); ++j) expect_near(is[j], expected[j], c.skeleton.name(j));
  }
};

TEST(BoundJoints, AreWhereTheSkinWasBoundAndNotWhereTheyRest) {
  const Leg leg;
  const std::vector<Affined> is = bound_joints(leg.c, leg.all);
  leg.expect_bound(is, leg.bound);  // foot and tail, of no skin, hang on the others as they rest
  const std::vector<Affinef> rest = to_world(leg.c.skeleton, leg.c.rest());
  EXPECT_GT(length(is[2].translation - Vec3d(rest[2].translation)), 0.5) << "or else nothing is tested";
  const std::vector<Vec3d> shape = blended(leg.c, leg.c.parts[0], is);
  for (std::size_t v = 0; v < shape.size(); ++v)
    EXPECT_LT(length(shape[v] - Vec3d(leg.c.parts[0].mesh.positions[v])), 4 * fine) << v;
}

TEST(BoundJoints, OfASkinInCoordinatesOfItsOwnAreTheSame) {
  for (const Affined& own : {placed({4, -2, 1}, about_x(1.2)), placed({0, 0, 0}, about_z(-0.7), 0.01)}) {
    Leg leg;
    leg.c.skins.clear();
    leg.c.parts.clear();
    leg.add_skin({0, 1, 2}, own);
    const std::vector<Affined> is = bound_joints(leg.c, leg.all);
    leg.expect_bound(is, leg.bound);
    const std::vector<Vec3d> shape = blended(leg.c, leg.c.parts[0], is);
    for (std::size_t v = 0; v < shape.size(); ++v)
      EXPECT_LT(length(shape[v] - own.point(Vec3d(leg.c.parts[0].mesh.positions[v]))), 2e-5) << "of hundreds of units";
  }
}

TEST(BoundJoints, OfTwoSkinsAgreeByTheJointThatBothHave) {
  Leg leg;
  leg.add_skin({2, 3}, placed({-3, 0, 5}, about_x(2)));
  // The foot is where its own skin bound it, beside the shin of the other skin, and not as it rests on the shin.
  leg.bound[3] = leg.bound[2] * placed({0, -1, 0}, about_x(-1));
  leg.c.skins.pop_back();
  leg.c.parts.pop_back();
  leg.add_skin({2, 3}, placed({-3, 0, 5}, about_x(2)));
  const std::array<std::size_t, 2> both{0, 1};
  leg.expect_bound(bound_joints(leg.c, both), leg.bound);
  // Of the first part alone it is as at rest.
  const std::vector<Affined> first = bound_joints(leg.c, leg.all);
  expect_near(first[3], leg.bound[2] * placed({0, -1, 0}, about_x(0.3)), "foot");
}

TEST(BoundJoints, OfSkinsThatDisagreeAreThoseOfTheLarger) {
  Leg leg;
  const std::vector<Affined> before = leg.bound;
  leg.bound[1] = before[0] * placed({0, -1, 0}, about_x(0.1));
  for (const std::size_t more : {std::size_t{0}, std::size_t{20}}) {
    Leg other = leg;
    other.c = Leg().c;
    // The topmost joint is that of both.
    other.add_skin({0, 1}, Affined{}, more);
    const std::array<std::size_t, 2> both{0, 1};
    expect_near(bound_joints(other.c, both)[1], more == 0 ? before[1] : leg.bound[1], "thigh");
  }
}

TEST(BoundJoints, PassOverMatricesThatBindNothing) {
  Leg leg;
  for (const float bad : {0.0f, std::nanf("")}) {
    leg.c.skins[0].inverse_bind[1].linear = Mat3f::diagonal({bad, bad, bad});
    const std::vector<Affined> is = bound_joints(leg.c, leg.all);
    expect_near(is[0], leg.bound[0], "hips");
    expect_near(is[1], leg.bound[0] * placed({0, -1, 0}, about_x(0.8)), "the thigh as it rests on the hips");
    expect_near(is[2], leg.bound[2], "shin");
  }
}

TEST(BoundJoints, OfNoSkinAreAsAtRest) {
  Leg leg;
  leg.c.parts[0].skin.reset();
  leg.c.parts[0].node = 0;
  const std::vector<Affined> is = bound_joints(leg.c, leg.all);
  const std::vector<Affinef> rest = to_world(leg.c.skeleton, leg.c.rest());
  for (JointIndex j = 0; j < is.size(); ++j) expect_near(is[j], Affined(rest[j]), leg.c.skeleton.name(j));
}

TEST(Blended, IsTheMeanOfWhatJointsDoWithMorphTargetsAtRest) {
  Leg leg;
  Part& part = leg.c.parts[0];
  leg.c.morph_weights = {9, 0.5f, 2};
  part.first_morph_weight = 1;
  const auto last = static_cast<std::uint32_t>(part.mesh.positions.size() - 1);
  part.morphs = {{"sparse", {last}, {{0, 0.2f, 0}}, {}, {}},
                 {"dense", {}, std::vector<Vec3f>(last + 1, Vec3f{0.1f, 0, 0}), {}, {}}};
  std::vector<Affined> world = leg.bound;
  world[1] = placed({1, 2, 3}, about_x(1)) * world[1];
  const std::vector<Vec3d> shape = blended(leg.c, part, world);
  for (std::uint32_t v = 0; v <= last; ++v) {
    const Vec3d at = Vec3d(part.mesh.positions[v]) + Vec3d{0.2, v == last ? 0.1 : 0, 0};
    const Vec3d moved = placed({1, 2, 3}, about_x(1)).point(at);
    const Vec3d expected = v == 1 ? moved : v == last ? at * 0.75 + moved * 0.25 : at;
    EXPECT_LT(length(shape[v] - expected), 2e-6) << v;
  }
  // A part without a skin goes with its node.
  part.skin.reset();
  part.node = 1;
  const std::vector<Vec3d> rigid = blended(leg.c, part, world);
  EXPECT_LT(length(rigid[0] - world[1].point(Vec3d(part.mesh.positions[0]) + Vec3d{0.2, 0, 0})), fine);
}

TEST(BindPose, TurnsJointsAsTheirSkinBindsThem) {
  const Leg leg;
  const std::vector<Transformf> pose = bind_pose(leg.c);
  const auto apart = [](Quatf a, Quatf b) {
    return std::abs(1 - std::abs(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w));
  };
  EXPECT_LT(apart(pose[0].rotation, about_z(0.2)), 1e-6f) << "without a parent, as at rest";
  EXPECT_LT(apart(pose[1].rotation, about_x(-0.5)), 1e-6f);
  EXPECT_LT(apart(pose[2].rotation, about_z(0.9)), 1e-6f);
  EXPECT_LT(apart(pose[3].rotation, about_x(0.3)), 1e-6f) << "of no skin, as at rest";
  for (JointIndex j = 0; j < pose.size(); ++j) EXPECT_EQ(pose[j].translation, leg.c.skeleton.rest(j).translation);
}

TEST(MeshToWorld, IsTheScaleOfNodesAboveTheSkeleton) {
  Leg leg;
  EXPECT_EQ(mesh_to_world(leg.c, leg.c.parts[0]), 1) << "turns scale nothing";
  Transformf root = leg.c.skeleton.rest(0);
  root.scale = {0.01f, 0.01f, 0.01f};
  leg.c.skeleton.set_rest(0, root);
  EXPECT_NEAR(mesh_to_world(leg.c, leg.c.parts[0]), 0.01, 1e-7);
  leg.c.parts[0].skin.reset();
  EXPECT_EQ(mesh_to_world(leg.c, leg.c.parts[0]), 1);
}

}  // namespace
}  // namespace supple::test
