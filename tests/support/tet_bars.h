// Bars and boxes of tetrahedra with known dimensions.
#pragma once

#include <array>

#include "supple/geometry/tet_mesh.h"

namespace supple::test {

/// A box from the origin to `size`, cut into cells of six tetrahedra each (all with the diagonal from the low corner to
/// the high one).
inline TetMesh tet_bar(Vec3d size, std::size_t nx, std::size_t ny, std::size_t nz) {
  TetMesh mesh;
  const auto at = [&](std::size_t i, std::size_t j, std::size_t k) {
    return static_cast<std::uint32_t>(i + (nx + 1) * (j + (ny + 1) * k));
  };
  const auto part = [](std::size_t i, std::size_t n, double length) {
    return length * static_cast<double>(i) / static_cast<double>(n);
  };
  for (std::size_t k = 0; k <= nz; ++k)
    for (std::size_t j = 0; j <= ny; ++j)
      for (std::size_t i = 0; i <= nx; ++i)
        mesh.nodes.push_back({part(i, nx, size.x), part(j, ny, size.y), part(k, nz, size.z)});
  // Each tetrahedron walks from the low to the high corner along the axes in one of their six orders.
  constexpr std::array<std::array<std::size_t, 3>, 6> orders{
      {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}}};
  for (std::size_t k = 0; k < nz; ++k) {
    for (std::size_t j = 0; j < ny; ++j) {
      for (std::size_t i = 0; i < nx; ++i) {
        for (std::size_t o = 0; o < orders.size(); ++o) {
          std::array<std::size_t, 3> corner{i, j, k};
          std::array<std::uint32_t, 4> tet{at(i, j, k)};
          for (std::size_t s = 0; s < 3; ++s) {
            ++corner[orders[o][s]];
            tet[s + 1] = at(corner[0], corner[1], corner[2]);
          }
          if (o >= 3) std::swap(tet[1], tet[2]);  // the odd orders are mirror images
          mesh.elements.insert(mesh.elements.end(), tet.begin(), tet.end());
        }
      }
    }
  }
  return mesh;
}

}  // namespace supple::test
