// Animation clips: keyframed tracks and their sampling, with glTF's interpolation rules.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "supple/rig/pose.h"

namespace supple {

enum class Channel : std::uint8_t { translation, rotation, scale, morph_weights };
enum class Interpolation : std::uint8_t { step, linear, cubic_spline };

/// Keys of one quantity. `width` floats a key (3, 4 for rotations, or the number of morph targets); CUBICSPLINE stores
/// in-tangent, value, out-tangent for each key.
struct Track {
  Channel channel = Channel::rotation;
  Interpolation interpolation = Interpolation::linear;
  std::uint32_t target = 0;  // joint; for morph_weights: the first of `width` entries of Pose::morph_weights
  std::uint32_t width = 4;
  std::vector<float> times;   // seconds, strictly increasing
  std::vector<float> values;  // #times * width (* 3 for cubic_spline)
};

struct Clip {
  std::string name;
  std::vector<Track> tracks;

  float start() const;  // of the earliest key
  float end() const;    // of the last one
  float duration() const { return end() - start(); }
};

/// Which track is malformed, and how: times that do not increase, wrong number of values, targets out of range.
Result<void> validate(const Clip& clip, std::size_t joint_count, std::size_t morph_weight_count);

/// Writes the clip's values at `seconds` into `pose`; what the clip does not animate stays as it is. Times outside a
/// track's keys take its first or last value. Does not allocate.
void sample(const Clip& clip, float seconds, Pose& pose);

/// Value of one track at a time; `out` has `width` entries.
void sample(const Track& track, float seconds, std::span<float> out);

}  // namespace supple
