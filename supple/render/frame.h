// The geometry of one picture: projections of the eye and of the key light, and where the lights stand.
#pragma once

#include <array>

#include "supple/render/camera.h"
#include "supple/render/image.h"
#include "supple/render/scene.h"

namespace supple::render {

/// Points are relative to `target`. The lights move with the camera, so that every view is lit alike.
struct Frame {
  Vec3d target, eye, back;   // `back`: unit vector from the target to the eye
  double near = 0, far = 1;  // metres from the eye
  float size = 1;            // diagonal of the scene, metres
  std::array<double, 16> to_clip{}, to_shadow{};
  Vec3d key, fill, rim, sky;  // unit vectors towards the lights
  float shadow_radius = 0;    // softness, in texture coordinates
  float shadow_offset = 0;    // along the normal, metres

  /// Distance from the eye along the line of sight.
  double depth(Vec3d point) const { return dot(eye - point, back); }
};

Result<Frame> make_frame(const Scene& scene, const Camera& camera, Size size);

/// How many surfaces lie behind each other at a pixel, on average over the picture.
double mean_layers(const Scene& scene, const Frame& frame);

}  // namespace supple::render
