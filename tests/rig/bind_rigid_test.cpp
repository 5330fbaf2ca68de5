// Bindings at rest, and surfaces that follow one joint.
#include <gtest/gtest.h>

#include "supple/rig/bind.h"

namespace supple {
namespace {

Skeleton bent_chain() {
  const Quatf turned = from_axis_angle(Vec3f{0, 0, 1}, 0.7f);
  const std::vector<RawJoint> joints{{"a", std::nullopt, {{1, 2, 3}, turned, {1, 1, 1}}, {}},
                                     {"b", 0, {{0, 1, 0}, turned, {1, 1, 1}}, {}},
                                     {"c", 1, {{0, 0.5f, 0}, {}, {1, 1, 1}}, {}}};
  return build_skeleton(joints).value().skeleton;
}

TEST(BindAtRest, EveryJointIsBoundWhereItRests) {
  const Skeleton skeleton = bent_chain();
  const SkinBinding binding = bind_at_rest("arm", skeleton);
  EXPECT_EQ(binding.name, "arm");
  EXPECT_EQ(binding.joints, (std::vector<JointIndex>{0, 1, 2}));
  ASSERT_EQ(binding.inverse_bind.size(), 3u);
  const std::vector<Affinef> world = to_world(skeleton, rest_pose(skeleton));
  const Vec3f at{0.3f, -4, 2};
  // Numbers of about 5, rounded some ten times by 6e-8 of themselves.
  for (std::size_t j = 0; j < 3; ++j) EXPECT_LT(length(world[j].point(binding.inverse_bind[j].point(at)) - at), 5e-6f);
}

TEST(AppendRigid, SurfacesStayApartAndFollowTheirJoint) {
  Mesh triangle;
  triangle.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  triangle.normals = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
  triangle.triangles = {{0, 1, 2}};
  Mesh pair = triangle;
  pair.positions.push_back({5, 5, 5});
  pair.normals.push_back({1, 0, 0});
  pair.triangles.push_back({3, 2, 1});
  Part part;
  append_rigid(part, triangle, 2);
  append_rigid(part, pair, 0);
  ASSERT_EQ(part.mesh.positions.size(), 7u);
  EXPECT_EQ(part.mesh.positions[6], (Vec3f{5, 5, 5}));
  EXPECT_EQ(part.mesh.normals[6], (Vec3f{1, 0, 0}));
  EXPECT_EQ(part.mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {3, 4, 5}, {6, 5, 4}}));
  ASSERT_EQ(part.weights.vertices(), 7u);
  for (std::size_t v = 0; v < 7; ++v) {
    ASSERT_EQ(part.weights.of(v).size(), 1u);
    EXPECT_EQ(part.weights.of(v)[0], (Influence{v < 3 ? 2u : 0u, 1}));
  }
}

}  // namespace
}  // namespace supple
