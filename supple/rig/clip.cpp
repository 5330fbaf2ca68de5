#include "supple/rig/clip.h"

#include <algorithm>
#include <cmath>

namespace supple {
namespace {

/// Keys around a time: value = blend of keys `left` and `left + 1` at `t` in [0, 1].
struct Interval {
  std::size_t left;
  float t, seconds;  // position within and length of the interval
};

Interval find_interval(std::span<const float> times, float seconds) {
  if (times.size() < 2 || !(seconds > times.front())) return {0, 0, 0};  // NaN too
  if (seconds >= times.back()) return {times.size() - 1, 0, 0};
  const auto after = std::upper_bound(times.begin(), times.end(), seconds);
  const auto left = static_cast<std::size_t>(after - times.begin()) - 1;
  const float span = times[left + 1] - times[left];
  return {left, (seconds - times[left]) / span, span};
}

void set_rotation(std::span<float> out, Quatf q) {
  q = normalized(q);
  out[0] = q.x, out[1] = q.y, out[2] = q.z, out[3] = q.w;
}

Quatf rotation(const float* v) { return {v[0], v[1], v[2], v[3]}; }

/// Hermite spline of glTF's appendix C; `value(k)` gives in-tangent, value and out-tangent of key k one after another.
void sample_cubic(const Track& track, const Interval& at, std::span<float> out) {
  const std::size_t width = track.width;
  const float* key = track.values.data() + at.left * 3 * width;
  if (at.seconds == 0) {
    std::copy_n(key + width, width, out.begin());
  } else {
    const float* next = key + 3 * width;
    const float t = at.t, t2 = t * t, t3 = t2 * t;
    for (std::size_t i = 0; i < width; ++i) {
      out[i] = (2 * t3 - 3 * t2 + 1) * key[width + i] + at.seconds * (t3 - 2 * t2 + t) * key[2 * width + i] +
               (-2 * t3 + 3 * t2) * next[width + i] + at.seconds * (t3 - t2) * next[i];
    }
  }
  if (track.channel == Channel::rotation) set_rotation(out, rotation(out.data()));
}

}  // namespace

float Clip::start() const {
  float result = 0;
  bool any = false;
  for (const Track& t : tracks) {
    if (t.times.empty()) continue;
    result = any ? std::min(result, t.times.front()) : t.times.front();
    any = true;
  }
  return result;
}

float Clip::end() const {
  float result = 0;
  for (const Track& t : tracks) {
    if (!t.times.empty()) result = std::max(result, t.times.back());
  }
  return result;
}

Result<void> validate(const Clip& clip, std::size_t joint_count, std::size_t morph_weight_count) {
  for (std::size_t i = 0; i < clip.tracks.size(); ++i) {
    const Track& t = clip.tracks[i];
    const auto wrong = [&](std::string problem) {
      return Error{"clip '" + clip.name + "', track " + std::to_string(i), std::move(problem), ""};
    };
    const bool morph = t.channel == Channel::morph_weights;
    const std::uint32_t width = morph ? t.width : t.channel == Channel::rotation ? 4 : 3;
    if (t.width != width)
      return wrong("has " + std::to_string(t.width) + " values a key instead of " + std::to_string(width));
    if (t.times.empty()) return wrong("has no keys");
    if (morph ? std::size_t{t.target} + t.width > morph_weight_count : t.target >= joint_count) {
      return wrong("moves something that does not exist (" + std::to_string(t.target) + ")");
    }
    const std::size_t per_key = t.width * std::size_t{t.interpolation == Interpolation::cubic_spline ? 3u : 1u};
    if (t.values.size() != t.times.size() * per_key) {
      return wrong("has " + std::to_string(t.values.size()) + " values for " + std::to_string(t.times.size()) +
                   " keys");
    }
    for (std::size_t k = 0; k < t.times.size(); ++k) {
      if (!std::isfinite(t.times[k]) || t.times[k] < 0) return wrong("has a bad time at key " + std::to_string(k));
      if (k > 0 && t.times[k] <= t.times[k - 1])
        return wrong("has times that do not increase at key " + std::to_string(k));
    }
    const auto bad = std::find_if(t.values.begin(), t.values.end(), [](float v) { return !std::isfinite(v); });
    if (bad != t.values.end()) {
      return wrong("has a value that is not finite at key " +
                   std::to_string(static_cast<std::size_t>(bad - t.values.begin()) / per_key));
    }
  }
  return {};
}

void sample(const Track& track, float seconds, std::span<float> out) {
  const Interval at = find_interval(track.times, seconds);
  const std::size_t width = track.width;
  if (track.interpolation == Interpolation::cubic_spline) return sample_cubic(track, at, out);
  const float* key = track.values.data() + at.left * width;
  if (track.interpolation == Interpolation::step || at.seconds == 0) {
    std::copy_n(key, width, out.begin());
    if (track.channel == Channel::rotation) set_rotation(out, rotation(key));  // files store rounded quaternions
    return;
  }
  const float* next = key + width;
  if (track.channel == Channel::rotation) {
    set_rotation(out, slerp(rotation(key), rotation(next), at.t));
    return;
  }
  for (std::size_t i = 0; i < width; ++i) out[i] = key[i] + (next[i] - key[i]) * at.t;
}

void sample(const Clip& clip, float seconds, Pose& pose) {
  for (const Track& track : clip.tracks) {
    if (track.channel == Channel::morph_weights) {
      sample(track, seconds, std::span(pose.morph_weights).subspan(track.target, track.width));
      continue;
    }
    float v[4];
    sample(track, seconds, std::span(v, track.width));
    Transformf& local = pose.local[track.target];
    if (track.channel == Channel::rotation) {
      local.rotation = rotation(v);
    } else {
      (track.channel == Channel::translation ? local.translation : local.scale) = {v[0], v[1], v[2]};
    }
  }
}

}  // namespace supple
