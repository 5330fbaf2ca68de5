// Energy, forces and stiffness of the elements, and their sums.
#include <algorithm>

#include "supple/author/simulate/tissue_model.h"
#include "supple/base/parallel.h"

namespace supple::simulate {
namespace {
constexpr std::size_t elements_at_once = 512;
constexpr std::size_t sums_at_once = 4096;

/// block += matrix, stored by columns.
void add(double* block, const Mat3d& m) {
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t r = 0; r < 3; ++r) block[3 * c + r] += m[c][r];
}
}  // namespace

Mat3d TissueModel::gradient(std::size_t element, std::size_t point, std::span<const Vec3d> x) const {
  const auto corners = mesh_.element(element);
  const auto shape = shape_gradients(element, point);
  Mat3d f = Mat3d::diagonal({});
  for (std::size_t a = 0; a < corners.size(); ++a) f = f + outer(x[corners[a]], shape[a]);
  return f;
}

double TissueModel::energy(std::span<const Vec3d> x) const {
  return parallel_sum(mesh_.element_count(), elements_at_once, 0.0, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t e = begin; e < end; ++e) {
      for (std::size_t q = 0; q < points_; ++q) {
        const Mat3d f = gradient(e, q, x);
        const double i = squared_length(f.c0) + squared_length(f.c1) + squared_length(f.c2);
        sum += weights_[e * points_ + q] * material(e).energy(i, determinant(f));
      }
    }
    return sum;
  });
}

void TissueModel::element_derivatives(std::size_t e, std::span<const Vec3d> x, bool project, Vec3d* forces,
                                      double* blocks) const {
  const std::size_t n = mesh_.nodes_per_element;
  std::fill_n(forces, n, Vec3d{});
  std::fill_n(blocks, 9 * n * (n + 1) / 2, 0.0);
  for (std::size_t q = 0; q < points_; ++q) {
    const auto shape = shape_gradients(e, q);
    const double weight = weights_[e * points_ + q];
    const Mat3d f = gradient(e, q, x), cof = cofactor(f);
    const double i = squared_length(f.c0) + squared_length(f.c1) + squared_length(f.c2);
    const EnergyDensity d = material(e).density(i, determinant(f));
    Vec3d by_f[10], by_cof[10];  // F and cof(F) applied to the shape gradients
    for (std::size_t a = 0; a < n; ++a) {
      by_f[a] = f * shape[a];
      by_cof[a] = cof * shape[a];
      forces[a] += (by_f[a] * (2 * d.i) + by_cof[a] * d.j) * weight;
    }
    // Second derivatives of psi(I, J) along u at node a and v at node b; that of det F itself is (u x v) . F (A x B).
    double* block = blocks;
    for (std::size_t a = 0; a < n; ++a) {
      const Vec3d row_f = by_f[a] * (4 * d.ii * weight) + by_cof[a] * (2 * d.ij * weight);
      const Vec3d row_cof = by_cof[a] * (d.jj * weight) + by_f[a] * (2 * d.ij * weight);
      for (std::size_t b = 0; b <= a; ++b, block += 9) {
        const double diagonal = 2 * d.i * weight * dot(shape[a], shape[b]);
        const Vec3d turn = f * cross(shape[a], shape[b]) * (-d.j * weight);
        const Mat3d k = outer(row_f, by_f[b]) + outer(row_cof, by_cof[b]) + cross_matrix(turn);
        add(block, k);
        block[0] += diagonal;
        block[4] += diagonal;
        block[8] += diagonal;
      }
    }
    if (!project) continue;
    HessianMode modes[9];
    hessian_modes(d, f, modes);
    for (const HessianMode& m : modes) {
      if (m.eigenvalue >= 0) continue;
      Vec3d along[10];
      for (std::size_t a = 0; a < n; ++a) along[a] = m.mode * shape[a];
      block = blocks;
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b <= a; ++b, block += 9)
          add(block, outer(along[a] * (-m.eigenvalue * weight), along[b]));
    }
  }
}

void TissueModel::derivatives(std::span<const Vec3d> x, bool project, TissueWorkspace& workspace,
                              std::span<Vec3d> forces, std::span<double> stiffness) const {
  const std::size_t n = mesh_.nodes_per_element, element_blocks = n * (n + 1) / 2;
  workspace.blocks.resize(mesh_.element_count() * element_blocks * 9);
  workspace.forces.resize(mesh_.element_count() * n);
  parallel_for(mesh_.element_count(), elements_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e)
      element_derivatives(e, x, project, &workspace.forces[e * n], &workspace.blocks[e * element_blocks * 9]);
  });
  parallel_for(free_count(), sums_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Vec3d sum{};
      for (std::size_t s = node_sources_first_[i]; s < node_sources_first_[i + 1]; ++s)
        sum += workspace.forces[node_sources_[s]];
      forces[i] = sum;
    }
  });
  parallel_for(pattern_.blocks(), sums_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      double sum[9] = {};
      for (std::size_t s = block_sources_first_[b]; s < block_sources_first_[b + 1]; ++s) {
        const double* from = &workspace.blocks[std::size_t{block_sources_[s] / 2} * 9];
        if (block_sources_[s] % 2 == 0) {
          for (std::size_t k = 0; k < 9; ++k) sum[k] += from[k];
        } else {
          for (std::size_t c = 0; c < 3; ++c)
            for (std::size_t r = 0; r < 3; ++r) sum[3 * c + r] += from[3 * r + c];
        }
      }
      std::copy_n(sum, 9, &stiffness[9 * b]);
    }
  });
}

ElementHealth TissueModel::health(std::span<const Vec3d> x) const {
  ElementHealth h;
  for (std::size_t e = 0; e < mesh_.element_count(); ++e) {
    bool inverted = false;
    for (std::size_t q = 0; q < points_; ++q) {
      const double det = determinant(gradient(e, q, x));
      inverted = inverted || det <= 0;
      h.volume += det * weights_[e * points_ + q];
      if (det < h.min_det) h.min_det = det, h.worst = static_cast<std::uint32_t>(e);
    }
    h.inverted += inverted ? 1 : 0;
  }
  return h;
}

std::vector<std::uint32_t> TissueModel::inverted(std::span<const Vec3d> x) const {
  std::vector<std::uint32_t> elements;
  for (std::size_t e = 0; e < mesh_.element_count(); ++e)
    for (std::size_t q = 0; q < points_; ++q)
      if (determinant(gradient(e, q, x)) <= 0) {
        elements.push_back(static_cast<std::uint32_t>(e));
        break;
      }
  return elements;
}

}  // namespace supple::simulate
