// Draws scenes to pictures, off-screen.
#pragma once

#include <memory>
#include <string>

#include "supple/render/camera.h"
#include "supple/render/image.h"
#include "supple/render/scene.h"

namespace supple::render {

inline constexpr std::uint32_t max_picture_side = 16384;  // pixels

/// Keeps the graphics context for several pictures.
class Renderer {
 public:
  static Result<Renderer> create();
  Renderer(Renderer&&) noexcept;
  Renderer& operator=(Renderer&&) noexcept;
  ~Renderer();

  /// The same scene gives the same picture on one machine.
  Result<Image> draw(const Scene& scene, const Camera& camera, Size size);
  /// What draws, as the driver names itself.
  const std::string& device() const;

 private:
  struct State;
  explicit Renderer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// One picture.
Result<Image> draw(const Scene& scene, const Camera& camera, Size size);

}  // namespace supple::render
