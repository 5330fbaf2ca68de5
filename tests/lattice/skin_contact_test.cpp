// Skin that presses on skin: gaps by closed form and by moving nodes, what is no contact, and what a pose comes to.
#include "supple/author/lattice/skin_contact.h"

#include <gtest/gtest.h>

#include <limits>

#include "supple/author/lattice/lattice_teacher.h"
#include "supple/base/rng.h"
#include "supple/measure/intersections.h"
#include "support/lattice_posed.h"
#include "support/lattice_shapes.h"

namespace supple::lattice {
namespace {

using test::add_part;
using test::all_of;
using test::append_surface;
using test::bend_between;
using test::cut_box;
using test::jointed;
using test::Posed;
using test::posed_by;
using test::turned_at;

/// A box of side 1 and one beside it, .4 away along x, which follows another joint.
Surface two_boxes(double apart = 0.4) {
  Surface surface = test::surface_of(cut_box({0, 0, 0}, {1, 1, 1}, {6, 6, 6}), {no_joint, no_joint});
  append_surface(surface, cut_box({1 + apart, 0, 0}, {2 + apart, 1, 1}, {6, 6, 6}), all_of(1));
  return surface;
}

/// The surface in edges of a cell, what follows joint 1 moved along x by some of the surface's units.
std::vector<Vec3f> moved(const Surface& surface, const Lattice& lattice, double x) {
  std::vector<Vec3f> posed;
  for (std::size_t v = 0; v < surface.positions.size(); ++v) {
    const double by = surface.weights.of(v)[0].joint == 1 ? x : 0;
    posed.push_back(Vec3f((Vec3d(surface.positions[v]) + Vec3d{by, 0, 0} - lattice.origin) * (1 / lattice.edge)));
  }
  return posed;
}

TEST(SkinContact, GapsAreDistancesAlongTheNormal) {
  const Surface surface = two_boxes();
  const Lattice lattice = make_lattice(surface, 600).value();
  const SkinContact contact(surface, lattice);
  const double edge = lattice.edge;
  ASSERT_TRUE(contact.find(lattice, moved(surface, lattice, 0)).empty());
  for (const double overlap : {-0.1, 0.3, 0.6}) {  // edges of a cell
    const auto contacts = contact.find(lattice, moved(surface, lattice, -0.4 - overlap * edge));
    ASSERT_GT(contacts.size(), 10u) << overlap;
    std::size_t along_x = 0;
    for (const Contact& c : contacts) {
      if (std::abs(c.away.x) < 0.999f) continue;  // rims of the boxes touch aslant
      ++along_x;
      EXPECT_NEAR(double{c.gap}, -overlap - 0.15, 1e-3);  // .15: the margin that is kept
      float sum = 0;
      for (const float w : c.weights) sum += w;
      EXPECT_NEAR(sum, 0, 1e-5f);
    }
    EXPECT_GT(along_x, 5u) << overlap;
  }
}

TEST(SkinContact, WeightsAreTheSlopeOfTheGap) {
  const Surface surface = two_boxes();
  const Lattice lattice = make_lattice(surface, 600).value();
  const SkinContact contact(surface, lattice);
  const std::vector<Vec3f> before = moved(surface, lattice, -0.4 - 0.3 * lattice.edge);
  Rng rng(5);
  std::vector<Vec3f> motion;
  for (std::size_t n = 0; n < lattice.nodes.size(); ++n)
    motion.push_back(Vec3f(Vec3d{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)} * 1e-3));
  std::vector<Vec3f> after = before;
  for (std::size_t v = 0; v < after.size(); ++v) {
    const std::array<float, 8> shape = lattice.shape(v);
    for (std::size_t c = 0; c < 8; ++c) after[v] = after[v] + motion[lattice.cells[lattice.cell_of[v]][c]] * shape[c];
  }
  // Contacts of the same cells may be of another point of these: some are, where depths are nearly equal.
  const auto first = contact.find(lattice, before), second = contact.find(lattice, after);
  std::size_t same = 0;
  for (const Contact& a : first)
    for (const Contact& b : second) {
      if (a.nodes != b.nodes || a.cells != b.cells || std::abs(a.away.x) < 0.999f) continue;
      float expected = 0, other = 0;
      for (std::size_t i = 0; i < a.nodes.size(); ++i) other = std::max(other, std::abs(a.weights[i] - b.weights[i]));
      if (other > 0.01f) continue;
      for (std::size_t i = 0; i < a.nodes.size(); ++i) expected += a.weights[i] * dot(motion[a.nodes[i]], a.away);
      // Second order: the touched place slides by the motion, and its normal turns by the motion over an edge.
      EXPECT_NEAR(b.gap - a.gap, expected, 5e-4f);
      ++same;
    }
  EXPECT_GT(same, 5u);
}

TEST(SkinContact, WhatIsDeepOrBehindAtRestOrNestedIsNone) {
  const Surface surface = two_boxes();
  const Lattice lattice = make_lattice(surface, 600).value();
  const SkinContact contact(surface, lattice);
  // Deeper than a cell: no side is the nearer one.
  for (const Contact& c : contact.find(lattice, moved(surface, lattice, -0.4 - 2.5 * lattice.edge)))
    EXPECT_LT(std::abs(c.away.x), 0.999f);
  // One sheet above the other, a quarter of a cell apart: each is the other side of the same thin flesh.
  const Surface plate = test::surface_of(cut_box({0, 0, 0}, {1, 1, 0.04}, {10, 10, 1}));
  const Lattice thin = make_lattice(plate, 40).value();
  EXPECT_TRUE(SkinContact(plate, thin).find(thin, moved(plate, thin, 0)).empty());
  // Modelled one inside the other, then moved deeper.
  const Surface nested = two_boxes(-0.1);
  const Lattice around = make_lattice(nested, 600).value();
  EXPECT_TRUE(SkinContact(nested, around).find(around, moved(nested, around, -0.3 * around.edge)).empty());
}

/// A cushion that is held at its foot alone, and a stamp beside it.
Character cushion_and_stamp() {
  Character c = jointed({{{0, 0, 0}}, {{0, 0.5, 0}, 0}, {{0.6, 0.5, 0}, 0}});
  add_part(c, "cushion", cut_box({0, 0, 0}, {0.4, 1, 0.4}, {8, 20, 8}), [](Vec3d p) {
    return p.y < 0.1 ? std::vector<Influence>{{0, 1}} : std::vector<Influence>{{0, 0.5f}, {1, 0.5f}};
  });
  // Its back follows another joint too: hard pieces are no flesh, and touch nothing.
  add_part(c, "stamp", cut_box({0.45, 0.4, 0.1}, {0.75, 0.7, 0.3}, {6, 6, 4}), [](Vec3d p) {
    return p.x < 0.6 ? std::vector<Influence>{{2, 1}} : std::vector<Influence>{{2, 0.7f}, {0, 0.3f}};
  });
  return c;
}

/// How deep vertices of the cushion are in the stamp, which was moved along x.
double depth(const Character& c, const std::vector<Vec3f>& posed, double x) {
  double most = 0;
  for (std::size_t v = 0; v < c.parts[0].mesh.positions.size(); ++v) {
    const Vec3d p(posed[v]);
    if (p.y < 0.4 || p.y > 0.7 || p.z < 0.1 || p.z > 0.3) continue;
    most = std::max(most, p.x - (0.45 + x));
  }
  return most;
}

TEST(SkinContact, FleshGivesWayToWhatPressesOnIt) {
  const Character c = cushion_and_stamp();
  TeacherOptions with, without;
  with.cells = without.cells = 1500;
  without.elastic.pressure = 0;
  const LatticeTeacher presses = LatticeTeacher::make(c, {0, 1}, with).value();
  const LatticeTeacher passes = LatticeTeacher::make(c, {0, 1}, without).value();
  ASSERT_EQ(presses.hard_pieces(), 0u);
  const double into = 0.03;  // of the cushion, whose cells are .06 wide
  std::vector<Pose> poses(3, c.rest());
  poses[1].local[2].translation.x -= static_cast<float>(0.05 + into);
  poses[2].local[2].translation.x += 1;
  const Posed pressed = posed_by(presses, poses);
  const std::vector<std::vector<Vec3f>>&there = pressed.positions, through = posed_by(passes, poses).positions;
  EXPECT_NEAR(depth(c, through[1], -0.05 - into), into, 0.1 * into);
  EXPECT_LT(depth(c, there[1], -0.05 - into), 0.2 * into);
  EXPECT_GT(pressed.convergence[1].contacts, 3u);
  EXPECT_LT(pressed.convergence[1].overlap, 0.1f);
  EXPECT_EQ(pressed.convergence[0].contacts, 0u);
  EXPECT_EQ(there[0], through[0]);  // where nothing touches, nothing changes
  EXPECT_EQ(there[2], through[2]);
  // A pose of no numbers disturbs no other.
  std::vector<Pose> broken{poses[1], poses[1]};
  broken[0].local[2].translation.x = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(posed_by(presses, broken).positions[1], there[1]);
  // A pose is the same whatever the others are.
  const Posed alone = posed_by(presses, std::vector<Pose>{poses[1]});
  EXPECT_EQ(alone.positions[0], there[1]);
  EXPECT_EQ(alone.convergence[0].iterations, pressed.convergence[1].iterations);
}

TEST(SkinContact, ACreaseDoesNotFoldThroughItself) {
  Character c = jointed({{{0, 0, 0}}, {{0, 0.5, 0}, 0}});
  add_part(c, "bar", cut_box({-0.1, 0, -0.1}, {0.1, 1, 0.1}, {8, 40, 8}), bend_between(0, 1, 0.35, 0.65));
  TeacherOptions with, without;
  with.cells = without.cells = 400;
  without.elastic.pressure = 0;
  const std::vector<Pose> poses{turned_at(c, 1, {0, 0, 1}, 100)};
  const Posed presses = posed_by(LatticeTeacher::make(c, {0}, with).value(), poses);
  EXPECT_GT(presses.convergence[0].contacts, 0u);
  const Posed passes = posed_by(LatticeTeacher::make(c, {0}, without).value(), poses);
  const auto cuts = [&](const std::vector<Vec3f>& posed) {
    return measure::self_intersections(c.parts[0].mesh, posed).value().length;
  };
  EXPECT_GT(cuts(passes.positions[0]), 0.1);  // as wide as half the bar
  // Less than a cell deep; what is deeper is left.
  EXPECT_LT(cuts(presses.positions[0]), 0.25 * cuts(passes.positions[0]));
}

}  // namespace
}  // namespace supple::lattice
