// The folds of one character on screen, over flesh that moves.
#pragma once

#include "supple/deform/flesh/dynamics.h"
#include "supple/deform/wrinkle/drive.h"

namespace supple {

/// Owns what a frame needs, made once; drive() does not allocate. The character must outlive it and keep its shape.
class WrinkleLayer {
 public:
  WrinkleLayer() = default;  // without folds
  /// Some wrinkles of the character. The error names the one that does not fit it.
  static Result<WrinkleLayer> make(const Character& character, std::span<const Wrinkle> wrinkles);

  /// Sets the weights of these wrinkles. `world` are the joints, `motions` what the flesh does, one per element. Twins
  /// are where that takes them, whatever `world` says of them; without any motions they are where `world` has them.
  void drive(std::span<const Affinef> world, std::span<const FleshMotion> motions, std::span<float> morph_weights);
  const WrinkleTable& table() const { return table_; }

 private:
  const Flesh* flesh_ = nullptr;
  WrinkleTable table_;
  std::vector<FoldPoint> points_;  // of one strip
  std::vector<Affinef> world_;     // #joints
  std::vector<Transformf> twins_;  // #joints; only those of twins are used
};

}  // namespace supple
