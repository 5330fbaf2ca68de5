// Packed morph targets against the sum they stand for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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
  ASSERT_EQ(table.blocks.size(), 3u);  // target 2 lies in the first block alone
  EXPECT_EQ(table.blocks[1].entry, 4u);
  EXPECT_EQ(table.blocks[2].entry, 7u);
  EXPECT_EQ(table.entries.size(), 10u);
  EXPECT_EQ(table.lists.size(), 2u) << "blocks in turn share their targets";
  EXPECT_EQ(table.blocks[1].list, table.blocks[2].list);
  EXPECT_EQ(table.targets, (std::vector<std::uint32_t>{0, 1, 2, 3, 0, 1, 3}));
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
  EXPECT_EQ(table.lists[0].large, 1u);
  EXPECT_EQ(table.lists[0].plain, 3u);
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

/// `targets` dense ones of 40 vertices, the last block of which is not full, and their sums in double precision.
struct Dense {
  static constexpr std::size_t vertices = 40;
  std::vector<MorphTarget> targets;
  std::vector<Vec3f> positions, normals;

  explicit Dense(std::size_t count, std::uint64_t seed = 4) : targets(count) {
    Rng rng(seed);
    const auto random = [&] { return static_cast<float>(rng.uniform(-1, 1)); };
    for (std::size_t v = 0; v < vertices; ++v) {
      positions.push_back({random(), random(), random()});
      normals.push_back(normalized(Vec3f{random(), random(), 2}));
      for (MorphTarget& t : targets) {
        t.positions.push_back({random() / 50, random() / 50, random() / 50});
        t.normals.push_back({random() / 4, random() / 4, random() / 4});
      }
    }
  }
  static Vec3d sum(Vec3f from, std::size_t v, std::span<const MorphTarget> all, std::span<const float> weights,
                   std::vector<Vec3f> MorphTarget::*offsets) {
    Vec3d result(from);
    for (std::size_t t = 0; t < all.size(); ++t) result += Vec3d((all[t].*offsets)[v]) * double{weights[t]};
    return result;
  }
  Vec3d position(std::size_t v, std::span<const float> weights) const {
    return sum(positions[v], v, targets, weights, &MorphTarget::positions);
  }
  Vec3d normal(std::size_t v, std::span<const float> weights) const {
    return sum(normals[v], v, targets, weights, &MorphTarget::normals);
  }
};

double magnitude(std::span<const float> weights) {
  double sum = 0;
  for (const float w : weights) sum += std::abs(double{w});
  return sum;
}

TEST(MorphJob, EveryKernelAddsAnyNumberOfTargets) {
  constexpr double tolerance = 4e-7, normal_tolerance = 1e-4;
  for (const std::size_t count : {1, 2, 3, 5, 8, 15, 16, 17, 33, 63, 64, 65, 128, 131}) {
    const Dense d(count, count);
    Rng rng(7);
    std::vector<float> weights;
    for (std::size_t t = 0; t < count; ++t) weights.push_back(static_cast<float>(rng.uniform(-1, 1)));
    for (const double exactly : {0.0, tolerance}) {
      const MorphTable table = build_morph_table(d.targets, Dense::vertices, exactly);
      // Rounding of float in sums of this many; then that of offsets, and that of weights, by 2^-16 of the largest one
      // or 2^-17 of their sum: every offset is off by so much of its length at most, and all of them by a few times
      // less.
      const double sum = magnitude(weights), rounding = 5e-7 + 1e-7 * sum,
                   of_weights = (count == 1 ? 0 : sum / 65536) * std::sqrt(static_cast<double>(count)),
                   allowed = rounding + (exactly > 0 ? tolerance * sum + of_weights * 0.02 : 0),
                   allowed_normal = rounding + (exactly > 0 ? normal_tolerance * sum + of_weights * 0.25 : 0);
      for (const kernel::Kernels& kernels : kernel::available()) {
        std::vector<Vec3f> out(Dense::vertices), turned(out), alone(out);
        MorphJob{&table, weights, d.positions, d.normals, out, turned, 1, &kernels}.run();
        MorphJob{&table, weights, d.positions, {}, alone, {}, 1, &kernels}.run();
        EXPECT_EQ(alone, out) << kernels.name;
        for (std::size_t v = 0; v < Dense::vertices; ++v) {
          ASSERT_LT(length(Vec3d(out[v]) - d.position(v, weights)), allowed) << kernels.name << ' ' << count;
          ASSERT_LT(length(Vec3d(turned[v]) - d.normal(v, weights)), allowed_normal) << kernels.name << ' ' << count;
        }
      }
    }
  }
}

TEST(MorphJob, RoundsWeightsToAPartOfTheirSum) {
  // Worst of all: every offset is as large as 16 bits of twice the tolerance hold.
  constexpr double tolerance = 1e-6;
  constexpr float largest = 0.0655f;
  std::vector<MorphTarget> targets(6);
  for (MorphTarget& t : targets) t.positions.assign(16, {largest, -largest, largest});
  const MorphTable table = build_morph_table(targets, 16, tolerance);
  EXPECT_FALSE(table.exact);
  EXPECT_EQ(table.lists[0].large, 0u);
  const std::vector<float> weights{0.3f, -0.7f, 1e-3f, 0.11f, 0.9f, -0.2f};
  const std::vector<Vec3f> zero(16);
  double sum = 0;
  for (const float w : weights) sum += double{w} * double{largest};
  for (const kernel::Kernels& kernels : kernel::available()) {
    std::vector<Vec3f> out(16);
    MorphJob{&table, weights, zero, {}, out, {}, 1, &kernels}.run();
    for (const Vec3f& p : out)
      for (std::size_t r = 0; r < 3; ++r)
        EXPECT_NEAR(std::abs(p[r]), std::abs(sum), 2 * tolerance * magnitude(weights)) << kernels.name;
  }
}

TEST(MorphJob, SmallWeightsBesideHugeOnesAreOffByAPartOfTheHugeOnes) {
  const Dense d(4);
  const std::vector<float> weights{1e6f, 1e-6f, 0, -3};
  for (const double tolerance : {0.0, 4e-7}) {
    const MorphTable table = build_morph_table(d.targets, Dense::vertices, tolerance);
    for (const kernel::Kernels& kernels : kernel::available()) {
      std::vector<Vec3f> out(Dense::vertices), turned(out);
      MorphJob{&table, weights, d.positions, d.normals, out, turned, 1, &kernels}.run();
      for (std::size_t v = 0; v < Dense::vertices; ++v)
        ASSERT_LT(length(Vec3d(out[v]) - d.position(v, weights)), tolerance > 0 ? 2 * tolerance * 1e6 : 0.01)
            << kernels.name;  // of 20000
    }
  }
}

TEST(MorphJob, WeightsThatAreTooSmallAddNothingAndThoseThatAreNoNumbersShow) {
  const Dense d(5);
  constexpr float none = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
  for (const double tolerance : {0.0, 4e-7}) {
    const MorphTable table = build_morph_table(d.targets, Dense::vertices, tolerance);
    for (const kernel::Kernels& kernels : kernel::available()) {
      const auto morphed = [&](const std::vector<float>& weights) {
        std::vector<Vec3f> out(Dense::vertices), turned(out);
        MorphJob{&table, weights, d.positions, d.normals, out, turned, 1, &kernels}.run();
        out.insert(out.end(), turned.begin(), turned.end());
        return out;
      };
      std::vector<Vec3f> rest = d.positions;
      rest.insert(rest.end(), d.normals.begin(), d.normals.end());
      EXPECT_EQ(morphed({0, -0.0f, 0, 0, 0}), rest) << kernels.name;
      EXPECT_EQ(morphed({1e-40f, 0, -1e-42f, 0, 1e-38f}), rest) << kernels.name;
      for (const std::vector<float>& weights : {std::vector<float>{0, none, 0, 0, 0},
                                                {1, 1, 1, 1, -none},
                                                {0, 0, infinite, 0, 0},
                                                {-infinite, 0, 0, 0, 0},
                                                {3e38f, 3e38f, 0, 0, 0}}) {
        for (const Vec3f& v : morphed(weights))
          for (std::size_t r = 0; r < 3; ++r) ASSERT_FALSE(std::isfinite(v[r])) << kernels.name;
      }
      for (const Vec3f& v : morphed({1e30f, 0, 0, 0, 0})) EXPECT_TRUE(std::isfinite(v.x)) << kernels.name;
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
  SkinTable table, lists;      // as jobs choose it, and vertex by vertex
  MorphTable morphs, rounded;  // with a tolerance of 0, and one that leaves no offset large
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
    rounded = build_morph_table(targets, vertices, 1e-4);
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
  for (const MorphTable* morphs : {&m.morphs, &m.rounded})
    for (const kernel::Kernels& kernels : kernel::available()) {
      const Morphing morphing{morphs, weights};
      std::vector<Vec3f> morphed(Moved::vertices), turned(Moved::vertices);
      MorphJob{morphs, weights, m.positions, m.normals, morphed, turned, 1, &kernels}.run();
      for (const SkinTable* table : {&m.table, &m.lists}) {
        for (const bool dual : {false, true}) {
          const auto skin = [&](const std::vector<Vec3f>& p, const std::vector<Vec3f>& n, const Morphing& with) {
            std::vector<Vec3f> out(2 * p.size());
            const std::span<Vec3f> all = out;
            const VertexStreams s{std::span(p), std::span(n), {}, all.first(p.size()), all.last(p.size()), {}};
            if (dual) DualQuaternionJob{table, motion, {}, s, 1, &kernels, with}.run();
            if (!dual) LinearJob{table, palette, s, false, 1, &kernels, with}.run();
            return out;
          };
          EXPECT_EQ(skin(m.positions, m.normals, morphing), skin(morphed, turned, {})) << kernels.name << dual;
        }
      }
    }
}

/// 5003 vertices whose targets change every few blocks: some blocks have more of them than are added at once, some
/// large entries, some none.
TEST(MorphedSkinning, GivesTheSameBitsForAnyNumberOfThreadsAndInBatches) {
  constexpr std::uint32_t vertices = 5003, target_count = 90;
  Rng rng(6);
  const auto random = [&] { return static_cast<float>(rng.uniform(-1, 1)); };
  SkinWeights skin;
  std::vector<MorphTarget> targets(target_count);
  std::vector<Vec3f> positions, normals;
  for (std::uint32_t v = 0; v < vertices; ++v) {
    const Influence one[]{{v / 1000 % 2, 1}};
    skin.push_vertex(one);
    positions.push_back({random(), random(), random()});
    normals.push_back(normalized(Vec3f{random(), random(), 2}));
    const std::uint32_t stretch = v / 40 % 30, first = stretch == 7 ? 0 : stretch * 3 % target_count,
                        count = stretch == 7 ? target_count : stretch % 9;
    for (std::uint32_t t = first; t < std::min(first + count, target_count); ++t) {
      targets[t].vertices.push_back(v);
      targets[t].positions.push_back(Vec3f{random(), random(), random()} * (t % 11 == 0 ? 1.0f : 0.01f));
      targets[t].normals.push_back({random() / 4, random() / 4, random() / 4});
    }
  }
  clean(skin, 2);
  const SkinTable table = build_skin_table(skin, 2).value();
  const MorphTable morphs = build_morph_table(targets, vertices, 1e-6);
  const auto has = [&](auto what) { return std::any_of(morphs.lists.begin(), morphs.lists.end(), what); };
  ASSERT_TRUE(has([](const MorphList& l) { return l.large > 0; }));
  ASSERT_TRUE(has([](const MorphList& l) { return l.plain > 64; }));
  ASSERT_TRUE(has([](const MorphList& l) { return l.large + l.plain == 0; }));
  const std::vector<JointMatrix> palette{pack({}),
                                         pack({to_matrix(from_axis_angle(Vec3f{0, 0, 1}, 0.7f)), {0.1f, 0, 0}})};
  constexpr std::size_t poses = 3;
  std::vector<std::vector<float>> weights(poses);
  for (std::vector<float>& w : weights)
    for (std::uint32_t t = 0; t < target_count; ++t) w.push_back(random());
  for (const kernel::Kernels& kernels : kernel::available()) {
    const auto run = [&](bool batch, unsigned threads) {
      std::vector<std::vector<Vec3f>> out(2 * poses, std::vector<Vec3f>(vertices));
      std::vector<LinearJob> jobs;
      for (std::size_t p = 0; p < poses; ++p) {
        const VertexStreams s{std::span(std::as_const(positions)),
                              std::span(std::as_const(normals)),
                              {},
                              std::span(out[2 * p]),
                              std::span(out[2 * p + 1]),
                              {}};
        jobs.push_back({&table, palette, s, false, threads, &kernels, {&morphs, weights[p]}});
      }
      if (batch) run_batch(jobs, threads);
      if (!batch)
        for (const LinearJob& job : jobs) job.run();
      return out;
    };
    const auto expected = run(false, 1);
    for (const unsigned threads : {1u, 2u, 3u}) {
      EXPECT_EQ(run(false, threads), expected) << kernels.name << threads;
      EXPECT_EQ(run(true, threads), expected) << kernels.name << threads;
    }
    std::vector<Vec3f> morphed(vertices), turned(vertices);
    MorphJob{&morphs, weights[0], positions, normals, morphed, turned, 1, &kernels}.run();
    for (std::size_t v = 0; v < vertices; ++v) {  // vertices of the first joint stay where they are morphed to
      if (v / 1000 % 2 != 0) continue;
      ASSERT_LT(length(expected[0][v] - morphed[v]), 1e-6f * (1 + length(morphed[v]))) << kernels.name;
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
