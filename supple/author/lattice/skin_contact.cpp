#include "supple/author/lattice/skin_contact.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "supple/geometry/topology.h"
#include "supple/geometry/winding_field.h"

namespace supple::lattice {
namespace {

constexpr float reach = 1;  // how deep an overlap may be, and half of what the limbs are thick: deeper, it was meant
constexpr float thin = 1;   // what is thinner than a cell bends as a whole, whichever side is pushed
constexpr float margin = 0.15f;     // gap that is kept: triangles cut through each other between the tested points
constexpr float ahead = 0.4f;       // gaps below this are watched: they may close while others open
constexpr float facing = -0.3f;     // cosine between the normals of two places that can touch
constexpr float aside = 0.6f;       // how far the touched place may lie beside the point, or half of the gap
constexpr float neighbourhood = 3;  // within this distance at rest, skin behind is the other side of the same flesh
constexpr std::size_t most_contacts = 400;

/// Triangles of pieces that enclose a negative volume are turned round: of mirrored characters, or modelled inside out.
std::vector<Triangle> facing_outwards(std::span<const Vec3f> positions, std::span<const Triangle> triangles) {
  const Parts pieces = connected_parts(positions.size(), triangles);
  std::vector<double> volumes(pieces.count);
  std::vector<std::uint32_t> anchor(pieces.count);
  for (std::size_t v = positions.size(); v-- > 0;) anchor[pieces.of_vertex[v]] = static_cast<std::uint32_t>(v);
  for (const Triangle& t : triangles) {
    const std::uint32_t piece = pieces.of_vertex[t[0]];
    const Vec3d from(positions[anchor[piece]]);
    const Vec3d a = Vec3d(positions[t[0]]) - from, b = Vec3d(positions[t[1]]) - from, c = Vec3d(positions[t[2]]) - from;
    volumes[piece] += dot(a, cross(b, c));
  }
  std::vector<Triangle> result(triangles.begin(), triangles.end());
  for (Triangle& t : result)
    if (volumes[pieces.of_vertex[t[0]]] < 0) std::swap(t[1], t[2]);
  return result;
}

Vec3f mean(std::span<const Vec3f> of, const Triangle& corners, Vec3f weights) {
  return of[corners[0]] * weights.x + of[corners[1]] * weights.y + of[corners[2]] * weights.z;
}

/// Adds a vertex' share in the motion of the nodes.
void add_vertex(const Lattice& lattice, std::uint32_t vertex, float factor, std::map<std::uint32_t, float>& nodes) {
  const std::array<float, 8> shape = lattice.shape(vertex);
  const Cell& cell = lattice.cells[lattice.cell_of[vertex]];
  for (std::size_t c = 0; c < 8; ++c) nodes[cell[c]] += factor * shape[c];
}

}  // namespace

/// Another place of the skin that a vertex touches.
struct SkinContact::Touched {
  float distance = 0, gap = 0;
  std::uint32_t triangle = 0;
  Vec3f barycentric{}, away{};
};

/// Finds the nearest skin that faces a vertex and that `counts` accepts, which may correct the gap.
template <class Counts>
std::optional<SkinContact::Touched> SkinContact::nearest_facing(const Bvh& tree, std::span<const Vec3f> posed,
                                                                std::span<const Vec3f> normals, std::uint32_t v,
                                                                const Counts& counts) const {
  const Vec3f p = posed[v];
  std::optional<Touched> nearest;
  tree.each_in_box(p - Vec3f{reach, reach, reach}, p + Vec3f{reach, reach, reach}, [&](std::uint32_t number) {
    const Triangle& t = triangles_[number];
    if (t[0] == v || t[1] == v || t[2] == v) return;
    if (dot(normals[v], normals[t[0]] + normals[t[1]] + normals[t[2]]) > 0) return;  // cheap, and nearly always so
    const ClosestPoint q = closest_on_triangle(p, posed[t[0]], posed[t[1]], posed[t[2]]);
    if (!(q.distance < (nearest ? nearest->distance : reach))) return;
    const Vec3f away = normalized(mean(normals, t, q.barycentric), Vec3f{0, 0, 0});
    if (dot(normals[v], away) > facing) return;
    const float gap = dot(p - q.point, away);
    if (gap > ahead || q.distance * q.distance - gap * gap > std::max(aside * aside, gap * gap / 4)) return;
    if (Touched touched{q.distance, gap, number, q.barycentric, away}; counts(touched)) nearest = touched;
  });
  return nearest;
}

SkinContact::SkinContact(const Surface& surface, const Lattice& lattice)
    : triangles_(facing_outwards(surface.positions, surface.triangles)) {
  for (const Vec3f& p : surface.positions) rest_.push_back(Vec3f((Vec3d(p) - lattice.origin) * (1 / lattice.edge)));
  rest_normals_.resize(rest_.size());
  compute_normals(rest_, triangles_, rest_normals_);
  std::vector<float> areas(rest_.size(), 0.0f);
  for (const Triangle& t : triangles_)
    for (const std::uint32_t v : t) areas[v] += length(cross(rest_[t[1]] - rest_[t[0]], rest_[t[2]] - rest_[t[0]])) / 6;
  std::map<std::pair<std::uint32_t, int>, Probe> of_eighth;
  for (std::uint32_t v = 0; v < rest_.size(); ++v) {
    if (!(areas[v] > 0)) continue;
    const Vec3f at = lattice.place[v];
    const int eighth = (at.x > 0.5f ? 4 : 0) + (at.y > 0.5f ? 2 : 0) + (at.z > 0.5f ? 1 : 0);
    Probe& probe = of_eighth.try_emplace({lattice.cell_of[v], eighth}, Probe{v, 0}).first->second;
    probe.area += areas[v];
  }
  for (const auto& [place, probe] : of_eighth) probes_.push_back(probe);
  const Bvh tree(rest_, triangles_);
  for (std::size_t v = 0; v < rest_.size(); ++v) {
    const auto across = tree.first_hit(rest_[v], rest_normals_[v] * -1.0f, 1e-3f, 2 * reach);
    deepest_.push_back(across ? across->distance / 2 : reach);
  }
  const Parts pieces = connected_parts(rest_.size(), triangles_);
  piece_ = pieces.of_vertex;
  if (pieces.count == 1) return;
  std::vector<std::vector<Triangle>> triangles_of(pieces.count);
  for (const Triangle& t : triangles_) triangles_of[piece_[t[0]]].push_back(t);
  for (std::uint32_t outer = 0; outer < pieces.count; ++outer) {
    std::vector<Vec3f> corners;
    for (const Triangle& t : triangles_of[outer])
      for (const std::uint32_t v : t) corners.push_back(rest_[v]);
    const Box box = bounds(corners);
    std::vector<std::uint32_t> inside;  // vertices of other pieces that may be
    for (const Probe& probe : probes_)
      if (const Vec3f p = rest_[probe.vertex];
          piece_[probe.vertex] != outer && min(p, box.low) == box.low && max(p, box.high) == box.high)
        inside.push_back(probe.vertex);
    if (inside.empty()) continue;
    const WindingField winding(rest_, triangles_of[outer]);
    for (const std::uint32_t v : inside)
      if (std::abs(winding.at(rest_[v])) > 0.5)
        nested_.push_back({std::min(outer, piece_[v]), std::max(outer, piece_[v])});
  }
  std::sort(nested_.begin(), nested_.end());
  nested_.erase(std::unique(nested_.begin(), nested_.end()), nested_.end());
}

bool SkinContact::may_touch(std::uint32_t piece, std::uint32_t other) const {
  if (piece == other || nested_.empty()) return true;
  return !std::binary_search(nested_.begin(), nested_.end(),
                             std::array{std::min(piece, other), std::max(piece, other)});
}

std::vector<Contact> SkinContact::find(const Lattice& lattice, std::span<const Vec3f> posed) const {
  const Bvh tree(posed, triangles_);
  std::vector<Vec3f> normals(posed.size());
  compute_normals(posed, triangles_, normals);
  /// The deepest contact of each pair of cells, with the area of all.
  struct Found {
    std::uint32_t vertex = 0;
    Touched touched;
    float area = 0;
  };
  std::map<std::array<std::uint32_t, 2>, Found> found;
  for (const Probe& probe : probes_) {
    const std::uint32_t v = probe.vertex;
    const auto nearest = nearest_facing(tree, posed, normals, v, [&](Touched& touched) {
      const Triangle& t = triangles_[touched.triangle];
      if (!may_touch(piece_[v], piece_[t[0]])) return false;
      const Vec3f at_rest = rest_[v] - mean(rest_, t, touched.barycentric);
      const float apart = length(at_rest);
      const float rest_gap = dot(at_rest, normalized(mean(rest_normals_, t, touched.barycentric), Vec3f{0, 0, 0}));
      if (apart < neighbourhood && rest_gap < -apart / 2) return false;
      const float deepest = std::min(deepest_[v], std::min({deepest_[t[0]], deepest_[t[1]], deepest_[t[2]]}));
      if (deepest < thin / 2 || touched.gap < -deepest) return false;
      touched.gap -= apart < neighbourhood ? std::min(margin, rest_gap) : margin;
      return true;
    });
    if (!nearest) continue;
    const Triangle& t = triangles_[nearest->triangle];
    const std::array cells{lattice.cell_of[v], lattice.cell_of[t[0]]};
    Found& deepest = found.try_emplace(cells, Found{v, *nearest, 0}).first->second;
    if (nearest->gap < deepest.touched.gap) deepest.vertex = v, deepest.touched = *nearest;
    deepest.area += probe.area;
  }
  std::vector<Contact> contacts;
  for (const auto& [cells, f] : found) {
    std::map<std::uint32_t, float> nodes;
    add_vertex(lattice, f.vertex, 1, nodes);
    const Triangle& t = triangles_[f.touched.triangle];
    add_vertex(lattice, t[0], -f.touched.barycentric.x, nodes);
    add_vertex(lattice, t[1], -f.touched.barycentric.y, nodes);
    add_vertex(lattice, t[2], -f.touched.barycentric.z, nodes);
    Contact& contact = contacts.emplace_back();
    for (const auto& [node, weight] : nodes) contact.nodes.push_back(node), contact.weights.push_back(weight);
    contact.away = f.touched.away, contact.gap = f.touched.gap, contact.area = f.area, contact.cells = cells;
  }
  std::stable_sort(contacts.begin(), contacts.end(), [](const Contact& a, const Contact& b) { return a.gap < b.gap; });
  if (contacts.size() > most_contacts) contacts.resize(most_contacts);
  return contacts;
}

}  // namespace supple::lattice
