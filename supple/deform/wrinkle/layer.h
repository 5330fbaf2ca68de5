// The folds of one character on screen, over flesh that moves.
#pragma once

#include "supple/deform/flesh/dynamics.h"
#include "supple/deform/wrinkle/drive.h"

namespace supple {

/// Owns what a frame needs, made once; drive() does not allocate. The character must outlive it and keep its shape.
class WrinkleLayer {
 public:
  WrinkleLayer() = default;  // without folds
  /// The error names the wrinkle that does not fit the character.
  static Result<WrinkleLayer> make(const Character& character);

  /// Sets the weights of all wrinkles of the character. `world` are the joints, `motions` what the flesh does, one per
  /// element; none: nothing. Twins are where that takes them, whatever `world` says of them.
  void drive(std::span<const Affinef> world, std::span<const FleshMotion> motions, std::span<float> morph_weights);

 private:
  const Flesh* flesh_ = nullptr;
  WrinkleTable table_;
  std::vector<FoldPoint> points_;  // of one strip
  std::vector<Affinef> world_;     // #joints
  std::vector<Transformf> twins_;  // #joints; only those of twins are used
};

}  // namespace supple
