// The skin is what has the bones in it, whatever else was scanned with the hand.
#include "supple/author/scan/extract.h"

#include <gtest/gtest.h>

#include <numbers>

#include "support/scan_volumes.h"
#include "support/shapes.h"

namespace supple::scan {
namespace {

constexpr double voxel = 0.001, limb_radius = 0.010, bone_radius = 0.003, limb_length = 0.030;

/// A finger of flesh and bone over a table of two sheets that is far wider, and more of it by count of samples.
Volume limb_on_table(double density, double sheet, double noise, const std::string& modality,
                     double first_sheet = 0.031) {
  Rng rng(4);
  Volume v = test::sampled_volume({120, 50, 30}, test::lattice(voxel), [&](Vec3d p) {
    const double r = std::hypot(p.x - 0.060, p.y - 0.014);
    double value = -1000 + 1040 * test::share_inside(r - limb_radius, voxel);
    value += 760 * test::share_inside(r - bone_radius, voxel);
    for (const double middle : {first_sheet, 0.044})
      value += (density + 1000) * test::share_inside(std::abs(p.y - middle) - 0.5 * sheet, voxel);
    return value + (noise > 0 ? test::noise(rng, noise) : 0);
  });
  v.modality = modality;
  return v;
}

Mesh joined_two(const Mesh& a, const Mesh& b) {
  Mesh all = a;
  const auto first = static_cast<std::uint32_t>(a.positions.size());
  all.positions.insert(all.positions.end(), b.positions.begin(), b.positions.end());
  for (const Triangle& t : b.triangles) all.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  all.normals.clear();
  return all;
}

TEST(Extract, ATableIsNotTheSkin) {
  for (const double density : {-250.0, -150.0}) {
    for (const std::string modality : {"CT", ""}) {
      const auto surfaces = extract(limb_on_table(density, 0.0036, 10, modality), {});
      ASSERT_TRUE(surfaces) << surfaces.error().message();
      // Half-way from air to tissue, and from tissue to bone.
      EXPECT_NEAR(surfaces->thresholds.skin, -480, 25);
      EXPECT_NEAR(surfaces->thresholds.bone, 420, 60);
      const double expected = std::numbers::pi * limb_radius * limb_radius * limb_length;
      // The blur of a sample takes 1 % off so thin a limb; the sheets have six times its volume.
      EXPECT_NEAR(enclosed_volume(surfaces->skin.positions, surfaces->skin.triangles) / expected, 1, 0.03) << density;
      EXPECT_LT(bounds(surfaces->skin.positions).high.y, 0.026f);
      EXPECT_EQ(surfaces->skin_border.size(), surfaces->skin.positions.size());
    }
  }
}

TEST(Extract, AHandGrownTogetherWithItsTableIsTold) {
  const auto warnings_at = [](double first_sheet) {
    Warnings warnings;
    EXPECT_TRUE(extract(limb_on_table(-250, 0.0036, 0, "CT", first_sheet), {}, &warnings));
    return warnings;
  };
  EXPECT_TRUE(warnings_at(0.031).empty());
  const Warnings touching = warnings_at(0.025);  // its upper side 0.8 mm into the limb
  ASSERT_EQ(touching.size(), 1u);
  EXPECT_NE(touching[0].find("through more than two sides"), std::string::npos) << touching[0];
}

// A rod of a splint, as dense as bone, beside the limb.
TEST(Extract, PiecesOutsideTheSkinAreNoBones) {
  Volume volume = test::sampled_volume({60, 30, 30}, test::lattice(voxel), [&](Vec3d p) {
    const double r = std::hypot(p.x - 0.020, p.y - 0.014), rod = std::hypot(p.x - 0.045, p.y - 0.014);
    return -1000 + 1040 * test::share_inside(r - limb_radius, voxel) +
           760 * test::share_inside(r - bone_radius, voxel) + 1800 * test::share_inside(rod - 0.0025, voxel);
  });
  const auto surfaces = extract(volume, {420.0, -480.0});
  ASSERT_TRUE(surfaces) << surfaces.error().message();
  ASSERT_LT(bounds(surfaces->skin.positions).high.x, 0.032f);
  PartOptions options;
  options.iso = 420;
  Parts parts = separate_bones(volume, options).value();
  ASSERT_EQ(parts.parts.size(), 2u);
  Warnings warnings;
  drop_outside(parts, surfaces->skin, &warnings);
  ASSERT_EQ(parts.parts.size(), 1u);
  EXPECT_NEAR(parts.parts[0].centre.x, 0.020, 1e-4);
  ASSERT_EQ(parts.outside.size(), 1u);
  EXPECT_NEAR(parts.outside[0].centre.x, 0.045, 1e-4);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("pieces as dense as bone lie outside the skin"), std::string::npos);
  // A skin that has none of them in it is not to be believed.
  Parts all = separate_bones(volume, options).value();
  drop_outside(all, test::sphere(0.001, 8, 8, {1, 1, 1}));
  EXPECT_EQ(all.parts.size(), 2u);
}

// Two curved shells below the limb, as dense as bone and of many times its surface.
TEST(Extract, LargeShellsOfAHeadrestAreNeitherSkinNorBone) {
  Volume volume = test::sampled_volume({110, 60, 60}, test::lattice(voxel), [&](Vec3d p) {
    const double r = std::hypot(p.x - 0.050, p.y - 0.014), far = std::hypot(p.x - 0.050, p.y + 0.100);
    const double first = std::abs(far - 0.136) - 0.0015, second = std::abs(far - 0.145) - 0.0015;
    return -1000 + 1040 * test::share_inside(r - limb_radius, voxel) +
           760 * test::share_inside(r - bone_radius, voxel) + 1800 * test::share_inside(std::min(first, second), voxel);
  });
  const auto surfaces = extract(volume, {420.0, -480.0});
  ASSERT_TRUE(surfaces) << surfaces.error().message();
  const Box skin = bounds(surfaces->skin.positions), bone = bounds(surfaces->bone.positions);
  EXPECT_LT(double{skin.high.y}, 0.030);
  EXPECT_NEAR(double{skin.high.x} - double{skin.low.x}, 2 * limb_radius, 0.001);
  // Where the other scans' bones are looked for there is nothing but bone.
  EXPECT_NEAR(double{bone.high.x} - double{bone.low.x}, 2 * bone_radius, 0.001);
  PartOptions options;
  options.iso = 420;
  Parts parts = separate_bones(volume, options).value();
  ASSERT_GE(parts.parts.size(), 3u);
  drop_outside(parts, surfaces->skin);
  ASSERT_EQ(parts.parts.size(), 1u);
  EXPECT_NEAR(parts.parts[0].centre.x, 0.050, 1e-4);
}

TEST(PartAround, IsTheOneWithMostOfTheBoneHoweverLargeOthersAre) {
  const Mesh hand = test::sphere(0.01, 16, 24), other = test::sphere(0.05, 16, 24, {0.1, 0, 0});
  Mesh pocket = test::sphere(0.008, 16, 24);  // air in the hand: inside out
  for (Triangle& t : pocket.triangles) std::swap(t[1], t[2]);
  const Mesh all = joined_two(joined_two(pocket, other), hand);
  const auto radius = [&](std::span<const Vec3f> bone) {
    const Box box = bounds(part_around(all, bone).positions);
    return 0.5f * (box.high.z - box.low.z);
  };
  const std::vector<Vec3f> inside{{0, 0, 0.001f}, {0.002f, 0, 0}, {0, 0.003f, 0}};
  EXPECT_NEAR(radius(inside), 0.01f, 1e-6f);
  // A fourth point in the other one does not outvote them; points of no part do not count.
  std::vector<Vec3f> most = inside;
  most.push_back({0.1f, 0, 0});
  most.push_back({1, 1, 1});
  EXPECT_NEAR(radius(most), 0.01f, 1e-6f);
  // Without bone in any, the largest.
  EXPECT_NEAR(radius(std::vector<Vec3f>{{1, 1, 1}}), 0.05f, 1e-6f);
  EXPECT_NEAR(radius({}), 0.05f, 1e-6f);
  EXPECT_TRUE(part_around({}, inside).triangles.empty());
}

}  // namespace
}  // namespace supple::scan
