#include "supple/author/bake/play_flesh.h"

#include <algorithm>
#include <cmath>

#include "supple/deform/flesh/frame.h"

namespace supple {
namespace {

constexpr double closed_flesh = 1e-5;      // of what an element may do: a cycle that begins where it ended
constexpr double same_place_share = 1e-3;  // of the character's size, and radians

double size_of(std::span<const Affinef> world) {
  std::vector<Vec3f> points;
  for (const Affinef& w : world) points.push_back(w.translation);
  return double{bounds(points).diagonal()};
}

bool is_cycle(const Flesh& flesh, std::span<const Affinef> first, std::span<const Affinef> last) {
  const double near = std::max(size_of(first), 1e-9) * same_place_share;
  return std::all_of(flesh.elements.begin(), flesh.elements.end(), [&](const FleshElement& e) {
    const Affined a(first[e.driver]), b(last[e.driver]);
    return length(a.translation - b.translation) <= near &&
           norm(a.linear - b.linear) <= same_place_share * norm(a.linear);
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

/// How far two moments of the flesh are apart, as a share of what each element may do.
double share_apart(const Flesh& flesh, std::span<const FleshMotion> a, std::span<const FleshMotion> b) {
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

double rate_of(const Clip& clip, const FleshPlayOptions& options) {
  return options.rate > 0 ? options.rate : clip_rate(clip);
}

/// In how many steps one that is shown is taken, so that the clip's own rate is kept.
std::size_t substeps_of(const Clip& clip, double rate) {
  return static_cast<std::size_t>(std::clamp(std::ceil(clip_rate(clip) / rate - 1e-6), 1.0, 1e3));
}

class FleshPlayer {
 public:
  FleshPlayer(const Character& character, const Clip& clip, const FleshPlayOptions& options, Warnings* warnings)
      : flesh_(character.flesh),
        clip_(clip),
        options_(options),
        warnings_(warnings),
        poses_(character, clip, rate_of(clip, options), substeps_of(clip, rate_of(clip, options))) {
    for (std::size_t i = 0; i <= poses_.steps(); ++i) worlds_.push_back(poses_.world(i));
    loops_ = options.loop == Loop::on ||
             (options.loop == Loop::automatic && is_cycle(flesh_, worlds_.front(), worlds_.back()));
    if (options.anchor == Anchor::cubic) speeds_ = speeds_of_anchors();
    settle_at(0);
  }

  bool loops() const { return loops_; }
  const ClipSteps& poses() const { return poses_; }
  const FleshState& state() const { return state_; }
  std::span<const Affinef> world(std::size_t step) const { return worlds_[step]; }
  std::vector<FleshMotion> shown() const { return state_.motions; }
  double distance(std::span<const FleshMotion> a, std::span<const FleshMotion> b) const {
    return share_apart(flesh_, a, b);
  }

  /// Holds the first pose: contacts and limits find their balance.
  void preroll() {
    const auto holds = static_cast<std::size_t>(std::ceil(options_.preroll / poses_.seconds()));
    if (holds == 0) return;
    tune(0);
    settle(flesh_, worlds_[0], state_);
    for (std::size_t i = 0; i < holds; ++i) advance(flesh_, worlds_[0], poses_.seconds(), state_);
    for (FleshElementState& e : state_.elements) e.has_velocity = e.has_spin = false;  // the clip begins in full motion
  }
  void rewind() { supple::rewind(flesh_, worlds_[0], state_); }
  /// From step - 1 to step.
  void advance_to(std::size_t step) {
    tune(step);
    if (speeds_.empty()) {
      advance(flesh_, worlds_[step], poses_.seconds(), state_);
    } else {
      advance(flesh_, worlds_[step], speeds_[step], poses_.seconds(), state_);
    }
  }
  void tell_jumps(std::size_t step) const {
    if (warnings_ == nullptr) return;
    for (std::size_t e = 0; e < state_.elements.size(); ++e) {
      if (state_.elements[e].jumped == 0) continue;
      warnings_->push_back("clip '" + clip_.name + "': '" + flesh_.elements[e].name + "' jumps by " +
                           std::to_string(state_.elements[e].jumped) + " at " + std::to_string(poses_.time(step)) +
                           " s; its flesh is carried along");
      return;  // the whole body did
    }
  }
  /// At rest at a step, about to move on.
  void settle_at(std::size_t step) {
    tune(step);
    settle(flesh_, worlds_[step], state_);
    for (std::size_t e = 0; e < state_.elements.size() && !speeds_.empty(); ++e) {
      state_.elements[e].anchor_velocity = speeds_[step][e];
      state_.elements[e].has_velocity = true;
    }
  }

 private:
  void tune(std::size_t step) {
    if (options_.tune) options_.tune(poses_.time(step), flesh_);
  }
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
    const std::vector<FleshElement>& elements = flesh_.elements;
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

  Flesh flesh_;  // as it is at the step that was reached
  const Clip& clip_;
  FleshPlayOptions options_;
  Warnings* warnings_;
  ClipSteps poses_;
  std::vector<std::vector<Affinef>> worlds_;  // #steps + 1
  std::vector<std::vector<Vec3d>> speeds_;    // the same, of a cubic motion
  bool loops_ = false;
  FleshState state_;
};

Result<void> check_flesh(const Character& character, const Clip& clip, const FleshPlayOptions& options) {
  if (character.flesh.empty())
    return Error{"clip '" + clip.name + "'", "the character has no flesh", "add some with supple add flesh"};
  return check_playable(clip, std::max(rate_of(clip, options), clip_rate(clip)), options.preroll, "flesh");
}

}  // namespace

Result<FleshTake> play_flesh(const Character& character, const Clip& clip, const FleshPlayOptions& options,
                             Warnings* warnings) {
  if (auto ok = check_flesh(character, clip, options); !ok) return ok.error();
  FleshPlayer player(character, clip, options, warnings);
  FleshTake take;
  take.loops = player.loops();
  auto times = player.poses().times();
  if (!times) return times.error();
  take.times = std::move(*times);
  if (!take.loops) player.preroll();
  const Rounds rounds = play_rounds(player.poses(), player, take.loops, closed_flesh, take.motions);
  take.cycles = rounds.cycles;
  take.gap = rounds.gap;
  if (take.loops) {
    for (std::size_t e = 0; e < take.motions.back().size(); ++e) {
      take.motions.back()[e].shift = take.motions.front()[e].shift;
      take.motions.back()[e].twist = take.motions.front()[e].twist;
    }
    if (take.gap > closed_flesh && warnings != nullptr)
      warnings->push_back("clip '" + clip.name +
                          "': the flesh swings on from cycle to cycle; more damping closes the loop");
  }
  std::vector<Transformf> local(character.skeleton.size());
  for (std::size_t i = 0; i < take.times.size(); ++i) {
    move_twins(character.flesh, player.world(i * player.poses().substeps()), take.motions[i], local);
    auto& twins = take.twins.emplace_back();
    for (const FleshElement& e : character.flesh.elements)
      for (const FleshTwin& twin : e.twins) twins.push_back(local[twin.joint]);
  }
  return take;
}

Result<FleshState> seek_flesh(const Character& character, const Clip& clip, double seconds, double error,
                              const FleshPlayOptions& options) {
  if (auto ok = check_flesh(character, clip, options); !ok) return ok.error();
  if (!(error > 0 && error < 1)) return Error{"error", "must lie between 0 and 1", ""};
  FleshPlayer player(character, clip, options, nullptr);
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
  const std::size_t whole = std::min(steps, last * max_cycles);
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
