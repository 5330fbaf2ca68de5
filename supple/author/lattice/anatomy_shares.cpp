#include "supple/author/lattice/anatomy_shares.h"

#include <algorithm>
#include <map>

#include "supple/geometry/bvh.h"
#include "supple/geometry/winding_field.h"

namespace supple::lattice {
namespace {

constexpr int samples = 4;  // along each edge of a cell that a surface runs through

/// Closed surfaces, asked whether points are inside.
class Solid {
 public:
  explicit Solid(const Mesh& mesh) : winding_(mesh.positions, mesh.triangles), tree_(mesh.positions, mesh.triangles) {}

  bool crosses(Vec3f low, Vec3f high) const {
    bool any = false;
    tree_.each_in_box(low, high, [&](std::uint32_t) { any = true; });
    return any;
  }
  bool inside(Vec3f p) const { return std::abs(winding_.at(p)) > 0.5; }
  std::uint32_t nearest_triangle(Vec3f p) const { return tree_.closest(p).triangle; }

 private:
  WindingField winding_;
  Bvh tree_;
};

/// Calls visit(point, place in the cell) for the points of a cell that are inside a solid.
template <class Visit>
void each_inside(const Solid& solid, const Lattice& lattice, const Cell& cell, Visit&& visit) {
  const auto at = [&](Vec3f place) {
    return Vec3f(lattice.origin + Vec3d(lattice.nodes[cell[0]] + place) * lattice.edge);
  };
  const bool mixed = solid.crosses(at({0, 0, 0}), at({1, 1, 1}));
  if (!mixed && !solid.inside(at({.5f, .5f, .5f}))) return;
  for (int i = 0; i < samples * samples * samples; ++i) {
    const auto along = [&](int step) { return (static_cast<float>(step) + 0.5f) / samples; };
    const Vec3f place{along(i % samples), along(i / samples % samples), along(i / samples / samples)};
    if (const Vec3f point = at(place); !mixed || solid.inside(point)) visit(point, place);
  }
}

float shape(Vec3f place, std::size_t corner) {
  return ((corner & 4) != 0 ? place.x : 1 - place.x) * ((corner & 2) != 0 ? place.y : 1 - place.y) *
         ((corner & 1) != 0 ? place.z : 1 - place.z);
}

bool belongs(const Cell& cell, std::uint32_t joint, const SkinWeights& weights, std::span<const JointIndex> parents) {
  return std::any_of(cell.begin(), cell.end(), [&](std::uint32_t node) {
    const std::span<const Influence> influences = weights.of(node);
    const std::uint32_t most = influences[0].joint;
    return parents[joint] == most || parents[most] == joint ||
           std::any_of(influences.begin(), influences.end(), [&](const Influence& i) { return i.joint == joint; });
  });
}

}  // namespace

AnatomyShares anatomy_shares(const Lattice& lattice, const SkinWeights& node_weights, const Surface& surface,
                             const Anatomy& anatomy) {
  AnatomyShares shares;
  shares.bone.resize(lattice.nodes.size());
  if (!anatomy.bones.triangles.empty()) {
    const Solid bones(anatomy.bones);
    // All points of a cell together weigh an eighth of their number at each corner.
    constexpr float of_cell = 8.0f / (samples * samples * samples);
    std::vector<std::map<std::uint32_t, float>> sums(lattice.nodes.size());
    std::vector<float> cells(lattice.nodes.size());
    for (const Cell& cell : lattice.cells) {
      for (const std::uint32_t n : cell) ++cells[n];
      each_inside(bones, lattice, cell, [&](Vec3f point, Vec3f place) {
        const std::uint32_t joint = anatomy.joint_of[bones.nearest_triangle(point)];
        if (!belongs(cell, joint, node_weights, surface.parents)) return;
        for (std::size_t c = 0; c < 8; ++c) sums[cell[c]][joint] += of_cell * shape(place, c);
      });
    }
    for (std::size_t n = 0; n < sums.size(); ++n)
      for (const auto& [joint, sum] : sums[n]) shares.bone[n].push_back({joint, std::min(1.0f, sum / cells[n])});
  }
  if (!anatomy.muscles.triangles.empty()) {
    const Solid muscles(anatomy.muscles);
    shares.muscle.resize(lattice.cells.size());
    for (std::size_t k = 0; k < lattice.cells.size(); ++k)
      each_inside(muscles, lattice, lattice.cells[k],
                  [&](Vec3f, Vec3f) { shares.muscle[k] += 1.0f / (samples * samples * samples); });
  }
  return shares;
}

}  // namespace supple::lattice
