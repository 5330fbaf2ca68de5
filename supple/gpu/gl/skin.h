// A part on the GPU: its tables as textures, and a frame's small ones beside them.
#pragma once

#include <GLES3/gl3.h>

#include <array>
#include <span>

#include "supple/base/result.h"
#include "supple/deform/palette.h"
#include "supple/gpu/gl/handle.h"
#include "supple/gpu/skin_tables.h"

namespace supple::gpu {

/// What changes from frame to frame. Palettes as the skinning jobs of deform read them.
struct SkinFrame {
  std::span<const JointMatrix> palette;   // linear blend; empty where `motion` is given
  std::span<const JointDualQuat> motion;  // dual quaternions
  std::span<const JointMatrix> stretch;   // with `motion`, where joints stretch
  bool scaled = false;                    // see has_scale()
  std::span<const float> weights;         // #targets
};

/// Needs a current context, as do all its functions.
class GlSkin {
 public:
  /// The error says that the tables do not fit the driver's textures.
  static Result<GlSkin> make(const SkinTables& tables);
  /// Uploads a few rows; the large tables stay where they are.
  void set_frame(const SkinFrame& frame);
  /// Sets the uniforms of a program that holds skin_shader() and binds the textures to units from `first_unit` on. The
  /// program must be in use.
  void bind(GLuint program, GLint first_unit = 0) const;

 private:
  enum Texture { ranges, influences, offsets, weights, palette, stretch, texture_count };
  std::array<Handle, texture_count> textures_;
  bool dual_ = false, stretched_ = false, scaled_ = false;
};

}  // namespace supple::gpu
