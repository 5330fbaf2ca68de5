// JSON values that know where they stand in their file, so that every complaint can name the item at fault.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "supple/base/result.h"
#include "supple/files/json.h"

namespace supple::gltf {

/// Thrown inside this layer only; public functions catch it (see guarded) and return the Error.
struct Malformed {
  Error error;
};
[[noreturn]] void fail(std::string item, std::string problem, std::string remedy = "");

/// A whole number from 0 to 2^53; 3 and 3.0 are the same number in JSON.
std::optional<std::uint64_t> to_unsigned(const Json& json);

/// A value and its place, "accessors[12].sparse". Every getter throws Malformed where the value has the wrong type.
class Item {
 public:
  Item(const Json& json, std::string path) : json_(&json), path_(std::move(path)) {}

  const Json& json() const { return *json_; }
  const std::string& path() const { return path_; }
  std::string path(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  }
  std::string path(std::size_t place) const { return path_ + "[" + std::to_string(place) + "]"; }

  bool has(std::string_view key) const { return member(key) != nullptr; }
  std::optional<Item> object(std::string_view key) const;
  Item required_object(std::string_view key) const;
  /// Elements of an array; none where the key is absent.
  std::vector<Item> list(std::string_view key) const;

  std::uint64_t unsigned_integer(std::string_view key) const;
  std::uint64_t unsigned_integer(std::string_view key, std::uint64_t otherwise) const;
  double number(std::string_view key, double otherwise) const;
  /// Finite in single precision.
  float single(std::string_view key, float otherwise) const;
  float required_float(std::string_view key) const;
  bool flag(std::string_view key, bool otherwise) const;
  std::string text(std::string_view key, std::string otherwise) const;
  std::string required_text(std::string_view key) const;
  /// An array of finite numbers of the given length.
  std::optional<std::vector<float>> floats(std::string_view key, std::optional<std::size_t> size = {}) const;

  /// This value itself as such an array, in single and in double precision.
  std::vector<float> as_floats(std::optional<std::size_t> size = {}) const;
  std::vector<double> as_numbers(std::optional<std::size_t> size = {}) const;

  /// A reference to one of `count` items of the file.
  std::optional<std::size_t> index(std::string_view key, std::size_t count) const;
  std::size_t required_index(std::string_view key, std::size_t count) const;
  /// This value itself as such a reference.
  std::size_t as_index(std::size_t count) const;
  /// All elements of an array of references.
  std::vector<std::size_t> indices(std::string_view key, std::size_t count) const;

 private:
  const Json* member(std::string_view key) const;
  const Json* json_;
  std::string path_;
};

/// Length of a top-level array such as "nodes".
std::size_t count(const Json& root, std::string_view array);
/// One element of a top-level array that is known to exist.
Item element(const Json& root, std::string_view array, std::size_t place);
/// One element of an array in such an element: a primitive of a mesh.
Item element(const Json& root, std::string_view array, std::size_t place, std::string_view inner, std::size_t number);

/// Runs `body`, turning what it throws into an Error whose item starts with `file`.
Error as_error(const std::string& file);  // call inside a catch block
template <class Body>
auto guarded(const std::string& file, Body&& body) -> decltype(body()) {
  try {
    return body();
  } catch (...) {
    return as_error(file);
  }
}

/// The shortest decimal number that becomes this float when it is read back: 0.1f is written 0.1.
double short_decimal(float value);

}  // namespace supple::gltf
