#include "supple/author/learn/local_modes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "supple/base/parallel.h"

namespace supple::learn {
namespace {

constexpr int turning_rounds = 30, fitting_rounds = 6;
constexpr std::size_t most_turned_vertices = 1000;  // tell how modes are to be turned
constexpr std::size_t local_vertices_at_once = 256;
/// A mode is let in fully where it is twice as strong as the first one that is left out.
constexpr float fade_slope = 1;
/// Displacements below this share of the largest are not worth a mode's place.
constexpr float least_strength = 5e-3f;
/// What holds a mode back where it fades: the larger, the nearer it keeps to its mask.
constexpr double restraint = 0.003;

/// The rotation nearest to a matrix: a (a^T a)^(-1/2).
DenseMatrix nearest_rotation(const DenseMatrix& a) {
  const DenseEigen eigen = symmetric_eigen(product(transposed(a), a));
  DenseMatrix scaled = eigen.vectors;
  for (std::size_t c = 0; c < scaled.columns; ++c) {
    const double scale = 1 / std::sqrt(std::max(eigen.values[c], 1e-24 * std::max(eigen.values[0], 1e-300)));
    for (std::size_t r = 0; r < scaled.rows; ++r) scaled(r, c) *= scale;
  }
  return product(a, product(scaled, transposed(eigen.vectors)));
}

/// Varimax of vectors: the rotation of the first modes, each as large as its energy, for which the sum over modes and
/// vertices of the fourth power of displacements is largest, so that each mode is large in few places (Kaiser 1958, by
/// Jennrich's iteration).
DenseMatrix turned_apart(const PrincipalModes& principal, std::size_t count) {
  const std::size_t vertices = principal.modes[0].size();
  const std::size_t stride = (vertices + most_turned_vertices - 1) / most_turned_vertices;
  const std::size_t taken = (vertices + stride - 1) / stride;
  DenseMatrix fields(3 * taken, count);
  for (std::size_t i = 0; i < taken; ++i)
    for (std::size_t t = 0; t < count; ++t) {
      const Vec3d u = Vec3d(principal.modes[t][i * stride]) * principal.singular_values[t];
      for (std::size_t c = 0; c < 3; ++c) fields(3 * i + c, t) = u[c];
    }
  const DenseMatrix across = transposed(fields);
  DenseMatrix rotation(count, count);
  for (std::size_t t = 0; t < count; ++t) rotation(t, t) = 1;
  for (int turn = 0; turn < turning_rounds; ++turn) {
    DenseMatrix z = product(fields, rotation);
    std::vector<double> mean(count, 0.0), size(count);
    for (std::size_t i = 0; i < z.rows; ++i)
      for (std::size_t t = 0; t < count; ++t) mean[t] += z(i, t) * z(i, t) / static_cast<double>(taken);
    for (std::size_t i = 0; i < taken; ++i) {
      std::fill(size.begin(), size.end(), 0.0);
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t t = 0; t < count; ++t) size[t] += z(3 * i + c, t) * z(3 * i + c, t);
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t t = 0; t < count; ++t) z(3 * i + c, t) *= size[t] - mean[t];
    }
    rotation = nearest_rotation(product(across, z));
  }
  return rotation;
}

/// Works in the space of the principal modes: an example is a row of coordinates there, a mode a field of vectors.
class Localizer {
 public:
  Localizer(const PrincipalModes& principal, const LocalModesOptions& options)
      : principal_(principal), per_vertex_(options.per_vertex), vertices_(principal.modes[0].size()) {
    const std::size_t count = std::min(options.modes, principal.modes.size());
    const DenseMatrix rotation = turned_apart(principal, count);
    modes_.assign(count, std::vector<Vec3f>(vertices_));
    DenseMatrix start(principal.modes.size(), count);  // coordinates of examples: those of principal modes times this
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t t = 0; t < count; ++t) start(k, t) = rotation(k, t) / principal.singular_values[k];
    const DenseMatrix turned = transposed(rotation);
    parallel_for(vertices_, local_vertices_at_once, [&](std::size_t begin, std::size_t end) {
      std::vector<double> field(count);
      for (std::size_t v = begin; v < end; ++v)
        for (std::size_t c = 0; c < 3; ++c) {
          for (std::size_t k = 0; k < count; ++k)
            field[k] = double{principal.modes[k][v][c]} * principal.singular_values[k];
          for (std::size_t t = 0; t < count; ++t) modes_[t][v][c] = static_cast<float>(dot(turned.row(t), field));
        }
    });
    const std::size_t all = principal.modes.size();
    packed_.resize(vertices_ * 3 * all);
    for (std::size_t k = 0; k < all; ++k)
      for (std::size_t v = 0; v < vertices_; ++v)
        for (std::size_t c = 0; c < 3; ++c) packed_[(3 * v + c) * all + k] = double{principal.modes[k][v][c]};
    find_masks(product(principal.coordinates, start));
  }

  LocalModes run() {
    for (int i = 0; i < fitting_rounds; ++i) fit_fields(nearest_coordinates());
    drop_empty();
    LocalModes result;
    result.coordinates = product(principal_.coordinates, nearest_coordinates());
    result.modes = std::move(modes_);
    result.acting = std::move(acting_);
    result.masks = std::move(masks_);
    return result;
  }

 private:
  /// Which modes act on each vertex: the strongest, fading as they near the first that is left out.
  void find_masks(const DenseMatrix& coordinates) {
    const std::size_t count = modes_.size();
    std::vector<double> energy(count, 0.0);
    for (std::size_t e = 0; e < coordinates.rows; ++e)
      for (std::size_t t = 0; t < count; ++t) energy[t] += coordinates(e, t) * coordinates(e, t);
    std::vector<float> strength(vertices_ * count);
    for (std::size_t v = 0; v < vertices_; ++v)
      for (std::size_t t = 0; t < count; ++t)
        strength[v * count + t] = static_cast<float>(std::sqrt(energy[t])) * length(modes_[t][v]);
    const float floor = least_strength * *std::max_element(strength.begin(), strength.end());
    acting_.assign(vertices_, {});
    masks_.assign(vertices_, {});
    parallel_for(vertices_, local_vertices_at_once, [&](std::size_t begin, std::size_t end) {
      std::vector<float> sorted;
      for (std::size_t v = begin; v < end; ++v) {
        const std::span at(&strength[v * count], count);
        sorted.assign(at.begin(), at.end());
        std::sort(sorted.begin(), sorted.end(), std::greater<>());
        const float next = std::max(floor, per_vertex_ < count ? sorted[per_vertex_] : 0.0f);
        for (std::uint32_t t = 0; t < count; ++t) {
          const float mask = std::min(fade_slope * (at[t] - next) / next, 1.0f);
          if (!(mask > 1e-3f)) continue;
          acting_[v].push_back(t);
          masks_[v].push_back(mask);
        }
      }
    });
    for (std::size_t v = 0; v < vertices_; ++v)
      for (std::uint32_t t = 0, i = 0; t < count; ++t) {
        const bool acts = i < acting_[v].size() && acting_[v][i] == t;
        modes_[t][v] = acts ? modes_[t][v] * masks_[v][i] : Vec3f{};
        if (acts) ++i;
      }
  }

  /// The matrix q for which coordinates of the principal modes times q are those of our modes that come nearest:
  /// P B^T (B B^T)^-1, with the fields P and B as rows.
  DenseMatrix nearest_coordinates() const {
    const std::size_t count = modes_.size(), all = principal_.modes.size();
    struct Sums {
      DenseMatrix gram, cross;
      Sums& operator+=(const Sums& other) {
        for (std::size_t i = 0; i < gram.values.size(); ++i) gram.values[i] += other.gram.values[i];
        for (std::size_t i = 0; i < cross.values.size(); ++i) cross.values[i] += other.cross.values[i];
        return *this;
      }
    };
    const std::size_t chunk = std::max<std::size_t>(vertices_ / 16 + 1, local_vertices_at_once);
    Sums sums = parallel_sum(vertices_, chunk, Sums{DenseMatrix(count, count), DenseMatrix(count, all)},
                             [&](std::size_t begin, std::size_t end) {
                               Sums part{DenseMatrix(count, count), DenseMatrix(count, all)};
                               for (std::size_t v = begin; v < end; ++v)
                                 for (const std::uint32_t a : acting_[v]) {
                                   const Vec3f field = modes_[a][v];
                                   for (const std::uint32_t b : acting_[v])
                                     part.gram(a, b) += double{supple::dot(field, modes_[b][v])};
                                   for (std::size_t c = 0; c < 3; ++c)
                                     add_scaled(part.cross.row(a), double{field[c]}, principal_at(v, c));
                                 }
                               return part;
                             });
    double largest = 0;
    for (std::size_t t = 0; t < count; ++t) largest = std::max(largest, sums.gram(t, t));
    for (std::size_t t = 0; t < count; ++t) sums.gram(t, t) += 1e-10 * largest;  // empty ones, and twins
    const auto solved = solve(std::move(sums.gram), std::move(sums.cross));
    return solved ? transposed(*solved) : DenseMatrix(all, count);
  }

  /// Modes that come nearest to the examples with given coordinates (principal ones times q), vertex by vertex, each
  /// held back as its mask says: a penalty that grows without limit towards the border, so that fields fade out
  /// smoothly.
  void fit_fields(const DenseMatrix& q) {
    const std::size_t count = modes_.size(), all = principal_.modes.size();
    DenseMatrix scaled = transposed(q);  // #modes by #principal
    for (std::size_t t = 0; t < count; ++t)
      for (std::size_t k = 0; k < all; ++k) scaled(t, k) *= principal_.singular_values[k];
    const DenseMatrix gram = product(scaled, transposed(scaled));
    for (std::size_t t = 0; t < count; ++t)
      for (std::size_t k = 0; k < all; ++k) scaled(t, k) *= principal_.singular_values[k];
    parallel_for(vertices_, local_vertices_at_once, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        DenseMatrix right(acting_[v].size(), 3);
        for (std::size_t i = 0; i < acting_[v].size(); ++i)
          for (std::size_t c = 0; c < 3; ++c) right(i, c) = dot(scaled.row(acting_[v][i]), principal_at(v, c));
        if (auto found = fitted(gram, v, std::move(right)))
          for (std::size_t i = 0; i < acting_[v].size(); ++i)
            modes_[acting_[v][i]][v] = {static_cast<float>((*found)(i, 0)), static_cast<float>((*found)(i, 1)),
                                        static_cast<float>((*found)(i, 2))};
      }
    });
  }

  std::span<const double> principal_at(std::size_t v, std::size_t component) const {
    const std::size_t all = principal_.modes.size();
    return std::span(packed_).subspan((3 * v + component) * all, all);
  }

  std::optional<DenseMatrix> fitted(const DenseMatrix& gram, std::size_t v, DenseMatrix right) const {
    return solve_masked(gram, acting_[v], masks_[v], std::move(right));
  }

  void drop_empty() {
    std::vector<std::uint32_t> place(modes_.size());
    std::vector<std::vector<Vec3f>> kept;
    for (std::size_t t = 0; t < modes_.size(); ++t) {
      place[t] = static_cast<std::uint32_t>(kept.size());
      const bool empty = std::all_of(modes_[t].begin(), modes_[t].end(), [](Vec3f u) { return u == Vec3f{}; });
      if (!empty) kept.push_back(std::move(modes_[t]));
    }
    modes_ = std::move(kept);
    for (auto& acting : acting_)
      for (std::uint32_t& t : acting) t = place[t];
  }

 public:
  static std::optional<DenseMatrix> solve_masked(const DenseMatrix& gram, std::span<const std::uint32_t> acting,
                                                 std::span<const float> masks, DenseMatrix right) {
    DenseMatrix a(acting.size(), acting.size());
    for (std::size_t i = 0; i < acting.size(); ++i) {
      for (std::size_t j = 0; j < acting.size(); ++j) a(i, j) = gram(acting[i], acting[j]);
      const double mask{masks[i]};
      a(i, i) *= 1 + 1e-9 + restraint * (1 / (mask * mask) - 1);
    }
    return solve(std::move(a), std::move(right));
  }

 private:
  const PrincipalModes& principal_;
  std::size_t per_vertex_, vertices_;
  std::vector<double> packed_;  // the principal modes, vertex by vertex, x of all, y of all, z of all
  std::vector<std::vector<Vec3f>> modes_;
  std::vector<std::vector<std::uint32_t>> acting_;
  std::vector<std::vector<float>> masks_;
};

DenseMatrix weighted_gram(const DenseMatrix& coordinates, std::span<const float> weights) {
  DenseMatrix weighted = coordinates;
  for (std::size_t e = 0; e < weighted.rows; ++e)
    for (std::size_t t = 0; t < weighted.columns; ++t) weighted(e, t) *= double{weights[e]};
  return product(transposed(coordinates), weighted);
}

/// Sorts modes by the energy they have over all examples.
void strongest_first(LocalModes& m, const DenseMatrix& gram) {
  const std::size_t count = m.modes.size();
  std::vector<double> sizes(count);
  for (std::size_t t = 0; t < count; ++t) {
    double sum = 0;
    for (const Vec3f u : m.modes[t]) sum += squared_length(Vec3d(u));
    sizes[t] = std::sqrt(sum * gram(t, t));
  }
  std::vector<std::uint32_t> order(count), place(count);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return sizes[a] > sizes[b]; });
  LocalModes sorted;
  sorted.coordinates = DenseMatrix(m.coordinates.rows, count);
  for (std::uint32_t t = 0; t < count; ++t) {
    place[order[t]] = t;
    sorted.modes.push_back(std::move(m.modes[order[t]]));
    sorted.sizes.push_back(sizes[order[t]]);
    for (std::size_t e = 0; e < m.coordinates.rows; ++e) sorted.coordinates(e, t) = m.coordinates(e, order[t]);
  }
  for (auto& acting : m.acting)
    for (std::uint32_t& t : acting) t = place[t];
  sorted.acting = std::move(m.acting);
  sorted.masks = std::move(m.masks);
  m = std::move(sorted);
}

}  // namespace

LocalModes local_modes(const PrincipalModes& principal, std::span<const float> weights,
                       const LocalModesOptions& options) {
  if (principal.modes.empty()) return {};
  LocalModes result = Localizer(principal, options).run();
  strongest_first(result, weighted_gram(result.coordinates, weights));
  return result;
}

std::vector<std::vector<Vec3f>> companion_modes(const LocalModes& modes,
                                                std::span<const std::span<const Vec3f>> examples,
                                                std::span<const float> weights) {
  const std::size_t count = modes.modes.size(), vertices = modes.acting.size();
  const DenseMatrix gram = weighted_gram(modes.coordinates, weights);
  std::vector<std::vector<Vec3f>> result(count, std::vector<Vec3f>(vertices));
  parallel_for(vertices, local_vertices_at_once, [&](std::size_t begin, std::size_t end) {
    std::vector<DenseMatrix> right;
    for (std::size_t v = begin; v < end; ++v) right.emplace_back(modes.acting[v].size(), 3);
    for (std::size_t e = 0; e < examples.size(); ++e)
      for (std::size_t v = begin; v < end; ++v) {
        const Vec3d field = Vec3d(examples[e][v]) * double{weights[e]};
        for (std::size_t i = 0; i < modes.acting[v].size(); ++i)
          for (std::size_t c = 0; c < 3; ++c)
            right[v - begin](i, c) += modes.coordinates(e, modes.acting[v][i]) * field[c];
      }
    for (std::size_t v = begin; v < end; ++v) {
      const auto& acting = modes.acting[v];
      const auto found = Localizer::solve_masked(gram, acting, modes.masks[v], std::move(right[v - begin]));
      for (std::size_t i = 0; found && i < acting.size(); ++i)
        result[acting[i]][v] = {static_cast<float>((*found)(i, 0)), static_cast<float>((*found)(i, 1)),
                                static_cast<float>((*found)(i, 2))};
    }
  });
  return result;
}

}  // namespace supple::learn
