// A clip played by something that swings, flesh or muscles: fixed steps at a rate, again and again until a cycle
// closes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "supple/rig/character.h"

namespace supple {

enum class Loop { automatic, on, off };

inline constexpr int max_cycles = 200;     // what swings longer than that never closes
inline constexpr double max_preroll = 60;  // seconds; what swings longer never settles

/// Steps a second that the clip's keys ask for: 1 / their usual distance, within 24 to 120; 30 without keys.
double clip_rate(const Clip& clip);

/// The poses of a clip at equal steps, in world space, twins at rest.
class ClipSteps {
 public:
  /// Steps at `rate` a second, each in `substeps`.
  ClipSteps(const Character& character, const Clip& clip, double rate, std::size_t substeps = 1);

  std::size_t steps() const { return steps_; }
  std::size_t substeps() const { return substeps_; }  // every so many steps one is shown
  double seconds() const { return seconds_; }         // of a step
  float time(std::size_t step) const;
  std::vector<Affinef> world(std::size_t step) const;
  /// Of the steps that are shown. The error says that float cannot tell them apart.
  Result<std::vector<float>> times() const;

 private:
  const Character& character_;
  const Clip& clip_;
  std::size_t steps_ = 1, substeps_ = 1;
  double seconds_ = 0;
};

/// Whether a clip can be played at `rate` steps a second; `what` ("flesh") is named in errors.
Result<void> check_playable(const Clip& clip, double rate, double preroll, const std::string& what);

/// What `play_rounds` did.
struct Rounds {
  int cycles = 1;  // until the cycle closed
  double gap = 0;  // how far the last one was from closing; 0 without a cycle
};

/// Plays all steps once, or round after round until the last frame is the first one within `closed`. A player has
/// advance_to(step), tell_jumps(step), shown(), rewind() and distance(first frame, last frame).
template <class Player, class Frame>
Rounds play_rounds(const ClipSteps& clip, Player& player, bool loops, double closed, std::vector<Frame>& frames) {
  for (Rounds rounds;; ++rounds.cycles) {
    frames.assign(1, player.shown());
    for (std::size_t i = 1; i <= clip.steps(); ++i) {
      player.advance_to(i);
      if (rounds.cycles == 1) player.tell_jumps(i);
      if (i % clip.substeps() == 0) frames.push_back(player.shown());
    }
    if (!loops) return rounds;
    rounds.gap = player.distance(frames.front(), frames.back());
    if (rounds.gap <= closed || rounds.cycles == max_cycles) return rounds;
    player.rewind();
  }
}

}  // namespace supple
