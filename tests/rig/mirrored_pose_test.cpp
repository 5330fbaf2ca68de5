// Mirrored poses against a mirror: where every joint of a body that is the same on both sides comes to be.
#include "supple/rig/mirrored_pose.h"

#include <gtest/gtest.h>

#include "supple/base/rng.h"

namespace supple::test {
namespace {

/// A trunk with a head, two arms and two legs whose places are mirrored at x = 0, and whose joints' axes point anyhow.
/// One vertex on each joint.
Character body() {
  struct Place {
    const char* name;
    int parent;
    Vec3f at;
  };
  const std::vector<Place> places{{"hips", -1, {0, 1, 0}},
                                  {"spine", 0, {0, 1.3f, 0.1f}},
                                  {"head", 1, {0, 1.7f, 0}},
                                  {"upper_arm_l", 1, {0.2f, 1.5f, 0}},
                                  {"forearm_l", 3, {0.5f, 1.4f, -0.1f}},
                                  {"hand_l", 4, {0.8f, 1.4f, 0}},
                                  {"upper_arm_r", 1, {-0.2f, 1.5f, 0}},
                                  {"forearm_r", 6, {-0.5f, 1.4f, -0.1f}},
                                  {"hand_r", 7, {-0.8f, 1.4f, 0}},
                                  {"thigh_l", 0, {0.1f, 0.9f, 0}},
                                  {"shin_l", 9, {0.1f, 0.5f, 0.1f}},
                                  {"thigh_r", 0, {-0.1f, 0.9f, 0}},
                                  {"shin_r", 11, {-0.1f, 0.5f, 0.1f}}};
  Rng rng(2);
  Character c;
  std::vector<RawJoint> raw;
  std::vector<Affinef> world;
  for (const Place& place : places) {
    const Vec3d axis{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)};
    const Quatf turn(from_axis_angle(normalized(axis), rng.uniform(0, 3)));
    world.push_back({to_matrix(turn), place.at});
    RawJoint joint{place.name, std::nullopt, {place.at, turn, {1, 1, 1}}, {}};
    if (place.parent >= 0) {
      joint.parent = static_cast<std::size_t>(place.parent);
      const Affinef& above = world[*joint.parent];
      joint.rest.translation = inverse(above).point(place.at);
      joint.rest.rotation = conjugate(from_matrix(above.linear)) * turn;
    }
    raw.push_back(std::move(joint));
  }
  c.skeleton = build_skeleton(raw).value().skeleton;
  Part part;
  part.name = "skin";
  part.skin = 0;
  c.skins.push_back({"skin", {}, {}});
  for (JointIndex j = 0; j < c.skeleton.size(); ++j) {
    c.skins[0].joints.push_back(j);
    c.skins[0].inverse_bind.push_back(inverse(world[j]));
    part.mesh.positions.push_back(world[j].translation);
    const Influence whole[]{{j, 1}};
    part.weights.push_vertex(whole);
  }
  c.parts.push_back(std::move(part));
  return c;
}

Pose turned_anyhow(const Character& c, Rng& rng) {
  Pose pose = c.rest();
  for (JointIndex j = 1; j < c.skeleton.size(); ++j) {
    const Vec3d axis{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)};
    pose.local[j].rotation =
        Quatf(Quatd(pose.local[j].rotation) * from_axis_angle(normalized(axis), rng.uniform(0, 1)));
  }
  return pose;
}

TEST(PoseMirror, PutsEveryJointWhereAMirrorShowsTheOther) {
  const Character c = body();
  const PoseMirror mirror(c);
  const Anatomy anatomy = anatomy_of(c);
  ASSERT_EQ(mirror.paired_joints(), 10u);
  Rng rng(3);
  for (int i = 0; i < 5; ++i) {
    const Pose pose = turned_anyhow(c, rng), other = mirror.mirrored(pose);
    const std::vector<Affinef> seen = to_world(c.skeleton, pose), is = to_world(c.skeleton, other);
    for (JointIndex j = 0; j < c.skeleton.size(); ++j) {
      const JointAnatomy& joint = anatomy.joints[j];
      const JointIndex from = joint.mirror != no_joint ? joint.mirror : j;
      if (joint.mirror == no_joint && joint.side != BodySide::middle) continue;
      const Vec3f place = seen[from].translation;  // left is +x
      EXPECT_LT(length(is[j].translation - Vec3f{-place.x, place.y, place.z}), 1e-5f) << c.skeleton.name(j);
    }
    const Pose back = mirror.mirrored(other);
    for (JointIndex j = 0; j < c.skeleton.size(); ++j)
      EXPECT_LT(angle_between(Quatd(back.local[j].rotation), Quatd(pose.local[j].rotation)), 1e-4)
          << c.skeleton.name(j);
  }
}

/// The skin says what is mirrored, not the rest pose, in which one arm may hang.
TEST(PoseMirror, GoesByThePoseOfBinding) {
  const Character bound = body();
  Character c = bound;
  Rng rng(4);
  const Pose other_rest = turned_anyhow(bound, rng), pose = turned_anyhow(bound, rng);
  for (JointIndex j = 1; j < c.skeleton.size(); ++j) {
    Transformf rest = c.skeleton.rest(j);
    rest.rotation = other_rest.local[j].rotation;
    c.skeleton.set_rest(j, rest);
  }
  const Pose expected = PoseMirror(bound).mirrored(pose), got = PoseMirror(c).mirrored(pose);
  for (JointIndex j = 0; j < c.skeleton.size(); ++j)
    EXPECT_LT(angle_between(Quatd(got.local[j].rotation), Quatd(expected.local[j].rotation)), 1e-3)
        << c.skeleton.name(j);
}

TEST(PoseMirror, LeavesPosesAsTheyAreWhereThereAreNoSides) {
  Character c;
  c.skeleton = build_skeleton(std::vector<RawJoint>{{"first", std::nullopt, {}, {}},
                                                    {"second", 0, {{0, 1, 0}, {}, {1, 1, 1}}, {}}})
                   .value()
                   .skeleton;
  const PoseMirror mirror(c);
  EXPECT_EQ(mirror.paired_joints(), 0u);
  Rng rng(5);
  const Pose pose = turned_anyhow(c, rng);
  EXPECT_EQ(mirror.mirrored(pose).local, pose.local);
}

}  // namespace
}  // namespace supple::test
