// Ambient occlusion per vertex: how much of the sky each point of a surface sees, which makes shapes readable.
#pragma once

#include <span>
#include <vector>

#include "supple/render/scene.h"

namespace supple::render {

struct OcclusionOptions {
  float reach = 0.3f;              // what is farther away than this part of the scene's diagonal does not darken
  std::size_t rays = 24;           // per vertex, over the hemisphere; the same for all, so few are smooth too
  std::size_t max_rays = 1000000;  // in all: large scenes get fewer per vertex, at least 16
};

/// Fills `occlusion` of all surfaces. Opaque surfaces darken each other; a transparent one darkens only itself. The ray
/// directions are the same everywhere, so the result is smooth and the same on every run. Where vertices lie closer
/// than a hundredth of the scene, some take the mean of those around them.
void compute_occlusion(std::span<Surface> surfaces, const OcclusionOptions& options = {});

}  // namespace supple::render
