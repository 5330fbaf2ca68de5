// Labels drawn into a lattice, sample by sample.
#pragma once

#include <span>
#include <string>

#include "supple/geometry/label_map.h"
#include "supple/phantom/raster.h"

namespace supple::phantom {

/// "phalanges_hand" of "index-finger-phalanx-distal", "carpal" of "lunate": the groups that programs label which
/// segment whole bodies.
std::string group_of(const std::string& bone);

class LabelPainter {
 public:
  /// `body`: #samples, the share of each that lies in the skin; half of it or more is labelled.
  LabelPainter(const Volume& lattice, std::span<const float> body);

  /// Every sample whose middle lies in the shape gets the label of that name, if it lies deeper in this shape than in
  /// others.
  void paint(const LatticeShape& shape, const std::string& name);
  LabelMap finish();

 private:
  LabelMap map_;
  std::vector<float> deepest_;  // #samples: distance in the shape that it has the label of
};

}  // namespace supple::phantom
