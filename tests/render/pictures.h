// Shapes and measures that the tests of pictures share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "supple/render/draw.h"

namespace supple::render::test {

/// A closed sphere, wound counter-clockwise seen from outside.
inline Surface sphere(Vec3f center, float radius, std::uint32_t rings = 24, std::uint32_t around = 48) {
  Surface s;
  s.name = "sphere";
  for (std::uint32_t i = 0; i <= rings; ++i) {
    for (std::uint32_t k = 0; k < around; ++k) {
      const float polar = std::numbers::pi_v<float> * static_cast<float>(i) / static_cast<float>(rings);
      const float turn = 2 * std::numbers::pi_v<float> * static_cast<float>(k) / static_cast<float>(around);
      const Vec3f n{std::sin(polar) * std::cos(turn), std::cos(polar), -std::sin(polar) * std::sin(turn)};
      s.positions.push_back(center + n * radius);
      s.normals.push_back(n);
    }
  }
  for (std::uint32_t i = 0; i < rings; ++i) {
    for (std::uint32_t k = 0; k < around; ++k) {
      const std::uint32_t a = i * around + k, b = i * around + (k + 1) % around;
      s.triangles.push_back({a, a + around, b + around});
      s.triangles.push_back({a, b + around, b});
    }
  }
  return s;
}

/// A rectangle facing +z.
inline Surface card(Vec3f center, float half, Vec3f colour) {
  Surface s;
  s.name = "card";
  for (const Vec3f corner : {Vec3f{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}) {
    s.positions.push_back(center + corner * half);
    s.normals.push_back({0, 0, 1});
  }
  s.triangles = {{0, 1, 2}, {0, 2, 3}};
  s.colour = colour;
  s.finish = Finish::data;
  return s;
}

/// A black background makes what is drawn easy to tell apart.
inline Scene on_black(std::vector<Surface> surfaces) {
  Scene scene;
  scene.surfaces = std::move(surfaces);
  scene.style.background_center = scene.style.background_edge = {0, 0, 0};
  return scene;
}

inline float brightness(Rgba8 p) { return luminance(to_linear(p)); }

inline std::size_t covered(const Image& image) {
  return static_cast<std::size_t>(
      std::count_if(image.pixels.begin(), image.pixels.end(), [](Rgba8 p) { return brightness(p) > 0.01f; }));
}

/// Straight at the origin from +z.
inline Camera camera_at(double distance) {
  Camera camera;
  camera.eye = {0, 0, distance};
  return camera;
}

/// One context for all tests of a program. Only a machine without any EGL driver may skip.
inline Renderer* shared_renderer() {
  static Result<Renderer> renderer = Renderer::create();
  return renderer ? &*renderer : nullptr;
}

}  // namespace supple::render::test

#define SUPPLE_REQUIRE_DRAWING()                          \
  if (supple::render::test::shared_renderer() == nullptr) \
  GTEST_SKIP() << "no EGL driver on this machine: " << supple::render::Renderer::create().error().message()
