// Morph targets put into documents whose meshes are drawn by several nodes.
#include "supple/files/gltf/edit_morphs.h"

#include <gtest/gtest.h>

#include "files/gltf_support.h"
#include "supple/files/load.h"
#include "supple/make/limb.h"

namespace supple::test {
namespace {

/// Two characters drawn from one mesh: a target that one of them gains is not the other's.
TEST(OwnMeshes, OfNodesThatShareOneWithTheirSkins) {
  const Character c = *make::make_limb({.vertices = 200});
  gltf::Document d = *gltf::to_document(c);
  const std::size_t node = [&] {
    std::size_t n = 0;
    while (!d.root["nodes"][n].contains("mesh")) ++n;
    return n;
  }();
  Json second = d.root["nodes"][node];
  second.erase("children");
  d.root["scenes"][0]["nodes"].push_back(d.root["nodes"].size());
  d.root["nodes"].push_back(second);
  auto imported = gltf::to_character(d);
  ASSERT_TRUE(imported) << imported.error().message();
  ASSERT_EQ(imported->character.parts.size(), 2u);
  EXPECT_FALSE(gltf::surfaces_of_mesh(*imported, 0));
  gltf::give_meshes_of_their_own(d, *imported);
  ASSERT_EQ(d.root["meshes"].size(), 2u);
  EXPECT_EQ(*gltf::surfaces_of_mesh(*imported, 0), std::vector<std::size_t>{0});
  EXPECT_EQ(*gltf::surfaces_of_mesh(*imported, 1), std::vector<std::size_t>{1});
  Part& gains = imported->character.parts[1];
  gains.morphs = {MorphTarget{"target", {3}, {{0.01f, 0, 0}}, {}, {}}};
  imported->character.morph_weights = {0};
  const std::size_t changed = 1;
  ASSERT_TRUE(gltf::put_morphs(d, *imported, std::span(&changed, 1)));
  const auto again = gltf::to_character(d);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_TRUE(again->character.parts[0].morphs.empty());
  ASSERT_EQ(again->character.parts[1].morphs.size(), 1u);
  EXPECT_EQ(again->character.parts[0].mesh.positions, c.parts[0].mesh.positions);
  gltf::Document once = *gltf::to_document(c);
  auto alone = gltf::to_character(once);
  gltf::give_meshes_of_their_own(once, *alone);
  EXPECT_EQ(once.root["meshes"].size(), 1u);
}

}  // namespace
}  // namespace supple::test
