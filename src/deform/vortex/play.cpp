#include "supple/deform/vortex/play.h"

#include <algorithm>
#include <cmath>

namespace supple {
namespace {

constexpr int most_cycles = 200;             // muscles that swing longer than that never close
constexpr double closed = 1e-4;              // of the largest vorticity: a cycle that begins where it ended
constexpr double same_pose_distance = 1e-3;  // of a muscle's length, and radians
constexpr double longest_preroll = 60;       // seconds

class Player {
 public:
  Player(const Character& character, const VortexTable& table, const Clip& clip, const VortexPlayOptions& options)
      : character_(character), table_(table), clip_(clip) {
    const double rate = options.rate > 0 ? options.rate : clip_rate(clip);
    steps_ = std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(double{clip.duration()} * rate)));
    seconds_ = double{clip.duration()} / static_cast<double>(steps_);
    loops_ = options.loop == Loop::on || (options.loop == Loop::automatic && ends_where_it_begins());
  }

  bool loops() const { return loops_; }
  std::size_t steps() const { return steps_; }
  double seconds() const { return seconds_; }  // of a step
  VortexState& state() { return state_; }
  float time(std::size_t step) const {
    return step == steps_ ? clip_.end()
                          : static_cast<float>(double{clip_.start()} + seconds_ * static_cast<double>(step));
  }
  void settle_at(std::size_t step) { settle(table_, muscles(), world(step), state_); }
  void hold(double seconds) {
    const auto holds = static_cast<std::size_t>(std::ceil(seconds / seconds_));
    const std::vector<Affinef> first = world(0);
    for (std::size_t i = 0; i < holds; ++i) advance(table_, muscles(), first, seconds_, state_);
    for (VortexMuscleState& m : state_.muscles) m.has_motion = false;  // the clip begins in full motion
  }
  void came_by(std::size_t before, std::size_t at) {
    // Seen from `at`: a cycle's last step leads to its first pose.
    VortexState there = state_;
    carry(table_, world(before + 1), there);
    came_from(table_, world(before), seconds_, there);
    carry(table_, world(at), there);
    for (std::size_t m = 0; m < state_.muscles.size(); ++m) {
      state_.muscles[m].motion = there.muscles[m].motion;
      state_.muscles[m].has_motion = true;
    }
  }
  void advance_to(std::size_t step) { advance(table_, muscles(), world(step), seconds_, state_); }
  void rewind() { carry(table_, world(0), state_); }

 private:
  const Kinodynamics& muscles() const { return *character_.kinodynamics; }
  std::vector<Affinef> world(std::size_t step) const {
    Pose pose = character_.at(clip_, time(step));
    rest_twins(character_.flesh, pose.local);
    return to_world(character_.skeleton, pose);
  }
  bool ends_where_it_begins() const {
    const std::vector<Affinef> first = world(0), last = world(steps_);
    return std::all_of(table_.muscles.begin(), table_.muscles.end(), [&](const VortexTableMuscle& m) {
      const MuscleFrame a = muscle_frame(m.joint, m.center, m.orientation, first);
      const MuscleFrame b = muscle_frame(m.joint, m.center, m.orientation, last);
      return length(a.origin - b.origin) <= same_pose_distance * m.length &&
             norm(a.axes - b.axes) <= same_pose_distance;
    });
  }

  const Character& character_;
  const VortexTable& table_;
  const Clip& clip_;
  std::size_t steps_ = 1;
  double seconds_ = 0;
  bool loops_ = false;
  VortexState state_;
};

Result<void> check(const Character& character, const VortexTable& table, const Clip& clip,
                   const VortexPlayOptions& options) {
  const std::string item = "clip '" + clip.name + "'";
  if (!character.kinodynamics || table.muscles.empty() ||
      table.muscles.size() != character.kinodynamics->muscles.size())
    return Error{item, "the character has no muscles", "place some first"};
  if (!(clip.duration() > 0))
    return Error{item, "has a single frame: nothing moves", "muscles need a clip with a duration"};
  const double rate = options.rate > 0 ? options.rate : clip_rate(clip);
  if (!std::isfinite(rate) || double{clip.duration()} * rate > 1e6)
    return Error{item, "would take more than a million steps", "choose a lower rate, or a shorter clip"};
  if (!(options.preroll >= 0 && options.preroll <= longest_preroll))
    return Error{"preroll", "is out of range", "choose 0 to 60 seconds"};
  return {};
}

std::vector<Vec3f> shown(const VortexState& state) {
  std::vector<Vec3f> vorticity;
  for (const Vec3d w : state.vorticity) vorticity.push_back(Vec3f(w));
  return vorticity;
}

/// Of two moments, by the largest vorticity there is.
double distance(std::span<const Vec3f> a, std::span<const Vec3f> b) {
  float apart = 0, most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    apart = std::max(apart, length(a[i] - b[i]));
    most = std::max({most, length(a[i]), length(b[i])});
  }
  return most > 0 ? double{apart} / double{most} : 0;
}

void note_jumps(const VortexState& state, const VortexTable& table, const Clip& clip, float seconds,
                Warnings* warnings) {
  if (warnings == nullptr) return;
  for (std::size_t m = 0; m < table.muscles.size(); ++m) {
    if (state.muscles[m].jumped == 0) continue;
    warnings->push_back("clip '" + clip.name + "': " + table.muscles[m].name + " jumps by " +
                        std::to_string(state.muscles[m].jumped) + " at " + std::to_string(seconds) +
                        " s; it is carried along");
    return;  // the whole body did
  }
}

}  // namespace

Result<VortexTake> play_muscles(const Character& character, const VortexTable& table, const Clip& clip,
                                const VortexPlayOptions& options, Warnings* warnings) {
  if (auto ok = check(character, table, clip, options); !ok) return ok.error();
  Player player(character, table, clip, options);
  VortexTake take;
  take.loops = player.loops();
  for (std::size_t i = 0; i <= player.steps(); ++i) take.times.push_back(player.time(i));
  for (std::size_t i = 1; i < take.times.size(); ++i)
    if (!(take.times[i] > take.times[i - 1]))
      return Error{"clip '" + clip.name + "'", "has times too large for keys this close", "let it begin at 0"};
  player.settle_at(0);
  if (!take.loops) player.hold(options.preroll);
  for (take.cycles = 1;; ++take.cycles) {
    take.vorticity.assign(1, shown(player.state()));
    for (std::size_t i = 1; i <= player.steps(); ++i) {
      player.advance_to(i);
      if (take.cycles == 1) note_jumps(player.state(), table, clip, player.time(i), warnings);
      take.vorticity.push_back(shown(player.state()));
    }
    take.gap = take.loops ? distance(take.vorticity.front(), take.vorticity.back()) : 0;
    if (!take.loops || take.gap <= closed || take.cycles == most_cycles) break;
    player.rewind();
  }
  if (take.loops) take.vorticity.back() = take.vorticity.front();
  if (take.gap > closed && warnings != nullptr)
    warnings->push_back("clip '" + clip.name +
                        "': the muscles swing on from cycle to cycle; more damping closes the loop");
  return take;
}

Result<VortexState> seek_muscles(const Character& character, const VortexTable& table, const Clip& clip, double seconds,
                                 const VortexPlayOptions& options, Warnings* warnings) {
  if (auto ok = check(character, table, clip, options); !ok) return ok.error();
  if (!std::isfinite(seconds)) return Error{"clip '" + clip.name + "'", "has no such time", "give seconds"};
  Player player(character, table, clip, options);
  const auto last = static_cast<long long>(player.steps());
  const double from_start = std::clamp(seconds - double{clip.start()}, 0.0, double{clip.duration()});
  const long long wanted = std::llround(from_start / player.seconds());
  long long window = std::llround(double{character.kinodynamics->window} / player.seconds());
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
    player.came_by(before, at);
  } else if (options.preroll > 0) {
    player.hold(options.preroll);
  }
  for (long long i = 0; i < window; ++i) {
    if (at == player.steps()) {
      player.rewind();
      at = 0;
    }
    player.advance_to(++at);
  }
  return player.state();
}

}  // namespace supple
