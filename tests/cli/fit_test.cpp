// supple fit as users run it: a file that reads back to the bit and plays elsewhere, choices of size, clear refusals.
#include <gtest/gtest.h>

#include <cstring>

#include "cli/program.h"
#include "learn/sleeve.h"
#include "supple/author/learn/attach.h"
#include "supple/author/learn/kernel_skin.h"
#include "supple/files/example_set_file.h"
#include "support/engines.h"
#include "support/example_sets.h"
#include "support/shared_data.h"

namespace supple::test {
namespace {

/// The sleeve with a clip, and examples of it, on disk.
struct Sleeve {
  ScratchFolder work;
  fs::path model = work / "sleeve.glb", examples = work / "examples", out = work / "out.glb";
  Character character = sleeve();

  explicit Sleeve(std::vector<SleevePose> poses = sleeve_sweeps()) {
    Clip clip{"wave", {}};
    Track track{Channel::rotation, Interpolation::linear, 1, 4, {}, {}};
    for (int k = 0; k <= 10; ++k) {
      track.times.push_back(static_cast<float>(k) / 5);
      const Quatf q = from_axis_angle(Vec3f{1, 0, 0}, 1.1f * std::sin(0.6f * static_cast<float>(k)));
      track.values.insert(track.values.end(), {q.x, q.y, q.z, q.w});
    }
    clip.tracks.push_back(std::move(track));
    character.clips.push_back(std::move(clip));
    EXPECT_TRUE(save(model, character).ok());
    character = load(model)->character();  // as the command sees it
    EXPECT_TRUE(save_examples(examples, sleeve_examples(character, poses)).ok());
  }
  CommandResult fit(const std::string& options = "") const {
    return run(cli + " fit " + model.string() + " --examples " + examples.string() + " -o " + out.string() + " " +
               options);
  }
  Json facts(const std::string& options = "") const {
    const CommandResult result = fit(options + " --json");
    EXPECT_EQ(result.exit_code, 0) << result.err << result.out;
    return Json::parse(result.out);
  }
};

/// The first line that is told as an error.
std::string complaint(const CommandResult& result) {
  EXPECT_EQ(result.exit_code, 2) << result.out;
  return result.err;
}

TEST(Fit, ReadsBackToTheLastBit) {
  const Sleeve s;
  ASSERT_EQ(s.facts()["modes_chosen_by"], "the error of examples left out");
  const ExampleSet set = *load_examples(s.examples);
  // The same training, kept in memory.
  Character fitted = s.character;
  const auto trainer = learn::KernelTrainer::make(set, s.character, 0);
  ASSERT_TRUE(trainer.ok());
  const learn::EigenSkin skin = trainer->skin(trainer->enough());
  learn::AttachOptions options;
  for (int i = 0; i <= 60; ++i)
    options.poses.push_back(s.character.at(s.character.clips[0], 2.0f * static_cast<float>(i) / 60));
  const std::size_t part = 0;
  learn::attach(skin, set, fitted, std::span(&part, 1), options);
  const auto loaded = load(s.out);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_EQ(loaded->character().drivers, fitted.drivers);
  Skin ours = Skin::make(fitted).value(), theirs = Skin::make(loaded->character()).value();
  for (std::size_t i = 0; i < set.size(); ++i) {
    Pose pose = set.pose(i);
    pose.morph_weights = fitted.morph_weights;
    ASSERT_TRUE(ours.evaluate(pose).ok() && theirs.evaluate(pose).ok());
    ASSERT_TRUE(same_bits(ours.positions(), theirs.positions())) << set.examples[i].name;
    ASSERT_TRUE(same_bits(ours.normals(), theirs.normals())) << set.examples[i].name;
  }
}

TEST(Fit, ErrorsAreThoseOfTheFile) {
  const Sleeve s;
  const Json facts = s.facts();
  const ExampleSet set = *load_examples(s.examples);
  const auto loaded = load(s.out);
  Skin skin = Skin::make(loaded->character()).value(), blend = Skin::make(s.character).value();
  double squared = 0, blend_squared = 0;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set.examples[i].role != Role::train) continue;
    Pose pose = set.pose(i), plain = pose;
    pose.morph_weights = loaded->character().morph_weights;
    ASSERT_TRUE(skin.evaluate(pose).ok() && blend.evaluate(plain).ok());
    for (std::size_t v = 0; v < set.vertices(); ++v) {
      squared += squared_length(Vec3d(skin.positions()[v]) - Vec3d(set.positions_of(i)[v]));
      blend_squared += squared_length(Vec3d(blend.positions()[v]) - Vec3d(set.positions_of(i)[v]));
    }
  }
  EXPECT_NEAR(facts["errors"]["train"]["relative"].get<double>(), std::sqrt(squared / blend_squared), 1e-6);
  EXPECT_LT(facts["errors"]["train"]["relative"], 0.1);
  EXPECT_LT(facts["errors"]["held_out_single"]["relative"], 0.15);
  EXPECT_EQ(facts["still_joints"], Json::array({"root"}));
  EXPECT_GT(facts["size"]["times_smaller"], 0);
}

/// Two poses that were held out bulge where those that are learnt from are dented, and the other way round.
TEST(Fit, SaysInWhichPosesItIsWorseThanLinearBlend) {
  const Sleeve s;
  ExampleSet set = *load_examples(s.examples);
  Skin blend = Skin::make(s.character).value();
  std::vector<Vec3f> positions(set.positions.begin(), set.positions.end());
  std::vector<std::string> turned;
  for (std::size_t i = 0; i < set.size() && turned.size() < 2; ++i) {
    if (set.examples[i].role != Role::test) continue;
    turned.push_back(set.examples[i].name);
    ASSERT_TRUE(blend.evaluate(set.pose(i)).ok());
    for (std::size_t v = 0; v < set.vertices(); ++v) {
      Vec3f& p = positions[i * set.vertices() + v];
      p = blend.positions()[v] * 2 - p;
    }
  }
  set.positions = positions;
  ASSERT_TRUE(save_examples(s.examples, set).ok());
  for (const char* method : {"kernel", "eigenskin-2002"}) {
    const Json facts = s.facts(std::string("--method ") + method);
    const Json& errors = facts["errors"];
    EXPECT_EQ(errors["train"]["worse_examples"], 0) << method;
    EXPECT_EQ(errors["held_out_single"]["worse_examples"], 2) << method;
    EXPECT_NEAR(errors["held_out_single"]["worst_relative"], 2, 0.15) << method;  // what was learnt is nearly the truth
    const std::string worst = errors["held_out_single"]["worst_example"];
    EXPECT_NE(std::ranges::find(turned, worst), turned.end());
    const std::string told = facts["warnings"].dump();
    EXPECT_NE(told.find("in 2 of 4 the skin is farther from the example than linear blend"), std::string::npos) << told;
    EXPECT_NE(told.find("'" + worst + "'"), std::string::npos) << told;
  }
}

TEST(Fit, KeepsAsMuchAsItIsTold) {
  const Sleeve s;
  EXPECT_EQ(s.facts("--method eigenskin-2002 --modes 1")["targets"], 2);
  EXPECT_EQ(s.facts("--method eigenskin-2002 --modes 1 --normals own")["targets"], 4);
  EXPECT_EQ(s.facts("--targets 3")["targets"], 3);
  EXPECT_LE(s.facts("--budget 1")["cost"]["position_modes_per_vertex_most"], 1);
  const Json rough = s.facts("--error 0.5"), fine = s.facts("--error 0.05");
  EXPECT_LE(rough["errors"]["train"]["relative"], 0.5);
  EXPECT_LE(fine["errors"]["train"]["relative"], 0.06);
  EXPECT_LT(rough["targets"], fine["targets"]);
  EXPECT_EQ(
      s.facts("--method eigenskin-2002 --targets 3 --normals own --for-engine bevy --weights signed --hard-support "
              "--support 0.04 "
              "--allocation equal --kernel gaussian --radius 2 --swing-twist --refine-weights")["targets"],
      2);  // one mode, and one of the normals: three is odd
}

TEST(Fit, ClipsAndStillPosesPlayWithoutDrivers) {
  const Sleeve s;
  ASSERT_EQ(s.fit("--pose 'bent=elbow.flexion=50,wrist.abduction=20'").exit_code, 0);
  const auto loaded = load(s.out);
  const Character& c = loaded->character();
  ASSERT_EQ(c.clips.size(), 2u);
  EXPECT_EQ(c.clips[1].name, "bent");
  Skin live = Skin::make(c).value(), baked = Skin::make(c, Blend::linear, Layers::as_given()).value();
  double worst = 0;
  for (std::size_t clip = 0; clip < 2; ++clip)
    for (int i = 0; i <= 40; ++i) {
      const Pose pose = c.at(c.clips[clip], c.clips[clip].duration() * static_cast<float>(i) / 40);
      ASSERT_TRUE(live.evaluate(pose).ok() && baked.evaluate(pose).ok());
      for (std::size_t v = 0; v < live.positions().size(); ++v)
        worst = std::max(worst, double{length(live.positions()[v] - baked.positions()[v])});
      for (const float w : pose.morph_weights) {
        EXPECT_GE(w, 0);
        EXPECT_LE(w, 1);
      }
    }
  EXPECT_LT(worst, 1e-4);  // of 1 m: weights are baked to 5e-4, offsets are centimetres
  // A second fit replaces the first.
  const fs::path again = s.work / "again.glb";
  const CommandResult second =
      run(cli + " fit " + s.out.string() + " --examples " + s.examples.string() + " -o " + again.string());
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_NE(second.err.find("has drivers; what is learnt takes the place of that"), std::string::npos);
  EXPECT_EQ(load(again)->character().parts[0].morphs.size(), c.parts[0].morphs.size());
}

TEST(Fit, ClipsWithoutNamesStayApart) {
  const Sleeve s;
  Character c = s.character;
  c.clips[0].name = "";
  c.clips.push_back(c.clips[0]);
  c.clips[1].tracks.push_back(c.clips[1].tracks[0]);
  c.clips[1].tracks[1].target = 2;  // the wrist too
  gltf::Document two = *gltf::to_document(c);
  // Written by hand: two animations of one name, or none, are put by nobody else.
  two.root["animations"] = Json::array();
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_TRUE(gltf::put_clip(two, c.clips[i], gltf::places_of(*gltf::to_character(two)), i).ok());
  }
  ASSERT_TRUE(gltf::write_document(s.model, two).ok());
  ASSERT_EQ(s.fit().exit_code, 0);
  const auto loaded = load(s.out);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  ASSERT_EQ(loaded->character().clips.size(), 2u);
  EXPECT_EQ(loaded->character().clips[0].tracks.size(), 2u);  // its own, and the weights
  EXPECT_EQ(loaded->character().clips[1].tracks.size(), 3u);
  EXPECT_NE(complaint(s.fit("--report " + s.out.string())).find("is the output file"), std::string::npos);
}

TEST(Fit, SaysWhatIsWrongWithTheExamples) {
  {
    const Sleeve same({{"one", 0.5f}, {"other", 0.5f}});
    const std::string text = complaint(same.fit("--method eigenskin-2002"));
    EXPECT_NE(text.find("'one' and 'other'"), std::string::npos) << text;
    EXPECT_NE(text.find("'elbow'"), std::string::npos) << text;
    EXPECT_FALSE(fs::exists(same.out));
    EXPECT_EQ(same.fit().exit_code, 0) << "repeated poses are one to the kernel";
  }
  {
    const Sleeve one({{"bent", 0.8f}});
    const CommandResult result = one.fit();
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.err.find("one training example only"), std::string::npos) << result.err;
    EXPECT_NE(result.out.find("no example moves"), std::string::npos) << result.out;
  }
  const Sleeve s;
  {
    const fs::path limb = s.work / "limb.glb";
    ASSERT_EQ(run(cli + " make limb -o " + limb.string()).exit_code, 0);
    const std::string text =
        complaint(run(cli + " fit " + limb.string() + " --examples " + s.examples.string() + " -o " + s.out.string()));
    EXPECT_NE(text.find(s.examples.string()), std::string::npos) << text;
  }
  {
    Character finer = s.character;  // the same joints, one vertex more
    finer.parts[0].mesh.positions.push_back({});
    finer.parts[0].mesh.normals.push_back({0, 1, 0});
    const Influence whole{0, 1};
    finer.parts[0].weights.push_vertex({&whole, 1});
    finer.parts[0].mesh.triangles.push_back({0, 1, 360});
    const fs::path file = s.work / "finer.glb";
    ASSERT_TRUE(save(file, finer).ok());
    const std::string text =
        complaint(run(cli + " fit " + file.string() + " --examples " + s.examples.string() + " -o " + s.out.string()));
    EXPECT_NE(text.find("360"), std::string::npos) << text;
    EXPECT_NE(text.find("361"), std::string::npos) << text;
  }
  {
    const std::string text = complaint(s.fit("--pose 'x=elbwo.flexion=10'"));
    EXPECT_NE(text.find("elbow"), std::string::npos) << text;  // the nearest name
  }
  EXPECT_NE(complaint(s.fit("--pose nothing")).find("NAME="), std::string::npos);
  EXPECT_NE(complaint(s.fit("--part skni")).find("skin"), std::string::npos);
  {
    std::fstream file(s.examples / "positions.npy", std::ios::in | std::ios::out | std::ios::binary);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    file.seekp(-4, std::ios::end);
    file.write(reinterpret_cast<const char*>(&nan), 4);
  }
  {
    const std::string text = complaint(s.fit());
    EXPECT_NE(text.find("vertex 359"), std::string::npos) << text;
    EXPECT_NE(text.find("not finite"), std::string::npos) << text;
  }
  fs::remove(s.examples / "rest_positions.npy");
  EXPECT_NE(complaint(s.fit()).find("rest_positions.npy"), std::string::npos);
  fs::remove(s.examples / "examples.json");
  EXPECT_NE(complaint(s.fit()).find("examples.json"), std::string::npos);
  EXPECT_FALSE(fs::exists(s.out));
}

/// The chain on a small hand: simulated examples, fit, and what other programs make of the file.
TEST(Fit, ASimulatedHandPlaysTheSameInOtherEngines) {
  const ScratchFolder work;
  const fs::path hand = work / "hand.glb", examples = work / "examples", out = work / "skin.glb";
  ASSERT_EQ(run(cli + " make hand --vertices 1500 -o " + hand.string()).exit_code, 0);
  const CommandResult simulated = run(
      cli + " simulate " + hand.string() + " -o " + examples.string() +
      " --size 10 --no-pictures --random 2 --joints index-finger-phalanx-proximal,index-finger-phalanx-intermediate");
  ASSERT_EQ(simulated.exit_code, 0) << simulated.err;
  const CommandResult fitted = run(cli + " fit " + hand.string() + " --examples " + examples.string() + " -o " +
                                   out.string() + " --for-engine bevy --json");
  ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
  const Json facts = Json::parse(fitted.out);
  EXPECT_LT(facts["errors"]["train"]["relative"], 0.3);
  EXPECT_LE(facts["targets"], 64);
  EXPECT_TRUE(facts["engines"]["bevy"].empty());
  EXPECT_FALSE(facts["still_joints"].empty());
  if (missing_package("gltf-validator").empty()) {
    const Json report = validator_report({out});
    EXPECT_EQ(report[out.string()]["errors"], 0) << report.dump(1);
    EXPECT_EQ(report[out.string()]["warnings"], 0) << report.dump(1);
  }
  // At keys of the clip, 30 a second: between them Blender does not follow the arc that glTF prescribes for rotations.
  for (const Engine engine : {Engine::three, Engine::babylon, Engine::blender})
    if (missing_engine(engine).empty()) {
      EXPECT_LE(difference_from(engine, out, "0", {0, 0.5f, 1, 1.7f, 2.5f}), 1e-5);
    }
}

/// Sculpt-like examples of a character that nobody here made: another deformer (dual quaternions) moves its skin.
TEST(Fit, LearnsAFoxFromAnotherDeformer) {
  const fs::path fox = shared_data("gltf_khronos/Fox.glb");
  SUPPLE_REQUIRE_DATA(fox);
  const auto loaded = load(fox);
  ASSERT_TRUE(loaded.ok());
  const Character& c = loaded->character();
  Skin sculpt = Skin::make(c, Blend::dual_quaternion).value();
  const ScratchFolder work;
  const auto part = find_part(c);
  auto writer = ExampleWriter::create(work / "examples", subject_of(c, *part, "dual quaternions"));
  ASSERT_TRUE(writer.ok()) << writer.error().message();
  std::size_t moved = 0;
  for (JointIndex j = 0; j < c.skeleton.size() && moved < 6; ++j) {
    const std::string& name = c.skeleton.name(j);
    if (name.find("Tail") == std::string::npos && name.find("Neck") == std::string::npos &&
        name.find("Head") == std::string::npos)
      continue;
    ++moved;
    for (const float angle : {-1.0f, -0.5f, 0.5f, 1.0f, 0.75f}) {
      Pose pose = c.rest();
      pose.local[j].rotation = pose.local[j].rotation * from_axis_angle(Vec3f{0, 0, 1}, angle);
      ASSERT_TRUE(sculpt.evaluate(pose).ok());
      const Example example{
          name + " " + std::to_string(angle), "", angle == 0.75f ? Role::test : Role::train, {}, 1, 0, {}};
      const auto added = writer->add(example, pose, sculpt.positions(*part), sculpt.normals(*part));
      ASSERT_TRUE(added.ok()) << added.error().message();
    }
  }
  ASSERT_GE(moved, 3u);
  ASSERT_TRUE(writer->finish().ok());
  const fs::path out = work / "fox.glb";
  const CommandResult fitted = run(cli + " fit " + fox.string() + " --examples " + (work / "examples").string() +
                                   " -o " + out.string() + " --json");
  ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
  const Json facts = Json::parse(fitted.out);
  std::printf("fox: %s of linear blend's error on training, %s on held-out poses, %s targets\n",
              facts["errors"]["train"]["relative"].dump().c_str(),
              facts["errors"]["held_out_single"]["relative"].dump().c_str(), facts["targets"].dump().c_str());
  EXPECT_LT(facts["errors"]["train"]["relative"], 0.15);
  EXPECT_LT(facts["errors"]["held_out_single"]["relative"], 0.15);
  // Three clips of the file got weights.
  const auto skin = load(out);
  ASSERT_TRUE(skin.ok());
  EXPECT_EQ(skin->character().clips.size(), c.clips.size());
  if (missing_package("gltf-validator").empty()) {
    const Json before = validator_report({fox}), after = validator_report({out});
    EXPECT_EQ(after[out.string()]["errors"], 0) << after.dump(1);
    EXPECT_LE(after[out.string()]["warnings"], before[fox.string()]["warnings"]) << after.dump(1);
  }
}

/// A hand of another house: no bones in the file, no limits, one mesh.
TEST(Fit, LearnsAHandThatIsNotOurs) {
  const fs::path hand = shared_data("godot_xr_hands/Hand_low_L.gltf");
  SUPPLE_REQUIRE_DATA(hand);
  const ScratchFolder work;
  const fs::path examples = work / "examples", out = work / "skin.glb";
  const CommandResult simulated = run(cli + " simulate " + hand.string() + " -o " + examples.string() +
                                      " --joints Index_Proximal_L --range 40 --per-dof 4 --size 12 --random 0"
                                      " --no-pictures");
  ASSERT_EQ(simulated.exit_code, 0) << simulated.err;
  const CommandResult fitted = run(cli + " fit " + hand.string() + " --examples " + examples.string() + " -o " +
                                   out.string() + " --pose point=Index_Proximal_L.x=30 --json");
  ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
  const Json facts = Json::parse(fitted.out);
  EXPECT_LT(facts["errors"]["train"]["relative"], 0.3);
  const auto loaded = load(out);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_NE(loaded->character().find_clip("point"), nullptr);
  if (missing_package("gltf-validator").empty()) {
    const Json before = validator_report({hand}), after = validator_report({out});
    EXPECT_EQ(after[out.string()]["errors"], 0) << after.dump(1);
    EXPECT_LE(after[out.string()]["warnings"], before[hand.string()]["warnings"]) << after.dump(1);
  }
}

}  // namespace
}  // namespace supple::test
