// The shapes that stand for bones and joints.
#pragma once

#include "supple/render/scene.h"

namespace supple::render {

/// One surface of facetted octahedra (one per bone) and small spheres (one per joint). `size` is the diagonal of what
/// they are drawn over, in metres: joints are dots of a fixed part of it, and bones are never thicker.
Surface bone_overlay(std::span<const BoneShape> bones, std::span<const JointShape> joints, float size);

}  // namespace supple::render
