// Batches on the GPU of this machine against those on the CPU; skipped with a clear line where there is none.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <span>

#include "supple/base/rng.h"
#include "supple/gpu/batch/reference.h"
#include "supple/gpu/cuda/batch.h"
#include "supple/make/hand.h"
#include "support/driven_character.h"

namespace supple::gpu {
namespace {

#define SUPPLE_REQUIRE_GPU() \
  if (cuda_device_count() == 0) GTEST_SKIP() << "no NVIDIA GPU on this machine"

/// An array on the GPU.
class OnGpu {
 public:
  explicit OnGpu(const std::vector<float>& values) : size_(values.size()) {
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&first_), (size_ + 1) * sizeof(float)), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(first_, values.data(), size_ * sizeof(float), cudaMemcpyHostToDevice), cudaSuccess);
  }
  /// Filled with what no result is, so that what is not written shows.
  explicit OnGpu(std::size_t size) : OnGpu(std::vector<float>(size, NAN)) {}
  ~OnGpu() { cudaFree(first_); }
  OnGpu(const OnGpu&) = delete;
  float* data() const { return first_; }
  std::vector<float> copy() const {
    std::vector<float> values(size_);
    EXPECT_EQ(cudaMemcpy(values.data(), first_, size_ * sizeof(float), cudaMemcpyDeviceToHost), cudaSuccess);
    return values;
  }

 private:
  float* first_ = nullptr;
  std::size_t size_;
};

std::vector<float> numbers(Rng& rng, std::size_t count) {
  std::vector<float> made(count);
  for (float& x : made) x = static_cast<float>(rng.uniform(-1, 1));
  return made;
}

double largest_gap(const std::vector<float>& a, const std::vector<float>& b) {
  double gap = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    gap = std::isfinite(a[i]) ? std::max(gap, std::abs(double{a[i]} - double{b[i]})) : INFINITY;
  return gap;
}
double largest(const std::vector<float>& a) {
  double found = 0;
  for (const float x : a) found = std::max(found, std::abs(double{x}));
  return found;
}

/// Surfaces and slopes of random poses, with every array given and with none but the rotations.
void expect_same_as_cpu(const Character& character, std::size_t part, std::size_t count, double stretch,
                        const Layers& layers = {}) {
  auto cpu = make_cpu_batch(character, part, layers);
  auto gpu = make_cuda_batch(character, part, layers);
  ASSERT_TRUE(cpu.ok() && gpu.ok()) << (gpu.ok() ? cpu : gpu).error().message();
  Rng rng(count);
  const std::size_t joints = character.skeleton.size();
  std::vector<float> rotations, translations, scales, weights;
  for (std::size_t p = 0; p < count; ++p) {
    for (const Transformf& rest : character.skeleton.rest()) {
      const Quatf q = rest.rotation * test::random_rotation(rng, 0.8);
      rotations.insert(rotations.end(), {q.x, q.y, q.z, q.w});
      translations.insert(translations.end(), {rest.translation.x + static_cast<float>(rng.uniform(-0.01, 0.01)),
                                               rest.translation.y, rest.translation.z});
      const auto s = static_cast<float>(1 + rng.uniform(-stretch, stretch));
      scales.insert(scales.end(), {s, 1, 1 / s});
    }
    for (const float w : character.morph_weights) weights.push_back(w + static_cast<float>(rng.uniform(-0.3, 0.3)));
  }
  const std::size_t vertices = character.parts[part].mesh.positions.size(), total = count * vertices * 3;
  const std::vector<float> by_position = numbers(rng, total), by_normal = numbers(rng, total);
  const OnGpu r(rotations), t(translations), s(scales), w(weights), gp(by_position), gn(by_normal);
  for (const bool all : {true, false}) {
    const auto of = [&](const std::vector<float>& values) { return all && !values.empty() ? values.data() : nullptr; };
    const BatchPoses here{count, rotations.data(), of(translations), of(scales), of(weights)};
    const BatchPoses there{count, r.data(), all ? t.data() : nullptr, all ? s.data() : nullptr,
                           all ? w.data() : nullptr};
    std::vector<float> positions(total), normals(total);
    const OnGpu gpu_positions(total), gpu_normals(total);
    ASSERT_TRUE((*cpu)->evaluate(here, positions.data(), normals.data()));
    ASSERT_TRUE((*gpu)->evaluate(there, gpu_positions.data(), gpu_normals.data()));
    const std::span posed(reinterpret_cast<const Vec3f*>(positions.data()), vertices);  // in the first pose
    const double gap = largest_gap(gpu_positions.copy(), positions) / double{bounds(posed).diagonal()};
    EXPECT_LE(gap, 2e-6);
    EXPECT_LE(largest_gap(gpu_normals.copy(), normals), 2e-4);  // see tests/gpu/skin_test.cpp

    std::vector<float> wanted_r(count * joints * 4), wanted_t(count * joints * 3), wanted_s(count * joints * 3),
        wanted_w(count * character.morph_weights.size());
    const OnGpu found_r(wanted_r.size()), found_t(wanted_t.size()), found_s(wanted_s.size()), found_w(wanted_w.size());
    const float *p_slopes = by_position.data(), *n_slopes = all ? by_normal.data() : nullptr;
    ASSERT_TRUE((*cpu)->differentiate(here, p_slopes, n_slopes,
                                      {wanted_r.data(), wanted_t.data(), wanted_s.data(), wanted_w.data()}));
    BatchPoses same = there;
    if (all) same.call = (*gpu)->last_call();  // joints and drivers are those of evaluate(), or worked out again
    ASSERT_TRUE((*gpu)->differentiate(same, gp.data(), all ? gn.data() : nullptr,
                                      {found_r.data(), found_t.data(), found_s.data(), found_w.data()}));
    double worst = 0;
    const auto compare = [&](const OnGpu& found, const std::vector<float>& wanted, const char* what) {
      if (wanted.empty()) return;
      const double relative = largest_gap(found.copy(), wanted) / std::max(largest(wanted), 1e-6);
      EXPECT_LE(relative, 2e-5) << what;  // sums of up to 1e4 numbers in float, of both signs
      worst = std::max(worst, relative);
    };
    compare(found_r, wanted_r, "rotations");
    compare(found_t, wanted_t, "translations");
    compare(found_s, wanted_s, "scales");
    compare(found_w, wanted_w, "morph weights");
    std::printf("%s, part %zu, %zu poses of %zu vertices: positions differ by %.2g of the size, slopes by %.2g\n",
                character.name.c_str(), part, count, vertices, gap, worst);
  }
}

TEST(CudaBatch, EveryKindOfDriverIsAsOnTheCpu) {
  SUPPLE_REQUIRE_GPU();
  const Character strip = test::driven_strip();
  for (const double stretch : {0.0, 0.2})
    for (const std::size_t part : {0u, 1u}) expect_same_as_cpu(strip, part, 37, stretch);
  expect_same_as_cpu(strip, 0, 5, 0, Layers::as_given());
}

/// Weights that their limits hold have no slopes, where settings and rows lie in shared memory and where they do not.
TEST(CudaBatch, DriversWithLimitsAreAsOnTheCpu) {
  SUPPLE_REQUIRE_GPU();
  Character strip = test::limited_strip();
  expect_same_as_cpu(strip, 0, 37, 0.2);
  MorphDriver& many = strip.drivers[0];
  Rng rng(6);
  for (int i = 0; i < 900; ++i) {  // too many rows for shared memory
    many.centres.push_back(test::random_rotation(rng, 1.5));
    for (std::size_t m = 0; m < many.targets(); ++m) many.coefficients.push_back(rng.uniform(-0.002, 0.002));
  }
  ASSERT_TRUE(validate(strip).ok());
  expect_same_as_cpu(strip, 0, 37, 0.2);
}

/// No multiple of four vertices, and more joints in a group than a lane keeps matrices of.
TEST(CudaBatch, AHandOfManyVertices) {
  SUPPLE_REQUIRE_GPU();
  expect_same_as_cpu(make::make_hand({3001, make::Side::right, true}).value(), 0, 19, 0);
}

/// Numbers of 16 bits lose what is far below 1: they must not be those of the file.
TEST(CudaBatch, SkinInMillimetresOnJointsInMetres) {
  SUPPLE_REQUIRE_GPU();
  Character hand = make::make_hand({1000, make::Side::right, true}).value();
  for (Vec3f& p : hand.parts[0].mesh.positions) p = p * 1000;
  for (SkinBinding& skin : hand.skins)
    for (Affinef& a : skin.inverse_bind) a.linear = a.linear * 0.001f;
  expect_same_as_cpu(hand, 0, 19, 0);
}

TEST(CudaBatch, GroupsOfManyJointsAndPalettesThatSharedMemoryDoesNotHold) {
  SUPPLE_REQUIRE_GPU();
  for (const std::uint32_t joint_count : {40u, 1300u}) {
    Character c;
    c.name = std::to_string(joint_count) + " joints";
    std::vector<RawJoint> joints(joint_count);
    SkinBinding binding;
    for (std::uint32_t j = 0; j < joint_count; ++j) {
      joints[j].name = std::to_string(j);
      if (j > 0) joints[j].parent = j / 2;
      binding.joints.push_back(j);
      binding.inverse_bind.push_back({});
    }
    c.skeleton = build_skeleton(joints)->skeleton;
    c.skins.push_back(binding);
    Part& part = c.parts.emplace_back();
    part.name = "cloud";
    part.skin = 0;
    Rng rng(1);
    const auto random = [&] { return static_cast<float>(rng.uniform(-1, 1)); };
    MorphTarget& target = part.morphs.emplace_back();
    for (std::uint32_t v = 0; v < 333; ++v) {
      part.mesh.positions.push_back({random(), random(), random()});
      part.mesh.normals.push_back(normalized(Vec3f{random(), random(), 2}));
      target.positions.push_back({random() / 9, random() / 9, random() / 9});
      target.normals.push_back({random() / 9, random() / 9, random() / 9});
      std::vector<Influence> influences;
      for (std::uint32_t i = 0; i < 4; ++i) influences.push_back({(v * 7 + i * i * 5) % joint_count, 0.25f});
      part.weights.push_vertex(influences);
      if (v % 3 == 2) part.mesh.triangles.push_back({v - 2, v - 1, v});
    }
    clean(part.weights, joint_count);
    c.morph_weights = {0.5f};
    expect_same_as_cpu(c, 0, 9, 0.1);
  }
}

/// Neither is a tile of poses whole, nor is a pose's call the one before.
TEST(CudaBatch, APoseOfNoNumbersAndAnOldCallLeaveTheOthersAsTheyAre) {
  SUPPLE_REQUIRE_GPU();
  const Character strip = test::driven_strip();
  auto batch = make_cuda_batch(strip, 0);
  ASSERT_TRUE(batch.ok());
  EXPECT_TRUE((*batch)->evaluate({}, nullptr, nullptr));
  constexpr std::size_t count = 3, numbers = 3 * 8;
  const std::size_t of_pose = 4 * strip.skeleton.size();
  Rng rng(4);
  std::vector<float> rotations;
  for (std::size_t i = 0; i < count * strip.skeleton.size(); ++i) {
    const Quatf q = test::random_rotation(rng, 0.8);
    rotations.insert(rotations.end(), {q.x, q.y, q.z, q.w});
  }
  std::vector<float> spoilt = rotations;
  std::fill_n(spoilt.begin() + static_cast<std::ptrdiff_t>(of_pose), of_pose, NAN);
  const OnGpu whole(rotations), half(spoilt), positions(numbers * count);
  ASSERT_TRUE((*batch)->evaluate({count, whole.data()}, positions.data(), nullptr));
  const std::vector<float> before = positions.copy();
  const std::uint64_t old = (*batch)->last_call();
  ASSERT_TRUE((*batch)->evaluate({count, half.data()}, positions.data(), nullptr));
  const std::vector<float> after = positions.copy();
  // To rounding: where one of sixteen poses scales, and NaN may, all go by other instructions.
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (i / numbers == 1) continue;
    EXPECT_NEAR(after[i], before[i], 4e-7) << i;
  }
  EXPECT_TRUE(std::isnan(after[numbers]));
  // Slopes of the first poses, though others were evaluated since.
  const OnGpu given(std::vector<float>(numbers * count, 1.0f)), found(rotations.size()), wanted(rotations.size());
  BatchPoses poses{count, whole.data()};
  ASSERT_TRUE((*batch)->differentiate(poses, given.data(), nullptr, {wanted.data()}));
  ASSERT_TRUE((*batch)->evaluate({count, half.data()}, positions.data(), nullptr));
  poses.call = old;
  ASSERT_TRUE((*batch)->differentiate(poses, given.data(), nullptr, {found.data()}));
  EXPECT_LE(largest_gap(found.copy(), wanted.copy()), 2e-5 * largest(wanted.copy()));
}

TEST(CudaBatch, AGpuThatIsNotThereIsAnErrorAndNoCrash) {
  const Character strip = test::driven_strip();
  const auto refused = make_cuda_batch(strip, 0, {}, 1000);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().problem, "is not there");
}

}  // namespace
}  // namespace supple::gpu
