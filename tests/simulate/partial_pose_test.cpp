// A limb that is folded until elements turn inside out: the skin far from there is the simulation's, what comes after
// does not know of it, and neither depends on where a sweep was stopped.
#include "supple/author/simulate/partial_pose.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numbers>

#include "supple/author/simulate/simulation.h"
#include "supple/base/parallel.h"
#include "supple/make/limb.h"
#include "support/run_command.h"

namespace supple::simulate {
namespace {

namespace fs = std::filesystem;

struct FoldedLimb {
  Character character;
  Body body;
  Tissue tissue;
};

/// Elements of 3 cm are too coarse for a limb of 10 cm that is bent by 130 degrees.
const FoldedLimb& folded_limb() {
  static const FoldedLimb result = [] {
    Character character = make::make_limb({.length = 1.2, .vertices = 3000}).value();
    Body body = body_of(character).value();
    TissueOptions coarse;
    coarse.element_size = 0.03;
    Tissue tissue = make_tissue(body, coarse).value();
    return FoldedLimb{std::move(character), std::move(body), std::move(tissue)};
  }();
  return result;
}

/// The middle joint bent by so many degrees, one pose after another.
Simulation bent(std::initializer_list<int> degrees, const fs::path& folder) {
  PosePlan plan;
  Sweep sweep{"bent", {}};
  for (const int d : degrees)
    sweep.poses.push_back({"pose " + std::to_string(sweep.poses.size()),
                           {{"limb-1", "x", static_cast<float>(d) * std::numbers::pi_v<float> / 180}}});
  plan.sweeps.push_back(sweep);
  WalkOptions walk;
  walk.max_step = 30 * std::numbers::pi / 180;
  fs::create_directories(folder);
  return make_simulation(folded_limb().body, folded_limb().tissue, plan, walk, folder);
}

Pose pose_at(const Simulation& s, std::size_t p) { return pose_of(s.plan.sweeps[0].poses[p], s.body.skeleton); }

bool same_bytes(std::span<const Vec3d> a, std::span<const Vec3d> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

class PartialPoses : public ::testing::Test {
 protected:
  PoseRecord record(const Simulation& s, std::size_t p) { return find_record(s, 0, p).value(); }
  test::ScratchFolder work_;
};

TEST_F(PartialPoses, APoseAfterABadOneIsThatOfAWalkWithoutTheBadOne) {
  const Simulation with = bent({60, 130, 140, 20}, work_ / "with"), without = bent({60, 20}, work_ / "without");
  ASSERT_TRUE(run_sweep(with, 0).ok() && run_sweep(without, 0).ok());
  ASSERT_TRUE(record(with, 0).report.sound());
  ASSERT_GT(record(with, 1).report.health.inverted, 0u);
  ASSERT_GT(record(with, 2).report.health.inverted, 0u);
  EXPECT_TRUE(same_bytes(record(with, 3).nodes, record(without, 1).nodes));
  // Led on from the broken flesh it would end elsewhere.
  auto walker = Walker::make(with.body, with.tissue, with.walk).value();
  walker.resume(pose_at(with, 2), record(with, 2).nodes);
  ASSERT_TRUE(walker.go(pose_at(with, 3)).ok());
  EXPECT_FALSE(same_bytes(walker.nodes(), record(with, 3).nodes));
}

TEST_F(PartialPoses, WithoutASoundPoseFleshStartsFromRest) {
  const Simulation with = bent({130, 20}, work_ / "with"), without = bent({20}, work_ / "without");
  ASSERT_TRUE(run_sweep(with, 0).ok() && run_sweep(without, 0).ok());
  ASSERT_FALSE(record(with, 0).report.sound());
  EXPECT_TRUE(same_bytes(record(with, 1).nodes, record(without, 0).nodes));
}

TEST_F(PartialPoses, StoppedAtAnyPoseItGoesOnToTheSameBytesOnAnyNumberOfThreads) {
  const std::initializer_list<int> poses{60, 130, 140, 20};
  const Simulation whole = bent(poses, work_ / "whole");
  set_thread_count(1);
  ASSERT_TRUE(run_sweep(whole, 0).ok());
  set_thread_count(2);
  for (const std::size_t stop : {2u, 3u}) {  // after one bad pose, and after two
    const Simulation parts = bent(poses, work_ / std::to_string(stop));
    const std::string at = parts.plan.sweeps[0].poses[stop].name;
    ASSERT_FALSE(run_sweep(parts, 0, [&](std::string_view name, double) { return name != at; }).ok());
    ASSERT_TRUE(has_record(parts, 0, stop - 1));
    ASSERT_FALSE(has_record(parts, 0, stop));
    ASSERT_TRUE(run_sweep(parts, 0).ok());
    for (std::size_t p = 0; p < poses.size(); ++p)
      EXPECT_TRUE(same_bytes(record(whole, p).nodes, record(parts, p).nodes)) << stop << ", " << p;
  }
  set_thread_count(0);
}

TEST_F(PartialPoses, SkinIsSimulatedFarFromInvertedElementsAndLinearBlendAtThem) {
  const Simulation s = bent({60, 130}, work_ / "a");
  ASSERT_TRUE(run_sweep(s, 0).ok());
  PoseRecord bad = record(s, 1);
  {  // A corner of an element below the skin goes through its opposite face.
    const std::size_t v = s.body.skin.positions.size() / 2;
    const auto corners = s.tissue.mesh.element(s.tissue.skin.elements[v]);
    const auto free =
        std::ranges::find_if(corners, [&](std::uint32_t n) { return s.tissue.model.bone_of()[n] == no_bone; });
    ASSERT_NE(free, corners.end());
    std::vector<Vec3d> face;
    for (const std::uint32_t n : corners)
      if (n != *free) face.push_back(bad.nodes[n]);
    const Vec3d normal = normalized(cross(face[1] - face[0], face[2] - face[0]));
    bad.nodes[*free] -= normal * (2.5 * dot(normal, bad.nodes[*free] - face[0]));
  }
  const SoundRegion region = sound_region(s.body, s.tissue, bad.nodes);
  const std::vector<Vec3f>& rest = s.body.skin.positions;
  ASSERT_EQ(region.keep.size(), rest.size());
  // Any other positions do for linear blend's: only where they are shown matters.
  std::vector<Vec3f> linear, simulated(rest.size()), shown(rest.size());
  for (const Vec3f p : rest) linear.push_back(p + Vec3f{5, 5, 5});
  skin_positions(s.tissue, bad.nodes, {}, simulated);
  skin_positions(s.tissue, bad.nodes, linear, shown, region.keep);

  // Inverted elements, found by the volume that their corners span, their corners, and the longest edge of the mesh.
  std::vector<Vec3d> places;
  std::vector<bool> inverted(s.tissue.mesh.element_count()), corner(s.tissue.mesh.nodes.size());
  double longest = 0;
  for (std::size_t e = 0; e < s.tissue.mesh.element_count(); ++e) {
    const auto n = s.tissue.mesh.element(e);
    const bool active = std::ranges::any_of(n, [&](std::uint32_t v) { return s.tissue.model.bone_of()[v] == no_bone; });
    inverted[e] = active && signed_volume(bad.nodes[n[0]], bad.nodes[n[1]], bad.nodes[n[2]], bad.nodes[n[3]]) <= 0;
    for (const std::uint32_t v : n)
      if (inverted[e]) places.push_back(s.tissue.mesh.nodes[v]), corner[v] = true;
    for (const auto& [a, b] : tet_edges)
      longest = std::max(longest, length(s.tissue.mesh.corner(e, a) - s.tissue.mesh.corner(e, b)));
  }
  ASSERT_GT(static_cast<std::size_t>(std::ranges::count(inverted, true)), bad.report.health.inverted);
  std::size_t far = 0, at = 0, between = 0;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    double distance = 1e9;
    for (const Vec3d& place : places) distance = std::min(distance, length(Vec3d(rest[v]) - place));
    // No edge is longer than the longest; a second one leads to the vertex inside its element.
    if (distance > (simulated_edges + 1) * longest) {
      ++far;
      EXPECT_EQ(shown[v], simulated[v]) << v;
    }
    // Skin that is carried by corners of inverted elements alone.
    const auto carriers = s.tissue.mesh.element(s.tissue.skin.elements[v]);
    if (std::ranges::all_of(carriers, [&](std::uint32_t node) { return corner[node]; })) {
      ++at;
      EXPECT_LT(length(shown[v] - linear[v]), 1e-6f) << v;
    }
    between += region.keep[v] > 0.1f && region.keep[v] < 0.9f;
  }
  EXPECT_GT(far, rest.size() / 2);
  EXPECT_GT(at, 0u);
  EXPECT_GT(between, 20u);
  // Skin edges are 1 cm, and the falloff is an element edge of 2 to 3 cm wide with a slope of 1.5 at most: a mask with
  // a hard border would jump by 1.
  float jump = 0;
  for (const Triangle& t : s.body.skin.triangles)
    for (std::size_t c = 0; c < 3; ++c)
      jump = std::max(jump, std::abs(region.keep[t[c]] - region.keep[t[(c + 1) % 3]]));
  EXPECT_LT(jump, 0.9f);

  // The fold is at the middle joint, and within two elements of it on either side of 1.2 m.
  ASSERT_FALSE(region.joints.empty());
  EXPECT_EQ(s.body.skeleton.name(region.joints[0]), "limb-1");
  EXPECT_GT(region.blended, 0.01);
  EXPECT_LT(region.blended, 4 * 0.03 / 1.2);

  const SoundRegion whole = sound_region(s.body, s.tissue, record(s, 0).nodes);
  EXPECT_TRUE(std::ranges::all_of(whole.keep, [](float keep) { return keep == 1; }));
  EXPECT_EQ(whole.blended, 0);
  EXPECT_TRUE(whole.joints.empty());
}

}  // namespace
}  // namespace supple::simulate
