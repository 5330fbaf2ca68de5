#include "supple/files/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <unordered_map>

namespace supple {
namespace {

using Library = nlohmann::ordered_json;

constexpr std::size_t max_depth =
    128;  // values are copied, compared and freed by recursion: no nested bomb may reach it

/// Reads characters for the parser and counts the lines it has passed.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* line) : at_(at), line_(line) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    if (*at_ == '\n') ++*line_;
    ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    const CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at_ == b.at_; }

 private:
  const char* at_;
  std::size_t* line_;
};

/// Builds our values from the parser's events.
class Builder {
 public:
  Builder(Json& root, const Json::ObjectStarts& object_starts, const std::size_t& line)
      : root_(root), object_starts_(object_starts), line_(line) {}

  bool null() { return put(nullptr) != nullptr; }
  bool boolean(bool value) { return put(value) != nullptr; }
  bool number_integer(std::int64_t value) { return put(value) != nullptr; }
  bool number_unsigned(std::uint64_t value) { return put(value) != nullptr; }
  bool number_float(double value, const std::string&) { return put(value) != nullptr; }
  bool string(std::string& value) { return put(value) != nullptr; }
  bool binary(Library::binary_t&) { return false; }  // not in texts
  bool start_object(std::size_t) {
    if (object_starts_) object_starts_(static_cast<int>(open_.size()), line_);
    return open(Json::object());
  }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    member_ = &member(*open_.back(), name);
    return true;
  }
  bool parse_error(std::size_t byte, const std::string&, const Library::exception& error) {
    // The library quotes what it read so far, which may be a whole buffer: its first words say what and where.
    std::string what = error.what();
    if (const std::size_t end = what.find("] "); end != std::string::npos) what = what.substr(end + 2);
    if (const std::size_t quote = what.find("; last read"); quote != std::string::npos) what.resize(quote);
    fail(what, byte);
  }

 private:
  [[noreturn]] static void fail(const std::string& what, std::size_t byte) {
    JsonError failure(what);
    failure.byte = byte;
    throw failure;
  }
  Json* put(Json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    if (Json& parent = *open_.back(); parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(*member_ = std::move(value));
  }
  bool open(Json value) {
    if (open_.size() == max_depth) throw JsonError("is nested more than " + std::to_string(max_depth) + " levels deep");
    open_.push_back(put(std::move(value)));
    places_.emplace_back();
    return true;
  }
  bool close() {
    open_.pop_back();
    places_.pop_back();
    return true;
  }

  /// As object[name]; one with many members is not searched from its begin for every name.
  Json& member(Json& object, const std::string& name) {
    constexpr std::size_t few = 32;
    if (object.size() < few) return object[name];
    auto& places = places_.back();
    if (places.empty()) {
      for (const auto& [key, value] : object.members()) places.emplace(key, places.size());
    }
    const auto [found, is_new] = places.emplace(name, object.size());
    std::vector<Json::Member>& members = object.members();
    if (is_new) members.push_back({name, Json()});
    return members[found->second].value;
  }

  Json& root_;
  const Json::ObjectStarts& object_starts_;
  const std::size_t& line_;
  std::vector<Json*> open_;  // each inside the one before; none moves while it is open
  std::vector<std::unordered_map<std::string, std::size_t>> places_;  // #open_: of the members of those with many
  Json* member_ = nullptr;                                            // of the innermost object, whose value comes next
};

Library to_library(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned()) return json.get<std::uint64_t>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) {
    Library::array_t list;
    list.reserve(json.size());
    for (const Json& value : json) list.push_back(to_library(value));
    return list;
  }
  if (json.is_object()) {
    Library::object_t object;
    object.reserve(json.size());
    for (const auto& [key, value] : json.members()) object.push_back({key, to_library(value)});
    return object;
  }
  return nullptr;
}

}  // namespace

Json::Json(std::string_view text) : type_(Type::text) { value_.text = new std::string(text); }

Json::Json(std::initializer_list<Part> parts) {
  const bool pairs = std::all_of(parts.begin(), parts.end(), [](const Part& part) {
    return part.value_.is_array() && part.value_.size() == 2 && part.value_.front().is_string();
  });
  *this = pairs ? object(parts) : array(parts);
}

Json::Json(const Json& other) : type_(other.type_), value_(other.value_) {
  if (type_ == Type::text) value_.text = new std::string(*other.value_.text);
  if (type_ == Type::array) value_.array = new std::vector<Json>(*other.value_.array);
  if (type_ == Type::object) value_.object = new std::vector<Member>(*other.value_.object);
}

void Json::release() noexcept {
  if (type_ == Type::text) delete value_.text;
  if (type_ == Type::array) delete value_.array;
  if (type_ == Type::object) delete value_.object;
}

Json Json::array() {
  Json json;
  json.value_.array = new std::vector<Json>;
  json.type_ = Type::array;
  return json;
}

Json Json::array(std::initializer_list<Part> parts) {
  Json json = array();
  json.value_.array->reserve(parts.size());
  for (const Part& part : parts) json.value_.array->push_back(std::move(part.value_));
  return json;
}

Json Json::object() {
  Json json;
  json.value_.object = new std::vector<Member>;
  json.type_ = Type::object;
  return json;
}

Json Json::object(std::initializer_list<Part> parts) {
  Json json = object();
  for (const Part& part : parts) {
    std::vector<Json>& pair = part.value_.elements();
    if (pair.size() != 2) throw JsonError("an object is a list of pairs");
    if (const std::string& key = pair[0].to_text(); !json.contains(key)) json[key] = std::move(pair[1]);
  }
  return json;
}

const char* Json::type_name() const noexcept {
  constexpr const char* names[] = {"null",     "true or false", "a number", "a number",
                                   "a number", "a string",      "an array", "an object"};
  return names[static_cast<std::size_t>(type_)];
}

void Json::refuse(const char* wanted) const { throw JsonError(std::string("is ") + type_name() + ", not " + wanted); }

bool Json::to_boolean() const {
  if (!is_boolean()) refuse("true or false");
  return value_.boolean;
}

double Json::to_number() const {
  if (type_ == Type::number) return value_.number;
  if (type_ == Type::natural) return static_cast<double>(value_.natural);
  if (type_ == Type::integer) return static_cast<double>(value_.integer);
  refuse("a number");
}

std::uint64_t Json::to_integer() const {
  if (!is_number_integer()) refuse("a whole number");
  return type_ == Type::natural ? value_.natural : static_cast<std::uint64_t>(value_.integer);
}

const std::string& Json::to_text() const {
  if (!is_string()) refuse("a string");
  return *value_.text;
}

const std::vector<Json>& Json::elements() const {
  if (!is_array()) refuse("an array");
  return *value_.array;
}

std::vector<Json>& Json::elements() {
  if (is_null()) *this = array();
  return const_cast<std::vector<Json>&>(std::as_const(*this).elements());
}

const std::vector<Json::Member>& Json::members() const {
  if (!is_object()) refuse("an object");
  return *value_.object;
}

std::vector<Json::Member>& Json::members() {
  if (is_null()) *this = object();
  return const_cast<std::vector<Member>&>(std::as_const(*this).members());
}

std::size_t Json::size() const noexcept {
  switch (type_) {
    case Type::null:
      return 0;
    case Type::array:
      return value_.array->size();
    case Type::object:
      return value_.object->size();
    default:
      return 1;
  }
}

const Json* Json::find(std::string_view key) const noexcept {
  if (!is_object()) return nullptr;
  for (const Member& member : *value_.object) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

const Json& Json::at(std::string_view key) const {
  if (!is_object()) refuse("an object");
  if (const Json* found = find(key)) return *found;
  throw JsonError("has no member '" + std::string(key) + "'");
}

Json& Json::operator[](std::string_view key) {
  std::vector<Member>& all = members();
  if (Json* found = find(key)) return *found;
  all.push_back({std::string(key), Json()});
  return all.back().value;
}

void Json::update(const Json& other) {
  for (const auto& [key, value] : other.members()) (*this)[key] = value;
}

void Json::erase(std::string_view key) {
  std::erase_if(members(), [&](const Member& member) { return member.key == key; });
}

const Json& Json::at(std::size_t place) const {
  if (place >= elements().size()) throw JsonError("has no element " + std::to_string(place));
  return (*value_.array)[place];
}

Json& Json::grown_to(std::size_t place) {
  std::vector<Json>& all = elements();
  if (place >= all.size()) all.resize(place + 1);
  return all[place];
}

void Json::push_back(Json value) { elements().push_back(std::move(value)); }

void Json::insert(const_iterator before, Json value) {
  elements().insert(elements().begin() + static_cast<std::ptrdiff_t>(before.place()), std::move(value));
}

void Json::erase_element(std::size_t place) {
  if (place >= elements().size()) throw JsonError("has no element " + std::to_string(place));
  elements().erase(elements().begin() + static_cast<std::ptrdiff_t>(place));
}

const Json& Json::value_at(std::size_t place) const {
  return is_object() ? (*value_.object)[place].value : elements()[place];
}

std::string Json::dump(int indent) const {
  return to_library(*this).dump(indent, ' ', false, Library::error_handler_t::replace);
}

Json Json::parse(std::string_view text) {
  Json root;
  const std::size_t line = 1;
  const ObjectStarts nobody_asks;
  Builder builder(root, nobody_asks, line);
  Library::sax_parse(text, &builder);
  return root;
}

Json Json::parse_with_comments(std::string_view text, const ObjectStarts& object_starts) {
  Json root;
  std::size_t line = 1;
  Builder builder(root, object_starts, line);
  Library::sax_parse(CountingIterator(text.data(), &line), CountingIterator(text.data() + text.size(), &line), &builder,
                     Library::input_format_t::json, true, true);
  return root;
}

bool operator==(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) {
    if (a.is_number_float() || b.is_number_float()) return a.to_number() == b.to_number();
    const auto negative = [](const Json& json) { return json.type_ == Json::Type::integer && json.value_.integer < 0; };
    return negative(a) == negative(b) && a.to_integer() == b.to_integer();
  }
  if (a.type_ != b.type_) return false;
  switch (a.type_) {
    case Json::Type::boolean:
      return a.value_.boolean == b.value_.boolean;
    case Json::Type::text:
      return *a.value_.text == *b.value_.text;
    case Json::Type::array:
      return *a.value_.array == *b.value_.array;
    case Json::Type::object:
      return a.size() == b.size() && std::all_of(a.members().begin(), a.members().end(), [&](const Json::Member& m) {
               const Json* other = b.find(m.key);
               return other != nullptr && *other == m.value;
             });
    default:
      return true;
  }
}

std::partial_ordering operator<=>(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return a.to_number() <=> b.to_number();
  if (a.is_string() && b.is_string()) return a.to_text() <=> b.to_text();
  return std::partial_ordering::unordered;
}

std::ostream& operator<<(std::ostream& out, const Json& json) { return out << json.dump(); }

}  // namespace supple
