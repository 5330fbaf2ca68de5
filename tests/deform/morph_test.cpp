// Packed morph targets against the sum they stand for.
#include <gtest/gtest.h>

#include "supple/base/rng.h"
#include "supple/deform/morph/job.h"
#include "supple/deform/skinning/job.h"

namespace supple {
namespace {

/// Sparse targets that move every third vertex, one vertex of each block, or one stretch, and a dense one; 37 vertices
/// fill two blocks and a part of a third.
struct Sample {
  static constexpr std::size_t vertices = 37;
  std::vector<MorphTarget> targets;

  Sample() {
    Rng rng(1);
    const auto random = [&] { return static_cast<float>(rng.uniform(-1, 1)); };
    for (int t = 0; t < 4; ++t) {
      MorphTarget target;
      for (std::uint32_t v = 0; v < vertices; ++v) {
        const bool moved = t == 0 ? v % 3 == 0 : t == 1 ? v % 16 == 0 : t == 2 ? v >= 10 && v < 14 : true;
        if (!moved) continue;
        if (t < 3) target.vertices.push_back(v);
        target.positions.push_back({random(), random(), random()});
        if (t != 1) target.normals.push_back({random() / 4, random() / 4, random() / 4});
      }
      targets.push_back(std::move(target));
    }
  }
  std::vector<Vec3f> sum(std::vector<Vec3f> rest, std::span<const float> weights,
                         std::vector<Vec3f> MorphTarget::*offsets) const {
    for (std::size_t t = 0; t < targets.size(); ++t)
      for (std::size_t i = 0; i < (targets[t].*offsets).size(); ++i)
        rest[targets[t].vertices.empty() ? i : targets[t].vertices[i]] += (targets[t].*offsets)[i] * weights[t];
    return rest;
  }
};

TEST(MorphJob, AddsEveryTargetWhereItActs) {
  const Sample s;
  const MorphTable table = build_morph_table(s.targets, Sample::vertices);
  const std::vector<Vec3f> rest(Sample::vertices, Vec3f{1, 2, 3}), normals(Sample::vertices, Vec3f{0, 1, 0});
  for (const std::vector<float>& weights : {std::vector<float>{0.5f, -2, 3, 0.25f}, {0, 0, 1, 0}, {0, 0, 0, 0}}) {
    std::vector<Vec3f> out(rest.size()), out_normals(rest.size());
    const MorphJob job{&table, weights, rest, normals, out, out_normals, 2};
    ASSERT_TRUE(job.validate().ok());
    job.run();
    for (const kernel::Kernels& kernels : kernel::available()) {
      MorphJob with = job;
      with.kernels = &kernels;
      with.run();
      const auto expected = s.sum(rest, weights, &MorphTarget::positions),
                 expected_normals = s.sum(normals, weights, &MorphTarget::normals);
      for (std::size_t v = 0; v < rest.size(); ++v) {
        // Some processors fuse multiplication and addition: the last bits differ.
        EXPECT_LT(length(out[v] - expected[v]), 2e-6f) << kernels.name;
        EXPECT_LT(length(out_normals[v] - expected_normals[v]), 2e-6f) << kernels.name;
      }
    }
    std::vector<Vec3f> in_place = rest;
    MorphJob{&table, weights, in_place, {}, in_place, {}, 1}.run();
    job.run();
    EXPECT_EQ(in_place, out);
  }
}

TEST(MorphJob, BlocksThatATargetLeavesAloneAreNotStored) {
  const Sample s;
  const MorphTable table = build_morph_table(s.targets, Sample::vertices, 2e-5);
  EXPECT_EQ(table.first, (std::vector<std::uint32_t>{0, 4, 7, 10}));  // target 2 lies in the first block alone
  EXPECT_EQ(table.targets, (std::vector<std::uint32_t>{0, 1, 2, 3, 0, 1, 3, 0, 1, 3}));
}

TEST(MorphJob, OnlyTargetsTooLargeFor16BitsAreSplit) {
  constexpr double tolerance = 1e-6;
  Rng rng(3);
  std::vector<MorphTarget> targets(3);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const double size = t == 1 ? 1 : 0.01;  // 16 bits of twice the tolerance reach to 0.065
    const auto random = [&](double most) { return static_cast<float>(rng.uniform(-most, most)); };
    for (int v = 0; v < 16; ++v) {
      targets[t].positions.push_back({random(size), random(size), random(size)});
      targets[t].normals.push_back({random(2), random(2), random(2)});
    }
  }
  const MorphTable table = build_morph_table(targets, 16, tolerance);
  EXPECT_EQ(table.targets, (std::vector<std::uint32_t>{1, 0, 1, 2}));
  EXPECT_EQ(table.plain, (std::vector<std::uint32_t>{1}));
  const std::vector<Vec3f> zero(16);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    std::vector<float> weights(3);
    weights[t] = 1;
    for (const kernel::Kernels& kernels : kernel::available()) {
      std::vector<Vec3f> positions(16), normals(16);
      MorphJob{&table, weights, zero, zero, positions, normals, 1, &kernels}.run();
      for (std::size_t v = 0; v < 16; ++v) {
        for (std::size_t r = 0; r < 3; ++r) {  // and half a unit in the last place of float
          EXPECT_NEAR(positions[v][r], targets[t].positions[v][r], tolerance + 6e-8) << kernels.name;
          EXPECT_NEAR(normals[v][r], targets[t].normals[v][r], 1e-4) << kernels.name;
        }
      }
    }
  }
}

TEST(MorphJob, ChecksSizes) {
  const Sample s;
  const MorphTable table = build_morph_table(s.targets, Sample::vertices);
  std::vector<Vec3f> rest(Sample::vertices), few(5);
  const std::vector<float> weights(4), short_weights(2);
  EXPECT_FALSE((MorphJob{nullptr, weights, rest, {}, rest, {}, 1}).validate().ok());
  EXPECT_FALSE((MorphJob{&table, short_weights, rest, {}, rest, {}, 1}).validate().ok());
  EXPECT_FALSE((MorphJob{&table, weights, few, {}, rest, {}, 1}).validate().ok());
  EXPECT_FALSE((MorphJob{&table, weights, rest, rest, rest, {}, 1}).validate().ok());
}

/// 700 vertices on two joints, so that buffers, chunks and blocks all end in the middle of something.
struct Moved {
  static constexpr std::size_t vertices = 700;
  SkinTable table, lists;  // as jobs choose it, and vertex by vertex
  MorphTable morphs;
  std::vector<Vec3f> positions, normals;

  Moved() {
    Rng rng(2);
    const auto random = [&] { return static_cast<float>(rng.uniform(-1, 1)); };
    SkinWeights weights;
    std::vector<MorphTarget> targets(3);
    for (std::uint32_t v = 0; v < vertices; ++v) {
      const float share = static_cast<float>(v) / vertices;
      const Influence both[]{{0, share}, {1, 1 - share}};
      weights.push_vertex(both);
      positions.push_back({random(), random(), random()});
      normals.push_back(normalized(Vec3f{random(), random(), 2}));
      for (std::uint32_t t = 0; t < 3; ++t) {
        if (v % (t + 2) != 0) continue;
        targets[t].vertices.push_back(v);
        targets[t].positions.push_back({random(), random(), random()});
        targets[t].normals.push_back({0, random() / 4, 0});
      }
    }
    clean(weights, 2);
    table = build_skin_table(weights, 2).value();
    lists = build_skin_table(weights, 2, SkinLayout::lists).value();
    morphs = build_morph_table(targets, vertices);
  }
};

TEST(MorphedSkinning, IsMorphingThenSkinning) {
  const Moved m;
  constexpr std::size_t poses = 5;
  std::vector<std::vector<JointMatrix>> palettes;
  std::vector<std::vector<float>> weights;
  for (std::size_t p = 0; p < poses; ++p) {
    const Quatf turn = from_axis_angle(Vec3f{0, 0, 1}, 0.3f * static_cast<float>(p));
    palettes.push_back({pack({}), pack({to_matrix(turn), {0.1f * static_cast<float>(p), 0, 0}})});
    weights.push_back({0.5f, static_cast<float>(p), -0.25f});
  }
  std::vector<std::vector<Vec3f>> out(2 * poses, std::vector<Vec3f>(Moved::vertices));
  std::vector<LinearJob> jobs;
  for (std::size_t p = 0; p < poses; ++p) {
    const VertexStreams streams{std::span(m.positions), std::span(m.normals),      {},
                                std::span(out[2 * p]),  std::span(out[2 * p + 1]), {}};
    jobs.push_back({&m.table, palettes[p], streams, false, 1, nullptr, {&m.morphs, weights[p]}});
    ASSERT_TRUE(jobs.back().validate().ok());
  }
  run_batch(jobs, 2);
  for (std::size_t p = 0; p < poses; ++p) {
    std::vector<Vec3f> morphed(Moved::vertices), turned(Moved::vertices), skinned(Moved::vertices), bent(skinned);
    MorphJob{&m.morphs, weights[p], m.positions, m.normals, morphed, turned, 1, nullptr}.run();
    LinearJob{&m.table,
              palettes[p],
              {std::span(std::as_const(morphed)),
               std::span(std::as_const(turned)),
               {},
               std::span(skinned),
               std::span(bent),
               {}},
              false,
              1,
              nullptr,
              {}}
        .run();
    EXPECT_EQ(out[2 * p], skinned) << p;  // the same kernels on the same numbers
    EXPECT_EQ(out[2 * p + 1], bent) << p;
    const std::vector<Vec3f> batch = out[2 * p];
    jobs[p].run();
    EXPECT_EQ(out[2 * p], batch) << p;
  }
}

TEST(MorphedSkinning, EveryKernelAndLayoutMorphsThenSkins) {
  const Moved m;
  const Quatf turn = from_axis_angle(Vec3f{0, 0, 1}, 0.7f);
  const std::vector<JointMatrix> palette{pack({}), pack({to_matrix(turn), {0.1f, 0, 0}})};
  std::vector<JointMatrix> stretch(2);
  std::vector<JointDualQuat> motion(2);
  bool stretched = false;
  ASSERT_TRUE(make_dual_palette(palette, motion, stretch, stretched));
  const std::vector<float> weights{0.5f, 2, -0.25f};
  const Morphing morphing{&m.morphs, weights};
  for (const kernel::Kernels& kernels : kernel::available()) {
    std::vector<Vec3f> morphed(Moved::vertices), turned(Moved::vertices);
    MorphJob{&m.morphs, weights, m.positions, m.normals, morphed, turned, 1, &kernels}.run();
    for (const SkinTable* table : {&m.table, &m.lists}) {
      for (const bool dual : {false, true}) {
        const auto skin = [&](const std::vector<Vec3f>& p, const std::vector<Vec3f>& n, const Morphing& morphs) {
          std::vector<Vec3f> out(2 * p.size());
          const std::span<Vec3f> all = out;
          const VertexStreams s{std::span(p), std::span(n), {}, all.first(p.size()), all.last(p.size()), {}};
          if (dual) DualQuaternionJob{table, motion, {}, s, 1, &kernels, morphs}.run();
          if (!dual) LinearJob{table, palette, s, false, 1, &kernels, morphs}.run();
          return out;
        };
        EXPECT_EQ(skin(m.positions, m.normals, morphing), skin(morphed, turned, {})) << kernels.name << dual;
      }
    }
  }
}

TEST(MorphedSkinning, SaysWhatDoesNotFit) {
  const Moved m;
  std::vector<Vec3f> out(Moved::vertices), normals(Moved::vertices);
  const std::vector<JointMatrix> palette(2, pack({}));
  const std::vector<float> few(2), weights(3);
  const VertexStreams streams{std::span(m.positions), {}, {}, std::span(out), {}, {}};
  EXPECT_FALSE((LinearJob{&m.table, palette, streams, false, 1, nullptr, {&m.morphs, few}}).validate().ok());
  EXPECT_TRUE((LinearJob{&m.table, palette, streams, false, 1, nullptr, {&m.morphs, weights}}).validate().ok());
  VertexStreams wide = streams;
  wide.positions = ConstVectors(&m.positions[0].x, Moved::vertices / 2, 6);
  EXPECT_FALSE((LinearJob{&m.table, palette, wide, false, 1, nullptr, {&m.morphs, weights}}).validate().ok());
}

}  // namespace
}  // namespace supple
