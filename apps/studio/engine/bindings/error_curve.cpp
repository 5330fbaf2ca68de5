#include "bindings/error_curve.h"

#include <algorithm>
#include <cmath>

namespace supple::browser {
namespace {

constexpr double at_rest = 1e-3;  // radians: files round their rotations
constexpr Layers bones_alone{LayerSource::at_rest, LayerSource::at_rest, LayerSource::at_rest, LayerSource::at_rest,
                             LayerSource::at_rest};

bool is_away_from_rest(const ExampleSet& set, std::size_t example) {
  const auto rotations = set.rotations_of(example);
  for (JointIndex j = 0; j < set.skeleton.size(); ++j)
    if (angle_between(Quatd(set.skeleton.rest(j).rotation), Quatd(rotations[j])) > at_rest) return true;
  return false;
}

double squared_distance(std::span<const Vec3f> a, std::span<const Vec3f> b) {
  double sum = 0;
  for (std::size_t v = 0; v < a.size(); ++v) sum += squared_length(Vec3d(a[v]) - Vec3d(b[v]));
  return sum;
}

}  // namespace

Result<std::vector<std::size_t>> shown_parts(const ExampleSet& set, const Character& character) {
  const auto other = [](std::string problem) {
    return Error{"example set", std::move(problem), "open the set that was made for this character"};
  };
  if (!std::equal(set.skeleton.names().begin(), set.skeleton.names().end(), character.skeleton.names().begin(),
                  character.skeleton.names().end()))
    return other("its joints are not those of the character");
  auto parts = parts_of(set, character);
  if (!parts) return parts.error();
  for (std::size_t k = 0; k < parts->size(); ++k) {
    const Part& part = character.parts[(*parts)[k]];
    const std::size_t vertices = set.parts.empty() ? set.vertices() : set.parts[k].vertices;
    if (part.mesh.positions.size() != vertices) {
      return other("its skin has " + std::to_string(vertices) + " vertices where part '" + part.name + "' has " +
                   std::to_string(part.mesh.positions.size()));
    }
  }
  return parts;
}

Result<std::vector<double>> error_curve(OpenCharacter& character, const ExampleSet& set,
                                        std::span<const std::uint32_t> modes) {
  const auto parts = shown_parts(set, character.character());
  if (!parts) return parts.error();
  std::vector<double> sums(modes.size());
  std::size_t examples = 0;
  for (std::size_t e = 0; e < set.size(); ++e) {
    if (!set.usable(e) || !is_away_from_rest(set, e)) continue;
    Pose pose = set.pose(e);
    pose.morph_weights = character.character().morph_weights;
    const auto distance = [&](const Layers& layers) -> Result<double> {
      double sum = 0;
      std::size_t first = 0;  // vertex of the part in the set
      for (const std::size_t part : *parts) {
        const auto skin = character.evaluate(part, pose, layers, Blend::linear);
        if (!skin) return skin.error();
        const std::span<const Vec3f> own = (*skin)->positions(part);
        sum += squared_distance(own, set.positions_of(e).subspan(first, own.size()));
        first += own.size();
      }
      return sum;
    };
    const auto blend = distance(bones_alone);
    if (!blend) return blend.error();
    for (std::size_t m = 0; m < modes.size(); ++m) {
      Layers layers;
      layers.max_modes = modes[m];
      const auto own = distance(layers);
      if (!own) return own.error();
      if (*blend > 0) sums[m] += std::sqrt(*own / *blend);
    }
    ++examples;
  }
  if (examples == 0) return Error{"example set", "has no usable example away from rest", "add poses to the set"};
  for (double& sum : sums) sum /= static_cast<double>(examples);
  return sums;
}

}  // namespace supple::browser
