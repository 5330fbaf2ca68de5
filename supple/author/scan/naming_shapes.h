// What a piece of bone looks like to the naming: a thick arrow between two ends, by itself or with its neighbours.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "supple/author/scan/parts.h"
#include "supple/base/mat.h"

namespace supple::scan {

struct PieceShape {
  Vec3d centre{};               // of its surface, metres
  Vec3d axis{};                 // longest principal direction, unit, of either sign
  std::array<Vec3d, 2> ends{};  // where the axis leaves it: [1] lies along `axis`
  double length = 0;            // between the ends
  double volume = 0;            // cubic metres
  std::vector<Vec3f> points;    // some 300 of its surface, evenly taken from its vertices
};
PieceShape shape_of(const BonePart& part);

/// Several pieces as one; surfaces lie side by side.
BonePart put_together(std::span<const BonePart> parts, std::span<const std::uint32_t> pieces);
/// Whether the surfaces come within `distance` (metres) of each other.
bool are_close(const BonePart& a, const BonePart& b, double distance);

/// Which column each row gets so that the sum of costs is least, each column once (the Hungarian method). `costs` is
/// #rows by #columns, rows first; #rows <= #columns.
std::vector<std::size_t> assign(std::span<const double> costs, std::size_t rows, std::size_t columns);

}  // namespace supple::scan
