// A fingerprint of bytes (FNV-1a, 64 bit): tells whether two inputs are the same, not who made them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace supple {

class Fingerprint {
 public:
  template <class T>
  Fingerprint& add(std::span<const T> values) {
    static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);
    for (const std::byte b : std::as_bytes(values)) value_ = (value_ ^ std::to_integer<std::uint64_t>(b)) * prime;
    return *this;
  }
  template <class T>
  requires std::is_arithmetic_v<T> Fingerprint& add(T value) { return add(std::span<const T>(&value, 1)); }
  std::uint64_t value() const { return value_; }

 private:
  static constexpr std::uint64_t prime = 0x100000001b3u;
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace supple
