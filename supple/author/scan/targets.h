// Where each vertex of a moving skin belongs on a scanned one, and which of these places can be believed.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "supple/geometry/bvh.h"

namespace supple::scan {

/// A place on a surface.
struct SurfacePoint {
  Vec3d point{}, normal{};  // the normal is smooth across triangles, unit
  double distance = 0;      // metres from where it was asked for
  bool at_border = false;   // in a triangle at an open edge, or at the border of the scan: the surface goes on unseen
};

/// A surface that can be asked for the nearest point that faces the same way: the nearest of all may lie on the other
/// side of a fold, or on the next finger.
class FacingSurface {
 public:
  /// `border`: #V flags or none. Normals are taken from the mesh where it has them. The mesh must outlive it.
  FacingSurface(const Mesh& mesh, const std::vector<bool>& border = {});

  std::optional<SurfacePoint> nearest(Vec3d from, Vec3d normal, double within, double least_cosine) const;
  /// Metres to the nearest point, whichever way it faces.
  double distance(Vec3d from) const { return double{bvh_.closest(Vec3f(from)).distance}; }

 private:
  SurfacePoint at(const ClosestPoint& closest) const;

  const Mesh* mesh_;
  std::vector<Vec3f> normals_;   // #V
  std::vector<char> at_border_;  // #T
  Bvh bvh_;
};

struct TargetLimits {
  double reach = 0.010;       // metres
  double least_cosine = 0.5;  // between normals of vertex and target
  double slack = 0.001;       // metres that there and back may differ by: about an edge
};

/// For each vertex of `skin` (with normals) its target, or none: nothing near that faces the same way, at the border of
/// the scan, or the way back from there leads to another part of the skin. `excluded`: #V flags or none.
std::vector<std::optional<SurfacePoint>> find_targets(const Mesh& skin, const FacingSurface& scan,
                                                      const TargetLimits& limits,
                                                      const std::vector<bool>& excluded = {});

}  // namespace supple::scan
