// Errors as values: what went wrong, with which item, and what to do about it.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supple {

struct Error {
  std::string item;     // the file, joint, vertex or option at fault
  std::string problem;  // one sentence, no full stop
  std::string remedy;   // what the user can do; may be empty

  // All out of line: errors are made in hundreds of places, and none of them is in a hurry.
  Error();
  Error(std::string_view item, std::string_view problem, std::string_view remedy = {});
  Error(const Error&);
  Error(Error&&) noexcept;
  Error& operator=(const Error&);
  Error& operator=(Error&&) noexcept;
  ~Error();

  /// "item: problem (remedy)"
  std::string message() const;
};

/// An error or none, in the space of a pointer.
class PossibleError {
 public:
  PossibleError() noexcept = default;
  PossibleError(Error&& error);
  PossibleError(const PossibleError& other);
  PossibleError(PossibleError&& other) noexcept : error_(std::exchange(other.error_, nullptr)) {}
  PossibleError& operator=(PossibleError other) noexcept {
    std::swap(error_, other.error_);
    return *this;
  }
  ~PossibleError() {
    if (error_ != nullptr) release();
  }

  explicit operator bool() const { return error_ != nullptr; }
  const Error& operator*() const { return assert(error_ != nullptr), *error_; }

 private:
  void release() noexcept;
  Error* error_ = nullptr;
};

/// A value or the reason why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::move(error)) {}

  explicit operator bool() const { return ok(); }
  bool ok() const { return value_.has_value(); }
  T& value() & { return assert(ok()), *value_; }
  const T& value() const& { return assert(ok()), *value_; }
  T value() && { return assert(ok()), std::move(*value_); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return *error_; }

 private:
  std::optional<T> value_;
  PossibleError error_;
};

/// Success or the reason for failure.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}
  explicit operator bool() const { return ok(); }
  bool ok() const { return !error_; }
  const Error& error() const { return *error_; }

 private:
  PossibleError error_;
};

/// Things that were repaired or ignored on the way; each line stands by itself and counts what it is about.
using Warnings = std::vector<std::string>;

}  // namespace supple
