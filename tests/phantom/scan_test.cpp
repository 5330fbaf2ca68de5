#include <gtest/gtest.h>

#include <cmath>

#include "supple/base/parallel.h"
#include "supple/base/quat.h"
#include "supple/phantom/phantom.h"
#include "support/shapes.h"

namespace supple::phantom {
namespace {

constexpr double skin_radius = 0.02, bone_radius = 0.008;
constexpr Vec3d bone_centre = {0.004, 0.001, -0.002};

// A ball of flesh with a ball of bone in it, which is moved.
struct Balls {
  Subject subject;
  PosedTruth pose;
};
Balls balls() {
  Balls b;
  Part skin;
  skin.name = "skin";
  skin.mesh = test::sphere(skin_radius, 40, 60);
  b.subject.character.parts.push_back(skin);
  Solid bone;
  bone.name = "bone";
  // Twice the distance: what counts is where it is zero.
  bone.distance = [](Vec3d p) { return 2 * (length(p - bone_centre) - bone_radius); };
  bone.low = bone_centre - Vec3d{bone_radius, bone_radius, bone_radius};
  bone.high = bone_centre + Vec3d{bone_radius, bone_radius, bone_radius};
  b.subject.bones.push_back(bone);
  b.subject.joint_of.push_back(0);
  b.pose.name = "ball";
  b.pose.skin = skin.mesh.positions;
  b.pose.bones = {{to_matrix(from_axis_angle(Vec3d{0, 0, 1}, 0.6)), {-0.003, 0, 0.001}}};
  return b;
}

// Calls visit(value, distance to skin, distance to bone); distances in metres, negative inside.
template <class Visit>
void each_sample(const Volume& v, const Balls& b, const Affined& placement, Visit&& visit) {
  const Affined back = inverse(placement);
  const Vec3d bone = b.pose.bones[0].point(bone_centre);
  for (std::size_t k = 0; k < v.size[2]; ++k) {
    for (std::size_t j = 0; j < v.size[1]; ++j) {
      for (std::size_t i = 0; i < v.size[0]; ++i) {
        const Vec3d p =
            back.point(v.to_world.point({static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)}));
        visit(v.value(i, j, k), length(p) - skin_radius, length(p - bone) - bone_radius);
      }
    }
  }
}

struct Mean {
  double sum = 0, squares = 0;
  std::size_t count = 0;
  void add(double x) { sum += x, squares += x * x, ++count; }
  double value() const { return sum / static_cast<double>(count); }
  double deviation() const { return std::sqrt(squares / static_cast<double>(count) - value() * value()); }
};

TEST(Scan, HasTheDensitiesAndTheNoiseThatWereAskedFor) {
  const Balls b = balls();
  ScanOptions o;
  o.voxel = {0.001, 0.0008, 0.0013};
  o.placement = {to_matrix(from_axis_angle(normalized(Vec3d{1, 2, 3}), 0.8)), {0.1, -0.2, 0.3}};
  const auto volume = scan(b.subject, b.pose, o);
  ASSERT_TRUE(volume) << volume.error().message();
  EXPECT_EQ(volume->modality, "CT");
  EXPECT_NEAR(volume->spacing().y, 0.0008, 1e-12);
  Mean air, tissue, bone;
  constexpr double clear = 0.003;  // beyond the blur
  each_sample(*volume, b, o.placement, [&](double value, double to_skin, double to_bone) {
    if (to_skin > clear) air.add(value);
    if (to_skin < -clear && to_bone > clear) tissue.add(value);
    if (to_bone < -clear) bone.add(value);
  });
  ASSERT_GT(bone.count, 300u);
  ASSERT_GT(tissue.count, 5000u);
  // Standard errors: 30 HU / sqrt(count).
  EXPECT_NEAR(air.value(), -1000, 1);
  EXPECT_NEAR(tissue.value(), 40, 2);
  EXPECT_NEAR(bone.value(), 800, 8);
  EXPECT_NEAR(air.deviation(), 30, 0.5);
  EXPECT_NEAR(tissue.deviation(), 30, 1);
}

TEST(Scan, KeepsTheMarginAndTheSizeAskedFor) {
  const Balls b = balls();
  ScanOptions o;
  o.voxel = {0.002, 0.002, 0.002};
  o.margin = 0.01;
  o.size = {0, 50, 0};
  const auto volume = scan(b.subject, b.pose, o);
  ASSERT_TRUE(volume);
  EXPECT_EQ(volume->size, (std::array<std::size_t, 3>{31, 50, 31}));
  const Vec3d low = volume->to_world.translation, high = volume->to_world.point({30, 49, 30});
  EXPECT_NEAR(length(low + high), 0, 1e-6);  // the ball is in the middle
}

TEST(Scan, DependsOnTheSeedOnly) {
  const Balls b = balls();
  ScanOptions o;
  o.voxel = {0.0015, 0.0015, 0.0015};
  const auto scanned = [&](unsigned threads, std::uint64_t seed) {
    set_thread_count(threads);
    o.seed = seed;
    const auto volume = scan(b.subject, b.pose, o);
    set_thread_count(0);
    return volume->samples;
  };
  const auto first = scanned(1, 1);
  EXPECT_EQ(first, scanned(3, 1));
  EXPECT_NE(first, scanned(1, 2));
}

TEST(Scan, SurfacesInsideTheSkinAreNotSeen) {
  // Two overlapping balls as one skin: no seam of air between them.
  Balls b = balls();
  Mesh& mesh = b.subject.character.parts[0].mesh;
  const Mesh other = test::sphere(skin_radius, 40, 60, {0.03, 0, 0});
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  mesh.positions.insert(mesh.positions.end(), other.positions.begin(), other.positions.end());
  for (const Triangle& t : other.triangles) mesh.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  b.pose.skin = mesh.positions;
  b.subject.bones.clear();
  b.subject.joint_of.clear();
  b.pose.bones.clear();
  ScanOptions o;
  o.noise = 0;
  const auto volume = scan(b.subject, b.pose, o);
  ASSERT_TRUE(volume);
  const Affined to_samples = inverse(volume->to_world);
  double least = 1e9;
  for (double x = -0.015; x < 0.045; x += 0.0005) {
    const Vec3d p = to_samples.point({x, 0, 0});
    least = std::min(
        least, volume->value(static_cast<std::size_t>(std::lround(p.x)), static_cast<std::size_t>(std::lround(p.y)),
                             static_cast<std::size_t>(std::lround(p.z))));
  }
  EXPECT_NEAR(least, 40, 1);
}

/// Mean over the slab of samples nearest to a height, away from the ball.
double mean_at_height(const Volume& v, double y) {
  const Vec3d p = inverse(v.to_world).point({0, y, 0});
  const auto j = static_cast<std::size_t>(std::lround(p.y));
  Mean mean;
  for (std::size_t k = 0; k < v.size[2]; ++k)
    for (std::size_t i = 0; i < v.size[0]; ++i) mean.add(v.value(i, j, k));
  return mean.value();
}

TEST(Scan, ATableLiesUnderThePalmAcrossTheWholeField) {
  const Balls b = balls();
  ScanOptions o;
  o.voxel = {0.001, 0.001, 0.001};
  o.table = Table{-250, 0.004, 0.009, 0.02, 0.2};
  const auto volume = scan(b.subject, b.pose, o);
  ASSERT_TRUE(volume) << volume.error().message();
  EXPECT_EQ(volume->size[0], 201u);
  // Middles of both sheets, of the gap above, and between; 30 HU of noise over more than 9000 samples.
  EXPECT_NEAR(mean_at_height(*volume, skin_radius + 0.009 + 0.002), -250, 2);
  EXPECT_NEAR(mean_at_height(*volume, skin_radius + 0.009 + 0.004 + 0.02 + 0.002), -250, 2);
  EXPECT_NEAR(mean_at_height(*volume, skin_radius + 0.0045), -1000, 2);
  EXPECT_NEAR(mean_at_height(*volume, skin_radius + 0.009 + 0.004 + 0.01), -1000, 2);
  // On the other side of the ball there is as little air as without one.
  EXPECT_NEAR(volume->to_world.translation.y, -skin_radius - o.margin, 0.001);
}

TEST(Scan, ACropCutsTheWristsEnd) {
  const Balls b = balls();
  ScanOptions o;
  o.voxel = {0.001, 0.001, 0.001};
  const auto whole = scan(b.subject, b.pose, o);
  o.crop = 0.012;
  const auto cropped = scan(b.subject, b.pose, o);
  ASSERT_TRUE(whole && cropped);
  EXPECT_NEAR(cropped->to_world.translation.z, -skin_radius + o.crop, 0.0005 + 1e-9);  // to the nearest sample
  const auto top = [](const Volume& v) { return v.to_world.point({0, 0, static_cast<double>(v.size[2] - 1)}).z; };
  EXPECT_NEAR(top(*cropped), top(*whole), 1e-9);
  // Its first slice goes through the ball: flesh or bone, where the whole scan begins in air.
  EXPECT_GT(cropped->value(cropped->size[0] / 2, cropped->size[1] / 2, 0), -110);  // five times the noise
  EXPECT_LT(whole->value(whole->size[0] / 2, whole->size[1] / 2, 0), -850);
  o.crop = 0.1;
  EXPECT_FALSE(scan(b.subject, b.pose, o));
  o.crop = -0.01;
  EXPECT_FALSE(scan(b.subject, b.pose, o));
  o.crop = 0;
  o.table = Table{-250, 0, 0.009, 0.02, 0.2};
  EXPECT_FALSE(scan(b.subject, b.pose, o));
}

TEST(Scan, RefusesWhatNoScannerDoes) {
  const Balls b = balls();
  ScanOptions o;
  o.placement.linear = Mat3d::diagonal({1, 1, -1});
  EXPECT_FALSE(scan(b.subject, b.pose, o));
  o = {};
  o.voxel.y = 0;
  EXPECT_FALSE(scan(b.subject, b.pose, o));
  o = {};
  o.voxel = {1e-6, 1e-6, 1e-6};
  EXPECT_FALSE(scan(b.subject, b.pose, o));
  o = {};
  o.missing_patch = 0.005;  // a ball has no fingers
  EXPECT_FALSE(scan(b.subject, b.pose, o));
  PosedTruth other = b.pose;
  other.skin.pop_back();
  EXPECT_FALSE(scan(b.subject, other, {}));
  const auto stopped = scan(b.subject, b.pose, {}, [](std::string_view, double) { return false; });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().problem, "was stopped");
}

}  // namespace
}  // namespace supple::phantom
