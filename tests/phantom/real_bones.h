// Bone surfaces of others, read as simply as can be.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "supple/base/file.h"
#include "supple/phantom/phantom.h"

namespace supple::test {

/// Binary STL; `scale` to metres.
inline Mesh stl_mesh(const std::filesystem::path& path, float scale) {
  Mesh mesh;
  const auto bytes = read_file(path);
  if (!bytes) return mesh;
  constexpr std::size_t header = 84, record = 50, normal = 12;
  for (std::size_t at = header; at + record <= bytes->size(); at += record) {
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    for (std::size_t corner = 0; corner < 3; ++corner) {
      float p[3];
      std::memcpy(p, bytes->data() + at + normal + corner * sizeof p, sizeof p);
      mesh.positions.push_back(Vec3f{p[0], p[1], p[2]} * scale);
    }
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  return mesh;
}

/// All surfaces of a folder in millimetres, by name.
inline std::vector<phantom::NamedSurface> stl_folder(const std::filesystem::path& folder) {
  std::vector<phantom::NamedSurface> bones;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".stl")
      bones.push_back({entry.path().stem().string(), stl_mesh(entry.path(), 0.001f)});
  }
  std::sort(bones.begin(), bones.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return bones;
}

}  // namespace supple::test
