// A view of vectors that lie at a constant distance in memory: tight arrays and interleaved vertex buffers alike.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "supple/base/vec.h"

namespace supple {

/// `count` vectors of at least three floats; element i starts at data + i * stride (in floats, >= 3).
template <class Float>
struct StridedSpan {
  static_assert(std::is_same_v<std::remove_const_t<Float>, float>);
  Float* data = nullptr;
  std::size_t count = 0;
  std::size_t stride = 3;

  constexpr StridedSpan() = default;
  constexpr StridedSpan(Float* d, std::size_t n, std::size_t s = 3) : data(d), count(n), stride(s) {}
  constexpr StridedSpan(std::span<Vec3f> s) : data(s.empty() ? nullptr : &s[0].x), count(s.size()) {}
  constexpr StridedSpan(std::span<const Vec3f> s) requires std::is_const_v<Float> : data(s.empty() ? nullptr : &s[0].x),
                                                                                    count(s.size()) {}
  constexpr operator StridedSpan<const float>() const requires(!std::is_const_v<Float>) {
    return {data, count, stride};
  }

  constexpr Float* operator[](std::size_t i) const { return data + i * stride; }
  constexpr bool empty() const { return count == 0; }
};

using ConstVectors = StridedSpan<const float>;
using Vectors = StridedSpan<float>;

}  // namespace supple
