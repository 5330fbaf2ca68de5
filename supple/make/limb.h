// A limb to experiment with: a capped cylinder along +y with a chain of joints.
#pragma once

#include "supple/base/progress.h"
#include "supple/base/result.h"
#include "supple/rig/character.h"

namespace supple::make {

struct LimbOptions {
  double length = 0.6, radius = 0.05;  // metres
  std::size_t joints = 3;              // 1 to 100, evenly spaced, the first at the origin
  std::size_t vertices = 2000;         // 50 to 1000000; met within three in a hundred from 200 on
};

/// Joints "limb-0", "limb-1", ...; a clip "bend" curls the chain, unrolls it and twists it.
Result<Character> make_limb(const LimbOptions& options, const Progress& progress = {});

}  // namespace supple::make
