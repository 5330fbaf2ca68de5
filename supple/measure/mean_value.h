// Mean value coordinates of closed triangle meshes (Ju, Schaefer and Warren 2005): they carry the motion of a skin to
// the points inside it, so that the inside can be measured for any deformer from its rest and posed skins alone.
#pragma once

#include <span>
#include <vector>

#include "supple/geometry/mesh.h"
#include "supple/measure/jacobian.h"

namespace supple::measure {

/// For many points of one mesh. Immutable; points may be asked for on any number of threads.
class MeanValueCoordinates {
 public:
  /// The mesh must be closed once seams are welded; triangles without area carry no weight.
  static Result<MeanValueCoordinates> make(const Mesh& mesh);

  /// #V weights of the vertices for the point `p` (metres); of vertices at one position only the first has a weight.
  /// They add up to 1 and reproduce p, and so every affine function, to rounding; they are smooth inside, and
  /// interpolate linearly on the surface. Where the mesh is not convex some are negative. Outside the mesh they exist
  /// too, except where their sum vanishes: there they are not finite.
  std::vector<double> weights(Vec3d p) const;

 private:
  std::vector<Vec3d> positions_;     // #V
  std::vector<Triangle> triangles_;  // welded
};

/// The motion from the closed skin `rest` to `posed` (#V by 3, metres), continued to the inside. It is one smooth guess
/// of what the inside does, linear where the skin's motion is linear; a deformer that knows its own map of space should
/// be measured by that.
Result<PointMap> mean_value_motion(const Mesh& rest, std::span<const Vec3f> posed);

/// det J of mean_value_motion at about `count` grid points inside `rest`.
Result<JacobianSummary> skin_jacobian(const Mesh& rest, std::span<const Vec3f> posed, std::size_t count = 1000);

}  // namespace supple::measure
