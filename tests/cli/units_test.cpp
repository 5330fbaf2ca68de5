// What is told in millimetres of a file in centimetres is what is told of the same character in metres.
#include <gtest/gtest.h>

#include "cli/program.h"
#include "supple/files/json.h"
#include "supple/files/load.h"
#include "supple/make/limb.h"

namespace supple::test {
namespace {

/// The same character, a hundred times as large, that says it is in centimetres.
Character in_centimetres(Character c) {
  for (JointIndex j = 0; j < c.skeleton.size(); ++j) {
    Transformf rest = c.skeleton.rest(j);
    rest.translation = rest.translation * 100.0f;
    c.skeleton.set_rest(j, rest);
  }
  for (SkinBinding& skin : c.skins)
    for (Affinef& bind : skin.inverse_bind) bind.translation = bind.translation * 100.0f;
  for (Part& part : c.parts)
    for (Vec3f& v : part.mesh.positions) v = v * 100.0f;
  for (Clip& clip : c.clips)
    for (Track& track : clip.tracks)
      if (track.channel == Channel::translation)
        for (float& value : track.values) value *= 100;
  c.unit = 0.01;
  return c;
}

struct Told {
  Json simulated, fitted;
};

Told told_of(const ScratchFolder& work, const std::string& name, const Character& c) {
  const std::string file = (work / (name + ".glb")).string(), flesh = (work / (name + "-flesh")).string(),
                    examples = (work / name).string();
  EXPECT_TRUE(save(file, c));
  const CommandResult simulated =
      supple("simulate " + file + " -o " + flesh +
             " --size 40 --joints limb-1 --per-dof 1 --random 0 --between 0 --grips 0 --test-grips 0 --no-pictures");
  EXPECT_EQ(simulated.exit_code, 0) << simulated.err;
  EXPECT_EQ(supple("simulate " + file + " -o " + examples + " --deformer delta-mush --no-pictures").exit_code, 0);
  const CommandResult fitted =
      supple("fit " + file + " --examples " + examples + " -o " + (work / "skin.glb").string() + " --json");
  EXPECT_EQ(fitted.exit_code, 0) << fitted.err;
  return {Json::parse(contents(std::filesystem::path(flesh) / "report.json")), Json::parse(fitted.out)};
}

TEST(Millimetres, AreThoseOfTheWorldWhateverTheFilesUnit) {
  const ScratchFolder work;
  const Character limb = *make::make_limb({.vertices = 400});
  const Told metres = told_of(work, "metres", limb), centimetres = told_of(work, "centimetres", in_centimetres(limb));
  // Floats of 60 round as those of 0.6 do, elsewhere: a few thousandths of what is told.
  const auto expect_same = [](const Json& a, const Json& b, const char* name) {
    ASSERT_TRUE(a.contains(name) && b.contains(name)) << name;
    EXPECT_GT(a[name].get<double>(), 0) << name;
    EXPECT_NEAR(a[name].get<double>(), b[name].get<double>(), 5e-3 * b[name].get<double>()) << name;
  };
  for (const char* name : {"volume_ml", "skin_max_outside_mm", "skin_rms_outside_mm"})
    expect_same(centimetres.simulated["mesh"], metres.simulated["mesh"], name);
  expect_same(centimetres.simulated, metres.simulated, "contact_distance_mm");
  for (const char* name : {"rms_mm", "blend_rms_mm", "largest_mm"})
    expect_same(centimetres.fitted["errors"]["train"], metres.fitted["errors"]["train"], name);
}

}  // namespace
}  // namespace supple::test
