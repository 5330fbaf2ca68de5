#include "supple/imaging/lattice.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>

namespace supple::imaging {

Result<void> set_size(Volume& volume, std::span<const std::size_t> sizes) {
  std::string listed;
  for (const std::size_t n : sizes) listed += (listed.empty() ? "" : " x ") + std::to_string(n);
  std::size_t dimensions = sizes.size();
  while (dimensions > 3 && sizes[dimensions - 1] == 1) --dimensions;
  if (dimensions > 3) {
    return Error{volume.name, "has " + std::to_string(dimensions) + " dimensions (" + listed + "), not 3",
                 "store one moment or channel by itself"};
  }
  std::size_t count = 1;
  for (std::size_t axis = 0; axis < dimensions; ++axis) {
    const std::size_t n = sizes[axis];
    if (n == 0) return Error{volume.name, "has no samples (" + listed + ")", "correct the sizes in its header"};
    if (n > std::numeric_limits<std::uint32_t>::max() || count > std::numeric_limits<std::int64_t>::max() / 16 / n)
      return Error{volume.name, "has sizes that cannot be (" + listed + ")", "correct the sizes in its header"};
    count *= n;
    volume.size[axis] = n;
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (axis >= dimensions || volume.size[axis] == 1)
      return Error{volume.name, "is a single slice (" + listed + ")", "give a volume of several slices"};
  }
  return {};
}

Result<void> set_axes(Volume& volume, const Affined& millimetres) {
  const Mat3d& m = millimetres.linear;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!is_finite(m[axis]) || !(length(m[axis]) > 0))
      return Error{volume.name, "does not say how far samples lie apart along axis " + std::to_string(axis + 1),
                   "correct the spacing in its header"};
  }
  if (!is_finite(millimetres.translation))
    return Error{volume.name, "has an origin that is not finite", "correct its header"};
  constexpr double tolerance = 1e-3;  // of a cosine, 0.06 degrees: what headers of few digits leave
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t b = (a + 1) % 3;
    const double cosine = dot(normalized(m[a]), normalized(m[b]));
    if (std::abs(cosine) <= tolerance) continue;
    char angle[32];
    std::snprintf(angle, sizeof angle, "%.2f", std::acos(std::min(std::abs(cosine), 1.0)) * 180 / std::numbers::pi);
    return Error{volume.name,
                 "has axes that are not at right angles: " + std::string(angle) + " degrees between " +
                     std::to_string(a + 1) + " and " + std::to_string(b + 1),
                 "resample it on a lattice with right angles"};
  }
  constexpr double least = 0.7, most = 1e5;  // millimetres: a grain of sand, a street; a hand in micrometres is longer
  double extent = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    extent = std::max(extent, length(m[axis]) * static_cast<double>(volume.size[axis]));
  if (extent < least || extent > most) {
    char size[32];
    std::snprintf(size, sizeof size, "%.3g", extent);
    return Error{volume.name, "is " + std::string(size) + " mm long: its lengths are in another unit than it says",
                 "state the unit in its header (NIfTI xyzt_units, NRRD space units), or store it in millimetres"};
  }
  constexpr double metres = 1e-3;
  volume.to_world = {m * metres, millimetres.translation * metres};
  return {};
}

Affined turned_to_lps(const Affined& axes, bool x_is_right, bool y_is_front) {
  const Affined turn{Mat3d::diagonal({x_is_right ? -1.0 : 1.0, y_is_front ? -1.0 : 1.0, 1.0}), {}};
  return turn * axes;
}

}  // namespace supple::imaging
