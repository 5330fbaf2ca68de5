// Numbering: which nodes are free, which elements deform, and where their contributions are added up.
#include "supple/author/simulate/tissue_model.h"

#include <algorithm>
#include <numeric>

namespace supple::simulate {
namespace {

// Four-point rule of degree two: each point lies towards one corner.
constexpr double near_corner = 0.58541019662496852, far_corner = 0.13819660112501050;

/// Derivatives of an element's shape functions by the barycentric coordinates of corners 1 to 3, at a quadrature point.
void reference_gradients(std::size_t nodes, std::size_t point, Vec3d (&gradients)[10]) {
  constexpr Vec3d by_corner[4] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  if (nodes == 4) {
    std::copy_n(by_corner, 4, gradients);
    return;
  }
  const auto at = [&](std::size_t corner) { return corner == point ? near_corner : far_corner; };
  for (std::size_t a = 0; a < 4; ++a) gradients[a] = by_corner[a] * (4 * at(a) - 1);
  for (std::size_t k = 0; k < tet_edges.size(); ++k) {
    const auto [a, b] = tet_edges[k];
    gradients[4 + k] = (by_corner[b] * at(a) + by_corner[a] * at(b)) * 4.0;
  }
}

}  // namespace

Result<TissueModel> TissueModel::make(TetMesh mesh, std::vector<std::uint32_t> bone_of,
                                      std::span<const Material> materials, std::span<const std::uint32_t> region_of) {
  if (auto valid = validate(mesh); !valid) return valid.error();
  if (bone_of.size() != mesh.nodes.size())
    return Error{
        "tissue",
        "has " + std::to_string(mesh.nodes.size()) + " nodes but " + std::to_string(bone_of.size()) + " bone numbers",
        ""};
  if (!region_of.empty() && region_of.size() != mesh.element_count())
    return Error{"tissue",
                 "has " + std::to_string(mesh.element_count()) + " elements but " + std::to_string(region_of.size()) +
                     " region numbers",
                 ""};
  // Contributions are numbered in 32 bits, one of them for the transposed block.
  const std::size_t blocks = std::size_t{mesh.nodes_per_element} * (mesh.nodes_per_element + 1) / 2;
  if (mesh.element_count() > 0x7fffffffu / blocks)
    return Error{"tissue", "has " + std::to_string(mesh.element_count()) + " elements, too many to number",
                 "use larger elements"};
  TissueModel model;
  for (const Material& m : materials) {
    auto h = Hyperelastic::make(m);
    if (!h) return h.error();
    model.materials_.push_back(*h);
  }
  model.bone_of_ = std::move(bone_of);
  const std::size_t n = mesh.nodes_per_element;
  model.mesh_.nodes_per_element = mesh.nodes_per_element;
  for (std::size_t e = 0; e < mesh.element_count(); ++e) {
    const auto element = mesh.element(e);
    const std::uint32_t region = region_of.empty() ? 0 : region_of[e];
    if (region >= model.materials_.size())
      return Error{"element " + std::to_string(e), "is of region " + std::to_string(region) + ", which has no material",
                   "give " + std::to_string(region + 1) + " materials"};
    if (std::all_of(element.begin(), element.end(), [&](std::uint32_t v) { return model.bone_of_[v] != no_bone; }))
      continue;
    model.mesh_.elements.insert(model.mesh_.elements.end(), element.begin(), element.end());
    model.region_of_.push_back(region);
  }
  model.mesh_.nodes = std::move(mesh.nodes);
  if (model.region_of_.empty())
    return Error{"tissue", "has no element that can deform", "use a smaller element size or thinner bones"};
  model.points_ = n == 4 ? 1 : 4;
  for (std::size_t e = 0; e < model.mesh_.element_count(); ++e) {
    const auto element = model.mesh_.element(e);
    for (std::size_t q = 0; q < model.points_; ++q) {
      Vec3d reference[10];
      reference_gradients(n, q, reference);
      Mat3d edges = Mat3d::diagonal({});  // rest position by barycentric coordinates
      for (std::size_t a = 0; a < n; ++a) edges = edges + outer(model.mesh_.nodes[element[a]], reference[a]);
      const Mat3d to_rest = transpose(inverse(edges));
      model.weights_.push_back(determinant(edges) / 6 / static_cast<double>(model.points_));
      for (std::size_t a = 0; a < n; ++a) model.shape_gradients_.push_back(to_rest * reference[a]);
    }
  }
  model.number_nodes();
  model.find_pattern();
  std::vector<Vec3d> places;
  for (const std::uint32_t v : model.free_nodes_) places.push_back(model.mesh_.nodes[v]);
  model.elimination_order_ = dissect(model.pattern_, places);
  return model;
}

void TissueModel::number_nodes() {
  std::vector<bool> used(mesh_.nodes.size(), false);
  for (const std::uint32_t v : mesh_.elements) used[v] = true;
  free_of_.assign(mesh_.nodes.size(), no_bone);
  for (std::uint32_t v = 0; v < mesh_.nodes.size(); ++v) {
    if (!used[v] || bone_of_[v] != no_bone) continue;
    free_of_[v] = static_cast<std::uint32_t>(free_nodes_.size());
    free_nodes_.push_back(v);
  }
}

void TissueModel::find_pattern() {
  const std::size_t n = mesh_.nodes_per_element, element_blocks = n * (n + 1) / 2;
  struct Source {
    std::uint32_t row, column, source;
  };
  std::vector<std::vector<Source>> columns(free_count());
  node_sources_first_.assign(free_count() + 1, 0);
  for (std::uint32_t e = 0; e < mesh_.element_count(); ++e) {
    const auto element = mesh_.element(e);
    std::uint32_t block = static_cast<std::uint32_t>(e * element_blocks);
    for (std::size_t a = 0; a < n; ++a) {
      const std::uint32_t i = free_of_[element[a]];
      if (i != no_bone) ++node_sources_first_[i + 1];
      for (std::size_t b = 0; b <= a; ++b, ++block) {
        const std::uint32_t j = free_of_[element[b]];
        if (i == no_bone || j == no_bone) continue;
        const bool transposed = i < j;
        columns[std::min(i, j)].push_back({std::max(i, j), std::min(i, j), 2 * block + (transposed ? 1u : 0u)});
      }
    }
  }
  std::partial_sum(node_sources_first_.begin(), node_sources_first_.end(), node_sources_first_.begin());
  node_sources_.resize(node_sources_first_.back());
  std::vector<std::size_t> next(node_sources_first_.begin(), node_sources_first_.end() - 1);
  for (std::uint32_t e = 0; e < mesh_.element_count(); ++e) {
    for (std::uint32_t a = 0; a < n; ++a) {
      const std::uint32_t i = free_of_[mesh_.element(e)[a]];
      if (i != no_bone) node_sources_[next[i]++] = static_cast<std::uint32_t>(e * n + a);
    }
  }
  block_sources_first_.push_back(0);
  for (std::vector<Source>& column : columns) {
    std::sort(column.begin(), column.end(),
              [](const Source& a, const Source& b) { return a.row != b.row ? a.row < b.row : a.source < b.source; });
    for (std::size_t k = 0; k < column.size(); ++k) {
      if (k == 0 || column[k].row != column[k - 1].row) {
        if (k > 0) block_sources_first_.push_back(block_sources_.size());
        pattern_.rows.push_back(column[k].row);
      }
      block_sources_.push_back(column[k].source);
    }
    block_sources_first_.push_back(block_sources_.size());
    pattern_.first.push_back(pattern_.rows.size());
  }
}

}  // namespace supple::simulate
