// Connectivity of the half-edge structure; no geometry here.
#include "supple/geometry/half_edges.h"

#include <algorithm>
#include <string>

namespace supple {

Result<HalfEdges> HalfEdges::build(std::size_t vertex_count, std::span<const Triangle> triangles) {
  HalfEdges mesh;
  mesh.origin_.resize(3 * triangles.size());
  mesh.twin_.assign(3 * triangles.size(), none);
  mesh.outgoing_.assign(vertex_count, none);
  mesh.valence_.assign(vertex_count, 0);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const Triangle& corners = triangles[t];
    for (std::size_t i = 0; i < 3; ++i) {
      if (corners[i] >= vertex_count) {
        return Error{"triangle " + std::to_string(t),
                     "names vertex " + std::to_string(corners[i]) + ", which does not exist", ""};
      }
      const auto h = static_cast<std::uint32_t>(3 * t + i);
      mesh.origin_[h] = corners[i];
      if (mesh.outgoing_[corners[i]] == none) {
        mesh.outgoing_[corners[i]] = h;
        ++mesh.live_vertices_;
      }
      ++mesh.valence_[corners[i]];
    }
  }

  // Half-edges of one edge become neighbours when sorted by their two vertices, whichever comes first.
  std::vector<std::uint32_t> order(mesh.origin_.size());
  for (std::uint32_t h = 0; h < order.size(); ++h) order[h] = h;
  const auto key = [&](std::uint32_t h) {
    const std::uint32_t a = mesh.origin(h), b = mesh.target(h);
    return std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
  };
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t g, std::uint32_t h) { return key(g) != key(h) ? key(g) < key(h) : g < h; });
  for (std::size_t i = 0; i < order.size(); i += 2) {
    const std::uint32_t h = order[i];
    const bool two = i + 1 < order.size() && key(order[i + 1]) == key(h) && mesh.origin(order[i + 1]) != mesh.origin(h);
    const bool three = i + 2 < order.size() && key(order[i + 2]) == key(h);
    if (!two || three || mesh.origin(h) == mesh.target(h)) {
      return Error{"edge " + std::to_string(mesh.origin(h)) + "-" + std::to_string(mesh.target(h)),
                   "does not lie between exactly two triangles of opposite direction",
                   "close the surface and orient its triangles"};
    }
    mesh.pair(h, order[i + 1]);
  }
  for (std::uint32_t v = 0; v < vertex_count; ++v) {
    if (!mesh.is_vertex(v)) continue;
    std::uint32_t reached = 0;
    mesh.around(v, [&](std::uint32_t) { ++reached; });
    if (reached != mesh.valence_[v]) {
      return Error{"vertex " + std::to_string(v), "joins two sheets of the surface", "give each sheet its own vertex"};
    }
  }
  return mesh;
}

bool HalfEdges::connected(std::uint32_t a, std::uint32_t b) const {
  bool found = false;
  around(a, [&](std::uint32_t h) { found = found || target(h) == b; });
  return found;
}

void HalfEdges::set_triangle(std::uint32_t first, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  origin_[first] = a;
  origin_[first + 1] = b;
  origin_[first + 2] = c;
  outgoing_[a] = first;
  outgoing_[b] = first + 1;
  outgoing_[c] = first + 2;
}

// Edge a-b between triangles (a, b, c) and (b, a, d). They become (a, m, c) and (b, m, d) in place; (m, b, c) and
// (m, a, d) are new.
std::uint32_t HalfEdges::split(std::uint32_t h) {
  const std::uint32_t g = twin_[h];
  const std::uint32_t a = origin(h), b = origin(g), c = opposite(h), d = opposite(g);
  const std::uint32_t bc = next(h), ad = next(g);
  const std::uint32_t outer_bc = twin_[bc], outer_ad = twin_[ad];
  const std::uint32_t m = vertices(), right = half_edges(), left = right + 3;
  outgoing_.push_back(none);
  valence_.push_back(4);
  ++live_vertices_;
  origin_.resize(origin_.size() + 6);
  twin_.resize(twin_.size() + 6);
  ++valence_[c];
  ++valence_[d];

  set_triangle(right, m, b, c);
  set_triangle(left, m, a, d);
  origin_[bc] = m;
  origin_[ad] = m;
  outgoing_[a] = h;
  outgoing_[b] = g;
  pair(right, g);
  pair(right + 1, outer_bc);
  pair(right + 2, bc);
  pair(left, h);
  pair(left + 1, outer_ad);
  pair(left + 2, ad);
  return m;
}

bool HalfEdges::may_flip(std::uint32_t h) const {
  const std::uint32_t g = twin_[h], c = opposite(h), d = opposite(g);
  return c != d && valence_[origin(h)] > 3 && valence_[origin(g)] > 3 && !connected(c, d);
}

// (a, b, c), (b, a, d) -> (d, b, c), (c, a, d)
void HalfEdges::flip(std::uint32_t h) {
  const std::uint32_t g = twin_[h];
  const std::uint32_t a = origin(h), b = origin(g), c = opposite(h), d = opposite(g);
  const std::uint32_t outer_bc = twin_[next(h)], outer_ca = twin_[previous(h)];
  const std::uint32_t outer_ad = twin_[next(g)], outer_db = twin_[previous(g)];
  --valence_[a];
  --valence_[b];
  ++valence_[c];
  ++valence_[d];
  const std::uint32_t s = h - h % 3, t = g - g % 3;
  set_triangle(s, d, b, c);
  set_triangle(t, c, a, d);
  pair(s, outer_db);
  pair(s + 1, outer_bc);
  pair(t, outer_ca);
  pair(t + 1, outer_ad);
  pair(s + 2, t + 2);
}

bool HalfEdges::may_collapse(std::uint32_t h) const {
  const std::uint32_t a = origin(h), b = target(h), c = opposite(h), d = opposite(twin_[h]);
  if (c == d || valence_[c] <= 3 || valence_[d] <= 3) return false;
  // What is left of a and b must be a proper fan.
  if (valence_[a] + valence_[b] < 7) return false;
  std::size_t common = 0;
  around(a, [&](std::uint32_t i) {
    const std::uint32_t v = target(i);
    if (v == b) return;
    around(b, [&](std::uint32_t j) { common += target(j) == v; });
  });
  return common == 2;
}

void HalfEdges::collapse(std::uint32_t h) {
  const std::uint32_t g = twin_[h];
  const std::uint32_t a = origin(h), b = origin(g), c = opposite(h), d = opposite(g);
  const std::uint32_t outer_bc = twin_[next(h)], outer_ca = twin_[previous(h)];
  const std::uint32_t outer_ad = twin_[next(g)], outer_db = twin_[previous(g)];
  around(a, [&](std::uint32_t i) { origin_[i] = b; });
  pair(outer_bc, outer_ca);
  pair(outer_ad, outer_db);
  for (std::uint32_t i = 0; i < 3; ++i) {
    origin_[h - h % 3 + i] = none;
    origin_[g - g % 3 + i] = none;
  }
  outgoing_[a] = none;
  outgoing_[b] = outer_ca;  // now from b to c
  outgoing_[c] = outer_bc;
  outgoing_[d] = outer_ad;
  valence_[b] += valence_[a] - 4;
  --valence_[c];
  --valence_[d];
  --live_vertices_;
}

std::vector<Triangle> HalfEdges::compact(std::vector<std::uint32_t>& source) const {
  std::vector<std::uint32_t> number(outgoing_.size(), none);
  source.clear();
  for (std::uint32_t v = 0; v < vertices(); ++v) {
    if (!is_vertex(v)) continue;
    number[v] = static_cast<std::uint32_t>(source.size());
    source.push_back(v);
  }
  std::vector<Triangle> triangles;
  for (std::uint32_t h = 0; h < half_edges(); h += 3) {
    if (!is_removed(h)) triangles.push_back({number[origin_[h]], number[origin_[h + 1]], number[origin_[h + 2]]});
  }
  return triangles;
}

}  // namespace supple
