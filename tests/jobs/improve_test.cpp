// The main job in one call: better where it can, an honest answer where it cannot.
#include "supple/workflow/jobs/improve/improve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "jobs/made_limb.h"
#include "supple/workflow/jobs/simulate/taught_parts.h"

namespace supple::test {
namespace {

using namespace workflow;

/// The limb as an arm is: each joint bends one way, by less than a right angle.
struct Arm : MadeLimb {
  explicit Arm(std::size_t vertices = 800) : MadeLimb(vertices) {
    Character arm = before();
    for (JointIndex j = 0; j < arm.skeleton.size(); ++j)
      if (!arm.skeleton.dofs(j).empty()) arm.skeleton.set_dofs(j, {{"flexion", {1, 0, 0}, 0, 1.3f}});
    EXPECT_TRUE(save(file, arm));
  }
};

ImproveOptions quickly(const MadeLimb& limb) {
  ImproveOptions options;
  options.input = limb.file;
  options.output = limb.out;
  options.effort = Effort::quick;
  return options;
}

TEST(Improve, MakesALimbKeepItsVolume) {
  const Arm limb;
  Work work;
  double furthest = 0;
  work.progress = [&](std::string_view, double fraction) {
    EXPECT_GE(fraction, furthest);
    furthest = fraction;
    return true;
  };
  const auto improved = improve(quickly(limb), work);
  ASSERT_TRUE(improved) << improved.error().message();
  ASSERT_EQ(improved->verdict, Verdict::better) << improved->reason;
  EXPECT_EQ(improved->plan.source, LimitSource::rig);
  EXPECT_EQ(improved->teacher, "lattice");
  EXPECT_EQ(furthest, 1);
  EXPECT_GE(improved->gain().volume, better_volume);
  EXPECT_FALSE(improved->seen.bad());
  // What flesh does at a bend is learnt but for a part: a third is far more than what was ever seen left.
  EXPECT_LT(held_out_error(*improved->fit), 0.35);
  const SkinComparison& c = improved->comparison;
  ASSERT_TRUE(c.closed);
  EXPECT_LT(c.mean_volume(&ComparedPose::after), 0.5 * c.mean_volume(&ComparedPose::before));
  EXPECT_EQ(limb.after().drivers.size(), improved->fit->model.character().drivers.size());
  EXPECT_FALSE(limb.after().parts[0].morphs.empty());
}

TEST(Improve, ASecondCallGoesOnFromTheExamplesOfTheFirst) {
  const Arm limb;
  Work work;
  const auto first = improve(quickly(limb), work);
  const auto second = improve(quickly(limb), work);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(held_out_error(*first->fit), held_out_error(*second->fit));
}

TEST(Improve, TakesAnyDeformerThatTeaches) {
  const Arm limb;
  Work work;
  ImproveOptions options = quickly(limb);
  options.teacher = "kinodynamics";
  const auto improved = improve(options, work);
  ASSERT_TRUE(improved) << improved.error().message();
  EXPECT_EQ(improved->teacher, "kinodynamics");
  // It keeps volume, and pays with a little stretching.
  EXPECT_NE(improved->verdict, Verdict::no_help) << improved->reason;
  EXPECT_GE(improved->gain().volume, better_volume);
}

/// Says in every fifth record of simulated flesh that its solve did not converge.
void spoil_some_records(const std::filesystem::path& folder) {
  constexpr std::streamoff place_of_converged = 4 * sizeof(std::uint64_t);  // after magic, key, nodes and steps
  std::vector<std::filesystem::path> records;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) records.push_back(entry.path());
  std::ranges::sort(records);
  for (std::size_t r = 0; r < records.size(); r += 5) {
    std::fstream file(records[r], std::ios::in | std::ios::out | std::ios::binary);
    std::uint64_t converged = 0;
    file.seekg(place_of_converged).read(reinterpret_cast<char*>(&converged), sizeof converged);
    ASSERT_EQ(converged, 1u);
    converged = 0;
    file.seekp(place_of_converged).write(reinterpret_cast<const char*>(&converged), sizeof converged);
  }
}

TEST(Improve, HeldOutPosesInWhichTheTeacherFailedAreCountedAndNotMeasured) {
  const Arm limb(400);
  Work work;
  ImproveOptions options = quickly(limb);
  options.teacher = "tissue";
  const auto whole = improve(options, work);
  ASSERT_TRUE(whole && whole->fit) << (whole ? whole->reason : whole.error().message());
  EXPECT_EQ(whole->held_out_without_teacher, 0u);
  EXPECT_EQ(held_out_poses(*whole->fit), whole->plan.held_out);
  spoil_some_records(limb.work / "out-work" / "tissue" / "work");
  const auto spoilt = improve(options, work);
  ASSERT_TRUE(spoilt && spoilt->fit) << (spoilt ? spoilt->reason : spoilt.error().message());
  const ExampleSet& set = spoilt->fit->set;
  std::size_t failed = 0, failed_test = 0;
  for (const Example& example : set.examples) {
    const bool flagged = std::ranges::find(example.flags, "unconverged") != example.flags.end();
    failed += flagged;
    failed_test += flagged && example.role == Role::test;
  }
  ASSERT_GT(failed_test, 0u);
  EXPECT_EQ(spoilt->held_out_without_teacher, failed_test);
  EXPECT_EQ(held_out_poses(*spoilt->fit), spoilt->plan.held_out - failed_test);
  const auto says = [&](const std::string& words) {
    return std::ranges::any_of(spoilt->choices,
                               [&](const std::string& choice) { return choice.find(words) != std::string::npos; });
  };
  EXPECT_TRUE(says(std::to_string(failed_test) + " of " + std::to_string(spoilt->plan.held_out) + " held-out poses"));
  EXPECT_TRUE(says("went wrong in " + std::to_string(failed) + " of " + std::to_string(set.size()) + " poses"));
}

TEST(Improve, SaysThatAMachineHasNothingToImprove) {
  const Arm limb;
  Character rigid = limb.before();
  for (Part& part : rigid.parts) part.weights = top_influences(part.weights, 1);
  ASSERT_TRUE(save(limb.file, rigid));
  Work work;
  const auto improved = improve(quickly(limb), work);
  ASSERT_TRUE(improved) << improved.error().message();
  EXPECT_EQ(improved->verdict, Verdict::no_help);
  EXPECT_NE(improved->reason.find("nothing to improve"), std::string::npos) << improved->reason;
  EXPECT_FALSE(std::filesystem::exists(limb.out));
}

TEST(Improve, TissueThatCannotBeMeshedIsNoHelp) {
  const Arm limb;
  Character inside_out = limb.before();
  for (Triangle& t : inside_out.parts[0].mesh.triangles) std::swap(t[0], t[1]);
  ASSERT_TRUE(save(limb.file, inside_out));
  Work work;
  ImproveOptions options = quickly(limb);
  options.teacher = "tissue";
  const auto improved = improve(options, work);
  ASSERT_TRUE(improved) << improved.error().message();
  EXPECT_EQ(improved->verdict, Verdict::no_help);
  ASSERT_FALSE(improved->choices.empty());
  EXPECT_NE(improved->choices[0].find("inside out"), std::string::npos) << improved->choices[0];
  EXPECT_FALSE(std::filesystem::exists(limb.out));
}

TEST(Improve, TheLatticeTeachesWhereBonesCannotHoldTissue) {
  // The surface of a bone is all that tissue asks for, but the skin about it is inside out.
  const Arm limb;
  Character inside_out = limb.before();
  for (Triangle& t : inside_out.parts[0].mesh.triangles) std::swap(t[0], t[1]);
  Part bone = inside_out.parts[0];
  bone.name = bones_part_name;
  bone.node = inside_out.skeleton.append(bones_part_name, no_joint);
  for (Vec3f& p : bone.mesh.positions) p.x *= 0.3f, p.z *= 0.3f;
  bone.weights = top_influences(bone.weights, 1);
  inside_out.parts.push_back(bone);
  ASSERT_TRUE(save(limb.file, inside_out));
  Work work;
  const auto improved = improve(quickly(limb), work);
  ASSERT_TRUE(improved) << improved.error().message();
  EXPECT_EQ(improved->teacher, "lattice") << improved->reason;
  ASSERT_FALSE(improved->choices.empty());
  EXPECT_NE(improved->choices[0].find("Simulated tissue does not help"), std::string::npos) << improved->choices[0];
}

TEST(Improve, FleshMaySwingBesides) {
  const Arm limb(2000);
  Work work;
  ImproveOptions options = quickly(limb);
  options.teacher = "kinodynamics";
  options.flesh = true;
  const auto improved = improve(options, work);
  ASSERT_TRUE(improved) << improved.error().message();
  EXPECT_FALSE(limb.after().flesh.empty());
  EXPECT_FALSE(limb.after().drivers.empty());
}

TEST(Improve, StoppedItLeavesNoOutput) {
  const Arm limb;
  Work work;
  bool stop = false;
  work.progress = [&](std::string_view, double fraction) { return !(stop = stop || fraction > 0.1); };
  work.asked_to_stop = [&] { return stop; };
  const auto improved = improve(quickly(limb), work);
  ASSERT_FALSE(improved);
  EXPECT_TRUE(mentions(improved.error(), "stopped")) << improved.error().message();
  EXPECT_FALSE(std::filesystem::exists(limb.out));
}

TEST(Improve, RefusesToOverwriteWhatItReads) {
  const Arm limb;
  Work work;
  ImproveOptions options = quickly(limb);
  options.output = options.input;
  const auto improved = improve(options, work);
  ASSERT_FALSE(improved);
  EXPECT_TRUE(mentions(improved.error(), "is the input")) << improved.error().message();
}

}  // namespace
}  // namespace supple::test
