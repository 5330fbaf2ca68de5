#include "supple/files/gltf/json.h"

#include <algorithm>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>

namespace supple::gltf {

std::optional<std::uint64_t> to_unsigned(const Json& json) {
  constexpr std::uint64_t limit = std::uint64_t{1} << 53;  // beyond, sums and products below could overflow 64 bits
  if (json.is_number_integer()) {
    if (!json.is_number_unsigned() && json.get<std::int64_t>() < 0) return std::nullopt;
    const auto value = json.get<std::uint64_t>();
    return value <= limit ? std::optional(value) : std::nullopt;
  }
  if (json.is_number_float()) {
    const double value = json.get<double>();
    if (value >= 0 && value <= static_cast<double>(limit) && value == std::floor(value)) {
      return static_cast<std::uint64_t>(value);
    }
  }
  return std::nullopt;
}

namespace {

std::size_t checked_index(const Json& json, const std::string& path, std::size_t count) {
  const auto value = to_unsigned(json);
  if (!value) fail(path, "must be an index, a whole number from 0");
  if (*value >= count) {
    fail(path, "refers to item " + std::to_string(*value) + " but there are only " + std::to_string(count));
  }
  return static_cast<std::size_t>(*value);
}

}  // namespace

void fail(std::string item, std::string problem, std::string remedy) {
  throw Malformed{{std::move(item), std::move(problem), std::move(remedy)}};
}

const Json* Item::member(std::string_view key) const {
  if (!json_->is_object()) fail(path_.empty() ? "the document" : path_, "must be a JSON object");
  return json_->find(key);
}

std::optional<Item> Item::object(std::string_view key) const {
  const Json* value = member(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_object()) fail(path(key), "must be a JSON object");
  return Item(*value, path(key));
}

Item Item::required_object(std::string_view key) const {
  auto value = object(key);
  if (!value) fail(path(key), "is missing");
  return *value;
}

std::vector<Item> Item::list(std::string_view key) const {
  std::vector<Item> items;
  const Json* value = member(key);
  if (value == nullptr) return items;
  if (!value->is_array()) fail(path(key), "must be an array");
  items.reserve(value->size());
  const Item whole(*value, path(key));
  for (std::size_t i = 0; i < value->size(); ++i) items.emplace_back((*value)[i], whole.path(i));
  return items;
}

std::uint64_t Item::unsigned_integer(std::string_view key) const {
  const Json* value = member(key);
  if (value == nullptr) fail(path(key), "is missing");
  const auto number = to_unsigned(*value);
  if (!number) fail(path(key), "must be a whole number from 0 to 2^53");
  return *number;
}

std::uint64_t Item::unsigned_integer(std::string_view key, std::uint64_t otherwise) const {
  return has(key) ? unsigned_integer(key) : otherwise;
}

double Item::number(std::string_view key, double otherwise) const {
  const Json* value = member(key);
  if (value == nullptr) return otherwise;
  if (!value->is_number()) fail(path(key), "must be a number");
  return value->get<double>();
}

float Item::single(std::string_view key, float otherwise) const {
  const double value = number(key, double{otherwise});
  if (!(std::abs(value) <= double{std::numeric_limits<float>::max()})) fail(path(key), "must be a finite number");
  return static_cast<float>(value);
}

float Item::required_float(std::string_view key) const {
  if (!has(key)) fail(path(key), "is missing");
  return single(key, 0);
}

bool Item::flag(std::string_view key, bool otherwise) const {
  const Json* value = member(key);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) fail(path(key), "must be true or false");
  return value->get<bool>();
}

std::string Item::text(std::string_view key, std::string otherwise) const {
  const Json* value = member(key);
  if (value == nullptr) return otherwise;
  if (!value->is_string()) fail(path(key), "must be a string");
  return value->get<std::string>();
}

std::string Item::required_text(std::string_view key) const {
  if (!has(key)) fail(path(key), "is missing");
  return text(key, "");
}

std::optional<std::vector<float>> Item::floats(std::string_view key, std::optional<std::size_t> size) const {
  const Json* value = member(key);
  if (value == nullptr) return std::nullopt;
  return Item(*value, path(key)).as_floats(size);
}

std::vector<double> Item::as_numbers(std::optional<std::size_t> size) const {
  if (!json_->is_array() || (size && json_->size() != *size)) {
    fail(path_, size ? "must be an array of " + std::to_string(*size) + " numbers" : "must be an array of numbers");
  }
  std::vector<double> numbers;
  numbers.reserve(json_->size());
  for (const Json& n : *json_) {
    numbers.push_back(n.is_number() ? n.get<double>() : std::nan(""));
    if (!std::isfinite(numbers.back())) fail(path_, "must hold finite numbers only");
  }
  return numbers;
}

std::vector<float> Item::as_floats(std::optional<std::size_t> size) const {
  const std::vector<double> numbers = as_numbers(size);
  std::vector<float> floats(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!(std::abs(numbers[i]) <= std::numeric_limits<float>::max())) fail(path_, "must hold finite numbers only");
    floats[i] = static_cast<float>(numbers[i]);
  }
  return floats;
}

std::optional<std::size_t> Item::index(std::string_view key, std::size_t count) const {
  const Json* value = member(key);
  if (value == nullptr) return std::nullopt;
  return checked_index(*value, path(key), count);
}

std::size_t Item::required_index(std::string_view key, std::size_t count) const {
  const auto value = index(key, count);
  if (!value) fail(path(key), "is missing");
  return *value;
}

std::size_t Item::as_index(std::size_t count) const { return checked_index(*json_, path_, count); }

std::vector<std::size_t> Item::indices(std::string_view key, std::size_t count) const {
  std::vector<std::size_t> result;
  for (const Item& item : list(key)) result.push_back(item.as_index(count));
  return result;
}

std::size_t count(const Json& root, std::string_view array) {
  const auto found = root.find(array);
  return found != nullptr && found->is_array() ? found->size() : 0;
}

Item element(const Json& root, std::string_view array, std::size_t place) {
  return Item(root.at(array).at(place), std::string(array) + "[" + std::to_string(place) + "]");
}

Item element(const Json& root, std::string_view array, std::size_t place, std::string_view inner, std::size_t number) {
  const Item outer = element(root, array, place);
  return Item(outer.json().at(inner).at(number), Item(outer.json(), outer.path(inner)).path(number));
}

Error as_error(const std::string& file) {
  try {
    throw;
  } catch (const Malformed& malformed) {
    Error error = malformed.error;
    if (!file.empty()) error.item = error.item.empty() ? file : file + ": " + error.item;
    return error;
  } catch (const JsonError& error) {
    return {file, "is not valid glTF JSON: " + std::string(error.what()).substr(0, 160), "export the file again"};
  } catch (const std::bad_alloc&) {
    return {file, "needs more memory than there is", ""};
  } catch (const std::length_error&) {
    return {file, "needs more memory than there is", ""};
  }
}

double short_decimal(float value) {
#if defined(__cpp_lib_to_chars)
  char text[64];
  const auto written = std::to_chars(text, text + sizeof text, value);
  double decimal = value;
  std::from_chars(text, written.ptr, decimal);
  if (static_cast<float>(decimal) == value) return decimal;
#else  // a standard library without shortest decimals: nine digits always suffice
  for (int digits = 1; digits <= 9; ++digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(value));
    const double decimal = std::strtod(text, nullptr);
    if (static_cast<float>(decimal) == value) return decimal;
  }
#endif
  return static_cast<double>(value);
}

}  // namespace supple::gltf
