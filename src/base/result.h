// Errors as values: what went wrong, with which item, and what to do about it.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace supple {

struct Error {
  std::string item;     // the file, joint, vertex or option at fault
  std::string problem;  // one sentence, no full stop
  std::string remedy;   // what the user can do; may be empty

  /// "item: problem (remedy)"
  std::string message() const {
    std::string text = item.empty() ? problem : item + ": " + problem;
    if (!remedy.empty()) text += " (" + remedy + ")";
    return text;
  }
};

/// A value or the reason why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  bool ok() const { return state_.index() == 0; }
  T& value() & { return assert(ok()), std::get<0>(state_); }
  const T& value() const& { return assert(ok()), std::get<0>(state_); }
  T value() && { return assert(ok()), std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return assert(!ok()), std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

/// Success or the reason for failure.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}
  explicit operator bool() const { return ok(); }
  bool ok() const { return !error_.has_value(); }
  const Error& error() const { return assert(!ok()), *error_; }

 private:
  std::optional<Error> error_;
};

/// Things that were repaired or ignored on the way; each line stands by itself and counts what it is about.
using Warnings = std::vector<std::string>;

}  // namespace supple
