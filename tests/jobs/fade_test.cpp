// What was learnt can be taken back vertex by vertex.
#include <gtest/gtest.h>

#include "learn/sleeve.h"
#include "supple/files/example_set_file.h"
#include "supple/workflow/jobs/fit/fit.h"
#include "support/run_command.h"
#include "support/sleeve_poses.h"

namespace supple::test {
namespace {

using namespace workflow;

struct FadedSleeve {
  ScratchFolder folder;
  Character plain = sleeve();
  FitJob job;

  FadedSleeve() {
    FitOptions o;
    o.model = (folder / "sleeve.glb").string();
    o.examples = (folder / "set").string();
    o.output = (folder / "out.glb").string();
    Clip bend{"bend", {{Channel::rotation, Interpolation::linear, 1, 4, {0, 1}, {0, 0, 0, 1, 0.5f, 0, 0, 0.866025f}}}};
    plain.clips = {bend};
    plain.parts[0].node = plain.skeleton.append("sleeve-node", no_joint);  // by which files know the part
    EXPECT_TRUE(save(o.model, plain));
    EXPECT_TRUE(save_examples(folder / "set", sleeve_examples(plain, sleeve_sweeps(), 0.5f)));
    Work work;
    auto fitted = fit_modes(o, work);
    EXPECT_TRUE(fitted) << fitted.error().message();
    job = std::move(*fitted);
  }
  /// In all poses of the set with drivers, then along the clip as it is baked.
  std::vector<std::vector<Vec3f>> shown() const {
    const Character& c = job.model.character();
    auto driven = Skin::make(c), baked = Skin::make(c, Blend::linear, Layers::as_given());
    EXPECT_TRUE(driven && baked);
    std::vector<std::vector<Vec3f>> all;
    for (const SleevePose& p : sleeve_sweeps()) {
      Pose pose = c.rest();
      const Pose bent = pose_of(plain, p);
      std::copy(bent.local.begin(), bent.local.end(), pose.local.begin());
      EXPECT_TRUE(driven->evaluate(pose));
      all.emplace_back(driven->positions().begin(), driven->positions().end());
    }
    for (const float at : {0.0f, 0.3f, 1.0f}) {
      EXPECT_TRUE(baked->evaluate(c.at(c.clips[0], at)));
      all.emplace_back(baked->positions().begin(), baked->positions().end());
    }
    return all;
  }
  std::vector<std::vector<Vec3f>> by_linear_blend() const {
    auto linear = Skin::make(plain);
    std::vector<std::vector<Vec3f>> all;
    for (const SleevePose& p : sleeve_sweeps()) {
      EXPECT_TRUE(linear->evaluate(pose_of(plain, p)));
      all.emplace_back(linear->positions().begin(), linear->positions().end());
    }
    for (const float at : {0.0f, 0.3f, 1.0f}) {
      EXPECT_TRUE(linear->evaluate(plain.at(plain.clips[0], at)));
      all.emplace_back(linear->positions().begin(), linear->positions().end());
    }
    return all;
  }
  std::size_t vertices() const { return plain.parts[0].mesh.positions.size(); }
};

/// Metres: coordinates are stored in single precision, and ranges of weights are found anew.
constexpr float sleeve_rounding = 2e-6f;

float farthest_apart(const std::vector<std::vector<Vec3f>>& a, const std::vector<std::vector<Vec3f>>& b,
                     const std::function<bool(std::size_t)>& of = {}) {
  float most = 0;
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t v = 0; v < a[i].size(); ++v)
      if (!of || of(v)) most = std::max(most, length(a[i][v] - b[i][v]));
  return most;
}

TEST(Fade, KeepingAllChangesNothing) {
  FadedSleeve faded;
  const auto learnt = faded.shown();
  const double error = faded.job.errors[0].relative;
  ASSERT_GT(farthest_apart(learnt, faded.by_linear_blend()), 0.005f) << "or else nothing was learnt";
  ASSERT_TRUE(fade(faded.job, std::vector<float>(faded.vertices(), 1)));
  EXPECT_EQ(farthest_apart(faded.shown(), learnt), 0);
  EXPECT_EQ(faded.job.errors[0].relative, error);
}

TEST(Fade, KeepingNothingIsLinearBlend) {
  FadedSleeve faded;
  ASSERT_TRUE(fade(faded.job, std::vector<float>(faded.vertices(), 0)));
  EXPECT_LT(farthest_apart(faded.shown(), faded.by_linear_blend()), sleeve_rounding);
  for (const learn::ErrorSummary& error : faded.job.errors) EXPECT_NEAR(error.relative, 1, 1e-4);
}

TEST(Fade, LeavesWhatIsKept) {
  FadedSleeve faded;
  const auto learnt = faded.shown(), linear = faded.by_linear_blend();
  // The upper end goes, half of the middle stays.
  std::vector<float> keep;
  for (const Vec3f p : faded.plain.parts[0].mesh.positions) keep.push_back(p.y < 0.3f ? 1 : p.y < 0.6f ? 0.5f : 0);
  ASSERT_TRUE(fade(faded.job, keep));
  const auto now = faded.shown();
  EXPECT_LT(farthest_apart(now, learnt, [&](std::size_t v) { return keep[v] == 1; }), sleeve_rounding);
  EXPECT_LT(farthest_apart(now, linear, [&](std::size_t v) { return keep[v] == 0; }), sleeve_rounding);
  auto half = linear;
  for (std::size_t i = 0; i < half.size(); ++i)
    for (std::size_t v = 0; v < half[i].size(); ++v) half[i][v] = (linear[i][v] + learnt[i][v]) * 0.5f;
  EXPECT_LT(farthest_apart(now, half, [&](std::size_t v) { return keep[v] == 0.5f; }), sleeve_rounding);
  // What is written is what was measured.
  Work work;
  ASSERT_TRUE(save_model(faded.folder / "out.glb", faded.job.model, work));
  FadedSleeve again;
  again.job.model = load_model(faded.folder / "out.glb", work).value();
  EXPECT_LT(farthest_apart(again.shown(), now), sleeve_rounding);
}

TEST(Fade, TwiceIsTheProduct) {
  FadedSleeve faded, once;
  ASSERT_TRUE(fade(faded.job, std::vector<float>(faded.vertices(), 0.5f)));
  ASSERT_TRUE(fade(faded.job, std::vector<float>(faded.vertices(), 0.5f)));
  ASSERT_TRUE(fade(once.job, std::vector<float>(faded.vertices(), 0.25f)));
  EXPECT_LT(farthest_apart(faded.shown(), once.shown()), sleeve_rounding);
}

}  // namespace
}  // namespace supple::test
