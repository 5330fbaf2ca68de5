// One flesh element against thousands of springs, as the paper on dynamic skinning validated it: calibrated on one
// step aside, then shaken in ways that it has not seen.
#include <gtest/gtest.h>

#include "supple/base/parallel.h"
#include "support/mushroom_shaking.h"

namespace supple::test {
namespace {

TEST(FleshMushroom, OneSpringSwingsAsThousands) {
  const auto volume = MushroomVolume::make();
  ASSERT_TRUE(volume) << volume.error().message();
  const auto springs = volume->springs();
  ASSERT_TRUE(springs) << springs.error().message();
  EXPECT_NEAR(static_cast<double>(springs->springs()), 3000, 300);
  EXPECT_EQ(quality(volume->mesh).components, 1u);
  ASSERT_GE(volume->held.size(), 8u);
  ASSERT_GE(volume->rim.size(), 30u);

  std::vector<Shaking> shakings = unseen_shakings();
  shakings.push_back(step_aside());
  std::vector<Trace> expected(shakings.size());
  parallel_for(shakings.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      simulate::MassSpring body = *springs;
      expected[i] = shake(*volume, body, shakings[i]);
    }
  });
  MushroomElement element(*volume);
  EXPECT_LT(calibrate(element, shakings.back(), expected.back()), 0.1);
  EXPECT_NEAR(double{element.spring().frequency}, 3, 1);
  EXPECT_GT(element.rim_weight, 0.5);

  for (std::size_t i = 0; i < shakings.size(); ++i) {
    SCOPED_TRACE(shakings[i].name);
    const Trace found = shake(element, shakings[i]);
    double farthest = 0;
    for (const Vec3d d : expected[i]) farthest = std::max(farthest, length(d));
    EXPECT_GT(farthest, 0.01);  // it is flesh that moves
    EXPECT_GE(correlation(expected[i], found), 0.95);
    const double hertz = dominant_frequency(expected[i]);
    EXPECT_NEAR(dominant_frequency(found), hertz, 0.05 * hertz);
  }
}

TEST(FleshMushroom, TheComparisonTellsSpringsApart) {
  // The same element with another frequency or hardly any damping is not taken for the mushroom.
  const auto volume = MushroomVolume::make();
  ASSERT_TRUE(volume) << volume.error().message();
  MushroomElement element(*volume), faster = element, ringing = element;
  const Shaking shaking = unseen_shakings()[1];
  element.spring().damping_ratio = faster.spring().damping_ratio = 0.12f;
  faster.spring().frequency *= 1.2f;
  ringing.spring().damping_ratio = 0.01f;
  const Trace trace = shake(element, shaking);
  EXPECT_NEAR(correlation(trace, trace), 1, 1e-12);
  EXPECT_LT(correlation(trace, shake(faster, shaking)), 0.9);
  EXPECT_LT(correlation(trace, shake(ringing, shaking)), 0.95);
  // A trace of known frequency.
  Trace sine;
  for (int i = 0; i < 180; ++i) sine.push_back({0, 0, std::sin(2 * std::numbers::pi * 3.7 * i / frame_rate)});
  EXPECT_NEAR(dominant_frequency(sine), 3.7, 0.02);
}

TEST(FleshMushroom, CalibrationFindsASpring) {
  const auto volume = MushroomVolume::make();
  ASSERT_TRUE(volume) << volume.error().message();
  MushroomElement known(*volume), found = known;
  known.spring().frequency = 4.3f;
  known.spring().damping_ratio = 0.23f;
  known.gain() = 1.4f;
  EXPECT_LT(calibrate(found, step_aside(), shake(known, step_aside())), 1e-3);
  EXPECT_NEAR(found.spring().frequency, 4.3f, 0.01f);
  EXPECT_NEAR(found.spring().damping_ratio, 0.23f, 0.002f);
  EXPECT_NEAR(found.gain(), 1.4f, 0.01f);
}

}  // namespace
}  // namespace supple::test
