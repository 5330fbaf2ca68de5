// CalculiX as an oracle: decks as its manual asks for, and the same shapes from both codes and from closed forms.
#include "supple/author/simulate/calculix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <sstream>

#include "supple/author/simulate/calculix/deck.h"
#include "supple/author/simulate/calculix/results.h"
#include "supple/base/file.h"
#include "supple/make/hand.h"
#include "support/run_command.h"
#include "support/tet_bars.h"

namespace supple::simulate {
namespace {

using Shape = std::vector<Vec3d>;
constexpr double degree = std::numbers::pi / 180;

#define SKIP_WITHOUT_CALCULIX() \
  if (!has_calculix()) GTEST_SKIP() << "ccx is not installed (apt-get install calculix-ccx)"

/// Bone 0 holds the end x = 0 of a bar, bone 1 the other.
TissueModel bar_model(const TetMesh& mesh, double length, const Material& material) {
  std::vector<std::uint32_t> bone_of;
  for (const Vec3d& p : mesh.nodes) bone_of.push_back(p.x < 1e-9 ? 0 : p.x > length - 1e-9 ? 1 : no_bone);
  auto model = TissueModel::make(mesh, std::move(bone_of), std::span(&material, 1));
  EXPECT_TRUE(model.ok()) << model.error().message();
  return std::move(*model);
}

/// Where our solver ends from a guess; the tolerance leaves nothing but rounding.
Shape solved(const TissueModel& model, Shape guess) {
  NewtonOptions options;
  options.tolerance = 1e-11;
  auto equilibrium = Equilibrium::make(model, options);
  EXPECT_TRUE(equilibrium.ok());
  EXPECT_TRUE(equilibrium->solve(guess).converged);
  return guess;
}

/// Metres, over all nodes.
double largest_distance(const Shape& a, const Shape& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t v = 0; v < a.size(); ++v) largest = std::max(largest, length(a[v] - b[v]));
  return largest;
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// One element whose base is held; node 1 belongs to nothing, so numbers have a gap.
TissueModel one_element(bool quadratic, const Material& material = {}) {
  TetMesh mesh;
  mesh.nodes = {{0, 0, 0}, {.001, 0, 0}, {0, .001, 0}, {0, 0, .001}};
  mesh.elements = {0, 1, 2, 3};
  if (quadratic) mesh = to_quadratic(mesh);
  mesh.nodes.insert(mesh.nodes.begin() + 1, Vec3d{.5, .5, .5});
  for (std::uint32_t& v : mesh.elements) v += v > 0 ? 1 : 0;
  std::vector<std::uint32_t> bone_of(mesh.nodes.size(), no_bone);
  bone_of[0] = bone_of[2] = bone_of[3] = 0;
  auto model = TissueModel::make(mesh, bone_of, std::span(&material, 1));
  EXPECT_TRUE(model.ok());
  return std::move(*model);
}

TEST(CalculixDeck, IsWhatTheManualAsksFor) {
  const TissueModel model = one_element(false);
  const std::vector<Shape> waypoints(2, model.mesh().nodes);
  const std::string deck = calculix_deck(model, waypoints, 4);
  EXPECT_EQ(deck.rfind("*NODE, NSET=NODES\n1, 0.0000000000000e+00, 0.0000000000000e+00, 0.0000000000000e+00\n3, ", 0),
            0u);
  EXPECT_EQ(count(deck, "*ELEMENT, TYPE=C3D4, ELSET=REGION1\n1, 1, 3, 4, 5\n"), 1u);
  EXPECT_EQ(count(deck, "*SOLID SECTION, ELSET=REGION1, MATERIAL=FLESH1\n"), 1u);
  EXPECT_EQ(count(deck, "*STEP, NLGEOM"), 2u);
  EXPECT_EQ(count(deck, "*STATIC\n0.25, 1., 1e-6, 0.25\n"), 2u);
  EXPECT_EQ(count(deck, "*END STEP\n"), 2u);
  for (const char* line : {"\n1, 1, 1, 0", "\n3, 2, 2, 0", "\n4, 3, 3, 0"}) EXPECT_EQ(count(deck, line), 2u) << line;
  EXPECT_EQ(count(deck, "\n5, 1, 1"), 0u);  // free
  EXPECT_EQ(count(deck, "\n2, "), 0u);      // of no element
  // The manual: 2 C10 is the shear modulus, 2 / D1 the bulk modulus.
  const std::size_t at = deck.find("*HYPERELASTIC, NEO HOOKE\n") + 25;
  double c10 = 0, d1 = 0;
  ASSERT_EQ(std::sscanf(deck.c_str() + at, "%lf, %lf", &c10, &d1), 2);
  const Hyperelastic& h = model.material(0);
  EXPECT_NEAR(2 / d1 / (2 * c10), h.bulk_modulus() / h.shear_modulus(), 1e-10);
}

TEST(CalculixDeck, NumbersFitIntoTwentyCharacters) {
  TetMesh mesh = test::tet_bar({.1, .123456789012345, 1}, 1, 1, 1);
  for (Vec3d& p : mesh.nodes) p -= Vec3d{1e-5, 20, 1e-12};
  std::vector<std::uint32_t> bone_of(mesh.nodes.size(), 0);
  bone_of[3] = no_bone;
  const Material materials[2] = {{1, .47}, {1e-9, .1}};
  std::vector<std::uint32_t> regions(mesh.element_count(), 0);
  regions[0] = 1;
  const auto model = TissueModel::make(mesh, bone_of, materials, regions);
  ASSERT_TRUE(model.ok()) << model.error().message();
  const std::vector<Shape> far{Shape(mesh.nodes.size(), Vec3d{-1e-3, 1e3, -1e-5})};
  std::istringstream deck(calculix_deck(*model, far));
  for (std::string line; std::getline(deck, line);) {
    if (line[0] == '*') continue;
    std::istringstream fields(line);
    for (std::string field; std::getline(fields >> std::ws, field, ',');) EXPECT_LE(field.size(), 20u) << line;
  }
}

TEST(CalculixDeck, RegionsHaveTheirMaterials) {
  const TetMesh mesh = test::tet_bar({.01, .01, .01}, 1, 1, 1);
  std::vector<std::uint32_t> bone_of(mesh.nodes.size(), no_bone);
  bone_of[0] = 0;
  const Material materials[3] = {{2, .3}, {5, .4}, {6, .4}};
  const std::vector<std::uint32_t> regions{2, 0, 0, 2, 2, 2};  // none of region 1
  const auto model = TissueModel::make(mesh, bone_of, materials, regions);
  ASSERT_TRUE(model.ok());
  const std::string deck = calculix_deck(*model, std::vector<Shape>{mesh.nodes});
  EXPECT_EQ(count(deck, "ELSET=REGION1\n2, "), 1u);
  EXPECT_EQ(count(deck, "ELSET=REGION3\n1, "), 1u);
  EXPECT_EQ(count(deck, "REGION2"), 0u);
  EXPECT_EQ(count(deck, "NAME=FLESH1\n"), 1u);
  EXPECT_EQ(count(deck, "NAME=FLESH3\n"), 1u);
}

TEST(CalculixResults, TablesAreReadAndHalfTablesLeftOut) {
  const TissueModel model = one_element(false);
  const std::vector<Shape> waypoints(2, Shape(5, Vec3d{7, 8, 9}));
  const std::string table =
      "\n displacements (vx,vy,vz) for set NODES and time  0.1000000E+01\n\n"
      "         1  0.000000E+00  0.000000E+00  0.000000E+00\n"
      "         5  1.000000E+00 -2.500000E-01 -1.502765E-03\n";
  const std::string started = "\n displacements (vx,vy,vz) for set NODES and time  0.2000000E+01\n\n";
  for (const std::string& dat : {table, table + started}) {
    const auto shapes = read_displacements(dat, model, waypoints);
    ASSERT_TRUE(shapes.ok());
    ASSERT_EQ(shapes->size(), 1u);
    EXPECT_EQ((*shapes)[0][0], (Vec3d{7, 8, 9}));       // held: as asked for
    EXPECT_EQ((*shapes)[0][1], model.mesh().nodes[1]);  // of no element
    EXPECT_NEAR(length((*shapes)[0][4] - Vec3d{.001, -.00025, .001 - 1.502765e-6}), 0, 1e-15);
  }
  EXPECT_EQ(read_displacements(table + table, model, waypoints)->size(), 2u);
  EXPECT_FALSE(read_displacements(started + "  99  0.0 0.0 0.0\n", model, waypoints).ok());
  EXPECT_FALSE(read_displacements(started + "  5  0.0 ****** 0.0\n", model, waypoints).ok());
  EXPECT_TRUE(read_displacements("", model, waypoints)->empty());
}

TEST(CalculixResults, SummaryCountsIncrements) {
  const CalculixSummary s = read_summary(
      "SUMMARY OF JOB INFORMATION\n  STEP      INC     ATT  ITRS     TOT TIME     STEP TIME      INC TIME\n"
      "     1          1     3     5  0.250000E+00  0.250000E+00  0.250000E+00\n"
      "     1          2     1     4  0.100000E+01  0.100000E+01  0.750000E+00\n");
  EXPECT_EQ(s.increments, 2);
  EXPECT_EQ(s.iterations, 9);
  EXPECT_EQ(s.cutbacks, 2);
  EXPECT_EQ(s.time, 1);
}

TEST(Calculix, BadInputIsNamed) {
  const TissueModel model = one_element(false);
  CalculixOptions missing;
  missing.program = "no-such-ccx";
  EXPECT_FALSE(has_calculix(missing));
  const std::vector<Shape> stay{model.mesh().nodes};
  const auto without = solve_with_calculix(model, stay, missing);
  ASSERT_FALSE(without.ok());
  EXPECT_NE(without.error().message().find("no-such-ccx"), std::string::npos);
  EXPECT_NE(without.error().remedy.find("apt-get install calculix-ccx"), std::string::npos);
  EXPECT_FALSE(solve_with_calculix(model, {}).ok());
  EXPECT_FALSE(solve_with_calculix(model, std::vector<Shape>{Shape(3)}).ok());
  std::vector<Shape> nowhere = stay;
  nowhere[0][2].y = std::nan("");
  EXPECT_NE(solve_with_calculix(model, nowhere).error().message().find("node 2"), std::string::npos);
}

TEST(Calculix, LastErrorIsPassedOn) {
  const test::ScratchFolder folder;
  CalculixOptions options;
  options.program = (folder / "ccx").string();
  ASSERT_TRUE(write_file(options.program, "#!/bin/sh\necho ' *ERROR: too many cutbacks'\nexit 201\n").ok());
  std::filesystem::permissions(options.program, std::filesystem::perms::owner_all);
  const TissueModel model = one_element(false);
  const auto failed = solve_with_calculix(model, std::vector<Shape>{model.mesh().nodes}, options);
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.error().problem.find("*ERROR: too many cutbacks"), std::string::npos) << failed.error().message();
}

TEST(Calculix, ImpossibleShapesAreSeen) {
  SKIP_WITHOUT_CALCULIX();
  const double length = .01;
  const TetMesh mesh = test::tet_bar({length, length, length}, 2, 1, 1);
  const TissueModel model = bar_model(mesh, length, {1, .45, Law::neo_hookean});
  std::vector<Shape> flat(1, mesh.nodes), through = flat;
  for (Vec3d& p : flat[0]) p = p.x > length - 1e-9 ? Vec3d{length, 0, 0} : p;  // a whole end in one point
  for (Vec3d& p : through[0]) p.x = p.x > length - 1e-9 ? -length : p.x;       // one end pushed through the other
  const test::ScratchFolder folder;
  CalculixOptions options;
  options.folder = folder / "kept";
  options.increments = 3;
  const auto failed = solve_with_calculix(model, flat, options);
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.error().problem.find("gave up after 2 increments"), std::string::npos) << failed.error().message();
  EXPECT_TRUE(std::filesystem::exists(options.folder / "flesh.inp"));
  // Increments step over infinite energies: it arrives all the same, and what is inside out is counted.
  options.increments = 20;
  const auto leapt = solve_with_calculix(model, through, options);
  ASSERT_TRUE(leapt.ok()) << leapt.error().message();
  EXPECT_GT(leapt->health[0].inverted, 0u);

  const auto stopped = solve_with_calculix(model, through, {}, [](std::string_view, double) { return false; });
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().problem, "was stopped");
}

/// The lateral stretch at which a Neo-Hookean bar has no lateral stress: mu J^(-2/3) (t - I / (3 t)) + K (J - 1) s t =
/// 0 with J = s t^2 and I = s^2 + 2 t^2, found by bisection.
double lateral_stretch(const Hyperelastic& h, double s) {
  const auto lateral_stress = [&](double t) {
    const double j = s * t * t, i = s * s + 2 * t * t;
    return h.shear_modulus() * std::pow(j, -2.0 / 3) * (t - i / (3 * t)) + h.bulk_modulus() * (j - 1) * s * t;
  };
  double low = .1, high = 3;
  for (int k = 0; k < 200; ++k) (lateral_stress((low + high) / 2) < 0 ? low : high) = (low + high) / 2;
  return (low + high) / 2;
}

TEST(Calculix, StretchedCubeIsTheClosedFormInBothCodes) {
  const double length = .02;
  for (const bool quadratic : {false, true}) {
    TetMesh mesh = test::tet_bar({length, length, length}, 3, 2, 2);
    if (quadratic) mesh = to_quadratic(mesh);
    const TissueModel model = bar_model(mesh, length, {3000, .45, Law::neo_hookean});
    for (const double stretch : {1.6, .7}) {
      const double t = lateral_stretch(model.material(0), stretch);
      Shape exact = mesh.nodes, guess = mesh.nodes;
      for (std::size_t v = 0; v < exact.size(); ++v) {
        exact[v] = {stretch * exact[v].x, t * exact[v].y, t * exact[v].z};
        guess[v] = model.bone_of()[v] == no_bone ? Vec3d{stretch * guess[v].x, guess[v].y, guess[v].z} : exact[v];
      }
      const double ours = largest_distance(solved(model, guess), exact) / length;
      EXPECT_LT(ours, 1e-11);  // rounding
      if (!has_calculix()) continue;
      CalculixOptions options;
      options.increments = 4;
      options.threads = 1;  // more are slower for so few elements
      const auto theirs = solve_with_calculix(model, std::vector<Shape>{exact}, options);
      ASSERT_TRUE(theirs.ok()) << theirs.error().message();
      const double difference = largest_distance(theirs->shapes[0], exact) / length;
      std::printf("cube C3D%d stretched to %.1f (lateral %.6f): ours %.1e, CalculiX %.1e of its side, %d iterations\n",
                  quadratic ? 10 : 4, stretch, t, ours, difference, theirs->iterations);
      // Displacements up to 12 mm are printed to 5e-6 mm a coordinate: sqrt(3) 5e-6 mm / 20 mm = 4.4e-7.
      EXPECT_LT(difference, 5e-7);
    }
  }
}

/// A bar of length L along x whose every cross-section is turned about z in proportion to x, by `angle` at its end: its
/// axis, at height `middle`, runs along an arc of length L.
Shape bent(const TetMesh& mesh, double length, double middle, double angle) {
  Shape shape = mesh.nodes;
  for (Vec3d& p : shape) {
    const double a = angle * p.x / length, radius = length / angle;
    const double r = radius + middle - p.y;
    p = {r * std::sin(a), radius - r * std::cos(a), p.z};
  }
  return shape;
}

TEST(Calculix, BentBarIsTheSameInBothCodes) {
  SKIP_WITHOUT_CALCULIX();
  const double length = .06;
  for (const bool quadratic : {false, true}) {
    const std::uint32_t cells = quadratic ? 2 : 3;
    TetMesh mesh = test::tet_bar({length, .015, .015}, 4 * cells, cells, cells);
    if (quadratic) mesh = to_quadratic(mesh);
    const TissueModel model = bar_model(mesh, length, {1, .45, Law::neo_hookean});
    std::vector<Shape> waypoints;
    for (double angle = 15; angle <= 60; angle += 15) waypoints.push_back(bent(mesh, length, .0075, angle * degree));
    CalculixOptions options;
    options.threads = 1;
    const auto theirs = solve_with_calculix(model, waypoints, options);
    ASSERT_TRUE(theirs.ok()) << theirs.error().message();
    const Shape ours = solved(model, waypoints.back());
    const TissueModel stable = bar_model(mesh, length, {1, .45, Law::stable_neo_hookean});
    const double difference = largest_distance(theirs->shapes.back(), ours) / length;
    std::printf(
        "bar C3D%d bent by 60 degrees: differs by %.1e of its length (another law, stable: %.1e; guess: %.1e), "
        "%d iterations in %d steps, %.2f s\n",
        quadratic ? 10 : 4, difference, largest_distance(solved(stable, waypoints.back()), ours) / length,
        largest_distance(waypoints.back(), ours) / length, theirs->iterations, theirs->steps, theirs->seconds);
    // Displacements up to 51 mm are printed to 5e-6 mm a coordinate: sqrt(3) 5e-6 mm / 60 mm = 1.4e-7.
    EXPECT_LT(difference, 2e-7);
  }
}

TEST(Calculix, PosedHandIsTheSameInBothCodes) {
  SKIP_WITHOUT_CALCULIX();
  make::HandOptions hand_options;
  hand_options.vertices = 2000;
  const auto hand = make::make_hand(hand_options);
  ASSERT_TRUE(hand.ok());
  const auto body = body_of(*hand);
  ASSERT_TRUE(body.ok()) << body.error().message();
  TissueOptions options;
  options.element_size = .007;
  options.materials = {{1, .47, Law::neo_hookean}};
  const auto tissue = make_tissue(*body, options);
  ASSERT_TRUE(tissue.ok()) << tissue.error().message();
  std::vector<Pose> poses(2, hand->rest());
  for (std::size_t p = 0; p < 2; ++p) {
    const auto angle = static_cast<float>((p == 0 ? 15 : 30) * degree);
    ASSERT_TRUE(rotate(poses[p], body->skeleton, "index-finger-phalanx-intermediate", "flexion", angle).ok());
  }
  CalculixOptions one_thread;
  one_thread.threads = 1;  // no slower for so few elements
  const auto theirs = calculix_walk(*body, *tissue, poses, WalkOptions{}.max_step, one_thread);
  ASSERT_TRUE(theirs.ok()) << theirs.error().message();
  EXPECT_EQ(theirs->steps, 4);
  ASSERT_EQ(theirs->shapes.size(), 2u);

  WalkOptions walk;
  walk.newton.tolerance = 1e-9;
  auto walker = Walker::make(*body, *tissue, walk);
  ASSERT_TRUE(walker.ok());
  double largest = 0, seconds = 0;
  int iterations = 0;
  for (std::size_t p = 0; p < 2; ++p) {
    const auto ours = walker->go(poses[p]);
    ASSERT_TRUE(ours.ok() && ours->converged);
    EXPECT_EQ(ours->steps.size(), 2u);
    seconds += ours->seconds;
    iterations += ours->iterations();
    largest = std::max(largest, largest_distance(theirs->shapes[p], {walker->nodes().begin(), walker->nodes().end()}));
    EXPECT_EQ(theirs->health[p].inverted, 0u);
    EXPECT_NEAR(theirs->health[p].min_det, ours->health.min_det, 1e-5);
  }
  std::printf(
      "hand, %zu elements, index PIP 30 degrees: differs by %.1e mm; per step: ours %.2f s, %.1f iterations; "
      "CalculiX %.2f s, %.1f iterations\n",
      tissue->model.mesh().element_count(), largest * 1e3, seconds / 4, iterations / 4.0, theirs->seconds / 4,
      theirs->iterations / 4.0);
  // The fingertip moves by some 20 mm: printed to 5e-6 mm a coordinate, sqrt(3) 5e-6 mm = 8.7e-6 mm.
  EXPECT_LT(largest * 1e3, 2e-5);
}

}  // namespace
}  // namespace supple::simulate
