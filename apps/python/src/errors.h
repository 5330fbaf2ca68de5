// Errors and warnings of the engine as Python's own.
#pragma once

#include <nanobind/nanobind.h>

#include "supple/base/result.h"

namespace supple::python {

/// Throws supple.Error with item, problem and remedy.
[[noreturn]] void raise(const Error& error);
/// Tells each by the module `warnings`, which may be set up to throw. `level`: whose line it names, 1 for the caller in
/// Python, 2 for the caller of that.
void warn(const Warnings& warnings, int level = 1);

/// The value, or supple.Error.
template <class T>
T take(Result<T> result) {
  if (!result) raise(result.error());
  return std::move(*result);
}
inline void take(const Result<void>& result) {
  if (!result) raise(result.error());
}

}  // namespace supple::python
