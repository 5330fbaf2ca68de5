// Netgen .vol meshes: keywords at the start of a line, each followed by a count and that many lines; numbers start
// at 1.
#include "supple/files/volume_mesh/raw.h"

namespace supple::detail {
namespace {

void read_elements(Scanner& scan, RawVolume& raw) {
  const std::size_t count = scan.read_count("number of volume elements", 8);
  for (std::size_t i = 0; i < count && !scan.failed(); ++i) {
    RawTet tet;
    tet.region = scan.read<std::int64_t>("material");
    const auto size = scan.read<std::int32_t>("number of nodes");
    if (scan.failed()) return;
    tet.line = scan.line();
    if (size != 4 && size != 10) {
      ++raw.others["volume elements of " + std::to_string(size) + " nodes"];
      scan.skip_line();
      continue;
    }
    tet.size = static_cast<std::uint32_t>(size);
    std::array<std::uint64_t, 10> nodes{};
    for (std::size_t k = 0; k < tet.size; ++k) nodes[k] = scan.read<std::uint64_t>("point number");
    for (std::size_t k = 0; k < tet.size; ++k) tet.nodes[k] = nodes[netgen_order[k]];
    raw.tets.push_back(tet);
  }
}

}  // namespace

Result<RawVolume> read_netgen(std::string_view text, const std::string& name) {
  Scanner scan(text, name, '#');
  RawVolume raw;
  if (scan.word() != "mesh3d") scan.fail("does not begin with mesh3d", "choose a Netgen .vol file");
  bool ended = false;
  while (!scan.failed() && !ended) {
    const std::string keyword(scan.word());
    if (keyword.empty()) scan.fail("endmesh expected, found the end of the file");
    ended = keyword == "endmesh";
    if (keyword == "dimension") {
      const int dimension = scan.read<int>("dimension");
      if (!scan.failed() && dimension != 3) scan.fail("has " + std::to_string(dimension) + " dimensions, not 3");
    } else if (keyword == "volumeelements") {
      read_elements(scan, raw);
    } else if (keyword == "points") {
      const std::size_t count = scan.read_count("number of points", 6);
      for (std::size_t i = 0; i < count && !scan.failed(); ++i) raw.positions.push_back(scan.read_position());
    } else if (keyword.starts_with("surfaceelements")) {
      raw.others["surface elements"] += scan.read_count("number of surface elements", 2);
    } else {
      scan.skip_line();  // an item of a section that is not needed, or its title
    }
  }
  if (scan.failed()) return scan.error();
  return raw;
}

}  // namespace supple::detail
