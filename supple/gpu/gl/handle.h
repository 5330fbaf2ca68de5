// An OpenGL object that releases itself. The context it was made in must be current then.
#pragma once

#include <GLES3/gl3.h>

#include <utility>

namespace supple::gpu {

class Handle {
 public:
  using Release = void (*)(GLuint);
  Handle() = default;
  Handle(GLuint id, Release release) : id_(id), release_(release) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, 0)), release_(other.release_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(release_, other.release_);
    return *this;
  }
  ~Handle() {
    if (id_ != 0) release_(id_);
  }
  GLuint id() const { return id_; }

 private:
  GLuint id_ = 0;
  Release release_ = nullptr;
};

}  // namespace supple::gpu
