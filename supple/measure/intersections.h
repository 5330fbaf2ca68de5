// Where a skin cuts through itself: triangles that cross, exactly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "supple/geometry/mesh.h"

namespace supple::measure {

/// Two triangles of a mesh that pass through each other (see triangles_cross()).
struct Crossing {
  std::uint32_t first = 0, second = 0;  // triangles, the smaller number first
  Vec3d position{};                     // metres: the middle of where they cross
  double length = 0;                    // metres: of the line along which they cross
  bool at_rest = false;                 // the skin at rest has it, too
};

struct SelfIntersections {
  std::size_t triangles = 0;  // that cross at least one other
  std::size_t pairs = 0;
  std::size_t new_triangles = 0, new_pairs = 0;  // those of them that do not cross at rest
  /// Metres of the lines along which skin cuts through skin: unlike the counts it hardly depends on how fine the mesh
  /// is.
  double length = 0;
  Crossing worst;                   // the longest; of several the first; a new one where there are any
  std::vector<Crossing> crossings;  // by triangles; as many as were asked for

  bool none() const { return pairs == 0; }
};

/// For many poses of one skin. Immutable; the same result with any number of threads.
class SelfIntersectionTest {
 public:
  /// `rest` need not be closed. Vertices that files split along seams, within seam_tolerance() at rest, are one point
  /// as long as a pose keeps them together to rounding; lips that open are not.
  static Result<SelfIntersectionTest> make(const Mesh& rest);

  /// `posed`: #V by 3, metres. At most `listed` crossings are kept in the result; all are counted.
  Result<SelfIntersections> run(std::span<const Vec3f> posed, std::size_t listed = 100) const;

 private:
  using Pair = std::array<std::uint32_t, 2>;
  std::vector<Vec3f> joined(std::span<const Vec3f> posed) const;
  std::vector<Pair> pairs(std::span<const Vec3f> positions) const;

  Mesh rest_;
  std::vector<std::uint32_t> same_before_;  // #V: the last vertex before it at its place at rest, or itself
  std::vector<Pair> at_rest_;               // sorted
};

/// The same for a single pose.
Result<SelfIntersections> self_intersections(const Mesh& rest, std::span<const Vec3f> posed, std::size_t listed = 100);

}  // namespace supple::measure
