#include "bindings/flesh_layer.h"

#include <algorithm>

namespace supple::browser {
namespace {

constexpr float earth = 9.81f;           // m/s^2
constexpr double longest_moment = 0.25;  // seconds: a page that slept does not shake the flesh when it wakes

/// Between two keys as glTF says: straight, and along the shorter arc.
Transformf mix(const Transformf& a, const Transformf& b, float t) {
  return {a.translation + (b.translation - a.translation) * t, slerp(a.rotation, b.rotation, t), a.scale};
}

}  // namespace

FleshLayer::FleshLayer(Character& character)
    : character_(character), takes_(character.clips.size()), world_(character.skeleton.size()) {
  settle(character.rest());
}

FleshParameters FleshLayer::parameters(std::size_t element) const {
  const FleshElement& e = character_.flesh.elements[element];
  return {e.springs[0].frequency, e.springs[0].damping_ratio, length(e.gravity) / earth, e.air_friction, e.gain,
          e.max_elongation};
}

void FleshLayer::set_parameters(std::size_t element, const FleshParameters& p) {
  FleshElement& e = character_.flesh.elements[element];
  const float ratio = p.frequency / e.springs[0].frequency;
  for (FleshSpring& spring : e.springs) {
    spring.frequency *= ratio;
    spring.damping_ratio = p.damping_ratio;
  }
  if (e.torsion) e.torsion->frequency *= ratio;
  e.gravity = normalized(e.gravity, Vec3f{0, -1, 0}) * (p.gravity * earth);
  e.air_friction = p.air_friction;
  e.gain = p.gain;
  e.max_elongation = p.max_elongation;
  std::fill(takes_.begin(), takes_.end(), std::nullopt);
}

void FleshLayer::find_world(std::span<const Transformf> local) { to_world(character_.skeleton, local, world_); }

/// Null where flesh cannot follow the clip: a single frame.
const FleshTake* FleshLayer::take(std::size_t clip) {
  if (!takes_[clip]) takes_[clip] = play_flesh(character_, character_.clips[clip]);
  return takes_[clip]->ok() ? &**takes_[clip] : nullptr;
}

void FleshLayer::swing(const Pose& pose, double seconds) {
  if (empty()) return;
  given_ = false;
  if (followed_) {
    auto state = seek_flesh(character_, character_.clips[followed_->clip], double{followed_->seconds});
    if (!state) return settle(pose);
    state_ = std::move(*state);
    followed_.reset();
  }
  find_world(pose.local);
  advance(character_.flesh, world_, std::clamp(seconds, 0.0, longest_moment), state_);
}

void FleshLayer::settle(const Pose& pose) {
  followed_.reset();
  given_ = false;
  find_world(pose.local);
  supple::settle(character_.flesh, world_, state_);
}

void FleshLayer::show(std::span<const FleshMotion> motions) {
  followed_.reset();
  given_ = true;
  state_.motions.assign(motions.begin(), motions.end());
}

void FleshLayer::move(std::span<Transformf> local) {
  if (empty() || given_) return;
  find_world(local);
  if (followed_) {
    if (const FleshTake* found = take(followed_->clip)) return move_along(*found, followed_->seconds, local);
    supple::settle(character_.flesh, world_, state_);
  }
  move_twins(character_.flesh, world_, state_.motions, local);
}

void FleshLayer::move_along(const FleshTake& take, float seconds, std::span<Transformf> local) {
  const auto after = std::upper_bound(take.times.begin(), take.times.end(), seconds);
  const auto next = std::min<std::size_t>(static_cast<std::size_t>(after - take.times.begin()), take.times.size() - 1);
  const std::size_t last = next > 0 ? next - 1 : 0;
  const float span = take.times[next] - take.times[last];
  const float t = span > 0 ? std::clamp((seconds - take.times[last]) / span, 0.0f, 1.0f) : 0.0f;
  for (std::size_t e = 0; e < state_.motions.size(); ++e)
    state_.motions[e] = between(take.motions[last][e], take.motions[next][e], t);
  std::size_t place = 0;
  for (const FleshElement& element : character_.flesh.elements) {
    for (const FleshTwin& twin : element.twins) {
      local[twin.joint] = mix(take.twins[last][place], take.twins[next][place], t);
      ++place;
    }
  }
}

}  // namespace supple::browser
