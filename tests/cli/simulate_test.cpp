// supple simulate: an example set from a hand, the same bytes however it was run, and clear refusals.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "cli/program.h"
#include "supple/deform/skin.h"
#include "supple/files/example_set_file.h"
#include "supple/files/json.h"
#include "supple/files/load.h"
#include "support/made_once.h"
#include "support/run_command.h"
#include "support/shared_data.h"
#include "support/slurm_node.h"

namespace supple::test {
namespace {

namespace fs = std::filesystem;

/// Coarse elements and few poses: what is tested here does not depend on their number.
class SimulateCommand : public testing::Test {
 protected:
  static fs::path made_hand() {
    return made_once("simulated_hand", cli,
                     [](const fs::path& f) {
                       EXPECT_EQ(supple("make hand --vertices 1500 -o " + (f / "hand.glb").string()).exit_code, 0);
                     }) /
           "hand.glb";
  }
  void SetUp() override {
    std::ofstream(plan_) << R"({"pose_plan": 1, "sweeps": [
      {"name": "index", "poses": [
        {"name": "pip15", "angles": {"index-finger-phalanx-intermediate": {"flexion": 15}}},
        {"name": "pip30", "angles": {"index-finger-phalanx-intermediate": {"flexion": 30}}, "role": "test"}]},
      {"name": "thumb", "poses": [
        {"name": "cmc15", "angles": {"thumb-metacarpal": {"flexion": 15}}, "weight": 2}]},
      {"name": "wrist", "poses": [{"name": "wrist15", "angles": {"wrist": {"flexion": 15}}}]}]})";
  }
  std::string command(const std::string& folder, const std::string& more = "") const {
    return "simulate " + hand_ + " --plan " + plan_ + " -q --no-pictures -o " + (work_ / folder).string() + " " + more +
           (more.find("--size") == std::string::npos ? " --size 10" : "");
  }
  /// The arrays and the index of an example set.
  std::string bytes(const std::string& folder) const {
    std::string all;
    for (const char* name : {"examples.json", "positions.npy", "normals.npy", "rotations.npy", "triangles.npy"}) {
      const std::string part = contents(work_ / folder / name);
      EXPECT_FALSE(part.empty()) << folder << "/" << name;
      all += part;
    }
    return all;
  }
  /// Of the set that is made on two threads, without anything that comes between.
  std::string whole() const {
    const fs::path folder = made_once("simulated_whole", cli, [&](const fs::path& f) {
      const CommandResult made = supple(command((f / "set").string(), "--threads 2"));
      EXPECT_EQ(made.exit_code, 0) << made.err;
    });
    return bytes((folder / "set").string());
  }
  ScratchFolder work_;
  std::string hand_ = made_hand().string(), plan_ = (work_ / "plan.json").string();
};

TEST_F(SimulateCommand, AdaptivePosesAreChosenInBatchesAndTheSameAfterAStop) {
  const std::string choose = "--size 12 --adaptive 3 --batch 2 --step 30 --no-contact";
  const CommandResult made = supple(command("set", choose + " --json"));
  ASSERT_EQ(made.exit_code, 0) << made.err << made.out;
  const Json report = Json::parse(made.out);
  EXPECT_EQ(report["poses_finished"], 7);
  ASSERT_EQ(report["adaptive"].size(), 3u);  // before each batch, and after the last
  EXPECT_EQ(report["adaptive"][2]["examples"], 6);
  const auto set = load_examples(work_ / "set");
  ASSERT_TRUE(set) << set.error().message();
  for (std::size_t e = 4; e < 7; ++e) {
    EXPECT_EQ(set->examples[e].tags.at(0), "adaptive");
    EXPECT_EQ(set->examples[e].role, Role::train);
  }
  // Begun without, taken up with them.
  ASSERT_EQ(supple(command("taken-up", "--size 12 --step 30 --no-contact")).exit_code, 0);
  ASSERT_EQ(supple(command("taken-up", choose + " --resume")).exit_code, 0);
  EXPECT_EQ(bytes("set"), bytes("taken-up"));
  // The same for poses that others make.
  const std::string next = (work_ / "next.json").string();
  const CommandResult planned =
      supple("plan " + hand_ + " --examples " + (work_ / "set").string() + " --adaptive 4 --json -o " + next);
  ASSERT_EQ(planned.exit_code, 0) << planned.err;
  EXPECT_EQ(Json::parse(planned.out)["training_poses"], 4);
}

TEST_F(SimulateCommand, MakesAnExampleSetWithReportAndSheet) {
  const std::string folder = (work_ / "set").string();
  const CommandResult made = supple("simulate " + hand_ + " --plan " + plan_ + " --size 10 --json -o " + folder);
  ASSERT_EQ(made.exit_code, 0) << made.err << made.out;
  const Json report = Json::parse(made.out);
  EXPECT_EQ(report["poses_finished"], 4);
  EXPECT_EQ(report["poses_missing"], 0);
  EXPECT_EQ(report["unconverged"], 0);
  EXPECT_LE(report["iterations_per_step"].get<double>(), 5);
  EXPECT_LT(std::abs(report["worst_volume_change"].get<double>()), 0.01);
  EXPECT_EQ(Json::parse(contents(fs::path(folder) / "report.json"))["poses"].size(), 4u);
  const std::string page = contents(fs::path(folder) / "report.html");
  EXPECT_NE(page.find("pip30"), std::string::npos);
  EXPECT_NE(page.find("4 of 4 poses can be learnt from"), std::string::npos);
  EXPECT_LT(page.find("can be learnt from"), page.find("sheet.png"));
  EXPECT_LT(page.find("sheet.png"), page.find("In numbers"));
  EXPECT_EQ(contents(fs::path(folder) / "sheet.png").substr(1, 3), "PNG");

  const auto set = load_examples(folder);
  ASSERT_TRUE(set) << set.error().message();
  ASSERT_TRUE(validate(*set));
  ASSERT_EQ(set->size(), 4u);
  EXPECT_EQ(set->examples[1].role, Role::test);
  EXPECT_EQ(set->examples[2].weight, 2.0f);
  EXPECT_EQ(supple("examples check " + folder + " --model " + hand_).exit_code, 0);
  // The finger's tip is carried by its bone: it moves as far as a bone of that length turned by thirty degrees.
  const auto moved = set->positions_of(1);
  float farthest = 0;
  for (std::size_t v = 0; v < moved.size(); ++v)
    farthest = std::max(farthest, length(moved[v] - set->rest_positions[v]));
  EXPECT_GT(farthest, 0.015f);
  EXPECT_LT(farthest, 0.045f);

  const CommandResult again = supple(command("set"));
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.err.find("--resume"), std::string::npos) << again.err;
  const std::string before = bytes("set");
  ASSERT_EQ(supple(command("set", "--resume")).exit_code, 0);
  EXPECT_EQ(bytes("set"), before);
}

TEST_F(SimulateCommand, SameBytesOnOneAndTwoThreads) {
  ASSERT_EQ(supple(command("one", "--threads 1")).exit_code, 0);
  EXPECT_EQ(bytes("one"), whole());
}

/// Starts a command and sends it a signal as soon as it has finished its first pose.
CommandResult interrupted(const std::string& arguments, const fs::path& folder, const char* signal) {
  std::atomic<bool> ended = false;
  std::thread sender([&] {
    const auto records = [&] {
      std::error_code missing;
      for (const auto& entry : fs::directory_iterator(folder / "work", missing))
        if (entry.path().extension() == ".pose") return true;
      return false;
    };
    while (!ended && !records()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    (void)run("pkill -" + std::string(signal) + " -f '^" SUPPLE_CLI " simulate .*" + folder.string() + "'");
  });
  CommandResult result = supple(arguments);
  ended = true;
  sender.join();
  return result;
}

TEST_F(SimulateCommand, StoppedOrKilledItGoesOnToTheSameBytes) {
  const CommandResult stopped = interrupted(command("stopped", "--threads 1"), work_ / "stopped", "INT");
  EXPECT_EQ(stopped.exit_code, 3) << stopped.out << stopped.err;
  EXPECT_NE(stopped.out.find("--resume"), std::string::npos);
  const auto part = load_examples(work_ / "stopped");  // what is finished can be used
  ASSERT_TRUE(part) << part.error().message();
  EXPECT_GE(part->size(), 1u);
  EXPECT_LT(part->size(), 4u);
  EXPECT_TRUE(validate(*part));
  ASSERT_EQ(supple(command("stopped", "--resume")).exit_code, 0);
  EXPECT_EQ(bytes("stopped"), whole());

  EXPECT_EQ(interrupted(command("killed", "--threads 1"), work_ / "killed", "KILL").exit_code, 137);
  EXPECT_FALSE(fs::exists(work_ / "killed" / "examples.json"));
  ASSERT_EQ(supple(command("killed", "--resume")).exit_code, 0);
  EXPECT_EQ(bytes("killed"), whole());
}

TEST_F(SimulateCommand, SlurmGivesTheSameBytesAlsoAfterAKilledTask) {
  SUPPLE_REQUIRE_SLURM();
  const SlurmNode node;
  ASSERT_TRUE(node.ready()) << node.log();
  const std::string on_slurm = "--back-end slurm --slurm-poll 0.3";
  std::atomic<bool> ended = false;
  std::thread killer([&] {  // the first task that is seen running dies
    while (!ended && run("pkill -KILL -f -- '" + work_.path().string() + ".*[-]-task 0$'").exit_code != 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  const CommandResult first = supple(command("slurm", on_slurm));
  ended = true;
  killer.join();
  EXPECT_EQ(first.exit_code, 3) << first.out << first.err << node.log();
  EXPECT_NE(first.out.find("index"), std::string::npos) << first.out;  // the sweep that failed
  const CommandResult second = supple(command("slurm", on_slurm + " --resume"));
  ASSERT_EQ(second.exit_code, 0) << second.out << second.err << node.log();
  EXPECT_EQ(bytes("slurm"), whole());
}

TEST_F(SimulateCommand, FullDiskKeepsWhatIsFinished) {
  // Files may grow to 120 blocks of 512 bytes: one record is smaller, the arrays of the example set are larger.
  const CommandResult full = run("ulimit -f 120; " + std::string(SUPPLE_CLI) + " " + command("full", "--threads 1"));
  EXPECT_EQ(full.exit_code, 3);
  EXPECT_NE(full.out.find("finished poses are kept"), std::string::npos) << full.out;
  EXPECT_NE((full.err + full.out).find("--resume"), std::string::npos) << full.err << full.out;
  EXPECT_FALSE(fs::exists(work_ / "full" / "examples.json"));
  std::size_t records = 0;
  for (const auto& entry : fs::directory_iterator(work_ / "full" / "work")) records += entry.is_regular_file();
  EXPECT_EQ(records, 4u);
  ASSERT_EQ(supple(command("full", "--resume")).exit_code, 0);
  EXPECT_EQ(bytes("full"), whole());
}

TEST_F(SimulateCommand, SaysWhatIsWrong) {
  const auto expect = [&](const std::string& more, const std::string& words) {
    const CommandResult refused = supple(command("refused", more));
    EXPECT_EQ(refused.exit_code, 2) << more;
    EXPECT_NE(refused.err.find(words), std::string::npos) << more << ": " << refused.err;
  };
  expect("--poisson .5", "singular");
  expect("--poisson 7", "singular");
  expect("--material nonsense", "YOUNG,POISSON");
  expect("--size .02", "elements");  // about 10^9 of them
  expect("--part bonez", "bonez");
  expect("--mesh /nowhere.msh", "/nowhere.msh");
  expect("--solver cholmodd", "cholmodd");
  expect("--step nan", "must be a number above 0");
  expect("--size 0", "must be a number above 0");
  expect("--resume --force", "excludes");
  expect("--per-dof 3", "excludes");  // the plan is given
  expect("--material 1,.4 --material 2,.4", "--mesh");
  expect("--solver calculix", "neo-hookean");
  expect("--size .1", "choose at least");  // and which one would do
  const CommandResult boneless = supple("simulate " + hand_ + " --joints index-finger-tip --range 20 -q -o " +
                                        (work_ / "r").string() + " --force");
  EXPECT_EQ(boneless.exit_code, 2);
  EXPECT_NE(boneless.err.find("index-finger-tip"), std::string::npos) << boneless.err;
  EXPECT_NE(boneless.err.find("bone"), std::string::npos) << boneless.err;
}

// Folded by 130 degrees, a few elements in the elbow of a limb turn inside out; by 165 degrees at once, flesh snaps
// too.
TEST_F(SimulateCommand, APoseWithInvertedElementsIsKeptButForThePlaceAndFailedHeldOutPosesAreCounted) {
  const std::string limb = (work_ / "limb.glb").string(), folder = (work_ / "set").string();
  ASSERT_EQ(supple("make limb --length 1.2 --vertices 3000 -o " + limb).exit_code, 0);
  std::ofstream(plan_) << R"({"pose_plan": 1, "sweeps": [
      {"name": "fold", "poses": [
        {"name": "p30", "angles": {"limb-1": {"x": 30}}},
        {"name": "p60", "angles": {"limb-1": {"x": 60}}},
        {"name": "p100", "angles": {"limb-1": {"x": 100}}},
        {"name": "p130", "angles": {"limb-1": {"x": 130}}},
        {"name": "p20", "angles": {"limb-1": {"x": 20}}, "role": "test"}]},
      {"name": "far", "poses": [{"name": "p165", "angles": {"limb-1": {"x": 165}}, "role": "test"}]}]})";
  const std::string simulate =
      "simulate " + limb + " --plan " + plan_ + " --size 30 --step 30 --no-contact --no-pictures -o " + folder;
  const CommandResult made = supple(simulate + " --json");
  ASSERT_EQ(made.exit_code, 0) << made.err << made.out;
  const Json report = Json::parse(made.out);
  EXPECT_EQ(report["partial"], 1);
  EXPECT_EQ(report["inverted"], 1);
  EXPECT_EQ(report["partial_near"].dump(), R"([{"joint":"limb-1","poses":1}])");
  EXPECT_EQ(report["held_out_planned"], 2);
  EXPECT_EQ(report["held_out_without_teacher"], 1);
  const CommandResult told = supple(simulate + " -q --resume");
  EXPECT_NE(told.out.find("1 pose shows linear blend"), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("'limb-1'"), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("1 of 2 held-out poses has no teacher"), std::string::npos) << told.out;
  const std::string page = contents(fs::path(folder) / "report.html");
  EXPECT_NE(page.find("5 of 6 poses can be learnt from"), std::string::npos);
  EXPECT_NE(page.find("1 of 2 held-out poses has no teacher"), std::string::npos);

  const auto set = load_examples(folder);
  ASSERT_TRUE(set) << set.error().message();
  const std::size_t partial = set->find("p130").value(), bad = set->find("p165").value();
  EXPECT_EQ(set->examples[partial].flags, (std::vector<std::string>{"partial"}));
  EXPECT_TRUE(set->usable(partial));
  EXPECT_FALSE(set->usable(bad));
  EXPECT_TRUE(set->usable(set->find("p20").value())) << "after a pose that went wrong";
  // The inverted elements lie inside the elbow and carry little skin: about it flesh bulges.
  const auto loaded = load(limb);
  ASSERT_TRUE(loaded) << loaded.error().message();
  Skin blend = Skin::make(loaded->character()).value();
  Pose pose = set->pose(partial);
  ASSERT_TRUE(blend.evaluate(pose));
  std::size_t simulated = 0;
  for (std::size_t v = 0; v < set->vertices(); ++v) {
    const float away = length(set->positions_of(partial)[v] - blend.positions()[v]);
    simulated += away > 1e-4f;
  }
  EXPECT_GT(simulated, set->vertices() / 10);

  // Learning takes what is left, and says what was not there to be measured.
  const CommandResult fitted = supple("fit " + limb + " --examples " + folder + " -o " + (work_ / "out.glb").string());
  ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
  EXPECT_NE(fitted.out.find("1 of 2 held-out poses has no teacher"), std::string::npos) << fitted.out;
  const CommandResult facts =
      supple("fit " + limb + " --json --examples " + folder + " -o " + (work_ / "out.glb").string());
  const Json teacher = Json::parse(facts.out)["teacher"];
  EXPECT_EQ(teacher["training"], 4);
  EXPECT_EQ(teacher["training_without_teacher"], 0);
  EXPECT_EQ(teacher["held_out_planned"], 2);
  EXPECT_EQ(teacher["held_out_without_teacher"], 1);
  EXPECT_EQ(teacher["partial"], 1);
  EXPECT_EQ(Json::parse(facts.out)["errors"]["held_out_single"]["examples"], 1);
}

TEST_F(SimulateCommand, DryRunTellsWithoutWriting) {
  const CommandResult told = supple(command("dry", "--dry-run --json"));
  ASSERT_EQ(told.exit_code, 0) << told.err;
  EXPECT_EQ(Json::parse(told.out)["poses_planned"], 4);
  EXPECT_FALSE(fs::exists(work_ / "dry"));
}

// A character that nobody here made, without bones of its own: capsules are fitted to its joints.
TEST_F(SimulateCommand, CapsulesForACharacterWithoutBones) {
  const auto man = shared_data("gltf_khronos/CesiumMan.glb");
  SUPPLE_REQUIRE_DATA(man);
  const std::string folder = (work_ / "man").string();
  const CommandResult made =
      supple("simulate " + man.string() + " --close --size 40 --range 30 --per-dof 1 --between 0 " +
             "--random 0 --axes-only --no-pictures --json --joints " + "Skeleton_arm_joint_L__3_ -o " + folder);
  ASSERT_EQ(made.exit_code, 0) << made.err << made.out;
  const Json report = Json::parse(made.out);
  EXPECT_TRUE(report["bones_are_capsules"].get<bool>());
  EXPECT_EQ(report["unconverged"], 0);
  EXPECT_EQ(supple("examples check " + folder).exit_code, 0);
}

}  // namespace
}  // namespace supple::test
