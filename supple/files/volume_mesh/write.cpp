// Volume meshes for other programs to look at: Gmsh 2.2 and MEDIT, both as text.
#include <charconv>

#include "supple/base/file.h"
#include "supple/files/volume_mesh.h"
#include "supple/files/volume_mesh/raw.h"

namespace supple {
namespace {

template <class Number>
void append_number(std::string& text, Number value) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  text += ' ';
}

void append_number(std::string& text, Vec3d p) {
  for (const double c : {p.x, p.y, p.z}) append_number(text, c);
}

std::string to_gmsh(const VolumeMesh& volume) {
  const TetMesh& mesh = volume.mesh;
  std::string text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" + std::to_string(mesh.nodes.size()) + "\n";
  for (std::size_t n = 0; n < mesh.nodes.size(); ++n) {
    append_number(text, n + 1);
    append_number(text, mesh.nodes[n]);
    text.back() = '\n';
  }
  text += "$EndNodes\n$Elements\n" + std::to_string(mesh.element_count()) + "\n";
  for (std::size_t e = 0; e < mesh.element_count(); ++e) {
    append_number(text, e + 1);
    text += mesh.nodes_per_element == 4 ? "4 2 " : "11 2 ";
    const std::uint32_t region = volume.regions.empty() ? 0 : volume.regions[e];
    append_number(text, region);
    append_number(text, region);
    const auto element = mesh.element(e);
    for (std::size_t k = 0; k < element.size(); ++k) append_number(text, element[detail::gmsh_order[k]] + 1u);
    text.back() = '\n';
  }
  return text + "$EndElements\n";
}

std::string to_medit(const VolumeMesh& volume) {
  const TetMesh& mesh = volume.mesh;
  std::string text = "MeshVersionFormatted 2\nDimension 3\nVertices\n" + std::to_string(mesh.nodes.size()) + "\n";
  for (const Vec3d& p : mesh.nodes) {
    append_number(text, p);
    text += "0\n";
  }
  text += mesh.nodes_per_element == 4 ? "Tetrahedra\n" : "TetrahedraP2\n";
  text += std::to_string(mesh.element_count()) + "\n";
  for (std::size_t e = 0; e < mesh.element_count(); ++e) {
    const auto element = mesh.element(e);
    for (std::size_t k = 0; k < element.size(); ++k) append_number(text, element[detail::medit_order[k]] + 1u);
    append_number(text, volume.regions.empty() ? 0u : volume.regions[e]);
    text.back() = '\n';
  }
  return text + "End\n";
}

}  // namespace

Result<void> write_volume_mesh(const std::filesystem::path& path, const VolumeMesh& volume) {
  const std::string extension = path.extension().string();
  if (extension == ".msh") return write_file(path, to_gmsh(volume));
  if (extension == ".mesh") return write_file(path, to_medit(volume));
  return Error{path.string(), "names no format that volume meshes are written in", "use .msh (Gmsh) or .mesh (MEDIT)"};
}

}  // namespace supple
