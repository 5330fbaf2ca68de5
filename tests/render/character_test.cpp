// From posed parts to a scene: occlusion, bones, and what is refused.
#include "supple/render/character.h"

#include <gtest/gtest.h>

#include <limits>

#include "render/pictures.h"
#include "supple/base/parallel.h"
#include "supple/render/occlusion.h"

namespace supple::render {
namespace {

using namespace test;

TEST(Occlusion, ConvexSurfaceIsOpen) {
  std::vector<Surface> surfaces{sphere({}, 1)};
  compute_occlusion(surfaces);
  for (const float open : surfaces[0].occlusion) EXPECT_GT(open, 0.97f);
}

TEST(Occlusion, PlaneUnderAWideCeilingMatchesTheClosedForm) {
  // Under a parallel ceiling at height h every ray of cosine c travels h / c. With the falloff d (2 - d), d = h / (c
  // R), the cosine-weighted openness is 2 int_{h/R}^1 c d (2 - d) dc + int_0^{h/R} 2 c dc; with a = h / R it is 4 a (1
  // - a) + 2 a^2 ln(a) + a^2.
  Surface floor = card({}, 0.01f, {1, 1, 1});
  Surface ceiling = card({0, 0, 0.2f}, 50, {1, 1, 1});
  std::vector<Surface> surfaces{floor, ceiling};
  const float reach = 0.8f / length(Vec3f{100, 100, 0.2f});  // 0.8 m as a part of the diagonal
  OcclusionOptions options;
  options.reach = reach;
  options.rays = 2000;
  compute_occlusion(surfaces, options);
  const double a = 0.25;
  const double expected = 4 * a * (1 - a) + 2 * a * a * std::log(a) + a * a;
  for (const float open : surfaces[0].occlusion) EXPECT_NEAR(open, expected, 0.01);
}

TEST(Occlusion, OfAFineMeshIsWhatEveryVertexWouldSeeItself) {
  // Two spheres that nearly touch, once with shared vertices, once as loose triangles: there nobody has a neighbour to
  // take a number from.
  std::vector<Surface> fine{sphere({}, 1, 192, 384), sphere({2.1f, 0, 0}, 1, 24, 48)}, loose = fine;
  loose[0].positions.clear();
  loose[0].normals.clear();
  std::vector<std::uint32_t> source;
  for (const Triangle& t : fine[0].triangles)
    for (const std::uint32_t v : t)
      if (v % 7 == 0) source.push_back(v);
  for (const std::uint32_t v : source) {
    loose[0].positions.push_back(fine[0].positions[v]);
    loose[0].normals.push_back(fine[0].normals[v]);
  }
  loose[0].triangles.clear();
  compute_occlusion(fine);
  compute_occlusion(loose);
  double squared = 0, darkest = 1;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const double difference = fine[0].occlusion[source[i]] - loose[0].occlusion[i];
    EXPECT_NEAR(difference, 0, 0.1) << "vertex " << source[i];  // a ray more or less of 24 that grazes the other sphere
    squared += difference * difference;
    darkest = std::min(darkest, double{loose[0].occlusion[i]});
  }
  EXPECT_LT(std::sqrt(squared / static_cast<double>(source.size())), 0.01);
  EXPECT_LT(darkest, 0.8);  // there is something to see
}

TEST(Occlusion, TransparentSurfacesDoNotDarkenOthers) {
  std::vector<Surface> surfaces{sphere({}, 0.5f), sphere({}, 1)};
  surfaces[1].opacity = 0.4f;
  compute_occlusion(surfaces);
  for (const Surface& s : surfaces) {
    for (const float open : s.occlusion) EXPECT_GT(open, 0.97f);
  }
  surfaces[1].opacity = 1;
  compute_occlusion(surfaces);
  EXPECT_LT(surfaces[0].occlusion[600], 0.9f);
}

TEST(Occlusion, SameForAnyNumberOfThreads) {
  std::vector<Surface> one{sphere({}, 0.5f), sphere({0.8f, 0, 0}, 0.5f)}, two = one;
  set_thread_count(1);
  compute_occlusion(one);
  set_thread_count(2);
  compute_occlusion(two);
  set_thread_count(0);
  EXPECT_EQ(one[0].occlusion, two[0].occlusion);
  EXPECT_EQ(one[1].occlusion, two[1].occlusion);
}

TEST(Occlusion, NothingToDo) {
  std::vector<Surface> surfaces(2);
  compute_occlusion(surfaces);
  EXPECT_TRUE(surfaces[0].occlusion.empty());
}

PosedPart part_of(const Surface& s) {
  PosedPart part;
  part.name = s.name;
  part.positions = s.positions;
  part.normals = s.normals;
  part.triangles = s.triangles;
  return part;
}

TEST(CharacterScene, BonesJoinShownJointsOnly) {
  const Surface ball = sphere({}, 1);
  const PosedPart part = part_of(ball);
  const std::vector<JointIndex> parents{no_joint, 0, 1, 1, 3};
  const std::vector<Vec3f> positions{{0, -1, 0}, {0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {-2, 0, 0}};
  CharacterLook look;
  look.bones = true;
  look.occlusion = false;
  const Result<Scene> scene = character_scene({&part, 1}, {parents, positions, {false, true, true, true, true}}, look);
  ASSERT_TRUE(scene.ok());
  EXPECT_EQ(scene->joints.size(), 4u);
  ASSERT_EQ(scene->bones.size(), 3u);
  EXPECT_EQ(scene->bones[0].head, positions[1]);
  EXPECT_EQ(scene->bones[0].tail, positions[2]);
  EXPECT_EQ(scene->bones[2].head, positions[3]);
  EXPECT_LT(scene->surfaces[0].opacity, 1);
  EXPECT_TRUE(scene->surfaces[0].occlusion.empty());
}

TEST(CharacterScene, ColoursMeanData) {
  const Surface ball = sphere({}, 1);
  PosedPart part = part_of(ball);
  const std::vector<Vec3f> colours(ball.positions.size(), Vec3f{1, 0, 0});
  part.colours = colours;
  const Result<Scene> scene = character_scene({&part, 1});
  ASSERT_TRUE(scene.ok());
  EXPECT_EQ(scene->surfaces[0].finish, Finish::data);
  EXPECT_EQ(scene->surfaces[0].occlusion.size(), ball.positions.size());
  EXPECT_TRUE(scene->bones.empty());
}

TEST(CharacterScene, ErrorsNamePartAndJoint) {
  Surface ball = sphere({}, 1);
  ball.positions[7].x = std::numeric_limits<float>::infinity();
  const PosedPart bad = part_of(ball);
  const Result<Scene> scene = character_scene({&bad, 1});
  ASSERT_FALSE(scene.ok());
  EXPECT_NE(scene.error().message().find("'sphere': vertex 7"), std::string::npos);

  CharacterLook look;
  look.bones = true;
  const std::vector<JointIndex> parents{no_joint, 0}, wild{no_joint, 9};
  const std::vector<Vec3f> one(1), two(2), nan{{0, 0, 0}, {NAN, 0, 0}};
  EXPECT_FALSE(character_scene({}, {parents, one, {}}, look).ok());
  EXPECT_FALSE(character_scene({}, {wild, two, {}}, look).ok());
  EXPECT_FALSE(character_scene({}, {parents, nan, {}}, look).ok());
  EXPECT_TRUE(character_scene({}, {parents, two, {}}, look).ok());
}

}  // namespace
}  // namespace supple::render
