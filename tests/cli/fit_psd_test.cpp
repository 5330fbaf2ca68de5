// supple fit --method psd and wpsd as users run it, and a weighted pose space distilled into a plain file.
#include <gtest/gtest.h>

#include "cli/program.h"
#include "supple/author/learn/pose_space.h"
#include "supple/files/example_set_file.h"
#include "support/engines.h"
#include "support/sleeve_poses.h"

namespace supple::test {
namespace {

/// The sleeve with a clip that bends the elbow, and examples of it, on disk.
struct PosedSleeve {
  ScratchFolder work;
  fs::path model = work / "sleeve.glb", examples = work / "examples", out = work / "out.glb";
  Character character = sleeve();

  explicit PosedSleeve(const std::vector<SleevePose>& poses = few_poses) {
    Track track{Channel::rotation, Interpolation::linear, 1, 4, {0, 1}, {0, 0, 0, 1}};
    const Quatf q = from_axis_angle(Vec3f{1, 0, 0}, 1.2f);
    track.values.insert(track.values.end(), {q.x, q.y, q.z, q.w});
    character.clips.push_back({"bend", {track}});
    EXPECT_TRUE(save(model, character).ok());
    character = load(model)->character();  // as the command sees it
    EXPECT_TRUE(save_examples(examples, sleeve_examples(character, poses)).ok());
  }
  CommandResult fit(const std::string& options, const fs::path& from, const fs::path& set, const fs::path& to) const {
    return run(cli + " fit " + from.string() + " --examples " + set.string() + " -o " + to.string() + " " + options);
  }
  CommandResult fit(const std::string& options) const { return fit(options, model, examples, out); }
};

TEST(FitPoseSpace, WritesWhatTrainingInMemoryMakes) {
  const PosedSleeve s;
  const ExampleSet set = *load_examples(s.examples);
  struct Case {
    const char* options;
    learn::PoseSpaceOptions same;
  };
  for (const auto& [options, same] :
       {Case{"--method psd", {JointInfluence::equal, learn::PoseSpaceOptions{}.floor, {}}}, Case{"--method wpsd", {}},
        Case{"--method wpsd --influence weights", {JointInfluence::weights, learn::PoseSpaceOptions{}.floor, {}}}}) {
    const CommandResult result = s.fit(options);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    Character expected = s.character;
    ASSERT_TRUE(learn::train_pose_space(set, expected, 0, same));
    const auto loaded = load(s.out, nullptr, {.strict = true});
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(loaded->character().pose_space, expected.pose_space) << options;
    ASSERT_EQ(loaded->character().parts[0].morphs.size(), 4u);
    for (std::size_t m = 0; m < 4; ++m) {
      EXPECT_EQ(loaded->character().parts[0].morphs[m].name, few_poses[m].name);
      EXPECT_EQ(loaded->character().parts[0].morphs[m].positions, expected.parts[0].morphs[m].positions);
    }
    // Its clip ends in the pose of the first example, which engines without pose spaces show too.
    const Clip& clip = loaded->character().clips[0];
    EXPECT_NEAR(loaded->character().at(clip, 1).morph_weights[0], 1, 1e-3);
  }
}

TEST(FitPoseSpace, TellsTheErrorOfEveryPose) {
  const PosedSleeve s;
  const fs::path page = s.work / "report.html";
  const CommandResult result = s.fit("--method wpsd --json --no-pictures --report " + page.string());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json facts = Json::parse(result.out);
  EXPECT_EQ(facts["method"], "wpsd");
  EXPECT_EQ(facts["influence"], "subtree");
  EXPECT_EQ(facts["targets"], 4);
  EXPECT_EQ(facts["joints"], Json::array({"elbow", "wrist"}));
  ASSERT_EQ(facts["poses"].size(), 6u);
  for (const Json& pose : facts["poses"]) {
    // Examples come back to a micrometre, the rounding of float.
    EXPECT_TRUE(pose["role"] == "test" || pose["largest_mm"] < 1e-3) << pose;
    EXPECT_GT(pose["blend_rms_mm"], 0.1) << pose;
  }
  EXPECT_EQ(facts["errors"]["held_out_several"]["examples"], 1);
  // Each vertex's own weights know two joints bent at once, weights alike for all do not.
  EXPECT_LT(facts["errors"]["held_out_several"]["relative"].get<double>(),
            facts["errors_elsewhere"]["held_out_several"]["relative"].get<double>());
  const std::string html = contents(page);
  for (const char* text : {"elbow and wrist", "weighted PSD", "morph weights alone", "share of linear blend"})
    EXPECT_NE(html.find(text), std::string::npos) << text;
}

TEST(FitPoseSpace, OptionsOfOtherMethodsAreRefused) {
  const PosedSleeve s;
  for (const char* options :
       {"--method psd --modes 3", "--method wpsd --kernel cubic", "--method psd --influence weights",
        "--method eigenskin-2002 --influence weights", "--pose-radius 200", "--swing-twist", "--normals own"}) {
    const CommandResult result = s.fit(options);
    EXPECT_EQ(result.exit_code, 2) << options;
    EXPECT_NE(result.err.find("belongs to --method"), std::string::npos) << result.err;
    EXPECT_FALSE(fs::exists(s.out));
  }
}

TEST(FitPoseSpace, RepeatedPosesAreMergedAndTold) {
  const CommandResult twice = PosedSleeve({{"a", 0.5f}, {"b", 0.5f}}).fit("--method psd");
  EXPECT_EQ(twice.exit_code, 0) << twice.err;
  EXPECT_NE(twice.err.find("2 training examples became 1: 1 repeat the pose of another"), std::string::npos)
      << twice.err;
}

TEST(FitPoseSpace, AnotherFitReplacesIt) {
  const PosedSleeve s;
  ASSERT_EQ(s.fit("--method wpsd").exit_code, 0);
  const fs::path again = s.work / "again.glb";
  const CommandResult result = s.fit("--method psd", s.out, s.examples, again);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("what is learnt takes the place of that"), std::string::npos) << result.err;
  const Character c = load(again)->character();
  EXPECT_EQ(c.parts[0].morphs.size(), 4u);
  EXPECT_EQ(c.pose_space->influence, JointInfluence::equal);
}

TEST(FitPoseSpace, DistilsIntoAPlainFile) {
  const PosedSleeve s;
  ASSERT_EQ(s.fit("--method wpsd").exit_code, 0);
  const fs::path plan = s.work / "plan.json", set = s.work / "set", plain_file = s.work / "plain.glb";
  std::ofstream(plan) << R"({"pose_plan": 1, "sweeps": [
    {"name": "elbow", "poses": [
      {"name": "e30", "angles": {"elbow": {"flexion": 30}}}, {"name": "e50", "angles": {"elbow": {"flexion": 50}}},
      {"name": "e70", "angles": {"elbow": {"flexion": 70}}},
      {"name": "e40", "angles": {"elbow": {"flexion": 40}}, "role": "test"}]},
    {"name": "wrist", "poses": [
      {"name": "w20", "angles": {"wrist": {"flexion": 20}}}, {"name": "w40", "angles": {"wrist": {"flexion": 40}}},
      {"name": "w57", "angles": {"wrist": {"flexion": 57}}}]},
    {"name": "both", "poses": [
      {"name": "b40", "angles": {"elbow": {"flexion": 40}, "wrist": {"flexion": 30}}},
      {"name": "b60", "angles": {"elbow": {"flexion": 60}, "wrist": {"flexion": 50}}},
      {"name": "held", "angles": {"elbow": {"flexion": 50}, "wrist": {"flexion": 40}}, "role": "test"}]}]})";
  const std::string simulate = cli + " simulate " + s.out.string() + " --deformer pose-space --plan " + plan.string() +
                               " -o " + set.string() + " --no-pictures --json";
  const CommandResult made = run(simulate);
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(Json::parse(made.out)["deformer_summary"].get<std::string>().find("pose space: 4 examples of part"), 0u);

  // The examples are what a Skin shows live.
  const Character teacher = load(s.out)->character();
  Skin skin = Skin::make(teacher).value();
  const ExampleSet examples = *load_examples(set);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    Pose pose = examples.pose(i);
    pose.morph_weights = teacher.morph_weights;
    ASSERT_TRUE(skin.evaluate(pose));
    for (std::size_t v = 0; v < examples.vertices(); ++v)
      ASSERT_LT(length(skin.positions()[v] - examples.positions_of(i)[v]), 1e-6f);
  }

  const CommandResult fitted = s.fit("--json", s.out, set, plain_file);
  ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
  const Json errors = Json::parse(fitted.out)["errors"];
  // A pose between the distilled ones, of one joint and of both.
  EXPECT_LT(errors["held_out_single"]["relative"], 0.25);
  EXPECT_LT(errors["held_out_several"]["relative"], 0.35);
  const Character plain_character = load(plain_file)->character();
  EXPECT_FALSE(plain_character.pose_space);
  EXPECT_FALSE(plain_character.drivers.empty());

  const CommandResult none = run(cli + " simulate " + s.model.string() + " --deformer pose-space --plan " +
                                 plan.string() + " -o " + (s.work / "none").string());
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("has no pose space"), std::string::npos) << none.err;
}

}  // namespace
}  // namespace supple::test
