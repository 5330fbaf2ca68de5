// A limb with a place for folds: inside its bend.
#pragma once

#include <gtest/gtest.h>

#include <array>

#include "supple/author/propose/build_wrinkle.h"
#include "supple/make/limb.h"

namespace supple::test {

inline constexpr std::array<std::size_t, 1> only_part{0};

inline std::uint32_t vertex_near(const Character& c, Vec3f p) {
  std::uint32_t best = 0;
  for (std::uint32_t v = 1; v < c.parts[0].mesh.positions.size(); ++v)
    if (length(c.parts[0].mesh.positions[v] - p) < length(c.parts[0].mesh.positions[best] - p)) best = v;
  return best;
}

/// 60 cm along y, 5 cm thick; joint 1 at 20 cm bends towards +z.
inline Character limb() {
  auto made = make::make_limb({0.6, 0.05, 3, 6000});
  EXPECT_TRUE(made);
  return *made;
}

/// Along the inner side of the bend.
inline WrinkleOptions inside(const Character& c) {
  WrinkleOptions options;
  options.name = "elbow";
  options.strip = {vertex_near(c, {0, 0.1f, 0.05f}), vertex_near(c, {0, 0.3f, 0.05f})};
  options.wavelength = 0.04;
  options.width = 0.04;
  return options;
}

/// Metres: the strip on a skin as it is shown.
inline double shown_length(const Wrinkle& w, std::span<const Vec3f> positions) {
  double sum = 0;
  for (std::size_t i = 1; i < w.strip.size(); ++i)
    sum += length(Vec3d(positions[w.strip[i]]) - Vec3d(positions[w.strip[i - 1]]));
  return sum;
}

}  // namespace supple::test
