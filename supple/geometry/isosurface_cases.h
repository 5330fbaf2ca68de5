// The 256 ways a surface can pass through a cube, derived from one rule instead of typed in.
//
// A cube corner is numbered by its bits (x = 1, y = 2, z = 4). Walking around a face, every run of inside corners is
// cut off by one segment from the edge where the walk enters the run to the edge where it leaves it; so where two
// inside corners lie diagonally across, they are separated. The two cubes at a face walk it in opposite directions and
// draw the same segments, reversed: the surface closes. Every crossed edge ends one segment and begins another, so
// segments link into loops, and each loop becomes a fan. The fan's apex is chosen such that no diagonal lies in a face,
// where the cube behind the face could have drawn it too: then every mesh edge has exactly two triangles and every
// vertex one fan.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace supple::detail {

struct CubeCase {
  std::uint8_t count = 0;
  std::array<std::array<std::uint8_t, 3>, 5> triangles{};  // cube edges; counter-clockwise seen from outside
};

/// Edge along `axis` that starts at `corner` (bit `axis` clear): numbers 4 * axis .. 4 * axis + 3.
constexpr std::uint8_t cube_edge(unsigned axis, unsigned corner) {
  const unsigned u = (axis + 1) % 3, v = (axis + 2) % 3;
  return static_cast<std::uint8_t>(4 * axis + ((corner >> u) & 1u) + 2 * ((corner >> v) & 1u));
}
constexpr unsigned cube_edge_axis(unsigned edge) { return edge / 4; }
constexpr unsigned cube_edge_start(unsigned edge) {
  const unsigned u = (edge / 4 + 1) % 3, v = (edge / 4 + 2) % 3;
  return ((edge & 1u) << u) | (((edge >> 1) & 1u) << v);
}

/// The face at coordinate `side` along `axis`, its corners counter-clockwise seen from outside the cube.
constexpr std::array<unsigned, 4> cube_face(unsigned axis, unsigned side) {
  const unsigned u = 1u << (axis + 1) % 3, v = 1u << (axis + 2) % 3, base = side << axis;
  if (side == 1) return {base, base | u, base | u | v, base | v};
  return {base, base | v, base | u | v, base | u};
}

constexpr std::uint8_t edge_between(unsigned a, unsigned b) {
  const unsigned bit = a ^ b;
  return cube_edge(bit == 1 ? 0 : bit == 2 ? 1 : 2, a & b);
}

constexpr bool share_a_face(unsigned edge_a, unsigned edge_b) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (cube_edge_axis(edge_a) == axis || cube_edge_axis(edge_b) == axis) continue;
    if (((cube_edge_start(edge_a) ^ cube_edge_start(edge_b)) >> axis & 1u) == 0) return true;
  }
  return false;
}

/// `inside`: bit c is set where corner c is inside.
constexpr CubeCase make_cube_case(unsigned inside) {
  constexpr std::uint8_t none = 255;
  std::array<std::uint8_t, 12> next{};
  next.fill(none);
  for (unsigned face = 0; face < 6; ++face) {
    const std::array<unsigned, 4> corner = cube_face(face / 2, face % 2);
    const auto is_inside = [&](unsigned i) { return ((inside >> corner[i % 4]) & 1u) != 0; };
    for (unsigned i = 0; i < 4; ++i) {
      if (is_inside(i) || !is_inside(i + 1)) continue;
      unsigned last = i + 1;
      while (is_inside(last + 1)) ++last;
      next[edge_between(corner[i], corner[(i + 1) % 4])] = edge_between(corner[last % 4], corner[(last + 1) % 4]);
    }
  }
  CubeCase result;
  for (std::uint8_t start = 0; start < 12; ++start) {
    std::array<std::uint8_t, 12> loop{};
    unsigned n = 0;
    for (std::uint8_t edge = start; next[edge] != none;) {
      loop[n++] = edge;
      const std::uint8_t following = next[edge];
      next[edge] = none;
      edge = following;
    }
    if (n == 0) continue;
    unsigned apex = 0;
    for (;; ++apex) {  // such an apex exists in every case: where none did, reading past the loop would not compile
      bool free_of_faces = true;
      for (unsigned k = 2; k + 1 < n; ++k) {
        free_of_faces = free_of_faces && !share_a_face(loop.at(apex), loop[(apex + k) % n]);
      }
      if (free_of_faces) break;
    }
    for (unsigned k = 1; k + 1 < n; ++k) {
      result.triangles[result.count++] = {loop[apex], loop[(apex + k) % n], loop[(apex + k + 1) % n]};
    }
  }
  return result;
}

constexpr std::array<CubeCase, 256> make_cube_cases() {
  std::array<CubeCase, 256> cases{};
  for (unsigned i = 0; i < 256; ++i) cases[i] = make_cube_case(i);
  return cases;
}

inline constexpr std::array<CubeCase, 256> cube_cases = make_cube_cases();

}  // namespace supple::detail
