// The clips of the body: they loop within the limits of the joints, keep the ground, and fly as a free body does.
#include "supple/make/figure_clips.h"

#include <gtest/gtest.h>

#include <cmath>

#include "make/figure_made.h"
#include "supple/make/figure_anatomy.h"

namespace supple::make {
namespace {

// Linear blend skinning, written out.
std::vector<Vec3f> skinned(const Pose& pose) {
  const Character& c = figure();
  const Part& skin = c.parts[0];
  const std::vector<Affinef> world = to_world(c.skeleton, pose);
  std::vector<Vec3f> result;
  for (std::size_t v = 0; v < skin.mesh.positions.size(); ++v) {
    Vec3f sum{};
    for (const Influence& i : skin.weights.of(v)) {
      const Affinef bone = world[c.skins[0].joints[i.joint]] * c.skins[0].inverse_bind[i.joint];
      sum += bone.point(skin.mesh.positions[v]) * i.weight;
    }
    result.push_back(sum);
  }
  return result;
}

TEST(FigureClips, ClipsLoopWithinTheLimits) {
  const Character& c = bare_figure();
  EXPECT_FLOAT_EQ(c.find_clip("walk")->end(), 1);
  EXPECT_FLOAT_EQ(c.find_clip("run")->end(), 0.7f);
  EXPECT_NEAR(c.find_clip("jump")->end(), 1.8, 0.1);
  for (const char* name : {"walk", "run"}) {
    const Clip& clip = *c.find_clip(name);
    EXPECT_GT(clip.tracks.size(), 15u);
    for (const Track& track : clip.tracks) {
      for (std::size_t i = 0; i < track.width; ++i) {
        EXPECT_EQ(track.values[i], track.values[track.values.size() - track.width + i]);
      }
    }
  }
  std::size_t checked = 0;
  for (const Clip& clip : c.clips) {
    for (float t = 0; t < clip.end(); t += 0.1f) {
      const Pose pose = c.at(clip, t);
      for (JointIndex j = 1; j < c.skeleton.size(); ++j) {
        float residual = 0;
        const std::vector<float> angles = get_angles(pose, c.skeleton, j, &residual);
        EXPECT_LT(residual, 1e-3f) << clip.name << " " << c.skeleton.name(j);
        for (std::size_t d = 0; d < angles.size(); ++d) {
          const Dof& dof = c.skeleton.dofs(j)[d];
          EXPECT_GE(angles[d], dof.min - 1e-3f)
              << clip.name << " " << t << " " << c.skeleton.name(j) << " " << dof.name;
          EXPECT_LE(angles[d], dof.max + 1e-3f)
              << clip.name << " " << t << " " << c.skeleton.name(j) << " " << dof.name;
          ++checked;
        }
      }
    }
  }
  EXPECT_GT(checked, 1500u);
}

float lowest(const Pose& pose) {
  float y = 1;
  for (const Vec3f p : skinned(pose)) y = std::min(y, p.y);
  return y;
}

TEST(FigureClips, FeetKeepToTheGround) {
  const Character& c = figure();
  const Clip& walk = *c.find_clip("walk");
  for (int i = 0; i < 20; ++i) {  // one foot is on the ground all the time, and none below it
    const float y = lowest(c.at(walk, static_cast<float>(i) / 20));
    EXPECT_GT(y, -0.015f) << "walking, " << i;
    EXPECT_LT(y, 0.015f) << "walking, " << i;
  }
  const Clip& run = *c.find_clip("run");
  int in_the_air = 0;
  for (int i = 0; i < 20; ++i) {
    const float y = lowest(c.at(run, 0.7f * static_cast<float>(i) / 20));
    EXPECT_GT(y, -0.025f) << "running, " << i;
    in_the_air += y > 0.015f;
  }
  EXPECT_GE(in_the_air, 2);
  EXPECT_LE(in_the_air, 10);
  const Clip& jump = *c.find_clip("jump");
  float highest = 0;
  for (int i = 0; i <= 20; ++i) {
    const float y = lowest(c.at(jump, jump.end() * static_cast<float>(i) / 20));
    EXPECT_GT(y, -0.025f) << "jumping, " << i;
    highest = std::max(highest, y);
  }
  EXPECT_GT(highest, 0.3f);
}

// A foot that bears weight travels backwards evenly, as on a treadmill: it does not slide.
TEST(FigureClips, FeetDoNotSlideWhenWalking) {
  const Character& c = bare_figure();
  const Clip& walk = *c.find_clip("walk");
  for (const float start : {0.0f, 0.5f}) {
    const std::string foot = start == 0 ? "foot-left" : "foot-right";
    std::vector<float> z;
    for (int key = 0; key <= 4; ++key) {  // foot flat
      const Vec3f ankle = joint_position(c.at(walk, start + 0.165f + 0.03f * static_cast<float>(key)), foot);
      EXPECT_NEAR(ankle.y, landmark::ankle.y, 0.004) << foot;
      z.push_back(ankle.z);
    }
    for (std::size_t i = 2; i < z.size(); ++i) {
      EXPECT_LT(z[i], z[i - 1] - 0.02f);
      EXPECT_NEAR(z[i] - z[i - 1], z[1] - z[0], 0.004) << foot;
    }
  }
}

TEST(FigureClips, KneesBendAndArmsSwingAgainstTheLegs) {
  const Character& c = bare_figure();
  for (const char* name : {"walk", "run"}) {
    const Clip& clip = *c.find_clip(name);
    double against = 0;
    for (int i = 0; i < 20; ++i) {
      const Pose pose = c.at(clip, clip.end() * static_cast<float>(i) / 20);
      const auto z = [&](const char* joint) { return static_cast<double>(joint_position(pose, joint).z); };
      against += (z("hand-left") - z("hand-right")) * (z("foot-left") - z("foot-right"));
      for (const char* knee : {"shin-left", "shin-right"}) {
        EXPECT_GT(get_angles(pose, c.skeleton, *c.skeleton.find(knee))[0], -0.06f) << name << " " << i;
      }
    }
    EXPECT_LT(against, -0.1) << name;
  }
}

TEST(FigureClips, JumpIsAFreeFlight) {
  const Character& c = bare_figure();
  const Clip& jump = *c.find_clip("jump");
  const JointIndex hips = *c.skeleton.find("hips");
  const Track* track = nullptr;
  for (const Track& t : jump.tracks) {
    if (t.target == hips && t.channel == Channel::translation) track = &t;
  }
  ASSERT_NE(track, nullptr);
  // Between take-off and landing, 2 sqrt(2 h / g) = 0.53 s of 30 keys each: at least 14 inner keys are free.
  const auto y = [&](std::size_t key) { return static_cast<double>(track->values[3 * key + 1]); };
  std::size_t falling = 0;
  double top = 0;
  for (std::size_t key = 1; key + 2 < track->times.size(); ++key) {
    const double acceleration = (y(key + 1) - 2 * y(key) + y(key - 1)) * 30 * 30;
    // Floats near 1 are exact to 6e-8, which differences magnify by 4 * 900.
    falling += std::abs(acceleration + 9.81) < 2e-3;
    top = std::max(top, y(key));
  }
  EXPECT_GE(falling, 14u);
  EXPECT_NEAR(top, y(0) + 0.085 + 0.35, 0.006);  // straightened on the toes, then 0.35 m; keys miss the very top

  for (const float t : {0.0f, jump.end()}) {
    const Pose pose = c.at(jump, t), rest = c.rest();
    for (std::size_t j = 0; j < pose.local.size(); ++j) {
      EXPECT_LT(length(pose.local[j].translation - rest.local[j].translation), 1e-6f);
      EXPECT_LT(angle_between(pose.local[j].rotation, rest.local[j].rotation), 2e-3f)
          << c.skeleton.name(static_cast<JointIndex>(j));
    }
  }
}

}  // namespace
}  // namespace supple::make
