// A surface that flows, put into morph targets: any engine shows the same frames.
#include "supple/author/learn/clip_modes.h"

#include <gtest/gtest.h>

#include "sleeve.h"
#include "supple/deform/skin.h"

namespace supple::learn {
namespace {

SurfaceFrames shoot(const Character& c, const Clip& clip, std::size_t count) {
  auto skin = Skin::make(c, Blend::kinodynamic).value();
  SurfaceFrames frames;
  frames.parts = {0};
  for (std::size_t i = 0; i < count; ++i) {
    const double t =
        double{clip.start()} + double{clip.duration()} * static_cast<double>(i) / static_cast<double>(count - 1);
    EXPECT_TRUE(skin.evaluate(c.at(clip, static_cast<float>(t))));
    frames.times.push_back(t);
    frames.positions.emplace_back(skin.positions().begin(), skin.positions().end());
    frames.normals.emplace_back(skin.normals().begin(), skin.normals().end());
  }
  return frames;
}

/// A clip that bends the sleeve's second joint.
Character bending_sleeve() {
  Character c = test::sleeve();
  Track track;
  track.target = 1;
  for (int k = 0; k <= 10; ++k) {
    const Quatf q = c.skeleton.rest(1).rotation * from_axis_angle(Vec3f{1, 0, 0}, 0.12f * static_cast<float>(k));
    track.times.push_back(0.1f * static_cast<float>(k));
    track.values.insert(track.values.end(), {q.x, q.y, q.z, q.w});
  }
  c.clips.assign(1, Clip{"bend", {track}});
  return c;
}

TEST(ClipModes, WithAsManyModesAsFramesTheClipIsExact) {
  Character c = bending_sleeve();
  const SurfaceFrames frames = shoot(c, c.clips[0], 11);
  const std::vector<std::size_t> mesh{0};
  const auto fit = put_clip_modes(c, std::span(&mesh, 1), 0, frames, 11);
  ASSERT_TRUE(fit) << fit.error().message();
  EXPECT_GT(fit->blend_error, 10 * fit->error);
  EXPECT_LT(fit->worst, 1e-5 * double{bounds(c.parts[0].mesh.positions).diagonal()});
  EXPECT_TRUE(validate(c));
}

TEST(ClipModes, FewModesAreMeasuredAndTheOthersTracksStay) {
  Character c = bending_sleeve();
  const SurfaceFrames frames = shoot(c, c.clips[0], 11);
  const std::vector<std::size_t> mesh{0};
  const auto fit = put_clip_modes(c, std::span(&mesh, 1), 0, frames, 2);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->modes, 2u);
  EXPECT_LT(fit->error, fit->blend_error / 3);
  // What was measured is what the clip plays.
  auto skin = Skin::make(c, Blend::linear, Layers::as_given()).value();
  ASSERT_TRUE(skin.evaluate(c.at(c.clips[0], static_cast<float>(frames.times[fit->worst_frame]))));
  EXPECT_NEAR(
      double{length(skin.positions()[fit->worst_vertex] - frames.positions[fit->worst_frame][fit->worst_vertex])},
      fit->worst, 1e-7);
}

}  // namespace
}  // namespace supple::learn
