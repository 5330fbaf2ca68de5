#include "supple/author/scan/features.h"

#include <gtest/gtest.h>

#include "scan/posed_hand.h"
#include "supple/author/scan/patch_fit.h"
#include "supple/base/quat.h"

namespace supple::scan {
namespace {

TEST(FindTips, AreTheFingerTips) {
  make::HandOptions options;
  options.vertices = 3000;
  options.bones = false;
  const Character hand = make::make_hand(options).value();
  const Mesh& skin = hand.parts[0].mesh;
  const std::vector<std::uint32_t> tips = find_tips(skin);
  const std::vector<Affinef> world = to_world(hand.skeleton, hand.rest());
  std::size_t fingers = 0;
  for (JointIndex j = 0; j < hand.skeleton.size(); ++j) {
    if (!hand.skeleton.name(j).ends_with("-tip")) continue;
    ++fingers;
    double nearest = 1;
    for (const std::uint32_t v : tips) {
      nearest = std::min(nearest, length(Vec3d(skin.positions[v]) - Vec3d(world[j].translation)));
    }
    EXPECT_LT(nearest, 0.010) << hand.skeleton.name(j);  // a tip's skin is a finger's radius around its joint
  }
  EXPECT_EQ(fingers, 5u);
  EXPECT_GE(tips.size(), 5u);
  EXPECT_LE(tips.size(), 8u);  // the end of the forearm may count as well
}

TEST(SpreadSamples, KeepTheirDistance) {
  std::vector<Vec3f> line;
  for (int i = 0; i <= 100; ++i) line.push_back({0.01f * static_cast<float>(i), 0, 0});
  EXPECT_EQ(spread_samples(line, 4), (std::vector<std::uint32_t>{0, 100, 50, 25}));
  std::vector<bool> excluded(line.size());
  excluded[100] = true;
  EXPECT_EQ(spread_samples(line, 2, excluded), (std::vector<std::uint32_t>{0, 99}));
  EXPECT_EQ(spread_samples(std::vector<Vec3f>(3), 5).size(), 1u);  // all in one place
}

TEST(FitPatch, FindsAFingerTipAlongTheSurfaceToo) {
  const test::PosedHand hand = test::posed_hand(3000);
  Mesh skin{hand.base.positions, std::vector<Vec3f>(hand.base.positions.size()), hand.base.triangles};
  compute_normals(skin.positions, skin.triangles, skin.normals);
  const FacingSurface surface(skin);
  const Affined motion{to_matrix(from_axis_angle(normalized(Vec3d{1, 2, 0.5}), 0.05)), {0.0008, -0.0010, 0.0012}};
  std::size_t tried = 0;
  for (const std::uint32_t tip : find_tips(skin)) {
    const Vec3d centre(skin.positions[tip]);
    if (centre.z > 0) continue;  // the forearm
    std::vector<Vec3d> points, normals;
    for (std::size_t v = 0; v < skin.positions.size(); ++v) {
      if (length(Vec3d(skin.positions[v]) - centre) > 0.012) continue;
      points.push_back(motion.point(Vec3d(skin.positions[v]) - centre) + centre);
      normals.push_back(motion.vector(Vec3d(skin.normals[v])));
    }
    const auto fit = fit_patch(points, normals, surface, {}, 0.7);
    ASSERT_TRUE(fit.has_value());
    const double before = length(motion.point({})),
                 after = length(fit->motion.point(motion.point({}) + centre) - centre);
    EXPECT_LT(after, 0.6 * before);  // the pull towards staying leaves the rest
    EXPECT_LT(fit->residual, 0.25 * fit->before);
    ++tried;
  }
  EXPECT_EQ(tried, 5u);
  EXPECT_FALSE(fit_patch(std::vector<Vec3d>{{1, 1, 1}}, std::vector<Vec3d>{{0, 0, 1}}, surface, {}, 0.7).has_value());
}

TEST(ScoreFeatures, TellTheOneThatWasMoved) {
  const test::PosedHand hand = test::posed_hand(2000);
  FittedSkin fit;
  fit.blended = hand.blended;
  fit.positions = hand.truth.positions;
  for (const std::uint32_t v : spread_samples(hand.base.positions, 60))
    fit.features.push_back({"", v, Vec3d(hand.truth.positions[v])});
  fit.features[7].target += Vec3d{0, 0.03, 0};
  const std::vector<FeatureScore> scores = score_features(fit, FacingSurface(hand.truth));
  ASSERT_EQ(scores.size(), 60u);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (i == 7) continue;
    EXPECT_LT(scores[i].off_skin, 1e-6);
    EXPECT_LT(scores[i].off_fit, 1e-6);
    EXPECT_LT(scores[i].off_neighbours, 0.012) << i;  // dual quaternions and blending part by that much at a knuckle
  }
  EXPECT_NEAR(scores[7].off_fit, 0.03, 1e-6);
  EXPECT_GT(scores[7].off_neighbours, 0.02);
  EXPECT_GT(scores[7].off_skin, 0.001);
}

TEST(FindFeatures, LieNearerToTheTruthThanTheBlend) {
  const test::PosedHand hand = test::posed_hand(4000);
  const Mesh scan = test::scanned(hand.truth, 0.002, 5e-5);
  Mesh blended{hand.blended, std::vector<Vec3f>(hand.blended.size()), hand.base.triangles};
  compute_normals(blended.positions, blended.triangles, blended.normals);
  const std::vector<Feature> features = find_features(hand.base, blended, FacingSurface(scan), {});
  EXPECT_GT(features.size(), 50u);
  double before = 0, after = 0;
  for (const Feature& f : features) {
    const Vec3d truth(hand.truth.positions[f.vertex]);
    before += squared_length(Vec3d(hand.blended[f.vertex]) - truth);
    after += squared_length(f.target - truth);
    EXPECT_FALSE(f.name.empty());
  }
  EXPECT_LT(after, 0.6 * before);  // bulges move skin along normals; the bending of patches keeps some of the rest
}

}  // namespace
}  // namespace supple::scan
