// Elastic flesh teaches any skin: which poses count how much, what is written, and what a second call finds again.
#include "supple/workflow/jobs/simulate/teach_lattice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "jobs/made_limb.h"
#include "supple/base/parallel.h"
#include "supple/deform/skin.h"
#include "supple/files/example_set_file.h"

namespace supple::test {
namespace {

using namespace workflow;
namespace fs = std::filesystem;

/// A limb of few vertices, and few cells to teach it.
struct TaughtLimb : MadeLimb {
  Character limb;
  std::string set = (work / "set").string();
  TaughtLimb() : MadeLimb(200) { limb = before(); }

  /// The middle joint turned about x, the first and the last as at rest.
  TeachingPose bent(const std::string& name, double degrees, std::vector<std::string> tags = {}) const {
    Pose pose = limb.rest();
    pose.local[1].rotation = Quatf(from_axis_angle(Vec3d{1, 0, 0}, degrees * 3.141592653589793 / 180));
    return {name, "sweep of " + name, pose, Role::train, 1, std::move(tags)};
  }
  Result<LatticeTaught> teach(std::vector<TeachingPose> poses, bool resume = false, bool force = false) const {
    SimulateOptions o;
    o.input = file;
    o.output = set;
    o.lattice = true;
    o.cells = 300;
    o.resume = resume;
    o.force = force;
    Work working;
    return teach_lattice(o, std::move(poses), working);
  }
  /// RMS of edge length / length as bound - 1 by linear blend, each edge as often as triangles have it.
  double strain(const Pose& pose) const {
    auto skin = Skin::make(limb, Blend::linear, Layers::as_given());
    EXPECT_TRUE(skin && skin->evaluate(pose));
    double sum = 0;
    std::size_t count = 0;
    for (const Triangle& t : limb.parts[0].mesh.triangles)
      for (std::size_t k = 0; k < 3; ++k) {
        const auto across = [&](std::span<const Vec3f> of) { return double{length(of[t[k]] - of[t[(k + 1) % 3]])}; };
        const double by = across(skin->positions()) / across(limb.parts[0].mesh.positions) - 1;
        sum += by * by, ++count;
      }
    return std::sqrt(sum / static_cast<double>(count));
  }
};

TEST(TeachLattice, WritesAnExampleSetOfItsPoses) {
  const TaughtLimb limb;
  std::vector<TeachingPose> poses{limb.bent("still", 0), limb.bent("a", 40, {"axis"}),
                                  limb.bent("b", 70, {"axis", "far"})};
  poses[1].role = Role::test;
  const auto taught = limb.teach(poses);
  ASSERT_TRUE(taught) << taught.error().message();
  ASSERT_EQ(taught->outcomes.size(), 3u);
  EXPECT_EQ(taught->missing, 0u);
  EXPECT_EQ(taught->unconverged(), 0u);
  EXPECT_EQ(taught->vertices, limb.limb.parts[0].mesh.positions.size());
  EXPECT_EQ(taught->elastic_vertices, taught->vertices);
  EXPECT_EQ(taught->hard_pieces, 0u);
  EXPECT_GT(taught->cells, 100u);
  const auto set = load_examples(limb.set);
  ASSERT_TRUE(set) << set.error().message();
  EXPECT_TRUE(validate(*set));
  EXPECT_TRUE(set->zero_at_bind);
  ASSERT_TRUE(check_matches(*set, limb.limb, 0));
  ASSERT_EQ(set->size(), 3u);
  auto skin = Skin::make(limb.limb, Blend::linear, Layers::as_given());
  ASSERT_TRUE(skin);
  double farthest = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(set->examples[i].name, poses[i].name);
    EXPECT_EQ(set->examples[i].sweep, poses[i].sweep);
    EXPECT_EQ(set->examples[i].role, poses[i].role);
    EXPECT_EQ(set->examples[i].tags, poses[i].tags);
    EXPECT_EQ(set->examples[i].weight, taught->poses[i].weight);
    EXPECT_EQ(set->pose(i).local, poses[i].pose.local);
    ASSERT_TRUE(skin->evaluate(poses[i].pose));
    double far = 0;
    for (std::size_t v = 0; v < set->vertices(); ++v)
      far = std::max(far, double{length(set->positions_of(i)[v] - skin->positions()[v])});
    EXPECT_NEAR(far, taught->outcomes[i].farthest, 1e-6) << "metres: single precision";
    farthest = std::max(farthest, taught->outcomes[i].farthest);
  }
  EXPECT_LT(taught->outcomes[0].farthest, 1e-5) << "the skin as bound is in equilibrium";
  EXPECT_GT(taught->outcomes[2].farthest, 0.002) << "at a bend it is not";
  EXPECT_EQ(taught->farthest(), farthest);
}

TEST(TeachLattice, FramesOfClipsCountMost) {
  const TaughtLimb limb;
  const std::vector<TeachingPose> poses{limb.bent("clip 1", 20, {clip_tag}), limb.bent("clip 2", 40, {clip_tag}),
                                        limb.bent("gentle", 10), limb.bent("as far", 45), limb.bent("absurd", 110)};
  const double frames[]{limb.strain(poses[0].pose), limb.strain(poses[1].pose)};
  const double usual = (frames[0] * frames[0] + frames[1] * frames[1]) / 2, far = limb.strain(poses[3].pose);
  ASSERT_LT(far, absurd_strain * frames[1]);
  ASSERT_GT(limb.strain(poses[4].pose), absurd_strain * frames[1]);
  const auto taught = limb.teach(poses);
  ASSERT_TRUE(taught) << taught.error().message();
  EXPECT_EQ(taught->absurd, 1u);
  ASSERT_EQ(taught->poses.size(), 4u);
  EXPECT_EQ(taught->poses[0].weight, 1);
  EXPECT_EQ(taught->poses[1].weight, 1);
  EXPECT_EQ(taught->poses[2].weight, 0.5f) << "half, however gentle";
  EXPECT_NEAR(taught->poses[3].weight, 0.5 * usual / (far * far), 1e-3) << "bind matrices of single precision";
  EXPECT_EQ(load_examples(limb.set).value().size(), 4u);
}

TEST(TeachLattice, WithoutClipsGentlePosesCountMost) {
  const TaughtLimb limb;
  const std::vector<TeachingPose> poses{limb.bent("a", 15), limb.bent("b", 50), limb.bent("c", 110)};
  double squares = 0;
  for (const TeachingPose& pose : poses) squares += std::pow(limb.strain(pose.pose), 2) / 3;
  const auto taught = limb.teach(poses);
  ASSERT_TRUE(taught) << taught.error().message();
  EXPECT_EQ(taught->absurd, 0u);
  ASSERT_EQ(taught->poses.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(taught->poses[i].weight, std::min(1.0, squares / std::pow(limb.strain(poses[i].pose), 2)), 1e-3) << i;
  EXPECT_LT(taught->poses[2].weight, 1);
}

TEST(TeachLattice, ASecondCallFindsWhatTheFirstMade) {
  const TaughtLimb limb;
  const std::vector<TeachingPose> poses{limb.bent("clip", 30, {clip_tag}), limb.bent("b", 35),
                                        limb.bent("absurd", 120)};
  const auto first = limb.teach(poses);
  ASSERT_TRUE(first);
  const auto written = fs::last_write_time(fs::path(limb.set) / "examples.json");
  const auto refused = limb.teach(poses);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(mentions(refused.error(), "earlier")) << refused.error().message();
  const auto again = limb.teach(poses, true);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(fs::last_write_time(fs::path(limb.set) / "examples.json"), written);
  const auto expect_same = [&](const LatticeTaught& other) {
    EXPECT_EQ(other.absurd, first->absurd);
    EXPECT_EQ(other.missing, 0u);
    EXPECT_EQ(other.cells, first->cells);
    EXPECT_EQ(other.vertices, first->vertices);
    EXPECT_EQ(other.elastic_vertices, first->elastic_vertices);
    EXPECT_EQ(other.hard_pieces, first->hard_pieces);
    EXPECT_EQ(other.farthest(), first->farthest());
    ASSERT_EQ(other.poses.size(), first->poses.size());
    ASSERT_EQ(other.outcomes.size(), first->outcomes.size());
    for (std::size_t i = 0; i < other.poses.size(); ++i) {
      EXPECT_EQ(other.poses[i].name, first->poses[i].name);
      EXPECT_EQ(other.poses[i].weight, first->poses[i].weight);
      EXPECT_EQ(other.poses[i].pose.local, first->poses[i].pose.local);
      EXPECT_EQ(other.outcomes[i].convergence.iterations, first->outcomes[i].convergence.iterations);
      EXPECT_EQ(other.outcomes[i].convergence.last_step, first->outcomes[i].convergence.last_step);
    }
  };
  expect_same(*again);
  // A record that is damaged, by whatever, is made anew.
  const fs::path record = fs::path(limb.set) / "lattice.json";
  const std::string sound = contents(record);
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = sound;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(std::min(at, text.size()), from.size(), to);
  };
  for (const std::string& broken :
       {std::string(), std::string("{}"), sound.substr(0, sound.size() / 2), changed("\"cells\"", "\"sells\""),
        changed("\"weights\"", "\"heights\""), changed("\"poses\"", "\"noses\"")}) {
    std::ofstream(record) << broken;
    const auto mended = limb.teach(poses, true);
    ASSERT_TRUE(mended) << broken << mended.error().message();
    expect_same(*mended);
    EXPECT_EQ(contents(record), sound) << broken;
  }
  // Other poses are taught anew.
  const auto other = limb.teach({limb.bent("clip", 31, {clip_tag}), limb.bent("b", 35)}, true);
  ASSERT_TRUE(other);
  EXPECT_EQ(load_examples(limb.set).value().size(), 2u);
  EXPECT_NE(contents(record), sound);
}

/// Five batches of a limb that bends farther and farther, and their tasks.
struct TaughtInBatches : TaughtLimb {
  static constexpr std::size_t count = 70;
  std::vector<TeachingPose> poses;
  SimulateOptions options;
  TaughtInBatches() {
    std::vector<Pose> plain;
    for (std::size_t i = 0; i < count; ++i) {
      poses.push_back(bent("pose " + std::to_string(i), static_cast<double>(i)));
      plain.push_back(poses.back().pose);
    }
    options.input = file;
    options.output = set;
    options.lattice = options.resume = true;
    options.cells = 300;
    options.poses_file = (work / "poses.npy").string();
    EXPECT_TRUE(write_poses(options.poses_file, plain));
  }
  /// Does one task and returns its file.
  fs::path solve(long long task) {
    const std::set<fs::path> before = files();
    options.task = task;
    Work working;
    const auto solved = teach_lattice_batch(options, working);
    EXPECT_TRUE(solved) << solved.error().message();
    options.task = -1;
    for (const fs::path& file : files())
      if (!before.contains(file)) return file;
    ADD_FAILURE() << "task " << task << " wrote nothing";
    return {};
  }
  std::set<fs::path> files() const {
    std::error_code none;
    std::set<fs::path> found;
    for (const auto& entry : fs::directory_iterator(fs::path(set) / "work", none)) found.insert(entry.path());
    return found;
  }
  std::string bytes() const {
    return contents(fs::path(set) / "positions.npy") + contents(fs::path(set) / "examples.json") +
           contents(fs::path(set) / "lattice.json");
  }
  /// The examples of a run that nobody stopped.
  std::string whole() {
    SimulateOptions o = options;
    o.resume = false;
    o.force = true;
    Work working;
    EXPECT_TRUE(teach_lattice(o, poses, working));
    return bytes();
  }
};

TEST(TeachLattice, WhatWasStoppedIsNotTakenForAllOfIt) {
  TaughtInBatches limb;
  limb.solve(0);
  Work stopped;
  stopped.progress = [&](std::string_view stage, double) { return !stage.starts_with("posing flesh"); };
  set_thread_count(1);  // so that all poses are not posed at once
  const auto half = teach_lattice(limb.options, limb.poses, stopped);
  set_thread_count(0);
  ASSERT_TRUE(half) << half.error().message();
  EXPECT_TRUE(half->failures.empty());
  EXPECT_GE(half->outcomes.size(), 16u) << "the batch that was there";
  EXPECT_GT(half->missing, 0u);
  EXPECT_EQ(half->missing + half->outcomes.size(), limb.count);
  EXPECT_EQ(half->poses.size(), half->outcomes.size());
  EXPECT_EQ(load_examples(limb.set).value().size(), half->outcomes.size()) << "what is finished can be used";
  Work work;
  const auto rest = teach_lattice(limb.options, limb.poses, work);
  ASSERT_TRUE(rest) << rest.error().message();
  EXPECT_EQ(rest->missing, 0u);
  EXPECT_EQ(rest->outcomes.size(), limb.count);
  EXPECT_FALSE(fs::exists(fs::path(limb.set) / "work"));
  const std::string gone_on = limb.bytes();
  EXPECT_EQ(limb.whole(), gone_on) << "as if nobody had stopped it";
}

TEST(TeachLattice, OnlyWholeBatchesOfTheseVeryPosesAreTaken) {
  TaughtInBatches limb;
  ASSERT_FALSE(limb.whole().empty());
  const auto expected = load_examples(limb.set).value();
  fs::remove_all(limb.set);
  const fs::path cut = limb.solve(0), marked = limb.solve(1), foreign = limb.solve(2), empty = limb.solve(4);
  fs::resize_file(cut, fs::file_size(cut) - 5);
  fs::copy_file(marked, foreign, fs::copy_options::overwrite_existing);
  fs::resize_file(empty, 0);
  const float mark = 0.125f;  // instead of the last coordinate of pose 31
  std::fstream(marked, std::ios::in | std::ios::out | std::ios::binary)
      .seekp(-4, std::ios::end)
      .write(reinterpret_cast<const char*>(&mark), 4);
  Work work;
  const auto taught = teach_lattice(limb.options, limb.poses, work);
  ASSERT_TRUE(taught) << taught.error().message();
  EXPECT_EQ(taught->missing, 0u);
  const auto set = load_examples(limb.set).value();
  ASSERT_EQ(set.size(), limb.count);
  for (std::size_t i = 0; i < limb.count; ++i) {
    for (std::size_t v = 0; v < set.vertices(); ++v) {
      if (i == 31 && v + 1 == set.vertices()) continue;
      ASSERT_EQ(set.positions_of(i)[v], expected.positions_of(i)[v]) << "pose " << i << ", vertex " << v;
    }
  }
  EXPECT_EQ(set.positions_of(31).back().z, mark) << "a batch that is there is not solved again";
}

TEST(TeachLattice, ATaskThatIsNoneAndPosesOfOtherJointsAreErrors) {
  TaughtInBatches limb;
  limb.options.task = 5;
  Work work;
  const auto beyond = teach_lattice_batch(limb.options, work);
  ASSERT_FALSE(beyond);
  EXPECT_TRUE(mentions(beyond.error(), "5 batches")) << beyond.error().message();
  Pose other;
  other.local.resize(7);
  ASSERT_TRUE(write_poses(limb.options.poses_file, std::span(&other, 1)));
  const auto unlike = teach_lattice_batch(limb.options, work);
  ASSERT_FALSE(unlike);
  EXPECT_TRUE(mentions(unlike.error(), "poses.npy")) << unlike.error().message();
  EXPECT_TRUE(limb.files().empty());
}

TEST(TeachLattice, ABatchThatCannotBeWrittenIsNamed) {
  TaughtInBatches limb;
  const fs::path in_the_way = limb.solve(3);
  fs::remove(in_the_way);
  fs::create_directory(in_the_way);
  Work work;
  const auto taught = teach_lattice(limb.options, limb.poses, work);
  ASSERT_TRUE(taught) << taught.error().message();
  ASSERT_EQ(taught->failures.size(), 1u);
  EXPECT_NE(taught->failures[0].find(in_the_way.filename().string()), std::string::npos) << taught->failures[0];
  EXPECT_EQ(taught->missing, 16u);
  const auto set = load_examples(limb.set).value();
  ASSERT_EQ(set.size(), limb.count - 16);
  EXPECT_EQ(set.examples[47].name, "pose 47");
  EXPECT_EQ(set.examples[48].name, "pose 64") << "what comes after it can be used";
}

TEST(TeachLattice, IsTheSameWithAnyNumberOfThreads) {
  const TaughtLimb limb;
  std::vector<TeachingPose> poses;
  for (int i = 0; i < 55; ++i) poses.push_back(limb.bent("pose " + std::to_string(i), 1.5 * i));
  std::vector<std::string> bytes;
  for (const unsigned threads : {1u, 3u, 7u}) {
    set_thread_count(threads);
    ASSERT_TRUE(limb.teach(poses, false, true));
    bytes.push_back(contents(fs::path(limb.set) / "positions.npy") + contents(fs::path(limb.set) / "examples.json") +
                    contents(fs::path(limb.set) / "lattice.json"));
  }
  set_thread_count(0);
  EXPECT_EQ(bytes[0], bytes[1]);
  EXPECT_EQ(bytes[0], bytes[2]);
}

TEST(TeachLattice, PosesComeFromThePlanWhereNoneAreGiven) {
  const TaughtLimb limb;
  SimulateOptions o;
  o.input = limb.file;
  o.output = limb.set;
  o.cells = 300;
  o.plan.poses_per_dof = 1;
  o.plan.off_axis = false;
  o.plan.held_out_random = 1;
  o.plan.held_out_between = o.plan.grips = o.plan.held_out_grips = 0;
  Work work;
  const auto taught = teach_lattice(o, {}, work);
  ASSERT_TRUE(taught) << taught.error().message();
  EXPECT_GT(taught->outcomes.size(), 1u);
  EXPECT_EQ(std::ranges::count_if(taught->poses, [](const TeachingPose& p) { return p.role == Role::test; }), 1);
}

TEST(TeachLattice, ErrorsNameTheFile) {
  const TaughtLimb limb;
  SimulateOptions o;
  o.input = limb.file + "-not";
  o.output = limb.set;
  Work work;
  const auto missing = teach_lattice(o, {limb.bent("a", 20)}, work);
  ASSERT_FALSE(missing);
  EXPECT_TRUE(mentions(missing.error(), o.input));
  o.input = limb.file;
  o.body.skin_part = "sleeve";
  const auto part = teach_lattice(o, {limb.bent("a", 20)}, work);
  ASSERT_FALSE(part);
  EXPECT_TRUE(mentions(part.error(), "sleeve") && mentions(part.error(), o.input)) << part.error().message();
  EXPECT_FALSE(fs::exists(limb.set));
}

}  // namespace
}  // namespace supple::test
