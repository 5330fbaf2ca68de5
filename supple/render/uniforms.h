// Settings of a shader program by name.
#pragma once

#include <algorithm>
#include <array>

#include "supple/base/vec.h"
#include "supple/gpu/gl/handle.h"

namespace supple::render {

/// Makes the program the one that draws. Names that it does not have are passed over.
class Uniforms {
 public:
  explicit Uniforms(const gpu::Handle& program) : id_(program.id()) { glUseProgram(id_); }
  void set(const char* name, float v) const { glUniform1f(at(name), v); }
  void set(const char* name, int v) const { glUniform1i(at(name), v); }
  void set(const char* name, Vec3d v) const { set(name, Vec3f(v)); }
  void set(const char* name, Vec3f v) const { glUniform3f(at(name), v.x, v.y, v.z); }
  void set(const char* name, const std::array<float, 4>& v) const { glUniform4fv(at(name), 1, v.data()); }
  void set(const char* name, const std::array<double, 16>& v) const {
    std::array<float, 16> f{};
    std::transform(v.begin(), v.end(), f.begin(), [](double x) { return static_cast<float>(x); });
    glUniformMatrix4fv(at(name), 1, GL_FALSE, f.data());
  }

 private:
  GLint at(const char* name) const { return glGetUniformLocation(id_, name); }
  GLuint id_;
};

}  // namespace supple::render
