// STL as text and binary, welded.
#include "supple/files/stl.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <filesystem>

#include "supple/base/rng.h"
#include "support/shapes.h"
#include "support/shared_data.h"

namespace supple::test {
namespace {

std::string as_text(const Mesh& mesh) {
  std::string out = "solid made by hand\n";
  for (const Triangle& t : mesh.triangles) {
    out += "facet normal 0 0 1\n  outer loop\r\n";
    for (const std::uint32_t v : t) {
      char line[100];
      const Vec3f p = mesh.positions[v];
      std::snprintf(line, sizeof line, "    vertex %.9g %.9g %.9e\n", static_cast<double>(p.x),
                    static_cast<double>(p.y), static_cast<double>(p.z));
      out += line;
    }
    out += "  endloop\nendfacet\n";
  }
  return out + "endsolid made by hand\n";
}

/// The header begins with "solid", as many programs write it to the grief of readers.
std::string as_binary(const Mesh& mesh) {
  std::string out = "solid binary";
  out.resize(80, ' ');
  const auto put = [&](const void* from, std::size_t size) { out.append(static_cast<const char*>(from), size); };
  const auto count = static_cast<std::uint32_t>(mesh.triangles.size());
  put(&count, 4);
  for (const Triangle& t : mesh.triangles) {
    const Vec3f normal{0, 0, 1};
    put(&normal, 12);
    for (const std::uint32_t v : t) put(&mesh.positions[v], 12);
    put("\0\0", 2);
  }
  return out;
}

TEST(Stl, TextAndBinaryGiveTheWeldedMesh) {
  const Mesh ball = sphere(20, 6, 9);  // millimetres
  for (const std::string& contents : {as_text(ball), as_binary(ball)}) {
    const auto mesh = parse_stl(contents, "ball.stl");
    ASSERT_TRUE(mesh) << mesh.error().message();
    EXPECT_EQ(mesh->positions.size(), ball.positions.size());
    ASSERT_EQ(mesh->triangles.size(), ball.triangles.size());
    EXPECT_TRUE(find_defects(mesh->positions, mesh->triangles).closed());
    for (std::size_t t = 0; t < ball.triangles.size(); ++t) {
      for (std::size_t c = 0; c < 3; ++c) {
        const Vec3f truth = Vec3f(Vec3d(ball.positions[ball.triangles[t][c]]) * 0.001);
        EXPECT_EQ(mesh->positions[mesh->triangles[t][c]], truth);
      }
    }
  }
  const auto in_metres = parse_stl(as_binary(ball), "ball.stl", 1);
  ASSERT_TRUE(in_metres);
  EXPECT_NEAR(bounds(in_metres->positions).high.y, 20, 1e-6);
}

TEST(Stl, WhatIsWrittenReadsBack) {
  const Mesh ball = test::sphere(0.02, 12, 16);
  const std::string written = to_stl(ball);
  EXPECT_EQ(written.size(), 84 + 50 * ball.triangles.size());
  const auto back = parse_stl(written, "ball.stl");
  ASSERT_TRUE(back) << back.error().message();
  ASSERT_EQ(back->triangles.size(), ball.triangles.size());
  for (std::size_t t = 0; t < ball.triangles.size(); ++t) {
    float normal[3];
    std::memcpy(normal, written.data() + 84 + 50 * t, sizeof normal);
    Vec3f outwards{};
    for (std::size_t c = 0; c < 3; ++c) {
      const Vec3f p = ball.positions[ball.triangles[t][c]];
      // To millimetres and back, each rounded once.
      EXPECT_LT(length(back->positions[back->triangles[t][c]] - p), 5e-9f);
      outwards += p;
    }
    EXPECT_GT(dot(Vec3f{normal[0], normal[1], normal[2]}, normalized(outwards)), 0.9f);
  }
}

TEST(Stl, FaultsAreNamed) {
  const auto expect = [](const std::string& contents, const std::string& said) {
    const auto mesh = parse_stl(contents, "a.stl");
    ASSERT_FALSE(mesh) << said;
    EXPECT_NE(mesh.error().message().find(said), std::string::npos) << mesh.error().message();
  };
  const Mesh ball = sphere(20, 3, 4);
  expect("", "is not an STL file");
  expect("hello", "is not an STL file");
  expect("solid empty\nendsolid\n", "has no triangles");
  expect("solid a\nfacet normal 0 0 1\nvertex 1 2\n", "a.stl:3: has a vertex without three numbers");
  expect("solid a\nvertex 1 2 3\nvertex 1 2 3\nendloop\n", "a.stl:4: ends a facet");
  expect("solid a\nvortex 1 2 3\n", "unknown word 'vortex'");
  expect("solid a\nvertex 1 1 1\nvertex 1 1 1\nvertex 2 2 2\nendloop\nendsolid\n", "no triangle with an area");
  expect("solid a\nvertex 1 1 1\nvertex 1 nan 1\nvertex 2 2 2\nendloop\nendsolid\n", "triangle 0: has a corner");
  std::string other = as_binary(ball);
  other.replace(0, 5, "thing");
  other.pop_back();
  const std::size_t promised = ball.triangles.size();
  expect(other, "promises " + std::to_string(promised) + " triangles but has room for " + std::to_string(promised - 1));
}

TEST(Stl, AHeaderTellsTheSpaceAndChangesNothingElse) {
  const Mesh ball = sphere(20, 3, 4);
  const std::string plain = to_stl(ball), told = to_stl(ball, 0.001, "SPACE=LPS");
  EXPECT_TRUE(told.starts_with("SPACE=LPS "));
  EXPECT_EQ(told.substr(80), plain.substr(80));
  EXPECT_EQ(to_stl(ball, 0.001, std::string(200, 'x')).size(), plain.size());
}

TEST(Stl, NoCutOrChangedFileDoesHarm) {
  const Mesh ball = sphere(20, 3, 4);
  Rng rng(5);
  for (const std::string& whole : {as_text(ball), as_binary(ball)}) {
    std::size_t refused = 0, tried = 0;
    for (std::size_t cut = 20; cut < whole.size(); cut += 11, ++tried)
      refused += parse_stl(std::string_view(whole).substr(0, whole.size() - cut), "a.stl") ? 0 : 1;
    EXPECT_EQ(refused, tried);
    for (int round = 0; round < 300; ++round) {  // anything but a crash will do
      std::string changed = whole;
      for (int i = 0; i < 3; ++i)
        changed[rng.below(static_cast<std::uint32_t>(changed.size()))] = static_cast<char>(rng.below(256));
      const auto mesh = parse_stl(changed, "a.stl");
      EXPECT_TRUE(!mesh || validate(*mesh));
    }
  }
}

TEST(Stl, RealBonesAreClosedSurfacesOfBoneSize) {
  const auto folder = shared_data("bodyparts3d_right_hand_bones");
  SUPPLE_REQUIRE_DATA(folder);
  std::size_t bones = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".stl") continue;
    const auto mesh = read_stl(entry.path());
    ASSERT_TRUE(mesh) << mesh.error().message();
    EXPECT_TRUE(find_defects(mesh->positions, mesh->triangles).closed()) << entry.path();
    // From the pisiform, under 1 cm3, to the radius, some 60 cm3; positive: turned outwards.
    const double cubic_centimetres = 1e6 * enclosed_volume(mesh->positions, mesh->triangles);
    EXPECT_GT(cubic_centimetres, 0.1) << entry.path();
    EXPECT_LT(cubic_centimetres, 100) << entry.path();
    ++bones;
  }
  EXPECT_EQ(bones, 29u);
}

}  // namespace
}  // namespace supple::test
