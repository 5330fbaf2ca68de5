// Batches with gradients: the source that CPU and GPU share, against Skin and against finite differences.
#include "supple/gpu/batch/batch.h"

#include <gtest/gtest.h>

#include "supple/base/rng.h"
#include "supple/deform/skin.h"
#include "supple/gpu/batch/reference.h"
#include "supple/make/hand.h"
#include "support/driven_character.h"
#include "support/fleshy_limb.h"

namespace supple::gpu {
namespace {

/// Poses as arrays of doubles, and as many numbers that a loss multiplies the surface with.
struct BatchCase {
  std::vector<double> rotations, translations, scales, weights;

  BatchCase(const Character& character, Rng& rng, double turn, double stretch) {
    for (const Transformf& rest : character.skeleton.rest()) {
      const Quatd q(rest.rotation * test::random_rotation(rng, turn));
      rotations.insert(rotations.end(), {q.x, q.y, q.z, q.w});
      const Vec3d at(rest.translation), s(rest.scale);
      translations.insert(translations.end(), {at.x + rng.uniform(-0.01, 0.01), at.y, at.z});
      for (std::size_t i = 0; i < 3; ++i) scales.push_back(s[i] * (1 + rng.uniform(-stretch, stretch)));
    }
    for (const float w : character.morph_weights) weights.push_back(double{w} + rng.uniform(-0.3, 0.3));
  }
  JointArrays<const double> joints() const { return {rotations.data(), translations.data(), scales.data()}; }
};

std::vector<float> singles(const std::vector<double>& values) { return {values.begin(), values.end()}; }

std::vector<double> random_numbers(Rng& rng, std::size_t count) {
  std::vector<double> numbers(count);
  for (double& x : numbers) x = rng.uniform(-1, 1);
  return numbers;
}

/// All four slopes of one pose.
template <class Real>
struct PoseSlopes {
  std::vector<Real> rotations, translations, scales, weights;
  explicit PoseSlopes(const BatchTables& t)
      : rotations(4 * t.joint_count),
        translations(3 * t.joint_count),
        scales(3 * t.joint_count),
        weights(t.weight_count) {}
};

/// Slopes against central differences of the same source in double: what is left is the differences' own error, of the
/// order of the step's square, 1e-10, and of the rounding over the step, 1e-10.
void expect_slopes(const Character& character, std::size_t part, double turn, double stretch,
                   const Layers& layers = {}) {
  const BatchTables tables = build_batch_tables(character, part, layers).value();
  const BatchView view = view_of(tables);
  Rng rng(3);
  BatchCase pose(character, rng, turn, stretch);
  const std::size_t numbers = 3 * std::size_t{tables.vertex_count};
  const std::vector<double> by_position = random_numbers(rng, numbers), by_normal = random_numbers(rng, numbers);
  PoseRoom<double> room(view);
  std::vector<double> positions(numbers), normals(numbers);
  const auto loss = [&] {
    evaluate_pose(view, pose.joints(), pose.weights.data(), positions.data(), normals.data(), room);
    double sum = 0;
    for (std::size_t i = 0; i < numbers; ++i) sum += by_position[i] * positions[i] + by_normal[i] * normals[i];
    return sum;
  };
  PoseSlopes<double> slopes(tables);
  differentiate_pose(view, pose.joints(), pose.weights.data(), by_position.data(), by_normal.data(),
                     {slopes.rotations.data(), slopes.translations.data(), slopes.scales.data()}, slopes.weights.data(),
                     room);
  const auto compare = [&](const char* what, std::vector<double>& values, const std::vector<double>& found) {
    double largest = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double before = values[i], step = 1e-6;
      values[i] = before + step;
      const double above = loss();
      values[i] = before - step;
      const double below = loss();
      values[i] = before;
      const double wanted = (above - below) / (2 * step);
      EXPECT_NEAR(found[i], wanted, 1e-7 * std::max(1.0, std::abs(wanted))) << what << " " << i;
      largest = std::max(largest, std::abs(wanted));
    }
    return largest;
  };
  EXPECT_GT(compare("rotations", pose.rotations, slopes.rotations), 0.1);
  EXPECT_GT(compare("translations", pose.translations, slopes.translations), 0.1);
  EXPECT_GT(compare("scales", pose.scales, slopes.scales), 0.01);
  compare("morph weights", pose.weights, slopes.weights);
}

TEST(BatchSlopesTest, OfEveryKindOfDriverAreThoseOfFiniteDifferences) {
  const Character strip = test::driven_strip();
  expect_slopes(strip, 0, 1.0, 0);    // normals go with the matrix
  expect_slopes(strip, 0, 1.0, 0.2);  // and here with its cofactors
}

/// Where limits hold a weight it does not change with the joints. Some weights are held in this pose, and some are not.
TEST(BatchSlopesTest, OfDriversWithLimitsAreThoseOfFiniteDifferences) {
  const Character strip = test::limited_strip();
  expect_slopes(strip, 0, 1.0, 0.2);
  const BatchTables tables = build_batch_tables(strip, 0).value();
  const BatchView view = view_of(tables);
  Rng rng(3);  // as in expect_slopes
  const BatchCase pose(strip, rng, 1.0, 0.2);
  PoseRoom<double> room(view);
  prepare_pose<double>(view, pose.joints(), pose.weights.data(), room);
  std::size_t held = 0, free = 0;
  for (const MorphDriver& d : strip.drivers)
    for (std::size_t m = 0; m < d.targets(); ++m) ++(room.held[d.first_weight + m] ? held : free);
  EXPECT_GT(held, 0u);
  EXPECT_GT(free, 0u);
}

TEST(BatchSlopesTest, OfARigidPartReachAllJointsAboveIt) { expect_slopes(test::driven_strip(), 1, 0.7, 0.1); }

TEST(BatchSlopesTest, OfDriversThatAreOffOrBakedLeaveTheirWeightsToNobodyOrToThePose) {
  Layers layers;
  layers.drivers = LayerSource::at_rest;
  expect_slopes(test::driven_strip(), 0, 0.7, 0, layers);
  expect_slopes(test::driven_strip(), 0, 0.7, 0, Layers::as_given());
}

TEST(BatchSlopesTest, AtRestThePoseKernelHasSlopesThoughItsValueIsNothing) {
  Character strip = test::driven_strip();
  std::erase_if(strip.drivers, [](const MorphDriver& d) { return d.kernel != RbfKernel::pose; });
  expect_slopes(strip, 0, 0, 0);
}

/// A joint in the middle turned inside out: blended matrices there change sides.
Character mirrored(Character character) {
  Transformf rest = character.skeleton.rest(2);
  rest.scale.x = -1;
  character.skeleton.set_rest(2, rest);
  return character;
}

TEST(BatchSlopesTest, OfMirroredJoints) { expect_slopes(mirrored(test::driven_strip()), 0, 0.7, 0.2); }

/// The shared source in single precision against Skin, in poses of random joints: both round in their own order, and
/// Skin keeps offsets as 16-bit numbers, to 4e-7 each.
void expect_same_surface(const Character& character, double stretch, const Layers& layers = {}) {
  auto skin = Skin::make(character, Blend::linear, layers);
  ASSERT_TRUE(skin.ok()) << skin.error().message();
  Rng rng(5);
  for (std::size_t part = 0; part < character.parts.size(); ++part) {
    const BatchTables tables = build_batch_tables(character, part, layers).value();
    const BatchView view = view_of(tables);
    PoseRoom<float> room(view);
    std::vector<Vec3f> positions(tables.vertex_count), normals(tables.vertex_count);
    const float size = bounds(character.parts[part].mesh.positions).diagonal();
    for (int i = 0; i < 4; ++i) {
      const BatchCase random(character, rng, 0.8, stretch);
      const std::vector<float> r = singles(random.rotations), t = singles(random.translations),
                               s = singles(random.scales), w = singles(random.weights);
      Pose pose = character.rest();
      for (std::size_t j = 0; j < pose.local.size(); ++j)
        pose.local[j] = {{t[3 * j], t[3 * j + 1], t[3 * j + 2]},
                         {r[4 * j], r[4 * j + 1], r[4 * j + 2], r[4 * j + 3]},
                         {s[3 * j], s[3 * j + 1], s[3 * j + 2]}};
      pose.morph_weights = w;
      ASSERT_TRUE(skin->evaluate(pose).ok());
      evaluate_pose<float>(view, {r.data(), t.data(), s.data()}, w.data(), &positions[0].x, &normals[0].x, room);
      for (std::size_t v = 0; v < positions.size(); ++v) {
        ASSERT_LE(length(positions[v] - skin->positions(part)[v]), 2e-6f * size) << "part " << part << ", vertex " << v;
        ASSERT_LE(length(normals[v] - skin->normals(part)[v]), 2e-4f) << "part " << part << ", vertex " << v;
      }
    }
  }
}

TEST(BatchReference, ShowsTheSurfaceThatSkinShows) {
  expect_same_surface(test::driven_strip(), 0);
  expect_same_surface(test::driven_strip(), 0.2);
  expect_same_surface(test::limited_strip(), 0.2);
  Layers off;
  off.drivers = LayerSource::at_rest;
  expect_same_surface(test::driven_strip(), 0, off);
  expect_same_surface(test::driven_strip(), 0, Layers::as_given());
  expect_same_surface(mirrored(test::driven_strip()), 0.2);
  expect_same_surface(make::make_hand({1500, make::Side::right, true}).value(), 0);
}

TEST(BatchReference, FleshIsWhereTheTwinsOfThePoseHaveIt) {
  const Character limb = test::fleshy_limb();
  auto skin = Skin::make(limb);
  Pose pose = limb.rest();
  std::vector<FleshMotion> motions(limb.flesh.elements.size());
  motions[0].shift = {0.01f, 0, 0};
  move_twins(limb.flesh, to_world(limb.skeleton, pose), motions, pose.local);
  ASSERT_TRUE(skin->evaluate(pose).ok());
  const BatchTables tables = build_batch_tables(limb, 0).value();
  const BatchView view = view_of(tables);
  PoseRoom<float> room(view);
  std::vector<float> translations;
  for (const Transformf& local : pose.local)  // twins turn with their bones: only their places differ from rest
    translations.insert(translations.end(), {local.translation.x, local.translation.y, local.translation.z});
  std::vector<Vec3f> positions(tables.vertex_count), normals(tables.vertex_count);
  evaluate_pose<float>(view, {nullptr, translations.data(), nullptr}, nullptr, &positions[0].x, &normals[0].x, room);
  const float size = bounds(limb.parts[0].mesh.positions).diagonal();
  for (std::size_t v = 0; v < positions.size(); ++v)
    ASSERT_LE(length(positions[v] - skin->positions(0)[v]), 2e-6f * size) << "vertex " << v;
}

/// A batch of poses on the CPU, through the interface that GPUs have too.
TEST(CpuBatch, SlopesOfManyPosesAreThoseOfEachForAnyNumberOfThreads) {
  const Character strip = test::driven_strip();
  const BatchTables tables = build_batch_tables(strip, 0).value();
  const BatchView view = view_of(tables);
  constexpr std::size_t count = 5;
  const std::size_t joints = tables.joint_count, numbers = 3 * std::size_t{tables.vertex_count};
  Rng rng(9);
  std::vector<float> rotations, weights;
  std::vector<PoseSlopes<double>> wanted;
  const std::vector<double> by_position = random_numbers(rng, count * numbers);
  for (std::size_t p = 0; p < count; ++p) {
    BatchCase pose(strip, rng, 1, 0);
    for (double& x : pose.rotations) x = double{static_cast<float>(x)};
    for (double& x : pose.weights) x = double{static_cast<float>(x)};
    rotations.insert(rotations.end(), pose.rotations.begin(), pose.rotations.end());
    weights.insert(weights.end(), pose.weights.begin(), pose.weights.end());
    PoseRoom<double> room(view);
    PoseSlopes<double>& s = wanted.emplace_back(tables);
    differentiate_pose<double>(view, {pose.rotations.data(), nullptr, nullptr}, pose.weights.data(),
                               &by_position[p * numbers], nullptr, {s.rotations.data(), nullptr, nullptr},
                               s.weights.data(), room);
  }
  std::vector<float> first;
  for (const unsigned threads : {1u, 2u, 5u}) {
    auto batch = make_cpu_batch(strip, 0, {}, threads);
    ASSERT_TRUE(batch.ok());
    std::vector<float> by_rotation(count * joints * 4), by_weight(count * tables.weight_count);
    const std::vector<float> given = singles(by_position);
    BatchPoses poses{count, rotations.data(), nullptr, nullptr, weights.data()};
    ASSERT_TRUE((*batch)->differentiate(poses, given.data(), nullptr,
                                        {by_rotation.data(), nullptr, nullptr, by_weight.data()}));
    for (std::size_t p = 0; p < count; ++p) {
      for (std::size_t i = 0; i < joints * 4; ++i)  // sums of about 50 numbers of the order of 1
        EXPECT_NEAR(by_rotation[p * joints * 4 + i], static_cast<float>(wanted[p].rotations[i]), 3e-5f);
      for (std::size_t i = 0; i < tables.weight_count; ++i)
        EXPECT_NEAR(by_weight[p * tables.weight_count + i], static_cast<float>(wanted[p].weights[i]), 3e-6f);
    }
    if (first.empty()) first = by_rotation;
    EXPECT_EQ(by_rotation, first);
  }
}

TEST(CpuBatch, PositionsAreThoseOfSkinAndNormalsMayBeLeftOut) {
  const Character strip = test::driven_strip();
  auto batch = make_cpu_batch(strip, 0, {}, 2);
  ASSERT_TRUE(batch.ok());
  auto skin = Skin::make(strip);
  const Pose pose = strip.at(strip.clips[0], 0.5f);
  ASSERT_TRUE(skin->evaluate(pose).ok());
  std::vector<Quatf> rotations;
  for (const Transformf& local : pose.local) rotations.push_back(local.rotation);
  std::vector<Vec3f> positions(8), normals(8), alone(8);
  const BatchPoses poses{1, &rotations[0].x, nullptr, nullptr, nullptr};
  ASSERT_TRUE((*batch)->evaluate(poses, &positions[0].x, &normals[0].x));
  ASSERT_TRUE((*batch)->evaluate(poses, nullptr, &alone[0].x));
  EXPECT_TRUE(std::equal(positions.begin(), positions.end(), skin->positions(0).begin()));
  EXPECT_TRUE(std::equal(normals.begin(), normals.end(), skin->normals(0).begin()));
  EXPECT_EQ(alone, normals);
}

/// Neither surfaces nor slopes of a pose reach another one, and no poses are no error.
TEST(CpuBatch, APoseOfNoNumbersLeavesTheOthersAsTheyAre) {
  const Character strip = test::driven_strip();
  auto batch = make_cpu_batch(strip, 0, {}, 2);
  ASSERT_TRUE(batch.ok());
  EXPECT_TRUE((*batch)->evaluate({}, nullptr, nullptr));
  EXPECT_TRUE((*batch)->differentiate({}, nullptr, nullptr, {}));
  constexpr std::size_t count = 3, numbers = 3 * 8;
  Rng rng(4);
  std::vector<float> rotations;
  for (std::size_t p = 0; p < count; ++p) {
    const std::vector<float> one = singles(BatchCase(strip, rng, 1, 0).rotations);
    rotations.insert(rotations.end(), one.begin(), one.end());
  }
  const std::size_t of_pose = rotations.size() / count;
  const std::vector<float> by_position = singles(random_numbers(rng, count * numbers));
  const auto all = [&] {
    std::vector<float> positions(count * numbers), slopes(rotations.size());
    EXPECT_TRUE((*batch)->evaluate({count, rotations.data()}, positions.data(), nullptr));
    EXPECT_TRUE((*batch)->differentiate({count, rotations.data()}, by_position.data(), nullptr, {slopes.data()}));
    return std::pair(positions, slopes);
  };
  const auto before = all();
  std::fill_n(rotations.begin() + static_cast<std::ptrdiff_t>(of_pose), of_pose, NAN);
  const auto after = all();
  const auto same = [](const std::vector<float>& a, const std::vector<float>& b, std::size_t pose) {
    const auto size = static_cast<std::ptrdiff_t>(a.size() / count), first = size * static_cast<std::ptrdiff_t>(pose);
    return std::equal(a.begin() + first, a.begin() + first + size, b.begin() + first);
  };
  for (const std::size_t p : {0u, 2u})
    EXPECT_TRUE(same(before.first, after.first, p) && same(before.second, after.second, p)) << "pose " << p;
  EXPECT_TRUE(std::isnan(after.first[numbers]) && std::isnan(after.second[of_pose]));
}

TEST(CpuBatch, ALayerWithoutGradientsIsNamedUnlessItIsOff) {
  Character strip = test::driven_strip();
  strip.delta_mush.push_back({});
  const auto refused = build_batch_tables(strip, 0);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().problem.find("delta-mush"), std::string::npos);
  Layers off;
  off.delta_mush = LayerSource::at_rest;
  EXPECT_TRUE(build_batch_tables(strip, 0, off).ok());
  EXPECT_EQ(build_batch_tables(strip, 2, off).error().problem, "does not exist");
}

}  // namespace
}  // namespace supple::gpu
