// Colours: linear light for shading, sRGB bytes for pictures, OKLab where equal steps should look equal.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "supple/base/vec.h"

namespace supple::render {

/// One pixel: sRGB encoded, alpha not multiplied in.
struct Rgba8 {
  std::uint8_t r = 0, g = 0, b = 0, a = 255;
  friend bool operator==(const Rgba8&, const Rgba8&) = default;
};

inline float to_srgb(float linear) {
  const float c = std::clamp(linear, 0.0f, 1.0f);
  return c <= 0.0031308f ? 12.92f * c : 1.055f * std::pow(c, 1 / 2.4f) - 0.055f;
}
inline float from_srgb(float encoded) {
  return encoded <= 0.04045f ? encoded / 12.92f : std::pow((encoded + 0.055f) / 1.055f, 2.4f);
}
inline Rgba8 to_rgba8(Vec3f linear, float alpha = 1) {
  const auto byte = [](float v) { return static_cast<std::uint8_t>(std::clamp(v, 0.0f, 1.0f) * 255 + 0.5f); };
  return {byte(to_srgb(linear.x)), byte(to_srgb(linear.y)), byte(to_srgb(linear.z)), byte(alpha)};
}
/// Linear RGB of an sRGB colour as it is written in a paint program: 0xRRGGBB.
inline Vec3f from_hex(std::uint32_t rgb) {
  const auto channel = [&](int shift) { return from_srgb(static_cast<float>((rgb >> shift) & 255) / 255); };
  return {channel(16), channel(8), channel(0)};
}
inline Vec3f to_linear(Rgba8 c) {
  return from_hex(static_cast<std::uint32_t>(c.r) << 16 | static_cast<std::uint32_t>(c.g) << 8 | c.b);
}
/// CIE relative luminance of a linear colour.
inline float luminance(Vec3f linear) { return dot(linear, Vec3f{0.2126f, 0.7152f, 0.0722f}); }

/// Linear RGB of OKLab (lightness in [0, 1], then the two opponent axes); may leave [0, 1] outside the sRGB gamut.
inline Vec3f from_oklab(Vec3f lab) {
  const auto cube = [](float v) { return v * v * v; };
  const float l = cube(lab.x + 0.3963377774f * lab.y + 0.2158037573f * lab.z);
  const float m = cube(lab.x - 0.1055613458f * lab.y - 0.0638541728f * lab.z);
  const float s = cube(lab.x - 0.0894841775f * lab.y - 1.2914855480f * lab.z);
  return {4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s,
          -1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s,
          -0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s};
}

}  // namespace supple::render
