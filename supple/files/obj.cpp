#include "supple/files/obj.h"

#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "supple/base/file.h"
#include "supple/files/lines.h"

namespace supple {
namespace {

constexpr std::uint32_t absent = 0xffffffffu;

struct Corner {
  std::uint32_t position = absent, texcoord = absent, normal = absent;
  auto operator<=>(const Corner&) const = default;
};

struct ObjText {
  std::vector<Vec3f> positions, normals;
  std::vector<std::array<float, 2>> texcoords;
  std::vector<std::array<Corner, 3>> triangles;
  std::vector<ObjGroup> groups;
  bool names_missing = false;  // faces name texture coordinates or normals of which there are none
};

template <std::size_t N>
Result<std::array<double, N>> read_numbers(LineReader& reader, const char* what) {
  std::array<double, N> values{};
  for (double& value : values) {
    const auto number = to_number<double>(reader.word());
    if (!number) return reader.error(std::string(what) + " needs " + std::to_string(N) + " numbers");
    if (!std::isfinite(static_cast<float>(*number)))
      return reader.error(std::string(what) + " has a number that is not finite");
    value = *number;
  }
  return values;
}

/// 1-based, or negative from the latest; both are in range or an error.
Result<std::uint32_t> resolve(const LineReader& reader, std::string_view word, std::size_t count, const char* what) {
  const auto number = to_number<long long>(word);
  if (!number || *number == 0) return reader.error(std::string(what) + " number expected, found " + quoted(word));
  const auto available = static_cast<long long>(count);
  const long long index = *number > 0 ? *number - 1 : available + *number;
  if (index < 0 || index >= available) {
    return reader.error(std::string(what) + " " + std::to_string(*number) + " does not exist: there are " +
                        std::to_string(count) + " so far");
  }
  return static_cast<std::uint32_t>(index);
}

/// "v", "v/vt", "v//vn" or "v/vt/vn".
Result<Corner> read_corner(const LineReader& reader, std::string_view word, ObjText& obj) {
  Corner corner;
  std::array<std::string_view, 3> fields;
  for (std::size_t f = 0; f < 3; ++f) {
    const std::size_t slash = word.find('/');
    fields[f] = word.substr(0, slash);
    if (slash == std::string_view::npos) break;
    word = word.substr(slash + 1);
  }
  const auto position = resolve(reader, fields[0], obj.positions.size(), "vertex");
  if (!position) return position.error();
  corner.position = *position;
  // Some exporters number texture coordinates or normals that they then leave out altogether.
  if (!fields[1].empty() && obj.texcoords.empty()) obj.names_missing = true;
  if (!fields[2].empty() && obj.normals.empty()) obj.names_missing = true;
  if (!fields[1].empty() && !obj.texcoords.empty()) {
    const auto texcoord = resolve(reader, fields[1], obj.texcoords.size(), "texture coordinate");
    if (!texcoord) return texcoord.error();
    corner.texcoord = *texcoord;
  }
  if (!fields[2].empty() && !obj.normals.empty()) {
    const auto normal = resolve(reader, fields[2], obj.normals.size(), "normal");
    if (!normal) return normal.error();
    corner.normal = *normal;
  }
  return corner;
}

Result<void> read_face(LineReader& reader, ObjText& obj) {
  std::vector<Corner> corners;
  for (std::string_view word = reader.word(); !word.empty(); word = reader.word()) {
    const auto corner = read_corner(reader, word, obj);
    if (!corner) return corner.error();
    corners.push_back(*corner);
  }
  if (corners.size() < 3) return reader.error("a face needs at least three corners");
  for (std::size_t k = 2; k < corners.size(); ++k) obj.triangles.push_back({corners[0], corners[k - 1], corners[k]});
  return {};
}

Result<ObjText> read_lines(std::string_view text, const std::string& name) {
  ObjText obj;
  LineReader reader(text, name);
  while (reader.next_line()) {
    const std::string_view keyword = reader.word();
    if (keyword == "v") {
      const auto v = read_numbers<3>(reader, "a vertex");
      if (!v) return v.error();
      obj.positions.push_back(Vec3f(Vec3d{(*v)[0], (*v)[1], (*v)[2]}));
    } else if (keyword == "vn") {
      const auto n = read_numbers<3>(reader, "a normal");
      if (!n) return n.error();
      obj.normals.push_back(Vec3f(Vec3d{(*n)[0], (*n)[1], (*n)[2]}));
    } else if (keyword == "vt") {
      const auto t = read_numbers<2>(reader, "a texture coordinate");
      if (!t) return t.error();
      // OBJ counts from the bottom of the picture, glTF from the top
      obj.texcoords.push_back({static_cast<float>((*t)[0]), static_cast<float>(1 - (*t)[1])});
    } else if (keyword == "f") {
      if (auto face = read_face(reader, obj); !face) return face.error();
    } else if (keyword == "g" || keyword == "o") {
      obj.groups.push_back({std::string(reader.remainder()), obj.triangles.size(), 0});
    }
  }
  for (std::size_t g = 0; g < obj.groups.size(); ++g) {
    const std::size_t end = g + 1 < obj.groups.size() ? obj.groups[g + 1].first_triangle : obj.triangles.size();
    obj.groups[g].triangle_count = end - obj.groups[g].first_triangle;
  }
  return obj;
}

/// Vertices in the file's order. Returns false where some vertex has several texture coordinates (or normals).
template <class Value>
bool one_per_vertex(const ObjText& obj, const std::vector<Value>& values, std::uint32_t Corner::*member,
                    std::vector<Value>& out) {
  if (values.empty()) return true;
  std::vector<std::uint32_t> chosen(obj.positions.size(), absent);
  for (const auto& triangle : obj.triangles) {
    for (const Corner& corner : triangle) {
      std::uint32_t& c = chosen[corner.position];
      if (corner.*member == absent || (c != absent && !(values[c] == values[corner.*member]))) return false;
      c = corner.*member;
    }
  }
  out.resize(obj.positions.size());
  for (std::size_t v = 0; v < chosen.size(); ++v) {
    if (chosen[v] != absent) out[v] = values[chosen[v]];
  }
  return true;
}

Part unsplit(const ObjText& obj, const std::string& name, Warnings* warnings) {
  Part part;
  part.mesh.positions = obj.positions;
  for (const auto& t : obj.triangles) part.mesh.triangles.push_back({t[0].position, t[1].position, t[2].position});
  const auto dropped = [&](const char* what) {
    if (warnings != nullptr) warnings->push_back(name + ": some vertices have several " + what + "; all were left out");
  };
  if (!one_per_vertex(obj, obj.texcoords, &Corner::texcoord, part.texcoords)) dropped("texture coordinates");
  if (!one_per_vertex(obj, obj.normals, &Corner::normal, part.mesh.normals)) dropped("normals");
  return part;
}

Part split(const ObjText& obj) {
  Part part;
  std::map<Corner, std::uint32_t> numbers;
  bool all_texcoords = !obj.texcoords.empty(), all_normals = !obj.normals.empty();
  for (const auto& triangle : obj.triangles) {
    Triangle t{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Corner& corner = triangle[k];
      const auto [found, is_new] = numbers.try_emplace(corner, static_cast<std::uint32_t>(numbers.size()));
      t[k] = found->second;
      if (!is_new) continue;
      all_texcoords = all_texcoords && corner.texcoord != absent;
      all_normals = all_normals && corner.normal != absent;
      part.mesh.positions.push_back(obj.positions[corner.position]);
      part.texcoords.push_back(corner.texcoord != absent ? obj.texcoords[corner.texcoord] : std::array<float, 2>{});
      part.mesh.normals.push_back(corner.normal != absent ? obj.normals[corner.normal] : Vec3f{});
    }
    part.mesh.triangles.push_back(t);
  }
  if (!all_texcoords) part.texcoords.clear();
  if (!all_normals) part.mesh.normals.clear();
  return part;
}

/// A backslash at the end of a line continues it. The line ends taken out follow the joined line, so that the numbers
/// of later lines stay right.
std::string join_continued(std::string_view text) {
  std::string joined;
  std::size_t owed = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t length = text[i] != '\\'                   ? 0
                               : text.substr(i + 1, 1) == "\n"   ? 1
                               : text.substr(i + 1, 2) == "\r\n" ? 2
                                                                 : 0;
    if (length > 0) {
      joined += ' ';
      i += length;
      ++owed;
    } else {
      joined += text[i];
      if (text[i] == '\n') joined.append(std::exchange(owed, 0), '\n');
    }
  }
  return joined;
}

template <class Number>
void append(std::string& text, Number value) {
  char digits[64];
  text += ' ';
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

}  // namespace

Result<ObjModel> parse_obj(std::string_view text, const std::string& name, Warnings* warnings,
                           const ObjOptions& options) {
  std::string joined;
  if (text.find("\\\n") != std::string_view::npos || text.find("\\\r\n") != std::string_view::npos) {
    joined = join_continued(text);
    text = joined;
  }
  auto obj = read_lines(text, name);
  if (!obj) return obj.error();
  if (obj->names_missing && warnings != nullptr) {
    warnings->push_back(name + ": faces name texture coordinates or normals that the file does not have; ignored");
  }
  if (obj->positions.empty()) return Error{name, "has no vertices", "choose a Wavefront OBJ file"};
  ObjModel model;
  model.part = options.split_seams ? split(*obj) : unsplit(*obj, name, warnings);
  if (model.part.mesh.positions.empty()) return Error{name, "has no faces", "choose a file with a surface"};
  model.part.name = std::filesystem::path(name).stem().string();
  model.groups = std::move(obj->groups);
  return model;
}

Result<ObjModel> read_obj(const std::filesystem::path& path, Warnings* warnings, const ObjOptions& options) {
  const auto text = read_text(path);
  if (!text) return text.error();
  return parse_obj(*text, path.string(), warnings, options);
}

std::string to_obj(std::span<const Part> parts) {
  std::string text;
  std::size_t first_vertex = 1, first_texcoord = 1, first_normal = 1;
  for (const Part& part : parts) {
    const Mesh& mesh = part.mesh;
    if (!part.name.empty()) text += "o " + part.name + "\n";
    for (const Vec3f& p : mesh.positions) {
      text += 'v';
      for (const float c : {p.x, p.y, p.z}) append(text, c);
      text += '\n';
    }
    for (const auto& t : part.texcoords) {
      text += "vt";
      append(text, t[0]);
      append(text, 1.0 - t[1]);
      text += '\n';
    }
    for (const Vec3f& n : mesh.normals) {
      text += "vn";
      for (const float c : {n.x, n.y, n.z}) append(text, c);
      text += '\n';
    }
    for (const Triangle& triangle : mesh.triangles) {
      text += 'f';
      for (const std::uint32_t v : triangle) {
        append(text, first_vertex + v);
        if (!part.texcoords.empty() || !mesh.normals.empty()) text += '/';
        if (!part.texcoords.empty()) text += std::to_string(first_texcoord + v);
        if (!mesh.normals.empty()) text.append("/").append(std::to_string(first_normal + v));
      }
      text += '\n';
    }
    first_vertex += mesh.positions.size();
    first_texcoord += part.texcoords.size();
    first_normal += mesh.normals.size();
  }
  return text;
}

Result<void> write_obj(const std::filesystem::path& path, std::span<const Part> parts) {
  return write_file(path, to_obj(parts));
}

}  // namespace supple
