// A scan: one number per point of a lattice in space, as computed tomography gives it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "supple/base/mat.h"

namespace supple {

/// Sample (i, j, k) is samples[i + size[0] * (j + size[1] * k)], lies at to_world.point({i, j, k}) and stands for
/// slope * sample + intercept: Hounsfield units where the modality is CT. 16 bits a sample, so that a scan of 512 x 512
/// x 750 takes 0.4 GB; files with more are rounded to 1/65535 of their range. World space is the patient's, in metres:
/// x to the left, y to the back, z to the head, as DICOM has it.
struct Volume {
  std::string name;                     // for messages: the file or the series
  std::string modality;                 // "CT", "MR", ...; empty where the file does not say
  std::array<std::size_t, 3> size{};    // columns, rows, slices
  Affined to_world;                     // orthogonal columns, as long as the spacing; may be left-handed
  double slope = 1, intercept = 0;      // slope > 0
  std::vector<std::int16_t> samples{};  // size[0] * size[1] * size[2]

  std::size_t count() const { return size[0] * size[1] * size[2]; }
  std::size_t place(std::size_t i, std::size_t j, std::size_t k) const { return i + size[0] * (j + size[1] * k); }
  double value(std::size_t i, std::size_t j, std::size_t k) const {
    return slope * samples[place(i, j, k)] + intercept;
  }
  /// Metres between neighbours along columns, rows and slices.
  Vec3d spacing() const { return {length(to_world.linear.c0), length(to_world.linear.c1), length(to_world.linear.c2)}; }
};

}  // namespace supple
