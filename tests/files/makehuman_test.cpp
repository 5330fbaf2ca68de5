// A whole body with weights as artists leave them: up to twelve influences, sums from a third to one and two thirds.
#include <gtest/gtest.h>

#include "supple/base/file.h"
#include "supple/deform/skinning/table.h"
#include "supple/files/json.h"
#include "supple/files/obj.h"
#include "support/shared_data.h"

namespace supple::test {
namespace {

TEST(MakeHuman, WeightsAreNormalisedAndReduced) {
  const auto folder = shared_data("makehuman");
  SUPPLE_REQUIRE_DATA(folder);
  const std::size_t vertices = read_obj(folder / "base.obj").value().part.mesh.positions.size();
  const Json bones = Json::parse(read_text(folder / "default_weights.mhw").value())["weights"];
  std::vector<std::vector<Influence>> rows(vertices);
  std::uint32_t joint = 0;
  for (const auto& [name, entries] : bones.members()) {
    for (const auto& entry : entries) rows.at(entry[0].get<std::size_t>()).push_back({joint, entry[1].get<float>()});
    ++joint;
  }
  SkinWeights weights;
  double least = 10, most = 0;
  std::size_t off = 0, unbound = 0;
  for (const auto& row : rows) {
    double sum = 0;
    for (const Influence& i : row) sum += i.weight;
    unbound += row.empty();
    if (!row.empty()) {
      least = std::min(least, sum);
      most = std::max(most, sum);
      off += std::abs(sum - 1) > 1e-3;
    }
    weights.push_vertex(row);
  }
  EXPECT_NEAR(least, 0.321, 1e-3);
  EXPECT_NEAR(most, 1.673, 1e-3);
  EXPECT_EQ(weights.max_influences(), 12u);

  const WeightRepairs repairs = clean(weights, joint);
  EXPECT_NEAR(static_cast<double>(repairs.not_normalized), static_cast<double>(off), 5)
      << "sums of exactly 1 +- 0.001 fall on either side, by the order of adding";
  EXPECT_EQ(repairs.zero, unbound);
  EXPECT_GT(off, 0u);
  EXPECT_NEAR(std::abs(repairs.worst_sum - 1), std::max(1 - least, most - 1), 1e-4);
  const SkinWeights four = top_influences(weights, 4);
  EXPECT_EQ(four.max_influences(), 4u);
  const auto table = build_skin_table(four, joint);
  ASSERT_TRUE(table) << table.error().message();
  // Neighbours mostly share their joints: at least four of five vertices are in blocks, which hold five weights for
  // each of them, where they have two and a half influences.
  std::size_t listed = 0;
  for (const SkinTable::Run& run : table->runs)
    if (run.influences > 0) listed += run.vertices;
  EXPECT_LT(listed, vertices / 5);
  EXPECT_LT(16 * table->block_weights.size(), 6 * vertices);
}

}  // namespace
}  // namespace supple::test
