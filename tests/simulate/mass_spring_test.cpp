// Masses and springs against vibrations in closed form and against the laws of motion.
#include "supple/author/simulate/mass_spring.h"

#include <gtest/gtest.h>

#include <numbers>

#include "supple/base/quat.h"
#include "supple/base/rng.h"
#include "support/tet_bars.h"

namespace supple::simulate {
namespace {

/// Regular, edges of 20 cm times the root of two.
TetMesh tetrahedron() {
  return {{{0.1, 0.1, 0.1}, {-0.1, -0.1, 0.1}, {-0.1, 0.1, -0.1}, {0.1, -0.1, -0.1}}, 4, {0, 1, 2, 3}};
}

Vec3d momentum(const MassSpring& body) {
  Vec3d sum{};
  for (std::size_t i = 0; i < body.masses().size(); ++i) sum += body.velocities()[i] * body.masses()[i];
  return sum;
}
Vec3d angular_momentum(const MassSpring& body) {
  Vec3d sum{};
  for (std::size_t i = 0; i < body.masses().size(); ++i)
    sum += cross(body.positions()[i], body.velocities()[i]) * body.masses()[i];
  return sum;
}

void throw_about(MassSpring& body, std::uint64_t seed, double speed) {
  Rng rng(seed);
  for (Vec3d& v : body.velocities())
    v = {rng.uniform(-speed, speed), rng.uniform(-speed, speed), rng.uniform(-speed, speed)};
}

TEST(MassSpring, TetrahedronVibratesAsAMoleculeOfFour) {
  // One element of volume V has four masses of density * V / 4 and six springs of k = E * V / length^2. Its squared
  // frequencies are 4, 2 and 1 times k / m: breathing, shear, and one axis against the other two.
  const TetMesh mesh = tetrahedron();
  MassSpringOptions options;
  const double volume = 0.2 * 0.2 * 0.2 / 3;
  const double k = options.stiffness * volume / 0.08, m = options.density * volume / 4;
  struct Mode {
    double squared;  // in k / m
    Vec3d (*shape)(Vec3d);
  };
  const Mode modes[] = {{4, [](Vec3d p) { return p; }},
                        {2,
                         [](Vec3d p) {
                           return Vec3d{p.y, p.x, 0};
                         }},
                        {1, [](Vec3d p) {
                           return Vec3d{p.x, p.y, -2 * p.z};
                         }}};
  for (const Mode& mode : modes) {
    const double w = std::sqrt(mode.squared * k / m), size = 1e-5;
    options.max_step = 1e-3 / w;
    auto body = MassSpring::make(mesh, {}, options);
    ASSERT_TRUE(body) << body.error().message();
    ASSERT_EQ(body->springs(), 6u);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(body->masses()[i], m, 1e-12);
      body->positions()[i] += mode.shape(mesh.nodes[i]) * size;
    }
    for (int i = 1; i <= 12; ++i) {
      body->advance({}, 0.5 / w);
      const double expected = std::cos(0.5 * i);
      for (std::size_t n = 0; n < 4; ++n) {
        const Vec3d moved = (body->positions()[n] - mesh.nodes[n]) / size;
        // The springs turn a little, by the size of the motion; steps of w / 1000 are off by less.
        EXPECT_LT(length(moved - mode.shape(mesh.nodes[n]) * expected), 1e-5) << mode.squared << ' ' << i;
      }
    }
  }
}

TEST(MassSpring, BreathingDiesAwayByTheDampingRatio) {
  const TetMesh mesh = tetrahedron();
  MassSpringOptions options;
  const double w = std::sqrt(16 * options.stiffness / options.density / 0.08), ratio = 0.2;
  options.damping = 2 * ratio / w;
  options.max_step = 1e-4 / w;
  auto body = MassSpring::make(mesh, {}, options);
  ASSERT_TRUE(body);
  for (Vec3d& p : body->positions()) p *= 1.1;
  const double slower = std::sqrt(1 - ratio * ratio);
  for (int i = 1; i <= 10; ++i) {
    body->advance({}, 1 / w);
    const double expected = std::exp(-ratio * i) * (std::cos(slower * i) + ratio / slower * std::sin(slower * i));
    // Breathing is linear at any size. Damping is of first order in the step.
    EXPECT_NEAR((length(body->positions()[0]) / length(mesh.nodes[0]) - 1) / 0.1, expected, 1e-4) << i;
  }
}

TEST(MassSpring, FallsFreely) {
  MassSpringOptions options;
  options.gravity = {1, -9.81, 0};
  options.damping = 0.01;
  const TetMesh mesh = test::tet_bar({0.1, 0.2, 0.1}, 2, 4, 2);
  auto body = MassSpring::make(mesh, {}, options);
  ASSERT_TRUE(body);
  for (Vec3d& v : body->velocities()) v = {0, 3, 0};
  for (int i = 0; i < 30; ++i) body->advance({}, 1.0 / 60);
  const Vec3d fallen = options.gravity * 0.125 + Vec3d{0, 1.5, 0};
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    EXPECT_LT(length(body->positions()[i] - mesh.nodes[i] - fallen), 1e-12);
}

TEST(MassSpring, MomentumStays) {
  MassSpringOptions options;
  options.damping = 0.005;
  auto body = MassSpring::make(test::tet_bar({0.1, 0.2, 0.1}, 2, 4, 2), {}, options);
  ASSERT_TRUE(body);
  throw_about(*body, 5, 0.5);
  const Vec3d before = momentum(*body), turning = angular_momentum(*body);
  const double energy = body->energy();
  body->advance({}, 1);
  EXPECT_LT(length(momentum(*body) - before), 1e-12 * energy);
  EXPECT_LT(length(angular_momentum(*body) - turning), 1e-12 * energy);
  EXPECT_LT(body->energy(), energy / 4);  // what is left is flight and turning
}

TEST(MassSpring, EnergyDoesNotGrow) {
  const TetMesh mesh = test::tet_bar({0.1, 0.2, 0.1}, 2, 4, 2);
  const std::vector<std::uint32_t> held{0, 1, 2};
  for (const double damping : {0.0, 1e-4, 0.01, 1.0}) {
    MassSpringOptions options;
    options.damping = damping;
    // At the step chosen for stability, energy wavers but stays bounded for hundreds of steps; a tenth of it shows it
    // constant. The wavering is at most (w t)^2 / 4 for the fastest vibration, whose w t is below 1.8 at that step.
    for (const double part : {1.0, 0.1}) {
      options.max_step = 1;
      auto longest = MassSpring::make(mesh, held, options);
      ASSERT_TRUE(longest);
      options.max_step = part * longest->longest_step();
      auto body = MassSpring::make(mesh, held, options);
      ASSERT_TRUE(body);
      throw_about(*body, 9, 0.3);
      for (const std::uint32_t node : held) body->velocities()[node] = {};
      const double start = body->energy();
      for (int i = 0; i < 20; ++i) {
        body->advance({}, 25 * longest->longest_step());
        const double now = body->energy();
        ASSERT_LT(now, start * (part < 1 ? 1.01 : 3)) << damping << ' ' << i;
        if (damping == 0 && part < 1) {
          EXPECT_GT(now, start * 0.99) << i;
        }
      }
    }
  }
}

TEST(MassSpring, MovedAsAWholeItFeelsNothing) {
  const TetMesh mesh = test::tet_bar({0.1, 0.2, 0.1}, 2, 4, 2);
  auto body = MassSpring::make(mesh, {}, {});
  ASSERT_TRUE(body);
  const Affined motion{to_matrix(from_axis_angle(normalized(Vec3d{1, 2, 3}), 2.0)), {1, -2, 3}};
  for (Vec3d& p : body->positions()) p = motion.point(p);
  EXPECT_LT(body->energy(), 1e-24);
  body->advance({}, 0.1);
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    EXPECT_LT(length(body->positions()[i] - motion.point(mesh.nodes[i])), 1e-13);
}

TEST(MassSpring, HeldNodesFollowTheBoneAndTheRestComesAlong) {
  const TetMesh mesh = test::tet_bar({0.1, 0.2, 0.1}, 2, 4, 2);
  std::vector<std::uint32_t> held;
  for (std::uint32_t i = 0; i < mesh.nodes.size(); ++i)
    if (mesh.nodes[i].y == 0) held.push_back(i);
  MassSpringOptions options;
  options.damping = 0.04;
  auto body = MassSpring::make(mesh, held, options);
  ASSERT_TRUE(body);
  const Affined there{to_matrix(from_axis_angle(Vec3d{0, 0, 1}, 0.3)), {0.05, 0, 0.02}};
  body->advance(there, 0.2);
  for (const std::uint32_t node : held) EXPECT_EQ(body->positions()[node], there.point(mesh.nodes[node]));
  double behind = 0;
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    behind = std::max(behind, length(body->positions()[i] - there.point(mesh.nodes[i])));
  EXPECT_GT(behind, 0.001);
  body->advance(there, 15);
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    EXPECT_LT(length(body->positions()[i] - there.point(mesh.nodes[i])), 1e-6);
}

TEST(MassSpring, SaysWhatIsWrong) {
  const TetMesh mesh = tetrahedron();
  const auto problem = [&](auto&& change) {
    TetMesh given = mesh;
    std::vector<std::uint32_t> held;
    MassSpringOptions options;
    change(given, held, options);
    auto body = MassSpring::make(given, held, options);
    return body ? std::string("nothing") : body.error().message();
  };
  using Nodes = std::vector<std::uint32_t>;
  EXPECT_EQ(problem([](TetMesh&, Nodes& held, MassSpringOptions&) {
              held = {1, 4};
            }),
            "held node 4: does not exist among 4 nodes");
  EXPECT_EQ(problem([](TetMesh& m, Nodes&, MassSpringOptions&) { m = to_quadratic(m); }),
            "mesh: has quadratic elements (give linear ones)");
  EXPECT_EQ(problem([](TetMesh& m, Nodes&, MassSpringOptions&) { m.elements.clear(); }),
            "mesh: has no elements (choose a smaller element size)");
  EXPECT_EQ(problem([](TetMesh& m, Nodes&, MassSpringOptions&) { m.nodes.push_back({}); }),
            "node 4: is of no element (leave it out)");
  EXPECT_EQ(problem([](TetMesh&, Nodes&, MassSpringOptions& o) { o.stiffness = -1; }),
            "stiffness: is not a positive number (try 10000 Pa)");
  EXPECT_EQ(problem([](TetMesh&, Nodes&, MassSpringOptions& o) { o.density = 0; }),
            "density: is not a positive number (water has 1000 kg/m^3)");
  EXPECT_EQ(problem([](TetMesh&, Nodes&, MassSpringOptions& o) { o.damping = -0.1; }),
            "damping: is negative or not a number (0 is no damping)");
  EXPECT_EQ(problem([](TetMesh&, Nodes&, MassSpringOptions& o) { o.max_step = std::nan(""); }),
            "max_step: is not a positive number (try 0.001 s)");
  EXPECT_NE(problem([](TetMesh& m, Nodes&, MassSpringOptions&) { std::swap(m.elements[0], m.elements[1]); }),
            "nothing");
}

}  // namespace
}  // namespace supple::simulate
