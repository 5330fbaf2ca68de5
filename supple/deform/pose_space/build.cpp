#include "supple/deform/pose_space/build.h"

#include <algorithm>
#include <map>

#include "supple/base/parallel.h"
#include "supple/deform/pose_space/coefficients.h"
#include "supple/deform/pose_space/distances.h"
#include "supple/deform/pose_space/influence.h"

namespace supple {
namespace {

using Lanes = PoseSpaceTable::Lanes;
constexpr std::uint32_t width = PoseSpaceTable::block_vertices;
constexpr std::size_t sets_at_once = 64;

/// Influences of one block, joint by joint; joints that no vertex of it feels are left out.
struct Block {
  std::vector<std::uint32_t> joints;
  std::vector<Lanes> influences;
};

Block block_of(const JointInfluences& influences, std::size_t joints, std::size_t first, std::size_t vertices) {
  std::vector<Lanes> all(joints, Lanes{});
  std::vector<double> u(joints);
  for (std::size_t lane = 0; lane < width; ++lane) {
    influences.of(std::min(first + lane, vertices - 1), u);  // what fills up the last block feels as its last vertex
    for (std::size_t k = 0; k < joints; ++k) all[k].of[lane] = static_cast<float>(u[k]);
  }
  Block block;
  for (std::uint32_t k = 0; k < joints; ++k) {
    if (std::all_of(all[k].of, all[k].of + width, [](float x) { return x == 0; })) continue;
    block.joints.push_back(k);
    block.influences.push_back(all[k]);
  }
  return block;
}

/// What decides the coefficients of a block, as a key.
std::vector<float> key_of(const Block& block) {
  std::vector<float> key;
  for (std::size_t r = 0; r < block.joints.size(); ++r) {
    key.push_back(static_cast<float>(block.joints[r]));
    key.insert(key.end(), block.influences[r].of, block.influences[r].of + width);
  }
  return key;
}

/// Squared distances between the examples: of each joint alone, and of all joints together.
struct Between {
  std::vector<std::vector<double>> joint;  // #joints, each #examples * #examples
  std::vector<double> all;

  explicit Between(const PoseDistances& d) : joint(d.joints.size()), all(d.examples * d.examples) {
    for (std::size_t k = 0; k < joint.size(); ++k) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        joint[k].push_back(squared_angle(d, k, i / d.examples, i % d.examples));
        all[i] += joint[k][i];
      }
    }
  }
};

/// Coefficients of the vertices of one block; returns the lane that has none, or `width`.
std::uint32_t solve_block(const PoseSpaceTable& table, const Between& between, std::size_t block, Lanes* out) {
  const std::size_t n = table.distances.examples;
  std::vector<double> distances(n * n), solved(table.coefficients_a_set());
  for (std::uint32_t lane = 0; lane < width; ++lane) {
    for (std::size_t i = 0; i < n * n; ++i) distances[i] = double{table.floor} * between.all[i];
    for (std::uint32_t r = table.first[block]; r < table.first[block + 1]; ++r) {
      const double u = double{table.influences[r].of[lane]};
      for (std::size_t i = 0; i < n * n; ++i) distances[i] += u * between.joint[table.joints[r]][i];
    }
    if (!solve_coefficients(distances, n, double{table.ridge}, solved)) return lane;
    for (std::size_t c = 0; c < solved.size(); ++c) out[c].of[lane] = static_cast<float>(solved[c]);
  }
  return width;
}

Result<void> add_coefficients(PoseSpaceTable& table, const std::vector<std::uint32_t>& solved_blocks) {
  const Between between(table.distances);
  const std::size_t set = table.coefficients_a_set();
  table.coefficients.resize(solved_blocks.size() * set);
  std::vector<std::uint32_t> failed(solved_blocks.size(), width);
  parallel_for(solved_blocks.size(), sets_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s)
      failed[s] = solve_block(table, between, solved_blocks[s], &table.coefficients[s * set]);
  });
  for (std::size_t s = 0; s < failed.size(); ++s) {
    if (failed[s] == width) continue;
    return Error{"pose space",
                 "cannot tell its examples apart at vertex " + std::to_string(solved_blocks[s] * width + failed[s]),
                 "raise the floor of the influences, or leave out examples in nearly the same pose"};
  }
  return {};
}

void add_offsets(const MorphTarget& target, std::span<const Vec3f> offsets, std::size_t number, std::size_t targets,
                 std::vector<PoseSpaceTable::Vectors>& out) {
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const std::size_t v = target.vertices.empty() ? i : target.vertices[i];
    float* to = out[v / width * targets + number].of + 3 * (v % width);
    for (std::size_t r = 0; r < 3; ++r) to[r] = offsets[i][r];
  }
}

}  // namespace

Result<PoseSpaceTable> build_pose_space_table(const Character& character, const PoseSpace& space) {
  if (auto ok = validate(space, character); !ok) return ok.error();
  const Part& part = character.parts[space.part];
  const std::size_t vertices = part.mesh.positions.size(), blocks = (vertices + width - 1) / width;
  PoseSpaceTable table;
  table.distances = distances_of(space);
  table.vertex_count = static_cast<std::uint32_t>(vertices);
  table.floor = space.influence == JointInfluence::equal ? 0 : space.floor;
  table.ridge = space.ridge;
  const JointInfluences influences(character, space);
  std::map<std::vector<float>, std::uint32_t> sets;
  std::vector<std::uint32_t> solved_blocks;  // #sets: one of the blocks that share it
  table.first.push_back(0);
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const Block block = block_of(influences, space.joints.size(), std::size_t{b} * width, vertices);
    table.joints.insert(table.joints.end(), block.joints.begin(), block.joints.end());
    table.influences.insert(table.influences.end(), block.influences.begin(), block.influences.end());
    table.first.push_back(static_cast<std::uint32_t>(table.joints.size()));
    const auto [set, is_new] = sets.emplace(key_of(block), static_cast<std::uint32_t>(solved_blocks.size()));
    if (is_new) solved_blocks.push_back(b);
    table.coefficients_of.push_back(set->second * static_cast<std::uint32_t>(table.coefficients_a_set()));
  }
  if (auto ok = add_coefficients(table, solved_blocks); !ok) return ok.error();
  const std::span targets =
      std::span(part.morphs).subspan(space.first_weight - part.first_morph_weight, space.targets());
  table.positions.resize(blocks * targets.size(), {});
  table.normals.resize(blocks * targets.size(), {});
  for (std::size_t t = 0; t < targets.size(); ++t) {
    add_offsets(targets[t], targets[t].positions, t, targets.size(), table.positions);
    add_offsets(targets[t], targets[t].normals, t, targets.size(), table.normals);
  }
  return table;
}

}  // namespace supple
