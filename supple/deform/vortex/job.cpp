#include "supple/deform/vortex/job.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/base/parallel.h"

namespace supple {
namespace {

constexpr std::size_t groups_a_chunk = 8;
/// Of the shortest reach at work: a flow that goes further than this takes two steps. One step goes so far, .6 of a
/// muscle's radius by default, to within a thousandth of it.
constexpr float far_by_reach = 0.15f;
/// Sets that act on one group at most: far more than are ever in reach of one place.
constexpr std::size_t most_sets = 256;
constexpr std::size_t runs_a_set = 3;

struct Sphere {
  Vec3f center{};
  float radius = 0;
};

Sphere around(const float* points) {
  Vec3f low{points[0], points[vortex::lanes], points[2 * vortex::lanes]}, high = low;
  for (std::size_t i = 1; i < vortex::lanes; ++i) {
    const Vec3f p{points[i], points[vortex::lanes + i], points[2 * vortex::lanes + i]};
    low = min(low, p);
    high = max(high, p);
  }
  return {(low + high) * 0.5f, length(high - low) * 0.5f};
}

/// The sets that can move a group's points on their way, and with which weights.
class Reaching {
 public:
  explicit Reaching(const VortexState& state) : state_(state) {}

  std::size_t count() const { return count_; }
  void add(std::uint32_t set, const float* weights) {
    sets_[count_] = set;
    weights_[count_++] = weights;
    way_ += state_.set_states[set].fastest;
    shortest_ = std::min(shortest_, 1 / state_.sets[set].inverse_reach);
  }
  bool has(std::uint32_t set) const { return std::find(sets_, sets_ + count_, set) != sets_ + count_; }
  bool is_full() const { return count_ == most_sets; }
  /// Metres that these sets can carry a point.
  float way() const { return way_; }

  /// Of a group of points within a sphere; none: all vortices count.
  void flow(const vortex::Kernel& kernel, const Sphere* sphere, float* points) const {
    vortex::Run runs[most_sets * runs_a_set];
    std::size_t count = 0;
    for (std::size_t i = 0; i < count_; ++i) count += find_runs(i, sphere, runs + count);
    if (count == 0) return;
    kernel.flow({state_.vortices.data(), state_.sets.data(), runs, count, points, shortest_ * far_by_reach});
  }

 private:
  /// The patches of a set that are near, neighbours together; where they lie scattered, with what lies between.
  std::size_t find_runs(std::size_t i, const Sphere* sphere, vortex::Run* runs) const {
    const vortex::Set& set = state_.sets[sets_[i]];
    if (sphere == nullptr) {
      runs[0] = {sets_[i], set.first, set.count, weights_[i]};
      return 1;
    }
    const VortexPatch* patch = state_.patches.data() + state_.set_states[sets_[i]].first_patch;
    const float reach = 1 / set.inverse_reach + sphere->radius + way_;
    std::size_t found = 0;
    for (std::uint32_t first = 0; first < set.count; first += VortexPatch::most, ++patch) {
      const float most = reach + patch->radius;
      if (squared_length(sphere->center - patch->center) > most * most) continue;
      const std::uint32_t begin = set.first + first, end = set.first + std::min(first + VortexPatch::most, set.count);
      vortex::Run* last = found > 0 ? runs + found - 1 : nullptr;
      if (last != nullptr && (last->first + last->count == begin || found == runs_a_set)) {
        last->count = end - last->first;
      } else {
        runs[found++] = {sets_[i], begin, end - begin, weights_[i]};
      }
    }
    return found;
  }

  const VortexState& state_;
  std::uint32_t sets_[most_sets];
  const float* weights_[most_sets];
  std::size_t count_ = 0;
  float way_ = 0, shortest_ = std::numeric_limits<float>::max();
};

bool is_near(const VortexState& state, std::uint32_t set, const Sphere& group, float way) {
  const float* center = state.sets[set].center;
  const Vec3f apart = group.center - Vec3f{center[0], center[1], center[2]};
  const float most = state.set_states[set].reach + group.radius + way;
  return !(squared_length(apart) > most * most);
}

class Layer {
 public:
  explicit Layer(const VortexJob& job) : job_(job), kernel_(job.kernel != nullptr ? *job.kernel : vortex::best()) {}

  void move(std::size_t group) const {
    const std::uint32_t* vertices = job_.weights->vertices.data() + group * vortex::lanes;
    alignas(64) float points[3 * vortex::lanes];
    for (std::size_t i = 0; i < vortex::lanes; ++i)
      for (std::size_t k = 0; k < 3; ++k) points[k * vortex::lanes + i] = job_.positions[vertices[i]][k];
    Reaching reaching(*job_.state);
    const Sphere sphere = around(points);
    find(group, sphere, reaching);
    if (reaching.count() == 0) return;
    reaching.flow(kernel_, &sphere, points);
    for (std::size_t i = 0; i < vortex::lanes; ++i)
      job_.positions[vertices[i]] = {points[i], points[vortex::lanes + i], points[2 * vortex::lanes + i]};
  }

 private:
  /// Those at hand first; then those that they could carry a point to, until none is new.
  void find(std::size_t group, const Sphere& sphere, Reaching& reaching) const {
    const MuscleWeights& w = *job_.weights;
    const VortexState& state = *job_.state;
    for (std::size_t before = most_sets; before != reaching.count();) {
      before = reaching.count();
      const float way = reaching.way();
      for (std::uint32_t e = w.first[group]; e < w.first[group + 1]; ++e) {
        const MuscleWeights::Entry& entry = w.entries[e];
        const float* weights = entry.weights == MuscleWeights::all_one ? nullptr : w.weights.data() + entry.weights;
        const auto try_set = [&](std::uint32_t set) {
          if (state.set_states[set].moves && !reaching.is_full() && is_near(state, set, sphere, way) &&
              !reaching.has(set))
            reaching.add(set, weights);
        };
        try_set(entry.muscle);
        for (std::size_t p = 0; p < job_.table->plastic_muscles.size(); ++p)
          if (job_.table->plastic_muscles[p].muscle == entry.muscle)
            try_set(static_cast<std::uint32_t>(job_.table->muscles.size() + p));
      }
    }
  }

  const VortexJob& job_;
  const vortex::Kernel& kernel_;
};

}  // namespace

Result<void> VortexJob::validate() const {
  const auto wrong = [](const char* problem) { return Error{"vortex job", problem, ""}; };
  if (table == nullptr || state == nullptr || weights == nullptr) return wrong("has no table, state or weights");
  if (state->muscles.size() != table->muscles.size() || state->vorticity.size() != table->positions.size())
    return wrong("has a state of another table");
  if (positions.size() != weights->vertex_count) return wrong("does not have one position per vertex");
  return {};
}

void VortexJob::run() const {
  const auto moves = [](const VortexSetState& s) { return s.moves; };
  if (std::none_of(state->set_states.begin(), state->set_states.end(), moves)) return;
  const Layer layer(*this);
  parallel_for(
      weights->groups(), groups_a_chunk,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t g = begin; g < end; ++g) layer.move(g);
      },
      threads);
}

void muscle_shapes(const VortexTable& table, const VortexState& state, std::span<Vec3f> positions) {
  for (std::uint32_t m = 0; m < table.muscles.size(); ++m) {
    const VortexTableMuscle& muscle = table.muscles[m];
    Reaching own(state);
    for (std::uint32_t s = 0; s < state.sets.size(); ++s)
      if (state.set_states[s].muscle == m && state.set_states[s].moves) own.add(s, nullptr);
    for (std::uint32_t first = 0; first < muscle.points; first += vortex::lanes) {
      const auto point = [&](std::size_t i) {
        return muscle.first_point + std::min<std::size_t>(first + i, muscle.points - 1);
      };
      alignas(64) float points[3 * vortex::lanes];
      for (std::size_t i = 0; i < vortex::lanes; ++i) {
        const Vec3f p(state.muscles[m].frame.point(Vec3d(table.surface[point(i)])));
        for (std::size_t k = 0; k < 3; ++k) points[k * vortex::lanes + i] = p[k];
      }
      if (own.count() > 0) own.flow(vortex::best(), nullptr, points);
      for (std::size_t i = 0; i < vortex::lanes; ++i)
        positions[point(i)] = {points[i], points[vortex::lanes + i], points[2 * vortex::lanes + i]};
    }
  }
}

}  // namespace supple
