#include "supple/author/lattice/lattice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "supple/base/disjoint_sets.h"
#include "supple/geometry/bvh.h"
#include "supple/geometry/topology.h"
#include "supple/geometry/winding_field.h"

namespace supple::lattice {
namespace {

constexpr double coarsest = 12, finest = 400;  // cells along the longest side of the surface
constexpr int refinements = 4;                 // of the edge, towards the number of cells that is wanted
constexpr double near_enough = 0.12;           // of that number
constexpr double inside = 0.5;                 // winding number
/// What two neighbouring places must share of their weights to be the same flesh.
constexpr float same_flesh = 0.25f;

struct Grid {
  double edge = 1;
  Vec3d origin{};
  std::array<std::int64_t, 3> size{};

  std::int64_t number(std::int64_t x, std::int64_t y, std::int64_t z) const { return (x * size[1] + y) * size[2] + z; }
  std::array<std::int64_t, 3> place(std::int64_t number) const {
    return {number / size[2] / size[1], number / size[2] % size[1], number % size[2]};
  }
  std::array<std::int64_t, 3> cell_of(Vec3f p) const {
    const auto along = [&](float x, double from, std::int64_t count) {
      return std::clamp(static_cast<std::int64_t>(std::floor((double{x} - from) / edge)), std::int64_t{0}, count - 1);
    };
    return {along(p.x, origin.x, size[0]), along(p.y, origin.y, size[1]), along(p.z, origin.z, size[2])};
  }
  Vec3f centre(std::int64_t number) const {
    const auto at = place(number);
    const auto along = [&](std::size_t axis) { return (static_cast<double>(at[axis]) + 0.5) * edge; };
    return Vec3f(origin + Vec3d{along(0), along(1), along(2)});
  }
  std::int64_t step(int axis) const { return axis == 0 ? size[1] * size[2] : axis == 1 ? size[2] : 1; }
};

/// The surface is one cell away from the border of the grid, so that every cell of it has neighbours.
Grid make_grid(const Box& box, double edge) {
  Grid grid;
  grid.edge = edge;
  // An offset that is no simple fraction: models are symmetric about planes through the origin, and cells should not
  // have their faces in these.
  grid.origin = Vec3d(box.low) - Vec3d{1.37 * edge, 1.41 * edge, 1.43 * edge};
  const Vec3d extent = Vec3d(box.high) - grid.origin;
  grid.size = {static_cast<std::int64_t>(extent.x / edge) + 3, static_cast<std::int64_t>(extent.y / edge) + 3,
               static_cast<std::int64_t>(extent.z / edge) + 3};
  return grid;
}

/// Whether a triangle reaches a box (Akenine-Moeller 2001): planes of the box, of the triangle, and nine cross
/// products. The corners are relative to the box's centre.
bool reaches(Vec3d a, Vec3d b, Vec3d c, double half) {
  const auto apart = [&](Vec3d axis) {
    const double pa = dot(axis, a), pb = dot(axis, b), pc = dot(axis, c);
    const double reach = half * (std::abs(axis.x) + std::abs(axis.y) + std::abs(axis.z));
    return std::min({pa, pb, pc}) > reach || std::max({pa, pb, pc}) < -reach;
  };
  for (const Vec3d axis : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}})
    if (apart(axis)) return false;
  const Vec3d ab = b - a, bc = c - b, ca = a - c;
  if (apart(cross(ab, bc))) return false;
  for (const Vec3d side : {ab, bc, ca})
    for (const Vec3d axis : {Vec3d{0, -side.z, side.y}, Vec3d{side.z, 0, -side.x}, Vec3d{-side.y, side.x, 0}})
      if (apart(axis)) return false;
  return true;
}

/// A triangle in a cell.
struct Crossing {
  std::int64_t cell = 0;
  std::uint32_t triangle = 0;
  friend bool operator<(const Crossing& a, const Crossing& b) {
    return a.cell != b.cell ? a.cell < b.cell : a.triangle < b.triangle;
  }
};

std::vector<Crossing> crossings_of(const Surface& surface, const Grid& grid) {
  std::vector<Crossing> result;
  const double half = grid.edge / 2;
  for (std::uint32_t t = 0; t < surface.triangles.size(); ++t) {
    const Triangle& corners = surface.triangles[t];
    const Vec3f a = surface.positions[corners[0]], b = surface.positions[corners[1]], c = surface.positions[corners[2]];
    const auto low = grid.cell_of(min(a, min(b, c))), high = grid.cell_of(max(a, max(b, c)));
    for (std::int64_t x = low[0]; x <= high[0]; ++x)
      for (std::int64_t y = low[1]; y <= high[1]; ++y)
        for (std::int64_t z = low[2]; z <= high[2]; ++z) {
          const std::int64_t cell = grid.number(x, y, z);
          const Vec3d centre(grid.centre(cell));
          if (low == high || reaches(Vec3d(a) - centre, Vec3d(b) - centre, Vec3d(c) - centre, half))
            result.push_back({cell, t});
        }
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// Cells of the grid inside the surface that no triangle reaches, rising: found from the surface inwards.
std::vector<std::int64_t> inner_cells(const Surface& surface, const Grid& grid, std::span<const std::int64_t> crossed) {
  const WindingField winding(surface.positions, surface.triangles);
  std::unordered_map<std::int64_t, bool> known;  // whether a cell is inside; crossed ones are left out
  std::vector<std::int64_t> open(crossed.begin(), crossed.end()), result;
  const auto is_crossed = [&](std::int64_t cell) { return std::binary_search(crossed.begin(), crossed.end(), cell); };
  while (!open.empty()) {
    const std::int64_t cell = open.back();
    open.pop_back();
    const auto at = grid.place(cell);
    for (int axis = 0; axis < 3; ++axis)
      for (const int way : {-1, 1}) {
        const std::int64_t beyond = at[static_cast<std::size_t>(axis)] + way;
        if (beyond < 0 || beyond >= grid.size[static_cast<std::size_t>(axis)]) continue;
        const std::int64_t next = cell + way * grid.step(axis);
        if (is_crossed(next) || known.contains(next)) continue;
        // Mirrored characters and meshes that were modelled inside out have theirs the other way round.
        const bool in = std::abs(winding.at(grid.centre(next))) > inside;
        known.emplace(next, in);
        if (in) open.push_back(next), result.push_back(next);
      }
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// The joints of a place, rising, with their shares.
using Mixture = std::vector<Influence>;

Mixture mixture_of(const SkinWeights& weights, std::span<const std::uint32_t> vertices) {
  Mixture all;
  for (const std::uint32_t v : vertices) all.insert(all.end(), weights.of(v).begin(), weights.of(v).end());
  std::sort(all.begin(), all.end(), [](const Influence& a, const Influence& b) { return a.joint < b.joint; });
  Mixture result;
  for (const Influence& i : all) {
    if (result.empty() || result.back().joint != i.joint) result.push_back({i.joint, 0});
    result.back().weight += i.weight / static_cast<float>(vertices.size());
  }
  return result;
}

std::uint32_t heaviest(const Mixture& mixture) {
  return std::max_element(mixture.begin(), mixture.end(),
                          [](const Influence& a, const Influence& b) { return a.weight < b.weight; })
      ->joint;
}

/// Limbs that pass each other in the bind pose are no neighbours: through the inside only that flesh is joined whose
/// weights have something in common, or whose bones follow one another.
bool is_same_flesh(const Mixture& a, const Mixture& b, std::span<const JointIndex> parents) {
  float shared = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].joint == b[j].joint)
      shared += std::min(a[i].weight, b[j].weight), ++i, ++j;
    else if (a[i].joint < b[j].joint)
      ++i;
    else
      ++j;
  }
  if (shared >= same_flesh) return true;
  const std::uint32_t x = heaviest(a), y = heaviest(b);
  return x == y || parents[x] == y || parents[y] == x;
}

/// Closed pieces of surface that follow other joints are bodies of their own, however deep one is pushed into the
/// other: the arms of a toy in its chest, a club in a fist. Clothes and armour share joints with the body below, and
/// what is open borders on something.
class Bodies {
 public:
  explicit Bodies(const Surface& surface)
      : piece_(connected_parts(surface.positions.size(), surface.triangles)), pieces_(piece_.count) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (const Triangle& t : surface.triangles)
      for (std::size_t k = 0; k < 3; ++k) edges.push_back(std::minmax(t[k], t[(k + 1) % 3]));
    std::sort(edges.begin(), edges.end());
    for (std::size_t i = 0; i < edges.size();) {
      std::size_t end = i;
      while (end < edges.size() && edges[end] == edges[i]) ++end;
      if (end - i == 1) pieces_[piece_.of_vertex[edges[i].first]].open = true;
      i = end;
    }
    std::vector<std::vector<std::uint32_t>> vertices(piece_.count);
    for (std::uint32_t v = 0; v < surface.positions.size(); ++v) vertices[piece_.of_vertex[v]].push_back(v);
    for (std::size_t p = 0; p < piece_.count; ++p) pieces_[p].mixture = mixture_of(surface.weights, vertices[p]);
  }

  std::uint32_t piece_of(const Triangle& triangle) const { return piece_.of_vertex[triangle[0]]; }

  /// By the pieces of two neighbouring places.
  bool are_apart(std::uint32_t a, std::uint32_t b) const {
    if (a == b || pieces_[a].open || pieces_[b].open) return false;
    return std::max(known_to(pieces_[a].mixture, pieces_[b].mixture),
                    known_to(pieces_[b].mixture, pieces_[a].mixture)) < same_flesh;
  }

 private:
  struct Piece {
    bool open = false;
    Mixture mixture;
  };
  /// The share of a piece that follows joints which the other follows too, by more than a trace.
  static float known_to(const Mixture& other, const Mixture& own) {
    constexpr float trace = 0.01f;
    float known = 0;
    for (const Influence& i : own)
      if (std::any_of(other.begin(), other.end(),
                      [&](const Influence& o) { return o.joint == i.joint && o.weight > trace; }))
        known += i.weight;
    return known;
  }

  Parts piece_;
  std::vector<Piece> pieces_;
};

/// A cell of the grid as one piece of surface, or the inside, sees it.
struct Copy {
  std::int64_t cell = 0;
  std::uint32_t piece = 0;               // of the surface: inside, of what is nearest
  std::vector<std::uint32_t> triangles;  // rising; none inside
  Mixture mixture;
};

/// The triangles of a cell, by pieces that are connected within it.
void split(const Surface& surface, const Bodies& bodies, std::int64_t cell, std::span<const Crossing> in_cell,
           std::vector<Copy>& copies) {
  DisjointSets sets(in_cell.size());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> corners;  // vertex, place in in_cell
  for (std::uint32_t i = 0; i < in_cell.size(); ++i)
    for (const std::uint32_t v : surface.triangles[in_cell[i].triangle]) corners.emplace_back(v, i);
  std::sort(corners.begin(), corners.end());
  for (std::size_t i = 1; i < corners.size(); ++i)
    if (corners[i].first == corners[i - 1].first) sets.join(corners[i].second, corners[i - 1].second);
  for (std::uint32_t i = 0; i < in_cell.size(); ++i) {
    if (sets.root(i) != i) continue;
    Copy& copy = copies.emplace_back();
    copy.cell = cell;
    copy.piece = bodies.piece_of(surface.triangles[in_cell[i].triangle]);
    std::vector<std::uint32_t> vertices;
    for (std::uint32_t k = i; k < in_cell.size(); ++k) {
      if (sets.root(k) != i) continue;
      copy.triangles.push_back(in_cell[k].triangle);
      const Triangle& t = surface.triangles[in_cell[k].triangle];
      vertices.insert(vertices.end(), t.begin(), t.end());
    }
    copy.mixture = mixture_of(surface.weights, vertices);
  }
}

bool share_triangle(const Copy& a, const Copy& b) {
  for (std::size_t i = 0, j = 0; i < a.triangles.size() && j < b.triangles.size();) {
    if (a.triangles[i] == b.triangles[j]) return true;
    a.triangles[i] < b.triangles[j] ? ++i : ++j;
  }
  return false;
}

struct Cells {
  Grid grid;
  std::vector<Copy> copies;  // by their cells, rising
};

Cells make_cells(const Surface& surface, const Bodies& bodies, const Box& box, double edge) {
  Cells result{make_grid(box, edge), {}};
  const std::vector<Crossing> crossings = crossings_of(surface, result.grid);
  std::vector<std::int64_t> crossed;
  for (const Crossing& c : crossings)
    if (crossed.empty() || crossed.back() != c.cell) crossed.push_back(c.cell);
  const std::vector<std::int64_t> inner = inner_cells(surface, result.grid, crossed);
  const Bvh nearest = inner.empty() ? Bvh() : Bvh(surface.positions, surface.triangles);
  for (std::size_t i = 0, next_inner = 0; i < crossings.size() || next_inner < inner.size();) {
    if (i == crossings.size() || (next_inner < inner.size() && inner[next_inner] < crossings[i].cell)) {
      const std::int64_t cell = inner[next_inner++];
      const Triangle& t = surface.triangles[nearest.closest(result.grid.centre(cell)).triangle];
      result.copies.push_back({cell, bodies.piece_of(t), {}, mixture_of(surface.weights, t)});
      continue;
    }
    std::size_t end = i;
    while (end < crossings.size() && crossings[end].cell == crossings[i].cell) ++end;
    split(surface, bodies, crossings[i].cell, std::span(crossings).subspan(i, end - i), result.copies);
    i = end;
  }
  return result;
}

/// Copies whose corners are joined over the face between them have the same nodes there.
DisjointSets join_corners(const Cells& cells, const Bodies& bodies, std::span<const JointIndex> parents) {
  const std::vector<Copy>& copies = cells.copies;
  DisjointSets corners(8 * copies.size());
  const auto first_of = [&](std::int64_t cell) {
    return static_cast<std::size_t>(
        std::lower_bound(copies.begin(), copies.end(), cell,
                         [](const Copy& c, std::int64_t wanted) { return c.cell < wanted; }) -
        copies.begin());
  };
  for (std::size_t i = 0; i < copies.size(); ++i)
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t beyond = copies[i].cell + cells.grid.step(axis);
      for (std::size_t j = first_of(beyond); j < copies.size() && copies[j].cell == beyond; ++j) {
        const bool through_inside = copies[i].triangles.empty() || copies[j].triangles.empty();
        if (!(through_inside ? is_same_flesh(copies[i].mixture, copies[j].mixture, parents) &&
                                   !bodies.are_apart(copies[i].piece, copies[j].piece)
                             : share_triangle(copies[i], copies[j])))
          continue;
        const std::uint32_t bit = 4u >> axis;
        for (std::uint32_t c = 0; c < 8; ++c)
          if ((c & bit) != 0)
            corners.join(static_cast<std::uint32_t>(8 * i + c), static_cast<std::uint32_t>(8 * j + (c ^ bit)));
      }
    }
  return corners;
}

/// The copy that carries each vertex: in its own cell that of one of its triangles. A vertex of no triangle goes with
/// the copy whose cell is nearest.
void embed(const Surface& surface, const Cells& cells, Lattice& lattice) {
  const std::vector<Copy>& copies = cells.copies;
  constexpr auto none = std::numeric_limits<std::uint32_t>::max();
  lattice.cell_of.assign(surface.positions.size(), none);
  for (std::uint32_t i = 0; i < copies.size(); ++i)
    for (const std::uint32_t t : copies[i].triangles)
      for (const std::uint32_t v : surface.triangles[t]) {
        const auto at = cells.grid.cell_of(surface.positions[v]);
        if (lattice.cell_of[v] == none && cells.grid.number(at[0], at[1], at[2]) == copies[i].cell)
          lattice.cell_of[v] = i;
      }
  lattice.place.resize(surface.positions.size());
  for (std::size_t v = 0; v < surface.positions.size(); ++v) {
    const Vec3d p(surface.positions[v]);
    if (lattice.cell_of[v] == none) {
      double least = std::numeric_limits<double>::infinity();
      for (std::uint32_t i = 0; i < copies.size(); ++i)
        if (const double apart = squared_length(Vec3d(cells.grid.centre(copies[i].cell)) - p); apart < least)
          least = apart, lattice.cell_of[v] = i;
    }
    const auto at = cells.grid.place(copies[lattice.cell_of[v]].cell);
    const Vec3d corner{static_cast<double>(at[0]), static_cast<double>(at[1]), static_cast<double>(at[2])};
    const Vec3d in = (p - cells.grid.origin) * (1 / cells.grid.edge) - corner;
    // Rounding aside this is in the cell; what belongs to no cell is not extrapolated beyond one.
    lattice.place[v] = min(max(Vec3f(in), Vec3f{-1, -1, -1}), Vec3f{2, 2, 2});
  }
}

}  // namespace

std::array<float, 8> Lattice::shape(std::size_t vertex) const {
  const Vec3f p = place[vertex];
  std::array<float, 8> result{};
  for (std::size_t c = 0; c < 8; ++c)
    result[c] = ((c & 4) != 0 ? p.x : 1 - p.x) * ((c & 2) != 0 ? p.y : 1 - p.y) * ((c & 1) != 0 ? p.z : 1 - p.z);
  return result;
}

Result<Lattice> make_lattice(const Surface& surface, std::size_t wanted) {
  if (surface.triangles.empty()) return Error{"skin", "has no triangles", "use a file with a skinned mesh"};
  const Box box = bounds(surface.positions);
  const Vec3f sides = box.high - box.low;
  const double longest = double{std::max({sides.x, sides.y, sides.z})};
  if (!(longest > 0)) return Error{"skin", "is a single point", "use a file with a skinned mesh"};
  const Bodies bodies(surface);
  double along = 60;
  Cells cells;
  for (int i = 0; i < refinements; ++i) {
    cells = make_cells(surface, bodies, box, longest / along);
    const double ratio = static_cast<double>(wanted) / static_cast<double>(cells.copies.size());
    if (std::abs(ratio - 1) < near_enough) break;
    // Between a shell, whose cells grow with the square, and a solid.
    const double next = std::clamp(along * std::pow(ratio, 1 / 2.4), coarsest, finest);
    if (next == along) break;
    if (i + 1 < refinements) along = next;
  }
  Lattice lattice;
  lattice.edge = cells.grid.edge;
  lattice.origin = cells.grid.origin;
  DisjointSets corners = join_corners(cells, bodies, surface.parents);
  constexpr auto none = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> node(corners.size(), none);
  lattice.cells.resize(cells.copies.size());
  for (std::uint32_t i = 0; i < cells.copies.size(); ++i) {
    const auto at = cells.grid.place(cells.copies[i].cell);
    for (std::uint32_t c = 0; c < 8; ++c) {
      const std::uint32_t root = corners.root(8 * i + c);
      if (node[root] == none) {
        node[root] = static_cast<std::uint32_t>(lattice.nodes.size());
        lattice.nodes.push_back({static_cast<float>(at[0] + ((c >> 2) & 1)), static_cast<float>(at[1] + ((c >> 1) & 1)),
                                 static_cast<float>(at[2] + (c & 1))});
      }
      lattice.cells[i][c] = node[root];
    }
  }
  embed(surface, cells, lattice);
  return lattice;
}

void renumber(Lattice& lattice, std::span<const std::uint32_t> order) {
  std::vector<std::uint32_t> renamed(order.size());
  std::vector<Vec3f> nodes(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) renamed[order[i]] = i, nodes[i] = lattice.nodes[order[i]];
  lattice.nodes = std::move(nodes);
  for (Cell& cell : lattice.cells)
    for (std::uint32_t& n : cell) n = renamed[n];
}

}  // namespace supple::lattice
