// Stanford PLY: polygon meshes, as text or binary of either byte order.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "supple/geometry/mesh.h"

namespace supple {

/// Vertices in the file's order with their normals (nx, ny, nz) where it has them; polygons become fans of triangles
/// about their first corner. Other elements and properties are passed over. The error names the element at fault.
Result<Mesh> read_ply(const std::filesystem::path& path);
Result<Mesh> parse_ply(std::string_view contents, const std::string& name);

}  // namespace supple
