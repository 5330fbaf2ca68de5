// Binding by distances inside the body.
#include <gtest/gtest.h>

#include "supple/base/parallel.h"
#include "supple/geometry/topology.h"
#include "supple/rig/bind.h"
#include "support/eared.h"
#include "support/shapes.h"

namespace supple::test {
namespace {

constexpr BindOptions inside{.distance = BoneDistance::inside};

std::vector<Bone> all_bones(const Skeleton& skeleton) {
  std::vector<JointIndex> joints;
  for (JointIndex j = 0; j < skeleton.size(); ++j) joints.push_back(j);
  return bones_of(skeleton, joints);
}

/// The largest weight that vertices of a part have on joints whose names begin so; `margin`: metres that they are away
/// from all other parts.
double largest(const Eared& made, const SkinWeights& weights, EaredPart part, const std::string& joints,
               double margin) {
  double most = 0;
  for (std::size_t v = 0; v < made.truth.size(); ++v) {
    if (made.truth[v] != part) continue;
    const Vec3d p(made.skin.positions[v]);
    bool far = true;
    for (const EaredPart other : {EaredPart::body, EaredPart::head, EaredPart::arm, EaredPart::ear})
      far = far && (other == part || eared_distance(p, other) > margin);
    double sum = 0;
    for (const Influence& i : weights.of(v))
      if (made.skeleton.name(i.joint).find(joints) != std::string::npos) sum += double{i.weight};
    if (far) most = std::max(most, sum);
  }
  return most;
}

TEST(BindInside, AnEarOverAnArmFollowsTheHead) {
  const Eared made = eared();
  const std::vector<Bone> bones = all_bones(made.skeleton);
  const SkinWeights straight = bind_skin(made.skin, bones).value();
  EXPECT_GT(largest(made, straight, EaredPart::ear, "arm", 0), 0.5) << "the trait that is tested for";
  BindNotes notes;
  const SkinWeights weights = bind_skin(made.skin, bones, inside, {}, &notes).value();
  EXPECT_LT(largest(made, weights, EaredPart::ear, "arm", 0), 0.01);
  EXPECT_LT(largest(made, weights, EaredPart::head, "arm", 0.03), 0.01);
  EXPECT_LT(largest(made, weights, EaredPart::arm, "head", 0.03), 0.02);
  EXPECT_TRUE(notes.outside.empty());
  EXPECT_EQ(notes.attached, 0u);
  EXPECT_FALSE(notes.none_inside);
}

TEST(BindInside, EarsThinnerThanACellAndOpenSkinsWork) {
  // The same creature a tenth as large, beside a thing that makes the lattice's cells larger than its ears are thick,
  // inside out, without the triangles of its soles.
  Eared made = eared();
  for (Vec3f& p : made.skin.positions) p *= 0.1f;
  std::erase_if(made.skin.triangles, [&](const Triangle& t) { return made.skin.positions[t[0]].y < 0.003f; });
  for (Triangle& t : made.skin.triangles) std::swap(t[0], t[1]);
  std::vector<Bone> bones = all_bones(made.skeleton);
  for (Bone& b : bones) {
    b.head *= 0.1f, b.tail *= 0.1f;
    for (Vec3f& end : b.ends) end *= 0.1f;
  }
  const std::size_t own = made.skin.positions.size();
  const Mesh far_away = sphere(0.01, 6, 8, {0.6, 0, 0});
  for (const Vec3f p : far_away.positions) made.skin.positions.push_back(p);
  for (const Triangle& t : far_away.triangles) {
    const auto first = static_cast<std::uint32_t>(own);
    made.skin.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  }
  BindNotes notes;
  const SkinWeights weights = bind_skin(made.skin, bones, inside, {}, &notes).value();
  double on_arms = 0;
  for (std::size_t v = 0; v < own; ++v) {
    if (made.truth[v] != EaredPart::ear) continue;
    for (const Influence& i : weights.of(v))
      if (made.skeleton.name(i.joint).find("arm") != std::string::npos) on_arms = std::max(on_arms, double{i.weight});
  }
  EXPECT_LT(on_arms, 0.01);
  EXPECT_EQ(notes.attached, far_away.positions.size()) << "no bone is inside the ball";
  EXPECT_EQ(made.skeleton.name(weights.of(own)[0].joint), "forearm-left") << "what is nearest to the ball";
}

TEST(BindInside, AShellWithoutABoneFollowsTheSkinBelowIt) {
  // A bracelet around the left forearm and a pack behind the trunk, neither touching.
  Eared made = eared();
  const std::size_t own = made.skin.positions.size();
  Mesh bracelet = torus(0.055, 0.008, 24, 8);
  for (Vec3f& p : bracelet.positions) p = Vec3f{0.3f + p.y, 0.37f + p.x, p.z};
  const Mesh pack = box({-0.05f, 0.15f, -0.2f}, {0.05f, 0.25f, -0.11f});
  for (const Mesh& mesh : {bracelet, pack}) {
    const auto first = static_cast<std::uint32_t>(made.skin.positions.size());
    for (const Vec3f p : mesh.positions) made.skin.positions.push_back(p);
    for (const Triangle& t : mesh.triangles) made.skin.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  }
  const std::vector<Bone> bones = all_bones(made.skeleton);
  BindNotes notes;
  const SkinWeights weights = bind_skin(made.skin, bones, inside, {}, &notes).value();
  EXPECT_EQ(notes.attached, bracelet.positions.size() + pack.positions.size());
  for (std::size_t v = own; v < weights.vertices(); ++v) {
    const bool of_pack = v >= own + bracelet.positions.size();
    double expected = 0;
    for (const Influence& i : weights.of(v)) {
      const std::string& joint = made.skeleton.name(i.joint);
      expected += of_pack ? (joint == "hips" || joint == "chest" ? i.weight : 0)
                          : (joint.find("arm-left") != std::string::npos ? i.weight : 0);
    }
    EXPECT_GT(expected, 0.97) << v;
  }
}

TEST(BindInside, ARootOnTheGroundMovesNothingAndABoneBesideAnEarMovesIt) {
  Eared made = eared();
  std::vector<RawJoint> joints;
  joints.push_back({"root", std::nullopt, {{0, -0.9f, 0}, {}, {1, 1, 1}}, {}});
  for (JointIndex j = 0; j < made.skeleton.size(); ++j) {
    const JointIndex up = made.skeleton.parent(j);
    RawJoint joint{made.skeleton.name(j), up == no_joint ? 0 : std::size_t{up} + 1, made.skeleton.rest(j), {}};
    if (up == no_joint) joint.rest.translation.y += 0.9f;
    joints.push_back(joint);
  }
  // Drawn 4 mm in front of the left ear, whose skin ends at z = 0.01.
  joints.push_back({"ear", std::size_t{*made.skeleton.find("head")} + 1, {{0.12f, 0, 0.014f}, {}, {1, 1, 1}}, {}});
  const Skeleton skeleton = build_skeleton(joints).value().skeleton;
  const std::vector<Bone> bones = all_bones(skeleton);
  BindNotes notes;
  const SkinWeights weights = bind_skin(made.skin, bones, inside, {}, &notes).value();
  ASSERT_EQ(notes.outside.size(), 1u);
  EXPECT_EQ(skeleton.name(bones[notes.outside[0]].joint), "root");
  for (std::size_t v = 0; v < weights.vertices(); ++v) {
    for (const Influence& i : weights.of(v)) ASSERT_NE(skeleton.name(bones[i.joint].joint), "root");
    if (made.truth[v] != EaredPart::ear || made.skin.positions[v].x < 0.2f) continue;
    EXPECT_EQ(skeleton.name(bones[weights.of(v)[0].joint].joint), "ear") << v;
  }
}

TEST(BindInside, ARigFarFromTheMeshIsNoticed) {
  const Mesh ball = sphere(0.1, 12, 16);
  std::vector<Bone> bones{{0, 0xffffffffu, {5, 0, 0}, {6, 0, 0}, {}}, {1, 0, {6, 0, 0}, {7, 0, 0}, {}}};
  BindNotes notes;
  const auto weights = bind_skin(ball, bones, inside, {}, &notes);
  ASSERT_TRUE(weights);
  EXPECT_TRUE(notes.none_inside);
  for (std::size_t v = 0; v < weights->vertices(); ++v) EXPECT_EQ(weights->of(v)[0].joint, 0u);
  Mesh no_triangles = ball;
  no_triangles.triangles.clear();
  EXPECT_TRUE(bind_skin(no_triangles, bones, inside));
}

TEST(BindInside, SameBytesForAnyNumberOfThreads) {
  const Eared made = eared(0.02);
  const std::vector<Bone> bones = all_bones(made.skeleton);
  set_thread_count(1);
  const SkinWeights one = bind_skin(made.skin, bones, inside).value();
  set_thread_count(3);
  const SkinWeights three = bind_skin(made.skin, bones, inside).value();
  set_thread_count(0);
  EXPECT_EQ(one.entries, three.entries);
}

}  // namespace
}  // namespace supple::test
