// Surfaces of labels: how true they are, groups that are divided, labels that do not belong to an image.
#include "supple/author/scan/labelled.h"

#include <gtest/gtest.h>

#include <numbers>

#include "supple/geometry/topology.h"
#include "support/scan_volumes.h"
#include "support/shapes.h"

namespace supple::scan {
namespace {

constexpr double label_voxel = 0.0009;

/// Labels 1, 2, ... of the solids that the samples lie in, the last that has them.
LabelMap labelled(std::span<const std::function<bool(Vec3d)>> solids, std::array<std::size_t, 3> size = {60, 40, 40}) {
  LabelMap map;
  map.name = "test labels";
  map.layers.push_back(test::sampled_volume(size, test::lattice(label_voxel), [&](Vec3d p) {
    double value = 0;
    for (std::size_t s = 0; s < solids.size(); ++s)
      if (solids[s](p)) value = static_cast<double>(s + 1);
    return value;
  }));
  Volume& volume = map.layers[0];
  const std::size_t count = solids.size();
  map.labels.resize(count);
  for (std::size_t l = 0; l < count; ++l)
    map.labels[l] = {"solid" + std::to_string(l), static_cast<std::int16_t>(l + 1), 0, {}, 0};
  for (std::size_t i = 0; i < volume.samples.size(); ++i) {
    const auto value = static_cast<std::int16_t>(std::lround(volume.slope * volume.samples[i] + volume.intercept));
    volume.samples[i] = value;
    if (value > 0) ++map.labels[static_cast<std::size_t>(value - 1)].samples;
  }
  volume.slope = 1, volume.intercept = 0;
  return map;
}

auto ball(Vec3d centre, double radius) {
  return [=](Vec3d p) { return length(p - centre) < radius; };
}
/// Thick at its ends, as phalanges are.
auto dumb_bell(Vec3d a, Vec3d b, double end, double shaft) {
  return [=](Vec3d p) {
    const double t = std::clamp(dot(p - a, b - a) / squared_length(b - a), 0.0, 1.0);
    const double middle = 1 - std::abs(2 * t - 1);  // 0 at the ends
    return length(p - a - (b - a) * t) < end - (end - shaft) * std::min(2.5 * middle, 1.0);
  };
}
LabelUse bone_use(std::uint32_t bone) { return {{bone}, 1, false}; }

TEST(Labelled, ABallHasItsSizeAndItsSurface) {
  const Vec3d centre{0.0251, 0.0177, 0.0183};
  constexpr double radius = 0.0060;
  const std::function<bool(Vec3d)> solids[] = {ball(centre, radius)};
  const LabelMap map = labelled(solids);
  const LabelUse uses[] = {bone_use(3)};
  const auto parts = labelled_bones(map, uses, nullptr, {});
  ASSERT_TRUE(parts) << parts.error().message();
  ASSERT_EQ(parts->parts.size(), 1u);
  const BonePart& part = parts->parts[0];
  EXPECT_EQ(part.candidates, std::vector<std::uint32_t>{3});
  EXPECT_TRUE(find_defects(part.surface.positions, part.surface.triangles).closed());
  const double volume = 4.0 / 3 * std::numbers::pi * radius * radius * radius;
  EXPECT_NEAR(part.volume, volume, 0.015 * volume);  // as near as counting samples is
  EXPECT_LT(length(part.centre - centre), 0.05 * label_voxel);
  double squares = 0;
  for (const Vec3f p : part.surface.positions) squares += std::pow(length(Vec3d(p) - centre) - radius, 2);
  // Steps of a sample are .29 samples RMS; blur leaves less than half of that.
  EXPECT_LT(std::sqrt(squares / static_cast<double>(part.surface.positions.size())), 0.13 * label_voxel);
}

TEST(Labelled, NeighboursAreToldWhereTheyTouch) {
  const std::function<bool(Vec3d)> solids[] = {
      [](Vec3d p) {
        return std::abs(p.y - 0.018) < 0.005 && std::abs(p.z - 0.018) < 0.005 && p.x > 0.009 && p.x < 0.020;
      },
      [](Vec3d p) {
        return std::abs(p.y - 0.018) < 0.005 && std::abs(p.z - 0.018) < 0.005 && p.x > 0.020 && p.x < 0.034;
      }};
  const LabelMap map = labelled(solids);
  const LabelUse uses[] = {bone_use(0), bone_use(1)};
  const auto parts = labelled_bones(map, uses, nullptr, {});
  ASSERT_TRUE(parts) << parts.error().message();
  ASSERT_EQ(parts->parts.size(), 2u);
  for (const BonePart& part : parts->parts) {
    std::size_t touching = 0;
    for (std::size_t v = 0; v < part.touches.size(); ++v) {
      const bool near = std::abs(double{part.surface.positions[v].x} - 0.020) < 0.4 * label_voxel;
      const bool beyond = std::abs(double{part.surface.positions[v].x} - 0.020) > 2.5 * label_voxel;
      EXPECT_TRUE(part.touches[v] || !near);
      EXPECT_FALSE(part.touches[v] && beyond);
      touching += part.touches[v] ? 1 : 0;
    }
    EXPECT_GT(touching, 50u);
  }
}

// A finger of three bones that touch, in one label.
TEST(Labelled, GroupsComeApartWhereBonesTouch) {
  for (const double gap : {0.0, -0.0005, 0.0003}) {  // metres; below 0 they overlap
    std::vector<std::function<bool(Vec3d)>> bones;
    double x = 0.006;
    for (const double size : {0.020, 0.014, 0.010}) {
      bones.push_back(dumb_bell({x, 0.016, 0.0171}, {x + size - 0.007, 0.0165, 0.0168}, 0.0040, 0.0026));
      x += size + 0.001 + gap;
    }
    const std::function<bool(Vec3d)> solids[] = {[&](Vec3d p) {
      return std::any_of(bones.begin(), bones.end(), [&](const auto& inside) { return inside(p); });
    }};
    const LabelMap map = labelled(solids);
    const LabelUse uses[] = {{{4, 5, 6}, 3, false}};
    Warnings warnings;
    const auto parts = labelled_bones(map, uses, nullptr, {}, &warnings);
    ASSERT_TRUE(parts) << parts.error().message();
    EXPECT_EQ(parts->parts.size(), 3u) << gap;
    EXPECT_TRUE(warnings.empty()) << warnings.front();
    for (const BonePart& part : parts->parts) EXPECT_EQ(part.candidates.size(), 3u);
    // As one bone it stays whole.
    const LabelUse whole[] = {bone_use(4)};
    EXPECT_LE(labelled_bones(map, whole, nullptr, {})->parts.size(), gap > 0 ? 3u : 1u);
  }
}

TEST(Labelled, GroupsThatDoNotComeApartAreTold) {
  const std::function<bool(Vec3d)> solids[] = {ball({0.02, 0.018, 0.018}, 0.008)};
  const LabelMap map = labelled(solids);
  const LabelUse uses[] = {{{4, 5, 6}, 3, false}};
  Warnings warnings;
  ASSERT_TRUE(labelled_bones(map, uses, nullptr, {}, &warnings));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("label 'solid0' came apart into 1 pieces instead of 3"), std::string::npos) << warnings[0];
}

TEST(Labelled, EmptyLabelsAreNamed) {
  const std::function<bool(Vec3d)> solids[] = {ball({0.02, 0.018, 0.018}, 0.008), [](Vec3d) { return false; }};
  const LabelMap map = labelled(solids);
  const LabelUse uses[] = {bone_use(0), bone_use(1)};
  const auto parts = labelled_bones(map, uses, nullptr, {});
  ASSERT_FALSE(parts);
  EXPECT_NE(parts.error().message().find("label 'solid1' is empty"), std::string::npos) << parts.error().message();
  // In another scan than the base the bone is only missing.
  Warnings warnings;
  EXPECT_TRUE(labelled_surfaces(map, uses, nullptr, {}, &warnings));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("label 'solid1' is empty"), std::string::npos) << warnings[0];
  const LabelUse nothing[] = {{}, {}};
  const auto none = labelled_bones(map, nothing, nullptr, {});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message().find("has no label of a bone"), std::string::npos);
}

/// Flesh of a ball around (20, 18, 18) mm, bright as magnetic resonance has it, with a dark bone in it.
Volume fleshy_image(Vec3d centre) {
  Volume volume = test::sampled_volume({60, 40, 40}, test::lattice(label_voxel), [&](Vec3d p) {
    const double r = length(p - centre);
    return 15 + 285 * test::share_inside(r - 0.013, label_voxel) - 250 * test::share_inside(r - 0.006, label_voxel);
  });
  volume.modality = "MR";
  volume.name = "image";
  return volume;
}

TEST(Labelled, SkinComesFromItsLabelOrFromTheImageOrFromNowhere) {
  const Vec3d centre{0.0203, 0.0181, 0.0179};
  const std::function<bool(Vec3d)> solids[] = {ball(centre, 0.012), ball(centre, 0.006)};
  const LabelMap map = labelled(solids);
  const Volume image = fleshy_image(centre);
  const LabelUse bone_only[] = {{}, bone_use(0)}, both[] = {{{}, 0, true}, bone_use(0)};
  const auto radius = [&](const Result<Surfaces>& surfaces) {
    EXPECT_TRUE(surfaces) << surfaces.error().message();
    const Box box = bounds(surfaces->skin.positions);
    EXPECT_EQ(surfaces->skin_border.size(), surfaces->skin.positions.size());
    return 0.5 * double{box.high.x - box.low.x};
  };
  EXPECT_NEAR(radius(labelled_surfaces(map, both, nullptr, {})), 0.012, 0.0003);
  EXPECT_NEAR(radius(labelled_surfaces(map, both, &image, {})), 0.012, 0.0003);
  EXPECT_NEAR(radius(labelled_surfaces(map, bone_only, &image, {})), 0.013, 0.0003);
  LabelledOptions given;
  given.skin = 250;  // brighter: further in
  EXPECT_LT(radius(labelled_surfaces(map, bone_only, &image, given)), 0.0129);
  const auto skeleton = labelled_surfaces(map, bone_only, nullptr, {});
  ASSERT_TRUE(skeleton);
  EXPECT_TRUE(skeleton->skin.triangles.empty());
  EXPECT_FALSE(skeleton->bone.triangles.empty());
  EXPECT_EQ(skeleton->labelled.size(), skeleton->bone.positions.size());
}

/// Root mean square distance of a surface from a ball of 6 mm, in samples.
double off_ball(const Mesh& surface, Vec3d centre) {
  double squares = 0;
  for (const Vec3f p : surface.positions) squares += std::pow(length(Vec3d(p) - centre) - 0.006, 2);
  return std::sqrt(squares / static_cast<double>(surface.positions.size())) / label_voxel;
}

// Dark bone in bright flesh, bright bone in dark flesh, brightness that varies; and an image without an edge.
TEST(Labelled, BonesFollowTheEdgesOfTheImage) {
  const Vec3d centre{0.0203, 0.0181, 0.0179};
  const std::function<bool(Vec3d)> solids[] = {ball(centre, 0.006)};
  const LabelMap map = labelled(solids);
  const LabelUse uses[] = {bone_use(0)};
  const Mesh alone = labelled_bones(map, uses, nullptr, {})->parts[0].surface;
  const double steps = off_ball(alone, centre);
  Volume image = fleshy_image(centre);
  const Parts dark = labelled_bones(map, uses, &image, {}).value();
  // Blur of .5 samples and samples that are means of .3 move the edge of a ball of 6.7 samples inwards by
  // (.5^2 + .3^2) / 6.7 = .05 of them.
  EXPECT_LT(off_ball(dark.parts[0].surface, centre), 0.05);
  EXPECT_LT(off_ball(dark.parts[0].surface, centre), 0.5 * steps);
  EXPECT_LT(length(dark.parts[0].centre - centre), 0.01 * label_voxel);
  for (std::size_t i = 0; i < image.samples.size(); ++i) {
    const double brighter = 1 + 0.3 * static_cast<double>(i % image.size[0]) / static_cast<double>(image.size[0]);
    image.samples[i] = static_cast<std::int16_t>(-image.samples[i] * brighter);
  }
  EXPECT_LT(off_ball(labelled_bones(map, uses, &image, {})->parts[0].surface, centre), 0.06);
  std::fill(image.samples.begin(), image.samples.end(), std::int16_t{100});
  EXPECT_EQ(labelled_bones(map, uses, &image, {})->parts[0].surface.positions, alone.positions);
  LabelledOptions as_drawn;
  as_drawn.refine = false;
  const Volume good = fleshy_image(centre);
  EXPECT_EQ(labelled_bones(map, uses, &good, as_drawn)->parts[0].surface.positions, alone.positions);
}

TEST(Labelled, LabelsOfAnotherScanAreRefused) {
  const Vec3d centre{0.0203, 0.0181, 0.0179};
  const std::function<bool(Vec3d)> solids[] = {ball(centre, 0.006)};
  const LabelUse uses[] = {bone_use(0)};
  const LabelMap map = labelled(solids);
  const auto refused = [&](const LabelMap& labels, const Volume& image, const std::string& why) {
    const auto surfaces = labelled_surfaces(labels, uses, &image, {});
    ASSERT_FALSE(surfaces) << why;
    EXPECT_NE(surfaces.error().message().find(why), std::string::npos) << surfaces.error().message();
  };
  refused(map, fleshy_image(centre + Vec3d{0.013, 0, 0}), "of the bones lie outside the skin that the image shows");
  LabelMap lost = map;  // as a program writes it that knows nothing of space
  lost.layers[0].to_world = test::lattice(0.001);
  refused(lost, fleshy_image(centre),
          "has as many samples as its image, but they lie elsewhere: 60 x 40 x 40 samples of 1 x 1");
  LabelMap away = map;
  away.layers[0].size[2] -= 1;
  away.layers[0].samples.resize(away.layers[0].count());
  away.layers[0].to_world.translation.x = 0.05;
  refused(away, fleshy_image(centre), "mm beyond its image");
  // Cut to what is labelled, as 3D Slicer does, it still lies where it was.
  LabelMap cut = map;
  Volume& part = cut.layers[0];
  part.size[2] = 30;
  part.samples.assign(map.layers[0].samples.begin() + 60 * 40 * 8, map.layers[0].samples.begin() + 60 * 40 * 38);
  part.to_world.translation.z = 8 * label_voxel;
  const Volume image = fleshy_image(centre);
  EXPECT_TRUE(labelled_surfaces(cut, uses, &image, {}));
}

}  // namespace
}  // namespace supple::scan
