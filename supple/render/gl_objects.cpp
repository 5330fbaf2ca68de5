// Creation of the OpenGL objects, with the driver's refusals as errors.
#include "supple/render/gl_objects.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace supple::render {
namespace {

Handle make_buffer() {
  GLuint id = 0;
  glGenBuffers(1, &id);
  return {id, [](GLuint b) { glDeleteBuffers(1, &b); }};
}
Handle make_vertex_array() {
  GLuint id = 0;
  glGenVertexArrays(1, &id);
  return {id, [](GLuint a) { glDeleteVertexArrays(1, &a); }};
}
Handle make_renderbuffer(GLenum format, Size size, GLsizei samples) {
  GLuint id = 0;
  glGenRenderbuffers(1, &id);
  glBindRenderbuffer(GL_RENDERBUFFER, id);
  glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, static_cast<GLsizei>(size.width),
                                   static_cast<GLsizei>(size.height));
  return {id, [](GLuint b) { glDeleteRenderbuffers(1, &b); }};
}
Handle make_framebuffer() {
  GLuint id = 0;
  glGenFramebuffers(1, &id);
  glBindFramebuffer(GL_FRAMEBUFFER, id);
  return {id, [](GLuint f) { glDeleteFramebuffers(1, &f); }};
}

Error refused(const std::string& what) {
  return {"off-screen drawing", "the graphics driver refused " + what,
          "set LIBGL_ALWAYS_SOFTWARE=1 to draw without the graphics card"};
}

template <class GetLength, class GetLog>
std::string compiler_log(GLuint id, GetLength get_length, GetLog get_log) {
  GLint length = 0;
  get_length(id, GL_INFO_LOG_LENGTH, &length);
  std::string log(static_cast<std::size_t>(length), '\0');
  get_log(id, length, nullptr, log.data());
  return log;
}

/// Every second pixel of every second row.
Image half_size(const Image& image) {
  Image half({std::max(image.width / 2, 1u), std::max(image.height / 2, 1u)}, {});
  for (std::uint32_t y = 0; y < half.height; ++y)
    for (std::uint32_t x = 0; x < half.width; ++x)
      half.at(x, y) = image.at(std::min(2 * x, image.width - 1), std::min(2 * y, image.height - 1));
  return half;
}

}  // namespace

void GpuMesh::draw() const {
  glBindVertexArray(array.id());
  if (indexed) {
    glDrawElements(GL_TRIANGLES, count, GL_UNSIGNED_INT, nullptr);
  } else {
    glDrawArrays(GL_TRIANGLES, 0, count);
  }
}

GpuMesh upload(std::span<const Vertex> vertices, std::span<const Triangle> triangles, bool split) {
  GpuMesh mesh{make_vertex_array(), make_buffer(), make_buffer(), static_cast<GLsizei>(triangles.size() * 3), !split};
  std::vector<Vertex> corners;
  if (split) {
    corners.reserve(triangles.size() * 3);
    for (const Triangle& t : triangles) {
      for (const std::uint32_t v : t) corners.push_back(vertices[v]);
    }
    vertices = corners;
  }
  glBindVertexArray(mesh.array.id());
  glBindBuffer(GL_ARRAY_BUFFER, mesh.vertices.id());
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(vertices.size_bytes()), vertices.data(), GL_STREAM_DRAW);
  const auto attribute = [](GLuint place, GLint width, std::size_t offset) {
    glEnableVertexAttribArray(place);
    glVertexAttribPointer(place, width, GL_FLOAT, GL_FALSE, sizeof(Vertex), reinterpret_cast<const void*>(offset));
  };
  attribute(0, 3, offsetof(Vertex, position));
  attribute(1, 3, offsetof(Vertex, normal));
  attribute(2, 3, offsetof(Vertex, colour));
  attribute(3, 1, offsetof(Vertex, occlusion));
  attribute(4, 2, offsetof(Vertex, texcoord));
  if (!split) {
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh.indices.id());
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, static_cast<GLsizeiptr>(triangles.size_bytes()), triangles.data(),
                 GL_STREAM_DRAW);
  }
  return mesh;
}

Handle upload(const Texture& texture) {
  GLint largest = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
  Image halved;
  const Image* image = &texture.image;
  while (std::max(image->width, image->height) > static_cast<std::uint32_t>(largest)) {
    halved = half_size(*image);
    image = &halved;
  }
  GLuint id = 0;
  glGenTextures(1, &id);
  Handle handle(id, [](GLuint t) { glDeleteTextures(1, &t); });
  glBindTexture(GL_TEXTURE_2D, id);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_SRGB8_ALPHA8, static_cast<GLsizei>(image->width),
               static_cast<GLsizei>(image->height), 0, GL_RGBA, GL_UNSIGNED_BYTE, image->pixels.data());
  glGenerateMipmap(GL_TEXTURE_2D);
  const auto set = [](GLenum name, GLenum value) { glTexParameteri(GL_TEXTURE_2D, name, static_cast<GLint>(value)); };
  const auto wrap = [](Texture::Wrap w) {
    return w == Texture::Wrap::repeat ? GL_REPEAT : w == Texture::Wrap::mirror ? GL_MIRRORED_REPEAT : GL_CLAMP_TO_EDGE;
  };
  set(GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
  set(GL_TEXTURE_MAG_FILTER, texture.smooth ? GL_LINEAR : GL_NEAREST);
  set(GL_TEXTURE_WRAP_S, static_cast<GLenum>(wrap(texture.wrap_u)));
  set(GL_TEXTURE_WRAP_T, static_cast<GLenum>(wrap(texture.wrap_v)));
  return handle;
}

Result<Handle> make_program(const char* vertex_source, const char* fragment_source, const std::string& defines) {
  Handle program(glCreateProgram(), [](GLuint p) { glDeleteProgram(p); });
  for (const auto& [kind, source] :
       {std::pair(GL_VERTEX_SHADER, vertex_source), {GL_FRAGMENT_SHADER, fragment_source}}) {
    const Handle shader(glCreateShader(static_cast<GLenum>(kind)), [](GLuint s) { glDeleteShader(s); });
    // The version stands in a shader's first line, before everything else.
    const std::array<const char*, 3> pieces{"#version 300 es\n", defines.c_str(), source};
    glShaderSource(shader.id(), static_cast<GLsizei>(pieces.size()), pieces.data(), nullptr);
    glCompileShader(shader.id());
    GLint compiled = 0;
    glGetShaderiv(shader.id(), GL_COMPILE_STATUS, &compiled);
    if (!compiled) return refused("a shader: " + compiler_log(shader.id(), glGetShaderiv, glGetShaderInfoLog));
    glAttachShader(program.id(), shader.id());
  }
  glLinkProgram(program.id());
  GLint linked = 0;
  glGetProgramiv(program.id(), GL_LINK_STATUS, &linked);
  if (!linked) return refused("a program: " + compiler_log(program.id(), glGetProgramiv, glGetProgramInfoLog));
  return program;
}

Result<ColourTarget> ColourTarget::create(Size size, int samples) {
  ColourTarget target;
  target.size_ = size;
  target.sample_colour_ = make_renderbuffer(GL_SRGB8_ALPHA8, size, samples);
  target.sample_depth_ = make_renderbuffer(GL_DEPTH_COMPONENT24, size, samples);
  target.resolved_colour_ = make_renderbuffer(GL_SRGB8_ALPHA8, size, 0);
  const auto attach = [](GLenum point, const Handle& buffer) {
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, point, GL_RENDERBUFFER, buffer.id());
  };
  target.samples_ = make_framebuffer();
  attach(GL_COLOR_ATTACHMENT0, target.sample_colour_);
  attach(GL_DEPTH_ATTACHMENT, target.sample_depth_);
  bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  target.resolved_ = make_framebuffer();
  attach(GL_COLOR_ATTACHMENT0, target.resolved_colour_);
  complete = complete && glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  if (!complete || glGetError() != GL_NO_ERROR) return refused("a multisampled sRGB target");
  return target;
}

void ColourTarget::bind() const {
  glBindFramebuffer(GL_FRAMEBUFFER, samples_.id());
  glViewport(0, 0, static_cast<GLsizei>(size_.width), static_cast<GLsizei>(size_.height));
}

void ColourTarget::read(std::span<Rgba8> pixels) const {
  const auto width = static_cast<GLint>(size_.width), height = static_cast<GLint>(size_.height);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, samples_.id());
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved_.id());
  glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, resolved_.id());
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
}

Result<ShadowMap> ShadowMap::create(GLsizei resolution) {
  ShadowMap map;
  map.resolution_ = resolution;
  GLuint id = 0;
  glGenTextures(1, &id);
  map.depth_ = Handle(id, [](GLuint t) { glDeleteTextures(1, &t); });
  glBindTexture(GL_TEXTURE_2D, id);
  glTexStorage2D(GL_TEXTURE_2D, 1, GL_DEPTH_COMPONENT24, resolution, resolution);
  const auto set = [](GLenum name, GLenum value) { glTexParameteri(GL_TEXTURE_2D, name, static_cast<GLint>(value)); };
  set(GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  set(GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  set(GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  set(GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  map.framebuffer_ = make_framebuffer();
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, id, 0);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) return refused("a shadow map");
  return map;
}

void ShadowMap::bind() const {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.id());
  glViewport(0, 0, resolution_, resolution_);
}

}  // namespace supple::render
