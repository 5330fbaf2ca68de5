#include "supple/deform/flesh/play.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/deform/flesh/frame.h"

namespace supple {
namespace {

constexpr int most_cycles = 200;             // springs that swing longer than that never close
constexpr double closed = 1e-5;              // of the largest elongation: a cycle that begins where it ended
constexpr float same_pose_distance = 1e-3f;  // of the character's size, and radians
constexpr double undamped = 1e-12;

/// The poses of a clip at equal steps, in world space. A cycle goes on beyond its end, and from where it has got to.
class Poses {
 public:
  Poses(const Character& character, const Clip& clip, double rate)
      : character_(character), clip_(clip), start_(clip.start()) {
    steps_ = std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(double{clip.duration()} * rate)));
    seconds_ = double{clip.duration()} / static_cast<double>(steps_);
    pose_ = character.rest();
  }
  std::size_t steps() const { return steps_; }
  double seconds() const { return seconds_; }  // of a step
  float time(std::size_t step) const {
    return step == steps_ ? clip_.end() : static_cast<float>(double{start_} + seconds_ * static_cast<double>(step));
  }
  std::vector<Affinef> world(std::size_t step) {
    pose_ = character_.rest();
    sample(clip_, time(step), pose_);
    rest_twins(character_.flesh, pose_.local);
    return to_world(character_.skeleton, pose_);
  }

 private:
  const Character& character_;
  const Clip& clip_;
  float start_;
  std::size_t steps_ = 1;
  double seconds_ = 0;
  Pose pose_;
};

double size_of(std::span<const Affinef> world) {
  std::vector<Vec3f> points;
  for (const Affinef& w : world) points.push_back(w.translation);
  return double{bounds(points).diagonal()};
}

bool is_cycle(const Flesh& flesh, std::span<const Affinef> first, std::span<const Affinef> last) {
  const double near = std::max(size_of(first), 1e-9) * double{same_pose_distance};
  return std::all_of(flesh.elements.begin(), flesh.elements.end(), [&](const FleshElement& e) {
    const Affined a(first[e.driver]), b(last[e.driver]);
    return length(a.translation - b.translation) <= near &&
           norm(a.linear - b.linear) <= double{same_pose_distance} * norm(a.linear);
  });
}

/// Moves on by a cycle: anchors are where the first pose has them, at the speed they had.
void rewind(const Flesh& flesh, std::span<const Affinef> first, FleshState& state) {
  FleshState there = settled(flesh, first);
  for (std::size_t e = 0; e < state.elements.size(); ++e) {
    state.elements[e].anchor = there.elements[e].anchor;
    state.elements[e].orientation = there.elements[e].orientation;
  }
}

class Player {
 public:
  Player(const Character& character, const Clip& clip, const FleshPlayOptions& options)
      : character_(character),
        options_(options),
        poses_(character, clip, options.rate > 0 ? options.rate : clip_rate(clip)) {
    for (std::size_t i = 0; i <= poses_.steps(); ++i) worlds_.push_back(poses_.world(i));
    loops_ = options.loop == Loop::on ||
             (options.loop == Loop::automatic && is_cycle(character.flesh, worlds_.front(), worlds_.back()));
    if (options.anchor == Anchor::cubic) speeds_ = speeds_of_anchors();
    settle_at(0);
  }

  bool loops() const { return loops_; }
  const Poses& poses() const { return poses_; }
  FleshState& state() { return state_; }
  std::span<const Affinef> world(std::size_t step) const { return worlds_[step]; }

  /// Holds the first pose: contacts and limits find their balance.
  void preroll() {
    const auto holds = static_cast<std::size_t>(std::ceil(std::max(options_.preroll, 0.0) / poses_.seconds()));
    if (holds == 0) return;
    settle(character_.flesh, worlds_[0], state_);
    for (std::size_t i = 0; i < holds; ++i) advance(character_.flesh, worlds_[0], poses_.seconds(), state_);
    for (FleshElementState& e : state_.elements) e.has_velocity = false;  // the clip begins in full motion
  }
  void rewind() { supple::rewind(character_.flesh, worlds_[0], state_); }
  /// From step - 1 to step.
  void advance_to(std::size_t step) {
    if (speeds_.empty()) {
      advance(character_.flesh, worlds_[step], poses_.seconds(), state_);
    } else {
      advance(character_.flesh, worlds_[step], speeds_[step], poses_.seconds(), state_);
    }
  }
  /// At rest at a step, about to move on.
  void settle_at(std::size_t step) {
    settle(character_.flesh, worlds_[step], state_);
    for (std::size_t e = 0; e < state_.elements.size() && !speeds_.empty(); ++e) {
      state_.elements[e].anchor_velocity = speeds_[step][e];
      state_.elements[e].has_velocity = true;
    }
  }

 private:
  /// #steps + 1 by #elements.
  std::vector<std::vector<Vec3d>> speeds_of_anchors() const {
    const std::vector<FleshElement>& elements = character_.flesh.elements;
    std::vector<std::vector<Vec3d>> speeds(worlds_.size(), std::vector<Vec3d>(elements.size()));
    for (std::size_t e = 0; e < elements.size(); ++e) {
      std::vector<Vec3d> points;
      for (const std::vector<Affinef>& world : worlds_) points.push_back(flesh_frame(elements[e], world).origin);
      const std::vector<Vec3d> own = anchor_speeds(points, poses_.seconds(), loops_);
      for (std::size_t i = 0; i < own.size(); ++i) speeds[i][e] = own[i];
    }
    return speeds;
  }

  const Character& character_;
  FleshPlayOptions options_;
  Poses poses_;
  std::vector<std::vector<Affinef>> worlds_;  // #steps + 1
  std::vector<std::vector<Vec3d>> speeds_;    // the same, of a cubic motion
  bool loops_ = false;
  FleshState state_;
};

Result<void> check(const Character& character, const Clip& clip, const FleshPlayOptions& options) {
  const std::string item = "clip '" + clip.name + "'";
  if (character.flesh.empty()) return Error{item, "the character has no flesh", "add some with supple flesh"};
  if (!(clip.duration() > 0))
    return Error{item, "has a single frame: nothing moves", "flesh needs a clip with a duration"};
  const double rate = options.rate > 0 ? options.rate : clip_rate(clip);
  if (!std::isfinite(rate) || double{clip.duration()} * rate > 1e6)
    return Error{item, "would take more than a million steps", "choose a lower rate"};
  return {};
}

double distance(std::span<const FleshMotion> a, std::span<const FleshMotion> b) {
  double far = 0;
  for (std::size_t e = 0; e < a.size(); ++e) far = std::max(far, length(Vec3d(a[e].shift) - Vec3d(b[e].shift)));
  return far;
}

double largest_elongation(const Flesh& flesh) {
  double most = 0;
  for (const FleshElement& e : flesh.elements) most = std::max(most, double{e.max_elongation});
  return most;
}

void note_jumps(const FleshState& state, const Flesh& flesh, const std::string& clip, float seconds,
                Warnings* warnings) {
  if (warnings == nullptr) return;
  for (std::size_t e = 0; e < flesh.elements.size(); ++e) {
    if (state.elements[e].jumped == 0) continue;
    warnings->push_back("clip '" + clip + "': '" + flesh.elements[e].name + "' jumps by " +
                        std::to_string(state.elements[e].jumped) + " at " + std::to_string(seconds) +
                        " s; its flesh is carried along");
    return;  // the whole body did
  }
}

}  // namespace

double clip_rate(const Clip& clip) {
  std::vector<float> gaps;
  for (const Track& track : clip.tracks) {
    if (track.channel == Channel::morph_weights) continue;  // baked ones are as dense as their curves are bent
    for (std::size_t k = 1; k < track.times.size(); ++k) gaps.push_back(track.times[k] - track.times[k - 1]);
  }
  if (gaps.empty()) return 30;
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  const double rate = std::clamp(1.0 / double{*middle}, 24.0, 120.0), whole = std::round(rate);
  return std::abs(rate - whole) < 1e-3 * whole ? whole : rate;  // times are rounded to float
}

Result<FleshTake> play_flesh(const Character& character, const Clip& clip, const FleshPlayOptions& options,
                             Warnings* warnings) {
  if (auto ok = check(character, clip, options); !ok) return ok.error();
  Player player(character, clip, options);
  const std::size_t steps = player.poses().steps();
  FleshTake take;
  take.loops = player.loops();
  for (std::size_t i = 0; i <= steps; ++i) take.times.push_back(player.poses().time(i));
  if (!take.loops) player.preroll();
  const double small = closed * largest_elongation(character.flesh);
  for (take.cycles = 1;; ++take.cycles) {
    take.motions.assign(1, player.state().motions);
    for (std::size_t i = 1; i <= steps; ++i) {
      player.advance_to(i);
      if (take.cycles == 1) note_jumps(player.state(), character.flesh, clip.name, take.times[i], warnings);
      take.motions.push_back(player.state().motions);
    }
    take.gap = distance(take.motions.front(), take.motions.back());
    if (!take.loops || take.gap <= small || take.cycles == most_cycles) break;
    player.rewind();
  }
  if (take.loops) {
    for (std::size_t e = 0; e < take.motions.back().size(); ++e) {
      take.motions.back()[e].shift = take.motions.front()[e].shift;
      take.motions.back()[e].twist = take.motions.front()[e].twist;
    }
    if (take.gap > small && warnings != nullptr)
      warnings->push_back("clip '" + clip.name +
                          "': the flesh swings on from cycle to cycle; more damping closes the loop");
  } else {
    take.gap = 0;
  }
  std::vector<Transformf> local(character.skeleton.size());
  for (std::size_t i = 0; i <= steps; ++i) {
    move_twins(character.flesh, player.world(i), take.motions[i], local);
    auto& twins = take.twins.emplace_back();
    for (const FleshElement& e : character.flesh.elements)
      for (const FleshTwin& twin : e.twins) twins.push_back(local[twin.joint]);
  }
  return take;
}

double memory(const Flesh& flesh, double error) {
  double longest = 0;
  for (const FleshElement& e : flesh.elements) {
    const double air = double{e.air_friction} / double{e.mass};
    const auto last = [&](Oscillator o) {
      // The slower of the two solutions e^{-ht} e^{+-qt}.
      const double h = o.damping / 2, q2 = h * h - o.stiffness;
      const double decay = q2 > 0 ? o.stiffness / (h + std::sqrt(q2)) : h;
      longest =
          std::max(longest, decay > undamped ? std::log(1 / error) / decay : std::numeric_limits<double>::infinity());
    };
    for (const FleshSpring& s : e.springs) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        Oscillator o = oscillator(double{s.frequency}, double{s.damping_ratio});
        last({o.stiffness * double{s.axes[axis]}, o.damping + air});
      }
    }
    if (e.torsion) last(oscillator(double{e.torsion->frequency}, double{e.torsion->damping_ratio}));
  }
  return longest;
}

Result<FleshState> seek_flesh(const Character& character, const Clip& clip, double seconds, double error,
                              const FleshPlayOptions& options) {
  if (auto ok = check(character, clip, options); !ok) return ok.error();
  if (!(error > 0 && error < 1)) return Error{"error", "must lie between 0 and 1", ""};
  Player player(character, clip, options);
  const double step = player.poses().seconds();
  const auto last = static_cast<std::size_t>(player.poses().steps());
  const auto wanted = static_cast<std::size_t>(
      std::clamp(std::llround((seconds - double{clip.start()}) / step), 0ll, static_cast<long long>(last)));
  const double remembered = std::min(memory(character.flesh, error), 1e4);
  const auto steps = static_cast<std::size_t>(std::ceil(remembered / step));
  if (!player.loops()) {
    const std::size_t from = steps < wanted ? wanted - steps : 0;
    player.settle_at(from);
    if (from == 0) player.preroll();
    for (std::size_t i = from + 1; i <= wanted; ++i) player.advance_to(i);
    return player.state();
  }
  // A cycle is entered as many steps earlier as are remembered, at most as often as play_flesh() goes round.
  const std::size_t whole = std::min(steps, last * most_cycles);
  std::size_t at = (wanted + last - whole % last) % last;
  player.settle_at(at);
  for (std::size_t i = 0; i < whole; ++i) {
    if (at == last) {
      player.rewind();
      at = 0;
    }
    player.advance_to(++at);
  }
  return player.state();
}

Result<void> bake_flesh(const Character& character, Clip& clip, const FleshPlayOptions& options, Warnings* warnings) {
  const auto take = play_flesh(character, clip, options, warnings);
  if (!take) return take.error();
  const std::vector<bool> twins = twin_joints(character.flesh, character.skeleton.size());
  std::erase_if(clip.tracks, [&](const Track& t) { return t.channel != Channel::morph_weights && twins[t.target]; });
  std::size_t place = 0;
  for (const FleshElement& e : character.flesh.elements) {
    for (const FleshTwin& twin : e.twins) {
      Track shift{Channel::translation, Interpolation::linear, twin.joint, 3, take->times, {}};
      Track turn{Channel::rotation, Interpolation::linear, twin.joint, 4, take->times, {}};
      for (const std::vector<Transformf>& frame : take->twins) {
        const Vec3f t = frame[place].translation;
        const Quatf r = frame[place].rotation;
        shift.values.insert(shift.values.end(), {t.x, t.y, t.z});
        turn.values.insert(turn.values.end(), {r.x, r.y, r.z, r.w});
      }
      clip.tracks.push_back(std::move(shift));
      if (e.torsion) clip.tracks.push_back(std::move(turn));
      ++place;
    }
  }
  return {};
}

}  // namespace supple
