#include "bindings/answer.h"

#include <emscripten/emscripten.h>

#include "supple/files/json.h"

namespace supple::browser {
namespace {

View last_view;
std::string last_text;
Error last_error;

}  // namespace

const View* answer(View view) {
  last_view = view;
  return &last_view;
}

const View* answer_text(std::string text) {
  last_text = std::move(text);
  return answer(std::span<const char>(last_text));
}

std::nullptr_t refuse(const Error& error) {
  last_error = error;
  return nullptr;
}

extern "C" {

/// Of the last call that gave null: {"item", "problem", "remedy"} as JSON.
EMSCRIPTEN_KEEPALIVE const View* supple_error() {
  const Json json{{"item", last_error.item}, {"problem", last_error.problem}, {"remedy", last_error.remedy}};
  return answer_text(json.dump());
}

}  // extern "C"
}  // namespace supple::browser
