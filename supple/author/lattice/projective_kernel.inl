// Body of the kernels. The including file names the instruction set (SUPPLE_KERNEL) and how many rows of the factor are
// worked on together (SUPPLE_KERNEL_ROWS), which changes no result.
#include "supple/author/lattice/projective_kernel.h"

// Vectors wider than the processor's are passed between functions that are all inlined: how a call would pass them does
// not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace supple::lattice {
namespace SUPPLE_KERNEL {
namespace {

using Vector = float __attribute__((vector_size(sizeof(Lanes)), may_alias));
#define SUPPLE_INLINE inline __attribute__((always_inline))

SUPPLE_INLINE Vector& vector_of(Lanes& l) { return reinterpret_cast<Vector&>(l); }
SUPPLE_INLINE const Vector& vector_of(const Lanes& l) { return reinterpret_cast<const Vector&>(l); }

struct Vector3 {
  Vector x, y, z;
};
/// Columns.
struct Matrix {
  Vector3 c[3];
};

SUPPLE_INLINE void load(const Lanes* from, Vector3& to) {
  to.x = vector_of(from[0]), to.y = vector_of(from[1]), to.z = vector_of(from[2]);
}
SUPPLE_INLINE void subtract(const Vector3& a, const Vector3& b, Vector3& to) {
  to.x = a.x - b.x, to.y = a.y - b.y, to.z = a.z - b.z;
}
SUPPLE_INLINE void add_to(Vector3& a, const Vector3& b) { a.x += b.x, a.y += b.y, a.z += b.z; }
SUPPLE_INLINE void subtract_from(Vector3& a, const Vector3& b) { a.x -= b.x, a.y -= b.y, a.z -= b.z; }
SUPPLE_INLINE void cross(const Vector3& a, const Vector3& b, Vector3& to) {
  to.x = a.y * b.z - a.z * b.y, to.y = a.z * b.x - a.x * b.z, to.z = a.x * b.y - a.y * b.x;
}
SUPPLE_INLINE Vector product(const Vector3& a, const Vector3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
SUPPLE_INLINE Vector product(const Matrix& a, const Matrix& b) {
  return product(a.c[0], b.c[0]) + product(a.c[1], b.c[1]) + product(a.c[2], b.c[2]);
}
SUPPLE_INLINE Vector larger(const Vector& a, const Vector& b) { return a > b ? a : b; }

SUPPLE_INLINE void rotation_matrix(const Vector q[4], Matrix& r) {
  const Vector s = 2.0f / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const Vector x = q[0] * s, y = q[1] * s, z = q[2] * s;
  const Vector xx = q[0] * x, yy = q[1] * y, zz = q[2] * z, xy = q[0] * y, xz = q[0] * z, yz = q[1] * z;
  const Vector wx = q[3] * x, wy = q[3] * y, wz = q[3] * z;
  r.c[0] = {1.0f - (yy + zz), xy + wz, xz - wy};
  r.c[1] = {xy - wz, 1.0f - (xx + zz), yz + wx};
  r.c[2] = {xz + wy, yz - wx, 1.0f - (xx + yy)};
}

/// Turns q towards the rotation nearest to f: by all of the way where f is a rotation, by nearly all where it is one
/// that is stretched. Its axis is that of f r^T - r f^T, as in Mueller et al., A Robust Method to Extract the
/// Rotational Part of Deformations (2016).
SUPPLE_INLINE void turn(const Matrix& f, const Matrix& r, Vector q[4]) {
  Vector3 axis, more;
  cross(r.c[0], f.c[0], axis);
  cross(r.c[1], f.c[1], more);
  add_to(axis, more);
  cross(r.c[2], f.c[2], more);
  add_to(axis, more);
  // 1 + trace of a rotation; the 1 grows with the size of f.
  const Vector w = product(r, f) + 0.5f + product(f, f) * (1.0f / 6);
  const Vector over = 1.0f / larger(w, w - w + 0.05f);
  axis.x *= over, axis.y *= over, axis.z *= over;
  const Vector x = q[0] + axis.x * q[3] + axis.y * q[2] - axis.z * q[1];
  const Vector y = q[1] + axis.y * q[3] + axis.z * q[0] - axis.x * q[2];
  const Vector z = q[2] + axis.z * q[3] + axis.x * q[1] - axis.y * q[0];
  const Vector s = q[3] - axis.x * q[0] - axis.y * q[1] - axis.z * q[2];
  // Near unit length, without a root: rotation_matrix() divides by what is left.
  const Vector shrink = 2.0f / (1.0f + x * x + y * y + z * z + s * s);
  q[0] = x * shrink, q[1] = y * shrink, q[2] = z * shrink, q[3] = s * shrink;
}

/// The matrix nearest to f whose determinant is 1, by Newton's method from its rotation; r where that goes astray, as
/// it does of tetrahedra that are flat or inside out.
SUPPLE_INLINE void keep_volume(const Matrix& f, const Matrix& r, Matrix& p) {
  const Vector first = (3.0f - product(r, f)) * (1.0f / 3);
  for (int i = 0; i < 3; ++i) {
    p.c[i].x = f.c[i].x + r.c[i].x * first;
    p.c[i].y = f.c[i].y + r.c[i].y * first;
    p.c[i].z = f.c[i].z + r.c[i].z * first;
  }
  Vector volume;
  for (int step = 0; step < 3; ++step) {
    Matrix g;
    cross(p.c[1], p.c[2], g.c[0]);
    cross(p.c[2], p.c[0], g.c[1]);
    cross(p.c[0], p.c[1], g.c[2]);
    volume = product(p.c[0], g.c[0]);
    const Vector size = product(g, g);
    const Vector by = (2.0f * volume + 1.0f - product(g, f)) / larger(size, size - size + 1e-3f);
    for (int i = 0; i < 3; ++i) {
      p.c[i].x = f.c[i].x + g.c[i].x * by;
      p.c[i].y = f.c[i].y + g.c[i].y * by;
      p.c[i].z = f.c[i].z + g.c[i].z * by;
    }
  }
  Vector3 area;
  cross(p.c[1], p.c[2], area);
  volume = product(p.c[0], area);
  const auto sound = (volume > 0.8f) & (volume < 1.25f);
  for (int i = 0; i < 3; ++i) {
    p.c[i].x = sound ? p.c[i].x : r.c[i].x;
    p.c[i].y = sound ? p.c[i].y : r.c[i].y;
    p.c[i].z = sound ? p.c[i].z : r.c[i].z;
  }
}

/// Six tetrahedra of a cell (Kuhn 1960): each goes from corner 0 to corner 7 along the three axes in another order, so
/// that the columns of its deformation gradient are differences of nodes.
constexpr int ways[6][3] = {{0, 1, 2}, {1, 0, 2}, {1, 2, 0}, {2, 1, 0}, {2, 0, 1}, {0, 2, 1}};

void local_step(const LocalStep& step) {
  for (std::size_t k = 0; k < step.cell_count; ++k) {
    const Cell& cell = step.cells[k];
    Vector3 x[8], force[8];
    for (int c = 0; c < 8; ++c) {
      load(step.x + 3 * std::size_t{cell[static_cast<std::size_t>(c)]}, x[c]);
      force[c].x = force[c].y = force[c].z = x[0].x - x[0].x;
    }
    Vector scale = force[0].x + 1.0f;
    if (step.scale != nullptr) scale = vector_of(step.scale[k]);
    const Vector over = 1.0f / scale;
    const float stiffness = step.stiffness != nullptr ? step.stiffness[k] : 1;
    for (int t = 0; t < 6; ++t) {
      const int b = 4 >> ways[t][0], c = b | (4 >> ways[t][1]);
      Matrix f, r, p;
      subtract(x[b], x[0], f.c[ways[t][0]]);
      subtract(x[c], x[b], f.c[ways[t][1]]);
      subtract(x[7], x[c], f.c[ways[t][2]]);
      for (int i = 0; i < 3; ++i) f.c[i].x *= over, f.c[i].y *= over, f.c[i].z *= over;
      Lanes* kept = step.rotations + 4 * (6 * k + static_cast<std::size_t>(t));
      Vector q[4] = {vector_of(kept[0]), vector_of(kept[1]), vector_of(kept[2]), vector_of(kept[3])};
      rotation_matrix(q, r);
      turn(f, r, q);
      rotation_matrix(q, r);
      turn(f, r, q);
      rotation_matrix(q, r);
      for (int i = 0; i < 4; ++i)
        vector_of(kept[i]) = step.active == nullptr ? q[i] : vector_of(*step.active) > 0.0f ? q[i] : vector_of(kept[i]);
      keep_volume(f, r, p);
      // The force of a column acts along its edge: a sixth of a cell's volume.
      const Vector by = scale * (stiffness * (1.0f / 6));
      for (int i = 0; i < 3; ++i) {
        const float w = step.volume_weight;
        r.c[i].x = (r.c[i].x - f.c[i].x + w * (p.c[i].x - f.c[i].x)) * by;
        r.c[i].y = (r.c[i].y - f.c[i].y + w * (p.c[i].y - f.c[i].y)) * by;
        r.c[i].z = (r.c[i].z - f.c[i].z + w * (p.c[i].z - f.c[i].z)) * by;
      }
      subtract_from(force[0], r.c[ways[t][0]]);
      add_to(force[b], r.c[ways[t][0]]);
      subtract_from(force[b], r.c[ways[t][1]]);
      add_to(force[c], r.c[ways[t][1]]);
      subtract_from(force[c], r.c[ways[t][2]]);
      add_to(force[7], r.c[ways[t][2]]);
    }
    for (int c = 0; c < 8; ++c) {
      Lanes* to = step.force + 3 * std::size_t{cell[static_cast<std::size_t>(c)]};
      vector_of(to[0]) += force[c].x;
      vector_of(to[1]) += force[c].y;
      vector_of(to[2]) += force[c].z;
    }
  }
}

/// x of Rows rows -= their factors times x of the columns.
template <int Rows>
SUPPLE_INLINE void reduce_rows(const float* values, std::size_t columns, const std::uint32_t* rows, const Lanes* from,
                               Lanes* x) {
  Vector3 sum[Rows];
  for (int r = 0; r < Rows; ++r) load(x + 3 * std::size_t{rows[r]}, sum[r]);
  for (std::size_t c = 0; c < columns; ++c) {
    Vector3 y;
    load(from + 3 * c, y);
    for (int r = 0; r < Rows; ++r) {
      const float l = values[static_cast<std::size_t>(r) * columns + c];
      sum[r].x -= l * y.x, sum[r].y -= l * y.y, sum[r].z -= l * y.z;
    }
  }
  for (int r = 0; r < Rows; ++r) {
    Lanes* to = x + 3 * std::size_t{rows[r]};
    vector_of(to[0]) = sum[r].x, vector_of(to[1]) = sum[r].y, vector_of(to[2]) = sum[r].z;
  }
}

/// x of Columns columns -= their factors times x of the rows below.
template <int Columns>
SUPPLE_INLINE void reduce_columns(const float* values, std::size_t columns, const std::uint32_t* rows,
                                  std::size_t row_count, const Lanes* x, Lanes* to) {
  Vector3 sum[Columns];
  for (int c = 0; c < Columns; ++c) load(to + 3 * c, sum[c]);
  for (std::size_t r = 0; r < row_count; ++r) {
    Vector3 y;
    load(x + 3 * std::size_t{rows[r]}, y);
    for (int c = 0; c < Columns; ++c) {
      const float l = values[r * columns + static_cast<std::size_t>(c)];
      sum[c].x -= l * y.x, sum[c].y -= l * y.y, sum[c].z -= l * y.z;
    }
  }
  for (int c = 0; c < Columns; ++c) {
    Lanes* out = to + 3 * c;
    vector_of(out[0]) = sum[c].x, vector_of(out[1]) = sum[c].y, vector_of(out[2]) = sum[c].z;
  }
}

void solve(const FactorView& factor, Lanes* x) {
  constexpr int at_once = SUPPLE_KERNEL_ROWS;
  for (std::size_t f = 0; f < factor.panel_count; ++f) {  // L z = b
    const FactorPanel& panel = factor.panels[f];
    const std::size_t k = panel.columns;
    const float* values = factor.values + panel.values;
    Lanes* own = x + 3 * std::size_t{panel.first};
    for (std::size_t i = 0; i < k; ++i) {
      Vector3 sum;
      load(own + 3 * i, sum);
      for (std::size_t c = 0; c < i; ++c) {
        Vector3 y;
        load(own + 3 * c, y);
        const float l = values[i * k + c];
        sum.x -= l * y.x, sum.y -= l * y.y, sum.z -= l * y.z;
      }
      const float by = values[i * k + i];
      vector_of(own[3 * i]) = sum.x * by, vector_of(own[3 * i + 1]) = sum.y * by,
                        vector_of(own[3 * i + 2]) = sum.z * by;
    }
    const std::uint32_t* rows = factor.below + panel.below_first;
    std::size_t r = 0;
    for (; r + at_once <= panel.below_count; r += at_once)
      reduce_rows<at_once>(values + (k + r) * k, k, rows + r, own, x);
    for (; r < panel.below_count; ++r) reduce_rows<1>(values + (k + r) * k, k, rows + r, own, x);
  }
  for (std::size_t f = factor.panel_count; f-- > 0;) {  // L^T x = z
    const FactorPanel& panel = factor.panels[f];
    const std::size_t k = panel.columns;
    const float* values = factor.values + panel.values;
    Lanes* own = x + 3 * std::size_t{panel.first};
    const std::uint32_t* rows = factor.below + panel.below_first;
    std::size_t c = 0;
    for (; c + at_once <= k; c += at_once)
      reduce_columns<at_once>(values + k * k + c, k, rows, panel.below_count, x, own + 3 * c);
    for (; c < k; ++c) reduce_columns<1>(values + k * k + c, k, rows, panel.below_count, x, own + 3 * c);
    for (std::size_t i = k; i-- > 0;) {
      Vector3 sum;
      load(own + 3 * i, sum);
      for (std::size_t d = i + 1; d < k; ++d) {
        Vector3 y;
        load(own + 3 * d, y);
        const float l = values[d * k + i];
        sum.x -= l * y.x, sum.y -= l * y.y, sum.z -= l * y.z;
      }
      const float by = values[i * k + i];
      vector_of(own[3 * i]) = sum.x * by, vector_of(own[3 * i + 1]) = sum.y * by,
                        vector_of(own[3 * i + 2]) = sum.z * by;
    }
  }
}

}  // namespace

#define SUPPLE_TEXT_OF(name) #name
#define SUPPLE_TEXT(name) SUPPLE_TEXT_OF(name)
extern const ProjectiveKernel kernel;
const ProjectiveKernel kernel{local_step, solve, SUPPLE_TEXT(SUPPLE_KERNEL)};

}  // namespace SUPPLE_KERNEL
}  // namespace supple::lattice
