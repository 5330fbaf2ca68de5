// Runs the skinning shader without drawing and reads what it gave back: to compare it, to measure it, or to let the GPU
// skin for someone else.
#pragma once

#include <span>

#include "supple/gpu/gl/skin.h"

namespace supple::gpu {

/// Needs a current context, as do all its functions.
class Feedback {
 public:
  /// The error holds the shader compiler's own words.
  static Result<Feedback> make(const SkinTables& tables);
  /// All vertices. Reading back waits for the GPU. The error says that the driver gave nothing back.
  Result<void> run(const GlSkin& skin, std::span<Vec3f> positions, std::span<Vec3f> normals) const;
  /// The same without reading back: for measuring.
  void run(const GlSkin& skin) const;

 private:
  Handle program_, array_, rest_, positions_, normals_;
  Handle framebuffer_, colour_;  // nothing is drawn, but a context without a window has nowhere to draw to
  GLsizei vertices_ = 0;
};

}  // namespace supple::gpu
