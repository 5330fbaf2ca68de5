// A mushroom on one bone: flesh whose thickness changes a lot along the bone, the simplest thing that wobbles.
#pragma once

#include "supple/base/progress.h"
#include "supple/base/result.h"
#include "supple/geometry/isosurface.h"
#include "supple/rig/character.h"

namespace supple::make {

struct MushroomOptions {
  std::size_t vertices = 1000;  // 50 to 1000000; met within three in a hundred from 200 on
};

/// A surface of revolution about the y axis, 0.3 metres high: a stem and a wide cap, both ends closed on the axis. The
/// joint "stem" at the origin moves every vertex, "top" ends its bone where the axis leaves the cap. Clips: "shake",
/// three seconds of swaying and rocking that loop, and "step", a quick step aside and two seconds of rest.
Result<Character> make_mushroom(const MushroomOptions& options, const Progress& progress = {});

/// The solid whose surface the mushroom is: what a volume mesh of it is made from.
struct Solid {
  Field field;  // signed distance in metres, negative inside
  Box box;      // contains the inside
};
Solid mushroom_field();

}  // namespace supple::make
