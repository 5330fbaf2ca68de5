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

Result<std::size_t> part_of(const ExampleSet& set, const Character& character) {
  const auto other = [](std::string problem) {
    return Error{"example set", std::move(problem), "open the set that was made for this character"};
  };
  if (!std::equal(set.skeleton.names().begin(), set.skeleton.names().end(), character.skeleton.names().begin(),
                  character.skeleton.names().end()))
    return other("its joints are not those of the character");
  if (!set.parts.empty())
    return Error{"example set", "shows several parts (" + set.part_names() + "), and one can be compared here",
                 "open a set of one part"};
  const auto part = find_part(character, set.part);
  if (!part) return part.error();
  const std::size_t vertices = character.parts[*part].mesh.positions.size();
  if (set.vertices() != vertices) {
    return other("its skin has " + std::to_string(set.vertices()) + " vertices where part '" +
                 character.parts[*part].name + "' has " + std::to_string(vertices));
  }
  return *part;
}

Result<std::vector<double>> error_curve(OpenCharacter& character, const ExampleSet& set,
                                        std::span<const std::uint32_t> modes) {
  const auto part = part_of(set, character.character());
  if (!part) return part.error();
  std::vector<double> sums(modes.size());
  std::size_t examples = 0;
  for (std::size_t e = 0; e < set.size(); ++e) {
    if (!set.usable(e) || !is_away_from_rest(set, e)) continue;
    Pose pose = set.pose(e);
    pose.morph_weights = character.character().morph_weights;
    const auto distance = [&](const Layers& layers) -> Result<double> {
      const auto skin = character.evaluate(*part, pose, layers, Blend::linear);
      if (!skin) return skin.error();
      return squared_distance((*skin)->positions(*part), set.positions_of(e));
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
