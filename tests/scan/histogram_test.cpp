// Thresholds come out right on what scanners give, and a message shows the histogram where they cannot.
#include <gtest/gtest.h>

#include <cstdio>

#include "supple/author/scan/surface.h"
#include "support/scan_volumes.h"

namespace supple::scan {
namespace {

// A bone in flesh in air, blurred by the scanner and noisy.
Volume limb(double sigma, double padding = -1000) {
  Rng rng(9);
  const Volume sharp = test::sampled_volume({60, 60, 30}, test::lattice(0.0009), [&](Vec3d p) {
    const double r = std::hypot(p.x - 0.0265, p.y - 0.0265);
    return -1000 + 1040 * test::share_inside(r - 0.016, 0.0009) + 760 * test::share_inside(r - 0.004, 0.0009);
  });
  Volume v = blurred(sharp, 0.5);
  for (std::size_t i = 0; i < v.samples.size(); ++i) {
    v.samples[i] =
        static_cast<std::int16_t>(std::lround(v.slope * v.samples[i] + v.intercept + test::noise(rng, sigma)));
    if (i % 60 < 3) v.samples[i] = static_cast<std::int16_t>(padding);
  }
  v.slope = 1;
  v.intercept = 0;
  return v;
}

TEST(Histogram, CountsEverySampleOnceAndNamesWhatStandsOut) {
  const Volume v = limb(30);
  const Histogram h = histogram(v);
  std::size_t total = 0;
  for (const std::size_t c : h.counts) total += c;
  EXPECT_EQ(total, v.count());
  const std::string text = h.describe();
  double air = 0, tissue = 0, bone = 0, percent[3] = {};
  ASSERT_EQ(std::sscanf(text.c_str(), "values from %*f to %*f: %lf %% around %lf, %lf %% around %lf, %lf %% around %lf",
                        &percent[0], &air, &percent[1], &tissue, &percent[2], &bone),
            6)
      << text;
  // Within a third of the noise.
  EXPECT_NEAR(air, -1000, 10) << text;
  EXPECT_NEAR(tissue, 40, 10) << text;
  EXPECT_NEAR(bone, 800, 20) << text;
  EXPECT_NEAR(percent[0] + percent[1] + percent[2], 100, 1) << text;
  // The limb's share of the slice, without the columns that are padding: pi 16^2 / 54^2.
  EXPECT_NEAR(percent[1] + percent[2], 27.6, 2) << text;
}

TEST(Thresholds, ThatMuchHangsOnAreThoseThatCutThroughATissue) {
  const Volume clear = limb(30), noisy = limb(150);
  // Half-way between flesh and bone only what spans the surface changes: 0.1 mm of a radius of 4 is 5 %, either way.
  EXPECT_LT(change_at(clear, 420), 0.15);
  EXPECT_LT(change_at(clear, -480), 0.05);
  // In the midst of flesh, and near the top of bone, all of it does.
  EXPECT_GT(change_at(clear, 60), 1);
  EXPECT_GT(change_at(clear, 760), 0.3);
  EXPECT_GT(change_at(noisy, 420), 1.5 * change_at(clear, 420));
  // What a scanner fills its corners with has no say.
  EXPECT_NEAR(change_at(limb(30, -2000), 420), change_at(clear, 420), 0.02);
}

TEST(Thresholds, HalfWayWithNoiseAndPadding) {
  for (const double sigma : {0.0, 30.0, 60.0}) {
    for (const double padding : {-1000.0, -2000.0}) {
      const auto t = propose_thresholds(limb(sigma, padding));
      ASSERT_TRUE(t.ok()) << t.error().message();
      EXPECT_NEAR(t->skin, -480, 25) << sigma;
      EXPECT_NEAR(t->bone, 420, 60) << sigma;
    }
  }
}

TEST(Thresholds, ATableIsNeitherTissueNorBone) {
  // More of it than of tissue (28 %), and so dense that three groups would be air, table, and all of the limb.
  for (const double density : {-250.0, -150.0, -100.0}) {
    for (const double sigma : {10.0, 30.0}) {
      Volume v = limb(sigma);
      Rng rng(3);
      const std::size_t half = v.samples.size();
      v.samples.resize(2 * half);
      for (std::size_t i = half; i < 2 * half; ++i)
        v.samples[i] = static_cast<std::int16_t>(std::lround((i % 2 == 0 ? density : -1000) + test::noise(rng, sigma)));
      v.size[2] *= 2;
      const auto t = propose_thresholds(v);
      ASSERT_TRUE(t.ok()) << t.error().message();
      EXPECT_NEAR(t->skin, -480, 25) << density;
      EXPECT_NEAR(t->bone, 420, 60) << density;
    }
  }
}

TEST(Thresholds, UnitsOfTheVolumeAreHonoured) {
  Volume v = limb(30);
  for (std::int16_t& s : v.samples) s = static_cast<std::int16_t>(4 * (s + 1024));
  v.slope = 0.25;
  v.intercept = -1024;
  const auto t = propose_thresholds(v);
  ASSERT_TRUE(t.ok()) << t.error().message();
  EXPECT_NEAR(t->skin, -480, 25);
  EXPECT_NEAR(t->bone, 420, 60);
}

TEST(Thresholds, ErrorsShowTheHistogram) {
  const Volume constant = test::sampled_volume({8, 8, 8}, test::lattice(0.001), [](Vec3d) { return 17; });
  const auto nothing = propose_thresholds(constant);
  ASSERT_FALSE(nothing.ok());
  EXPECT_NE(nothing.error().problem.find("all values are about 17"), std::string::npos) << nothing.error().problem;

  Rng rng(2);
  const Volume one_hill =
      test::sampled_volume({30, 30, 30}, test::lattice(0.001), [&](Vec3d) { return 300 + test::noise(rng, 80); });
  const auto unimodal = propose_thresholds(one_hill);
  ASSERT_FALSE(unimodal.ok());
  EXPECT_NE(unimodal.error().problem.find("100 % around"), std::string::npos) << unimodal.error().problem;
  EXPECT_NE(unimodal.error().remedy.find("thresholds"), std::string::npos);

  Volume no_bone = limb(30);
  for (std::int16_t& s : no_bone.samples) s = std::min<std::int16_t>(s, 90);
  EXPECT_FALSE(propose_thresholds(no_bone).ok());
  Volume mr = limb(30);
  mr.modality = "MR";
  EXPECT_FALSE(propose_thresholds(mr).ok());
  EXPECT_FALSE(propose_thresholds(Volume{}).ok());
}

}  // namespace
}  // namespace supple::scan
