// A limb with full kinodynamics.
#pragma once

#include <gtest/gtest.h>

#include "full_kinodynamics.h"
#include "supple/make/limb.h"
#include "supple/rig/character.h"

namespace supple::test {

/// Three joints .2 m apart along y, radius .05 m.
inline Character plain_limb(std::size_t vertices = 300) {
  make::LimbOptions options;
  options.vertices = vertices;
  auto limb = make::make_limb(options);
  EXPECT_TRUE(limb.ok());
  return std::move(*limb);
}

inline Character kinodynamic_limb() {
  Character limb = plain_limb();
  limb.kinodynamics = full_kinodynamics();
  EXPECT_TRUE(validate(limb).ok());
  return limb;
}

}  // namespace supple::test
