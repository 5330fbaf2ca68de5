// PLY in three encodings.
#include "supple/files/ply.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace supple::test {
namespace {

/// A quad and a triangle with a colour, an edge element in between and doubles for x.
std::string header(const std::string& format) {
  return "ply\nformat " + format +
         " 1.0\ncomment made by hand\nelement vertex 5\nproperty double x\nproperty float y\nproperty float z\n"
         "property uchar red\nproperty float nx\nproperty float ny\nproperty float nz\nelement edge 1\n"
         "property int vertex1\nproperty list uchar short tags\nelement face 2\nproperty list uchar int "
         "vertex_indices\n"
         "property int material\nend_header\n";
}

template <class T>
void put(std::string& out, T value, bool big) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof value);
  if (big) std::reverse(raw, raw + sizeof value);
  out.append(raw, sizeof value);
}

constexpr float xs[]{0, 1, 1, 0, 0.1f}, ys[]{0, 0, 1, 1, 2};

std::string binary(bool big) {
  std::string out = header(big ? "binary_big_endian" : "binary_little_endian");
  for (int v = 0; v < 5; ++v) {
    put(out, static_cast<double>(xs[v]), big);
    put(out, ys[v], big);
    put(out, -0.5f, big);
    out += '\x0a';  // a colour that looks like a line end
    for (const float n : {0.0f, 0.0f, 1.0f}) put(out, n, big);
  }
  put(out, std::int32_t{3}, big);
  out += '\x02';
  put(out, std::int16_t{-1}, big);
  put(out, std::int16_t{2}, big);
  out += '\x04';
  for (const std::int32_t i : {0, 1, 2, 3, 7}) put(out, i, big);
  out += '\x03';
  for (const std::int32_t i : {3, 2, 4, 8}) put(out, i, big);
  return out;
}

std::string ascii() {
  std::string out = header("ascii");
  for (int v = 0; v < 5; ++v) {
    char line[100];
    std::snprintf(line, sizeof line, "%.9g %.9g -0.5 10 0 0 1\r\n", static_cast<double>(xs[v]),
                  static_cast<double>(ys[v]));
    out += line;
  }
  return out + "3 2 -1 2\n4 0 1 2 3 7\n3 3 2 4 8\n";
}

TEST(Ply, ThreeEncodingsOneMesh) {
  for (const std::string& text : {ascii(), binary(false), binary(true)}) {
    const auto mesh = parse_ply(text, "a.ply");
    ASSERT_TRUE(mesh) << mesh.error().message();
    ASSERT_EQ(mesh->positions.size(), 5u);
    for (std::size_t v = 0; v < 5; ++v) EXPECT_EQ(mesh->positions[v], (Vec3f{xs[v], ys[v], -0.5f}));
    EXPECT_EQ(mesh->normals[4], (Vec3f{0, 0, 1}));
    EXPECT_EQ(mesh->triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}, {3, 2, 4}}));
  }
}

TEST(Ply, FaultsAreNamed) {
  const auto expect = [](const std::string& text, const std::string& said) {
    const auto mesh = parse_ply(text, "a.ply");
    ASSERT_FALSE(mesh) << said;
    EXPECT_NE(mesh.error().message().find(said), std::string::npos) << mesh.error().message();
  };
  expect("", "is not a PLY file");
  expect("ply\nformat ascii 1.0\n", "no end of its header");
  expect("ply\nelement vertex 1\nend_header\n", "does not say its format");
  expect("ply\nformat weird 1.0\nend_header\n", "a.ply:2");
  expect("ply\nformat ascii 1.0\nproperty float x\nend_header\n", "a.ply:3");
  expect("ply\nformat ascii 1.0\nelement vertex many\nend_header\n", "without a count");
  expect("ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\nend_header\n", "unknown type");
  expect("ply\nformat ascii 1.0\nelement vertex 0\nend_header\n", "has no vertices");
  expect("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n", "without x, y and z");
  const std::string points =
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n";
  const std::string faces = "element face 1\nproperty list uchar int vertex_index\nend_header\n0 0 0\n";
  expect(points + "end_header\n1 nan 3\n", "vertex 0: has a position that is not finite");
  expect(points + "end_header\n1 2\n", "vertex 0: has no readable 'z'");
  expect(points + faces + "3 0 0 1\n", "face 0: names a vertex that does not exist");
  expect(points + faces + "3 0 0 -1\n", "face 0: names a vertex that does not exist");
  expect(points + faces + "2 0 0\n", "face 0: has 2 corners");
  expect(points + faces + "99999999999 0 0\n", "face 0: has no readable");
  for (const std::string& whole : {ascii(), binary(false), binary(true)}) {
    for (std::size_t cut = 12; cut < whole.size(); cut += 7) {
      const auto mesh = parse_ply(std::string_view(whole).substr(0, whole.size() - cut), "a.ply");
      EXPECT_FALSE(mesh) << cut;
    }
  }
}

}  // namespace
}  // namespace supple::test
