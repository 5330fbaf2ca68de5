// Real files load, survive a round trip, and can be rebuilt from the character alone.
#include <gtest/gtest.h>

#include "files/gltf_support.h"
#include "support/shared_data.h"

namespace supple::test {
namespace {

std::vector<std::filesystem::path> sample_files() {
  std::vector<std::filesystem::path> files;
  for (const auto folder : {"gltf_khronos", "godot_xr_hands"}) {
    if (!std::filesystem::exists(shared_data(folder))) continue;
    for (const auto& entry : std::filesystem::directory_iterator(shared_data(folder))) {
      const auto extension = entry.path().extension();
      if (extension == ".glb" || extension == ".gltf") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The tree without the places of data, which saving may change, but with how many there are.
Json without_places(Json root) {
  root.erase("buffers");
  root["bufferViews"] = root.contains("bufferViews") ? root["bufferViews"].size() : 0;
  return root;
}

TEST(GltfFiles, RoundTrip) {
  SUPPLE_REQUIRE_DATA(shared_data("gltf_khronos"));
  TemporaryFolder folder;
  const auto files = sample_files();
  std::size_t accessors = 0;
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename().string());
    const auto original = gltf::read_document(file);
    ASSERT_TRUE(original) << original.error().message();
    Warnings warnings;
    const auto character = gltf::to_character(*original, &warnings);
    ASSERT_TRUE(character) << character.error().message();
    EXPECT_FALSE(character->character.parts.empty());
    for (const auto name : {"again.glb", "again.gltf"}) {
      ASSERT_TRUE(gltf::write_document(folder / name, *original));
      const auto again = gltf::read_document(folder / name);
      ASSERT_TRUE(again) << again.error().message();
      EXPECT_EQ(without_places(original->root), without_places(again->root));
      for (std::size_t a = 0; a < gltf::count(original->root, "accessors"); ++a, ++accessors) {
        ASSERT_EQ(gltf::read_floats(*original, a), gltf::read_floats(*again, a)) << "accessors[" << a << "]";
      }
      const auto character_again = gltf::to_character(*again);
      ASSERT_TRUE(character_again);
      expect_same(character->character, character_again->character);
      // Saving what was saved changes nothing more.
      const auto first = gltf::to_glb(*again), second = gltf::to_glb(gltf::compacted(*again));
      EXPECT_TRUE(*first == *second);
    }
  }
  std::printf("%zu files, %zu accessors compared\n", files.size(), accessors);
  EXPECT_GE(files.size(), 18u);
  EXPECT_GE(accessors, 4000u);
}

TEST(GltfFiles, RebuiltFromTheCharacter) {
  SUPPLE_REQUIRE_DATA(shared_data("gltf_khronos"));
  for (const auto& file : sample_files()) {
    SCOPED_TRACE(file.filename().string());
    const auto original = gltf::to_character(*gltf::read_document(file));
    ASSERT_TRUE(original) << original.error().message();
    const auto document = gltf::to_document(original->character);
    ASSERT_TRUE(document) << document.error().message();
    const auto checked = gltf::parse_document(*gltf::to_glb(*document), "rebuilt.glb");
    ASSERT_TRUE(checked) << checked.error().message();
    const auto again = gltf::to_character(*checked);
    ASSERT_TRUE(again) << again.error().message();
    expect_same(original->character, again->character);
  }
}

TEST(GltfFiles, KnownCounts) {
  SUPPLE_REQUIRE_DATA(shared_data("gltf_khronos"));
  const auto man = gltf::to_character(*gltf::read_document(shared_data("gltf_khronos/CesiumMan.glb")));
  ASSERT_TRUE(man);
  EXPECT_EQ(man->character.skeleton.size(), 22u);
  EXPECT_EQ(man->character.skins.at(0).joints.size(), 19u);
  EXPECT_EQ(man->character.parts.at(0).mesh.positions.size(), 3273u);
  EXPECT_EQ(man->character.parts.at(0).mesh.triangles.size(), 4672u);
  EXPECT_NEAR(man->character.clips.at(0).end(), 2.0, 1e-6);
  const auto skeletons = gltf::to_character(*gltf::read_document(shared_data("gltf_khronos/RecursiveSkeletons.glb")));
  ASSERT_TRUE(skeletons);
  EXPECT_EQ(skeletons->character.skins.size(), 84u);
  EXPECT_EQ(skeletons->character.parts.size(), 84u);
  const auto suzanne = gltf::to_character(*gltf::read_document(shared_data("gltf_khronos/SuzanneMorphSparse.glb")));
  ASSERT_TRUE(suzanne);
  ASSERT_FALSE(suzanne->character.parts.at(0).morphs.empty());
  for (const MorphTarget& morph : suzanne->character.parts[0].morphs) {
    EXPECT_FALSE(morph.vertices.empty()) << "a sparse accessor gives a sparse target";
    EXPECT_EQ(morph.positions.size(), morph.vertices.size());
  }
}

}  // namespace
}  // namespace supple::test
