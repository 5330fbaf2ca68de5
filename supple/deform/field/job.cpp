#include "supple/deform/field/job.h"

#include <algorithm>
#include <optional>

#include "supple/base/parallel.h"
#include "supple/deform/field/reference.h"

namespace supple {
namespace {

using field_kernel::block_size;

constexpr std::size_t blocks_a_chunk = 4;

struct Placed {
  JointIndex owner;
  std::uint32_t vertex;
  Vec3f at;
  Kinship kin;
};

Kinship kinship_of(const FieldTable& table, const SkinWeights& weights, std::size_t vertex) {
  std::vector<double> follows(table.limbs.size());
  for (const Influence& i : weights.of(vertex)) follows[i.joint] += double{i.weight};
  return kinship_of(table, follows);
}

/// Halved across its longest extent until every piece fits into a block: pieces are compact.
void split(std::span<Placed> vertices, std::vector<std::span<Placed>>& pieces) {
  if (vertices.size() <= block_size) {
    pieces.push_back(vertices);
    return;
  }
  Vec3f low = vertices[0].at, high = low;
  for (const Placed& v : vertices) {
    low = min(low, v.at);
    high = max(high, v.at);
  }
  const Vec3f extent = high - low;
  const std::size_t axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
  // Whole blocks to one side: few are left unfilled.
  const std::size_t blocks = (vertices.size() + block_size - 1) / block_size, left = blocks / 2 * block_size;
  const auto before = [axis](const Placed& a, const Placed& b) {
    return a.at[axis] != b.at[axis] ? a.at[axis] < b.at[axis] : a.vertex < b.vertex;
  };
  std::nth_element(vertices.begin(), vertices.begin() + static_cast<std::ptrdiff_t>(left), vertices.end(), before);
  split(vertices.first(left), pieces);
  split(vertices.subspan(left), pieces);
}

/// A row for what vertices have different shares in; none where all have the same. Empty: no vertex has any.
std::optional<std::uint16_t> add_row(const FieldTable& table, std::span<const Placed> piece, JointIndex joint,
                                     bool touches, std::uint32_t first_row, FieldBlocks& out) {
  std::array<float, block_size> row{};
  const std::uint32_t limb = table.limb_of(joint);
  bool any = false, all = true;
  for (std::size_t lane = 0; lane < block_size; ++lane) {
    const Kinship& kin = piece[std::min(lane, piece.size() - 1)].kin;
    const double share = kin.limbs.empty() || limb == no_limb ? 1 : kin.limbs[limb];
    row[lane] = static_cast<float>(touches ? 1 - share : share);
    any = any || row[lane] > 0;
    all = all && row[lane] == 1;
  }
  if (!any) return {};
  if (all) return field_kernel::Pick::all;
  const auto number = static_cast<std::uint16_t>(out.shares.size() - first_row);
  out.shares.push_back(row);
  return number;
}

/// What the vertices of a block can ever feel or touch: decided at rest.
void add_lists(const FieldTable& table, std::span<const Placed> piece, field_kernel::Block& block, FieldBlocks& out) {
  FieldBlocks::Lists& lists = out.lists.emplace_back();
  lists.first_row = static_cast<std::uint32_t>(out.shares.size());
  lists.first_shape = static_cast<std::uint32_t>(out.picks.size());
  JointIndex last = no_joint;
  std::optional<std::uint16_t> row;
  for (std::size_t i = 0; i < table.shapes.size(); ++i) {
    if (table.shapes[i].joint != last) row = add_row(table, piece, table.shapes[i].joint, false, lists.first_row, out);
    last = table.shapes[i].joint;
    if (row) out.picks.push_back({static_cast<std::uint16_t>(i), *row});
  }
  lists.first_touch = static_cast<std::uint32_t>(out.picks.size());
  for (std::size_t i = 0; table.pushes && i < table.contacts.size(); ++i) {
    row = add_row(table, piece, table.contacts[i].joint, true, lists.first_row, out);
    if (row) out.picks.push_back({static_cast<std::uint16_t>(i), *row});
  }
  block.shape_count = lists.first_touch - lists.first_shape;
  block.touch_count = static_cast<std::uint32_t>(out.picks.size()) - lists.first_touch;
}

/// None where all of a block is as thick as its limb.
const float* thin_block(const FieldBlocks& blocks, std::size_t number) {
  if (blocks.thinness.empty()) return nullptr;
  const auto& row = blocks.thinness[number];
  return std::any_of(row.begin(), row.end(), [](float t) { return t < 1; }) ? row.data() : nullptr;
}

}  // namespace

FieldBlocks make_blocks(const FieldTable& table, std::span<const Vec3f> rest, std::span<const float> thinness,
                        const SkinWeights* weights) {
  std::vector<Placed> placed(rest.size());
  parallel_for(rest.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const Vec3d at(rest[v]);
      Kinship kin = weights != nullptr ? kinship_of(table, *weights, v) : kinship_at(table, at);
      if (!thinness.empty()) kin.thinness = double{thinness[v]};
      const JointIndex owner = owner_limb(table, at, kin);
      placed[v] = {owner, static_cast<std::uint32_t>(v), rest[v], std::move(kin)};
    }
  });
  std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) { return a.owner < b.owner; });
  std::vector<std::span<Placed>> pieces;
  for (std::size_t from = 0, to = 0; from < placed.size(); from = to) {
    while (to < placed.size() && placed[to].owner == placed[from].owner) ++to;
    split(std::span(placed).subspan(from, to - from), pieces);
  }
  FieldBlocks out;
  out.vertex_count = rest.size();
  const bool thin = std::any_of(thinness.begin(), thinness.end(), [](float t) { return t < 1; });
  for (const std::span<Placed> piece : pieces) {
    field_kernel::Block& block = out.blocks.emplace_back();
    block.owner = piece[0].owner;
    block.owner_rank = table.rank[block.owner];
    for (std::size_t lane = 0; lane < block_size; ++lane) {
      const Placed& v = piece[std::min(lane, piece.size() - 1)];
      out.vertices.push_back(v.vertex);
      for (std::size_t k = 0; k < 3; ++k) block.x[k][lane] = v.at[k];
    }
    if (thin) {
      auto& row = out.thinness.emplace_back();
      for (std::size_t lane = 0; lane < block_size; ++lane)
        row[lane] = static_cast<float>(piece[std::min(lane, piece.size() - 1)].kin.thinness);
    }
    add_lists(table, piece, block, out);
  }
  return out;
}

Result<void> FieldJob::validate() const {
  if (table == nullptr || blocks == nullptr || state == nullptr)
    return Error{"field job", "has no table, blocks or state", ""};
  if (positions.size() != blocks->vertex_count)
    return Error{"field job",
                 "has room for " + std::to_string(positions.size()) + " of " + std::to_string(blocks->vertex_count) +
                     " vertices",
                 ""};
  return {};
}

void FieldJob::run() const {
  const field_kernel::Kernels& kernel = kernels != nullptr ? *kernels : field_kernel::best();
  const field_kernel::Path& path = state->kernel_path();
  const FlowIntegrator integrator = table->integrator;
  parallel_for(
      blocks->blocks.size(), blocks_a_chunk,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
          field_kernel::Block block = blocks->blocks[b];
          const FieldBlocks::Lists& lists = blocks->lists[b];
          block.shapes = blocks->picks.data() + lists.first_shape;
          block.touches = blocks->picks.data() + lists.first_touch;
          block.thinness = thin_block(*blocks, b);
          block.shares = reinterpret_cast<const float(*)[block_size]>(blocks->shares.data() + lists.first_row);
          if (integrator == FlowIntegrator::rk4_limb)
            kernel.rk4_limb(path, block);
          else
            kernel.blended(path, block, integrator == FlowIntegrator::euler);
          const std::uint32_t* vertices = &blocks->vertices[b * block_size];
          for (std::size_t lane = 0; lane < block_size; ++lane)
            positions[vertices[lane]] = {block.x[0][lane], block.x[1][lane], block.x[2][lane]};
        }
      },
      threads);
}

}  // namespace supple
