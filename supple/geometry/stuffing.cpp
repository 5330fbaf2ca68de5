// Isosurface stuffing in four steps: sample the lattice, find where its edges meet the surface, move lattice points
// that are too near onto it, cut the elements that still cross it.
#include "supple/geometry/stuffing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "supple/base/parallel.h"
#include "supple/geometry/bcc_lattice.h"
#include "supple/geometry/stuffing_cuts.h"

namespace supple {
namespace {

using detail::BccLattice;
using detail::BccPoint;

// Twelve for each cube of the lattice, and on a hand or a head about one more where elements are cut at the surface.
constexpr double elements_per_cube = 13;
constexpr std::size_t most_points = 64'000'000;  // of the lattice: about 0.8 GB

/// A few digits, as messages need them.
std::string text(double value) {
  std::ostringstream stream;
  stream.precision(3);
  stream << value;
  return stream.str();
}

double box_volume(const Box& box) {
  const Vec3d size = Vec3d(box.high) - Vec3d(box.low);
  return size.x * size.y * size.z;
}

Result<BccLattice> lattice_around(const StuffingOptions& options) {
  const double h = options.element_size;
  const Vec3d size = Vec3d(options.box.high) - Vec3d(options.box.low);
  if (!(h > 0) || !std::isfinite(h)) return Error{"element size", text(h) + " m is not a size", "give metres above 0"};
  if (!is_finite(size) || !(size.x > 0) || !(size.y > 0) || !(size.z > 0)) {
    return Error{"box", "has no inside", "give the bounds of the surface"};
  }
  const double volume = options.volume > 0 ? options.volume : box_volume(options.box);
  const double estimate = elements_per_cube * volume / (h * h * h);
  if (estimate > static_cast<double>(options.max_elements)) {
    return Error{"element size " + text(h * 1e3) + " mm",
                 "would give about " + text(estimate) + " elements, more than " + std::to_string(options.max_elements),
                 "choose at least " + text(1e3 * smallest_element_size(volume, options.max_elements)) +
                     " mm, or allow more elements (--max-elements)"};
  }
  // One cube to spare on each side, so that no lattice point of the border lies inside.
  const Vec3d cubes = size / h + Vec3d{3, 3, 3};
  const double points = 2 * std::ceil(cubes.x) * std::ceil(cubes.y) * std::ceil(cubes.z);
  if (points > static_cast<double>(most_points)) {
    return Error{"element size " + text(h * 1e3) + " mm",
                 "needs a lattice of " + text(points) + " points, more than " + std::to_string(most_points),
                 "choose at least " + text(1e3 * std::cbrt(2.1 * box_volume(options.box) / most_points)) +
                     " mm or a tighter box"};
  }
  BccLattice lattice;
  lattice.constant = h;
  for (std::size_t axis = 0; axis < 3; ++axis) lattice.size[axis] = static_cast<std::size_t>(std::ceil(cubes[axis]));
  // The cubes' corners lie symmetrically in the box, so that symmetric shapes get symmetric lattices.
  const Vec3d middle = (Vec3d(options.box.low) + Vec3d(options.box.high)) * 0.5;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    lattice.origin[axis] = middle[axis] - 0.5 * h * (static_cast<double>(lattice.size[axis]) - 1);
  }
  return lattice;
}

/// Samples the cubes [low, high): where the middle is farther from the surface than any point of them or the far end of
/// an edge that leaves them can be, the sign is enough.
void sample_cubes(const Field& field, const BccLattice& lattice, double lipschitz, std::array<std::size_t, 3> low,
                  std::array<std::size_t, 3> high, std::vector<double>& values) {
  const auto doubled = [](const std::array<std::size_t, 3>& cube, std::int32_t offset) {
    BccPoint p;
    for (std::size_t axis = 0; axis < 3; ++axis) p.at[axis] = 2 * static_cast<std::int32_t>(cube[axis]) + offset;
    return p;
  };
  const auto fill = [&](auto&& value_at) {
    for (std::size_t k = low[2]; k < high[2]; ++k) {
      for (std::size_t j = low[1]; j < high[1]; ++j) {
        for (std::size_t i = low[0]; i < high[0]; ++i) {
          for (const std::int32_t offset : {0, 1}) {
            const BccPoint p = doubled({i, j, k}, offset);
            values[lattice.number(p)] = value_at(p);
          }
        }
      }
    }
  };
  const Vec3d a = lattice.position(doubled(low, 0)), b = lattice.position(doubled(high, -1));
  const double middle = field((a + b) * 0.5);
  if (std::abs(middle) > lipschitz * (0.5 * length(b - a) + lattice.constant)) {
    return fill([&](BccPoint) { return middle; });
  }
  const std::size_t longest = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  if (longest <= 2) return fill([&](BccPoint p) { return field(lattice.position(p)); });
  std::array<std::size_t, 3> half{};
  for (std::size_t axis = 0; axis < 3; ++axis) half[axis] = (low[axis] + high[axis] + 1) / 2;
  for (unsigned octant = 0; octant < 8; ++octant) {
    std::array<std::size_t, 3> from = low, to = high;
    for (unsigned axis = 0; axis < 3; ++axis) ((octant >> axis) & 1u ? from : to)[axis] = half[axis];
    if (from[0] < to[0] && from[1] < to[1] && from[2] < to[2]) {
      sample_cubes(field, lattice, lipschitz, from, to, values);
    }
  }
}

std::vector<double> sample(const Field& field, const BccLattice& lattice, double lipschitz) {
  std::vector<double> values(lattice.points());
  constexpr std::size_t block = 8;
  std::array<std::size_t, 3> blocks{};
  for (std::size_t axis = 0; axis < 3; ++axis) blocks[axis] = (lattice.size[axis] + block - 1) / block;
  parallel_for(blocks[0] * blocks[1] * blocks[2], 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      const std::array<std::size_t, 3> low = {block * (n % blocks[0]), block * (n / blocks[0] % blocks[1]),
                                              block * (n / (blocks[0] * blocks[1]))};
      std::array<std::size_t, 3> high{};
      for (std::size_t axis = 0; axis < 3; ++axis) high[axis] = std::min(low[axis] + block, lattice.size[axis]);
      sample_cubes(field, lattice, lipschitz, low, high, values);
    }
  });
  return values;
}

Result<void> check_samples(const BccLattice& lattice, std::span<const double> values) {
  bool any_inside = false;
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (values[n] >= 0) continue;
    any_inside = true;
    const BccPoint p = lattice.point(n);
    bool at_border = false;  // some neighbour is missing
    for (std::size_t axis = 0; axis < 3; ++axis) {
      at_border = at_border || p.at[axis] < 2 || p.at[axis] + 2 >= 2 * static_cast<std::int32_t>(lattice.size[axis]);
    }
    if (!std::isnan(values[n]) && !at_border) continue;
    const Vec3d x = lattice.position(p);
    const std::string item = "field at (" + text(x.x) + ", " + text(x.y) + ", " + text(x.z) + ")";
    if (std::isnan(values[n])) return Error{item, "is not a number", ""};
    return Error{item, "is inside although it lies beyond the box", "give a box that contains the surface"};
  }
  if (!any_inside) {
    return Error{"volume", "has no lattice point inside",
                 "choose smaller elements, or check that the surface is closed and its triangles face outward"};
  }
  return {};
}

/// Without the lattice points that no element uses.
TetMesh compacted(const detail::CutLattice& cut, std::vector<std::uint32_t> elements) {
  constexpr std::uint32_t unused = no_element;
  TetMesh mesh;
  std::vector<std::uint32_t> number(cut.node_count(), unused);
  for (const std::uint32_t n : elements) number[n] = 0;
  for (std::uint32_t n = 0; n < number.size(); ++n) {
    if (number[n] == unused) continue;
    number[n] = static_cast<std::uint32_t>(mesh.nodes.size());
    mesh.nodes.push_back(cut.position(n));
  }
  for (std::uint32_t& n : elements) n = number[n];
  mesh.elements = std::move(elements);
  return mesh;
}

}  // namespace

std::size_t estimate_elements(double volume, double element_size) {
  const double estimate = elements_per_cube * volume / (element_size * element_size * element_size);
  constexpr std::size_t many = std::size_t{1} << (std::numeric_limits<std::size_t>::digits - 4);
  const double limit = std::min(1e18, static_cast<double>(many));
  return estimate < limit ? static_cast<std::size_t>(std::max(estimate, 0.0)) : many;
}

double smallest_element_size(double volume, std::size_t max_elements) {
  const double exact =
      std::cbrt(elements_per_cube * volume / static_cast<double>(std::max<std::size_t>(max_elements, 1)));
  if (!(exact > 0)) return 0;
  const double unit = std::pow(10.0, std::floor(std::log10(exact)) - 2);  // rounded up to three digits
  return std::ceil(exact / unit) * unit;
}

Result<TetMesh> stuff(const Field& field, const StuffingOptions& options, const Progress& progress) {
  const Error stopped{"volume", "stopped on request", ""};
  const Result<BccLattice> lattice = lattice_around(options);
  if (!lattice) return lattice.error();
  if (!report(progress, "sampling", 0)) return stopped;
  const std::vector<double> values = sample(field, *lattice, options.lipschitz);
  if (Result<void> fine = check_samples(*lattice, values); !fine) return fine.error();
  if (!report(progress, "finding the surface", 0.6)) return stopped;
  const detail::CutLattice cut(field, *lattice, values);
  if (!report(progress, "cutting", 0.9)) return stopped;
  std::vector<std::uint32_t> elements = cut.elements();
  if (elements.empty()) {
    return Error{"volume", "is thinner than the element size everywhere", "choose smaller elements"};
  }
  if (elements.size() / 4 > options.max_elements) {
    return Error{
        "element size " + text(options.element_size * 1e3) + " mm",
        "gives " + std::to_string(elements.size() / 4) + " elements, more than " + std::to_string(options.max_elements),
        "choose larger elements or allow more"};
  }
  TetMesh mesh = compacted(cut, std::move(elements));
  report(progress, "done", 1);
  return mesh;
}

}  // namespace supple
