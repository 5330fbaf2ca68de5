// Wavefront OBJ: polygon meshes as text.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "supple/rig/character.h"

namespace supple {

struct ObjOptions {
  /// Off: the mesh has exactly the file's `v` lines as vertices, in order, so that data by vertex number fits; texture
  /// coordinates and normals are kept where every vertex has only one. On: vertices are split along seams.
  bool split_seams = false;
};

/// A `g` or `o` of the file and its triangles. A name that occurs again continues as a new entry.
struct ObjGroup {
  std::string name;
  std::size_t first_triangle = 0, triangle_count = 0;
};

struct ObjModel {
  Part part;
  std::vector<ObjGroup> groups;  // in order; none where the file names none
};

/// Polygons become fans of triangles about their first corner. Materials, curves and lines are passed over.
Result<ObjModel> read_obj(const std::filesystem::path& path, Warnings* warnings = nullptr,
                          const ObjOptions& options = {});
Result<ObjModel> parse_obj(std::string_view text, const std::string& name, Warnings* warnings = nullptr,
                           const ObjOptions& options = {});

/// Every part as an object; numbers are the shortest that read back as the same floats.
std::string to_obj(std::span<const Part> parts);
Result<void> write_obj(const std::filesystem::path& path, std::span<const Part> parts);

}  // namespace supple
