// MEDIT text meshes: keywords, each with a count and that many items; numbers start at 1.
#include <algorithm>
#include <array>
#include <cctype>

#include "supple/files/volume_mesh/raw.h"

namespace supple::detail {
namespace {

// What is counted as left out; every other section only decorates these.
constexpr std::array<std::string_view, 15> other_elements = {
    "Edges",    "EdgesP2",    "Triangles", "TrianglesP2", "Quadrilaterals", "Hexahedra",    "HexahedraQ2",     "Prisms",
    "PrismsP2", "Pentahedra", "Pyramids",  "PyramidsP2",  "TetrahedraP3",   "TetrahedraP4", "QuadrilateralsQ2"};

void read_tets(Scanner& scan, std::uint32_t size, RawVolume& raw) {
  const std::size_t count = scan.read_count("number of tetrahedra", 2 * size);
  for (std::size_t i = 0; i < count && !scan.failed(); ++i) {
    RawTet tet;
    tet.size = size;
    for (std::size_t k = 0; k < size; ++k) tet.nodes[medit_order[k]] = scan.read<std::uint64_t>("vertex number");
    tet.region = scan.read<std::int64_t>("reference");
    tet.line = scan.line();
    raw.tets.push_back(tet);
  }
}

bool is_keyword(std::string_view word) {
  return !word.empty() && std::isalpha(static_cast<unsigned char>(word[0])) != 0;
}

}  // namespace

Result<RawVolume> read_medit(std::string_view text, const std::string& name) {
  Scanner scan(text, name, '#');
  RawVolume raw;
  if (scan.word() != "MeshVersionFormatted") {
    scan.fail("does not begin with MeshVersionFormatted", "choose a MEDIT .mesh file in text form");
  }
  scan.read<int>("version");
  while (!scan.failed()) {
    const std::string keyword(scan.word());
    if (keyword.empty() || keyword == "End") break;
    if (keyword == "Dimension") {
      const int dimension = scan.read<int>("dimension");
      if (!scan.failed() && dimension != 3) scan.fail("has " + std::to_string(dimension) + " dimensions, not 3");
    } else if (keyword == "Vertices") {
      const std::size_t count = scan.read_count("number of vertices", 8);
      for (std::size_t i = 0; i < count && !scan.failed(); ++i) {
        raw.positions.push_back(scan.read_position());
        scan.read<std::int64_t>("reference");
      }
    } else if (keyword == "Tetrahedra" || keyword == "TetrahedraP2") {
      read_tets(scan, keyword == "Tetrahedra" ? 4 : 10, raw);
    } else if (!is_keyword(keyword)) {
      scan.fail("keyword expected, found " + supple::quoted(keyword));
    } else {
      if (std::find(other_elements.begin(), other_elements.end(), keyword) != other_elements.end()) {
        raw.others[keyword] += scan.read_count("number of elements", 2);
      }
      while (!scan.peek().empty() && !is_keyword(scan.peek())) scan.word();
    }
  }
  if (scan.failed()) return scan.error();
  return raw;
}

}  // namespace supple::detail
