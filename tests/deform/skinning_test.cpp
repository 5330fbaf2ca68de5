#include <gtest/gtest.h>

#include <numbers>

#include "supple/base/rng.h"
#include "supple/deform/skinning/job.h"
#include "supple/deform/skinning/reference.h"

namespace supple {
namespace {

enum class Motion { rigid, scaled, sheared };

/// Random vertices, weights and palettes; every kernel is compared with the double-precision reference on them.
struct Scene {
  SkinWeights weights;
  SkinTable table, lists;  // as jobs choose it, and vertex by vertex
  std::vector<Vec3f> positions, normals;
  std::vector<std::array<float, 4>> tangents;
  std::vector<JointMatrix> palette;
  std::vector<Affined> exact;  // the palette's own floats, in double

  Scene(std::size_t vertices, std::size_t joints, std::size_t max_influences, Motion motion, std::uint64_t seed,
        bool uniform = false) {
    Rng rng(seed);
    const auto f = [&](double a, double b) { return static_cast<float>(rng.uniform(a, b)); };
    for (std::size_t v = 0; v < vertices; ++v) {
      std::vector<Influence> row(uniform ? max_influences : 1 + rng.below(static_cast<std::uint32_t>(max_influences)));
      for (Influence& i : row) i = {rng.below(static_cast<std::uint32_t>(joints)), f(0.01, 1)};
      weights.push_vertex(row);
      positions.push_back({f(-1, 1), f(-1, 1), f(-1, 1)});
      normals.push_back(normalized(Vec3f{f(-1, 1), f(-1, 1), f(-1, 1)}, {0, 1, 0}));
      const Vec3f t = normalized(Vec3f{f(-1, 1), f(-1, 1), f(-1, 1)}, {1, 0, 0});
      tangents.push_back({t.x, t.y, t.z, v % 2 ? 1.0f : -1.0f});
    }
    clean(weights, joints);
    table = build_skin_table(weights, joints).value();
    lists = build_skin_table(weights, joints, SkinLayout::lists).value();
    for (std::size_t j = 0; j < joints; ++j) {
      Quatf q = normalized(Quatf{f(-1, 1), f(-1, 1), f(-1, 1), f(-1, 1)});
      // Neighbouring rotations, so that blends are far from singular; both signs of q occur.
      q = normalized(Quatf{q.x * 0.6f, q.y * 0.6f, q.z * 0.6f, q.w < 0 ? -1.0f : 1.0f});
      Affinef m{to_matrix(q), {f(-1, 1), f(-1, 1), f(-1, 1)}};
      if (motion != Motion::rigid) m.linear = m.linear * Mat3f::diagonal({f(0.5, 2), f(0.5, 2), f(0.5, 2)});
      if (motion == Motion::sheared) m.linear = m.linear * Mat3f{{1, 0, 0}, {f(-0.3, 0.3), 1, 0}, {0, f(-0.3, 0.3), 1}};
      palette.push_back(pack(m));
      exact.push_back(Affined(unpack(palette.back())));
    }
  }
  reference::Vertex rest(std::size_t v) const {
    return {Vec3d(positions[v]), Vec3d(normals[v]), Vec3d{tangents[v][0], tangents[v][1], tangents[v][2]}};
  }
};

Vec3d at(const std::vector<float>& values, std::size_t i, std::size_t stride) {
  return {values[i * stride], values[i * stride + 1], values[i * stride + 2]};
}

/// Runs one job into buffers with odd strides and compares with the reference; attributes: 1 = P, 2 = PN, 3 = PNT.
void compare_table(const Scene& s, const SkinTable& table, const kernel::Kernels& kernels, bool dual,
                   bool inverse_transpose, int attributes, unsigned threads, bool mixed_signs) {
  const std::size_t n = s.positions.size();
  std::vector<float> p(n * 5, 7), nn(n * 3, 7), t(n * 6, 7);
  VertexStreams streams;
  streams.positions = std::span(s.positions);
  streams.out_positions = Vectors(p.data(), n, 5);
  if (attributes > 1) streams.normals = std::span(s.normals), streams.out_normals = Vectors(nn.data(), n, 3);
  if (attributes > 2)
    streams.tangents = ConstVectors(s.tangents[0].data(), n, 4), streams.out_tangents = Vectors(t.data(), n, 6);
  std::vector<JointDualQuat> motion(s.palette.size());
  std::vector<JointMatrix> stretch(s.palette.size());
  if (dual) {
    bool stretched = false;
    ASSERT_TRUE(make_dual_palette(s.palette, motion, stretch, stretched));
    for (std::size_t k = 0; k < motion.size(); k += mixed_signs ? 2 : motion.size())
      motion[k].motion = -motion[k].motion;
    const DualQuaternionJob job{
        &table,  motion,  stretched ? std::span<const JointMatrix>(stretch) : std::span<const JointMatrix>(),
        streams, threads, &kernels};
    ASSERT_TRUE(job.validate()) << job.validate().error().message();
    job.run();
  } else {
    const LinearJob job{&table, s.palette, streams, inverse_transpose, threads, &kernels};
    ASSERT_TRUE(job.validate()) << job.validate().error().message();
    job.run();
  }
  for (std::size_t v = 0; v < n; ++v) {
    const reference::Vertex r = dual ? reference::dual_quaternion(s.weights.of(v), s.exact, s.rest(v))
                                     : reference::linear(s.weights.of(v), s.exact, s.rest(v), inverse_transpose);
    // Coordinates reach about 5; float rounding over eight blended terms stays below 4e-6. Unit vectors lose a little
    // more where the blend shortens them.
    ASSERT_LT(length(at(p, v, 5) - r.position), 8e-6) << kernels.name << " vertex " << v;
    if (attributes > 1) {
      ASSERT_LT(length(at(nn, v, 3) - r.normal), 4e-5) << kernels.name << " vertex " << v;
    }
    if (attributes > 2) {
      ASSERT_LT(length(at(t, v, 6) - r.tangent), 4e-5) << kernels.name << " vertex " << v;
      ASSERT_EQ(t[v * 6 + 3], s.tangents[v][3]);
      ASSERT_EQ(t[v * 6 + 4], 7);
    }
    ASSERT_EQ(p[v * 5 + 3], 7) << "wrote beyond the vector";
  }
}

/// The same in blocks and vertex by vertex.
void compare(const Scene& s, const kernel::Kernels& kernels, bool dual, bool inverse_transpose, int attributes,
             unsigned threads, bool mixed_signs = false) {
  for (const SkinTable* table : {&s.table, &s.lists})
    compare_table(s, *table, kernels, dual, inverse_transpose, attributes, threads, mixed_signs);
}

/// Joints few enough for blocks throughout, and so many that most blocks keep lists.
constexpr std::size_t few_joints = 8, many_joints = 40;

TEST(Skinning, EveryKernelMatchesTheReferenceForAllInfluenceCounts) {
  for (const kernel::Kernels& kernels : kernel::available()) {
    for (std::size_t influences = 1; influences <= 12; ++influences) {
      for (const std::size_t joints : {few_joints, many_joints}) {
        const Scene scene(67, joints, influences, Motion::rigid, influences, true);
        for (const int attributes : {1, 2, 3}) {
          compare(scene, kernels, false, false, attributes, 1);
          compare(scene, kernels, true, false, attributes, 1);
          compare(scene, kernels, true, false, attributes, 1, true);
        }
      }
    }
  }
}

TEST(Skinning, MixedInfluencesInRunsAndThreads) {
  for (const std::size_t vertices : {1, 2, 3, 5, 17, 5003}) {
    for (const std::size_t joints : {few_joints, many_joints}) {
      const Scene scene(vertices, joints, 7, Motion::rigid, vertices);
      EXPECT_EQ(scene.table.vertex_count, vertices);
      for (const unsigned threads : {1u, 2u, 3u}) {
        compare(scene, kernel::best(), false, false, 3, threads);
        compare(scene, kernel::best(), true, false, 3, threads);
      }
    }
  }
}

TEST(Skinning, InverseTransposeNormalsUnderScaleAndShear) {
  for (const kernel::Kernels& kernels : kernel::available()) {
    for (const Motion motion : {Motion::scaled, Motion::sheared}) {
      const Scene scene(301, few_joints, 4, motion, 9);
      EXPECT_TRUE(has_scale(scene.palette));
      compare(scene, kernels, false, true, 3, 1);
      compare(scene, kernels, true, false, 3, 1);
    }
  }
  EXPECT_FALSE(has_scale(Scene(1, 20, 1, Motion::rigid, 1).palette));
}

void check_bits(const Scene& scene) {
  std::vector<Vec3f> first_p, first_n;
  for (const unsigned threads : {1u, 2u, 4u}) {
    std::vector<Vec3f> p = scene.positions, n = scene.normals;
    const VertexStreams in_place{
        std::span<const Vec3f>(p), std::span<const Vec3f>(n), {}, std::span(p), std::span(n), {}};
    const LinearJob job{&scene.table, scene.palette, in_place, false, threads};
    ASSERT_TRUE(job.validate());
    job.run();
    if (threads == 1) first_p = p, first_n = n;
    EXPECT_EQ(p, first_p);
    EXPECT_EQ(n, first_n);
  }
  std::vector<Vec3f> p(scene.positions.size()), n(p.size());
  LinearJob{&scene.table,
            scene.palette,
            {std::span(scene.positions), std::span(scene.normals), {}, std::span(p), std::span(n), {}}}
      .run();
  EXPECT_EQ(p, first_p);
  EXPECT_EQ(n, first_n);
  // Positions and normals side by side in one buffer, in place.
  std::vector<Vec3f> both;
  for (std::size_t v = 0; v < scene.positions.size(); ++v)
    both.insert(both.end(), {scene.positions[v], scene.normals[v]});
  const Vectors mixed_p(&both[0].x, p.size(), 6), mixed_n(&both[1].x, p.size(), 6);
  const LinearJob mixed{&scene.table, scene.palette, {mixed_p, mixed_n, {}, mixed_p, mixed_n, {}}};
  ASSERT_TRUE(mixed.validate());
  mixed.run();
  for (std::size_t v = 0; v < p.size(); ++v) {
    ASSERT_EQ(both[2 * v], first_p[v]);
    ASSERT_EQ(both[2 * v + 1], first_n[v]);
  }
}

TEST(Skinning, SameBitsForAnyThreadCountAndInPlace) {
  check_bits(Scene(20011, few_joints, 5, Motion::rigid, 11));
  check_bits(Scene(20011, many_joints, 5, Motion::rigid, 11));
}

TEST(Skinning, VerticesSplitAlongASeamStayTogether) {
  // The second half of the vertices repeats the first, shifted by 7 places: each lies in another block than its twin,
  // among other joints. One block follows twenty joints, as at a neck.
  Rng rng(8);
  constexpr std::size_t half = 16 * 9 + 7;
  SkinWeights weights;
  std::vector<Vec3f> positions, normals;
  const auto number = [&] { return static_cast<float>(rng.uniform(-1, 1)); };
  for (std::size_t v = 0; v < half; ++v) {
    const std::uint32_t near = static_cast<std::uint32_t>(v / 12);
    std::vector<Influence> row(1 + rng.below(4));
    for (Influence& i : row) i = {v / 16 == 3 ? rng.below(20) : near + rng.below(3), 0.1f + std::abs(number())};
    weights.push_vertex(row);
    positions.push_back({number(), number(), number()});
    normals.push_back(normalized(Vec3f{number(), number(), number()}, {0, 1, 0}));
  }
  for (std::size_t v = 0; v < half; ++v) {
    const std::vector<Influence> row(weights.of(v).begin(), weights.of(v).end());
    weights.push_vertex(row);
    positions.push_back(Vec3f(positions[v]));
    normals.push_back(Vec3f(normals[v]));
  }
  const std::size_t joints = 24;
  clean(weights, joints);
  const SkinTable table = build_skin_table(weights, joints).value();
  const Scene s(16, joints, 2, Motion::rigid, 3);
  std::vector<JointDualQuat> motion(joints);
  std::vector<JointMatrix> stretch(joints);
  bool stretched = false;
  ASSERT_TRUE(make_dual_palette(s.palette, motion, stretch, stretched));
  for (const kernel::Kernels& kernels : kernel::available()) {
    for (const bool dual : {false, true}) {
      std::vector<Vec3f> out_positions(positions.size()), out_normals(positions.size());
      const VertexStreams streams{std::span(std::as_const(positions)),
                                  std::span(std::as_const(normals)),
                                  {},
                                  std::span(out_positions),
                                  std::span(out_normals),
                                  {}};
      if (dual) {
        DualQuaternionJob{&table, motion, {}, streams, 1, &kernels}.run();
      } else {
        LinearJob{&table, s.palette, streams, false, 1, &kernels}.run();
      }
      for (std::size_t v = 0; v < half; ++v) {
        ASSERT_EQ(out_positions[v], out_positions[half + v]) << kernels.name << (dual ? " dual " : " linear ") << v;
        ASSERT_EQ(out_normals[v], out_normals[half + v]) << kernels.name << (dual ? " dual " : " linear ") << v;
      }
    }
  }
}

TEST(Skinning, AVectorWithoutDirectionStaysZero) {
  Scene scene(8, 4, 2, Motion::rigid, 3);
  for (Vec3f& n : scene.normals) n = {};
  for (const kernel::Kernels& kernels : kernel::available()) {
    std::vector<Vec3f> p(8), n(8, {1, 1, 1});
    LinearJob{&scene.table,
              scene.palette,
              {std::span(scene.positions), std::span(scene.normals), {}, std::span(p), std::span(n), {}},
              false,
              1,
              &kernels}
        .run();
    for (const Vec3f& v : n) EXPECT_EQ(v, Vec3f{});
  }
}

TEST(DualQuaternion, SignAndOrderOfJointsDoNotMatter) {
  Rng rng(5);
  SkinWeights weights;
  const Influence row[] = {{0, 0.4f}, {1, 0.35f}, {2, 0.25f}};
  weights.push_vertex(row);
  const SkinTable table = build_skin_table(weights, 3).value();
  const Vec3f rest{0.3f, 0.2f, -0.5f};
  std::vector<JointDualQuat> motion(3);
  for (int j = 0; j < 3; ++j) {
    const auto a = static_cast<float>(0.5 + 0.4 * j);
    motion[j].motion = make_dual_quat(from_axis_angle(Vec3f{0, 0, 1}, a), Vec3f{a, 0, 0});
  }
  const auto run = [&] {
    Vec3f out;
    DualQuaternionJob{&table, motion, {}, {ConstVectors(&rest.x, 1), {}, {}, Vectors(&out.x, 1), {}, {}}}.run();
    return out;
  };
  const Vec3f expected = run();
  for (int signs = 1; signs < 8; ++signs) {
    for (int j = 0; j < 3; ++j) {
      if (signs >> j & 1) motion[j].motion = -motion[j].motion;
    }
    EXPECT_LT(length(run() - expected), 1e-6f) << signs;
  }
}

TEST(DualQuaternion, AHalfTurnOfTwistKeepsTheRadius) {
  // Halfway between 0 and 180 degrees of twist: linear blending collapses to the axis, dual quaternions keep the
  // radius.
  SkinWeights weights;
  const Influence half[] = {{0, 0.5f}, {1, 0.5f}};
  weights.push_vertex(half);
  const SkinTable table = build_skin_table(weights, 2).value();
  const Vec3f rest{0, 1, 0.5f};
  const Affinef twist{to_matrix(from_axis_angle(Vec3f{0, 0, 1}, std::numbers::pi_v<float>)), {}};
  const std::vector<JointMatrix> palette{pack({}), pack(twist)};
  std::vector<JointDualQuat> motion(2);
  std::vector<JointMatrix> stretch(2);
  bool stretched = true;
  ASSERT_TRUE(make_dual_palette(palette, motion, stretch, stretched));
  EXPECT_FALSE(stretched);
  Vec3f linear, dual;
  LinearJob{&table, palette, {ConstVectors(&rest.x, 1), {}, {}, Vectors(&linear.x, 1), {}, {}}}.run();
  DualQuaternionJob{&table, motion, {}, {ConstVectors(&rest.x, 1), {}, {}, Vectors(&dual.x, 1), {}, {}}}.run();
  EXPECT_LT(std::hypot(linear.x, linear.y), 1e-6f);
  EXPECT_NEAR(std::hypot(dual.x, dual.y), 1, 1e-6);
  EXPECT_NEAR(dual.z, 0.5, 1e-6);
}

TEST(DualQuaternion, RefusesMirroringAndNamesTheJoint) {
  const std::vector<JointMatrix> palette{pack({}), pack({Mat3f::diagonal({-1, 1, 1}), {}})};
  std::vector<JointDualQuat> motion(2);
  std::vector<JointMatrix> stretch(2);
  bool stretched = false;
  const auto made = make_dual_palette(palette, motion, stretch, stretched);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message().find("joint 1"), std::string::npos);
}

TEST(Skinning, JobsSayWhichSizeIsWrong) {
  const Scene scene(10, 4, 2, Motion::rigid, 1);
  std::vector<Vec3f> out(10), small(9);
  LinearJob job{&scene.table, scene.palette, {std::span(scene.positions), {}, {}, std::span(out), {}, {}}};
  EXPECT_TRUE(job.validate());
  job.palette = job.palette.first(3);
  EXPECT_EQ(job.validate().error().item, "palette");
  job.palette = scene.palette;
  job.streams.out_positions = std::span(small);
  EXPECT_EQ(job.validate().error().item, "positions");
  job.streams.out_positions = Vectors(&out[0].x, 10, 2);
  EXPECT_EQ(job.validate().error().item, "positions");
  job.streams.out_positions = Vectors(const_cast<float*>(&scene.positions[0].x) + 1, 10, 3);
  EXPECT_NE(job.validate().error().problem.find("overlap"), std::string::npos);
  job.table = nullptr;
  EXPECT_FALSE(job.validate());
}

}  // namespace
}  // namespace supple
