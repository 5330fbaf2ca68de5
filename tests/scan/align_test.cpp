#include "supple/author/scan/align.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scan/hand_scan.h"
#include "supple/author/scan/icp.h"
#include "supple/base/parallel.h"

namespace supple::scan {
namespace {

using make::Side;

struct Scan {
  std::vector<Affined> motions;  // of each bone, rest to scan
  std::vector<Mesh> bones;
};

/// Coarse enough to be quick. `placement`: how the hand lies in the scanner.
Scan scan_of(double flexion, const Affined& placement, std::uint64_t seed, Side side = Side::right) {
  Rng rng(seed);
  const Skeleton skeleton = make::hand_skeleton(make::hand_anatomy(), side).value();
  const std::vector<Affined> posed = test::bone_motions(skeleton, test::random_pose(skeleton, flexion, rng));
  Scan scan;
  scan.bones = test::scanned_bones(posed, placement, {1.5, 0.05e-3, side}, rng);
  for (const Affined& m : posed) scan.motions.push_back(placement * m);
  return scan;
}

struct Base {
  Scan scan;
  std::vector<ScanBone> bones;
};
const Base& base() {
  static const Base made = [] {
    Base b;
    b.scan = scan_of(10, {}, 1);
    const test::Pieces pieces = test::pieces_of(b.scan.bones);
    const BoneTemplate hand = make::hand_template(Side::right);
    b.bones = scan_bones(pieces.parts, hand, name_bones(pieces.parts, hand).value());
    return b;
  }();
  return made;
}

AlignOptions quick() {
  AlignOptions options;
  options.points = 300;
  return options;
}

/// Largest errors over all bones: degrees, and millimetres at the bone's middle.
struct Errors {
  double degrees = 0, millimetres = 0, median_degrees = 0, median_millimetres = 0;
};
Errors errors_of(const Alignment& alignment, const Scan& scan) {
  std::vector<double> turns, shifts;
  for (std::size_t b = 0; b < alignment.bones.size(); ++b) {
    const Affined truth = scan.motions[b] * inverse(base().scan.motions[b]);
    const Affined wrong = inverse(truth) * alignment.bones[b].motion;
    const Vec3d middle = Vec3d(bounds(base().bones[b].surface.positions).center());
    turns.push_back(length(log_rotation(from_matrix(wrong.linear))) / test::degree);
    shifts.push_back(length(wrong.point(middle) - middle) * 1000);
  }
  std::sort(turns.begin(), turns.end());
  std::sort(shifts.begin(), shifts.end());
  return {turns.back(), shifts.back(), turns[turns.size() / 2], shifts[shifts.size() / 2]};
}

// Bones of 1.5 mm cells and 0.05 mm of noise, 300 points each: what is lost against 0.9 mm and 700 points is about
// half; a bone that is a wrong one, or turned about itself, is off by millimetres or tens of degrees.
constexpr double most_degrees = 3, most_millimetres = 0.2;

// A header whose slices lie a tenth too far apart stretches all bones along one axis, whatever their directions.
TEST(Align, AScanOfAnotherSizeIsToldWithItsScale) {
  Rng rng(8);
  const Scan scan = scan_of(30, test::random_placement(rng), 8);
  Mesh surface = test::joined(scan.bones);
  const auto align = [&](Warnings& warnings) {
    surface.normals.assign(surface.positions.size(), {});
    compute_normals(surface.positions, surface.triangles, surface.normals);
    const Result<Alignment> alignment = align_bones(base().bones, surface, quick(), {}, &warnings);
    EXPECT_TRUE(alignment) << alignment.error().message();
    return alignment ? alignment->scale : ScanScale{};
  };
  const auto told = [](const Warnings& warnings) {
    return std::any_of(warnings.begin(), warnings.end(),
                       [](const std::string& w) { return w.find("not as large as those") != std::string::npos; });
  };
  Warnings warnings;
  const ScanScale right = align(warnings);
  EXPECT_FALSE(told(warnings));
  EXPECT_GT(right.sd, 0);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(right.factors[k], 1, 0.005);  // 0.05 mm of noise over 10 mm

  for (Vec3f& p : surface.positions) p.z *= 1.1f;
  const ScanScale stretched = align(warnings);
  EXPECT_TRUE(told(warnings));
  EXPECT_NEAR(stretched.factors[2], 1.1, 0.01);
  EXPECT_GT(std::abs(stretched.axes.c2.z), 0.99);
  // The other two stray by 1 %, and must stay below the 2 % that is warned of.
  EXPECT_NEAR(stretched.factors[0], 1, 0.02);
  EXPECT_NEAR(stretched.factors[1], 1, 0.02);

  // A lower threshold makes every bone thicker by the same, which is no scale.
  for (std::size_t v = 0; v < surface.positions.size(); ++v) {
    surface.positions[v].z /= 1.1f;
    surface.positions[v] += surface.normals[v] * 0.0003f;
  }
  warnings.clear();
  const ScanScale thicker = align(warnings);
  EXPECT_FALSE(told(warnings));
  EXPECT_NEAR(thicker.offset, 0.0003, 0.0001);
}

TEST(Align, FindsEveryBoneOfABentHandThatLiesNearby) {
  const Affined placement{to_matrix(from_axis_angle(Vec3d{0, 1, 0}, 0.05)), {0.003, -0.002, 0.004}};
  const Scan scan = scan_of(60, placement, 2);
  Warnings warnings;
  const Result<Alignment> alignment = align_bones(base().bones, test::joined(scan.bones), quick(), {}, &warnings);
  ASSERT_TRUE(alignment) << alignment.error().message();
  EXPECT_TRUE(warnings.empty()) << warnings.front();
  const Errors errors = errors_of(*alignment, scan);
  EXPECT_LT(errors.degrees, most_degrees);
  EXPECT_LT(errors.millimetres, most_millimetres);
  EXPECT_LT(errors.median_degrees, 0.5);
  EXPECT_LT(errors.median_millimetres, 0.03);
  for (const BoneFit& fit : alignment->bones) {
    EXPECT_TRUE(fit.found);
    EXPECT_GT(fit.overlap, 0.95);
    EXPECT_LT(fit.residual, 0.2e-3);
    EXPECT_GT(fit.rotation_sd, 0);
    EXPECT_LT(fit.shift_sd, 0.05e-3);
  }
}

TEST(Align, FindsAHandThatLiesAnyhow) {
  Rng rng(8);
  const Scan scan = scan_of(45, test::random_placement(rng), 3);
  const Result<Alignment> alignment = align_bones(base().bones, test::joined(scan.bones), quick());
  ASSERT_TRUE(alignment) << alignment.error().message();
  const Errors errors = errors_of(*alignment, scan);
  EXPECT_LT(errors.degrees, most_degrees);
  EXPECT_LT(errors.millimetres, most_millimetres);
}

TEST(Align, TheOtherHandIsRefused) {
  const Scan scan = scan_of(20, {}, 4, Side::left);
  const Result<Alignment> alignment = align_bones(base().bones, test::joined(scan.bones), quick());
  ASSERT_FALSE(alignment);
  EXPECT_NE(alignment.error().problem.find("the other hand"), std::string::npos) << alignment.error().message();
}

TEST(Align, AMissingBoneIsToldAndTheOthersAreFound) {
  Scan scan = scan_of(30, {}, 5);
  const std::size_t lost = 8;  // the index finger's last
  ASSERT_EQ(base().bones[lost].name, "index-finger-phalanx-distal");
  scan.bones.erase(scan.bones.begin() + static_cast<std::ptrdiff_t>(lost));
  Warnings warnings;
  const Alignment alignment = align_bones(base().bones, test::joined(scan.bones), quick(), {}, &warnings).value();
  EXPECT_FALSE(alignment.bones[lost].found);
  EXPECT_EQ(alignment.bones[lost].motion, alignment.bones[lost - 1].motion);  // goes with its parent
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].find("index-finger-phalanx-distal: not found"), 0u) << warnings[0];
  for (std::size_t b = 0; b < alignment.bones.size(); ++b) EXPECT_EQ(alignment.bones[b].found, b != lost);

  // Somebody knows where it is: that holds, though nothing in the scan speaks for it.
  std::vector<std::optional<Affined>> given(base().bones.size());
  given[lost] = scan.motions[lost] * inverse(base().scan.motions[lost]);
  warnings.clear();
  const Alignment told = align_bones(base().bones, test::joined(scan.bones), quick(), given, &warnings).value();
  EXPECT_EQ(told.bones[lost].motion, *given[lost]);
  EXPECT_LT(told.bones[lost].overlap, 0.2);
  EXPECT_TRUE(std::isfinite(told.bones[lost].residual) && std::isfinite(told.bones[lost].rotation_sd));
  for (const BoneFit& fit : told.bones) EXPECT_TRUE(fit.found);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].find("index-finger-phalanx-distal: left where it was set by hand"), 0u) << warnings[0];
}

TEST(Align, GivenMotionsAreRefinedNotSearched) {
  const Scan scan = scan_of(70, {}, 6);
  std::vector<std::optional<Affined>> given(base().bones.size());
  for (std::size_t b = 0; b < given.size(); ++b) {
    const Affined nearly{to_matrix(from_axis_angle(Vec3d{0, 0, 1}, 0.03)), {0.0004, 0, 0}};
    const Vec3d middle = Vec3d(bounds(scan.bones[b].positions).center());
    given[b] = Affined{nearly.linear, middle + nearly.translation - nearly.linear * middle} * scan.motions[b] *
               inverse(base().scan.motions[b]);
  }
  const Alignment alignment = align_bones(base().bones, test::joined(scan.bones), quick(), given).value();
  const Errors errors = errors_of(alignment, scan);
  EXPECT_LT(errors.degrees, most_degrees);
  EXPECT_LT(errors.millimetres, most_millimetres);
}

TEST(Align, IsTheSameForAnyNumberOfThreads) {
  const Scan scan = scan_of(30, {}, 7);
  const Mesh surface = test::joined(scan.bones);
  set_thread_count(1);
  const Alignment one = align_bones(base().bones, surface, quick()).value();
  set_thread_count(3);
  const Alignment three = align_bones(base().bones, surface, quick()).value();
  set_thread_count(0);
  for (std::size_t b = 0; b < one.bones.size(); ++b) {
    EXPECT_EQ(one.bones[b].motion, three.bones[b].motion);
    EXPECT_EQ(one.bones[b].rotation_sd, three.bones[b].rotation_sd);
  }
}

TEST(Align, NothingToAlignIsAnError) {
  EXPECT_FALSE(align_bones({}, {}, quick()));
  EXPECT_EQ(align_bones(base().bones, {}, quick()).error().item, "scan");
  const Mesh surface = test::joined(base().scan.bones);
  const Progress stop = [](std::string_view, double) { return false; };
  EXPECT_EQ(align_bones(base().bones, surface, quick(), {}, nullptr, stop).error().problem, "stopped on request");
}

/// An ellipsoid with three different axes, about 2 cm: no rotation leaves it as it is.
Mesh egg(double noise, std::uint64_t seed) {
  Rng rng(seed);
  const Vec3d radii{0.010, 0.006, 0.004}, shift{rng.uniform() * 1e-3, rng.uniform() * 1e-3, rng.uniform() * 1e-3};
  const Field field = [&](Vec3d p) {
    return (length(Vec3d{p.x / radii.x, p.y / radii.y, p.z / radii.z}) - 1) * radii.z;
  };
  const Grid grid{Vec3d{-0.012, -0.009, -0.007} - shift, {0.001, 0.001, 0.001}, {26, 20, 16}};
  Mesh mesh = isosurface(field, grid, 1);
  for (Vec3f& p : mesh.positions) {
    for (std::size_t k = 0; k < 3; ++k) p[k] += static_cast<float>(rng.uniform(-1, 1) * noise * std::sqrt(3.0));
  }
  mesh.normals.resize(mesh.positions.size());
  compute_normals(mesh.positions, mesh.triangles, mesh.normals);
  return mesh;
}

TEST(Icp, PlanesFindAKnownMotion) {
  const Affined truth{to_matrix(from_axis_angle(normalized(Vec3d{1, 2, 3}), 0.1)), {0.001, -0.0005, 0.0007}};
  Mesh moved = egg(0, 1);
  for (Vec3f& p : moved.positions) p = Vec3f(truth.point(Vec3d(p)));
  for (Vec3f& n : moved.normals) n = Vec3f(truth.vector(Vec3d(n)));
  const SurfaceSamples samples = sample_surface(egg(0, 1), {}, 500, 1);
  const TargetSurface target(moved);
  const Affined found = align_planes(samples, target, align_points(samples, target, {}, {}), {});
  // The same triangles: exact but for floats (1e-9 m) and where iterations stop (3e-7 m, 1e-5 radians).
  EXPECT_LT(length(log_rotation(from_matrix(transpose(truth.linear) * found.linear))), 1e-5);
  EXPECT_LT(length(found.point(samples.centre) - truth.point(samples.centre)), 3e-7);
}

TEST(Icp, UncertaintyIsOfTheSizeOfTheErrors) {
  // Both surfaces are rough by 0.05 mm. Mean squares over 30 tries stray by a fifth; noise of neighbouring samples is
  // not independent, and the stated figures do not know how marching cubes bends a surface.
  double turns = 0, shifts = 0, claimed_turns = 0, claimed_shifts = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const SurfaceSamples samples = sample_surface(egg(5e-5, seed), {}, 500, seed);
    const TargetSurface target(egg(5e-5, 100 + seed));
    const Affined found = align_planes(samples, target, {}, {});
    const FitMeasure measure = measure_fit(samples, target, found, {});
    turns += std::pow(length(log_rotation(from_matrix(found.linear))), 2);
    shifts += squared_length(found.point(samples.centre) - samples.centre);
    claimed_turns += std::pow(measure.rotation_sd, 2);
    claimed_shifts += std::pow(measure.shift_sd, 2);
  }
  EXPECT_GT(turns / claimed_turns, 0.3);
  EXPECT_LT(turns / claimed_turns, 3);
  EXPECT_GT(shifts / claimed_shifts, 0.3);
  EXPECT_LT(shifts / claimed_shifts, 3);
}

// The same uncertainty, direction by direction: it adds up to the two figures, and a turn about the middle is a shift
// elsewhere.
TEST(Icp, CovarianceHasTheStatedDeviations) {
  const SurfaceSamples samples = sample_surface(egg(5e-5, 1), {}, 500, 1);
  const FitMeasure measure = measure_fit(samples, TargetSurface(egg(5e-5, 2)), {}, {});
  const auto trace = [](const Mat3d& m) { return m.c0.x + m.c1.y + m.c2.z; };
  EXPECT_NEAR(std::sqrt(trace(measure.covariance.turn())), measure.rotation_sd, 1e-12);
  EXPECT_NEAR(std::sqrt(trace(measure.covariance.shift())), measure.shift_sd, 1e-12);
  const Vec3d off{0.3, 0, 0};
  const MotionCovariance far = about_point(measure.covariance, measure.covariance.about + off);
  const Mat3d turn = measure.covariance.turn();
  // Along y the point moves by what it is turned about z, 0.3 m away: far more than the bone is shifted.
  EXPECT_NEAR(far.shift().c1.y, 0.09 * turn.c2.z, 0.01 * 0.09 * turn.c2.z);
  EXPECT_NEAR(far.turn().c0.x, turn.c0.x, 1e-15);
  // Seen from a space that is turned by a quarter about z, x is -y.
  const Affined quarter{{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}, {1, 2, 3}};
  const MotionCovariance seen = carried(far, quarter);
  EXPECT_NEAR(seen.shift().c0.x, far.shift().c1.y, 1e-15);
  EXPECT_NEAR(seen.turn().c1.y, far.turn().c0.x, 1e-15);
  EXPECT_LT(length(seen.about - quarter.point(far.about)), 1e-12);
}

TEST(Icp, SamplesLieEvenlyAndNotWhereTheyAreLeftOut) {
  const Mesh mesh = egg(0, 1);
  std::vector<bool> left_out(mesh.positions.size());
  for (std::size_t v = 0; v < left_out.size(); ++v) left_out[v] = mesh.positions[v].x > 0.003f;
  const SurfaceSamples samples = sample_surface(mesh, left_out, 400, 1);
  ASSERT_EQ(samples.size(), 400u);
  std::size_t up = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    EXPECT_LT(samples.points[i].x, 0.003);
    EXPECT_NEAR(length(samples.normals[i]), 1, 1e-9);
    EXPECT_GT(dot(samples.normals[i], samples.points[i]), 0);  // outwards
    if (samples.points[i].z > 0) ++up;
  }
  EXPECT_NEAR(static_cast<double>(up), 200, 20);
  EXPECT_EQ(thinned(samples, 100).size(), 100u);
  EXPECT_EQ(sample_surface(mesh, std::vector<bool>(mesh.positions.size(), true), 10, 1).size(), 0u);
}

/// The modelled hand's only single bone beside those that lead: the ulna, round and fixed to the radius.
std::vector<ScanBone> base_bodies() {
  const test::Pieces pieces = test::pieces_of(base().scan.bones);
  const BoneTemplate hand = make::hand_template(Side::right);
  const Naming naming = name_bones(pieces.parts, hand).value();
  return scan_bodies(pieces.parts, hand, naming, base().bones);
}

TEST(AlignBodies, OneThatDidNotMoveAgainstItsLeaderIsOneWithIt) {
  const std::vector<ScanBone> bodies = base_bodies();
  ASSERT_EQ(bodies.size(), 1u);
  EXPECT_EQ(bodies[0].name, "ulna");
  const Scan scan = scan_of(30, {}, 5);
  Warnings warnings;
  const auto aligned = align_bones(base().bones, test::joined(scan.bones), quick(), {}, &warnings, {}, bodies);
  ASSERT_TRUE(aligned) << aligned.error().message();
  ASSERT_EQ(aligned->bones.size(), base().bones.size());
  ASSERT_EQ(aligned->bodies.size(), 1u);
  EXPECT_TRUE(aligned->bodies[0].found);
  EXPECT_LT(norm(aligned->bodies[0].motion.linear - aligned->bones[0].motion.linear), 1e-12);
  EXPECT_LT(errors_of(*aligned, scan).degrees, most_degrees);
  EXPECT_TRUE(warnings.empty()) << warnings.front();
}

// A bone of another shape near by covers it, and fits it badly.
TEST(AlignBodies, OneThatFitsBadlyIsNotFoundUnlessSetByHand) {
  std::vector<ScanBone> bodies = base_bodies();
  ASSERT_EQ(bodies.size(), 1u);
  const Vec3f middle = bounds(bodies[0].surface.positions).center();
  for (Vec3f& p : bodies[0].surface.positions) p = middle + (p - middle) * 1.15f;
  const Scan scan = scan_of(30, {}, 5);
  const Mesh surface = test::joined(scan.bones);
  Warnings warnings;
  const auto aligned = align_bones(base().bones, surface, quick(), {}, &warnings, {}, bodies);
  ASSERT_TRUE(aligned) << aligned.error().message();
  EXPECT_FALSE(aligned->bodies[0].found);
  EXPECT_LT(norm(aligned->bodies[0].motion.linear - aligned->bones[0].motion.linear), 1e-12);  // as the radius
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("ulna: not found, bone near it has another shape"), std::string::npos) << warnings[0];
  std::vector<std::optional<Affined>> given(base().bones.size() + 1);
  given.back() = aligned->bones[0].motion;
  const auto by_hand = align_bones(base().bones, surface, quick(), given, nullptr, {}, bodies);
  ASSERT_TRUE(by_hand) << by_hand.error().message();
  EXPECT_TRUE(by_hand->bodies[0].found);
}

}  // namespace
}  // namespace supple::scan
