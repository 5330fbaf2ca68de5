// OpenGL objects that release themselves: meshes, programs and the targets that are drawn to. All need a current
// context.
#pragma once

#include <GLES3/gl3.h>

#include <array>
#include <span>
#include <string>

#include "supple/geometry/mesh.h"
#include "supple/gpu/gl/handle.h"
#include "supple/render/image.h"
#include "supple/render/scene.h"

namespace supple::render {

using gpu::Handle;

/// As the vertex shader reads it.
struct Vertex {
  Vec3f position, normal, colour;
  float occlusion = 1;
  std::array<float, 2> texcoord{};
};

struct GpuMesh {
  Handle array, vertices, indices;
  GLsizei count = 0;
  bool indexed = true;
  void draw() const;
};
/// `split` gives every triangle its own three vertices, which is what lines along the edges need.
GpuMesh upload(std::span<const Vertex> vertices, std::span<const Triangle> triangles, bool split);

/// The error holds the compiler's own words. `defines` are lines for the top of both shaders.
Result<Handle> make_program(const char* vertex_source, const char* fragment_source, const std::string& defines = "");

/// sRGB with all smaller versions of itself. A picture beyond what the driver takes is halved until it fits.
Handle upload(const Texture& texture);

/// sRGB colour and depth with several samples a pixel, or one (0), and a plain buffer that the samples are
/// averaged into.
class ColourTarget {
 public:
  static Result<ColourTarget> create(Size size, int samples);
  void bind() const;
  /// Averages the samples and reads the pixels, bottom row first.
  void read(std::span<Rgba8> pixels) const;
  Size size() const { return size_; }

 private:
  Size size_;
  Handle samples_, resolved_, sample_colour_, sample_depth_, resolved_colour_;
};

/// A square depth texture seen from the key light.
class ShadowMap {
 public:
  static Result<ShadowMap> create(GLsizei resolution);
  GLsizei resolution() const { return resolution_; }  // pixels a side; 0: there is none yet
  void bind() const;
  GLuint texture() const { return depth_.id(); }

 private:
  GLsizei resolution_ = 0;
  Handle framebuffer_, depth_;
};

}  // namespace supple::render
