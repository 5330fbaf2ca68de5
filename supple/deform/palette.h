// The per-frame joint matrices that skinning jobs read.
#pragma once

#include <cstddef>
#include <span>

#include "supple/base/dual_quat.h"
#include "supple/base/mat.h"
#include "supple/rig/character.h"

namespace supple {

/// An affine map as four columns of four floats, one cache line: what a skinning kernel loads. The fourth lanes are 0.
struct alignas(64) JointMatrix {
  float columns[4][4];
};

JointMatrix pack(const Affinef& m);
Affinef unpack(const JointMatrix& m);

/// palette[k] = world[binding.joints[k]] * binding.inverse_bind[k]. Does not allocate.
void make_palette(const SkinBinding& binding, std::span<const Affinef> world, std::span<JointMatrix> palette);

bool is_rotation(const Mat3f& m, float tolerance = 1e-3f);
/// Whether some matrix is more than a rotation and a translation, so that normals need the inverse transpose.
bool has_scale(std::span<const JointMatrix> palette, float tolerance = 1e-3f);

/// A rigid motion as a unit dual quaternion, padded to the size of a JointMatrix.
struct alignas(64) JointDualQuat {
  DualQuatf motion;
  float padding[8] = {};
};

/// Splits matrices into rigid motions and what a dual quaternion cannot carry: palette[k] = motion[k] * stretch[k] with
/// symmetric stretch about the origin (polar decomposition). `stretched` tells whether any stretch differs from the
/// identity. The error names the entry that mirrors. Does not allocate on success.
Result<void> make_dual_palette(std::span<const JointMatrix> palette, std::span<JointDualQuat> motion,
                               std::span<JointMatrix> stretch, bool& stretched);

}  // namespace supple
