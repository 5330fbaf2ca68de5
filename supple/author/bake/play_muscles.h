// Muscles along a clip: fixed steps at a rate with the state carried over, and any moment sought out by a window of
// time before it.
#pragma once

#include <functional>

#include "supple/author/bake/clip_player.h"
#include "supple/deform/vortex/dynamics.h"

namespace supple {

struct VortexPlayOptions {
  double rate = 0;              // steps a second; 0: the clip's own, see clip_rate()
  Loop loop = Loop::automatic;  // automatic: where the clip ends in the pose it begins with
  double preroll = 0;           // seconds that the first pose is held before a clip that does not loop
  /// Makes the muscles what they are at a time of the clip, where someone animates them: see advance(). Empty: as the
  /// character has them.
  std::function<void(float seconds, Kinodynamics& kinodynamics)> tune{};
};

/// States of the muscles at equal steps over a clip; show() shows them.
struct VortexTake {
  std::vector<float> times;                   // seconds of the clip, increasing, from its start to its end
  std::vector<std::vector<Vec3f>> vorticity;  // #times by #samples
  bool loops = false;
  int cycles = 1;  // that it took until the cycle closed
  /// How far the last cycle was from closing, of the largest vorticity; the last entry is the first one nevertheless.
  double gap = 0;
};

/// Sequential playback. The error says what is wrong with the clip: a single frame, too many steps. Jumps of the root
/// are carried along and told.
Result<VortexTake> play_muscles(const Character& character, const VortexTable& table, const Clip& clip,
                                const VortexPlayOptions& options = {}, Warnings* warnings = nullptr);

/// The state at `seconds` of a clip as Kinodynamics::window knows it: muscles settled that long before, at the speed
/// which led there, and played from then on. What was before is missed by about e^(-k_d window / 2) of the motion. A
/// window that begins before the clip is cut there, which is told; that of a cycle goes round.
Result<VortexState> seek_muscles(const Character& character, const VortexTable& table, const Clip& clip, double seconds,
                                 const VortexPlayOptions& options = {}, Warnings* warnings = nullptr);

}  // namespace supple
