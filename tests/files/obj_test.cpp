// Wavefront OBJ in and out.
#include "supple/files/obj.h"

#include <gtest/gtest.h>

#include "supple/base/rng.h"
#include "supple/files/load.h"
#include "support/shared_data.h"

namespace supple::test {
namespace {

TEST(Obj, PolygonsNegativeIndicesCommentsAndWindowsLines) {
  const auto m = parse_obj(
      "# a house\r\no house\r\nv 0 0 0\r\nv 1 0 0\r\nv 1 1 0\r\nv 0 1 0 1.0\r\nv +0.5 2e0 -0.0 # roof\r\n"
      "f 1 2 3 4\r\ng roof\r\nf -1 \\\r\n-2 -3\r\nl 1 2\r\nusemtl red",
      "house.obj");
  ASSERT_TRUE(m) << m.error().message();
  EXPECT_EQ(m->part.mesh.positions.size(), 5u);
  EXPECT_EQ(m->part.mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}, {4, 3, 2}}));
  ASSERT_EQ(m->groups.size(), 2u);
  EXPECT_EQ(m->groups[0].triangle_count, 2u);
  EXPECT_EQ(m->groups[1].name, "roof");
  EXPECT_EQ(m->groups[1].first_triangle, 2u);
}

TEST(Obj, SeamsAreKeptTogetherOrSplit) {
  const std::string text =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nvt .5 .5\nf 1/1 2/2 3/3\nf 2/4 4/1 3/3\n";
  Warnings warnings;
  const auto together = parse_obj(text, "seam.obj", &warnings);
  ASSERT_TRUE(together);
  EXPECT_EQ(together->part.mesh.positions.size(), 4u);
  EXPECT_TRUE(together->part.texcoords.empty());
  EXPECT_EQ(warnings.size(), 1u);
  const auto split = parse_obj(text, "seam.obj", nullptr, {.split_seams = true});
  ASSERT_TRUE(split);
  EXPECT_EQ(split->part.mesh.positions.size(), 5u);
  EXPECT_EQ(split->part.texcoords.at(0), (std::array<float, 2>{0, 1})) << "counted from the top as in glTF";
}

TEST(Obj, ErrorsNameTheLine) {
  const std::vector<std::pair<std::string, std::string>> bad{{"v 0 0\n", "bad.obj:1"},
                                                             {"v 0 0 0\nv 1 x 0\n", "bad.obj:2"},
                                                             {"v 0 0 0\nf 1 2 3\n", "bad.obj:2"},
                                                             {"v 0 0 0\n\n\nf 1 1\n", "bad.obj:4"},
                                                             {"v 0 0 0\nf 0 1 1\n", "bad.obj:2"},
                                                             {"v 0 0 0\nf -2 1 1\n", "bad.obj:2"},
                                                             {"v 0 0 0\nvt 0 0\nf 1/2 1 1\n", "bad.obj:3"},
                                                             {"v nan 0 0\n", "bad.obj:1"},
                                                             {"v 1e99 0 0\n", "bad.obj:1"},
                                                             {"v 0 0 0\nf 1 1 \\\n99999999999999999999\n", "bad.obj:2"},
                                                             {"v 0 0 0\nf 1 \\\n1 1\nv 0\n", "bad.obj:4"},
                                                             {"", "bad.obj"}};
  for (const auto& [text, item] : bad) {
    const auto read = parse_obj(text, "bad.obj");
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().item, item) << text << read.error().message();
  }
}

TEST(Obj, FloatsComeBackExactly) {
  Rng rng(7);
  Part part;
  part.name = "random";
  for (int i = 0; i < 500; ++i) {
    const auto number = [&] { return static_cast<float>(rng.uniform(-1, 1) * std::pow(10.0, rng.uniform(-8, 8))); };
    part.mesh.positions.push_back({number(), number(), number()});
    part.mesh.normals.push_back({number(), number(), number()});
    part.texcoords.push_back({static_cast<float>(rng.uniform()), static_cast<float>(rng.uniform())});
  }
  part.mesh.positions[0] = {-0.0f, std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::max()};
  for (std::uint32_t i = 0; i + 2 < 500; ++i) part.mesh.triangles.push_back({i, i + 1, i + 2});
  const auto again = parse_obj(to_obj(std::span(&part, 1)), "random.obj");
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->part.mesh.positions, part.mesh.positions);
  EXPECT_TRUE(std::signbit(again->part.mesh.positions[0].x));
  EXPECT_EQ(again->part.mesh.normals, part.mesh.normals);
  EXPECT_EQ(again->part.texcoords, part.texcoords);
  EXPECT_EQ(again->part.mesh.triangles, part.mesh.triangles);
}

TEST(Obj, SeveralPartsShareOneFile) {
  Part a, b;
  a.mesh = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {}, {{0, 1, 2}}};
  b.mesh = {{{0, 0, 1}, {1, 0, 1}, {0, 1, 1}}, {}, {{2, 1, 0}}};
  a.name = "a", b.name = "b";
  const auto again = parse_obj(to_obj(std::vector<Part>{a, b}), "two.obj");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->part.mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {5, 4, 3}}));
  EXPECT_EQ(again->groups.size(), 2u);
}

TEST(Obj, MakeHumanBody) {
  const auto path = shared_data("makehuman/base.obj");
  SUPPLE_REQUIRE_DATA(path);
  const auto model = read_obj(path);
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_EQ(model->part.mesh.positions.size(), 19158u);
  EXPECT_EQ(model->part.mesh.triangles.size(), 2 * 18486u);
  EXPECT_GT(model->groups.size(), 100u);
  const auto loaded = load(path);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_TRUE(validate(loaded->character()));
}

TEST(Obj, NumbersOfTextureCoordinatesThatAreAbsentAltogetherAreIgnored) {
  Warnings warnings;
  const auto model = parse_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/1/1 2/2/1 3/3/1\n", "a.obj", &warnings);
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_TRUE(model->part.texcoords.empty());
  EXPECT_TRUE(model->part.mesh.normals.empty());
  EXPECT_EQ(warnings.size(), 1u);
  EXPECT_FALSE(parse_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/2 3/1\n", "a.obj"))
      << "one is there, the other not";
}

}  // namespace
}  // namespace supple::test
