#include "supple/rig/reduce_influences.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "supple/base/parallel.h"

namespace supple {
namespace {

constexpr std::size_t most_moments = 120;  // of all clips together

struct Moment {
  std::string clip;
  float seconds = 0;
  std::vector<Affinef> world;  // #joints
};

std::vector<Moment> moments_of(const Character& c) {
  std::vector<Moment> moments;
  const std::size_t each = std::max<std::size_t>(2, most_moments / std::max<std::size_t>(1, c.clips.size()));
  for (const Clip& clip : c.clips) {
    for (std::size_t i = 0; i < each; ++i) {
      const float seconds = clip.start() + clip.duration() * static_cast<float>(i) / static_cast<float>(each - 1);
      moments.push_back({clip.name, seconds, to_world(c.skeleton, c.at(clip, seconds))});
    }
  }
  return moments;
}

/// What reduction asks about joints: #joints.
struct TwinTable {
  std::vector<JointIndex> bone;  // of a twin, or no_joint
  std::vector<float> reach;      // of a twin
};

TwinTable twin_table(const Character& c) {
  TwinTable table{std::vector<JointIndex>(c.skeleton.size(), no_joint), std::vector<float>(c.skeleton.size(), 1)};
  for (const FleshElement& e : c.flesh.elements) {
    for (const FleshTwin& twin : e.twins) {
      table.bone[twin.joint] = twin.bone;
      table.reach[twin.joint] = e.reach;
    }
  }
  return table;
}

/// One vertex while it gives up influences.
class Vertex {
 public:
  Vertex(const SkinBinding& skin, const TwinTable& twins, std::span<const Moment> moments, Vec3f rest,
         std::span<const Influence> influences)
      : skin_(skin), twins_(twins), moments_(moments) {
    for (const Influence& i : influences) {
      own_.push_back(i);
      for (const Moment& m : moments)
        columns_.push_back((m.world[skin.joints[i.joint]] * skin.inverse_bind[i.joint]).point(rest));
    }
    start_.assign(influences.begin(), influences.end());
  }

  bool folded() const { return folded_; }

  /// Gives up the influence without which the vertex stays nearest to where it started.
  void give_up_one() {
    std::vector<Influence> best;
    bool best_folds = false;
    double least = std::numeric_limits<double>::infinity();
    const auto consider = [&](std::vector<Influence> weights, double cost, bool folds) {
      if (!(cost < least)) return;
      least = cost;
      best = std::move(weights);
      best_folds = folds;
    };
    for (std::size_t k = 0; k < own_.size(); ++k) {
      if (own_[k].weight <= 0) continue;
      const std::size_t bone = bone_of(k);
      if (moments_.empty()) {
        consider(bone < own_.size() ? given(k, bone) : spread(k), cost_without_clips(k), bone < own_.size());
        continue;
      }
      consider(spread(k), error(spread(k)), false);
      for (std::size_t to = 0; to < own_.size(); ++to)
        if (to != k && own_[to].weight > 0) consider(given(k, to), error(given(k, to)), to == bone);
    }
    own_ = std::move(best);
    folded_ = folded_ || best_folds;
  }

  std::vector<Influence> left() const {
    std::vector<Influence> result;
    for (const Influence& i : own_)
      if (i.weight > 0) result.push_back(i);
    return result;
  }

 private:
  /// Place of the influence that takes a twin's weight, or their number for bones and for twins whose bone is not among
  /// them.
  std::size_t bone_of(std::size_t k) const {
    const JointIndex bone = twins_.bone[skin_.joints[own_[k].joint]];
    for (std::size_t i = 0; bone != no_joint && i < own_.size(); ++i)
      if (skin_.joints[own_[i].joint] == bone && own_[i].weight > 0) return i;
    return own_.size();
  }
  /// The weight of k goes to another.
  std::vector<Influence> given(std::size_t k, std::size_t to) const {
    std::vector<Influence> weights = own_;
    weights[to].weight += std::exchange(weights[k].weight, 0.0f);
    return weights;
  }
  /// ... to all others alike.
  std::vector<Influence> spread(std::size_t k) const {
    std::vector<Influence> weights = own_;
    weights[k].weight = 0;
    double sum = 0;
    for (const Influence& i : weights) sum += double{i.weight};
    for (Influence& i : weights) i.weight = static_cast<float>(i.weight / sum);
    return weights;
  }
  double cost_without_clips(std::size_t k) const {
    const JointIndex joint = skin_.joints[own_[k].joint];
    const double weight = double{own_[k].weight};
    // A twin moves by centimetres, a bone by decimetres.
    return twins_.bone[joint] != no_joint ? weight * double{twins_.reach[joint]} : 10 * weight;
  }
  /// The largest distance over the moments, squared.
  double error(const std::vector<Influence>& weights) const {
    double worst = 0;
    for (std::size_t m = 0; m < moments_.size(); ++m) {
      Vec3d off{};
      for (std::size_t k = 0; k < weights.size(); ++k)
        off += Vec3d(columns_[k * moments_.size() + m]) * (double{weights[k].weight} - double{start_[k].weight});
      worst = std::max(worst, dot(off, off));
    }
    return worst;
  }

  const SkinBinding& skin_;
  const TwinTable& twins_;
  std::span<const Moment> moments_;
  std::vector<Influence> own_, start_;  // the same joints; weight 0: given up
  std::vector<Vec3f> columns_;          // #influences by #moments: where each alone takes the vertex
  bool folded_ = false;
};

Vec3d blended(const SkinBinding& skin, const Moment& moment, Vec3f rest, std::span<const Influence> influences) {
  Vec3d sum{};
  for (const Influence& i : influences)
    sum += Vec3d((moment.world[skin.joints[i.joint]] * skin.inverse_bind[i.joint]).point(rest)) * double{i.weight};
  return sum;
}

void find_worst(const Character& c, std::size_t p, std::span<const Moment> moments, const SkinWeights& before,
                ReducedInfluences& found) {
  const Part& part = c.parts[p];
  const SkinBinding& skin = c.skins[*part.skin];
  for (std::size_t v = 0; v < part.weights.vertices(); ++v) {
    const auto was = before.of(v), is = part.weights.of(v);
    if (std::equal(was.begin(), was.end(), is.begin(), is.end())) continue;
    for (const Moment& m : moments) {
      const Vec3f rest = part.mesh.positions[v];
      const double off = length(blended(skin, m, rest, is) - blended(skin, m, rest, was));
      if (off <= found.worst) continue;
      found.worst = off;
      found.part = p;
      found.vertex = static_cast<std::uint32_t>(v);
      found.joint = skin.joints[is[0].joint];
      found.clip = m.clip;
      found.seconds = m.seconds;
    }
  }
}

}  // namespace

ReducedInfluences reduce_influences(Character& c, std::size_t influences, std::optional<std::size_t> only_part) {
  ReducedInfluences reduced;
  const TwinTable twins = twin_table(c);
  const std::vector<Moment> moments = moments_of(c);
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    Part& part = c.parts[p];
    if (!part.skin || part.weights.max_influences() <= influences || (only_part && *only_part != p)) continue;
    const SkinBinding& skin = c.skins[*part.skin];
    const SkinWeights before = part.weights, plain = top_influences(before, influences);
    std::vector<std::vector<Influence>> left(before.vertices());
    std::vector<char> folded(before.vertices());
    parallel_for(before.vertices(), 64, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        const auto own = before.of(v);
        const bool has_twins = std::any_of(
            own.begin(), own.end(), [&](const Influence& i) { return twins.bone[skin.joints[i.joint]] != no_joint; });
        if (own.size() <= influences || !has_twins) {
          left[v].assign(plain.of(v).begin(), plain.of(v).end());
          continue;
        }
        Vertex vertex(skin, twins, moments, part.mesh.positions[v], own);
        for (std::size_t n = own.size(); n > influences; --n) vertex.give_up_one();
        left[v] = vertex.left();
        folded[v] = vertex.folded() ? 1 : 0;
      }
    });
    part.weights = {};
    for (std::size_t v = 0; v < before.vertices(); ++v) {
      part.weights.push_vertex(left[v]);
      reduced.vertices += before.of(v).size() > influences ? 1 : 0;
      reduced.folded += folded[v] != 0 ? 1 : 0;
    }
    clean(part.weights, skin.joints.size());
    find_worst(c, p, moments, before, reduced);
  }
  return reduced;
}

}  // namespace supple
