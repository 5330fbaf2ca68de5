// Bones and muscles in the lattice: shares by closed form, flesh that follows bone, and muscle that stretches less.
#include "supple/author/lattice/anatomy_shares.h"

#include <gtest/gtest.h>

#include <numeric>

#include "supple/author/lattice/lattice_teacher.h"
#include "support/lattice_posed.h"
#include "support/lattice_shapes.h"

namespace supple::lattice {
namespace {

using test::add_part;
using test::all_of;
using test::cut_box;
using test::jointed;
using test::posed_by;
using test::turned_at;

TEST(AnatomyShares, AddUpToTheVolume) {
  const Surface surface = test::surface_of(cut_box({0, 0, 0}, {1, 1, 1}, {8, 8, 8}), {no_joint, 0});
  const Lattice lattice = make_lattice(surface, 1000).value();
  const SkinWeights weights = extend_weights(lattice, surface);
  Anatomy anatomy;
  anatomy.bones = cut_box({0.3, 0.2, 0.3}, {0.5, 0.8, 0.5}, {2, 4, 2});
  anatomy.joint_of.assign(anatomy.bones.triangles.size(), 1);
  anatomy.muscles = cut_box({0.55, 0.3, 0.3}, {0.85, 0.7, 0.6}, {2, 2, 2});
  const AnatomyShares shares = anatomy_shares(lattice, weights, surface, anatomy);
  const double cell = lattice.edge * lattice.edge * lattice.edge;
  double muscle = 0, bone = 0;
  for (const float share : shares.muscle) muscle += double{share} * cell;
  for (const std::vector<Influence>& own : shares.bone)
    for (const Influence& i : own) {
      EXPECT_EQ(i.joint, 1u);
      EXPECT_LE(i.weight, 1.0f);
      bone += double{i.weight} * cell;  // all of its nodes have eight cells around them
    }
  // Four points along each edge of a cell of a tenth: walls are placed to half of a fortieth.
  EXPECT_NEAR(muscle, 0.3 * 0.4 * 0.3, 0.12 * 0.3 * 0.4 * 0.3);
  EXPECT_NEAR(bone, 0.2 * 0.6 * 0.2, 0.15 * 0.2 * 0.6 * 0.2);
}

/// A bar whose skin follows two joints by about half each at every place, so that the skin says little.
Character undecided_bar() {
  Character c = jointed({{{0, 0, 0}}, {{0, 0.5, 0}, 0}});
  add_part(c, "bar", test::bar_mesh(), [](Vec3d p) {
    const auto upper = static_cast<float>(0.3 + 0.4 * p.y);
    return std::vector<Influence>{{0, 1 - upper}, {1, upper}};
  });
  return c;
}

TEST(AnatomyShares, FleshFollowsTheBonesThatAreInIt) {
  Character c = undecided_bar();
  const std::size_t skin = c.parts[0].mesh.positions.size();
  for (std::uint32_t joint : {0u, 1u})
    add_part(c, "bones", cut_box({-0.04, 0.05 + 0.5 * joint, -0.04}, {0.04, 0.45 + 0.5 * joint, 0.04}, {2, 8, 2}),
             all_of(joint));
  TeacherOptions options;
  options.cells = 800;
  options.bones = {1, 2};
  const LatticeTeacher teacher = LatticeTeacher::make(c, {0}, options).value();
  ASSERT_EQ(teacher.vertices(), skin);
  const Pose pose = turned_at(c, 1, {0, 0, 1}, 60);
  const std::vector<Vec3f> posed = posed_by(teacher, pose);
  const Affined upper(to_world(c.skeleton, pose)[1]);
  double rigid = 0, blended = 0;
  const std::vector<Vec3d> linear = teacher.linear(pose);
  for (std::size_t v = 0; v < skin; ++v) {
    const Vec3d at(c.parts[0].mesh.positions[v]);
    if (at.y < 0.7 || at.y > 0.9) continue;
    const Vec3d expected = upper.point(at - Vec3d{0, 0.5, 0});
    rigid = std::max(rigid, length(Vec3d(posed[v]) - expected));
    blended = std::max(blended, length(linear[v] - expected));
  }
  EXPECT_GT(blended, 0.1);
  EXPECT_LT(rigid, 0.33 * blended);  // skin is drawn to linear blend besides, weakly
  // Below the joint little moves; by linear blend it is .1 to .3.
  for (std::size_t v = 0; v < skin; ++v) {
    const Vec3d at(c.parts[0].mesh.positions[v]);
    if (at.y < 0.1 || at.y > 0.3) continue;
    EXPECT_LT(length(Vec3d(posed[v]) - at), 0.04) << v;
  }
}

TEST(AnatomyShares, MuscleStretchesLessThanOtherFlesh) {
  // Pulled at both ends by their skin; the upper half of what is between is muscle. Two springs in a row share the
  // pull, so that the stiffer one stretches by the inverse of its stiffness. Nothing draws skin to linear blend.
  Character c = jointed({{{0, 0, 0}}, {{0, 1, 0}, 0}});
  add_part(c, "bar", cut_box({-0.1, 0, -0.1}, {0.1, 1, 0.1}, {4, 40, 4}), [](Vec3d p) {
    if (p.y < 0.2) return std::vector<Influence>{{0, 1}};
    if (p.y > 0.8) return std::vector<Influence>{{1, 1}};
    return std::vector<Influence>{{0, 0.5f}, {1, 0.5f}};
  });
  add_part(c, "muscles", cut_box({-0.2, 0.5, -0.2}, {0.2, 0.8, 0.2}, {2, 3, 2}), all_of(0));
  TeacherOptions options;
  options.cells = 600;
  options.elastic.tether = 1e-5;
  options.elastic.most_iterations = 400;
  options.elastic.tolerance = 1e-4;
  const auto stretch = [&](const LatticeTeacher& teacher) {
    Pose pose = c.rest();
    pose.local[1].translation.y += 0.1f;
    const std::vector<Vec3f> posed = posed_by(teacher, pose);
    const auto height = [&](double y) {  // of the ring of vertices that was at y
      double sum = 0, count = 0;
      for (std::size_t v = 0; v < posed.size(); ++v)
        if (std::abs(double{c.parts[0].mesh.positions[v].y} - y) < 1e-4) sum += double{posed[v].y}, ++count;
      return sum / count;
    };
    // Well inside both halves.
    return std::array{(height(0.7) - height(0.6)) / 0.1 - 1, (height(0.4) - height(0.3)) / 0.1 - 1};
  };
  const auto plain = stretch(LatticeTeacher::make(c, {0}, options).value());
  EXPECT_NEAR(plain[0] / plain[1], 1, 0.1);
  options.muscles = {1};
  const auto with = stretch(LatticeTeacher::make(c, {0}, options).value());
  // Four times as stiff; the ends of the halves take part of each other's strain.
  EXPECT_NEAR(with[0] / with[1], 0.25, 0.1);
}

TEST(AnatomyShares, RefusesBonesThatFollowNoJoints) {
  Character c = undecided_bar();
  add_part(c, "bones", cut_box({-0.04, 0.05, -0.04}, {0.04, 0.45, 0.04}, {2, 8, 2}), all_of(0));
  c.parts[1].skin.reset();
  TeacherOptions options;
  options.bones = {1};
  const auto made = LatticeTeacher::make(c, {0}, options);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message().find("part 'bones'"), std::string::npos);
}

}  // namespace
}  // namespace supple::lattice
