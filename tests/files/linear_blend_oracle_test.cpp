// Linear blend against another program's meshes: rest shape, weights, transforms and posed shapes of a cylinder.
#include <gtest/gtest.h>

#include <fstream>

#include "supple/deform/skinning/job.h"
#include "supple/files/obj.h"
#include "support/shared_data.h"

namespace supple::test {
namespace {

namespace fs = std::filesystem;

/// ASCII matrix: "columns rows", then values column by column; here one column per bone.
SkinWeights read_dmat(const fs::path& path) {
  std::ifstream file(path);
  std::size_t columns = 0, rows = 0;
  file >> columns >> rows;
  std::vector<float> values(columns * rows);
  for (float& v : values) file >> v;
  EXPECT_TRUE(file);
  SkinWeights weights;
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<Influence> row;
    for (std::size_t c = 0; c < columns; ++c) row.push_back({static_cast<std::uint32_t>(c), values[c * rows + r]});
    weights.push_vertex(row);
  }
  return weights;
}

/// Stacked 4 x 3 matrices for row vectors: [v 1] T.
std::vector<JointMatrix> read_transforms(const fs::path& path) {
  std::ifstream file(path);
  std::vector<JointMatrix> palette;
  Affinef m;
  while (file >> m.linear.c0.x >> m.linear.c0.y >> m.linear.c0.z >> m.linear.c1.x >> m.linear.c1.y >> m.linear.c1.z >>
         m.linear.c2.x >> m.linear.c2.y >> m.linear.c2.z >> m.translation.x >> m.translation.y >> m.translation.z) {
    palette.push_back(pack(m));
  }
  return palette;
}

TEST(LinearBlendOracle, ReproducesEveryPose) {
  const fs::path folder = shared_data("lbs_oracle_cylinder/cylinder");
  SUPPLE_REQUIRE_DATA(folder);
  const Mesh rest = read_obj(folder / "cylinder.obj").value().part.mesh;
  ASSERT_EQ(rest.positions.size(), 420u);
  SkinWeights weights = read_dmat(folder / "cylinder.DMAT");
  clean(weights, 4);
  const SkinTable table = build_skin_table(weights, 4).value();
  std::size_t poses = 0;
  double worst = 0;
  for (const char* set : {"poses-1", "poses-2"}) {
    for (int i = 1; i <= 4; ++i, ++poses) {
      const std::string stem = "cylinder-" + std::to_string(i);
      const Mesh expected = read_obj(folder / set / (stem + ".obj")).value().part.mesh;
      const std::vector<JointMatrix> palette = read_transforms(folder / set / (stem + ".Tmat"));
      ASSERT_GE(palette.size(), 4u) << set << stem;
      ASSERT_EQ(expected.positions.size(), rest.positions.size());
      std::vector<Vec3f> posed(rest.positions.size());
      LinearJob{&table, palette, {std::span(rest.positions), {}, {}, std::span(posed), {}, {}}}.run();
      for (std::size_t v = 0; v < posed.size(); ++v) {
        worst = std::max<double>(worst, length(posed[v] - expected.positions[v]));
        ASSERT_LE(length(posed[v] - expected.positions[v]), 1e-5f) << set << "/" << stem << " vertex " << v;
      }
    }
  }
  EXPECT_EQ(poses, 8u);
  std::printf("%zu poses, worst difference %.2e\n", poses, worst);
}

}  // namespace
}  // namespace supple::test
