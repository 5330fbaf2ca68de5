#include "supple/rig/clip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace supple {
namespace {

Track track(Channel channel, Interpolation interpolation, std::uint32_t width, std::vector<float> times,
            std::vector<float> values) {
  return {channel, interpolation, 0, width, std::move(times), std::move(values)};
}

std::vector<float> at(const Track& t, float seconds) {
  std::vector<float> out(t.width);
  sample(t, seconds, out);
  return out;
}

TEST(Clip, StepAndLinearAndEnds) {
  const std::vector<float> times{1, 2, 4}, values{0, 0, 0, 10, 0, 0, 30, 4, 0};
  const Track step = track(Channel::translation, Interpolation::step, 3, times, values);
  const Track linear = track(Channel::translation, Interpolation::linear, 3, times, values);
  for (const Track* t : {&step, &linear}) {
    EXPECT_EQ(at(*t, -5)[0], 0);
    EXPECT_EQ(at(*t, 9)[0], 30);
    EXPECT_EQ(at(*t, 2)[0], 10);
  }
  EXPECT_EQ(at(step, 3.999f)[0], 10);
  EXPECT_FLOAT_EQ(at(linear, 3)[0], 20);
  EXPECT_FLOAT_EQ(at(linear, 3)[1], 2);
}

TEST(Clip, CubicSplineReproducesACubic) {
  // x(t) = t^3 - 2t over uneven keys: value and exact slopes; a Hermite spline must give it back everywhere.
  const auto x = [](float t) { return t * t * t - 2 * t; };
  const auto slope = [](float t) { return 3 * t * t - 2; };
  const std::vector<float> times{0, 0.5f, 2};
  std::vector<float> values;
  for (const float t : times) {
    for (const float v : {slope(t), x(t), slope(t)}) values.insert(values.end(), {v, 0, 0});
  }
  const Track cubic = track(Channel::translation, Interpolation::cubic_spline, 3, times, values);
  for (float t = 0; t <= 2; t += 0.05f) EXPECT_NEAR(at(cubic, t)[0], x(t), 2e-6) << t;
}

TEST(Clip, RotationsTakeTheShorterArcAndStayUnit) {
  const Quatf a = from_axis_angle(Vec3f{0, 0, 1}, 0.2f), b = -from_axis_angle(Vec3f{0, 0, 1}, 1.0f);
  const Track t = track(Channel::rotation, Interpolation::linear, 4, {0, 1}, {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w});
  const std::vector<float> q = at(t, 0.5f);
  EXPECT_NEAR(angle_between(Quatf{q[0], q[1], q[2], q[3]}, from_axis_angle(Vec3f{0, 0, 1}, 0.6f)), 0, 1e-3);
  EXPECT_NEAR(std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3])), 1, 1e-6);
}

TEST(Clip, RoundedQuaternionsBecomeUnitAtTheKeysToo) {
  const Track t = track(Channel::rotation, Interpolation::linear, 4, {0, 1}, {0, 0, 0.5f, 0.5f, 0, 0, 0.5f, 0.5f});
  for (const float seconds : {-1.0f, 0.0f, 0.5f, 1.0f, 2.0f, std::nanf("")}) {
    const std::vector<float> q = at(t, seconds);
    EXPECT_NEAR(q[2], std::sqrt(0.5), 1e-6) << seconds;
  }
}

TEST(Clip, SamplingLeavesTheRestOfThePoseAlone) {
  Clip clip{"c",
            {track(Channel::scale, Interpolation::linear, 3, {0.5f}, {2, 2, 2}),
             {Channel::morph_weights, Interpolation::linear, 1, 2, {0, 1}, {0, 0, 1, 2}}}};
  Pose pose{{{{1, 2, 3}, {}, {1, 1, 1}}, {}}, {9, 9, 9, 9}};
  sample(clip, 0.5f, pose);
  EXPECT_EQ(pose.local[0].translation, (Vec3f{1, 2, 3}));
  EXPECT_EQ(pose.local[0].scale, (Vec3f{2, 2, 2}));
  EXPECT_EQ(pose.morph_weights, (std::vector<float>{9, 0.5f, 1, 9}));
  EXPECT_EQ(clip.start(), 0);
  EXPECT_EQ(clip.end(), 1);
}

TEST(Clip, ValidationNamesTheTrack) {
  const Clip good{"walk", {track(Channel::rotation, Interpolation::linear, 4, {0, 1}, {0, 0, 0, 1, 0, 0, 0, 1})}};
  EXPECT_TRUE(validate(good, 1, 0));
  const auto problem = [&](auto change) {
    Clip bad = good;
    change(bad.tracks[0]);
    const auto result = validate(bad, 1, 0);
    return result ? std::string() : result.error().message();
  };
  EXPECT_NE(problem([](Track& t) { t.times = {1, 1}; }).find("'walk', track 0"), std::string::npos);
  EXPECT_NE(problem([](Track& t) { t.values.pop_back(); }), "");
  EXPECT_NE(problem([](Track& t) { t.target = 1; }), "");
  EXPECT_NE(problem([](Track& t) { t.times = {}, t.values = {}; }), "");
  EXPECT_NE(problem([](Track& t) { t.values[5] = std::numeric_limits<float>::infinity(); }).find("key 1"),
            std::string::npos);
  EXPECT_NE(problem([](Track& t) { t.channel = Channel::morph_weights; }), "");
}

}  // namespace
}  // namespace supple
