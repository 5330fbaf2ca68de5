#include "supple/rig/subdivide.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/geometry/subdivide.h"

namespace supple {
namespace {

/// Offsets of a target for every vertex; none where the target has none of that kind.
std::vector<Vec3f> spread(const MorphTarget& morph, std::span<const Vec3f> offsets, std::size_t vertices) {
  if (offsets.empty() || morph.vertices.empty()) return {offsets.begin(), offsets.end()};
  std::vector<Vec3f> all(vertices);
  for (std::size_t i = 0; i < offsets.size(); ++i) all[morph.vertices[i]] = offsets[i];
  return all;
}

/// Takes vertices out of their point that are not the same as its first one, into points of their own, shared by those
/// that are the same.
template <class Same>
Weld split(const Weld& weld, Same&& same) {
  constexpr std::uint32_t none = 0xffffffffu;
  std::vector<std::uint32_t> next_leader(weld.to_point.size(), none);  // first vertices of one old point, chained
  Weld result;
  result.to_point.resize(weld.to_point.size());
  for (std::uint32_t v = 0; v < weld.to_point.size(); ++v) {
    std::uint32_t l = weld.to_vertex[weld.to_point[v]];
    while (l != v && !same(l, v)) {
      if (next_leader[l] == none) next_leader[l] = v;
      l = next_leader[l];
    }
    if (l == v) {
      result.to_point[v] = static_cast<std::uint32_t>(result.to_vertex.size());
      result.to_vertex.push_back(v);
    } else {
      result.to_point[v] = result.to_point[l];
    }
  }
  return result;
}

/// Sum over joints of how far two vertices' weights differ, 0 to 2.
double difference(std::span<const Influence> a, std::span<const Influence> b) {
  const auto weight_of = [](std::span<const Influence> all, std::uint32_t joint) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Influence& i) { return i.joint == joint; });
    return found == all.end() ? 0.0 : double{found->weight};
  };
  double sum = 0;
  for (const Influence& i : a) sum += std::abs(double{i.weight} - weight_of(b, i.joint));
  for (const Influence& i : b) sum += weight_of(a, i.joint) == 0 ? double{i.weight} : 0;
  return sum;
}

/// Which vertices are one point of the surface. Files round both sides of a seam for themselves: differences that no
/// one sees do not part them.
Weld surface_points(const Part& part) {
  Weld points = weld(part.mesh.positions);
  if (points.points() == part.mesh.positions.size()) return points;
  if (part.skin) {
    points = split(points, [&](std::uint32_t a, std::uint32_t b) {
      return difference(part.weights.of(a), part.weights.of(b)) < 0.02;
    });
  }
  const float near = 1e-4f * bounds(part.mesh.positions).diagonal();
  for (const MorphTarget& morph : part.morphs) {
    const std::vector<Vec3f> offsets = spread(morph, morph.positions, part.mesh.positions.size());
    if (offsets.empty()) continue;
    points = split(points, [&](std::uint32_t a, std::uint32_t b) { return length(offsets[a] - offsets[b]) <= near; });
  }
  return points;
}

SkinWeights refine(const Refinement& r, const SkinWeights& weights) {
  struct Share {
    std::uint32_t joint;
    double weight;
  };
  SkinWeights points;
  std::vector<Share> shares;
  std::vector<Influence> merged;
  for (std::size_t p = 0; p < r.weld.points(); ++p) {
    shares.clear();
    for (std::uint32_t i = r.first[p]; i < r.first[p + 1]; ++i) {
      for (const Influence& w : weights.of(r.from[i]))
        shares.push_back({w.joint, double{r.weight[i]} * double{w.weight}});
    }
    std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.joint < b.joint; });
    merged.clear();
    for (std::size_t begin = 0, end = 0; begin < shares.size(); begin = end) {
      double sum = 0;
      for (; end < shares.size() && shares[end].joint == shares[begin].joint; ++end) sum += shares[end].weight;
      merged.push_back({shares[begin].joint, static_cast<float>(sum)});
    }
    points.push_vertex(merged);
  }
  points = top_influences(points, std::max<std::size_t>(4, weights.max_influences()));
  clean(points, std::numeric_limits<std::size_t>::max());
  SkinWeights refined;
  for (const std::uint32_t p : r.weld.to_point) refined.push_vertex(points.of(p));
  return refined;
}

/// New vertices move where an old one of their stencil did.
std::vector<std::uint32_t> moved_vertices(const Refinement& r, const MorphTarget& morph) {
  std::vector<bool> old(r.old_vertices(), false), point(r.weld.points(), false);
  for (const std::uint32_t v : morph.vertices) old[v] = true;
  for (std::size_t p = 0; p < point.size(); ++p) {
    for (std::uint32_t i = r.first[p]; i < r.first[p + 1]; ++i) point[p] = point[p] || old[r.from[i]];
  }
  std::vector<std::uint32_t> moved;
  for (std::uint32_t v = 0; v < r.vertices(); ++v) {
    if (point[r.weld.to_point[v]]) moved.push_back(v);
  }
  return moved;
}

void refine(const Refinement& r, MorphTarget& morph) {
  const std::vector<std::uint32_t> moved = moved_vertices(r, morph);
  for (std::vector<Vec3f>* offsets : {&morph.positions, &morph.normals}) {
    if (offsets->empty()) continue;
    const std::vector<Vec3f> all = refine(r, spread(morph, *offsets, r.old_vertices()));
    if (morph.vertices.empty()) {
      *offsets = all;
      continue;
    }
    offsets->clear();
    for (const std::uint32_t v : moved) offsets->push_back(all[v]);
  }
  morph.tangents.clear();
  morph.vertices = moved;
}

Result<void> check_sizes(const Part& part) {
  const auto wrong = [&](const std::string& what) {
    return Error{"part '" + part.name + "'", what, "check the character first: see validate()"};
  };
  const std::size_t vertices = part.mesh.positions.size();
  if (part.skin && part.weights.vertices() != vertices) return wrong("has skin weights for another number of vertices");
  if (!part.texcoords.empty() && part.texcoords.size() != vertices)
    return wrong("has texture coordinates for another number of vertices");
  for (const MorphTarget& morph : part.morphs) {
    const std::size_t moved = morph.vertices.empty() ? vertices : morph.vertices.size();
    const bool out_of_range = !morph.vertices.empty() && morph.vertices.back() >= vertices;
    for (const std::vector<Vec3f>* offsets : {&morph.positions, &morph.normals}) {
      if (out_of_range || (!offsets->empty() && offsets->size() != moved))
        return wrong("has a morph target '" + morph.name + "' of another number of vertices");
    }
  }
  return {};
}

}  // namespace

Result<void> subdivide(Part& part, Warnings* warnings) {
  const auto named = [&](const Error& e) { return Error{"part '" + part.name + "', " + e.item, e.problem, e.remedy}; };
  if (auto ok = validate(part.mesh); !ok) return named(ok.error());
  if (auto ok = check_sizes(part); !ok) return ok;
  const auto r = refine_loop(part.mesh.positions.size(), part.mesh.triangles, surface_points(part));
  if (!r) return named(r.error());

  part.mesh.positions = refine(*r, part.mesh.positions);
  part.mesh.triangles = r->triangles;
  const bool turned =
      std::any_of(part.morphs.begin(), part.morphs.end(), [](const MorphTarget& m) { return !m.normals.empty(); });
  std::vector<float> scale;  // of normals that morph targets turn
  if (!part.mesh.normals.empty() && turned) {
    // The stored normals may mean something only together with the targets at their rest weights: all are refined
    // alike.
    part.mesh.normals = refine(*r, part.mesh.normals);
    for (Vec3f& n : part.mesh.normals) {
      scale.push_back(1 / std::max(length(n), 1e-3f));
      n = n * scale.back();
    }
  } else if (!part.mesh.normals.empty()) {
    part.mesh.normals.resize(r->vertices());
    compute_normals(part.mesh.positions, part.mesh.triangles, part.mesh.normals, r->weld.to_point);
  }
  if (!part.texcoords.empty()) part.texcoords = refine_linearly<2>(*r, part.texcoords);
  if (part.skin) part.weights = refine(*r, part.weights);
  for (MorphTarget& morph : part.morphs) {
    refine(*r, morph);
    for (std::size_t i = 0; i < (scale.empty() ? 0 : morph.normals.size()); ++i)
      morph.normals[i] = morph.normals[i] * scale[morph.vertices.empty() ? i : morph.vertices[i]];
  }
  if (!part.tangents.empty()) {
    part.tangents.clear();
    if (warnings != nullptr)
      warnings->push_back("part '" + part.name +
                          "': tangents were dropped; programs derive them from normals and texture coordinates");
  }
  return {};
}

}  // namespace supple
