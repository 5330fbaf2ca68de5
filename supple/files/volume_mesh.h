// Tetrahedral meshes of other programs: Gmsh .msh (2.2 and 4.1, text and binary), MEDIT .mesh and Netgen .vol.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "supple/geometry/tet_mesh.h"

namespace supple {

struct VolumeMesh {
  TetMesh mesh;
  std::vector<std::uint32_t> regions;  // #E: material or physical group; 0 where the file says nothing
};

struct VolumeMeshOptions {
  double scale = 1;  // metres per unit of the file
};

/// Linear and quadratic tetrahedra, with the middle nodes in our order and the corners turned to positive volume.
/// Nodes that no tetrahedron uses are left out. Where linear and quadratic elements are mixed, all become linear. What
/// else the file holds is counted in the warnings. The mesh passes validate().
Result<VolumeMesh> read_volume_mesh(const std::filesystem::path& path, const VolumeMeshOptions& options = {},
                                    Warnings* warnings = nullptr);

/// As read_volume_mesh; `name` tells the format by its extension and the file in messages.
Result<VolumeMesh> parse_volume_mesh(std::string_view contents, const std::string& name,
                                     const VolumeMeshOptions& options = {}, Warnings* warnings = nullptr);

/// By the extension: .msh (Gmsh 2.2, text) or .mesh (MEDIT), in metres.
Result<void> write_volume_mesh(const std::filesystem::path& path, const VolumeMesh& volume);

}  // namespace supple
