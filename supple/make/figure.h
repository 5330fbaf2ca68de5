// A procedural human body: watertight skin with belly, breasts and buttocks, a skeleton, and clips that shake them.
#pragma once

#include "supple/base/progress.h"
#include "supple/base/result.h"
#include "supple/rig/character.h"

namespace supple::make {

struct FigureOptions {
  std::size_t vertices = 5500;  // of the skin, 1000 to 100000, met exactly
};

/// Metres, 1.7 tall, Y up, facing +z, arms away from the body; its left is +x. The shape is its own mirror image.
/// Joints "root" (on the ground), "hips", "spine", "chest", "neck", "head", and "shoulder", "upper-arm", "forearm",
/// "hand", "thigh", "shin", "foot" with "-left" and "-right". As in the limb, +y of a joint points along its bone; +z
/// points to the front (of a foot: up). No vertex follows more than three joints, so that a joint for moving flesh
/// still fits into the four that engines like. Clips: "walk" and "run" in place, which loop, and "jump", from rest to
/// rest.
Result<Character> make_figure(const FigureOptions& options, const Progress& progress = {});

}  // namespace supple::make
