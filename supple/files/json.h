// A JSON value. The parser and the writer of numbers come from a library that json.cpp alone includes, so that whoever
// handles JSON does not compile it.
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace supple {

/// What the members of Json throw: a value of another type, a missing member, a text that is not JSON.
struct JsonError : std::runtime_error {
  using std::runtime_error::runtime_error;
  std::size_t byte = 0;  // of the text, from 1, where parse() stopped
};

class Json;

template <class T>
concept JsonNumber = std::is_arithmetic_v<T> && !std::same_as<T, bool> && !std::same_as<T, char>;

/// Lists and maps that convert from and to Json element by element.
template <class T>
struct JsonContainer : std::false_type {};
template <class T>
struct JsonContainer<std::vector<T>> : std::true_type {};
template <class T, std::size_t N>
struct JsonContainer<std::array<T, N>> : std::true_type {};
template <class T>
struct JsonContainer<std::map<std::string, T>> : std::true_type {};

template <class T>
concept JsonReadable =
    std::same_as<T, bool> || JsonNumber<T> || std::same_as<T, std::string> || JsonContainer<T>::value;

/// Null, boolean, number, text, array or object. Objects keep the order in which members were added, so that a file
/// that is read and written again keeps its look. Whole numbers are exact in 64 bits and written without a point;
/// others are doubles, written with as few digits as they need.
class Json {
 public:
  struct Member;
  class Part;
  template <class Element>
  class Iterator;
  using iterator = Iterator<Json>;
  using const_iterator = Iterator<const Json>;

  Json() noexcept = default;
  Json(std::nullptr_t) noexcept {}
  template <std::same_as<bool> T>  // nothing else: pointers would become true
  Json(T value) noexcept : type_(Type::boolean) {
    value_.boolean = value;
  }
  template <JsonNumber T>
  Json(T value) noexcept {
    if constexpr (std::is_floating_point_v<T>) {
      type_ = Type::number;
      value_.number = static_cast<double>(value);
    } else if constexpr (std::is_unsigned_v<T>) {
      type_ = Type::natural;
      value_.natural = value;
    } else {
      type_ = Type::integer;
      value_.integer = value;
    }
  }
  template <class T>
  requires std::is_enum_v<T> && std::is_convertible_v<T, std::underlying_type_t<T>> Json(T value)
  noexcept : Json(static_cast<std::underlying_type_t<T>>(value)) {}
  Json(std::string_view text);
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(const char* text) : Json(std::string_view(text)) {}
  template <class List>
  requires JsonContainer<List>::value Json(const List& list);
  /// {{"key", value}, ...} is an object: every part is a list of a text and something. Any other list is an array.
  Json(std::initializer_list<Part> parts);

  Json(const Json& other);
  Json(Json&& other) noexcept : type_(std::exchange(other.type_, Type::null)), value_(other.value_) {}
  Json& operator=(Json other) noexcept {
    std::swap(type_, other.type_);
    std::swap(value_, other.value_);
    return *this;
  }
  ~Json() {
    if (type_ >= Type::text) release();
  }

  static Json array();
  static Json array(std::initializer_list<Part> parts);  // even of pairs
  static Json object();
  static Json object(std::initializer_list<Part> parts);

  bool is_null() const noexcept { return type_ == Type::null; }
  bool is_boolean() const noexcept { return type_ == Type::boolean; }
  bool is_number() const noexcept { return is_number_integer() || is_number_float(); }
  bool is_number_integer() const noexcept { return type_ == Type::integer || type_ == Type::natural; }
  bool is_number_unsigned() const noexcept { return type_ == Type::natural; }
  bool is_number_float() const noexcept { return type_ == Type::number; }
  bool is_string() const noexcept { return type_ == Type::text; }
  bool is_array() const noexcept { return type_ == Type::array; }
  bool is_object() const noexcept { return type_ == Type::object; }
  bool is_structured() const noexcept { return is_array() || is_object(); }

  /// The value as another type; numbers convert to any number. Throws where that cannot be.
  template <JsonReadable T>
  T get() const {
    if constexpr (std::same_as<T, bool>) {
      return to_boolean();
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(to_number());
    } else if constexpr (JsonNumber<T>) {
      return is_number_float() ? static_cast<T>(to_number()) : static_cast<T>(to_integer());
    } else if constexpr (std::same_as<T, std::string>) {
      return to_text();
    } else {
      T list{};
      fill(list);
      return list;
    }
  }
  template <JsonReadable T>
  operator T() const {
    return get<T>();
  }

  /// Elements of an array or members of an object; 0 of null, 1 of anything else.
  std::size_t size() const noexcept;
  bool empty() const noexcept { return size() == 0; }

  /// Members. Writing to a member that is not there adds it, and null becomes an object; reading one throws.
  Json& operator[](std::string_view key);
  const Json& operator[](std::string_view key) const { return at(key); }
  Json& operator[](const char* key) { return (*this)[std::string_view(key)]; }
  const Json& operator[](const char* key) const { return at(key); }
  Json& at(std::string_view key) { return const_cast<Json&>(std::as_const(*this).at(key)); }
  const Json& at(std::string_view key) const;
  /// Null where this is no object or has no such member.
  Json* find(std::string_view key) noexcept { return const_cast<Json*>(std::as_const(*this).find(key)); }
  const Json* find(std::string_view key) const noexcept;
  bool contains(std::string_view key) const noexcept { return find(key) != nullptr; }
  template <class T>
  T value(std::string_view key, T otherwise) const {
    const Json* found = find(key);
    if (found == nullptr) return otherwise;
    if constexpr (std::same_as<T, Json>) {
      return *found;
    } else {
      return found->get<T>();
    }
  }
  std::string value(std::string_view key, const char* otherwise) const { return value(key, std::string(otherwise)); }
  /// Takes over all members of another object.
  void update(const Json& other);
  void erase(std::string_view key);
  void erase(const char* key) { erase(std::string_view(key)); }
  std::vector<Member>& members();
  const std::vector<Member>& members() const;

  /// Elements. Writing beyond the end fills up with null, and null becomes an array; reading there throws.
  template <std::integral I>
  Json& operator[](I place) {
    return grown_to(static_cast<std::size_t>(place));
  }
  template <std::integral I>
  const Json& operator[](I place) const {
    return at(static_cast<std::size_t>(place));
  }
  Json& at(std::size_t place) { return const_cast<Json&>(std::as_const(*this).at(place)); }
  const Json& at(std::size_t place) const;
  Json& front() { return at(std::size_t{0}); }
  const Json& front() const { return at(std::size_t{0}); }
  Json& back() { return at(size() - 1); }
  const Json& back() const { return at(size() - 1); }
  void push_back(Json value);
  void insert(const_iterator before, Json value);
  template <std::integral I>
  void erase(I place) {
    erase_element(static_cast<std::size_t>(place));
  }
  template <class Element>
  void erase(Iterator<Element> place) {
    erase_element(place.place());
  }

  /// Over the elements of an array or the values of an object.
  iterator begin();
  iterator end();
  const_iterator begin() const;
  const_iterator end() const;

  /// The text of the value: on one line, or with this many blanks of indentation. What is not UTF-8 is replaced,
  /// numbers that are not finite are null.
  std::string dump(int indent = -1) const;
  /// Told as objects begin: how deep (0: the whole), and on which line (from 1).
  using ObjectStarts = std::function<void(int depth, std::size_t line)>;
  /// Throws JsonError. Refuses values nested more than 128 levels deep.
  static Json parse(std::string_view text);
  /// The same for files that people write: comments, // and /* */, are passed over.
  static Json parse_with_comments(std::string_view text, const ObjectStarts& object_starts);

  /// Numbers are compared by value, objects without regard to order.
  friend bool operator==(const Json& a, const Json& b);
  template <class T>
  requires(!std::same_as<T, Json> && std::constructible_from<Json, const T&>) friend bool operator==(const Json& a,
                                                                                                     const T& b) {
    return a == Json(b);
  }
  /// Of two numbers or two texts; anything else is unordered.
  friend std::partial_ordering operator<=>(const Json& a, const Json& b);
  template <class T>
  requires(!std::same_as<T, Json> && std::constructible_from<Json, const T&>) friend std::partial_ordering operator<=>(
      const Json& a, const T& b) {
    return a <=> Json(b);
  }
  friend std::ostream& operator<<(std::ostream& out, const Json& json);

 private:
  enum class Type : std::uint8_t { null, boolean, integer, natural, number, text, array, object };
  union Payload {
    bool boolean;
    std::int64_t integer;
    std::uint64_t natural;
    double number;
    std::string* text;
    std::vector<Json>* array;
    std::vector<Member>* object;
  };

  void release() noexcept;
  const char* type_name() const noexcept;
  [[noreturn]] void refuse(const char* wanted) const;
  bool to_boolean() const;
  double to_number() const;
  std::uint64_t to_integer() const;  // negative ones as their two's complement
  const std::string& to_text() const;
  std::vector<Json>& elements();
  const std::vector<Json>& elements() const;
  Json& grown_to(std::size_t place);
  void erase_element(std::size_t place);
  const Json& value_at(std::size_t place) const;  // of an array or object

  template <class T>
  void fill(std::vector<T>& list) const {
    for (const Json& element : elements()) list.push_back(element.get<T>());
  }
  template <class T, std::size_t N>
  void fill(std::array<T, N>& list) const {
    for (std::size_t i = 0; i < N; ++i) list[i] = at(i).template get<T>();
  }
  template <class T>
  void fill(std::map<std::string, T>& map) const;

  Type type_ = Type::null;
  Payload value_{};
};

struct Json::Member {
  std::string key;
  Json value;
};

/// One entry of a braced list: a value that may be moved out of the list again.
class Json::Part {
 public:
  Part(std::initializer_list<Part> parts) : value_(parts) {}
  Part(Json&& value) : value_(std::move(value)) {}
  Part(const Json& value) : value_(value) {}
  template <class T>
  requires(!std::same_as<std::remove_cvref_t<T>, Json> && !std::same_as<std::remove_cvref_t<T>, Part> &&
           std::constructible_from<Json, T>) Part(T&& value)
      : value_(std::forward<T>(value)) {}

 private:
  friend class Json;
  mutable Json value_;
};

template <class Element>
class Json::Iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = Json;
  using difference_type = std::ptrdiff_t;
  using pointer = Element*;
  using reference = Element&;

  Iterator() = default;
  Iterator(Element* owner, std::size_t place) : owner_(owner), place_(place) {}
  operator Iterator<const Json>() const { return {owner_, place_}; }
  std::size_t place() const { return place_; }

  reference operator*() const { return const_cast<Element&>(std::as_const(*owner_).value_at(place_)); }
  pointer operator->() const { return &**this; }
  Iterator& operator++() { return *this += 1; }
  Iterator& operator--() { return *this += -1; }
  Iterator operator++(int) { return {owner_, place_++}; }
  Iterator& operator+=(difference_type n) {
    place_ += static_cast<std::size_t>(n);
    return *this;
  }
  friend Iterator operator+(Iterator a, difference_type n) { return a += n; }
  friend Iterator operator-(Iterator a, difference_type n) { return a += -n; }
  friend difference_type operator-(const Iterator& a, const Iterator& b) {
    return static_cast<difference_type>(a.place_ - b.place_);
  }
  friend bool operator==(const Iterator& a, const Iterator& b) { return a.place_ == b.place_; }
  friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.place_ <=> b.place_; }

 private:
  Element* owner_ = nullptr;
  std::size_t place_ = 0;
};

template <class List>
requires JsonContainer<List>::value Json::Json(const List& list) {
  if constexpr (requires { typename List::mapped_type; }) {
    *this = object();
    for (const auto& [key, value] : list) (*this)[key] = value;
  } else {
    *this = array();
    for (const auto& value : list) push_back(Json(static_cast<const typename List::value_type&>(value)));
  }
}

template <class T>
void Json::fill(std::map<std::string, T>& map) const {
  for (const Member& member : members()) map[member.key] = member.value.template get<T>();
}

inline Json::iterator Json::begin() { return {this, 0}; }
inline Json::iterator Json::end() { return {this, is_structured() ? size() : 0}; }
inline Json::const_iterator Json::begin() const { return {this, 0}; }
inline Json::const_iterator Json::end() const { return {this, is_structured() ? size() : 0}; }

}  // namespace supple
