// Colours that stand for numbers: weights, displacements, errors.
#pragma once

#include "supple/render/colour_map.h"
#include "supple/workflow/report/pictures.h"
#include "supple/workflow/report/posed.h"

namespace supple::workflow {

/// What the colours of the chosen map stand for. Character and look must outlive it.
class MapPainter {
 public:
  static Result<MapPainter> make(const Character& character, const Look& look);

  bool scalar() const { return !look_->map.empty() && look_->map != "weights"; }
  bool of_weights() const { return look_->map.starts_with("weights"); }

  /// Values of one part in one pose.
  std::vector<float> values(std::size_t part, const Posed& posed, const Posed& rest, const Posed& reference) const;
  /// The upper end of the scale: what was asked for, or `max`.
  void set_range(float max);
  std::vector<Vec3f> colours(std::size_t part, const Posed& posed) const;
  render::Image with_legend(const render::Image& image) const;

 private:
  MapPainter(const Character& character, const Look& look) : character_(&character), look_(&look) {}
  render::ColourMap map() const { return look_->map == "error" ? render::ColourMap::ember : render::ColourMap::sea; }

  const Character* character_;
  const Look* look_;
  JointIndex joint_ = no_joint;
  float max_ = 1;
};

}  // namespace supple::workflow
