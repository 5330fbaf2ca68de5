// Elastic flesh of small characters: rigid motions, units, batches, what linear blend loses and flesh keeps, and what
// characters of other people have: several parts, hard pieces, flat triangles, fins.
#include "supple/author/lattice/lattice_teacher.h"

#include <gtest/gtest.h>

#include <cmath>

#include "supple/base/parallel.h"
#include "support/lattice_posed.h"
#include "support/lattice_shapes.h"
#include "support/split_parts.h"

namespace supple::lattice {
namespace {

using test::add_part;
using test::all_of;
using test::bar_high;
using test::bar_thick;
using test::bend_between;
using test::cut_box;
using test::jointed;
using test::jointed_bar;
using test::Posed;
using test::posed_by;
using test::turned_at;

TeacherOptions few_cells(std::size_t cells = 400) {
  TeacherOptions options;
  options.cells = cells;
  return options;
}

LatticeTeacher teacher_of(const Character& c, const TeacherOptions& options = few_cells()) {
  std::vector<std::size_t> parts;
  for (std::size_t p = 0; p < c.parts.size(); ++p) parts.push_back(p);
  return LatticeTeacher::make(c, parts, options).value();
}

/// The bar and its teacher, which several tests pose.
const Character& shared_bar() {
  static const Character made = jointed_bar();
  return made;
}
const LatticeTeacher& shared_teacher() {
  static const LatticeTeacher made = teacher_of(shared_bar());
  return made;
}

template <class A, class B>
double farthest(const std::vector<A>& a, const std::vector<B>& b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (std::size_t v = 0; v < std::min(a.size(), b.size()); ++v)
    worst = std::max(worst, length(Vec3d(a[v]) - Vec3d(b[v])));
  return worst;
}

/// Root of the mean of (length of an edge / that at rest - 1)^2.
template <class Positions>
double strain(const Mesh& mesh, const Positions& posed) {
  double sum = 0;
  for (const Triangle& t : mesh.triangles)
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = t[i], b = t[(i + 1) % 3];
      const double s =
          length(Vec3d(posed[a]) - Vec3d(posed[b])) / length(Vec3d(mesh.positions[a]) - Vec3d(mesh.positions[b])) - 1;
      sum += s * s;
    }
  return std::sqrt(sum / static_cast<double>(3 * mesh.triangles.size()));
}

std::vector<Vec3f> single(const std::vector<Vec3d>& positions) {
  std::vector<Vec3f> result;
  for (const Vec3d& p : positions) result.push_back(Vec3f(p));
  return result;
}

const Vec3d sideways{0, 0, 1};

TEST(LatticeTeacher, ThePoseItWasBoundInIsTheReference) {
  const Character& c = shared_bar();
  const LatticeTeacher& teacher = shared_teacher();
  EXPECT_EQ(teacher.vertices(), c.parts[0].mesh.positions.size());
  EXPECT_EQ(teacher.elastic_vertices(), teacher.vertices());
  EXPECT_EQ(teacher.hard_pieces(), 0u);
  const Posed posed = posed_by(teacher, std::vector<Pose>{c.rest()});
  EXPECT_LT(farthest(teacher.reference(), c.parts[0].mesh.positions), 1e-7);
  EXPECT_LT(farthest(posed.positions[0], teacher.reference()), 1e-6);
  EXPECT_EQ(posed.convergence[0].iterations, 1);
  EXPECT_LT(posed.convergence[0].last_step, 1e-4f);
  EXPECT_EQ(posed.convergence[0].inverted, 0u);
}

TEST(LatticeTeacher, MovesRigidlyWithItsJoints) {
  const Character& c = shared_bar();
  const LatticeTeacher& teacher = shared_teacher();
  Pose pose = turned_at(c, 0, {1, 2, -1}, 130);
  pose.local[0].translation = {100, -40, 30};  // far away: single precision must not be lost there
  const Affined motion(pose.local[0].affine());
  std::vector<Vec3d> expected;
  for (const Vec3d& p : teacher.reference()) expected.push_back(motion.point(p));
  const Posed posed = posed_by(teacher, std::vector<Pose>{pose});
  EXPECT_LT(farthest(posed.positions[0], expected), 3e-5);  // what single precision has at 100 m
  EXPECT_LE(posed.convergence[0].iterations, 2);
}

TEST(LatticeTeacher, GrowsWithItsJoints) {
  const Character& c = shared_bar();
  const LatticeTeacher& teacher = shared_teacher();
  Pose pose = turned_at(c, 0, {1, 2, -1}, 50);
  pose.local[0].scale = {1.5f, 1.5f, 1.5f};
  const Affined motion(pose.local[0].affine());
  std::vector<Vec3d> expected;
  for (const Vec3d& p : teacher.reference()) expected.push_back(motion.point(p));
  EXPECT_LT(farthest(posed_by(teacher, pose), expected), 1e-4);
}

struct Bend {
  const char* name;
  Vec3d axis;
  double degrees, width;  // of the skin between the joints' own
  double volume, strain;  // at most, of what linear blend has
};
class Bends : public ::testing::TestWithParam<Bend> {};
INSTANTIATE_TEST_SUITE_P(LatticeTeacher, Bends,
                         ::testing::Values(Bend{"bent", {0, 0, 1}, 90, 0.5, 0.75, 0.95},
                                           Bend{"bent_across", {1, 0, 1}, 90, 0.5, 0.75, 0.95},
                                           Bend{"bent_far", {1, 0, 0}, 120, 0.5, 0.65, 0.85},
                                           Bend{"bent_sharply", {0, 0, 1}, 90, 0.1, 3, 0.95},
                                           Bend{"twisted", {0, 1, 0}, 120, 0.5, 0.35, 1.05}),
                         [](const auto& bend) { return bend.param.name; });

TEST_P(Bends, ABarKeepsVolumeAndShape) {
  const Bend& bend = GetParam();
  Character c = jointed({{{0, 0, 0}}, {{0, bar_high / 2, 0}, 0}});
  add_part(c, "bar", test::bar_mesh(), bend_between(0, 1, 0.5 - bend.width / 2, 0.5 + bend.width / 2));
  const Mesh& mesh = c.parts[0].mesh;
  const LatticeTeacher teacher = teacher_of(c);
  const Pose pose = turned_at(c, 1, bend.axis, bend.degrees);
  const std::vector<Vec3f> linear = single(teacher.linear(pose)), flesh = posed_by(teacher, pose);
  const double rest = enclosed_volume(mesh.positions, mesh.triangles);
  const double lost_linear = std::abs(enclosed_volume(linear, mesh.triangles) / rest - 1),
               lost = std::abs(enclosed_volume(flesh, mesh.triangles) / rest - 1);
  EXPECT_GT(lost_linear, 0.01);
  EXPECT_LT(lost, bend.volume * lost_linear);
  EXPECT_LT(strain(mesh, flesh), bend.strain * strain(mesh, linear));
  // Both ends are where their joints have them: half a cell is allowed where flesh pulls at them.
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const double y = double{mesh.positions[v].y};
    if (y > 0.1 && y < 0.9) continue;
    EXPECT_LT(length(flesh[v] - linear[v]), teacher.lattice()->lattice().edge / 2) << v;
  }
}

TEST(LatticeTeacher, APoseIsTheSameWhateverTheOthersAre) {
  const Character& c = shared_bar();
  const LatticeTeacher& teacher = shared_teacher();
  std::vector<Pose> poses;
  for (int i = 0; i < 16; ++i)
    poses.push_back(turned_at(c, 1, {std::sin(1.0 * i), std::cos(2.0 * i), std::sin(3.0 * i)}, 7.0 * i));
  const Posed all = posed_by(teacher, poses);
  for (const std::size_t i : {5u, 15u}) {
    const Posed alone = posed_by(teacher, std::vector<Pose>{poses[i]});
    EXPECT_EQ(alone.positions[0], all.positions[i]) << i;
    EXPECT_EQ(alone.convergence[0].iterations, all.convergence[i].iterations);
    EXPECT_EQ(alone.convergence[0].last_step, all.convergence[i].last_step);
    EXPECT_EQ(alone.convergence[0].inverted, all.convergence[i].inverted);
  }
  std::reverse(poses.begin(), poses.end());
  const Posed reversed = posed_by(teacher, poses);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(reversed.positions[i], all.positions[15 - i]) << i;
}

TEST(LatticeTeacher, APoseIsTheSameBesideOneThatScales) {
  const Character& c = shared_bar();
  const LatticeTeacher& teacher = shared_teacher();
  const Pose bent = turned_at(c, 1, sideways, 80);
  Pose grown = turned_at(c, 1, sideways, -20);
  grown.local[1].scale = {2, 2, 2};
  Pose broken = bent;
  broken.local[1].translation.x = std::nanf("");
  const std::vector<Vec3f> alone = posed_by(teacher, bent), grown_alone = posed_by(teacher, grown);
  const Posed together = posed_by(teacher, {bent, grown, bent, broken});
  EXPECT_EQ(together.positions[0], alone);
  EXPECT_EQ(together.positions[1], grown_alone);
  EXPECT_EQ(together.positions[2], alone);
}

TEST(LatticeTeacher, NoPosesAreNoWork) {
  EXPECT_TRUE(posed_by(shared_teacher(), std::vector<Pose>{}).positions.empty());
}

TEST(LatticeTeacher, IsTheSameEveryTimeAndOnAnyNumberOfThreads) {
  const Character& c = shared_bar();
  const Pose bent = turned_at(c, 1, sideways, 60);
  const std::vector<Vec3f> first = posed_by(shared_teacher(), bent);
  EXPECT_EQ(posed_by(teacher_of(c), bent), first);
  set_thread_count(1);
  EXPECT_EQ(posed_by(teacher_of(c), bent), first);
  set_thread_count(0);
}

/// A bar with a nose on one side, bent and twisted; or its image in a mirror across x.
std::pair<Character, Pose> nosed_bar(bool mirrored) {
  Character c = jointed_bar();
  Mesh& mesh = c.parts[0].mesh;
  for (Vec3f& p : mesh.positions)
    if (p.x > 0.07f && p.y > 0.5f) p.x += 0.15f * std::max(0.0f, 0.2f - std::abs(p.y - 0.7f));
  Quatd turn = from_axis_angle(normalized(Vec3d{0.3, 0.5, 1}), 0.7);
  if (mirrored) {
    for (Vec3f& p : mesh.positions) p.x = -p.x;
    for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
    turn = {turn.x, -turn.y, -turn.z, turn.w};
  }
  Pose pose = c.rest();
  pose.local[1].rotation = Quatf(turn);
  return {c, pose};
}

TEST(LatticeTeacher, AMirroredCharacterMovesAsInAMirror) {
  const auto [left, left_pose] = nosed_bar(false);
  const auto [right, right_pose] = nosed_bar(true);
  const LatticeTeacher a = teacher_of(left), b = teacher_of(right);
  const std::vector<Vec3f> posed = posed_by(a, left_pose);
  std::vector<Vec3f> mirrored = posed_by(b, right_pose);
  for (Vec3f& p : mirrored) p.x = -p.x;
  double sum = 0;
  for (std::size_t v = 0; v < posed.size(); ++v) sum += double{length(posed[v] - mirrored[v])};
  // In a mirror cells are cut into other tetrahedra and lie otherwise about the surface, which its corners show most.
  const double edge = a.lattice()->lattice().edge;
  EXPECT_LT(farthest(posed, mirrored), edge / 3);
  EXPECT_LT(sum / static_cast<double>(posed.size()), edge / 20);
  EXPECT_GT(farthest(posed, a.reference()), 5 * edge);
}

/// Files hold the other half of a body as its twin under a node of negative scale: triangles seem inside out there.
TEST(LatticeTeacher, ANodeThatMirrorsShowsAMirrorImage) {
  const auto [left, pose] = nosed_bar(false);
  Character right = left;
  Transformf rest = right.skeleton.rest(0);
  rest.scale.x = -1;
  right.skeleton.set_rest(0, rest);
  Pose right_pose = pose;
  right_pose.local[0].scale.x = -1;
  const TeacherOptions enough_to_be_filled = few_cells(3000);
  const LatticeTeacher a = teacher_of(left, enough_to_be_filled), b = teacher_of(right, enough_to_be_filled);
  const std::vector<Vec3f> posed = posed_by(a, pose);
  std::vector<Vec3f> mirrored = posed_by(b, right_pose);
  for (Vec3f& p : mirrored) p.x = -p.x;
  EXPECT_LT(farthest(posed, mirrored), a.lattice()->lattice().edge / 3);  // as above
}

TEST(LatticeTeacher, SizeChangesNothing) {
  const Character& c = shared_bar();
  Character large = c;
  constexpr float scale = 100;
  for (JointIndex j = 0; j < 2; ++j) {
    Transformf rest = large.skeleton.rest(j);
    rest.translation *= scale;
    large.skeleton.set_rest(j, rest);
    large.skins[0].inverse_bind[j].translation *= scale;
  }
  for (Vec3f& p : large.parts[0].mesh.positions) p *= scale;
  std::vector<Vec3f> small = posed_by(shared_teacher(), turned_at(c, 1, sideways, 75));
  for (Vec3f& p : small) p *= scale;
  EXPECT_LT(farthest(posed_by(teacher_of(large), turned_at(large, 1, sideways, 75)), small), 1e-3 * double{scale});
}

TEST(LatticeTeacher, CentimetresUnderANodeOfAHundredthAreMetres) {
  const Character& metres = shared_bar();
  Character c = jointed({{{0, 0, 0}}, {{0, 0, 0}, 0}, {{0, 100 * bar_high / 2, 0}, 1}});
  Transformf rest = c.skeleton.rest(0);
  rest.scale = {0.01f, 0.01f, 0.01f};
  c.skeleton.set_rest(0, rest);
  c.skins[0].joints = {1, 2};
  c.skins[0].inverse_bind.erase(c.skins[0].inverse_bind.begin());
  c.parts = metres.parts;
  for (Vec3f& p : c.parts[0].mesh.positions) p *= 100;
  const LatticeTeacher teacher = teacher_of(c), &expected = shared_teacher();
  EXPECT_LT(farthest(teacher.reference(), expected.reference()), 1e-6);
  EXPECT_LT(farthest(posed_by(teacher, turned_at(c, 2, sideways, 75)),
                     posed_by(expected, turned_at(metres, 1, sideways, 75))),
            1e-3);
}

TEST(LatticeTeacher, TheRestPoseMayBeAPose) {
  const Character& straight = shared_bar();
  Character c = straight;
  Transformf rest = c.skeleton.rest(1);
  rest.rotation = Quatf(from_axis_angle(sideways, 1.2));
  c.skeleton.set_rest(1, rest);
  const LatticeTeacher teacher = teacher_of(c), &expected = shared_teacher();
  EXPECT_LT(farthest(teacher.reference(), straight.parts[0].mesh.positions), 1e-6);
  EXPECT_LT(farthest(posed_by(teacher, straight.rest()), teacher.reference()), 1e-5);
  EXPECT_LT(farthest(posed_by(teacher, c.rest()), posed_by(expected, c.rest())), 1e-5);
  EXPECT_GT(farthest(posed_by(teacher, c.rest()), teacher.reference()), 0.3);
}

TEST(LatticeTeacher, SkinsBoundInOtherCoordinatesAreBroughtTogether) {
  // A second skin whose mesh lies elsewhere in its file, and is where it belongs by its inverse bind matrices.
  const Character& whole = shared_bar();
  Character c = test::split_parts(whole, 0, 2, false);
  const Affinef away{to_matrix(Quatf(from_axis_angle(Vec3d{1, 0, 0}, 1.5))), {3, 1, 2}};
  SkinBinding second = c.skins[0];
  for (Affinef& m : second.inverse_bind) m = m * inverse(away);
  c.skins.push_back(second);
  c.parts[1].skin = 1;
  for (Vec3f& p : c.parts[1].mesh.positions) p = away.point(p);
  const Character near = test::split_parts(whole, 0, 2, false);
  const LatticeTeacher teacher = teacher_of(c), expected = teacher_of(near);
  EXPECT_LT(farthest(teacher.reference(), expected.reference()), 1e-5);
  const Pose bent = turned_at(whole, 1, sideways, 75);
  EXPECT_LT(farthest(posed_by(teacher, bent), posed_by(expected, bent)), 1e-3);
}

TEST(LatticeTeacher, PartsOfOneSurfaceStayTogether) {
  const Character whole = jointed_bar(), cut = test::split_parts(whole, 0, 3, true);
  const LatticeTeacher teacher = teacher_of(cut);
  const Pose pose = turned_at(cut, 1, {1, 0.2, 0.5}, 80);
  const std::vector<Vec3f> posed = posed_by(teacher, pose);
  // Vertices that are one point at rest are one point.
  std::size_t seams = 0;
  for (std::size_t a = 0; a < posed.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (teacher.reference()[a] == teacher.reference()[b]) {
        EXPECT_EQ(posed[a], posed[b]);
        ++seams;
      }
  EXPECT_GT(seams, 10u);
  // And the parts move as the whole does.
  const std::vector<Vec3f> expected = posed_by(shared_teacher(), turned_at(whole, 1, {1, 0.2, 0.5}, 80));
  for (std::size_t a = 0; a < posed.size(); ++a) {
    double nearest = 1e9;
    for (std::size_t b = 0; b < expected.size(); ++b)
      if (length(teacher.reference()[a] - Vec3d(whole.parts[0].mesh.positions[b])) < 1e-6)
        nearest = std::min(nearest, double{length(posed[a] - expected[b])});
    EXPECT_LT(nearest, 1e-4) << a;
  }
}

TEST(LatticeTeacher, OnlyThePartsThatAreNamed) {
  Character c = jointed_bar();
  Part second = c.parts[0];
  second.name = "second";
  for (Vec3f& p : second.mesh.positions) p.x += 1;
  c.parts.insert(c.parts.begin(), second);
  const LatticeTeacher teacher = LatticeTeacher::make(c, {1}, few_cells()).value();
  EXPECT_EQ(teacher.vertices(), c.parts[1].mesh.positions.size());
  const Pose bent = turned_at(c, 1, sideways, 60);
  const Character& alone = shared_bar();
  EXPECT_EQ(posed_by(teacher, bent), posed_by(shared_teacher(), turned_at(alone, 1, sideways, 60)));
}

/// The bar with a box beside it.
Character with_box(const test::WeightsAt& weights) {
  Character c = jointed_bar();
  add_part(c, "box", cut_box({0.1, 0.45, -0.03}, {0.14, 0.55, 0.03}, {2, 2, 2}), weights);
  return c;
}

TEST(LatticeTeacher, APieceOfOneJointIsWhereLinearBlendHasIt) {
  const Character c = with_box(all_of(1));
  const LatticeTeacher teacher = teacher_of(c);
  EXPECT_EQ(teacher.hard_pieces(), 1u);
  const std::size_t first = c.parts[0].mesh.positions.size();
  EXPECT_EQ(teacher.elastic_vertices(), first);
  const Pose pose = turned_at(c, 1, {1, 0.2, 0.5}, 80);
  const std::vector<Vec3f> posed = posed_by(teacher, pose);
  const std::vector<Vec3d> linear = teacher.linear(pose);
  for (std::size_t v = first; v < posed.size(); ++v) EXPECT_EQ(posed[v], Vec3f(linear[v]));
}

TEST(LatticeTeacher, AHardShellBetweenJointsMovesRigidly) {
  const Character c = with_box([](Vec3d) { return std::vector<Influence>{{0, 0.5f}, {1, 0.5f}}; });
  const LatticeTeacher teacher = teacher_of(c);
  ASSERT_EQ(teacher.hard_pieces(), 1u);
  const std::size_t first = c.parts[0].mesh.positions.size();
  const Pose pose = turned_at(c, 1, sideways, 90);
  const std::vector<Vec3f> posed = posed_by(teacher, pose);
  const std::vector<Vec3d> linear = teacher.linear(pose);
  Vec3d middle{}, middle_linear{};
  double shrunk = 0;
  for (std::size_t a = first; a < posed.size(); ++a) {
    middle += Vec3d(posed[a]), middle_linear += linear[a];
    for (std::size_t b = first; b < a; ++b) {
      const double rest = length(teacher.reference()[a] - teacher.reference()[b]);
      EXPECT_NEAR(double{length(posed[a] - posed[b])}, rest, 1e-6);
      shrunk = std::max(shrunk, rest - length(linear[a] - linear[b]));
    }
  }
  EXPECT_GT(shrunk, 0.01);  // linear blend has it smaller
  EXPECT_LT(length(middle - middle_linear), 1e-4);
  // And turned by half of the joint's angle, the mean of the two joints.
  const Vec3d before = normalized(teacher.reference()[posed.size() - 1] - teacher.reference()[first]),
              after = normalized(Vec3d(posed[posed.size() - 1]) - Vec3d(posed[first]));
  EXPECT_LT(length(rotate(from_axis_angle(sideways, 3.14159265358979 / 4), before) - after), 1e-4);
}

TEST(LatticeTeacher, AllHard) {
  Character c = jointed({{{0, 0, 0}}, {{0, 0.5, 0}, 0}});
  add_part(c, "one", cut_box({0, 0, 0}, {0.1, 0.4, 0.1}, {2, 4, 2}), all_of(0));
  add_part(c, "other", cut_box({0, 0.5, 0}, {0.1, 0.9, 0.1}, {2, 4, 2}), all_of(1));
  const LatticeTeacher teacher = teacher_of(c);
  EXPECT_EQ(teacher.lattice(), nullptr);
  EXPECT_EQ(teacher.elastic_vertices(), 0u);
  EXPECT_EQ(teacher.hard_pieces(), 2u);
  const Pose pose = turned_at(c, 1, sideways, 90);
  const Posed posed = posed_by(teacher, std::vector<Pose>{pose});
  EXPECT_EQ(posed.positions[0], single(teacher.linear(pose)));
}

TEST(LatticeTeacher, TellsHowAPoseConverged) {
  const Character& c = shared_bar();
  TeacherOptions options = few_cells();
  options.elastic.most_iterations = 1;
  const std::vector<Pose> bent{turned_at(c, 1, sideways, 40)};
  const LatticeTeacher hasty = teacher_of(c, options);
  const Posed first = posed_by(hasty, bent);
  EXPECT_EQ(first.convergence[0].iterations, 1);
  EXPECT_GT(first.convergence[0].last_step, 0.02f);
  options.elastic.most_iterations = 1000;
  options.elastic.tolerance = 0.001;
  const LatticeTeacher patient = teacher_of(c, options);
  const Posed last = posed_by(patient, bent);
  EXPECT_GT(last.convergence[0].iterations, 1);
  EXPECT_LT(last.convergence[0].iterations, 1000);
  EXPECT_LT(last.convergence[0].last_step, 0.001f);
  // What is left to go adds up to no more than some twenty steps of that length.
  options.elastic.tolerance = 0.01;
  const std::vector<Vec3f> usual = posed_by(teacher_of(c, options), bent[0]);
  EXPECT_LT(farthest(usual, last.positions[0]), 20 * 0.01 * patient.lattice()->lattice().edge);
}

TEST(LatticeTeacher, ConvergenceIsThatOfTheLastCall) {
  const Character& c = shared_bar();
  TeacherOptions options = few_cells();
  options.elastic.most_iterations = 1;
  const LatticeTeacher teacher = teacher_of(c, options);
  const std::vector<Pose> folded{turned_at(c, 1, sideways, 175)};
  std::vector<std::vector<Vec3f>> positions(1);
  std::vector<PoseConvergence> convergence(1);
  teacher.pose(folded, positions, convergence);
  const std::size_t inverted = convergence[0].inverted;
  EXPECT_GT(inverted, 0u);  // the start of a bar folded onto itself
  teacher.pose(folded, positions, convergence);
  EXPECT_EQ(convergence[0].inverted, inverted);
  teacher.pose(std::vector<Pose>{c.rest()}, positions, convergence);
  EXPECT_EQ(convergence[0].inverted, 0u);
}

TEST(LatticeTeacher, FlatTrianglesChangeNothing) {
  const Character& c = shared_bar();
  Character flat = c;
  Mesh& mesh = flat.parts[0].mesh;
  mesh.triangles.push_back({3, 3, 4});  // one corner twice
  mesh.triangles.push_back({5, 5, 5});
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  for (const Vec3f p : {mesh.positions[0], mesh.positions[0]}) {  // corners at one place
    mesh.positions.push_back(p);
    flat.parts[0].weights.push_vertex(c.parts[0].weights.of(0));
  }
  mesh.triangles.push_back({0, first, first + 1});
  const Pose bent = turned_at(c, 1, sideways, 60);
  std::vector<Vec3f> posed = posed_by(teacher_of(flat), bent);
  EXPECT_EQ(posed[first], posed[0]);
  posed.resize(first);
  EXPECT_EQ(posed, posed_by(shared_teacher(), bent));
  // A triangle of three corners on a line.
  mesh.triangles.push_back({0, static_cast<std::uint32_t>(first / 2), 0});
  mesh.positions.push_back((mesh.positions[0] + mesh.positions[1]) * 0.5f);
  flat.parts[0].weights.push_vertex(c.parts[0].weights.of(0));
  mesh.triangles.push_back({0, 1, first + 2});
  for (const Vec3f p : posed_by(teacher_of(flat), bent)) EXPECT_TRUE(is_finite(p));
}

TEST(LatticeTeacher, VerticesOfNoTriangleFollowLinearBlend) {
  const Character& c = shared_bar();
  Character loose = c;
  Part& part = loose.parts[0];
  const auto first = part.mesh.positions.size();
  for (const Vec3f p : {Vec3f{7, -3, 2}, Vec3f{0, 0.5f, 0}}) {
    part.mesh.positions.push_back(p);
    part.weights.push_vertex(std::vector<Influence>{{0, 0.5f}, {1, 0.5f}});
  }
  const LatticeTeacher teacher = teacher_of(loose);
  for (const Pose& pose : {loose.rest(), turned_at(loose, 1, sideways, 60)}) {
    std::vector<Vec3f> posed = posed_by(teacher, pose);
    const std::vector<Vec3d> linear = teacher.linear(pose);
    for (std::size_t v = first; v < posed.size(); ++v) EXPECT_LT(length(Vec3d(posed[v]) - linear[v]), 1e-5) << v;
    // And the others do not notice.
    posed.resize(first);
    EXPECT_EQ(posed, posed_by(shared_teacher(), pose));
  }
}

TEST(LatticeTeacher, FinsAndOpenSkinBend) {
  // A sheet through the bar's edge: edges of three triangles; and the bar has no lid.
  Character c = jointed_bar();
  Mesh& mesh = c.parts[0].mesh;
  std::erase_if(mesh.triangles, [&](const Triangle& t) {
    return mesh.positions[t[0]].y == 1 && mesh.positions[t[1]].y == 1 && mesh.positions[t[2]].y == 1;
  });
  std::vector<std::uint32_t> edge;
  for (std::uint32_t v = 0; v < mesh.positions.size(); ++v)
    if (mesh.positions[v].x == float(bar_thick / 2) && mesh.positions[v].z == float(bar_thick / 2)) edge.push_back(v);
  std::ranges::sort(edge, {}, [&](std::uint32_t v) { return mesh.positions[v].y; });
  ASSERT_EQ(edge.size(), 25u);
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  for (std::uint32_t i = 0; i < edge.size(); ++i) {
    mesh.positions.push_back(mesh.positions[edge[i]] + Vec3f{0.05f, 0, 0.05f});
    c.parts[0].weights.push_vertex(
        std::vector<Influence>(c.parts[0].weights.of(edge[i]).begin(), c.parts[0].weights.of(edge[i]).end()));
    if (i == 0) continue;
    mesh.triangles.push_back({edge[i - 1], edge[i], first + i});
    mesh.triangles.push_back({edge[i - 1], first + i, first + i - 1});
  }
  ASSERT_GT(find_defects(mesh.positions, mesh.triangles).non_manifold_edges, 0u);
  const LatticeTeacher teacher = teacher_of(c);
  const Pose pose = turned_at(c, 1, {1, 0, 0}, 70);
  const std::vector<Vec3f> posed = posed_by(teacher, pose);
  EXPECT_LT(strain(mesh, posed), strain(mesh, single(teacher.linear(pose))));
}

TEST(LatticeTeacher, LimbsBesideEachOtherMoveApart) {
  // Two bars a hundredth apart, in the same cells: one bends away from the other, which stays.
  Character c = jointed({{{0, -0.2, 0}},
                         {{0, 0, 0}, 0},
                         {{0, 0.5, 0}, 1},
                         {{bar_thick + 0.01, 0, 0}, 0},
                         {{bar_thick + 0.01, 0.5, 0}, 3}});
  add_part(c, "left", test::bar_mesh(), bend_between(1, 2, 0.35, 0.65));
  Mesh right = test::bar_mesh();
  for (Vec3f& p : right.positions) p.x += static_cast<float>(bar_thick + 0.01);
  add_part(c, "right", right, bend_between(3, 4, 0.35, 0.65));
  const LatticeTeacher teacher = teacher_of(c, few_cells(800));
  const std::vector<Vec3f> posed = posed_by(teacher, turned_at(c, 2, sideways, 60));
  for (std::size_t v = c.parts[0].mesh.positions.size(); v < posed.size(); ++v)
    EXPECT_LT(length(Vec3d(posed[v]) - teacher.reference()[v]), 1e-4) << v;
}

TEST(LatticeTeacher, FarTurnedLimbsBendAsOthersDo) {
  // A limb that is bent by 20 degrees, turned by 110: quaternions made of its joints' matrices have opposite signs.
  Character c = jointed({{{0, 0, 0}}, {{0, 0.8, 0}, 0}, {{1, 0, 0}, 0}, {{1, 0.5, 0}, 2}});
  add_part(c, "body", test::bar_mesh(), bend_between(0, 1, 0.75, 0.85));
  Mesh limb = test::bar_mesh();
  for (Vec3f& p : limb.positions) p.x += 1;
  add_part(c, "limb", limb, bend_between(2, 3, 0.35, 0.65));
  TeacherOptions options = few_cells();
  options.elastic.most_iterations = 2;  // as many for both, so that it matters where they begin
  options.elastic.tolerance = 0;
  const LatticeTeacher teacher = teacher_of(c, options);
  const Pose here = turned_at(c, 3, sideways, -20);
  Pose there = here;
  const Quatd turn = from_axis_angle(sideways, -110 * 3.14159265358979 / 180);
  there.local[2].rotation = Quatf(turn);
  const Posed posed = posed_by(teacher, {here, there});
  const std::size_t first = c.parts[0].mesh.positions.size();
  for (std::size_t v = first; v < teacher.vertices(); ++v) {
    const Vec3d foot{1, 0, 0}, turned = foot + rotate(turn, Vec3d(posed.positions[0][v]) - foot);
    EXPECT_LT(length(Vec3d(posed.positions[1][v]) - turned), 1e-5) << v;
  }
}

TEST(LatticeTeacher, AnInverseBindMatrixOfNothingIsNoMatterWhereNothingFollowsIt) {
  const Character& c = shared_bar();
  Character spare = c;
  const JointIndex joint = spare.skeleton.append("spare", 0);
  spare.skins[0].joints.push_back(joint);
  spare.skins[0].inverse_bind.push_back(Affinef{Mat3f::diagonal({}), {}});
  const Pose bent = turned_at(spare, 1, sideways, 60);
  EXPECT_EQ(posed_by(teacher_of(spare), bent), posed_by(shared_teacher(), turned_at(c, 1, sideways, 60)));
}

TEST(LatticeTeacher, RefusesPartsThatFollowNoJoints) {
  Character c = jointed_bar();
  c.parts[0].skin.reset();
  c.parts[0].weights = {};
  const auto made = LatticeTeacher::make(c, {0}, few_cells());
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message().find("part 'bar'"), std::string::npos) << made.error().message();
  EXPECT_NE(made.error().message().find("not bound"), std::string::npos);
}

TEST(LatticeTeacher, RefusesNothing) {
  Character c = jointed_bar();
  c.parts[0].mesh = {};
  c.parts[0].weights = {};
  for (const std::vector<std::size_t>& parts : {std::vector<std::size_t>{0}, std::vector<std::size_t>{}}) {
    const auto made = LatticeTeacher::make(c, parts, few_cells());
    ASSERT_FALSE(made.ok());
    EXPECT_NE(made.error().message().find("no vertices"), std::string::npos) << made.error().message();
  }
}

}  // namespace
}  // namespace supple::lattice
