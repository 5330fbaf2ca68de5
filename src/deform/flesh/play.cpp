#include "supple/deform/flesh/play.h"

#include <algorithm>
#include <cmath>

#include "supple/deform/flesh/frame.h"

namespace supple {
namespace {

constexpr int most_cycles = 200;             // springs that swing longer than that never close
constexpr double closed = 1e-5;              // of what an element may do: a cycle that begins where it ended
constexpr float same_pose_distance = 1e-3f;  // of the character's size, and radians
constexpr double longest_preroll = 60;       // seconds; flesh that swings longer never settles

/// The poses of a clip at equal steps, in world space. A cycle goes on beyond its end, and from where it has got to.
class Poses {
 public:
  /// Steps at the rate that is wanted, each in so many that the clip's own rate is kept.
  Poses(const Character& character, const Clip& clip, double rate)
      : character_(character), clip_(clip), start_(clip.start()) {
    steps_ = std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(double{clip.duration()} * rate)));
    const double finer = std::ceil(clip_rate(clip) / rate - 1e-6);
    kept_ = static_cast<std::size_t>(std::clamp(finer, 1.0, 1e3));
    steps_ *= kept_;
    seconds_ = double{clip.duration()} / static_cast<double>(steps_);
    pose_ = character.rest();
  }
  std::size_t steps() const { return steps_; }
  std::size_t kept() const { return kept_; }   // every so many steps one is shown
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
  std::size_t steps_ = 1, kept_ = 1;
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
    state.motions[e].origin = there.motions[e].origin;
    state.motions[e].axis = there.motions[e].axis;
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
    const auto holds = static_cast<std::size_t>(std::ceil(options_.preroll / poses_.seconds()));
    if (holds == 0) return;
    settle(character_.flesh, worlds_[0], state_);
    for (std::size_t i = 0; i < holds; ++i) advance(character_.flesh, worlds_[0], poses_.seconds(), state_);
    for (FleshElementState& e : state_.elements) e.has_velocity = e.has_spin = false;  // the clip begins in full motion
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
  /// Where a body was put elsewhere the path goes on as it went: no spline runs through a jump.
  void take_out_jumps(const FleshElement& element, std::span<Vec3d> points) const {
    Vec3d jumped{}, before = points[0], last{};
    for (std::size_t i = 1; i < points.size(); ++i) {
      Vec3d way = points[i] - before;
      const Vec3d speed = last / poses_.seconds();
      before = points[i];
      if (is_put_elsewhere(element, way, i > 1 ? &speed : nullptr, poses_.seconds())) {
        jumped += way - last;
        way = last;
      }
      last = way;
      points[i] -= jumped;
    }
  }

  /// #steps + 1 by #elements.
  std::vector<std::vector<Vec3d>> speeds_of_anchors() const {
    const std::vector<FleshElement>& elements = character_.flesh.elements;
    std::vector<std::vector<Vec3d>> speeds(worlds_.size(), std::vector<Vec3d>(elements.size()));
    for (std::size_t e = 0; e < elements.size(); ++e) {
      std::vector<Vec3d> points;
      for (const std::vector<Affinef>& world : worlds_) points.push_back(flesh_frame(elements[e], world).origin);
      take_out_jumps(elements[e], points);
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
  if (!std::isfinite(rate) || double{clip.duration()} * std::max(rate, clip_rate(clip)) > 1e6)
    return Error{item, "would take more than a million steps", "choose a lower rate, or a shorter clip"};
  if (!(options.preroll >= 0 && options.preroll <= longest_preroll))
    return Error{"preroll", "is out of range", "choose 0 to 60 seconds"};
  return {};
}

/// How far two moments of the flesh are apart, as a share of what each element may do.
double distance(const Flesh& flesh, std::span<const FleshMotion> a, std::span<const FleshMotion> b) {
  double far = 0;
  for (std::size_t e = 0; e < a.size(); ++e) {
    const FleshElement& element = flesh.elements[e];
    const double most = std::max(double{element.max_elongation}, 1e-9);
    far = std::max(far, length(Vec3d(a[e].shift) - Vec3d(b[e].shift)) / most);
    if (element.torsion)
      far = std::max(
          far, std::abs(double{a[e].twist} - double{b[e].twist}) / std::max(double{element.torsion->max_angle}, 1e-3));
  }
  return far;
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
  const std::size_t steps = player.poses().steps(), kept = player.poses().kept();
  FleshTake take;
  take.loops = player.loops();
  for (std::size_t i = 0; i <= steps; i += kept) take.times.push_back(player.poses().time(i));
  for (std::size_t i = 1; i < take.times.size(); ++i) {
    if (!(take.times[i] > take.times[i - 1]))
      return Error{"clip '" + clip.name + "'", "has times too large for keys this close", "let it begin at 0"};
  }
  if (!take.loops) player.preroll();
  for (take.cycles = 1;; ++take.cycles) {
    take.motions.assign(1, player.state().motions);
    for (std::size_t i = 1; i <= steps; ++i) {
      player.advance_to(i);
      if (take.cycles == 1) note_jumps(player.state(), character.flesh, clip.name, player.poses().time(i), warnings);
      if (i % kept == 0) take.motions.push_back(player.state().motions);
    }
    take.gap = distance(character.flesh, take.motions.front(), take.motions.back());
    if (!take.loops || take.gap <= closed || take.cycles == most_cycles) break;
    player.rewind();
  }
  if (take.loops) {
    for (std::size_t e = 0; e < take.motions.back().size(); ++e) {
      take.motions.back()[e].shift = take.motions.front()[e].shift;
      take.motions.back()[e].twist = take.motions.front()[e].twist;
    }
    if (take.gap > closed && warnings != nullptr)
      warnings->push_back("clip '" + clip.name +
                          "': the flesh swings on from cycle to cycle; more damping closes the loop");
  } else {
    take.gap = 0;
  }
  std::vector<Transformf> local(character.skeleton.size());
  for (std::size_t i = 0; i < take.times.size(); ++i) {
    move_twins(character.flesh, player.world(i * kept), take.motions[i], local);
    auto& twins = take.twins.emplace_back();
    for (const FleshElement& e : character.flesh.elements)
      for (const FleshTwin& twin : e.twins) twins.push_back(local[twin.joint]);
  }
  return take;
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

}  // namespace supple
