// Surfaces on their way to the graphics driver: those that take the light alike are drawn as one.
#pragma once

#include <map>

#include "supple/render/frame.h"
#include "supple/render/gl_objects.h"

namespace supple::render {

/// One call of the driver: surfaces of the same finish, opacity and texture.
struct GpuSurface {
  GpuMesh mesh;
  Finish finish = Finish::skin;
  float opacity = 1;
  GLuint texture = 0;  // 0: none
  Alpha alpha = Alpha::ignored;
  float alpha_cutoff = 0.5f;

  bool transparent() const { return opacity < 1 || (texture != 0 && alpha == Alpha::blend); }
  /// Whether its texture makes holes.
  bool masked() const { return texture != 0 && alpha != Alpha::ignored; }
};

/// Textures of the pictures so far. They stay for the next one: the frames of a clip share theirs.
class TextureCache {
 public:
  /// Lets go of what the scene does not use, and takes in what it does.
  void prepare(const Scene& scene);
  GLuint of(const Surface& surface) const { return surface.texture == nullptr ? 0 : known_.at(surface.texture).id(); }
  void clear() { known_.clear(); }

 private:
  std::map<std::shared_ptr<const Texture>, Handle> known_;
};

/// Opaque ones first, in as few groups as they have looks; then transparent ones from the back: one that encloses
/// another is nearer and so comes later. Beyond 64 transparent ones, neighbours in that order share their layers.
/// `split`: see upload().
std::vector<GpuSurface> upload(std::span<const Surface> surfaces, const Frame& frame, const TextureCache& textures,
                               bool split);

}  // namespace supple::render
