// BVH motion in, and onto other skeletons.
#include "supple/files/bvh.h"

#include <gtest/gtest.h>

#include <numbers>

#include "supple/files/load.h"
#include "supple/files/retarget.h"
#include "support/shared_data.h"

namespace supple::test {
namespace {

const std::string two_joints = R"(HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Knee
  {
    OFFSET 0 -10 0
    CHANNELS 3 Yrotation Zrotation Xrotation
    End Site
    {
      OFFSET 0 -8 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.5
0 18 0 0 0 0 0 0 0
5 18 0 90 0 0 30 20 10
)";

Quatd turn(int axis, double degrees) {
  Vec3d v;
  v[static_cast<std::size_t>(axis)] = 1;
  return from_axis_angle(v, degrees * std::numbers::pi / 180);
}

TEST(Bvh, HierarchyChannelsAndScale) {
  const auto m = parse_bvh(two_joints, "two.bvh", {.scale = 0.1});
  ASSERT_TRUE(m) << m.error().message();
  ASSERT_EQ(m->skeleton.size(), 3u);
  EXPECT_EQ(m->skeleton.name(2), "Knee_end");
  EXPECT_EQ(m->skeleton.rest(1).translation, (Vec3f{0, -1, 0}));
  EXPECT_EQ(m->frames, 2u);
  Pose pose = rest_pose(m->skeleton);
  sample(m->clip, 0.5f, pose);
  EXPECT_NEAR(pose.local[0].translation.x, 0.5, 1e-6);
  EXPECT_NEAR(pose.local[0].translation.y, 1.8, 1e-6);
  // Channels apply from left to right: Y, then Z, then X in the frame turned so far.
  const Quatd expected = turn(1, 30) * turn(2, 20) * turn(0, 10);
  EXPECT_LT(angle_between(Quatd(pose.local[1].rotation), expected), 1e-6);
  EXPECT_LT(angle_between(Quatd(pose.local[0].rotation), turn(2, 90)), 1e-6);
}

TEST(Bvh, ErrorsNameTheLine) {
  const auto damaged = [](std::string_view from, std::string_view to) {
    std::string text = two_joints;
    text.replace(text.find(from), from.size(), to);
    return parse_bvh(text, "bad.bvh");
  };
  for (const auto& [from, to, line] :
       std::vector<std::array<std::string, 3>>{{"HIERARCHY", "HIERACHY", "bad.bvh:1"},
                                               {"OFFSET 0 -10 0", "OFFSET 0 -10 x", "bad.bvh:8"},
                                               {"Yrotation Zrotation", "Yrotation Wrotation", "bad.bvh:9"},
                                               {"CHANNELS 3", "CHANNELS 99", "bad.bvh:9"},
                                               {"Frames: 2", "Frames: -2", "bad.bvh:17"},
                                               {"Time: 0.5", "Time: 0", "bad.bvh:18"},
                                               {"5 18 0", "5 18 nan", "bad.bvh:20"}}) {
    const auto read = damaged(from, to);
    ASSERT_FALSE(read) << to;
    EXPECT_EQ(read.error().item, line) << read.error().message();
  }
  EXPECT_FALSE(damaged("Frames: 2", "Frames: 4000000000")) << "a lie about the number of frames";
  EXPECT_FALSE(damaged("}\nMOTION", "MOTION"));
  for (std::size_t n = 0; n < two_joints.size() - 3; n += 5)
    EXPECT_FALSE(parse_bvh(two_joints.substr(0, n), "cut.bvh")) << n;
}

TEST(Bvh, RetargetOntoItselfIsTheSameMotion) {
  const auto m = parse_bvh(two_joints, "two.bvh");
  ASSERT_TRUE(m);
  Warnings warnings;
  const auto clip = retarget(m->skeleton, m->clip, m->skeleton, {}, &warnings);
  ASSERT_TRUE(clip) << clip.error().message();
  Pose a = rest_pose(m->skeleton), b = a;
  sample(m->clip, 0.5f, a);
  sample(*clip, 0.5f, b);
  const auto wa = to_world(m->skeleton, a), wb = to_world(m->skeleton, b);
  for (std::size_t j = 0; j < wa.size(); ++j) EXPECT_LT(length(wa[j].translation - wb[j].translation), 1e-4f) << j;
  EXPECT_TRUE(warnings.empty()) << warnings[0];
}

TEST(Bvh, RetargetTransfersWorldRotations) {
  // The target is half as tall, its joints have axes of their own, and it stands under a turned node.
  const auto m = parse_bvh(two_joints, "two.bvh");
  const Quatf tilt = normalized(Quatf{0.3f, -0.2f, 0.5f, 0.7f});
  std::vector<RawJoint> raw(4);
  raw[0] = {"armature", {}, {{0, 0, 0}, Quatf(turn(0, -90)), {1, 1, 1}}, {}};
  raw[1] = {"mixamorig:hips", 0, {{0, 0, 9}, tilt, {1, 1, 1}}, {}};
  raw[2] = {"mixamorig:knee", 1, {rotate(conjugate(tilt), Vec3f{0, 0, -5}), Quatf(turn(1, 77)), {1, 1, 1}}, {}};
  raw[3] = {"finger", 2, {{0, 1, 0}, {}, {1, 1, 1}}, {}};
  const Skeleton target = build_skeleton(raw)->skeleton;
  Warnings warnings;
  const auto clip = retarget(m->skeleton, m->clip, target, {}, &warnings);
  ASSERT_TRUE(clip) << clip.error().message();
  EXPECT_EQ(warnings.size(), 1u) << "armature and finger keep their rest pose";
  Pose source = rest_pose(m->skeleton), moved = rest_pose(target);
  const auto rest = to_world(target, moved);
  sample(m->clip, 0.5f, source);
  sample(*clip, 0.5f, moved);
  const auto source_world = to_world(m->skeleton, source), world = to_world(target, moved);
  for (const auto& [from, to] : {std::pair{0u, 1u}, std::pair{1u, 2u}}) {
    const Mat3d delta = Mat3d(source_world[from].linear);  // the source's rest orientations are identities
    EXPECT_LT(norm(Mat3d(world[to].linear) - delta * Mat3d(rest[to].linear)), 1e-5) << to;
  }
  // Height of the hips over the knee: 10 and 5. Source hips at (5, 18, 0): 18 above the ground.
  EXPECT_NEAR(world[1].translation.x, 2.5, 1e-4);
  EXPECT_NEAR(world[1].translation.y, 9, 1e-4);
}

TEST(Bvh, RetargetByMapAndWithoutAnyMatch) {
  const auto m = parse_bvh(two_joints, "two.bvh");
  std::vector<RawJoint> raw(1);
  raw[0].name = "bone";
  const Skeleton target = build_skeleton(raw)->skeleton;
  const auto nothing = retarget(m->skeleton, m->clip, target);
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().remedy.find("--map"), std::string::npos);
  const auto mapped = retarget(m->skeleton, m->clip, target, {.joints = {{"Knee", "bone"}}, .translation_scale = 2});
  ASSERT_TRUE(mapped) << mapped.error().message();
  EXPECT_EQ(mapped->tracks.size(), 2u);
  const auto typo = retarget(m->skeleton, m->clip, target, {.joints = {{"Kne", "bone"}}, .translation_scale = 0});
  ASSERT_FALSE(typo);
  EXPECT_NE(typo.error().remedy.find("Knee"), std::string::npos);
}

TEST(Bvh, AllSampleFiles) {
  SUPPLE_REQUIRE_DATA(shared_data("bvh"));
  std::size_t files = 0;
  for (const auto folder : {"bvh", "makehuman/bvh"}) {
    for (const auto& entry : std::filesystem::directory_iterator(shared_data(folder))) {
      if (entry.path().extension() != ".bvh") continue;
      const auto loaded = load(entry.path());
      ASSERT_TRUE(loaded) << loaded.error().message();
      EXPECT_TRUE(validate(loaded->character()));
      ++files;
    }
  }
  EXPECT_GE(files, 6u);
}

TEST(Bvh, CmuWalkGoesForwardOnItsFeet) {
  const auto path = shared_data("bvh/cmu_02_01_walk.bvh");
  SUPPLE_REQUIRE_DATA(path);
  const auto m = read_bvh(path, {.scale = 0.056444});  // inches / 0.45, as the capture's notes say
  ASSERT_TRUE(m) << m.error().message();
  EXPECT_NEAR(m->frame_time, 1.0 / 120, 1e-4);
  const JointIndex foot = *m->skeleton.find("LeftFoot"), head = *m->skeleton.find("Head");
  Pose pose = rest_pose(m->skeleton);
  float lowest = 1e9f, highest = -1e9f;
  Vec3f first{}, last{};
  for (float t = 0; t <= m->clip.end(); t += 0.05f) {
    sample(m->clip, t, pose);
    const auto world = to_world(m->skeleton, pose);
    lowest = std::min(lowest, world[foot].translation.y);
    highest = std::max(highest, world[head].translation.y);
    if (t == 0) first = world[0].translation;
    last = world[0].translation;
  }
  EXPECT_GT(lowest, -0.1f);  // an ankle stays above the floor
  EXPECT_LT(lowest, 0.2f);
  EXPECT_GT(highest, 1.4f);  // a grown person
  EXPECT_LT(highest, 2.0f);
  EXPECT_GT(length(last - first), 1.5f);
}

}  // namespace
}  // namespace supple::test
