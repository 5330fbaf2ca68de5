#include "supple/gpu/gl/feedback.h"

#include <algorithm>
#include <string>
#include <vector>

#include "supple/gpu/shader.h"

namespace supple::gpu {
namespace {

constexpr const char* vertex_main = R"(
in vec3 position;
in vec3 normal;
out vec3 out_position;
out vec3 out_normal;
void main() {
  out_position = position;
  out_normal = normal;
  supple_deform(out_position, out_normal);
  gl_Position = vec4(out_position, 1.0);
}
)";
constexpr const char* fragment_main = "#version 300 es\nvoid main() {}\n";

Result<Handle> compile(GLenum kind, const std::string& source) {
  Handle shader(glCreateShader(kind), glDeleteShader);
  const char* text = source.c_str();
  glShaderSource(shader.id(), 1, &text, nullptr);
  glCompileShader(shader.id());
  GLint ok = 0;
  glGetShaderiv(shader.id(), GL_COMPILE_STATUS, &ok);
  if (ok == GL_TRUE) return shader;
  std::string log(4096, '\0');
  GLsizei length = 0;
  glGetShaderInfoLog(shader.id(), static_cast<GLsizei>(log.size()), &length, log.data());
  return Error{"skinning shader", log.substr(0, static_cast<std::size_t>(length)), ""};
}

Result<Handle> link(const Handle& vertex, const Handle& fragment) {
  Handle program(glCreateProgram(), glDeleteProgram);
  glAttachShader(program.id(), vertex.id());
  glAttachShader(program.id(), fragment.id());
  glBindAttribLocation(program.id(), 0, "position");
  glBindAttribLocation(program.id(), 1, "normal");
  const char* outputs[] = {"out_position", "out_normal"};
  glTransformFeedbackVaryings(program.id(), 2, outputs, GL_SEPARATE_ATTRIBS);
  glLinkProgram(program.id());
  GLint ok = 0;
  glGetProgramiv(program.id(), GL_LINK_STATUS, &ok);
  if (ok == GL_TRUE) return program;
  return Error{"skinning shader", "did not link", "update the graphics driver"};
}

Handle make_buffer(std::size_t bytes, const void* data, GLenum usage) {
  GLuint id = 0;
  glGenBuffers(1, &id);
  glBindBuffer(GL_ARRAY_BUFFER, id);
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(bytes), data, usage);
  return {id, [](GLuint buffer) { glDeleteBuffers(1, &buffer); }};
}

bool read_buffer(GLuint buffer, std::span<Vec3f> out) {
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  const void* data = glMapBufferRange(GL_ARRAY_BUFFER, 0, static_cast<GLsizeiptr>(out.size_bytes()), GL_MAP_READ_BIT);
  if (data == nullptr) return false;
  std::copy_n(static_cast<const Vec3f*>(data), out.size(), out.begin());
  return glUnmapBuffer(GL_ARRAY_BUFFER) == GL_TRUE;
}

}  // namespace

Result<Feedback> Feedback::make(const SkinTables& tables) {
  auto vertex = compile(GL_VERTEX_SHADER, "#version 300 es\n" + std::string(skin_shader()) + vertex_main);
  if (!vertex) return vertex.error();
  auto fragment = compile(GL_FRAGMENT_SHADER, fragment_main);
  if (!fragment) return fragment.error();
  auto program = link(*vertex, *fragment);
  if (!program) return program.error();
  Feedback f;
  f.program_ = std::move(*program);
  f.vertices_ = static_cast<GLsizei>(tables.vertex_count);
  GLuint array = 0;
  glGenVertexArrays(1, &array);
  f.array_ = Handle(array, [](GLuint id) { glDeleteVertexArrays(1, &id); });
  glBindVertexArray(array);
  std::vector<Vec3f> rest;  // position and normal in turn
  for (std::size_t v = 0; v < tables.vertex_count; ++v)
    rest.insert(rest.end(), {tables.positions[v], tables.normals[v]});
  f.rest_ = make_buffer(rest.size() * sizeof(Vec3f), rest.data(), GL_STATIC_DRAW);
  for (GLuint attribute : {0u, 1u}) {
    glEnableVertexAttribArray(attribute);
    glVertexAttribPointer(attribute, 3, GL_FLOAT, GL_FALSE, 2 * sizeof(Vec3f),
                          reinterpret_cast<const void*>(attribute * sizeof(Vec3f)));
  }
  f.positions_ = make_buffer(tables.vertex_count * sizeof(Vec3f), nullptr, GL_STREAM_READ);
  f.normals_ = make_buffer(tables.vertex_count * sizeof(Vec3f), nullptr, GL_STREAM_READ);
  glBindVertexArray(0);
  GLuint framebuffer = 0, colour = 0;
  glGenRenderbuffers(1, &colour);
  f.colour_ = Handle(colour, [](GLuint id) { glDeleteRenderbuffers(1, &id); });
  glBindRenderbuffer(GL_RENDERBUFFER, colour);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 1, 1);
  glGenFramebuffers(1, &framebuffer);
  f.framebuffer_ = Handle(framebuffer, [](GLuint id) { glDeleteFramebuffers(1, &id); });
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  return f;
}

void Feedback::run(const GlSkin& skin) const {
  glUseProgram(program_.id());
  skin.bind(program_.id());
  glBindVertexArray(array_.id());
  glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, positions_.id());
  glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 1, normals_.id());
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.id());
  glEnable(GL_RASTERIZER_DISCARD);
  glBeginTransformFeedback(GL_POINTS);
  glDrawArrays(GL_POINTS, 0, vertices_);
  glEndTransformFeedback();
  glDisable(GL_RASTERIZER_DISCARD);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
  glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 1, 0);
  glBindVertexArray(0);
}

Result<void> Feedback::run(const GlSkin& skin, std::span<Vec3f> positions, std::span<Vec3f> normals) const {
  run(skin);
  if (glGetError() == GL_NO_ERROR && read_buffer(positions_.id(), positions) && read_buffer(normals_.id(), normals))
    return {};
  return Error{"graphics driver", "gave no vertices back", "update it, or use the software driver"};
}

}  // namespace supple::gpu
