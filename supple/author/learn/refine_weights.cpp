#include "supple/author/learn/refine_weights.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "supple/base/parallel.h"
#include "supple/geometry/topology.h"
#include "supple/rig/bind_pose.h"

namespace supple::learn {
namespace {

constexpr std::size_t candidates = 6;  // joints considered for a vertex
constexpr double stiffness = 7.5e-6;   // times the squared size: holds weights that examples leave open
constexpr int iterations = 300;        // of the accelerated gradient method
constexpr int refinement_smoothings = 3;
constexpr std::size_t refined_at_once = 64;

using Row = std::array<double, candidates>;

struct Candidates {
  std::array<std::uint32_t, candidates> joints{};
  Row weights{};  // at first
  std::size_t count = 0;
};

/// The vertex's joints, heaviest first, then joints above and below those.
Candidates candidates_of(std::span<const Influence> influences, const SkinBinding& binding, const Skeleton& skeleton) {
  Candidates result;
  const auto add = [&](std::uint32_t joint, double weight) {
    const auto end = result.joints.begin() + static_cast<std::ptrdiff_t>(result.count);
    if (result.count == candidates || std::find(result.joints.begin(), end, joint) != end) return;
    result.joints[result.count] = joint;
    result.weights[result.count++] = weight;
  };
  for (const Influence& i : influences) add(i.joint, double{i.weight});
  for (const Influence& i : influences) {
    const JointIndex j = binding.joints[i.joint];
    for (std::uint32_t k = 0; k < binding.joints.size(); ++k) {
      const JointIndex other = binding.joints[k];
      if (skeleton.parent(other) == j || skeleton.parent(j) == other) add(k, 0);
    }
  }
  return result;
}

/// Nearest point of the simplex (Duchi et al. 2008).
Row onto_simplex(const Row& w, std::size_t count) {
  Row sorted{};
  for (std::size_t k = 0; k < count; ++k) {  // by insertion: there are six at most
    std::size_t at = k;
    for (; at > 0 && sorted[at - 1] < w[k]; --at) sorted[at] = sorted[at - 1];
    sorted[at] = w[k];
  }
  double sum = 0, shift = 0;
  for (std::size_t k = 0; k < count; ++k) {
    sum += sorted[k];
    const double candidate = (sum - 1) / static_cast<double>(k + 1);
    if (sorted[k] > candidate) shift = candidate;
  }
  Row result{};
  for (std::size_t k = 0; k < count; ++k) result[k] = std::max(0.0, w[k] - shift);
  return result;
}

/// Minimises w' h w / 2 - g' w on the simplex.
Row solve_on_simplex(const std::array<Row, candidates>& h, const Row& g, const Row& start, std::size_t count) {
  double bound = 0;  // of the largest eigenvalue
  for (std::size_t i = 0; i < count; ++i) {
    double row = 0;
    for (std::size_t j = 0; j < count; ++j) row += std::abs(h[i][j]);
    bound = std::max(bound, row);
  }
  Row w = start, y = start;
  double t = 1;
  for (int step = 0; step < iterations; ++step) {
    Row next = y;
    for (std::size_t i = 0; i < count; ++i) {
      double gradient = -g[i];
      for (std::size_t j = 0; j < count; ++j) gradient += h[i][j] * y[j];
      next[i] -= gradient / bound;
    }
    next = onto_simplex(next, count);
    const double t_next = (1 + std::sqrt(1 + 4 * t * t)) / 2;
    for (std::size_t i = 0; i < count; ++i) y[i] = next[i] + (t - 1) / t_next * (next[i] - w[i]);
    w = next;
    t = t_next;
  }
  return w;
}

/// Sums over the examples of squared distances between an example and linear blend, m^2, of each vertex.
std::vector<double> squared_errors(const ExampleSet& set, std::span<const std::size_t> examples,
                                   const std::vector<std::vector<Affined>>& motion, const SkinWeights& weights) {
  std::vector<double> errors(set.vertices(), 0.0);
  parallel_for(errors.size(), refined_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      for (std::size_t e = 0; e < examples.size(); ++e) {
        Vec3d at{};
        for (const Influence& i : weights.of(v))
          at += motion[e][i.joint].point(Vec3d(set.rest_positions[v])) * double{i.weight};
        errors[v] +=
            double{set.examples[examples[e]].weight} * squared_length(at - Vec3d(set.positions_of(examples[e])[v]));
      }
    }
  });
  return errors;
}

double root_mean(std::span<const double> squares, double count) {
  double sum = 0;
  for (const double s : squares) sum += s;
  return std::sqrt(sum / std::max(1.0, count));
}

bool changed(std::span<const Influence> before, std::span<const Influence> after) {
  double difference = 0;
  for (const Influence& b : before) {
    const auto same = std::find_if(after.begin(), after.end(), [&](const Influence& a) { return a.joint == b.joint; });
    difference += std::abs(double{b.weight} - (same == after.end() ? 0 : double{same->weight}));
  }
  return difference > 1e-3;
}

/// Umbrella smoothing over the welded surface, all joints of the skin as columns.
SkinWeights smoothed(const SkinWeights& weights, const Part& part, std::size_t joints) {
  const Weld seams = weld(part.mesh.positions);
  const Adjacency neighbours = vertex_neighbours(seams.points(), welded_triangles(part.mesh.triangles, seams));
  std::vector<double> rows(seams.points() * joints, 0.0);
  for (std::size_t p = 0; p < seams.points(); ++p)
    for (const Influence& i : weights.of(seams.to_vertex[p])) rows[p * joints + i.joint] = double{i.weight};
  for (int step = 0; step < refinement_smoothings; ++step) {
    std::vector<double> next = rows;
    for (std::size_t p = 0; p < seams.points(); ++p) {
      const auto around = neighbours.of(p);
      for (std::size_t j = 0; j < joints && !around.empty(); ++j) {
        double sum = 0;
        for (const std::uint32_t q : around) sum += rows[q * joints + j];
        next[p * joints + j] = (rows[p * joints + j] + sum / static_cast<double>(around.size())) / 2;
      }
    }
    rows = std::move(next);
  }
  SkinWeights result;
  std::vector<Influence> influences;
  for (std::size_t v = 0; v < weights.vertices(); ++v) {
    influences.clear();
    for (std::uint32_t j = 0; j < joints; ++j) {
      const double w = rows[seams.to_point[v] * joints + j];
      if (w > 1e-4) influences.push_back({j, static_cast<float>(w)});
    }
    result.push_vertex(influences);
  }
  clean(result, joints, 0, 1.0f);
  return result;
}

}  // namespace

Result<Refinement> refine_weights(const ExampleSet& set, Character& character, std::size_t part,
                                  const Progress& progress) {
  if (auto fits = check_matches(set, character, part); !fits) return fits.error();
  Part& surface = character.parts[part];
  if (!surface.skin) return Error{"part '" + surface.name + "'", "is not bound to joints", "bind it first"};
  const SkinBinding& binding = character.skins[*surface.skin];
  std::vector<std::size_t> examples;
  for (std::size_t i = 0; i < set.size(); ++i)
    if (set.usable(i) && set.examples[i].role == Role::train && set.examples[i].weight > 0) examples.push_back(i);
  if (examples.empty())
    return Error{"example set", "has no usable training example", "give some examples the role 'train'"};
  const auto motion_in = [&](const Pose& pose) {
    const std::vector<Affinef> world = to_world(character.skeleton, pose);
    std::vector<Affined> matrices;
    for (std::size_t k = 0; k < binding.joints.size(); ++k)
      matrices.push_back(Affined(world[binding.joints[k]]) * Affined(binding.inverse_bind[k]));
    return matrices;
  };
  const std::vector<Affined> at_rest = motion_in(character.rest());
  std::vector<std::vector<Affined>> motion;
  for (const std::size_t e : examples) motion.push_back(motion_in(set.pose(e)));
  Refinement result;
  const std::vector<double> before = squared_errors(set, examples, motion, surface.weights);
  report(progress, "refining weights", 0);
  std::vector<Candidates> solved(set.vertices());
  const double size = double{size_of(character, surface)} * mesh_to_world(character, surface);
  const double hold = stiffness * std::pow(size, 2);
  double all = 0;
  for (const std::size_t e : examples) all += double{set.examples[e].weight};
  parallel_for(set.vertices(), refined_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      Candidates& c = solved[v] = candidates_of(surface.weights.of(v), binding, character.skeleton);
      std::array<Row, candidates> h{};
      Row g{};
      const Vec3d rest(set.rest_positions[v]);
      Vec3d resting{};  // the same in the world
      for (const Influence& i : surface.weights.of(v)) resting += at_rest[i.joint].point(rest) * double{i.weight};
      for (std::size_t e = 0; e < examples.size(); ++e) {
        const double share = double{set.examples[examples[e]].weight} / all;
        // Relative to rest: weights sum to one, and the numbers stay small.
        const Vec3d wanted = Vec3d(set.positions_of(examples[e])[v]) - resting;
        std::array<Vec3d, candidates> at{};
        for (std::size_t k = 0; k < c.count; ++k) at[k] = motion[e][c.joints[k]].point(rest) - resting;
        for (std::size_t i = 0; i < c.count; ++i) {
          g[i] += share * dot(at[i], wanted);
          for (std::size_t j = 0; j < c.count; ++j) h[i][j] += share * dot(at[i], at[j]);
        }
      }
      for (std::size_t i = 0; i < c.count; ++i) {
        h[i][i] += hold;
        g[i] += hold * c.weights[i];
      }
      c.weights = solve_on_simplex(h, g, c.weights, c.count);
    }
  });
  SkinWeights fitted;
  for (const Candidates& c : solved) {
    std::vector<Influence> influences;
    for (std::size_t k = 0; k < c.count; ++k)
      if (c.weights[k] > 0) influences.push_back({c.joints[k], static_cast<float>(c.weights[k])});
    fitted.push_vertex(influences);
  }
  clean(fitted, binding.joints.size(), 0, 1.0f);
  const std::size_t influences = std::max<std::size_t>(surface.weights.max_influences(), 1);
  const SkinWeights even = top_influences(smoothed(fitted, surface, binding.joints.size()), influences);
  // What no example speaks about stays as it was, and so does what smoothing and fewer influences made worse.
  const std::vector<double> evened = squared_errors(set, examples, motion, even);
  SkinWeights refined;
  for (std::size_t v = 0; v < set.vertices(); ++v) {
    const bool better = evened[v] < before[v] && changed(surface.weights.of(v), fitted.of(v));
    refined.push_vertex(better ? even.of(v) : surface.weights.of(v));
    result.changed_vertices += better;
  }
  clean(refined, binding.joints.size(), 0, 1.0f);
  const double count = all * static_cast<double>(set.vertices());
  result.rms_before = root_mean(before, count);
  result.rms_after = root_mean(squared_errors(set, examples, motion, refined), count);
  surface.weights = std::move(refined);
  report(progress, "refining weights", 1);
  return result;
}

}  // namespace supple::learn
