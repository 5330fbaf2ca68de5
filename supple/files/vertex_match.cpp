#include "supple/files/vertex_match.h"

#include "supple/geometry/point_grid.h"
#include "supple/geometry/topology.h"

namespace supple {

Result<std::vector<std::uint32_t>> match_vertices(std::span<const Vec3f> rest, std::span<const Vec3f> shown,
                                                  std::span<const Vec3f> other) {
  const Weld seams = weld(rest);
  if (seams.points() != other.size())
    return Error{"",
                 "has " + std::to_string(other.size()) + " vertices; the rig has " + std::to_string(rest.size()) +
                     ", at " + std::to_string(seams.points()) + " different places",
                 "it must show the same surface"};
  for (std::size_t v = 0; v < other.size(); ++v)
    if (!is_finite(other[v])) return Error{"", "has a vertex " + std::to_string(v) + " that is not a number", ""};
  const PointGrid grid(other);
  std::vector<std::uint32_t> of_point(seams.points()), taken_by(other.size(), static_cast<std::uint32_t>(rest.size()));
  for (std::uint32_t p = 0; p < seams.points(); ++p) {
    const std::uint32_t v = seams.to_vertex[p], nearest = grid.nearest(shown[v]);
    if (taken_by[nearest] != rest.size())
      return Error{"",
                   "has vertices in another order, and which is which cannot be told: its vertex " +
                       std::to_string(nearest) + " lies nearest to vertices " + std::to_string(taken_by[nearest]) +
                       " and " + std::to_string(v) + " of the rig",
                   "name the surface at rest, in the order of the file, with --rest"};
    taken_by[nearest] = v;
    of_point[p] = nearest;
  }
  std::vector<std::uint32_t> result;
  for (std::size_t v = 0; v < rest.size(); ++v) result.push_back(of_point[seams.to_point[v]]);
  return result;
}

}  // namespace supple
