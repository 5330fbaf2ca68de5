#include "supple/author/learn/displacements.h"

#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"
#include "supple/deform/palette.h"

namespace supple::learn {
namespace {

/// A blend that keeps less than this share of the volume that its joints keep is flat: its inverse would magnify noise.
constexpr double least_volume_kept = 1e-3;
constexpr std::size_t displacements_at_once = 1024;

}  // namespace

Result<RestDisplacements> rest_displacements(const ExampleSet& set, const Character& character, std::size_t part,
                                             std::span<const std::size_t> chosen) {
  if (auto fits = check_matches(set, character, part); !fits) return fits.error();
  const Part& skin = character.parts[part];
  if (!skin.skin) return Error{"part '" + skin.name + "'", "is not bound to joints", "bind it first"};
  const SkinBinding& binding = character.skins[*skin.skin];
  RestDisplacements result;
  result.examples = chosen.size();
  result.vertices = set.vertices();
  result.positions.resize(result.examples * result.vertices);
  result.normals.resize(result.examples * result.vertices);
  std::vector<char> lost(result.vertices);
  for (std::size_t e = 0; e < chosen.size(); ++e) {
    const std::vector<Affinef> world = to_world(character.skeleton, set.pose(chosen[e]));
    std::vector<Affined> motion;
    for (std::size_t k = 0; k < binding.joints.size(); ++k)
      motion.push_back(Affined(world[binding.joints[k]]) * Affined(binding.inverse_bind[k]));
    std::vector<double> volumes;  // of the joints: far from 1 where a node above the skeleton scales it
    for (const Affined& m : motion) volumes.push_back(std::abs(determinant(m.linear)));
    // Skinning turns normals by the blend itself, as engines do, or by its inverse transpose where joints scale.
    const bool scaled =
        std::any_of(motion.begin(), motion.end(), [](const Affined& m) { return !is_rotation(Mat3f(m.linear)); });
    const auto positions = set.positions_of(chosen[e]), normals = set.normals_of(chosen[e]);
    parallel_for(result.vertices, displacements_at_once, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        Affined blend{Mat3d::diagonal({}), {}};
        double volume = 0;
        for (const Influence& i : skin.weights.of(v)) {
          blend.linear = blend.linear + motion[i.joint].linear * double{i.weight};
          blend.translation += motion[i.joint].translation * double{i.weight};
          volume += volumes[i.joint] * double{i.weight};
        }
        lost[v] = !(std::abs(determinant(blend.linear)) > least_volume_kept * volume);
        if (lost[v]) continue;
        const Mat3d back = inverse(blend.linear);
        const Vec3d at = back * (Vec3d(positions[v]) - blend.translation);
        const Vec3d normal = normalized((scaled ? transpose(blend.linear) : back) * Vec3d(normals[v]));
        result.positions[e * result.vertices + v] = Vec3f(at - Vec3d(set.rest_positions[v]));
        result.normals[e * result.vertices + v] = Vec3f(normal - Vec3d(set.rest_normals[v]));
      }
    });
    for (std::uint32_t v = 0; v < result.vertices; ++v)
      if (lost[v]) result.singular.push_back({static_cast<std::uint32_t>(e), v});
  }
  return result;
}

}  // namespace supple::learn
