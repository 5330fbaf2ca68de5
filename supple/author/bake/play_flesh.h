// Flesh along a clip: fixed steps at a rate, closed where the clip is a cycle. What is baked and what is shown are the
// same states.
#pragma once

#include <functional>

#include "supple/author/bake/clip_player.h"
#include "supple/deform/flesh/dynamics.h"

namespace supple {

/// How bones move between two poses: see advance().
enum class Anchor { linear, cubic };

struct FleshPlayOptions {
  double rate = 0;  // of what is shown, a second; 0: the clip's own, see clip_rate(). Steps are never coarser than that
  Anchor anchor = Anchor::cubic;
  Loop loop = Loop::automatic;  // automatic: where the clip ends in the pose it begins with
  double preroll = 1;           // seconds that the first pose is held before a clip that does not loop
  /// Makes the elements what they are at a time of the clip, where someone animates them: springs, gravity, gains, in
  /// the same number. Empty: as the character has them.
  std::function<void(float seconds, Flesh& flesh)> tune{};
};

/// States of the flesh at equal steps over a clip.
struct FleshTake {
  std::vector<float> times;                       // seconds of the clip, increasing, from its start to its end
  std::vector<std::vector<FleshMotion>> motions;  // #times by #elements
  std::vector<std::vector<Transformf>> twins;     // #times by all twins, element by element
  bool loops = false;
  int cycles = 1;  // that it took until the cycle closed
  /// How far the last cycle was from closing, of what elements may do; the last entry is the first one nevertheless.
  double gap = 0;
};

/// The error says what is wrong with the clip: a single frame, a part of no length. Jumps of the root are carried along
/// and told.
Result<FleshTake> play_flesh(const Character& character, const Clip& clip, const FleshPlayOptions& options = {},
                             Warnings* warnings = nullptr);

/// Seconds after which a state no longer knows how it began, but for `error` of it, speeds counted as what they lead
/// to. Infinite for undamped springs.
double memory(const Flesh& flesh, double error);

/// The state at `seconds` of a clip without playing it from the start: played from memory(error) earlier, at the times
/// that play_flesh() steps through. Off by at most `error` of the largest displacement where springs do not touch their
/// limits.
Result<FleshState> seek_flesh(const Character& character, const Clip& clip, double seconds, double error = 1e-3,
                              const FleshPlayOptions& options = {});

/// A clip of one frame: the flesh hangs as the pose lets it.
FleshTake still_take(const Character& character, const Clip& clip);

/// Gives a clip tracks for the twin joints; earlier ones of theirs are replaced.
void put_take(const Character& character, const FleshTake& take, Clip& clip);
/// Plays and puts.
Result<void> bake_flesh(const Character& character, Clip& clip, const FleshPlayOptions& options = {},
                        Warnings* warnings = nullptr);

}  // namespace supple
