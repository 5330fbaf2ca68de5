// Gmsh meshes, format 2.2 and 4.1: sections between $Name and $EndName, as text or as packed binary numbers.
#include <algorithm>

#include "supple/files/volume_mesh/raw.h"

namespace supple::detail {
namespace {

constexpr std::int32_t linear_tet = 4, quadratic_tet = 11;

/// Nodes of each element type, by its number; 0: unknown.
std::size_t node_count(std::int32_t type) {
  static constexpr std::uint8_t counts[32] = {0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
                                              8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56};
  if (type == 92) return 64;
  if (type == 93) return 125;
  return type > 0 && type < 32 ? counts[type] : 0;
}

std::string type_name(std::int32_t type) {
  switch (type) {
    case 15:
      return "points";
    case 1:
    case 8:
    case 26:
    case 27:
    case 28:
      return "lines";
    case 2:
    case 9:
    case 20:
    case 21:
    case 22:
    case 23:
    case 24:
    case 25:
      return "triangles";
    case 3:
    case 10:
    case 16:
      return "quadrangles";
    case 29:
    case 30:
    case 31:
      return "tetrahedra of higher order";
    case 5:
    case 12:
    case 17:
    case 92:
    case 93:
      return "hexahedra";
    case 6:
    case 13:
    case 18:
      return "prisms";
    case 7:
    case 14:
    case 19:
      return "pyramids";
    default:
      return "elements of type " + std::to_string(type);
  }
}

class GmshReader {
 public:
  GmshReader(std::string_view text, const std::string& name) : scan_(text, name) {}

  Result<RawVolume> run() {
    if (scan_.word() != "$MeshFormat") {
      scan_.fail("does not begin with $MeshFormat", "choose a Gmsh file of version 2.2 or 4.1");
    }
    read_format();
    while (!scan_.failed()) {
      const std::string_view section = scan_.word();
      if (section.empty()) break;
      if (section.front() != '$') {
        scan_.fail("section expected, found " + quoted(section));
      } else if (section == "$Nodes" || section == "$Elements" || (section == "$Entities" && is_4_)) {
        section == "$Entities" ? read_entities()
                               : (is_4_ ? (section == "$Nodes" ? read_nodes_4() : read_elements_4())
                                        : (section == "$Nodes" ? read_nodes_2() : read_elements_2()));
        end_binary();
        const std::string end = "$End" + std::string(section.substr(1));
        if (const std::string_view found = scan_.word(); found != end) {
          scan_.fail(end + " expected, found " + (found.empty() ? "the end of the file" : quoted(found)));
        }
      } else if (!scan_.skip_behind("$End" + std::string(section.substr(1)))) {
        scan_.fail("section " + quoted(section) + " does not end");
      }
    }
    if (scan_.failed()) return scan_.error();
    return std::move(raw_);
  }

 private:
  void read_format() {
    const std::string_view version = scan_.word();
    const auto binary = scan_.read<int>("file type"), size = scan_.read<int>("data size");
    if (scan_.failed()) return;
    is_4_ = version == "4.1";
    is_binary_ = binary != 0;
    if (!is_4_ && version != "2.2" && version != "2") {
      return scan_.fail("is of version " + quoted(version), "save it as version 2.2 or 4.1");
    }
    if (size != 8) return scan_.fail("has numbers of " + std::to_string(size) + " bytes", "save it with 8 bytes");
    if (is_binary_) {
      begin_binary();
      if (scan_.read<std::int32_t>("byte order") != 1) scan_.fail("was written on a machine of the other byte order");
      end_binary();
    }
    if (scan_.word() != "$EndMeshFormat") scan_.fail("$EndMeshFormat expected");
  }

  void begin_binary() {
    if (!is_binary_) return;
    scan_.skip_line();
    scan_.set_binary(true);
  }
  void end_binary() { scan_.set_binary(false); }

  void read_entities() {
    begin_binary();
    std::array<std::size_t, 4> counts{};
    for (std::size_t& count : counts) count = scan_.read_count("number of entities", 8);
    for (std::size_t dimension = 0; dimension < 4; ++dimension) {
      for (std::size_t i = 0; i < counts[dimension] && !scan_.failed(); ++i) {
        const auto tag = scan_.read<std::int32_t>("entity");
        for (std::size_t k = 0; k < (dimension == 0 ? 3u : 6u); ++k) scan_.read<double>("bound of an entity");
        const std::size_t groups = scan_.read_count("number of physical groups", 2);
        for (std::size_t k = 0; k < groups && !scan_.failed(); ++k) {
          const auto group = scan_.read<std::int32_t>("physical group");
          if (dimension == 3 && k == 0) group_of_volume_[tag] = group;
        }
        if (dimension == 0) continue;
        const std::size_t bounding = scan_.read_count("number of bounding entities", 2);
        for (std::size_t k = 0; k < bounding && !scan_.failed(); ++k) scan_.read<std::int32_t>("bounding entity");
      }
    }
  }

  void read_nodes_2() {
    const std::size_t count = scan_.read_count("number of nodes", 8);
    begin_binary();
    for (std::size_t i = 0; i < count && !scan_.failed(); ++i) {
      raw_.numbers.push_back(static_cast<std::uint64_t>(scan_.read<std::int32_t>("node number")));
      raw_.positions.push_back(scan_.read_position());
    }
  }

  void read_nodes_4() {
    begin_binary();
    const std::size_t blocks = scan_.read_count("number of node blocks", 4);
    for (int i = 0; i < 3; ++i) scan_.read<std::uint64_t>("node number");
    for (std::size_t b = 0; b < blocks && !scan_.failed(); ++b) {
      const auto dimension = scan_.read<std::int32_t>("dimension of an entity");
      scan_.read<std::int32_t>("entity");
      const bool parametric = scan_.read<std::int32_t>("parametric flag") != 0;
      const std::size_t count = scan_.read_count("number of nodes", 7);
      for (std::size_t i = 0; i < count && !scan_.failed(); ++i) {
        raw_.numbers.push_back(scan_.read<std::uint64_t>("node number"));
      }
      for (std::size_t i = 0; i < count && !scan_.failed(); ++i) {
        raw_.positions.push_back(scan_.read_position());
        for (std::int32_t k = 0; parametric && k < dimension && !scan_.failed(); ++k) scan_.read<double>("parameter");
      }
    }
  }

  /// Node numbers of type `Number`; the element's own number is read already.
  template <class Number>
  void read_element(std::int32_t type, std::int64_t region) {
    if (type != linear_tet && type != quadratic_tet) {
      ++raw_.others[type_name(type)];
      for (std::size_t k = 0; k < node_count(type); ++k) scan_.read<Number>("node number");
      return;
    }
    RawTet tet;
    tet.size = type == linear_tet ? 4 : 10;
    tet.region = region;
    for (std::size_t k = 0; k < tet.size; ++k) {
      tet.nodes[gmsh_order[k]] = static_cast<std::uint64_t>(scan_.read<Number>("node number"));
    }
    tet.line = scan_.line();
    raw_.tets.push_back(tet);
  }

  bool is_known(std::int32_t type) {
    if (node_count(type) == 0 && !scan_.failed()) scan_.fail("has elements of unknown type " + std::to_string(type));
    return !scan_.failed();
  }

  void read_elements_2() {
    const std::size_t count = scan_.read_count("number of elements", 8);
    begin_binary();
    for (std::size_t i = 0; i < count && !scan_.failed();) {
      // Text: number, type and tags for each element; binary: a common header for several.
      if (!is_binary_) scan_.read<std::int32_t>("element number");
      const auto type = scan_.read<std::int32_t>("element type");
      const std::size_t together =
          is_binary_ ? static_cast<std::size_t>(scan_.read<std::uint32_t>("number of elements")) : 1;
      const auto tags = scan_.read<std::int32_t>("number of tags");
      if (!is_known(type)) return;
      if (together == 0 || together > count - i) return scan_.fail("has more elements than it says");
      for (std::size_t k = 0; k < together && !scan_.failed(); ++k, ++i) {
        if (is_binary_) scan_.read<std::int32_t>("element number");
        std::int64_t region = 0;  // the physical group, or the elementary entity where there is none
        for (std::int32_t t = 0; t < tags && !scan_.failed(); ++t) {
          const auto tag = scan_.read<std::int32_t>("tag");
          if (t == 0 || (t == 1 && region == 0)) region = tag;
        }
        read_element<std::int32_t>(type, region);
      }
    }
  }

  void read_elements_4() {
    begin_binary();
    const std::size_t blocks = scan_.read_count("number of element blocks", 4);
    for (int i = 0; i < 3; ++i) scan_.read<std::uint64_t>("element number");
    for (std::size_t b = 0; b < blocks && !scan_.failed(); ++b) {
      scan_.read<std::int32_t>("dimension of an entity");
      const auto entity = scan_.read<std::int32_t>("entity"), type = scan_.read<std::int32_t>("element type");
      const std::size_t count = scan_.read_count("number of elements", 2);
      if (!is_known(type)) return;
      const auto group = group_of_volume_.find(entity);
      const std::int64_t region = group != group_of_volume_.end() ? group->second : entity;
      for (std::size_t i = 0; i < count && !scan_.failed(); ++i) {
        scan_.read<std::uint64_t>("element number");
        read_element<std::uint64_t>(type, region);
      }
    }
  }

  Scanner scan_;
  RawVolume raw_;
  bool is_4_ = false, is_binary_ = false;
  std::map<std::int32_t, std::int32_t> group_of_volume_;
};

}  // namespace

Result<RawVolume> read_gmsh(std::string_view text, const std::string& name) { return GmshReader(text, name).run(); }

}  // namespace supple::detail
