// STL: triangles without shared corners, as text or binary.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "supple/geometry/mesh.h"

namespace supple {

/// Corners at equal positions become one vertex, in the order of their first use; triangles that collapse by that are
/// dropped. Normals of the file are passed over: the order of the corners counts. STL knows no units: `metres_per_unit`
/// is usually 0.001. The error names the triangle or line at fault.
Result<Mesh> read_stl(const std::filesystem::path& path, double metres_per_unit = 0.001);
Result<Mesh> parse_stl(std::string_view contents, const std::string& name, double metres_per_unit = 0.001);

/// Binary, with the normals of the triangles. `header`: at most 80 characters for whoever opens it, such as
/// "SPACE=LPS", by which 3D Slicer knows the patient's axes; it must not begin with "solid".
std::string to_stl(const Mesh& mesh, double metres_per_unit = 0.001, std::string_view header = {});

}  // namespace supple
