#include "supple/author/bake/clip_player.h"

#include <algorithm>
#include <cmath>

#include "supple/deform/flesh/dynamics.h"

namespace supple {

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

ClipSteps::ClipSteps(const Character& character, const Clip& clip, double rate, std::size_t substeps)
    : character_(character), clip_(clip), substeps_(substeps) {
  steps_ = std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(double{clip.duration()} * rate))) * substeps;
  seconds_ = double{clip.duration()} / static_cast<double>(steps_);
}

float ClipSteps::time(std::size_t step) const {
  return step == steps_ ? clip_.end()
                        : static_cast<float>(double{clip_.start()} + seconds_ * static_cast<double>(step));
}

std::vector<Affinef> ClipSteps::world(std::size_t step) const {
  Pose pose = character_.at(clip_, time(step));
  rest_twins(character_.flesh, pose.local);
  return to_world(character_.skeleton, pose);
}

Result<std::vector<float>> ClipSteps::times() const {
  std::vector<float> result;
  for (std::size_t i = 0; i <= steps_; i += substeps_) {
    result.push_back(time(i));
    if (i > 0 && !(result.back() > result[result.size() - 2]))
      return Error{"clip '" + clip_.name + "'", "has times too large for keys this close", "let it begin at 0"};
  }
  return result;
}

Result<void> check_playable(const Clip& clip, double rate, double preroll, const std::string& what) {
  const std::string item = "clip '" + clip.name + "'";
  if (!(clip.duration() > 0))
    return Error{item, "has a single frame: nothing moves", what + " needs a clip with a duration"};
  if (!std::isfinite(rate) || double{clip.duration()} * rate > 1e6)
    return Error{item, "would take more than a million steps", "choose a lower rate, or a shorter clip"};
  if (!(preroll >= 0 && preroll <= max_preroll)) return Error{"preroll", "is out of range", "choose 0 to 60 seconds"};
  return {};
}

}  // namespace supple
