// An OpenGL ES 3 context without a window or display.
#pragma once

#include <memory>
#include <string>

#include "supple/base/result.h"

namespace supple::render {

/// Moves only. One thread at a time may use it, through a Current.
class Context {
 public:
  /// The error says what to install where the machine has no driver; a software driver is enough.
  static Result<Context> create();
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;
  ~Context();

  /// Makes the context the calling thread's for as long as it lives, and gives the thread its former one back.
  class Current {
   public:
    explicit Current(const Context& context);
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
    ~Current();
    bool ok() const { return ok_; }

   private:
    void *display_, *former_display_, *former_context_, *former_draw_, *former_read_;
    bool ok_;
  };

  /// What draws, as the driver names itself.
  const std::string& device() const { return device_; }

 private:
  struct Handles;
  explicit Context(std::unique_ptr<Handles> handles);
  std::unique_ptr<Handles> handles_;
  std::string device_;
};

}  // namespace supple::render
