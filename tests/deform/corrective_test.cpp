// Corrections against the sum they stand for.
#include <gtest/gtest.h>

#include "supple/base/rng.h"
#include "supple/deform/corrective/job.h"

namespace supple {
namespace {

/// Modes that move every third vertex, every block's first, or all of one stretch; 37 vertices fill two blocks and a
/// part of a third.
struct Sample {
  static constexpr std::size_t vertices = 37, modes = 3;
  std::vector<std::vector<Vec3f>> offsets;
  CorrectiveTable table;

  Sample() {
    Rng rng(1);
    const auto random = [&] { return static_cast<float>(rng.uniform(-1, 1)); };
    for (std::size_t m = 0; m < modes; ++m) {
      offsets.emplace_back(vertices);
      for (std::size_t v = 0; v < vertices; ++v) {
        const bool moved = m == 0 ? v % 3 == 0 : m == 1 ? v % 16 == 0 : v >= 10 && v < 14;
        if (moved) offsets[m][v] = {random(), random(), random()};
      }
    }
    table.vertex_count = vertices;
    table.mode_count = modes;
    table.positions = packed();
    table.normals = packed();
  }
  BlockDeltas packed() const {
    BlockDeltas deltas;
    deltas.first.push_back(0);
    for (std::size_t begin = 0; begin < vertices; begin += BlockDeltas::block_vertices) {
      for (std::uint32_t m = 0; m < modes; ++m) {
        std::vector<float> block(BlockDeltas::block_floats, 0.0f);
        bool moved = false;
        for (std::size_t i = 0; i < BlockDeltas::block_vertices && begin + i < vertices; ++i) {
          for (std::size_t r = 0; r < 3; ++r) block[3 * i + r] = offsets[m][begin + i][r];
          moved = moved || !(offsets[m][begin + i] == Vec3f{});
        }
        if (!moved) continue;
        deltas.modes.push_back(m);
        deltas.offsets.insert(deltas.offsets.end(), block.begin(), block.end());
      }
      deltas.first.push_back(static_cast<std::uint32_t>(deltas.modes.size()));
    }
    return deltas;
  }
};

TEST(CorrectiveJob, AddsEveryModeWhereItActs) {
  const Sample s;
  std::vector<Vec3f> rest(Sample::vertices, Vec3f{1, 2, 3}), normals(Sample::vertices, Vec3f{0, 1, 0});
  std::vector<Vec3f> out(rest.size()), out_normals(rest.size());
  const std::vector<float> alpha{0.5f, -2, 3};
  CorrectiveJob job{&s.table, alpha, rest, normals, out, out_normals, 2};
  ASSERT_TRUE(job.validate().ok());
  job.run();
  for (std::size_t v = 0; v < rest.size(); ++v) {
    Vec3f sum{};
    for (std::size_t m = 0; m < Sample::modes; ++m) sum += s.offsets[m][v] * alpha[m];
    EXPECT_LT(length(out[v] - rest[v] - sum), 1e-6f) << v;
    EXPECT_LT(length(out_normals[v] - normals[v] - sum), 1e-6f) << v;
  }
  CorrectiveJob in_place{&s.table, alpha, rest, {}, rest, {}, 1};
  in_place.run();
  EXPECT_EQ(rest, out);
}

TEST(CorrectiveJob, ChecksSizes) {
  const Sample s;
  std::vector<Vec3f> rest(Sample::vertices), few(5);
  const std::vector<float> alpha(3), short_alpha(2);
  EXPECT_FALSE((CorrectiveJob{nullptr, alpha, rest, {}, rest, {}, 1}).validate().ok());
  EXPECT_FALSE((CorrectiveJob{&s.table, short_alpha, rest, {}, rest, {}, 1}).validate().ok());
  EXPECT_FALSE((CorrectiveJob{&s.table, alpha, few, {}, rest, {}, 1}).validate().ok());
  EXPECT_FALSE((CorrectiveJob{&s.table, alpha, rest, rest, rest, {}, 1}).validate().ok());
}

}  // namespace
}  // namespace supple
