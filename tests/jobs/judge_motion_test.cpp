// A learnt skin in a motion that it was not made for is worse in just the frames in which an eye sees it.
#include "supple/workflow/jobs/judge_motion.h"

#include <fmt/core.h>

#include <algorithm>

#include "jobs/made_limb.h"
#include "supple/author/bake/bake_drivers.h"
#include "supple/base/file.h"
#include "supple/workflow/jobs/convert_file.h"

namespace supple::test {
namespace {

using namespace workflow;

/// A limb of which one vertex at the bend is pulled out by so many metres for each radian that the joint bends.
Character pulled_limb(float metres) {
  Character c = *make::make_limb({.vertices = 500});
  Part& part = c.parts[0];
  std::uint32_t pulled = 0;
  const auto far = [&](std::uint32_t v) { return length(part.mesh.positions[v] - Vec3f{0, 0.2f, -0.05f}); };
  for (std::uint32_t v = 0; v < part.mesh.positions.size(); ++v)
    if (far(v) < far(pulled)) pulled = v;
  MorphTarget target{"target", {pulled}, {{0, 0, metres}}, {}, {}};
  part.morphs = {target};
  MorphDriver driver;
  driver.name = "bend";
  driver.joints = {1};
  driver.reference = {c.skeleton.rest(1).rotation};
  driver.kernel = RbfKernel::linear;  // about rest: the weight is the angle
  driver.centres = {Quatf{}};
  driver.coefficients = {1};
  driver.rest_weights = {0};
  c.drivers = {driver};
  c.morph_weights = {0};
  for (Clip& clip : c.clips) bake_drivers(c, clip);
  EXPECT_TRUE(validate(c)) << validate(c).error().message();
  return c;
}

TEST(JudgeMotion, FindsTheFramesThatAreTorn) {
  const Character c = pulled_limb(0.1f);
  Work work;
  const auto judged = judge_motion(c, 0, work);
  ASSERT_TRUE(judged) << judged.error().message();
  ASSERT_TRUE(*judged);
  const JudgedMotion& found = **judged;
  // The slow way: an edge at the pulled vertex is twice as long as bound, and longer than by linear blend by a fiftieth
  // of the size, as soon as the vertex is out by a length that grows with the angle. The bend rises and falls.
  std::vector<std::size_t> torn;
  for (std::size_t i = 0; i < found.compared.poses.size(); ++i)
    if (found.compared.poses[i].damage.torn > 0) torn.push_back(i);
  ASSERT_GT(torn.size(), 3u);
  ASSERT_LT(torn.size(), found.compared.poses.size());
  EXPECT_TRUE(std::ranges::includes(found.worse, torn));
  double least_torn = 1e9, most_sound = 0;
  for (std::size_t i = 0; i < found.compared.poses.size(); ++i) {
    const double bend =
        angle_between(Quatd(c.skeleton.rest(1).rotation), Quatd(found.compared.poses[i].local[1].rotation));
    if (std::ranges::binary_search(found.worse, i))
      least_torn = std::min(least_torn, bend);
    else
      most_sound = std::max(most_sound, bend);
  }
  EXPECT_LE(most_sound, least_torn);
  EXPECT_TRUE(std::ranges::binary_search(found.worse, found.worst));
  ASSERT_FALSE(work.warnings.empty());
  EXPECT_NE(work.warnings[0].find(found.compared.poses[found.worst].name), std::string::npos) << work.warnings[0];
}

TEST(JudgeMotion, LetsBeWhatNobodySees) {
  Work work;
  const auto judged = judge_motion(pulled_limb(0.0005f), 0, work);
  ASSERT_TRUE(judged && *judged);
  EXPECT_TRUE((*judged)->worse.empty());
  EXPECT_TRUE(work.warnings.empty()) << work.warnings[0];
  // Skin weights alone are linear blend themselves.
  EXPECT_FALSE(*judge_motion(*make::make_limb({.vertices = 500}), 0, work));
}

TEST(ConvertFile, SaysWhereALearntSkinIsWorseInItsMotion) {
  const MadeLimb limb;
  const auto bends = [&](int degrees) {
    const std::string motion = (limb.work / "bend.bvh").string();
    EXPECT_TRUE(write_file(
        motion,
        fmt::format("HIERARCHY\nROOT limb-0\n{{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT "
                    "limb-1\n{{\nOFFSET 0 0.2 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{{\nOFFSET "
                    "0 0.2 0\n}}\n}}\n}}\nMOTION\nFrames: 2\nFrame Time: 0.5\n0 0 0 0 0 0\n0 0 0 0 {} 0\n",
                    degrees)));
    return motion;
  };
  ASSERT_TRUE(save(limb.file, pulled_limb(0.1f)));
  for (const int degrees : {1, 80}) {
    Work work;
    const auto made = convert_file({.input = limb.file, .output = limb.out, .motion = bends(degrees)}, work);
    ASSERT_TRUE(made) << made.error().message();
    ASSERT_TRUE(made->motion->judged);
    EXPECT_EQ(made->motion->judged->compared.poses.size(), 11u);  // twenty a second, and the end
    EXPECT_EQ(made->motion->judged->worse.empty(), degrees == 1);
    const bool told = std::ranges::any_of(work.warnings, [](const std::string& warning) {
      return warning.find("worse than by linear blend") != std::string::npos;
    });
    EXPECT_EQ(told, degrees != 1);
  }
}

}  // namespace
}  // namespace supple::test
