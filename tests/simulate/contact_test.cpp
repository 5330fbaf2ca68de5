// Flesh that touches itself: a hand that makes a fist. Coarse, and through few poses.
#include "supple/author/simulate/contact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "supple/author/simulate/walk.h"
#include "supple/make/hand.h"
#include "supple/make/limb.h"
#include "supple/measure/intersections.h"

namespace supple::simulate {
namespace {

struct Fist {
  Character character;
  Body body;
  Tissue tissue;

  Pose at(double seconds) const { return character.at(character.clips[0], static_cast<float>(seconds)); }
  Walker walker(bool contact) const {
    WalkOptions options;
    options.max_step = 30 * std::numbers::pi / 180;
    if (contact) options.contact = contact_options(tissue);
    return Walker::make(body, tissue, options).value();
  }
  std::size_t crossings(std::span<const Vec3d> nodes) const {
    std::vector<Vec3f> skin(body.skin.positions.size());
    skin_positions(tissue, nodes, {}, skin);
    return measure::self_intersections(body.skin, skin)->new_triangles;
  }
};

/// Begins to close at .5 s; fingers lie against each other at 1 s.
const Fist& fist() {
  static const Fist result = [] {
    make::HandOptions options;
    options.vertices = 2500;
    Character character = make::make_hand(options).value();
    Body body = body_of(character).value();
    TissueOptions coarse;
    coarse.element_size = 0.009;
    Tissue tissue = make_tissue(body, coarse).value();
    return Fist{std::move(character), std::move(body), std::move(tissue)};
  }();
  return result;
}

TEST(Contact, FingersPressOnThePalmAndDoNotPassThrough) {
  Walker without = fist().walker(false), with = fist().walker(true);
  ASSERT_TRUE(without.go(fist().at(0.5)).ok());
  PoseReport report = with.go(fist().at(0.5)).value();
  Walker taken_up = fist().walker(true);
  taken_up.resume(fist().at(0.5), with.nodes());
  ASSERT_TRUE(without.go(fist().at(1.0)).ok());
  report = with.go(fist().at(1.0)).value();
  ASSERT_TRUE(taken_up.go(fist().at(1.0)).ok());
  EXPECT_TRUE(report.converged);
  EXPECT_GT(report.contacts, 20u);
  // Triangles between the vertices of the skin, which alone are held back, may still cross by a corner.
  EXPECT_LT(5 * fist().crossings(with.nodes()), fist().crossings(without.nodes()));
  // Skins push from .7 mm on; what they are pressed together, the edge of an element would be ten times.
  EXPECT_LT(report.overlap, 1.5e-3);
  EXPECT_EQ(report.health.inverted, 0u);
  // A walk that is taken up again ends at the same bits.
  for (std::size_t v = 0; v < with.nodes().size(); ++v) ASSERT_EQ(with.nodes()[v], taken_up.nodes()[v]) << v;
}

TEST(Contact, WhereNothingTouchesNothingChanges) {
  const Body limb =
      body_of(make::make_limb({.length = 0.6, .radius = 0.05, .joints = 2, .vertices = 800}).value()).value();
  TissueOptions coarse;
  coarse.element_size = 0.03;
  const Tissue tissue = make_tissue(limb, coarse).value();
  Pose bent = rest_pose(limb.skeleton);
  bent.local[1].rotation = from_axis_angle(Vec3f{1, 0, 0}, 0.9f);
  WalkOptions options;
  Walker without = Walker::make(limb, tissue, options).value();
  options.contact = contact_options(tissue);
  Walker with = Walker::make(limb, tissue, options).value();
  ASSERT_TRUE(without.go(bent).ok());
  const PoseReport report = with.go(bent).value();
  ASSERT_EQ(report.contacts, 0u);
  for (std::size_t v = 0; v < with.nodes().size(); ++v) ASSERT_EQ(with.nodes()[v], without.nodes()[v]) << v;
}

/// Derivatives of the energy by the nodes, as the equations have them.
std::vector<Vec3d> slopes(const ContactModel& model, std::span<const Contact> contacts, std::size_t nodes) {
  std::vector<Vec3d> slope(nodes);
  for (const Contact& c : contacts) {
    const ContactNodes at = model.nodes(c), grip = model.grip_nodes(c);
    for (std::size_t k = 0; k < at.nodes.size(); ++k) slope[at.nodes[k]] += c.away * (-model.force(c) * at.weights[k]);
    for (std::size_t k = 0; k < grip.nodes.size(); ++k)
      slope[grip.nodes[k]] += c.slip * (model.drag(c) * grip.weights[k]);
  }
  return slope;
}

TEST(Contact, ForcesAreTheSlopeOfTheEnergy) {
  // Bones alone close the fist, so that skins overlap; they are followed from where they met.
  const ContactModel model(fist().body, fist().tissue, contact_options(fist().tissue));
  Walker walker = fist().walker(false);
  ASSERT_TRUE(walker.go(fist().at(0.5)).ok());
  std::vector<Contact> contacts = model.watch(walker.nodes());
  for (const double t : {0.9, 1.0, 1.1}) {
    ASSERT_TRUE(walker.go(fist().at(t)).ok());
    contacts = model.track(contacts, walker.nodes());
  }
  std::vector<Vec3d> x(walker.nodes().begin(), walker.nodes().end());
  model.hold(contacts, x);
  // Slid a little, less and more than where friction is soft.
  for (std::size_t v = 0; v < x.size(); ++v)
    x[v] += Vec3d{2e-4 * std::sin(double(v)), 1e-4 * std::cos(3.0 * double(v)), 0};
  model.measure(contacts, x);
  const std::vector<Vec3d> slope = slopes(model, contacts, x.size());
  const auto energy_of = [&](std::span<const Vec3d> nodes) {
    model.measure(contacts, nodes);
    return model.energy(contacts);
  };
  double largest = 0;
  std::vector<std::size_t> pulled;
  for (std::size_t v = 0; v < x.size(); ++v) {
    largest = std::max(largest, length(slope[v]));
    if (slope[v] != Vec3d{}) pulled.push_back(v);
  }
  ASSERT_GT(pulled.size(), 50u);
  const double h = 1e-8;  // metres: friction bends within 1e-4, and energies are known to 1e-16 of themselves
  for (std::size_t p = 0; p < pulled.size(); p += pulled.size() / 25) {
    const std::size_t v = pulled[p];
    for (std::size_t r = 0; r < 3; ++r) {
      const double there = x[v][r];
      x[v][r] = there + h;
      const double above = energy_of(x);
      x[v][r] = there - h;
      const double below = energy_of(x);
      x[v][r] = there;
      ASSERT_NEAR((above - below) / (2 * h), slope[v][r], 2e-4 * largest) << v;
    }
  }
}

}  // namespace
}  // namespace supple::simulate
