#include "supple/files/stl.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "supple/base/file.h"
#include "supple/files/lines.h"
#include "supple/geometry/topology.h"

namespace supple {
namespace {

constexpr std::size_t header_size = 84;    // 80 bytes of anything, then the number of triangles
constexpr std::size_t triangle_size = 50;  // normal, three corners, two bytes of anything

std::uint32_t little_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return value;
}

/// Three corners per triangle, in the file's units.
using Corners = std::vector<Vec3f>;

Corners parse_binary(std::string_view contents, std::size_t count) {
  Corners corners;
  corners.reserve(3 * count);
  for (std::size_t t = 0; t < count; ++t) {
    for (std::size_t c = 1; c <= 3; ++c) {  // 0 is the normal
      const std::size_t at = header_size + t * triangle_size + 12 * c;
      corners.push_back({std::bit_cast<float>(little_endian(contents, at)),
                         std::bit_cast<float>(little_endian(contents, at + 4)),
                         std::bit_cast<float>(little_endian(contents, at + 8))});
    }
  }
  return corners;
}

Result<Corners> parse_text(std::string_view contents, const std::string& name) {
  Corners corners;
  LineReader lines(contents, name);
  bool ended = false;
  while (lines.next_line()) {
    const std::string_view key = lines.word();
    if (key == "vertex") {
      Vec3f corner;
      for (std::size_t i = 0; i < 3; ++i) {
        const auto number = to_number<float>(lines.word());
        if (!number) return lines.error("has a vertex without three numbers");
        corner[i] = *number;
      }
      corners.push_back(corner);
    } else if (key == "endloop") {
      if (corners.size() % 3 != 0) return lines.error("ends a facet that has not three corners");
    } else if (key == "solid") {
      ended = false;
    } else if (key == "endsolid") {
      ended = true;
    } else if (key != "" && key != "facet" && key != "outer" && key != "endfacet") {
      return lines.error("has the unknown word " + quoted(key));
    }
  }
  if (!ended || corners.size() % 3 != 0) return lines.error("ends early", "the file was cut short: copy it again");
  return corners;
}

Result<Corners> parse_corners(std::string_view contents, const std::string& name) {
  // Binary files may begin with 'solid' too; only their length tells.
  const std::size_t promised = contents.size() >= header_size ? little_endian(contents, 80) : 0;
  if (contents.size() >= header_size && contents.size() == header_size + promised * triangle_size)
    return parse_binary(contents, promised);
  const std::size_t first = contents.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && contents.substr(first).starts_with("solid")) return parse_text(contents, name);
  if (contents.size() < header_size)
    return Error{name, "is not an STL file", "it is shorter than the header of one, and not text"};
  return Error{name,
               "promises " + std::to_string(promised) + " triangles but has room for " +
                   std::to_string((contents.size() - header_size) / triangle_size),
               "the file was cut short or is no STL: copy it again"};
}

}  // namespace

Result<Mesh> parse_stl(std::string_view contents, const std::string& name, double metres_per_unit) {
  auto corners = parse_corners(contents, name);
  if (!corners) return corners.error();
  if (corners->empty()) return Error{name, "has no triangles", ""};
  for (std::size_t i = 0; i < corners->size(); ++i) {
    Vec3f& corner = (*corners)[i];
    corner = Vec3f(Vec3d(corner) * metres_per_unit);
    if (!is_finite(corner))
      return Error{name + ", triangle " + std::to_string(i / 3), "has a corner that is not finite", ""};
  }
  std::vector<Triangle> triangles(corners->size() / 3);
  for (std::uint32_t t = 0; t < triangles.size(); ++t) triangles[t] = {3 * t, 3 * t + 1, 3 * t + 2};
  const Weld welded = weld(*corners);
  Mesh mesh;
  mesh.triangles = welded_triangles(triangles, welded);
  for (const std::uint32_t corner : welded.to_vertex) mesh.positions.push_back((*corners)[corner]);
  if (mesh.triangles.empty()) return Error{name, "has no triangle with an area", "check its unit"};
  return mesh;
}

Result<Mesh> read_stl(const std::filesystem::path& path, double metres_per_unit) {
  const auto contents = read_text(path);
  if (!contents) return contents.error();
  return parse_stl(*contents, path.string(), metres_per_unit);
}

std::string to_stl(const Mesh& mesh, double metres_per_unit, std::string_view header) {
  std::string out(header.substr(0, 80));
  out.resize(80, ' ');  // text files begin with 'solid'
  const auto append = [&](const auto number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    if constexpr (std::endian::native == std::endian::big) std::reverse(std::begin(bytes), std::end(bytes));
    out.append(bytes, sizeof number);
  };
  const auto append_vector = [&](Vec3f v) { append(v.x), append(v.y), append(v.z); };
  out.reserve(header_size + mesh.triangles.size() * triangle_size);
  append(static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const Triangle& t : mesh.triangles) {
    const Vec3d a(mesh.positions[t[0]]), b(mesh.positions[t[1]]), c(mesh.positions[t[2]]);
    append_vector(Vec3f(normalized(cross(b - a, c - a), Vec3d{})));
    for (const Vec3d& p : {a, b, c}) append_vector(Vec3f(p / metres_per_unit));
    append(std::uint16_t{0});
  }
  return out;
}

}  // namespace supple
