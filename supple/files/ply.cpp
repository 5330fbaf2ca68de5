#include "supple/files/ply.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "supple/base/file.h"
#include "supple/files/lines.h"

namespace supple {
namespace {

enum class Scalar { int8, uint8, int16, uint16, int32, uint32, float32, float64 };
enum class Encoding { ascii, little, big };

struct Property {
  std::string name;
  Scalar type = Scalar::float32;
  std::optional<Scalar> count_type;  // of a list
};

struct Element {
  std::string name;
  std::size_t count = 0;
  std::vector<Property> properties;
};

std::optional<Scalar> to_scalar(std::string_view word) {
  constexpr std::array<std::array<std::string_view, 2>, 8> names{{{"char", "int8"},
                                                                  {"uchar", "uint8"},
                                                                  {"short", "int16"},
                                                                  {"ushort", "uint16"},
                                                                  {"int", "int32"},
                                                                  {"uint", "uint32"},
                                                                  {"float", "float32"},
                                                                  {"double", "float64"}}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (word == names[i][0] || word == names[i][1]) return static_cast<Scalar>(i);
  }
  return std::nullopt;
}

std::size_t bytes_of(Scalar type) {
  constexpr std::array<std::size_t, 8> sizes{1, 1, 2, 2, 4, 4, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

template <class T>
double as_double(std::array<char, 8> bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return static_cast<double>(value);
}

/// Numbers of the body one after the other, whatever their encoding. Every type of PLY fits a double exactly.
class Body {
 public:
  Body(std::string_view contents, Encoding encoding) : rest_(contents), encoding_(encoding) {}

  std::optional<double> next(Scalar type) { return encoding_ == Encoding::ascii ? word() : binary(type); }
  std::size_t left() const { return rest_.size(); }

 private:
  std::optional<double> word() {
    constexpr std::string_view blanks = " \t\r\n\v\f";
    const std::size_t begin = std::min(rest_.find_first_not_of(blanks), rest_.size());
    const std::size_t end = std::min(rest_.find_first_of(blanks, begin), rest_.size());
    const auto value = to_number<double>(rest_.substr(begin, end - begin));
    rest_.remove_prefix(end);
    return value;
  }

  std::optional<double> binary(Scalar type) {
    const std::size_t size = bytes_of(type);
    if (rest_.size() < size) return std::nullopt;
    std::array<char, 8> bytes{};
    const bool swap = (encoding_ == Encoding::big) != (std::endian::native == std::endian::big);
    for (std::size_t i = 0; i < size; ++i) bytes[swap ? size - 1 - i : i] = rest_[i];
    rest_.remove_prefix(size);
    switch (type) {
      case Scalar::int8:
        return as_double<std::int8_t>(bytes);
      case Scalar::uint8:
        return as_double<std::uint8_t>(bytes);
      case Scalar::int16:
        return as_double<std::int16_t>(bytes);
      case Scalar::uint16:
        return as_double<std::uint16_t>(bytes);
      case Scalar::int32:
        return as_double<std::int32_t>(bytes);
      case Scalar::uint32:
        return as_double<std::uint32_t>(bytes);
      case Scalar::float32:
        return as_double<float>(bytes);
      case Scalar::float64:
        return as_double<double>(bytes);
    }
    return std::nullopt;
  }

  std::string_view rest_;
  Encoding encoding_;
};

struct PlyHeader {
  Encoding encoding = Encoding::ascii;
  std::vector<Element> elements;
  std::size_t size = 0;  // bytes up to the body
};

Result<Property> parse_property(LineReader& lines) {
  Property property;
  std::string_view word = lines.word();
  if (word == "list") {
    property.count_type = to_scalar(lines.word());
    if (!property.count_type) return lines.error("has a list whose count has no known type");
    word = lines.word();
  }
  const auto type = to_scalar(word);
  if (!type) return lines.error("has a property of the unknown type " + supple::quoted(word));
  property.type = *type;
  property.name = lines.word();
  return property;
}

Result<PlyHeader> parse_ply_header(std::string_view contents, const std::string& name) {
  if (!contents.starts_with("ply")) return Error{name, "is not a PLY file", "it must start with 'ply'"};
  const std::size_t end = contents.find("end_header");
  if (end == std::string_view::npos) return Error{name, "has no end of its header", "copy the file again"};
  const std::size_t body = contents.find('\n', end);
  PlyHeader header;
  header.size = body == std::string_view::npos ? contents.size() : body + 1;
  LineReader lines(contents.substr(0, end), name);
  bool has_format = false;
  while (lines.next_line()) {
    const std::string_view key = lines.word();
    if (key == "format") {
      const std::string_view format = lines.word();
      has_format = true;
      if (format == "ascii")
        header.encoding = Encoding::ascii;
      else if (format == "binary_little_endian")
        header.encoding = Encoding::little;
      else if (format == "binary_big_endian")
        header.encoding = Encoding::big;
      else
        return lines.error("has the unknown format " + supple::quoted(format));
    } else if (key == "element") {
      Element element;
      element.name = lines.word();
      const auto count = to_number<std::size_t>(lines.word());
      if (!count) return lines.error("has an element without a count");
      element.count = *count;
      header.elements.push_back(std::move(element));
    } else if (key == "property") {
      if (header.elements.empty()) return lines.error("has a property before any element");
      auto property = parse_property(lines);
      if (!property) return property.error();
      header.elements.back().properties.push_back(std::move(*property));
    }
  }
  if (!has_format) return Error{name, "does not say its format", ""};
  return header;
}

/// One item of an element: the value of each property, lists as they are.
using Row = std::vector<std::vector<double>>;

Result<void> read_row(Body& body, const Element& element, const std::string& item, Row& row) {
  row.resize(element.properties.size());
  for (std::size_t p = 0; p < row.size(); ++p) {
    const Property& property = element.properties[p];
    const Error cut{item, "has no readable '" + property.name + "'", "the file was cut short or is damaged"};
    std::size_t count = 1;
    if (property.count_type) {
      const auto listed = body.next(*property.count_type);
      // Every entry takes a byte at least, so a count that lies cannot make us reserve the machine.
      if (!listed || !(*listed >= 0) || *listed > static_cast<double>(body.left())) return cut;
      count = static_cast<std::size_t>(*listed);
    }
    row[p].clear();
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = body.next(property.type);
      if (!value) return cut;
      row[p].push_back(*value);
    }
  }
  return {};
}

std::optional<std::size_t> place_of(const Element& element, std::string_view name, bool list) {
  for (std::size_t p = 0; p < element.properties.size(); ++p) {
    const Property& property = element.properties[p];
    if (property.name == name && property.count_type.has_value() == list) return p;
  }
  return std::nullopt;
}

using Places = std::array<std::optional<std::size_t>, 3>;

Vec3f vector_of(const Row& row, const Places& places) {
  return Vec3f(Vec3d{row[*places[0]][0], row[*places[1]][0], row[*places[2]][0]});
}

Result<void> read_vertices(Body& body, const Element& element, const std::string& name, Mesh& mesh) {
  const Places xyz{place_of(element, "x", false), place_of(element, "y", false), place_of(element, "z", false)};
  const Places n{place_of(element, "nx", false), place_of(element, "ny", false), place_of(element, "nz", false)};
  if (!xyz[0] || !xyz[1] || !xyz[2]) return Error{name, "has vertices without x, y and z", ""};
  Row row;
  for (std::size_t v = 0; v < element.count; ++v) {
    const std::string item = name + ", vertex " + std::to_string(v);
    if (auto ok = read_row(body, element, item, row); !ok) return ok;
    mesh.positions.push_back(vector_of(row, xyz));
    if (!is_finite(mesh.positions.back())) return Error{item, "has a position that is not finite", ""};
    if (n[0] && n[1] && n[2]) mesh.normals.push_back(vector_of(row, n));
  }
  return {};
}

Result<void> read_faces(Body& body, const Element& element, std::size_t vertices, const std::string& name, Mesh& mesh) {
  auto corners = place_of(element, "vertex_indices", true);
  if (!corners) corners = place_of(element, "vertex_index", true);
  if (!corners) return Error{name, "has faces without vertex_indices", ""};
  Row row;
  for (std::size_t f = 0; f < element.count; ++f) {
    const std::string item = name + ", face " + std::to_string(f);
    if (auto ok = read_row(body, element, item, row); !ok) return ok;
    const std::vector<double>& polygon = row[*corners];
    if (polygon.size() < 3) return Error{item, "has " + std::to_string(polygon.size()) + " corners", ""};
    for (const double v : polygon) {
      if (!(v >= 0 && v < static_cast<double>(vertices)) || v != std::floor(v))
        return Error{item, "names a vertex that does not exist", "the file has " + std::to_string(vertices)};
    }
    const auto corner = [&](std::size_t i) { return static_cast<std::uint32_t>(polygon[i]); };
    for (std::size_t i = 1; i + 1 < polygon.size(); ++i)
      mesh.triangles.push_back({corner(0), corner(i), corner(i + 1)});
  }
  return {};
}

}  // namespace

Result<Mesh> parse_ply(std::string_view contents, const std::string& name) {
  const auto header = parse_ply_header(contents, name);
  if (!header) return header.error();
  std::size_t vertices = 0;
  for (const Element& element : header->elements) {
    if (element.name == "vertex") vertices = element.count;
  }
  if (vertices == 0) return Error{name, "has no vertices", ""};
  Body body(contents.substr(header->size), header->encoding);
  Mesh mesh;
  for (const Element& element : header->elements) {
    Result<void> done;
    if (element.name == "vertex") {
      done = read_vertices(body, element, name, mesh);
    } else if (element.name == "face") {
      done = read_faces(body, element, vertices, name, mesh);
    } else {
      Row row;
      for (std::size_t i = 0; i < element.count && done && !element.properties.empty(); ++i)
        done = read_row(body, element, name + ", " + element.name + " " + std::to_string(i), row);
    }
    if (!done) return done.error();
  }
  return mesh;
}

Result<Mesh> read_ply(const std::filesystem::path& path) {
  const auto contents = read_text(path);
  if (!contents) return contents.error();
  return parse_ply(*contents, path.string());
}

}  // namespace supple
