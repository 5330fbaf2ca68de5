// Folds as a layer of a character: over its flesh, in its clips, beside its drivers.
#include "supple/deform/wrinkle/layer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "supple/author/bake/bake_drivers.h"
#include "supple/author/bake/play_flesh.h"
#include "supple/deform/skin.h"
#include "supple/rig/append_morphs.h"
#include "support/driven_character.h"
#include "support/fleshy_limb.h"
#include "support/folding_limb.h"

namespace supple {
namespace {

using test::inside, test::limb, test::only_part, test::shown_length, test::vertex_near;

Character folding_limb() {
  Character c = limb();
  EXPECT_TRUE(add_wrinkle(c, only_part, inside(c)));
  return c;
}

/// Flesh about the first bone, and a strip from its middle, where it moves most, to its end.
Character fleshy_folding_limb(bool turns = false) {
  FleshRecipe recipe = test::limb_recipe();
  if (turns) recipe.elements[0].torsion = FleshTorsion{};
  Character c = test::fleshy_limb(recipe, 6000);
  WrinkleOptions options;
  options.name = "calf";
  options.strip = {vertex_near(c, {0, 0.1f, 0.05f}), vertex_near(c, {0, 0.2f, 0.05f})};
  options.wavelength = 0.03;
  EXPECT_TRUE(add_wrinkle(c, only_part, options));
  return c;
}

float weight_of(const Character& c, std::span<const float> weights) { return weights[c.wrinkles[0].weight]; }

TEST(WrinkleLayer, TheSkinFoldsByItself) {
  const Character c = folding_limb();
  auto live = Skin::make(c), given = Skin::make(c, Blend::linear, Layers::as_given());
  ASSERT_TRUE(live && given);
  EXPECT_EQ(weight_of(c, live->morph_weights()), 0.0f) << "flat at rest";
  Pose pose = c.rest();
  ASSERT_TRUE(rotate(pose, c.skeleton, 1, "flexion", 0.7f));
  ASSERT_TRUE(live->evaluate(pose) && given->evaluate(pose));
  EXPECT_GT(weight_of(c, live->morph_weights()), 0.3f);
  EXPECT_EQ(weight_of(c, given->morph_weights()), 0.0f) << "as the pose says";
  const double rest = double{c.wrinkles[0].rest_length};
  EXPECT_NEAR(shown_length(c.wrinkles[0], live->positions()), rest, 1e-5 * rest);
  EXPECT_LT(shown_length(c.wrinkles[0], given->positions()), 0.95 * rest);
}

TEST(WrinkleLayer, FleshAloneFoldsTheSkin) {
  for (const bool turns : {false, true}) {
    const Character c = fleshy_folding_limb(turns);
    auto skin = Skin::make(c);
    ASSERT_TRUE(skin) << skin.error().message();
    const double rest = double{c.wrinkles[0].rest_length};
    // Towards the end of the strip, a little aside, and turned where it can turn; the other way the strip is stretched.
    FleshMotion motion{{0.01f, 0.025f, 0}, {0, 0.1f, 0}, {0, 1, 0}, turns ? 0.1f : 0.0f};
    EXPECT_TRUE(skin->set_flesh(std::span(&motion, 1)));
    ASSERT_TRUE(skin->evaluate(c.rest()));
    EXPECT_GT(weight_of(c, skin->morph_weights()), 0.2f) << turns;
    EXPECT_LT(weight_of(c, skin->morph_weights()), 1.0f) << turns;
    EXPECT_NEAR(shown_length(c.wrinkles[0], skin->positions()), rest, 1e-4 * rest) << turns;
    motion.shift = {0, -0.025f, 0};
    EXPECT_TRUE(skin->set_flesh(std::span(&motion, 1)));
    ASSERT_TRUE(skin->evaluate(c.rest()));
    EXPECT_EQ(weight_of(c, skin->morph_weights()), 0.0f) << turns;
    EXPECT_FALSE(skin->set_flesh(std::vector<FleshMotion>(5)));  // of another character: nothing changes
    EXPECT_TRUE(skin->set_flesh({}));
    ASSERT_TRUE(skin->evaluate(c.rest()));
    EXPECT_EQ(weight_of(c, skin->morph_weights()), 0.0f) << turns;
  }
}

TEST(WrinkleLayer, SeesTheFleshThatAPoseHasUntilToldOtherwise) {
  const Character c = fleshy_folding_limb();
  auto skin = Skin::make(c);
  ASSERT_TRUE(skin);
  Pose pose = c.rest();
  for (const FleshTwin& twin : c.flesh.elements[0].twins) pose.local[twin.joint].translation.y = 0.03f;
  ASSERT_TRUE(skin->evaluate(pose));
  EXPECT_GT(weight_of(c, skin->morph_weights()), 0.2f);
  // Motions that are given count, and springs do, whatever the clip has baked into the pose.
  const std::vector<FleshMotion> still(c.flesh.elements.size());
  EXPECT_TRUE(skin->set_flesh(still));
  ASSERT_TRUE(skin->evaluate(pose));
  EXPECT_EQ(weight_of(c, skin->morph_weights()), 0.0f);
  ASSERT_TRUE(skin->animate(pose, 1.0 / 60));
  EXPECT_EQ(weight_of(c, skin->morph_weights()), 0.0f);
}

TEST(WrinkleLayer, FoldsFollowFleshThatSwings) {
  const Character c = fleshy_folding_limb();
  auto skin = Skin::make(c);
  ASSERT_TRUE(skin);
  const double rest = double{c.wrinkles[0].rest_length};
  float deepest = 0;
  for (int frame = 0; frame < 60; ++frame) {
    Pose pose = c.rest();
    pose.local[0].translation.y += 0.05f * static_cast<float>(std::sin(frame / 3.0));
    ASSERT_TRUE(skin->animate(pose, 1.0 / 60));
    const float weight = weight_of(c, skin->morph_weights());
    deepest = std::max(deepest, weight);
    if (weight > 0 && weight < 1) {
      EXPECT_NEAR(shown_length(c.wrinkles[0], skin->positions()), rest, 1e-4 * rest) << frame;
    }
  }
  EXPECT_GT(deepest, 0.2f);
}

TEST(WrinkleLayer, BakedTracksFollowTheFolds) {
  Character c = folding_limb();
  Clip& clip = c.clips[0];
  bake_drivers(c);
  const Track* track = nullptr;
  for (const Track& t : clip.tracks)
    if (t.channel == Channel::morph_weights) track = &t;
  ASSERT_NE(track, nullptr);
  EXPECT_EQ(track->width, 1u);
  auto skin = Skin::make(c);
  ASSERT_TRUE(skin);
  float deepest = 0;
  int worse = 0;
  for (int i = 0; i <= 2000; ++i) {
    const float seconds = clip.start() + clip.duration() * static_cast<float>(i) / 2000;
    const Pose pose = c.at(clip, seconds);
    ASSERT_TRUE(skin->evaluate(pose));
    const float live = weight_of(c, skin->morph_weights()), baked = weight_of(c, pose.morph_weights);
    deepest = std::max(deepest, live);
    // A fold sets in like a root, which no straight line follows: there keys lie as close as they may.
    EXPECT_NEAR(baked, live, 0.1f) << seconds;
    if (std::abs(baked - live) > 5.1e-4f) ++worse;
  }
  EXPECT_GT(deepest, 0.5f);
  EXPECT_LT(worse, 20);
  const std::size_t keys = track->times.size();
  bake_drivers(c);
  for (const Track& t : clip.tracks) {
    if (t.channel != Channel::morph_weights) continue;
    EXPECT_EQ(t.times.size(), keys) << "keys do not pile up";
  }
}

TEST(WrinkleLayer, BakedAfterFleshTheySeeIt) {
  Character c = fleshy_folding_limb();
  Clip shake{"shake", {}};
  Track track{Channel::translation, Interpolation::linear, 0, 3, {}, {}};
  for (int i = 0; i <= 30; ++i) {
    track.times.push_back(static_cast<float>(i) / 30);
    track.values.insert(track.values.end(), {0, 0.08f * static_cast<float>(std::sin(i * 0.6)), 0});
  }
  shake.tracks.push_back(track);
  c.clips = {shake};
  bake_drivers(c);
  const auto still = c.at(c.clips[0], 0.5f).morph_weights;
  EXPECT_EQ(still, std::vector<float>{0}) << "nothing is squeezed where the limb moves as a whole";
  const FleshPlayOptions options{.rate = 30};
  const auto take = play_flesh(c, c.clips[0], options);
  ASSERT_TRUE(take);
  ASSERT_TRUE(bake_flesh(c, c.clips[0], options));
  bake_drivers(c);
  auto skin = Skin::make(c), plain = Skin::make(c, Blend::linear, Layers::as_given());
  ASSERT_TRUE(skin && plain);
  float deepest = 0;
  for (std::size_t i = 0; i < take->times.size(); ++i) {
    const Pose pose = c.at(c.clips[0], take->times[i]);
    EXPECT_TRUE(skin->set_flesh(take->motions[i]));
    ASSERT_TRUE(skin->evaluate(pose) && plain->evaluate(pose));
    // Keys of the twins: nothing is interpolated.
    EXPECT_NEAR(weight_of(c, pose.morph_weights), weight_of(c, skin->morph_weights()), 1e-3f) << i;
    deepest = std::max(deepest, weight_of(c, pose.morph_weights));
    for (std::size_t v = 0; v < plain->positions().size(); ++v)
      ASSERT_LT(length(plain->positions()[v] - skin->positions()[v]), 2e-5f) << i << " " << v;
  }
  EXPECT_GT(deepest, 0.2f);
}

TEST(WrinkleLayer, AStillPoseKeepsItsFolds) {
  const Character c = folding_limb();
  Pose pose = c.rest();
  ASSERT_TRUE(rotate(pose, c.skeleton, 1, "flexion", 0.7f));
  const Clip clip = snapshot_clip(c, pose, "bent");
  auto skin = Skin::make(c);
  ASSERT_TRUE(skin);
  ASSERT_TRUE(skin->evaluate(pose));
  EXPECT_EQ(weight_of(c, c.at(clip, 0.5f).morph_weights), weight_of(c, skin->morph_weights()));
}

TEST(WrinkleLayer, OtherWeightsOfItsMeshKeepTheirTrack) {
  Character c = test::driven_strip();
  c.wrinkles.push_back({"fold", 0, {0, 2, 4, 6}, 1.4f, 1});
  ASSERT_TRUE(validate(c));
  c.clips[0].tracks.push_back({Channel::morph_weights, Interpolation::linear, 0, 7, {0, 1}, std::vector<float>(14, 0)});
  c.clips[0].tracks.back().values[7] = 0.5f;  // target 0, which nothing drives, comes in over a second
  bake_drivers(c);
  auto skin = Skin::make(c);
  ASSERT_TRUE(skin);
  for (const float seconds : {0.0f, 0.4f, 0.6f, 1.2f}) {  // keys
    const Pose pose = c.at(c.clips[0], seconds);
    EXPECT_NEAR(pose.morph_weights[0], 0.5f * std::min(seconds, 1.0f), 1e-6f) << seconds;
    ASSERT_TRUE(skin->evaluate(pose));
    for (std::size_t w = 1; w < 8; ++w)
      EXPECT_NEAR(pose.morph_weights[w], skin->morph_weights()[w], 1e-6f) << seconds << " " << w;
  }
}

TEST(WrinkleLayer, NumbersOfWeightsStayRight) {
  Character c = test::driven_strip();
  c.wrinkles.push_back({"fold", 1, {0, 1}, 0.1f, 7});  // on the flag, whose weight is the last
  const float none = 0;
  ASSERT_EQ(append_morphs(c, only_part, {c.parts[0].morphs[0]}, std::span(&none, 1)), 7u);
  EXPECT_EQ(c.wrinkles[0].weight, 8u);
  ASSERT_TRUE(validate(c));
  remove_driven_morphs(c);  // five of them
  EXPECT_EQ(c.wrinkles[0].weight, 3u);
  EXPECT_TRUE(validate(c));
}

TEST(WrinkleLayer, AWeightHasOneMaster) {
  Character c = test::driven_strip();
  c.wrinkles.push_back({"fold", 0, {0, 2}, 0.5f, 2});
  auto valid = validate(c);
  ASSERT_FALSE(valid);
  EXPECT_EQ(valid.error().item, "wrinkle 0 'fold'");
  EXPECT_EQ(valid.error().problem.find("drives morph weight 2, which driver"), 0u) << valid.error().problem;
  EXPECT_EQ(valid.error().remedy, "give it a morph target of its own");
  c.wrinkles = {{"fold", 0, {0, 2}, 0.5f, 1}, {"twice", 0, {2, 4}, 0.5f, 1}};
  valid = validate(c);
  ASSERT_FALSE(valid);
  EXPECT_EQ(valid.error().item, "wrinkle 1 'twice'");
  c.wrinkles[1].strip = {2, 99};
  EXPECT_FALSE(Skin::make(c));
  EXPECT_EQ(validate(c).error().message(), "wrinkle 1 'twice': passes through vertex 99, which does not exist");
}

}  // namespace
}  // namespace supple
