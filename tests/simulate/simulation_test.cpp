// Hands bent by their bones: flesh follows, volume stays, and nothing depends on when or where a sweep was interrupted.
#include "supple/author/simulate/simulation.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <numbers>

#include "supple/base/parallel.h"
#include "supple/make/hand.h"

namespace supple::simulate {
namespace {

namespace fs = std::filesystem;
constexpr float one_degree = std::numbers::pi_v<float> / 180;

/// A coarse hand, so that the suite stays quick: what is tested here does not depend on the size of elements.
Simulation small_hand(const fs::path& folder, double poisson = 0.47) {
  static const Body body = body_of(make::make_hand({.vertices = 2500}).value()).value();
  TissueOptions options;
  options.element_size = 0.009;
  options.materials[0].poisson = poisson;
  static Tissue tissue = make_tissue(body, options).value();
  PosePlan plan;
  Sweep sweep{"index", {}};
  for (const float angle : {15.0f, 30.0f, 40.0f})
    sweep.poses.push_back({"pip" + std::to_string(static_cast<int>(angle)),
                           {{"index-finger-phalanx-intermediate", "flexion", angle * one_degree}}});
  plan.sweeps.push_back(sweep);
  return make_simulation(body, poisson == 0.47 ? tissue : make_tissue(body, options).value(), plan, {}, folder);
}

class Simulations : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("supple-simulation-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    for (const char* name : {"a", "b"}) fs::create_directories(folder_ / name);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

bool same(const PoseRecord& a, const PoseRecord& b) {
  return a.nodes.size() == b.nodes.size() &&
         std::memcmp(a.nodes.data(), b.nodes.data(), a.nodes.size() * sizeof(Vec3d)) == 0;
}

TEST_F(Simulations, FleshFollowsTheBones) {
  const Simulation s = small_hand(folder_ / "a");
  ASSERT_TRUE(run_sweep(s, 0).ok());
  const auto record = find_record(s, 0, 2);
  ASSERT_TRUE(record.has_value());
  EXPECT_TRUE(record->report.converged);
  EXPECT_EQ(record->report.health.inverted, 0u);
  EXPECT_EQ(record->report.steps.size(), 2u);  // ten degrees from the pose before
  EXPECT_LE(record->report.iterations(), 10);
  std::vector<Affined> motions(s.body.bones.size());
  bone_motions(s.body, pose_of(s.plan.sweeps[0].poses[2], s.body.skeleton), motions);
  const auto bone_of = s.tissue.model.bone_of();
  std::size_t held = 0;
  for (std::size_t v = 0; v < bone_of.size(); ++v) {
    if (bone_of[v] == no_bone) continue;
    EXPECT_LT(length(record->nodes[v] - motions[bone_of[v]].point(s.tissue.mesh.nodes[v])), 1e-15);
    ++held;
  }
  EXPECT_GT(held, 100u);
  const double rest = s.tissue.model.health(s.tissue.mesh.nodes).volume;
  EXPECT_NEAR(record->report.health.volume / rest, 1, 0.005);
  // Far from the joint nothing moves; the finger tip does.
  std::vector<Vec3f> skin(s.body.skin.positions.size());
  skin_positions(s.tissue, record->nodes, {}, skin);
  float farthest = 0;
  for (std::size_t v = 0; v < skin.size(); ++v) {
    const float moved = length(skin[v] - s.body.skin.positions[v]);
    farthest = std::max(farthest, moved);
    if (s.body.skin.positions[v].z > 0.02f) {
      EXPECT_LT(moved, 1e-4f);
    }
  }
  EXPECT_GT(farthest, 0.02f);
  EXPECT_LT(farthest, 0.06f);
}

TEST_F(Simulations, AStoppedSweepGoesOnToTheSameBytes) {
  const Simulation whole = small_hand(folder_ / "a"), parts = small_hand(folder_ / "b");
  ASSERT_TRUE(run_sweep(whole, 0).ok());
  int asked = 0;
  const auto stopped = run_sweep(parts, 0, [&](std::string_view, double) { return ++asked <= 3; });
  EXPECT_FALSE(stopped.ok());
  EXPECT_TRUE(has_record(parts, 0, 0));
  EXPECT_FALSE(has_record(parts, 0, 2));
  ASSERT_TRUE(run_sweep(parts, 0).ok());
  for (std::size_t p = 0; p < 3; ++p) EXPECT_TRUE(same(*find_record(whole, 0, p), *find_record(parts, 0, p))) << p;
  const auto written = [&] {
    std::vector<std::pair<fs::path, fs::file_time_type>> files;
    for (const auto& entry : fs::directory_iterator(folder_ / "b"))
      files.emplace_back(entry.path(), fs::last_write_time(entry));
    std::sort(files.begin(), files.end());
    return files;
  };
  const auto before = written();
  EXPECT_EQ(before.size(), 3u);
  ASSERT_TRUE(run_sweep(parts, 0).ok());  // a repeated task does nothing
  EXPECT_EQ(written(), before);
}

TEST_F(Simulations, SameBytesOnAnyNumberOfThreads) {
  const Simulation one = small_hand(folder_ / "a"), two = small_hand(folder_ / "b");
  set_thread_count(1);
  ASSERT_TRUE(run_sweep(one, 0).ok());
  set_thread_count(2);
  ASSERT_TRUE(run_sweep(two, 0).ok());
  set_thread_count(0);
  for (std::size_t p = 0; p < 3; ++p) EXPECT_TRUE(same(*find_record(one, 0, p), *find_record(two, 0, p))) << p;
}

TEST_F(Simulations, RecordsOfAnotherProblemDoNotCount) {
  Simulation s = small_hand(folder_ / "a");
  ASSERT_TRUE(run_sweep(s, 0).ok());
  EXPECT_TRUE(has_all_records(s, 0));
  EXPECT_FALSE(has_record(small_hand(folder_ / "a", 0.4), 0, 0));  // another material
  Simulation longer = s;
  longer.plan.sweeps[0].poses[1].angles[0].radians *= 1.5f;  // another way
  EXPECT_TRUE(has_record(longer, 0, 0));
  EXPECT_FALSE(has_record(longer, 0, 1));
  EXPECT_FALSE(has_record(longer, 0, 2));
  Simulation later = s;  // sweeps may be added and reordered
  later.plan.sweeps.insert(later.plan.sweeps.begin(), Sweep{"other", {{"wrist", {{"wrist", "flexion", 0.2f}}}}});
  EXPECT_TRUE(has_all_records(later, 1));
  for (const auto& entry : fs::directory_iterator(folder_ / "a")) fs::resize_file(entry, 500);  // cut off by hand
  EXPECT_FALSE(has_record(s, 0, 1));
  EXPECT_FALSE(find_record(s, 0, 1).has_value());
}

TEST_F(Simulations, AFolderThatCannotBeWrittenIsAnErrorThatNamesIt) {
  const Simulation s = small_hand(folder_ / "missing");
  const auto done = run_sweep(s, 0);
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.error().message().find("missing"), std::string::npos);
}

TEST_F(Simulations, QuadraticElementsFollowToo) {
  static const Body body = body_of(make::make_hand({.vertices = 2500}).value()).value();
  TissueOptions options;
  options.element_size = 0.012;
  options.quadratic = true;
  options.materials[0].poisson = 0.49;
  const Simulation s =
      make_simulation(body, make_tissue(body, options).value(), small_hand(folder_).plan, {}, folder_ / "a");
  auto walker = Walker::make(s.body, s.tissue).value();
  const auto report = walker.go(pose_of(s.plan.sweeps[0].poses[0], s.body.skeleton));
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->converged);
  EXPECT_EQ(report->health.inverted, 0u);
}

TEST(Snaps, AreFoundByTheirJump) {
  const auto report = [](std::vector<double> moves) {
    PoseReport r;
    for (const double m : moves) r.steps.push_back({0.1, m, {}});
    return r;
  };
  const std::vector<PoseReport> smooth{report({1, 1.1}), report({1.2, 1.3}), report({1.5})};
  EXPECT_EQ(snapped_poses(smooth), std::vector<bool>(3, false));
  const std::vector<PoseReport> jump{report({1, 1.1}), report({1.2, 1.3}), report({1.1, 9, 1.2}), report({1})};
  EXPECT_EQ(snapped_poses(jump), (std::vector<bool>{false, false, true, true}));
  EXPECT_TRUE(snapped_poses(std::vector<PoseReport>{}).empty());
  // Longer steps move farther: that is no jump.
  std::vector<PoseReport> uneven{report({1}), report({1}), report({1}), report({7})};
  uneven[3].steps[0].angle = 0.7;
  EXPECT_EQ(snapped_poses(uneven), std::vector<bool>(4, false));
  // Flesh that jumped and went wrong leads nowhere: what comes after starts before it, and is judged anew.
  std::vector<PoseReport> recovered = jump;
  recovered[2].health.inverted = 1;
  EXPECT_EQ(start_of(recovered, 3), 1u);
  EXPECT_EQ(snapped_poses(recovered), (std::vector<bool>{false, false, true, false}));
  // One that jumped and is sound leads to others, past one that went wrong.
  std::vector<PoseReport> led = jump;
  led.push_back(report({1}));
  led[3].converged = false;
  EXPECT_EQ(start_of(led, 4), 2u);
  EXPECT_EQ(snapped_poses(led), (std::vector<bool>{false, false, true, true, true}));
  EXPECT_FALSE(start_of(led, 0).has_value());
}

}  // namespace
}  // namespace supple::simulate
