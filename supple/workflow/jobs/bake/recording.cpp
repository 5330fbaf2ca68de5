#include "supple/workflow/jobs/bake/recording.h"

#include <algorithm>

#include "supple/author/bake/play_flesh.h"
#include "supple/author/bake/play_muscles.h"

namespace supple::workflow {
namespace {

/// Between two steps of a take; frames mostly fall on them.
struct Between {
  std::size_t last = 0, next = 0;
  float share = 0;
};
Between between(std::span<const float> times, double seconds) {
  const auto after = std::upper_bound(times.begin(), times.end(), static_cast<float>(seconds));
  const auto next = std::min(static_cast<std::size_t>(after - times.begin()), times.size() - 1);
  const std::size_t last = next > 0 ? next - 1 : 0;
  const double span = double{times[next]} - double{times[last]};
  const double share = span > 0 ? std::clamp((seconds - double{times[last]}) / span, 0.0, 1.0) : 0.0;
  return {last, next, static_cast<float>(share)};
}

std::vector<FleshMotion> flesh_at(const FleshTake& take, double seconds) {
  const auto [last, next, t] = between(take.times, seconds);
  std::vector<FleshMotion> motions = take.motions[last];
  for (std::size_t e = 0; e < motions.size(); ++e) {
    const FleshMotion& to = take.motions[next][e];
    motions[e].shift += (to.shift - motions[e].shift) * t;
    motions[e].origin += (to.origin - motions[e].origin) * t;
    motions[e].axis = normalized(motions[e].axis + (to.axis - motions[e].axis) * t, to.axis);
    motions[e].twist += (to.twist - motions[e].twist) * t;
  }
  return motions;
}

/// Whether flesh was baked into the clip: then that is what the file plays.
bool has_flesh(const Clip& clip, const Character& character) {
  const std::vector<bool> twins = twin_joints(character.flesh, character.skeleton.size());
  return std::any_of(clip.tracks.begin(), clip.tracks.end(),
                     [&](const Track& t) { return t.channel != Channel::morph_weights && twins[t.target]; });
}

}  // namespace

Result<void> record_flesh(Recording& recording, Work& work) {
  const Character& character = recording.character;
  const Clip& clip = recording.clip;
  if (character.flesh.empty() || has_flesh(clip, character)) return {};
  if (!(clip.duration() > 0)) {  // a single pose: it hangs still
    recording.flesh.push_back(
        settled(character.flesh, to_world(character.skeleton, character.at(clip, clip.start()))).motions);
    return {};
  }
  FleshPlayOptions options;
  options.rate = recording.rate;
  const auto take = play_flesh(character, clip, options, &work.warnings);
  if (!take) return take.error();
  for (const double t : recording.times) recording.flesh.push_back(flesh_at(*take, t));
  return {};
}

Result<void> record_muscles(Recording& recording, Work& work) {
  const KinodynamicLayer* layer = recording.skin.kinodynamics();
  if (layer == nullptr || layer->muscles().muscles.empty() || !(recording.clip.duration() > 0)) return {};
  VortexPlayOptions options;
  options.rate = recording.rate;
  const auto take = play_muscles(recording.character, layer->muscles(), recording.clip, options, &work.warnings);
  if (!take) return take.error();
  for (const double seconds : recording.times) {
    const auto [last, next, t] = between(take->times, seconds);
    std::vector<Vec3f>& frame = recording.muscles.emplace_back(take->vorticity[last]);
    for (std::size_t i = 0; i < frame.size(); ++i) frame[i] += (take->vorticity[next][i] - frame[i]) * t;
  }
  return {};
}

}  // namespace supple::workflow
