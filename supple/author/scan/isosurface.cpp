// Flying edges on bits: classify every sample once, count per row, sum up, and let every row write to its own place.
#include <cmath>

#include "supple/author/scan/isosurface_rows.h"
#include "supple/author/scan/surface.h"
#include "supple/base/parallel.h"
#include "supple/geometry/isosurface_cases.h"

namespace supple::scan {
namespace {

using supple::detail::cube_cases;
using supple::detail::CubeCase;

// A vertex stays this far, in units of its edge, from the edge's ends: samples that equal the iso-value are common
// among integers, and the vertices around one would otherwise coincide.
constexpr double end_clearance = 1e-3;
// Where nothing is known beyond the border the cap lies half-way to the sample that is not there: on the voxels' faces.
constexpr double cap_place = 0.5;
constexpr std::size_t slices_per_chunk = 2;

struct RowStart {
  std::uint32_t along = 0, across = 0, up = 0;  // vertex numbers: of edges along x, then y, then z
  std::uint32_t triangle = 0;
};

class FlyingEdges {
 public:
  FlyingEdges(const Volume& volume, double iso_in_samples, std::int16_t threshold, bool close)
      : volume_(volume), iso_(iso_in_samples), inside_(volume, threshold, close), rows_(inside_.size()[1]) {
    const Mat3d& m = volume.to_world.linear;
    for (unsigned axis = 0; axis < 3; ++axis) outward_[axis] = m[axis] * (-1 / squared_length(m[axis]));
    mirrored_ = determinant(m) < 0;
  }

  Mesh run() {
    const std::size_t slices = inside_.size()[2];
    starts_.resize(rows_ * slices);  // how many of each kind at first
    for_each_slice([&](std::size_t k) {
      std::vector<std::uint64_t> bits;
      for (std::size_t j = 0; j < rows_; ++j) starts_[j + rows_ * k] = count_row(j, k, bits);
    });
    std::uint32_t vertices = 0, triangles = 0;
    for (RowStart& row : starts_) {
      const RowStart n = row;
      row = {vertices, vertices + n.along, vertices + n.along + n.across, triangles};
      vertices += n.along + n.across + n.up;
      triangles += n.triangle;
    }
    Mesh mesh;
    mesh.positions.resize(vertices);
    mesh.normals.resize(vertices);
    mesh.triangles.resize(triangles);
    for_each_slice([&](std::size_t k) {
      CellRow cells;
      std::vector<std::uint64_t> bits;
      for (std::size_t j = 0; j < rows_; ++j) {
        write_vertices(j, k, bits, mesh);
        write_triangles(j, k, cells, mesh.triangles.data() + starts_[j + rows_ * k].triangle);
      }
    });
    return mesh;
  }

 private:
  template <class Body>
  void for_each_slice(Body&& body) const {
    parallel_for(inside_.size()[2], slices_per_chunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) body(k);
    });
  }

  bool last_row(std::size_t j) const { return j + 1 == rows_; }
  bool last_slice(std::size_t k) const { return k + 1 == inside_.size()[2]; }

  // Cells between rows j, j + 1 and slices k, k + 1 whose corners are not all alike.
  void crossed_cells(std::size_t j, std::size_t k, std::vector<std::uint64_t>& cells) const {
    const BitRow a = inside_.row(j, k), b = inside_.row(j + 1, k);
    const BitRow c = inside_.row(j, k + 1), d = inside_.row(j + 1, k + 1);
    cells.resize(a.size());
    std::uint64_t next = differ(a, b, c, d, 0);
    for (std::size_t w = 0; w < a.size(); ++w) {
      const std::uint64_t here = next;
      next = w + 1 < a.size() ? differ(a, b, c, d, w + 1) : 0;
      cells[w] = (here | here >> 1 | next << 63 | (a[w] ^ shifted_word(a, w))) & inside_.edge_places(w);
    }
  }
  static std::uint64_t differ(BitRow a, BitRow b, BitRow c, BitRow d, std::size_t w) {
    return (a[w] ^ b[w]) | (a[w] ^ c[w]) | (a[w] ^ d[w]);
  }

  // Corner bits of the cell at place p: x = 1, y = 2, z = 4.
  const CubeCase& cube(std::size_t p, std::size_t j, std::size_t k) const {
    unsigned corners = 0;
    for (unsigned row = 0; row < 4; ++row) {
      const BitRow bits = inside_.row(j + (row & 1u), k + (row >> 1));
      const std::uint64_t pair = bits[p / 64] >> p % 64 | (p % 64 == 63 ? bits[p / 64 + 1] << 1 : 0);
      corners |= static_cast<unsigned>(pair & 3u) << 2 * row;
    }
    return cube_cases[corners];
  }

  static std::uint32_t ones(std::span<const std::uint64_t> bits) {
    int sum = 0;
    for (const std::uint64_t word : bits) sum += std::popcount(word);
    return static_cast<std::uint32_t>(sum);
  }

  RowStart count_row(std::size_t j, std::size_t k, std::vector<std::uint64_t>& bits) const {
    RowStart n;
    const BitRow row = inside_.row(j, k);
    edges_along(inside_, row, bits);
    n.along = ones(bits);
    if (!last_row(j)) {
      edges_between(row, inside_.row(j + 1, k), bits);
      n.across = ones(bits);
    }
    if (!last_slice(k)) {
      edges_between(row, inside_.row(j, k + 1), bits);
      n.up = ones(bits);
    }
    if (!last_row(j) && !last_slice(k)) {
      crossed_cells(j, k, bits);
      for_each_bit(bits, [&](std::size_t p) { n.triangle += cube(p, j, k).count; });
    }
    return n;
  }

  void write_vertices(std::size_t j, std::size_t k, std::vector<std::uint64_t>& bits, Mesh& mesh) const {
    std::uint32_t vertex = starts_[j + rows_ * k].along;
    const auto write = [&](unsigned axis) {
      for_each_bit(bits, [&](std::size_t p) { write_vertex({p, j, k}, axis, vertex++, mesh); });
    };
    const BitRow row = inside_.row(j, k);
    edges_along(inside_, row, bits);
    write(0);
    if (!last_row(j)) {
      edges_between(row, inside_.row(j + 1, k), bits);
      write(1);
    }
    if (!last_slice(k)) {
      edges_between(row, inside_.row(j, k + 1), bits);
      write(2);
    }
  }

  void write_vertex(std::array<std::size_t, 3> place, unsigned axis, std::uint32_t vertex, Mesh& mesh) const {
    std::array<std::size_t, 3> sample{};  // where the edge starts; not used as such where that is in the margin
    for (std::size_t i = 0; i < 3; ++i) sample[i] = place[i] - inside_.margin();
    Vec3d at{};
    for (std::size_t i = 0; i < 3; ++i) at[i] = static_cast<double>(place[i]) - static_cast<double>(inside_.margin());
    Vec3d normal{};
    const bool starts_outside = inside_.margin() == 1 && place[axis] == 0;
    const bool ends_outside = inside_.margin() == 1 && place[axis] == volume_.size[axis];
    if (starts_outside || ends_outside) {
      at[axis] += cap_place;
      normal = outward_[axis] * (starts_outside ? 1 : -1);
    } else {
      std::array<std::size_t, 3> end = sample;
      ++end[axis];
      const double a = volume_.samples[volume_.place(sample[0], sample[1], sample[2])] - iso_;
      const double b = volume_.samples[volume_.place(end[0], end[1], end[2])] - iso_;
      const double t = std::clamp(a / (a - b), end_clearance, 1 - end_clearance);
      at[axis] += t;
      const Vec3d gradient = lerp(gradient_at(sample), gradient_at(end), t);
      for (unsigned i = 0; i < 3; ++i) normal += outward_[i] * gradient[i];
      // Noise can cancel the gradient; the edge itself still knows which end is low.
      if (!(squared_length(normal) > 0)) normal = outward_[axis] * (b - a);
    }
    mesh.positions[vertex] = Vec3f(volume_.to_world.point(at));
    mesh.normals[vertex] = Vec3f(normalized(normal));
  }

  // Differences of samples across two steps, across one at the border.
  Vec3d gradient_at(const std::array<std::size_t, 3>& sample) const {
    Vec3d gradient{};
    const std::size_t at = volume_.place(sample[0], sample[1], sample[2]);
    const std::size_t stride[3] = {1, volume_.size[0], volume_.size[0] * volume_.size[1]};
    for (unsigned axis = 0; axis < 3; ++axis) {
      const bool before = sample[axis] > 0, after = sample[axis] + 1 < volume_.size[axis];
      const int difference =
          volume_.samples[after ? at + stride[axis] : at] - volume_.samples[before ? at - stride[axis] : at];
      gradient[axis] = before && after ? 0.5 * difference : difference;
    }
    return gradient;
  }

  // The crossed edges that the cells between two rows and two slices use. along: 4 rows; across: 2; up: 2.
  struct CellRow {
    std::vector<std::uint64_t> cells;
    std::array<EdgeRow, 4> along{};
    std::array<EdgeRow, 2> across{}, up{};
  };

  void write_triangles(std::size_t j, std::size_t k, CellRow& row, Triangle* out) const {
    if (last_row(j) || last_slice(k)) return;
    crossed_cells(j, k, row.cells);
    if (ones(row.cells) == 0) return;
    for (std::size_t n = 0; n < 4; ++n) {
      const std::size_t jn = j + (n & 1u), kn = k + (n >> 1);
      edges_along(inside_, inside_.row(jn, kn), row.along[n].bits);
      row.along[n].number(starts_[jn + rows_ * kn].along);
    }
    for (std::size_t n = 0; n < 2; ++n) {
      edges_between(inside_.row(j, k + n), inside_.row(j + 1, k + n), row.across[n].bits);
      row.across[n].number(starts_[j + rows_ * (k + n)].across);
      edges_between(inside_.row(j + n, k), inside_.row(j + n, k + 1), row.up[n].bits);
      row.up[n].number(starts_[j + n + rows_ * k].up);
    }
    for_each_bit(row.cells, [&](std::size_t p) {
      const CubeCase& c = cube(p, j, k);
      for (std::size_t t = 0; t < c.count; ++t, ++out) {
        for (std::size_t corner = 0; corner < 3; ++corner) {
          const unsigned edge = c.triangles[t][corner], start = supple::detail::cube_edge_start(edge);
          const unsigned axis = supple::detail::cube_edge_axis(edge);
          const EdgeRow& edges = axis == 0   ? row.along[start >> 1]
                                 : axis == 1 ? row.across[start >> 2]
                                             : row.up[start >> 1 & 1u];
          (*out)[corner] = edges.vertex(p + (start & 1u));
        }
        if (mirrored_) std::swap((*out)[1], (*out)[2]);
      }
    });
  }

  const Volume& volume_;
  double iso_;  // in units of the samples
  InsideBits inside_;
  std::size_t rows_;
  std::vector<RowStart> starts_;  // #rows * slices
  Mat3d outward_;                 // world direction in which the value falls, of a unit gradient along each axis
  bool mirrored_ = false;
};

}  // namespace

Mesh isosurface(const Volume& volume, const SurfaceOptions& options) {
  const std::size_t least = options.close_at_border ? 1 : 2;
  if (volume.size[0] < least || volume.size[1] < least || volume.size[2] < least) return {};
  const double iso = (options.iso - volume.intercept) / volume.slope;
  const double threshold = std::ceil(iso);
  if (!(threshold <= 32767)) return {};
  return FlyingEdges(volume, iso, static_cast<std::int16_t>(std::max(threshold, -32768.0)), options.close_at_border)
      .run();
}

std::vector<bool> near_border(std::span<const Vec3f> positions, const Volume& volume, double samples) {
  std::vector<bool> near(positions.size());
  const Affined to_sample = inverse(volume.to_world);
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const Vec3d p = to_sample.point(Vec3d(positions[v]));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double last = static_cast<double>(volume.size[axis]) - 1;
      if (p[axis] <= samples || p[axis] >= last - samples) near[v] = true;
    }
  }
  return near;
}

}  // namespace supple::scan
