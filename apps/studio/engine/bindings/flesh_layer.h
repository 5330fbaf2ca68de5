// The flesh of a character on the page: along a clip as the exported file plays it, or swinging after joints that
// something else moves.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "supple/author/bake/play_flesh.h"
#include "supple/rig/character.h"

namespace supple::browser {

/// What the page's sliders set of an element.
struct FleshParameters {
  float frequency = 0;      // Hz, of its first spring; the others and the torsion keep their ratio to it
  float damping_ratio = 0;  // of all its springs
  float gravity = 0;        // times that of the earth, in the element's own direction
  float air_friction = 0;   // kg/s
  float gain = 0;
  float max_elongation = 0;  // metres
};

class FleshLayer {
 public:
  /// The character must outlive it.
  explicit FleshLayer(Character& character);

  bool empty() const { return character_.flesh.empty(); }
  FleshParameters parameters(std::size_t element) const;
  void set_parameters(std::size_t element, const FleshParameters& parameters);

  /// From now on flesh is what the clip has at that time.
  void follow(std::size_t clip, float seconds) {
    followed_ = {clip, seconds};
    given_ = false;
  }
  /// A moment later, with the joints in this pose. Flesh that followed a clip goes on from there.
  void swing(const Pose& pose, double seconds);
  /// From now on it does this, until something else moves it: one motion an element. Poses have their twins with it.
  void show(std::span<const FleshMotion> motions);
  /// Hanging still in this pose.
  void settle(const Pose& pose);

  /// Writes the twins into the transforms of a pose.
  void move(std::span<Transformf> local);
  /// What each element does, as of the last move().
  std::span<const FleshMotion> motions() const { return state_.motions; }

 private:
  struct Followed {
    std::size_t clip = 0;
    float seconds = 0;
  };
  const FleshTake* take(std::size_t clip);
  void move_along(const FleshTake& take, float seconds, std::span<Transformf> local);
  void find_world(std::span<const Transformf> local);

  Character& character_;
  std::vector<std::optional<Result<FleshTake>>> takes_;  // #clips, made when they are asked for
  std::optional<Followed> followed_;
  bool given_ = false;  // by show()
  FleshState state_;
  std::vector<Affinef> world_;
};

}  // namespace supple::browser
