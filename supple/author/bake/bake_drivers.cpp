#include "supple/author/bake/bake_drivers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "supple/base/parallel.h"
#include "supple/rig/deformers.h"

namespace supple {
namespace {

constexpr float shortest_interval = 1.0f / 240;  // seconds; no display shows more

/// The morph weights of one mesh, which a track sets all at once.
struct Block {
  std::uint32_t first = 0, count = 0;
  std::uint32_t end() const { return first + count; }
  bool holds(const MorphDriver& d) const { return d.first_weight < end() && first < d.first_weight + d.targets(); }
  bool holds(const PoseSpace& s) const { return first <= s.first_weight && s.first_weight < end(); }
  bool holds(const Track& t) const {
    return t.channel == Channel::morph_weights && t.target < end() && first < t.target + t.width;
  }
  friend auto operator<=>(const Block&, const Block&) = default;
};

/// Each once, however many parts share it.
std::vector<Block> blocks_of(const Character& character) {
  std::vector<Block> blocks;
  for (const Part& part : character.parts) {
    if (!part.morphs.empty())
      blocks.push_back({part.first_morph_weight, static_cast<std::uint32_t>(part.morphs.size())});
  }
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

bool is_driven(const std::vector<bool>& driven, const Block& block) {
  const auto first = driven.begin() + block.first;
  return std::find(first, first + block.count, true) != first + block.count;
}

/// Joints that move some vertex of the strips, and all above them.
std::vector<bool> carriers(const WrinkleTable& wrinkles, const Skeleton& skeleton) {
  std::vector<bool> carries(skeleton.size());
  for (const WrinkleTable::Influence& influence : wrinkles.influences)
    for (JointIndex j = influence.joint; j != no_joint && !carries[j]; j = skeleton.parent(j)) carries[j] = true;
  return carries;
}

/// A weight track that moves only what is driven was baked before: its ends are all that counts, or keys would pile up
/// from one baking to the next.
Track without_baked_keys(const Track& track, const std::vector<bool>& driven) {
  if (track.interpolation == Interpolation::cubic_spline || track.times.size() < 3) return track;
  for (std::size_t i = track.width; i < track.values.size(); ++i) {
    const std::size_t w = i % track.width;
    if (!driven[track.target + w] && track.values[i] != track.values[w]) return track;
  }
  Track ends = track;
  ends.times = {track.times.front(), track.times.back()};
  ends.values.erase(ends.values.begin() + track.width, ends.values.end() - track.width);
  return ends;
}

/// The tracks of a clip that can change the weights of one mesh.
struct Sources {
  Sources(const Character& character, const Clip& clip, Block block) {
    std::vector<bool> follows(character.skeleton.size());
    for (const MorphDriver& driver : character.drivers) {
      if (!block.holds(driver)) continue;
      for (const JointIndex j : driver.joints) follows[j] = true;
    }
    if (character.pose_space && block.holds(*character.pose_space))
      for (const JointIndex j : character.pose_space->joints) follows[j] = true;
    Layers wrinkles_alone;
    wrinkles_alone.drivers = wrinkles_alone.pose_space = LayerSource::at_rest;
    const WeightLayers layers =
        WeightLayers::make(character, wrinkles_alone, {block.first, block.count}).value();  // it is valid
    const std::vector<bool> carries = carriers(layers.wrinkles(), character.skeleton);
    const std::vector<bool> driven = moved_weights(character);
    bool moves = false;
    for (const Track& track : clip.tracks) {
      const bool moves_mesh = track.channel != Channel::morph_weights &&
                              (carries[track.target] || (track.channel == Channel::rotation && follows[track.target]));
      if (moves_mesh) tracks.push_back(track);
      if (block.holds(track)) tracks.push_back(without_baked_keys(track, driven));
      moves = moves || moves_mesh;
    }
    changes = moves || (layers.wrinkles().size() > 0 && !tracks.empty());
  }

  std::vector<Track> tracks;
  /// Whether driven weights change in the course of the clip: it moves a joint that drivers or wrinkles of this mesh
  /// follow, or targets that wrinkles see.
  bool changes = false;
};

/// All morph weights along a clip: the clip's own and, over them, those of the layers. Meshes that ask for the same
/// times share the answers.
class DrivenWeights {
 public:
  DrivenWeights(const Character& character, const Clip& clip)
      : pose_(character.rest()), layers_(WeightLayers::make(character).value()) {  // a valid character has them
    const std::vector<bool> driven = moved_weights(character);
    for (const Track& track : clip.tracks)
      sources_.tracks.push_back(track.channel == Channel::morph_weights ? without_baked_keys(track, driven) : track);
  }

  std::vector<float> at(float seconds, Block block) {
    auto known = known_.find(seconds);
    if (known == known_.end()) {
      if (known_.size() * pose_.morph_weights.size() > most_known) known_.clear();
      sample(sources_, seconds, pose_);  // all that the tracks or the layers set is set anew: no trace of earlier times
      layers_.drive({}, pose_);
      known = known_.emplace(seconds, pose_.morph_weights).first;
    }
    const auto weights = std::span(std::as_const(known->second)).subspan(block.first, block.count);
    return {weights.begin(), weights.end()};
  }

 private:
  static constexpr std::size_t most_known = 1 << 24;  // numbers: 64 MiB

  Clip sources_;
  Pose pose_;
  WeightLayers layers_;
  std::unordered_map<float, std::vector<float>> known_;  // by seconds
};

struct Key {
  float seconds = 0;
  std::vector<float> weights;
};

bool is_straight(DrivenWeights& weights, Block block, const Key& a, const Key& b, double tolerance) {
  for (const float part : {0.5f, 0.25f, 0.75f}) {
    const float seconds = a.seconds + (b.seconds - a.seconds) * part;
    const float t = (seconds - a.seconds) / (b.seconds - a.seconds);
    const std::vector<float> wanted = weights.at(seconds, block);
    for (std::size_t w = 0; w < wanted.size(); ++w) {
      const float got = a.weights[w] + (b.weights[w] - a.weights[w]) * t;
      if (std::abs(double{got} - double{wanted[w]}) > tolerance) return false;
    }
  }
  return true;
}

/// Appends the keys that are needed after `a`, up to `b`.
void append_keys(DrivenWeights& weights, Block block, const Key& a, const Key& b, double tolerance,
                 std::vector<Key>& keys) {
  const float middle = a.seconds + (b.seconds - a.seconds) / 2;
  const bool divisible = b.seconds - a.seconds >= shortest_interval && a.seconds < middle && middle < b.seconds;
  if (divisible && !is_straight(weights, block, a, b, tolerance)) {
    const Key between{middle, weights.at(middle, block)};
    append_keys(weights, block, a, between, tolerance, keys);
    append_keys(weights, block, between, b, tolerance, keys);
  } else {
    keys.push_back(b);
  }
}

std::vector<float> key_times(std::span<const Track> tracks) {
  std::vector<float> times;
  for (const Track& track : tracks) times.insert(times.end(), track.times.begin(), track.times.end());
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

Track weight_track(Block block, std::span<const Key> keys, Interpolation interpolation) {
  Track track{Channel::morph_weights, interpolation, block.first, block.count, {}, {}};
  for (const Key& key : keys) {
    track.times.push_back(key.seconds);
    track.values.insert(track.values.end(), key.weights.begin(), key.weights.end());
  }
  return track;
}

Track follow_joints(DrivenWeights& weights, std::span<const Track> sources, Block block, double tolerance) {
  const bool steps = std::all_of(sources.begin(), sources.end(),
                                 [](const Track& t) { return t.interpolation == Interpolation::step; });
  // A kink between the points that is_straight looks at can rise a third higher than it sees.
  const double seen = 0.75 * tolerance;
  std::vector<Key> keys;
  for (const float seconds : key_times(sources)) {
    Key key{seconds, weights.at(seconds, block)};
    if (steps || keys.empty()) {
      keys.push_back(std::move(key));
    } else {
      const Key before = keys.back();
      append_keys(weights, block, before, key, seen, keys);
    }
  }
  return weight_track(block, keys, steps ? Interpolation::step : Interpolation::linear);
}

/// A track of some of the weights becomes one of all, with its own keys; the other weights rest, driven ones included.
Track widen(const Track& track, Block block, std::span<const float> resting, const std::vector<bool>& driven) {
  std::vector<bool> kept(block.count);
  for (std::uint32_t w = std::max(block.first, track.target); w < std::min(block.end(), track.target + track.width);
       ++w)
    kept[w - block.first] = !driven[w];
  Track wide{Channel::morph_weights, track.interpolation, block.first, block.count, track.times, {}};
  const bool spline = track.interpolation == Interpolation::cubic_spline;
  for (std::size_t row = 0; row < track.values.size() / track.width; ++row) {
    const bool is_tangent = spline && row % 3 != 1;
    for (std::uint32_t w = 0; w < block.count; ++w) {
      const float rest = is_tangent ? 0.0f : resting[w];
      wide.values.push_back(kept[w] ? track.values[row * track.width + block.first + w - track.target] : rest);
    }
  }
  return wide;
}

/// The track that a clip needs for one mesh, if any.
std::vector<Track> baked(const Character& character, const Clip& clip, DrivenWeights& weights, Block block,
                         double tolerance) {
  const Sources sources(character, clip, block);
  if (sources.changes) return {follow_joints(weights, sources.tracks, block, tolerance)};
  const Key start{clip.start(), weights.at(clip.start(), block)};
  if (!sources.tracks.empty()) return {widen(sources.tracks.back(), block, start.weights, moved_weights(character))};
  const auto rest = std::span(character.morph_weights).subspan(block.first, block.count);
  if (std::equal(rest.begin(), rest.end(), start.weights.begin())) return {};
  return {weight_track(block, {&start, 1}, Interpolation::linear)};
}

}  // namespace

void bake_drivers(const Character& character, Clip& clip, double tolerance) {
  std::vector<Track> made;
  std::vector<Block> driven = blocks_of(character);
  const std::vector<bool> moved = moved_weights(character);
  std::erase_if(driven, [&](const Block& block) { return !is_driven(moved, block); });
  if (driven.empty()) return;
  DrivenWeights weights(character, clip);
  for (const Block& block : driven) {
    for (Track& track : baked(character, clip, weights, block, tolerance)) made.push_back(std::move(track));
  }
  std::erase_if(clip.tracks, [&](const Track& track) {
    return std::any_of(driven.begin(), driven.end(), [&](const Block& block) { return block.holds(track); });
  });
  for (Track& track : made) clip.tracks.push_back(std::move(track));
}

void bake_drivers(Character& character, double tolerance) {
  const auto bake = [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) bake_drivers(character, character.clips[c], tolerance);
  };
  parallel_for(character.clips.size(), 1, bake);
}

Clip snapshot_clip(const Character& character, Pose pose, std::string name, const Layers& layers) {
  // Players loop: some divide by the duration, so there must be one; a second is a whole number of frames at any rate.
  constexpr std::array<float, 2> times{0, 1};
  Clip clip{std::move(name), {}};
  const auto hold = [&](Channel channel, std::uint32_t target, std::span<const float> value) {
    Track track{channel, Interpolation::linear, target, static_cast<std::uint32_t>(value.size()), {}, {}};
    for (const float seconds : times) {
      track.times.push_back(seconds);
      track.values.insert(track.values.end(), value.begin(), value.end());
    }
    clip.tracks.push_back(std::move(track));
  };
  for (JointIndex j = 0; j < character.skeleton.size(); ++j) {
    const auto& [t, r, s] = pose.local[j];
    const Transformf& rest = character.skeleton.rest(j);
    if (t != rest.translation) hold(Channel::translation, j, std::array{t.x, t.y, t.z});
    if (r != rest.rotation) hold(Channel::rotation, j, std::array{r.x, r.y, r.z, r.w});
    if (s != rest.scale) hold(Channel::scale, j, std::array{s.x, s.y, s.z});
  }
  drive_morph_weights(character, pose, layers);
  for (const Block& block : blocks_of(character)) {
    const auto weights = std::span(std::as_const(pose.morph_weights)).subspan(block.first, block.count);
    if (!std::equal(weights.begin(), weights.end(), character.morph_weights.begin() + block.first))
      hold(Channel::morph_weights, block.first, weights);
  }
  return clip;
}

}  // namespace supple
