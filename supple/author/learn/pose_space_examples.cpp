#include "supple/author/learn/pose_space_examples.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "supple/base/parallel.h"
#include "supple/deform/pose_space/coefficients.h"
#include "supple/deform/pose_space/influence.h"

namespace supple::learn {
namespace {

constexpr double repeated_pose = 0.035;  // radians: two degrees
constexpr double largest_weight = 3;
constexpr float ridges[] = {0, 1e-6f, 1e-5f, 1e-4f, 1e-3f, 1e-2f, 1e-1f};
constexpr std::size_t most_probed_vertices = 256;

double squared_distance(std::span<const Quatf> a, std::span<const Quatf> b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double angle = angle_between(Quatd(a[k]), Quatd(b[k]));
    sum += angle * angle;
  }
  return sum;
}

/// (angle / radius)^2 of every joint between poses and the examples: #poses, each #joints * #examples.
using SquaredAngles = std::vector<std::vector<double>>;

SquaredAngles squared_angles_of(const PoseSpace& space, const std::vector<std::vector<Quatf>>& poses) {
  const std::size_t joints = space.joints.size(), n = space.examples();
  SquaredAngles result;
  for (const auto& pose : poses) {
    auto& angles = result.emplace_back(joints * n);
    for (std::size_t k = 0; k < joints; ++k)
      for (std::size_t e = 0; e < n; ++e)
        angles[k * n + e] =
            std::pow(angle_between(Quatd(pose[k]), Quatd(space.settings[e * joints + k])) / double{space.radius}, 2);
  }
  return result;
}

void distances_at(const std::vector<double>& angles, std::span<const double> u, std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t k = 0; k < u.size(); ++k)
    for (std::size_t e = 0; e < out.size(); ++e) out[e] += u[k] * angles[k * out.size() + e];
}

/// What different vertices feel of the joints, floor included; not more than can be looked at in a second.
std::vector<std::vector<double>> felt_joints(const Character& character, const PoseSpace& space) {
  const JointInfluences influences(character, space);
  std::vector<double> u(space.joints.size());
  std::set<std::vector<float>> different;  // to a hundredth
  std::vector<std::vector<double>> result;
  for (std::size_t v = 0; v < character.parts[space.part].mesh.positions.size(); ++v) {
    influences.of(v, u);
    std::vector<float> rough;
    for (double& x : u) {
      rough.push_back(std::round(static_cast<float>(x) * 100));
      if (space.influence != JointInfluence::equal) x += double{space.floor};
    }
    if (different.insert(std::move(rough)).second) result.push_back(u);
  }
  if (result.size() <= most_probed_vertices) return result;
  std::vector<std::vector<double>> some;
  for (std::size_t i = 0; i < most_probed_vertices; ++i)
    some.push_back(std::move(result[i * result.size() / most_probed_vertices]));
  return some;
}

/// Each example, and poses beside it: halfway to its neighbour, to the one farthest away and to rest, and beyond it.
struct Probes {
  std::vector<std::vector<Quatf>> examples, beside;
};

Probes probes_of(const PoseSpace& space) {
  const std::size_t joints = space.joints.size();
  Probes result;
  for (std::size_t e = 0; e < space.examples(); ++e)
    result.examples.emplace_back(space.settings.begin() + static_cast<std::ptrdiff_t>(e * joints),
                                 space.settings.begin() + static_cast<std::ptrdiff_t>((e + 1) * joints));
  for (std::size_t e = 1; e < result.examples.size(); ++e) {
    std::size_t nearest = 0, farthest = 0;
    const auto distance_to = [&](std::size_t other) {
      return squared_distance(result.examples[e], result.examples[other]);
    };
    for (std::size_t other = 1; other < result.examples.size(); ++other) {
      if (other == e) continue;
      if (distance_to(other) < distance_to(nearest)) nearest = other;
      if (distance_to(other) > distance_to(farthest)) farthest = other;
    }
    for (const std::size_t other : {nearest, farthest, std::size_t{0}}) {
      auto& pose = result.beside.emplace_back();
      for (std::size_t k = 0; k < joints; ++k)
        pose.push_back(slerp(result.examples[e][k], result.examples[other][k], 0.5f));
    }
    auto& beyond = result.beside.emplace_back();
    for (std::size_t k = 0; k < joints; ++k) {
      const Quatf q = result.examples[e][k];
      beyond.push_back(normalized(q * slerp(Quatf{}, q, 0.5f)));
    }
  }
  return result;
}

}  // namespace

std::vector<PoseGroup> pick_poses(const std::vector<std::vector<Quatf>>& settings, std::size_t most) {
  std::vector<PoseGroup> groups;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const PoseGroup& g) {
      return squared_distance(settings[g.members[0]], settings[i]) < repeated_pose * repeated_pose;
    });
    if (same == groups.end()) {
      groups.push_back({{i}});
    } else {
      same->members.push_back(i);
    }
  }
  if (groups.size() <= most) return groups;
  const std::vector<Quatf> rest(settings[0].size());
  std::vector<double> to_nearest;
  for (const PoseGroup& g : groups) to_nearest.push_back(squared_distance(settings[g.members[0]], rest));
  std::vector<bool> kept(groups.size());
  for (std::size_t picked = 0; picked < most; ++picked) {
    const auto farthest =
        static_cast<std::size_t>(std::max_element(to_nearest.begin(), to_nearest.end()) - to_nearest.begin());
    kept[farthest] = true;
    for (std::size_t g = 0; g < groups.size(); ++g)
      to_nearest[g] = kept[g] ? -1
                              : std::min(to_nearest[g], squared_distance(settings[groups[g].members[0]],
                                                                         settings[groups[farthest].members[0]]));
  }
  std::vector<PoseGroup> result;
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (kept[g]) result.push_back(std::move(groups[g]));
  return result;
}

float needed_ridge(const Character& character, const PoseSpace& space) {
  const std::size_t n = space.examples();
  const std::vector<std::vector<double>> felt = felt_joints(character, space);
  const Probes probes = probes_of(space);
  const SquaredAngles between = squared_angles_of(space, probes.examples);
  const SquaredAngles beside = squared_angles_of(space, probes.beside);
  const auto largest_at = [&](std::span<const double> u, float ridge) {
    std::vector<double> distances(n * n), coefficients(n * (n + 1) / 2), to(n), weights(n - 1);
    for (std::size_t e = 0; e < n; ++e) distances_at(between[e], u, std::span(distances).subspan(e * n, n));
    if (!solve_coefficients(distances, n, double{ridge}, coefficients)) return std::numeric_limits<double>::infinity();
    double largest = 0;
    for (const std::vector<double>& pose : beside) {
      distances_at(pose, u, to);
      mix(coefficients, to, weights);
      for (const double w : weights) largest = std::max(largest, std::abs(w));
    }
    return largest;
  };
  for (const float ridge : ridges) {
    std::vector<char> fits(felt.size());
    parallel_for(felt.size(), 4, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) fits[i] = largest_at(felt[i], ridge) <= largest_weight;
    });
    if (std::all_of(fits.begin(), fits.end(), [](char f) { return f != 0; })) return ridge;
  }
  return ridges[std::size(ridges) - 1];
}

}  // namespace supple::learn
