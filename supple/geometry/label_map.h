// What each sample of a scan is, as somebody has drawn it: labels with names.
#pragma once

#include <optional>

#include "supple/base/vec.h"
#include "supple/geometry/volume.h"

namespace supple {

/// One thing that was labelled.
struct Label {
  std::string name;             // as the file has it; empty where it has none
  std::int16_t value = 0;       // that its samples have in its layer; above 0
  std::size_t layer = 0;        // place in LabelMap::layers
  std::optional<Vec3f> colour;  // red, green and blue of a screen, 0 to 1
  std::size_t samples = 0;      // that have it; 0: it is empty

  /// "label 'radius'", or "label 7" where it has no name.
  std::string title() const { return name.empty() ? "label " + std::to_string(value) : "label '" + name + "'"; }
};

/// Labels over one lattice. Those that overlap lie in different layers.
struct LabelMap {
  std::string name;  // of the file, for messages
  std::vector<Volume>
      layers;                 // one at least, of one lattice; a sample is the value of its label, 0 where there is none
  std::vector<Label> labels;  // in the order of the file, or by value

  const Volume& lattice() const { return layers.front(); }
};

}  // namespace supple
