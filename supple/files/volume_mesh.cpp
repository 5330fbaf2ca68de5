// From what a file says to a mesh in our order and orientation, and the choice of the format.
#include "supple/files/volume_mesh.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

#include "supple/base/file.h"
#include "supple/files/volume_mesh/raw.h"

namespace supple {
namespace {

using detail::RawTet;
using detail::RawVolume;

std::string extension(const std::filesystem::path& path) {
  std::string text = path.extension().string();
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// From the file's node numbers to places among its positions.
class NodeNumbers {
 public:
  static Result<NodeNumbers> build(const RawVolume& raw, const std::string& name) {
    NodeNumbers result;
    result.count_ = raw.positions.size();
    if (raw.numbers.empty()) return result;
    for (std::uint32_t i = 0; i < raw.numbers.size(); ++i) result.sorted_.emplace_back(raw.numbers[i], i);
    std::sort(result.sorted_.begin(), result.sorted_.end());
    const auto twice = std::adjacent_find(result.sorted_.begin(), result.sorted_.end(),
                                          [](const auto& a, const auto& b) { return a.first == b.first; });
    if (twice != result.sorted_.end()) {
      return Error{name, "has two nodes of number " + std::to_string(twice->first), ""};
    }
    return result;
  }
  std::uint32_t find(std::uint64_t number) const {
    if (sorted_.empty()) return number >= 1 && number <= count_ ? static_cast<std::uint32_t>(number - 1) : no_element;
    const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair(number, std::uint32_t{0}));
    return found != sorted_.end() && found->first == number ? found->second : no_element;
  }

 private:
  std::size_t count_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> sorted_;  // empty: 1, 2, ...
};

/// Exchanges corners 2 and 3, and the middle nodes with them.
void turn(std::span<std::uint32_t> element) {
  std::swap(element[2], element[3]);
  if (element.size() == 4) return;
  std::swap(element[5], element[8]);  // 12 and 13
  std::swap(element[6], element[7]);  // 02 and 03
}

struct Counts {
  std::size_t turned = 0, flattened = 0, negative_regions = 0;
};

Result<VolumeMesh> assemble(const RawVolume& raw, const std::string& name, double scale, Counts& counts) {
  const Result<NodeNumbers> numbers = NodeNumbers::build(raw, name);
  if (!numbers) return numbers.error();
  VolumeMesh volume;
  TetMesh& mesh = volume.mesh;
  for (const Vec3d& p : raw.positions) mesh.nodes.push_back(p * scale);
  const bool all_quadratic =
      std::all_of(raw.tets.begin(), raw.tets.end(), [](const RawTet& tet) { return tet.size == 10; });
  mesh.nodes_per_element = all_quadratic ? 10 : 4;
  for (std::size_t e = 0; e < raw.tets.size(); ++e) {
    const RawTet& tet = raw.tets[e];
    const auto error = [&](std::string problem) {
      const std::string item = tet.line > 0 ? name + ":" + std::to_string(tet.line) : name;
      return Error{item, "tetrahedron " + std::to_string(e + 1) + " " + std::move(problem), ""};
    };
    std::array<std::uint32_t, 10> nodes{};
    for (std::size_t k = 0; k < mesh.nodes_per_element; ++k) {
      nodes[k] = numbers->find(tet.nodes[k]);
      if (nodes[k] == no_element) return error("names node " + std::to_string(tet.nodes[k]) + ", which does not exist");
    }
    const std::span<std::uint32_t> element(nodes.data(), mesh.nodes_per_element);
    const double size =
        signed_volume(mesh.nodes[nodes[0]], mesh.nodes[nodes[1]], mesh.nodes[nodes[2]], mesh.nodes[nodes[3]]);
    if (size == 0) return error("has no volume");
    if (size < 0) {
      turn(element);
      ++counts.turned;
    }
    counts.flattened += tet.size > mesh.nodes_per_element;
    counts.negative_regions += tet.region < 0;
    mesh.elements.insert(mesh.elements.end(), element.begin(), element.end());
    volume.regions.push_back(tet.region < 0 ? 0 : static_cast<std::uint32_t>(tet.region));
  }
  std::vector<std::uint32_t> all(mesh.element_count());
  std::iota(all.begin(), all.end(), 0u);
  mesh = extract_elements(mesh, all);
  return volume;
}

}  // namespace

Result<VolumeMesh> parse_volume_mesh(std::string_view contents, const std::string& name,
                                     const VolumeMeshOptions& options, Warnings* warnings) {
  if (!(options.scale > 0) || !std::isfinite(options.scale)) {
    return Error{"scale", std::to_string(options.scale) + " metres per unit is not a scale", "give a number above 0"};
  }
  const std::string format = extension(name);
  if (format != ".msh" && format != ".mesh" && format != ".vol") {
    return Error{name, "is not a volume mesh that can be read", "use Gmsh .msh, MEDIT .mesh or Netgen .vol"};
  }
  const Result<RawVolume> raw = format == ".msh"    ? detail::read_gmsh(contents, name)
                                : format == ".mesh" ? detail::read_medit(contents, name)
                                                    : detail::read_netgen(contents, name);
  if (!raw) return raw.error();
  if (raw->positions.size() >= no_element) return Error{name, "has too many nodes", "coarsen the mesh"};
  if (raw->tets.empty()) return Error{name, "has no tetrahedra", "mesh the volume, not only its surface"};
  Counts counts;
  Result<VolumeMesh> volume = assemble(*raw, name, options.scale, counts);
  if (!volume) return volume;
  if (Result<void> valid = validate(volume->mesh); !valid) {
    return Error{name, valid.error().item + " " + valid.error().problem, valid.error().remedy};
  }
  if (warnings != nullptr) {
    const auto warn = [&](std::size_t count, const std::string& what) {
      if (count > 0) warnings->push_back(name + ": " + std::to_string(count) + " " + what);
    };
    for (const auto& [kind, count] : raw->others) warn(count, kind + " left out: only tetrahedra are used");
    warn(counts.turned, "tetrahedra had their corners in the other order and were turned");
    warn(counts.flattened, "quadratic tetrahedra became linear, as others in the file are");
    warn(counts.negative_regions, "tetrahedra had a negative region, which became 0");
  }
  return volume;
}

Result<VolumeMesh> read_volume_mesh(const std::filesystem::path& path, const VolumeMeshOptions& options,
                                    Warnings* warnings) {
  const Result<std::string> text = read_text(path);
  if (!text) return text.error();
  return parse_volume_mesh(*text, path.string(), options, warnings);
}

}  // namespace supple
