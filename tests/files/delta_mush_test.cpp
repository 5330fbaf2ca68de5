// Delta mush in files: it comes back, what is wrong with it is named, and it goes without a trace.
#include "supple/files/gltf/deformers.h"

#include <gtest/gtest.h>

#include <functional>

#include "supple/files/gltf/read.h"
#include "supple/files/gltf/write.h"
#include "support/pose_space_arm.h"

namespace supple::test {
namespace {

Character smoothed_arm() {
  Character c = pose_space_arm();
  c.pose_space.reset();
  c.delta_mush = {{.part = 0, .iterations = 17, .strength = 0.3f, .keep_borders = false}};
  return c;
}

TEST(DeltaMushFiles, ComesBackAndGoes) {
  const Character c = smoothed_arm();
  gltf::Document document = gltf::to_document(c).value();
  auto read = gltf::to_character(document);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->character.delta_mush, c.delta_mush);
  Character plain = c;
  plain.delta_mush.clear();
  read->character.delta_mush.clear();
  ASSERT_TRUE(gltf::put_deformer(document, delta_mush_kind, *read));
  EXPECT_EQ(document.root.dump(), gltf::to_document(plain)->root.dump());
}

TEST(DeltaMushFiles, WhatIsMalformedIsNamed) {
  const gltf::Document good = gltf::to_document(smoothed_arm()).value();
  struct Case {
    const char* message;
    std::function<void(Json&)> spoil;  // the list
  };
  const Case cases[] = {
      {"deltaMush[0].node", [](Json& m) { m[0]["node"] = 99; }},
      {"deltaMush[0].primitive", [](Json& m) { m[0]["primitive"] = 3; }},
      {"has 0 iterations", [](Json& m) { m[0]["iterations"] = 0; }},
      {"iterations", [](Json& m) { m[0]["iterations"] = 4294967301; }},  // 5 in 32 bits
      {"strength", [](Json& m) { m[0]["strength"] = 2; }},
      {"deltaMush[1]", [](Json& m) { m.push_back(Json(m[0])); }},
  };
  for (const Case& wrong : cases) {
    gltf::Document document = good;
    wrong.spoil(document.root["extensions"]["SUPPLE_deformers"]["deltaMush"]);
    const auto strict = gltf::to_character(document, nullptr, {.strict = true});
    ASSERT_FALSE(strict) << wrong.message;
    EXPECT_NE(strict.error().message().find(wrong.message), std::string::npos) << strict.error().message();
    Warnings warnings;
    const auto mended = gltf::to_character(document, &warnings);
    ASSERT_TRUE(mended);
    EXPECT_TRUE(mended->character.delta_mush.empty());
    EXPECT_EQ(warnings.size(), 1u);
  }
}

}  // namespace
}  // namespace supple::test
