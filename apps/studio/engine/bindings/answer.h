// What the functions that JavaScript calls give back: words and places in memory, which need no generated code.
#pragma once

#include <cstdint>
#include <new>
#include <span>
#include <string>

#include "supple/base/result.h"

namespace supple::browser {

/// Where an array lies in the module's memory. JavaScript reads the two words.
struct View {
  std::uintptr_t data = 0;
  std::uint32_t bytes = 0;
};

template <class T>
View view_of(std::span<const T> values) {
  return {reinterpret_cast<std::uintptr_t>(values.data()), static_cast<std::uint32_t>(values.size_bytes())};
}

/// One answer at a time: it is read before the next call.
const View* answer(View view);
template <class T>
const View* answer(std::span<const T> values) {
  return answer(view_of(values));
}
/// The text is kept until the next one.
const View* answer_text(std::string text);

/// Keeps the error for supple_error(); what a failed call gives back is null.
std::nullptr_t refuse(const Error& error);
inline std::nullptr_t refuse_memory() {
  return refuse({"the browser", "has not enough memory for this", "close other pages, or use a smaller file"});
}

}  // namespace supple::browser
