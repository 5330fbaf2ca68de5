// How far joints are from where corrections are 0: from rest, or from where the skin was bound.
#include "supple/author/learn/settings.h"

#include <gtest/gtest.h>

#include <cmath>

#include "learn/sleeve.h"
#include "supple/author/learn/attach.h"
#include "supple/author/learn/kernel_skin.h"
#include "supple/rig/bind_pose.h"

namespace supple::test {
namespace {

constexpr float rests_bent = 0.5f;  // radians of the elbow, which was bound straight

/// The sleeve, bound straight, that rests with a bent elbow.
Character bent_sleeve() {
  Character c = sleeve();
  Transformf rest = c.skeleton.rest(1);
  rest.rotation = from_axis_angle(Vec3f{1, 0, 0}, rests_bent);
  c.skeleton.set_rest(1, rest);
  return c;
}

/// Poses of the straight sleeve in the same places, so that corrections are 0 where the elbow is straight.
ExampleSet examples_of_bent_sleeve(const std::vector<SleevePose>& poses) {
  ExampleSet set = sleeve_examples(sleeve(), poses);
  set.skeleton = bent_sleeve().skeleton;
  return set;
}

TEST(Settings, AreTurnsFromTheReference) {
  const std::vector<SleevePose> poses{{"straight"}, {"as at rest", rests_bent}, {"far", 1.2f, 0.3f}};
  const ExampleSet set = examples_of_bent_sleeve(poses);
  const std::vector<std::size_t> chosen{2, 0, 1};
  const learn::Settings rest = learn::settings_of(set, chosen),
                        bind = learn::settings_from(sleeve().skeleton, set, chosen);
  const auto turn = [](Quatf q) { return 2 * std::asin(q.w < 0 ? -q.x : q.x); };
  const float elbow[]{1.2f, 0, rests_bent};  // of the chosen
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(turn(bind.rotations[i][1]), elbow[i], 1e-5f);
    EXPECT_NEAR(turn(rest.rotations[i][1]), elbow[i] - rests_bent, 1e-5f);
    EXPECT_EQ(bind.moves(i, 1), elbow[i] != 0) << i;
    EXPECT_EQ(rest.moves(i, 1), elbow[i] != rests_bent) << i;
  }
  EXPECT_EQ(bind.moved[0], (std::vector<JointIndex>{1, 2}));
  EXPECT_TRUE(bind.moved[1].empty());
  EXPECT_NEAR(turn(bind.of(0, std::vector<JointIndex>{2})[0]), 0.3f, 1e-5f);
}

TEST(Settings, ASkinThatIsZeroAsBoundMovesNothingThere) {
  const Character plain = bent_sleeve();
  ExampleSet set = examples_of_bent_sleeve(sleeve_sweeps());
  set.zero_at_bind = true;
  const auto trainer = learn::KernelTrainer::make(set, plain, 0);
  ASSERT_TRUE(trainer) << trainer.error().message();
  Character learnt = plain;
  const std::vector<std::size_t> parts{0};
  learn::attach(trainer->skin(trainer->enough()), set, learnt, parts);
  ASSERT_FALSE(learnt.drivers.empty());
  auto linear = Skin::make(plain), driven = Skin::make(learnt);
  ASSERT_TRUE(linear && driven);
  auto playing = Skin::make(learnt, Blend::linear, Layers::as_given());
  ASSERT_TRUE(playing);
  const auto apart = [&](Skin& skin, const std::vector<Transformf>& local) {
    Pose before = plain.rest(), after = learnt.rest();
    before.local = after.local = local;
    EXPECT_TRUE(linear->evaluate(before) && skin.evaluate(after));
    float most = 0;
    for (std::size_t v = 0; v < linear->positions().size(); ++v)
      most = std::max(most, length(skin.positions()[v] - linear->positions()[v]));
    return most;
  };
  constexpr float rounding = 1e-6f;  // of a metre in single precision, shifted and shifted back
  EXPECT_LT(apart(*driven, bind_pose(plain)), rounding) << "as bound";
  EXPECT_LT(apart(*playing, plain.rest().local), rounding) << "at rest, for who knows nothing of drivers";
  // At rest the elbow is bent, and flesh is as it is where the straight sleeve has bent it so far.
  const ExampleSet truth = sleeve_examples(sleeve(), std::vector<SleevePose>{{"rest", rests_bent}});
  ASSERT_TRUE(driven->evaluate(learnt.rest()) && linear->evaluate(plain.rest()));
  double left = 0, before = 0;
  for (std::size_t v = 0; v < truth.vertices(); ++v) {
    const Vec3f is = truth.positions_of(0)[v], left_by = driven->positions()[v] - is, was = linear->positions()[v] - is;
    left += double{dot(left_by, left_by)}, before += double{dot(was, was)};
  }
  ASSERT_GT(before, 0.0);
  EXPECT_LT(left, 0.04 * before) << "a fifth of the way that linear blend is off";
}

}  // namespace
}  // namespace supple::test
