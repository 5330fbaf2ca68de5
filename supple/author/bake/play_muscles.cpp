#include "supple/author/bake/play_muscles.h"

#include <algorithm>
#include <cmath>

namespace supple {
namespace {

constexpr double closed_muscles = 1e-4;     // of the largest vorticity: a cycle that begins where it ended
constexpr double same_muscle_place = 1e-3;  // of a muscle's length, and radians

double rate_of(const Clip& clip, const VortexPlayOptions& options) {
  return options.rate > 0 ? options.rate : clip_rate(clip);
}

class MusclePlayer {
 public:
  MusclePlayer(const Character& character, const VortexTable& table, const Clip& clip, const VortexPlayOptions& options,
               Warnings* warnings)
      : muscles_(*character.kinodynamics),
        table_(table),
        clip_(clip),
        options_(options),
        warnings_(warnings),
        poses_(character, clip, rate_of(clip, options)) {
    loops_ = options.loop == Loop::on || (options.loop == Loop::automatic && ends_where_it_begins());
  }

  bool loops() const { return loops_; }
  const ClipSteps& poses() const { return poses_; }
  const VortexState& state() const { return state_; }
  std::vector<Vec3f> shown() const {
    std::vector<Vec3f> vorticity;
    for (const Vec3d w : state_.vorticity) vorticity.push_back(Vec3f(w));
    return vorticity;
  }
  /// Of two moments, by the largest vorticity there is.
  double distance(std::span<const Vec3f> a, std::span<const Vec3f> b) const {
    float apart = 0, most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      apart = std::max(apart, length(a[i] - b[i]));
      most = std::max({most, length(a[i]), length(b[i])});
    }
    return most > 0 ? double{apart} / double{most} : 0;
  }
  void settle_at(std::size_t step) {
    tune(step);
    settle(table_, muscles_, world(step), state_);
  }
  void hold(double seconds) {
    const auto holds = static_cast<std::size_t>(std::ceil(seconds / poses_.seconds()));
    const std::vector<Affinef> first = world(0);
    for (std::size_t i = 0; i < holds; ++i) advance(table_, muscles_, first, poses_.seconds(), state_);
    for (VortexMuscleState& m : state_.muscles) m.has_motion = false;  // the clip begins in full motion
  }
  /// Begins at `at` with the speed of the step after `before`: a cycle's last step leads to its first pose.
  void start_with_speed_of(std::size_t before, std::size_t at) {
    VortexState there = state_;
    carry(table_, world(before + 1), there);
    came_from(table_, world(before), poses_.seconds(), there);
    carry(table_, world(at), there);
    for (std::size_t m = 0; m < state_.muscles.size(); ++m) {
      state_.muscles[m].motion = there.muscles[m].motion;
      state_.muscles[m].has_motion = true;
    }
  }
  void advance_to(std::size_t step) {
    tune(step);
    advance(table_, muscles_, world(step), poses_.seconds(), state_);
  }
  void rewind() { carry(table_, world(0), state_); }
  void tell_jumps(std::size_t step) const {
    if (warnings_ == nullptr) return;
    for (std::size_t m = 0; m < table_.muscles.size(); ++m) {
      if (state_.muscles[m].jumped == 0) continue;
      warnings_->push_back("clip '" + clip_.name + "': " + table_.muscles[m].name + " jumps by " +
                           std::to_string(state_.muscles[m].jumped) + " at " + std::to_string(poses_.time(step)) +
                           " s; it is carried along");
      return;  // the whole body did
    }
  }

 private:
  void tune(std::size_t step) {
    if (options_.tune) options_.tune(poses_.time(step), muscles_);
  }
  std::vector<Affinef> world(std::size_t step) const { return poses_.world(step); }
  bool ends_where_it_begins() const {
    const std::vector<Affinef> first = world(0), last = world(poses_.steps());
    return std::all_of(table_.muscles.begin(), table_.muscles.end(), [&](const VortexTableMuscle& m) {
      const MuscleFrame a = muscle_frame(m.joint, m.center, m.orientation, first);
      const MuscleFrame b = muscle_frame(m.joint, m.center, m.orientation, last);
      return length(a.origin - b.origin) <= same_muscle_place * m.length && norm(a.axes - b.axes) <= same_muscle_place;
    });
  }

  Kinodynamics muscles_;  // as they are at the step that was reached
  const VortexTable& table_;
  const Clip& clip_;
  VortexPlayOptions options_;
  Warnings* warnings_;
  ClipSteps poses_;
  bool loops_ = false;
  VortexState state_;
};

Result<void> check_muscles(const Character& character, const VortexTable& table, const Clip& clip,
                           const VortexPlayOptions& options) {
  if (!character.kinodynamics || table.muscles.empty() ||
      table.muscles.size() != character.kinodynamics->muscles.size())
    return Error{"clip '" + clip.name + "'", "the character has no muscles", "place some first"};
  return check_playable(clip, rate_of(clip, options), options.preroll, "a muscle");
}

}  // namespace

Result<VortexTake> play_muscles(const Character& character, const VortexTable& table, const Clip& clip,
                                const VortexPlayOptions& options, Warnings* warnings) {
  if (auto ok = check_muscles(character, table, clip, options); !ok) return ok.error();
  MusclePlayer player(character, table, clip, options, warnings);
  VortexTake take;
  take.loops = player.loops();
  auto times = player.poses().times();
  if (!times) return times.error();
  take.times = std::move(*times);
  player.settle_at(0);
  if (!take.loops) player.hold(options.preroll);
  const Rounds rounds = play_rounds(player.poses(), player, take.loops, closed_muscles, take.vorticity);
  take.cycles = rounds.cycles;
  take.gap = rounds.gap;
  if (take.loops) take.vorticity.back() = take.vorticity.front();
  if (take.gap > closed_muscles && warnings != nullptr)
    warnings->push_back("clip '" + clip.name +
                        "': the muscles swing on from cycle to cycle; more damping closes the loop");
  return take;
}

Result<VortexState> seek_muscles(const Character& character, const VortexTable& table, const Clip& clip, double seconds,
                                 const VortexPlayOptions& options, Warnings* warnings) {
  if (auto ok = check_muscles(character, table, clip, options); !ok) return ok.error();
  if (!std::isfinite(seconds)) return Error{"clip '" + clip.name + "'", "has no such time", "give seconds"};
  MusclePlayer player(character, table, clip, options, nullptr);
  const auto last = static_cast<long long>(player.poses().steps());
  const double from_start = std::clamp(seconds - double{clip.start()}, 0.0, double{clip.duration()});
  const long long wanted = std::llround(from_start / player.poses().seconds());
  long long window = std::llround(double{character.kinodynamics->window} / player.poses().seconds());
  if (!player.loops() && window > wanted) {
    if (warnings != nullptr && double{character.kinodynamics->window} > double{clip.duration()})
      warnings->push_back("clip '" + clip.name + "': the window of " + std::to_string(character.kinodynamics->window) +
                          " s is longer than the clip; it begins with the clip");
    window = wanted;
  }
  const long long begin = ((wanted - window) % last + last) % last;
  std::size_t at = static_cast<std::size_t>(window == 0 ? wanted : begin);
  player.settle_at(at);
  if (player.loops() || at > 0) {
    const std::size_t before = at > 0 ? at - 1 : static_cast<std::size_t>(last - 1);
    player.start_with_speed_of(before, at);
  } else if (options.preroll > 0) {
    player.hold(options.preroll);
  }
  for (long long i = 0; i < window; ++i) {
    if (at == player.poses().steps()) {
      player.rewind();
      at = 0;
    }
    player.advance_to(++at);
  }
  return player.state();
}

}  // namespace supple
