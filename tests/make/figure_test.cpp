// The body: closed symmetric skin of the asked size, joints that turn as named, weights that leave room for flesh.
#include "supple/make/figure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "make/figure_made.h"
#include "supple/geometry/bvh.h"
#include "supple/geometry/half_edges.h"
#include "supple/geometry/remesh.h"
#include "supple/geometry/topology.h"
#include "supple/make/figure_anatomy.h"
#include "supple/make/figure_shape.h"

namespace supple::make {
namespace {

void expect_whole_body(const Mesh& skin, std::size_t vertices) {
  EXPECT_EQ(skin.positions.size(), vertices);
  const Defects defects = find_defects(skin.positions, skin.triangles);
  EXPECT_TRUE(defects.closed());
  EXPECT_EQ(defects.unused_vertices, 0u);
  EXPECT_EQ(defects.degenerate_triangles, 0u);
  EXPECT_TRUE(HalfEdges::build(skin.positions.size(), skin.triangles).ok());
  EXPECT_EQ(connected_parts(skin.positions.size(), skin.triangles).count, 1u);
  EXPECT_EQ(2 * skin.positions.size(), skin.triangles.size() + 4);  // a sphere: no limb has grown onto another
  const double litres = enclosed_volume(skin.positions, skin.triangles) * 1000;
  EXPECT_GT(litres, 50);
  EXPECT_LT(litres, 100);
  const Box box = bounds(skin.positions);
  EXPECT_NEAR(box.high.y - box.low.y, 1.7, 0.015);
  EXPECT_NEAR(box.low.y, 0, 0.005);
}

TEST(Figure, SkinIsClosedAndHasTheAskedNumberOfVertices) {
  expect_whole_body(figure().parts[0].mesh, skin_vertices);
  EXPECT_GT(quality(figure().parts[0].mesh).mean_min_angle_degrees, 45);
  EXPECT_EQ(figure().skeleton.size(), bare_figure().skeleton.size());
  EXPECT_EQ(figure().clips.size(), bare_figure().clips.size());
  const auto coarse = make_figure({1000});
  ASSERT_TRUE(coarse.ok()) << coarse.error().message();
  expect_whole_body(coarse->parts[0].mesh, 1000);
}

TEST(Figure, IsItsOwnMirrorImage) {
  const FigureShape shape;
  const Mesh& skin = figure().parts[0].mesh;
  const Bvh bvh(skin.positions, skin.triangles);
  for (const Vec3f p : skin.positions) {
    EXPECT_NEAR(shape(Vec3d(p)), 0, 1e-5);
    EXPECT_NEAR(shape(mirrored(Vec3d(p))), 0, 1e-5);
    // Chords of 2.5 cm stray by some millimetres where the skin is curved most, at thumbs, toes and ears.
    EXPECT_LT(bvh.closest(Vec3f(mirrored(Vec3d(p)))).distance, 0.01f);
  }
  for (const char* part : {"shoulder", "upper-arm", "forearm", "hand", "thigh", "shin", "foot"}) {
    const Vec3f l = joint_position(bare_figure().rest(), std::string(part) + "-left");
    const Vec3f r = joint_position(bare_figure().rest(), std::string(part) + "-right");
    EXPECT_GT(l.x, 0) << part;
    EXPECT_LT(length(l - Vec3f{-r.x, r.y, r.z}), 1e-6f) << part;
  }
}

TEST(Figure, BonesPointAlongYAndLieInTheFlesh) {
  const Character& c = bare_figure();
  const std::vector<Affinef> world = to_world(c.skeleton, c.rest());
  const FigureShape shape;
  for (const FigureBone& bone : figure_bones()) {
    const auto j = c.skeleton.find(bone.name);
    ASSERT_TRUE(j) << bone.name;
    EXPECT_LT(length(Vec3d(world[*j].translation) - bone.head), 1e-6);
    EXPECT_LT(length(Vec3d(world[*j].linear.c1) - normalized(bone.tail - bone.head)), 1e-5) << bone.name;
    EXPECT_GT(bone.part == "foot" ? world[*j].linear.c2.y : world[*j].linear.c2.z, 0.9f) << bone.name;
    if (bone.name != "root") {
      EXPECT_LT(shape(bone.head), -0.01) << bone.name;
    }
  }
  EXPECT_EQ(c.skeleton.size(), 20u);
}

// Each turn moves the end of a limb the way its name says, and both sides alike.
TEST(Figure, DegreesOfFreedomMoveTheWayTheirNamesSay) {
  const Character& c = bare_figure();
  const auto moved = [&](const std::string& joint, const char* dof, Vec3f local_point) {
    Pose pose = c.rest();
    const JointIndex j = *c.skeleton.find(joint);
    const Vec3f before = to_world(c.skeleton, pose)[j].point(local_point);
    EXPECT_TRUE(rotate(pose, c.skeleton, joint, dof, 0.2f).ok()) << joint << " " << dof;
    return to_world(c.skeleton, pose)[j].point(local_point) - before;
  };
  const Vec3f end = {0, 0.2f, 0}, front = {0, 0, 0.1f};
  for (const std::string suffix : {"-left", "-right"}) {
    const float out = suffix == "-left" ? 1.0f : -1.0f;
    for (const char* limb : {"upper-arm", "forearm", "thigh"}) EXPECT_GT(moved(limb + suffix, "flexion", end).z, 0.03f);
    EXPECT_LT(moved("shin" + suffix, "flexion", end).z, -0.03f);
    EXPECT_GT(moved("foot" + suffix, "flexion", end).y, 0.03f);
    EXPECT_LT(moved("hand" + suffix, "flexion", end).x * out, -0.02f);
    EXPECT_GT(moved("hand" + suffix, "abduction", end).z, 0.03f);
    EXPECT_GT(moved("shoulder" + suffix, "abduction", end).y, 0.03f);
    for (const char* limb : {"upper-arm", "thigh", "foot"}) {
      EXPECT_GT(moved(limb + suffix, "abduction", end).x * out, 0.02f) << limb << suffix;
    }
    for (const char* limb : {"upper-arm", "thigh"}) {
      EXPECT_LT(moved(limb + suffix, "twist", front).x * out, -0.01f) << limb << suffix;
    }
  }
  for (const char* joint : {"hips", "spine", "chest", "neck", "head"}) {
    EXPECT_GT(moved(joint, "flexion", end).z, 0.03f) << joint;
    EXPECT_GT(moved(joint, "abduction", end).x, 0.03f) << joint;
    EXPECT_GT(moved(joint, "twist", front).x, 0.01f) << joint;
  }
}

TEST(Figure, WeightsLeaveRoomForFlesh) {
  const Character& c = figure();
  const Part& skin = c.parts[0];
  ASSERT_EQ(skin.weights.vertices(), skin.mesh.positions.size());
  for (std::size_t v = 0; v < skin.weights.vertices(); ++v) {
    float sum = 0;
    for (const Influence& i : skin.weights.of(v)) {
      const std::string& joint = c.skeleton.name(c.skins[0].joints[i.joint]);
      EXPECT_GT(i.weight, 0);
      EXPECT_NE(joint, "root");
      // Neither side pulls at the other one, but for the valleys between the two.
      if (std::abs(skin.mesh.positions[v].x) > 0.04f && i.weight > 0.05f) {
        EXPECT_FALSE(joint.ends_with(skin.mesh.positions[v].x > 0 ? "-right" : "-left"))
            << joint << " at vertex " << v << " by " << i.weight;
      }
      sum += i.weight;
    }
    EXPECT_NEAR(sum, 1, 1e-5);
    EXPECT_LE(skin.weights.of(v).size(), 3u);
  }
  // In the middle of a limb its own joint dominates.
  const Bvh bvh(skin.mesh.positions, skin.mesh.triangles);
  std::size_t checked = 0;
  for (const FigureBone& bone : figure_bones()) {
    if (bone.part != "upper-arm" && bone.part != "forearm" && bone.part != "thigh" && bone.part != "shin") continue;
    const Triangle t = skin.mesh.triangles[bvh.closest(Vec3f((bone.head + bone.tail) * 0.5)).triangle];
    for (const std::uint32_t v : t) {
      EXPECT_EQ(c.skeleton.name(c.skins[0].joints[skin.weights.of(v)[0].joint]), bone.name);
      EXPECT_GT(skin.weights.of(v)[0].weight, 0.8f) << bone.name;
    }
    ++checked;
  }
  EXPECT_EQ(checked, 8u);
}

TEST(Figure, RefusesBadOptions) {
  for (const std::size_t vertices : {std::size_t{0}, std::size_t{999}, std::size_t{100001}}) {
    const auto refused = make_figure({vertices});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().item, "vertices");
    EXPECT_FALSE(refused.error().remedy.empty());
  }
  EXPECT_FALSE(make_figure({}, [](std::string_view, double) { return false; }).ok());
}

}  // namespace
}  // namespace supple::make
