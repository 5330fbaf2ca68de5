#include "supple/deform/vortex/weights.h"

#include <algorithm>
#include <numeric>

namespace supple {
namespace {

/// The muscle's joints and the twins that flesh has borrowed weights of theirs for: #joints.
std::vector<bool> joints_of(const VortexMuscle& muscle, const Character& character) {
  std::vector<bool> own(character.skeleton.size(), false);
  for (const JointIndex j : muscle.skin_joints) own[j] = true;
  for (const FleshElement& element : character.flesh.elements)
    for (const FleshTwin& twin : element.twins)
      if (own[twin.bone]) own[twin.joint] = true;
  return own;
}

std::vector<float> weights_of(const VortexMuscle& muscle, const Character& character, std::uint32_t part_number) {
  const Part& part = character.parts[part_number];
  const std::size_t count = part.mesh.positions.size();
  if (!muscle.skin_weights.empty()) {
    std::vector<float> weights(count, 0.0f);
    for (const SkinVertexWeight& w : muscle.skin_weights)
      if (w.part == part_number) weights[w.vertex] = w.weight;
    return weights;
  }
  if (muscle.skin_joints.empty()) return std::vector<float>(count, 1.0f);
  const std::vector<bool> own = joints_of(muscle, character);
  if (!part.skin) return std::vector<float>(count, part.node != no_joint && own[part.node] ? 1.0f : 0.0f);
  constexpr float rounding = 1e-5f;  // of weights that sum to one
  std::vector<float> weights(count, 0.0f);
  for (std::size_t v = 0; v < count; ++v) {
    for (const Influence& i : part.weights.of(v))
      if (own[character.skins[*part.skin].joints[i.joint]]) weights[v] += i.weight;
    if (weights[v] > 1 - rounding) weights[v] = 1;
  }
  return weights;
}

/// Ten bits of a coordinate, spread to every third.
std::uint32_t spread_bits(std::uint32_t v) {
  v = (v | (v << 16)) & 0x030000ffu;
  v = (v | (v << 8)) & 0x0300f00fu;
  v = (v | (v << 4)) & 0x030c30c3u;
  return (v | (v << 2)) & 0x09249249u;
}

/// The order of a curve that fills space: neighbours on it are neighbours.
std::vector<std::uint32_t> along_curve(std::span<const Vec3f> positions) {
  const Box box = bounds(positions);
  const float size = std::max({box.high.x - box.low.x, box.high.y - box.low.y, box.high.z - box.low.z, 1e-30f});
  std::vector<std::uint32_t> code(positions.size()), order(positions.size());
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const Vec3f p = (positions[v] - box.low) * (1023.0f / size);
    const auto bits = [](float x) { return spread_bits(static_cast<std::uint32_t>(std::clamp(x, 0.0f, 1023.0f))); };
    code[v] = bits(p.x) | (bits(p.y) << 1) | (bits(p.z) << 2);
  }
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return code[a] < code[b]; });
  return order;
}

}  // namespace

MuscleWeights build_muscle_weights(const Character& character, std::size_t part_number) {
  MuscleWeights table;
  const std::vector<Vec3f>& positions = character.parts[part_number].mesh.positions;
  table.vertex_count = static_cast<std::uint32_t>(positions.size());
  if (!character.kinodynamics) return table;
  std::vector<std::vector<float>> weights;  // #muscles by #V
  for (const VortexMuscle& muscle : character.kinodynamics->muscles)
    weights.push_back(weights_of(muscle, character, static_cast<std::uint32_t>(part_number)));
  std::vector<std::uint32_t> order = along_curve(positions);
  std::erase_if(order, [&](std::uint32_t v) {
    return std::all_of(weights.begin(), weights.end(), [&](const std::vector<float>& w) { return w[v] == 0; });
  });
  for (std::size_t begin = 0; begin < order.size(); begin += vortex::lanes) {
    for (std::size_t i = 0; i < vortex::lanes; ++i)
      table.vertices.push_back(order[std::min(begin + i, order.size() - 1)]);
    const auto group = std::span<const std::uint32_t>(table.vertices).last(vortex::lanes);
    for (std::uint32_t m = 0; m < weights.size(); ++m) {
      const std::vector<float>& w = weights[m];
      if (std::all_of(group.begin(), group.end(), [&](std::uint32_t v) { return w[v] == 0; })) continue;
      if (std::all_of(group.begin(), group.end(), [&](std::uint32_t v) { return w[v] == 1; })) {
        table.entries.push_back({m, MuscleWeights::all_one});
        continue;
      }
      table.entries.push_back({m, static_cast<std::uint32_t>(table.weights.size())});
      for (const std::uint32_t v : group) table.weights.push_back(w[v]);
    }
    table.first.push_back(static_cast<std::uint32_t>(table.entries.size()));
  }
  return table;
}

}  // namespace supple
