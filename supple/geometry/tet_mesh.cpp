// Connectivity of tetrahedral meshes by sorting faces under their smallest corner, and what follows from it.
#include "supple/geometry/tet_mesh.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "supple/base/mat.h"

namespace supple {
namespace {

struct Face {
  std::uint32_t middle, high;  // corners besides the smallest, ascending
  std::uint32_t slot;          // 4 * element + opposite corner
  bool even;                   // whether (smallest, middle, high) is counter-clockwise seen from outside
};

/// Calls visit(faces) for each group of faces with the same corners, in ascending order of these.
template <class Visit>
void for_each_shared_face(const TetMesh& mesh, Visit&& visit) {
  const std::size_t count = mesh.element_count();
  const auto sorted_corners = [&](std::size_t e, std::size_t f) {
    const auto element = mesh.element(e);
    Triangle t{element[tet_faces[f][0]], element[tet_faces[f][1]], element[tet_faces[f][2]]};
    bool even = true;
    const auto order = [&](std::size_t i, std::size_t j) {
      if (t[j] < t[i]) {
        std::swap(t[i], t[j]);
        even = !even;
      }
    };
    order(0, 1);
    order(1, 2);
    order(0, 1);
    return std::pair(t, even);
  };
  std::vector<std::uint32_t> first(mesh.nodes.size() + 1, 0);
  for (std::size_t e = 0; e < count; ++e) {
    for (std::size_t f = 0; f < 4; ++f) ++first[sorted_corners(e, f).first[0] + 1];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Face> faces(4 * count);
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (std::size_t e = 0; e < count; ++e) {
    for (std::size_t f = 0; f < 4; ++f) {
      const auto [t, even] = sorted_corners(e, f);
      faces[next[t[0]]++] = {t[1], t[2], static_cast<std::uint32_t>(4 * e + f), even};
    }
  }
  const auto same = [](const Face& a, const Face& b) { return a.middle == b.middle && a.high == b.high; };
  for (std::size_t n = 0; n + 1 < first.size(); ++n) {
    const std::span<Face> here(faces.data() + first[n], first[n + 1] - first[n]);
    std::sort(here.begin(), here.end(), [](const Face& a, const Face& b) {
      return a.middle != b.middle ? a.middle < b.middle : a.high != b.high ? a.high < b.high : a.slot < b.slot;
    });
    for (std::size_t begin = 0, end = 0; begin < here.size(); begin = end) {
      while (end < here.size() && same(here[begin], here[end])) ++end;
      visit(here.subspan(begin, end - begin));
    }
  }
}

/// Determinant of dx/dl at barycentric coordinates l of a quadratic element, in units of six times the volume.
double quadratic_determinant(const TetMesh& mesh, std::size_t e, std::array<double, 4> l) {
  const auto element = mesh.element(e);
  std::array<Vec3d, 4> by_coordinate{};  // sum over nodes of x * dN/dl_a
  for (std::size_t a = 0; a < 4; ++a) by_coordinate[a] = mesh.nodes[element[a]] * (4 * l[a] - 1);
  for (std::size_t k = 0; k < 6; ++k) {
    const auto [a, b] = tet_edges[k];
    by_coordinate[a] += mesh.nodes[element[4 + k]] * (4 * l[b]);
    by_coordinate[b] += mesh.nodes[element[4 + k]] * (4 * l[a]);
  }
  return determinant(Mat3d{by_coordinate[1] - by_coordinate[0], by_coordinate[2] - by_coordinate[0],
                           by_coordinate[3] - by_coordinate[0]});
}

Result<void> validate_shape(const TetMesh& mesh, std::size_t e) {
  const auto item = [&] { return "element " + std::to_string(e); };
  const double volume = signed_volume(mesh.corner(e, 0), mesh.corner(e, 1), mesh.corner(e, 2), mesh.corner(e, 3));
  if (!(volume > 0)) {
    return Error{item(), "has a volume of " + std::to_string(volume * 1e9) + " cubic millimetres, not above zero",
                 "mend or remesh the volume mesh"};
  }
  if (mesh.nodes_per_element == 4) return {};
  constexpr double near = 0.58541020, far = 0.13819660;  // four-point quadrature
  for (std::size_t a = 0; a < 4; ++a) {
    for (const auto& [own, other] : {std::pair(1.0, 0.0), std::pair(near, far)}) {
      std::array<double, 4> l{other, other, other, other};
      l[a] = own;
      if (!(quadratic_determinant(mesh, e, l) > 0)) {
        return Error{item(), "is bent inside out by its middle nodes", "straighten the edges or use linear elements"};
      }
    }
  }
  return {};
}

}  // namespace

double signed_volume(Vec3d x0, Vec3d x1, Vec3d x2, Vec3d x3) { return dot(x1 - x0, cross(x2 - x0, x3 - x0)) / 6; }

Result<void> validate(const TetMesh& mesh) {
  if (mesh.nodes_per_element != 4 && mesh.nodes_per_element != 10) {
    return Error{"volume mesh", "has " + std::to_string(mesh.nodes_per_element) + " nodes per element",
                 "only 4 (linear) and 10 (quadratic) are known"};
  }
  if (mesh.elements.size() % mesh.nodes_per_element != 0) {
    return Error{"volume mesh", "ends within an element", ""};
  }
  if (mesh.element_count() >= no_element / 4) return Error{"volume mesh", "has too many elements", "coarsen it"};
  for (std::size_t n = 0; n < mesh.nodes.size(); ++n) {
    if (!is_finite(mesh.nodes[n])) return Error{"node " + std::to_string(n), "has a position that is not finite", ""};
  }
  for (std::size_t e = 0; e < mesh.element_count(); ++e) {
    const auto element = mesh.element(e);
    const auto item = [&] { return "element " + std::to_string(e); };
    for (std::size_t a = 0; a < element.size(); ++a) {
      if (element[a] >= mesh.nodes.size()) {
        return Error{item(), "names node " + std::to_string(element[a]) + ", which does not exist", ""};
      }
      const auto before = element.first(a);
      if (std::find(before.begin(), before.end(), element[a]) != before.end()) {
        return Error{item(), "names node " + std::to_string(element[a]) + " twice", ""};
      }
    }
    if (Result<void> shape = validate_shape(mesh, e); !shape) return shape;
  }
  std::uint32_t worst = no_element;
  for_each_shared_face(mesh, [&](std::span<const Face> faces) {
    const bool fine = faces.size() == 1 || (faces.size() == 2 && faces[0].even != faces[1].even);
    if (!fine) worst = std::min(worst, faces.back().slot / 4);
  });
  if (worst != no_element) {
    return Error{"element " + std::to_string(worst), "overlaps another one across a common face",
                 "remove doubled elements"};
  }
  return {};
}

TetMesh to_quadratic(const TetMesh& mesh) {
  if (mesh.nodes_per_element == 10) return mesh;
  struct Edge {
    std::uint32_t low, high, slot;  // slot: 6 * element + edge
  };
  const std::size_t count = mesh.element_count();
  std::vector<Edge> edges;
  edges.reserve(6 * count);
  for (std::size_t e = 0; e < count; ++e) {
    const auto element = mesh.element(e);
    for (std::size_t k = 0; k < 6; ++k) {
      const auto [low, high] = std::minmax(element[tet_edges[k][0]], element[tet_edges[k][1]]);
      edges.push_back({low, high, static_cast<std::uint32_t>(6 * e + k)});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return a.low != b.low ? a.low < b.low : a.high != b.high ? a.high < b.high : a.slot < b.slot;
  });
  std::vector<std::uint32_t> first_use(edges.size());  // the lowest slot of the same edge
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const bool is_new = i == 0 || edges[i].low != edges[i - 1].low || edges[i].high != edges[i - 1].high;
    first_use[edges[i].slot] = is_new ? edges[i].slot : first_use[edges[i - 1].slot];
  }
  TetMesh result;
  result.nodes = mesh.nodes;
  result.nodes_per_element = 10;
  result.elements.resize(10 * count);
  for (std::size_t e = 0; e < count; ++e) {
    const auto element = mesh.element(e);
    std::copy(element.begin(), element.end(), result.elements.begin() + static_cast<std::ptrdiff_t>(10 * e));
    for (std::size_t k = 0; k < 6; ++k) {
      const std::uint32_t first = first_use[6 * e + k];
      std::uint32_t& middle = result.elements[10 * e + 4 + k];
      if (first == 6 * e + k) {
        middle = static_cast<std::uint32_t>(result.nodes.size());
        result.nodes.push_back((mesh.nodes[element[tet_edges[k][0]]] + mesh.nodes[element[tet_edges[k][1]]]) * 0.5);
      } else {
        middle = result.elements[10 * (first / 6) + 4 + first % 6];
      }
    }
  }
  return result;
}

std::vector<std::uint32_t> face_neighbours(const TetMesh& mesh) {
  std::vector<std::uint32_t> neighbours(4 * mesh.element_count(), no_element);
  for_each_shared_face(mesh, [&](std::span<const Face> faces) {
    if (faces.size() < 2) return;
    neighbours[faces[0].slot] = faces[1].slot / 4;
    neighbours[faces[1].slot] = faces[0].slot / 4;
  });
  return neighbours;
}

TetBoundary boundary_faces(const TetMesh& mesh) {
  const std::vector<std::uint32_t> neighbours = face_neighbours(mesh);
  TetBoundary boundary;
  for (std::size_t slot = 0; slot < neighbours.size(); ++slot) {
    if (neighbours[slot] != no_element) continue;
    const auto element = mesh.element(slot / 4);
    const auto& corners = tet_faces[slot % 4];
    boundary.triangles.push_back({element[corners[0]], element[corners[1]], element[corners[2]]});
    boundary.elements.push_back(static_cast<std::uint32_t>(slot / 4));
  }
  return boundary;
}

std::vector<Triangle> boundary_triangles(const TetMesh& mesh) { return boundary_faces(mesh).triangles; }

TetParts connected_parts(const TetMesh& mesh) {
  const std::vector<std::uint32_t> neighbours = face_neighbours(mesh);
  TetParts parts;
  parts.of_element.assign(mesh.element_count(), no_element);
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t seed = 0; seed < parts.of_element.size(); ++seed) {
    if (parts.of_element[seed] != no_element) continue;
    const auto part = static_cast<std::uint32_t>(parts.sizes.size());
    parts.sizes.push_back(0);
    parts.of_element[seed] = part;
    waiting.push_back(seed);
    while (!waiting.empty()) {
      const std::size_t e = waiting.back();
      waiting.pop_back();
      ++parts.sizes[part];
      for (std::size_t f = 0; f < 4; ++f) {
        const std::uint32_t other = neighbours[4 * e + f];
        if (other == no_element || parts.of_element[other] != no_element) continue;
        parts.of_element[other] = part;
        waiting.push_back(other);
      }
    }
  }
  return parts;
}

TetMesh extract_elements(const TetMesh& mesh, std::span<const std::uint32_t> keep, std::vector<std::uint32_t>* source) {
  std::vector<std::uint32_t> number(mesh.nodes.size(), no_element);
  for (const std::uint32_t e : keep) {
    for (const std::uint32_t n : mesh.element(e)) number[n] = 0;
  }
  TetMesh result;
  result.nodes_per_element = mesh.nodes_per_element;
  if (source != nullptr) source->clear();
  for (std::uint32_t n = 0; n < number.size(); ++n) {
    if (number[n] == no_element) continue;
    number[n] = static_cast<std::uint32_t>(result.nodes.size());
    result.nodes.push_back(mesh.nodes[n]);
    if (source != nullptr) source->push_back(n);
  }
  result.elements.reserve(keep.size() * mesh.nodes_per_element);
  for (const std::uint32_t e : keep) {
    for (const std::uint32_t n : mesh.element(e)) result.elements.push_back(number[n]);
  }
  return result;
}

TetMesh largest_component(const TetMesh& mesh, std::size_t* dropped) {
  const TetParts parts = connected_parts(mesh);
  const auto largest =
      static_cast<std::uint32_t>(std::max_element(parts.sizes.begin(), parts.sizes.end()) - parts.sizes.begin());
  std::vector<std::uint32_t> keep;
  for (std::uint32_t e = 0; e < parts.of_element.size(); ++e) {
    if (parts.of_element[e] == largest) keep.push_back(e);
  }
  if (dropped != nullptr) *dropped = mesh.element_count() - keep.size();
  return extract_elements(mesh, keep);
}

}  // namespace supple
