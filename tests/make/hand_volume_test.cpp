// The hand as a volume: good elements in one piece, through its own distance and through its skin.
#include <gtest/gtest.h>

#include <algorithm>

#include "supple/geometry/bvh.h"
#include "supple/geometry/embedding.h"
#include "supple/geometry/holes.h"
#include "supple/geometry/stuffing.h"
#include "supple/make/hand.h"
#include "supple/make/hand_shape.h"

namespace supple::make {
namespace {

TEST(HandVolume, ElementsHaveBoundedAnglesAndFormOnePiece) {
  const HandShape shape(hand_anatomy());
  for (const double h : {0.007, 0.005}) {
    StuffingOptions options;
    options.box = {Vec3f(HandShape::low * 1e-3), Vec3f(HandShape::high * 1e-3)};
    options.element_size = h;
    options.lipschitz = HandShape::lipschitz;
    const Result<TetMesh> mesh = stuff([&](Vec3d p) { return shape(p * 1e3) * 1e-3; }, options);
    ASSERT_TRUE(mesh.ok()) << mesh.error().message();
    ASSERT_TRUE(validate(*mesh).ok());
    const TetQuality q = quality(*mesh);
    EXPECT_GT(q.min_dihedral_degrees, 11);
    EXPECT_LT(q.max_dihedral_degrees, 158);
    EXPECT_GT(q.first_percentile_degrees, 20);
    EXPECT_EQ(q.components, 1u);
  }
}

TEST(HandVolume, TheSkinLiesInItsOwnVolume) {
  const Result<Character> hand = make_hand({2000, Side::right, false});
  ASSERT_TRUE(hand.ok());
  const Mesh& skin = hand->parts[0].mesh;
  const Bvh bvh(skin.positions, skin.triangles);
  StuffingOptions options;
  options.box = bounds(skin.positions);
  options.element_size = 0.007;
  options.volume = enclosed_volume(skin.positions, skin.triangles);
  const Result<TetMesh> mesh = stuff([&](Vec3d p) { return double{bvh.signed_distance(Vec3f(p))}; }, options);
  ASSERT_TRUE(mesh.ok()) << mesh.error().message();
  EXPECT_NEAR(quality(*mesh).volume / options.volume, 1, 0.04);
  EXPECT_NEAR(static_cast<double>(mesh->element_count()) /
                  static_cast<double>(estimate_elements(options.volume, options.element_size)),
              1, 0.15);
  const EmbeddingError error = embedding_error(embed(std::span<const Vec3f>(skin.positions), *mesh));
  EXPECT_LT(error.max_distance, 0.0035);  // tips are cut across by less than half an element
  EXPECT_LT(error.rms, 0.0006);
}

TEST(HandVolume, ACutFingerTipIsClosed) {
  const Result<Character> hand = make_hand({2000, Side::right, false});
  ASSERT_TRUE(hand.ok());
  const Mesh whole = hand->parts[0].mesh;
  const float end = bounds(whole.positions).low.z + 0.005f;  // fingers point along -z: the tip of the longest
  Mesh cut = whole, tip = whole;
  const auto is_tip = [&](const Triangle& t) {
    return std::any_of(t.begin(), t.end(), [&](std::uint32_t v) { return whole.positions[v].z < end; });
  };
  std::erase_if(cut.triangles, is_tip);
  std::erase_if(tip.triangles, [&](const Triangle& t) { return !is_tip(t); });
  ASSERT_GT(tip.triangles.size(), 5u);
  const ClosedSurface closed = close_holes(cut), closed_tip = close_holes(tip);
  ASSERT_EQ(closed.caps.size(), 1u);
  EXPECT_TRUE(closed.open.empty());
  EXPECT_LT(closed.caps[0].hole.normal.z, -0.7);
  EXPECT_TRUE(find_defects(closed.mesh.positions, closed.mesh.triangles).closed());
  // Both sides of the cut get the same cap of least area.
  const double tip_volume = enclosed_volume(closed_tip.mesh.positions, closed_tip.mesh.triangles);
  EXPECT_GT(tip_volume, 1e-7);
  EXPECT_NEAR(enclosed_volume(closed.mesh.positions, closed.mesh.triangles) + tip_volume,
              enclosed_volume(whole.positions, whole.triangles), 1e-3 * tip_volume);
}

}  // namespace
}  // namespace supple::make
