// The two readers of a description: one takes members out of a JSON object, one puts them in. A description calls one
// or the other with each member's name, place and usual value.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

#include "supple/files/kinodynamics_json.h"

namespace supple {

template <class E, std::size_t N>
using EnumNames = std::array<std::pair<const char*, E>, N>;

/// Painted weights of one part.
struct PaintedPart {
  std::uint32_t part = 0;
  std::vector<std::uint32_t> vertices;
  std::vector<float> weights;
};

class FieldReader {
 public:
  FieldReader(const gltf::Item& item, const KinodynamicsReading& reading) : item_(item), reading_(reading) {
    if (!item.json().is_object()) gltf::fail(item.path(), "must be a JSON object");
  }
  /// When all is read: complains of keys that nobody asked for.
  void finish() const { reading_.check_keys(item_, known_); }

  template <class T>
  void operator()(const char* words, T& value, const T& usual) {
    const auto found = find(words);
    found ? read(*found, value) : static_cast<void>(value = usual);
  }
  template <class T>
  void required(const char* words, T& value) {
    read(need(words), value);
  }
  void angle(const char* words, float& radians, float usual) {
    const auto found = find(words);
    radians = found ? static_cast<float>(number(*found) * reading_.spelling.angle_unit) : usual;
  }
  template <class E, std::size_t N>
  void named(const char* words, E& value, E usual, const EnumNames<E, N>& names) {
    const auto found = find(words);
    value = usual;
    if (!found) return;
    std::string all;
    for (const auto& [name, one] : names) {
      if (found->json() == name) return static_cast<void>(value = one);
      all += (all.empty() ? "" : ", ") + std::string(name);
    }
    gltf::fail(found->path(), "is not known", "write one of " + all);
  }
  void joint(const char* words, JointIndex& joint) { joint = reading_.joint(need(words)); }
  void joints(const char* words, std::vector<JointIndex>& joints) {
    for (const gltf::Item& one : list_of(words)) joints.push_back(reading_.joint(one));
  }
  template <class T, class Describe>
  void list(const char* words, std::vector<T>& list, Describe describe) {
    for (const gltf::Item& one : list_of(words)) {
      FieldReader fields(one, reading_);
      describe(fields, list.emplace_back());
      fields.finish();
    }
  }
  /// Members that stand in an object of their own.
  template <class Describe>
  void group(const char* words, Describe describe) {
    static const Json nothing = Json::object();
    const auto found = find(words);
    FieldReader fields(found ? *found : gltf::Item(nothing, item_.path(reading_.spelling.key(words))), reading_);
    describe(fields);
    fields.finish();
  }
  void skin_weights(const char* words, std::vector<MuscleSkinWeight>& weights) {
    for (const gltf::Item& one : list_of(words)) {
      FieldReader fields(one, reading_);
      fields.known_ = {"part"};  // the key of files whose keys are checked
      PaintedPart painted;
      painted.part = reading_.part(one);
      fields.required("vertices", painted.vertices);
      fields.required("weights", painted.weights);
      fields.finish();
      if (painted.weights.size() != painted.vertices.size())
        gltf::fail(one.path("weights"), "are " + std::to_string(painted.weights.size()) + " for " +
                                            std::to_string(painted.vertices.size()) + " vertices");
      for (std::size_t i = 0; i < painted.vertices.size(); ++i)
        weights.push_back({painted.part, painted.vertices[i], painted.weights[i]});
    }
  }

 private:
  std::optional<gltf::Item> find(const char* words) {
    const std::string key = reading_.spelling.key(words);
    known_.push_back(key);
    if (!item_.has(key)) return std::nullopt;
    return gltf::Item(item_.json()[key], item_.path(key));
  }
  gltf::Item need(const char* words) {
    auto found = find(words);
    if (!found) gltf::fail(item_.path(reading_.spelling.key(words)), "is missing");
    return *found;
  }
  std::vector<gltf::Item> list_of(const char* words) {
    const std::string key = reading_.spelling.key(words);
    known_.push_back(key);
    return item_.list(key);
  }

  static double number(const gltf::Item& item) {
    const double value = item.json().is_number() ? item.json().get<double>() : std::nan("");
    if (!(std::abs(value) <= double{std::numeric_limits<float>::max()}))
      gltf::fail(item.path(), "must be a finite number");
    return value;
  }
  static void read(const gltf::Item& item, float& value) { value = static_cast<float>(number(item)); }
  static void read(const gltf::Item& item, std::uint32_t& value) {
    value = static_cast<std::uint32_t>(item.as_index(0xffffffffu));
  }
  static void read(const gltf::Item& item, bool& value) {
    if (!item.json().is_boolean()) gltf::fail(item.path(), "must be true or false");
    value = item.json().get<bool>();
  }
  static void read(const gltf::Item& item, std::string& value) {
    if (!item.json().is_string()) gltf::fail(item.path(), "must be a string");
    value = item.json().get<std::string>();
  }
  static void read(const gltf::Item& item, Vec3f& value) {
    const std::vector<float> v = item.as_floats(3);
    value = {v[0], v[1], v[2]};
  }
  static void read(const gltf::Item& item, Quatf& value) {
    const std::vector<float> v = item.as_floats(4);
    value = {v[0], v[1], v[2], v[3]};
  }
  static void read(const gltf::Item& item, Triangle& value) {
    if (!item.json().is_array() || item.json().size() != 3) gltf::fail(item.path(), "must be three vertex numbers");
    for (std::size_t i = 0; i < 3; ++i) read(gltf::Item(item.json()[i], item.path(i)), value[i]);
  }
  template <class T>
  static void read(const gltf::Item& item, std::vector<T>& values) {
    if (!item.json().is_array()) gltf::fail(item.path(), "must be an array");
    values.resize(item.json().size());
    for (std::size_t i = 0; i < values.size(); ++i) read(gltf::Item(item.json()[i], item.path(i)), values[i]);
  }

  gltf::Item item_;
  const KinodynamicsReading& reading_;
  std::vector<std::string> known_;
};

class FieldWriter {
 public:
  explicit FieldWriter(const KinodynamicsWriting& writing) : writing_(writing) {}
  Json json = Json::object();

  template <class T>
  void operator()(const char* words, const T& value, const T& usual) {
    if (!(value == usual)) required(words, value);
  }
  template <class T>
  void required(const char* words, const T& value) {
    json[writing_.spelling.key(words)] = written(value);
  }
  void angle(const char* words, float radians, float usual) {
    if (radians != usual) json[writing_.spelling.key(words)] = shortest_angle(radians);
  }
  template <class E, std::size_t N>
  void named(const char* words, E value, E usual, const EnumNames<E, N>& names) {
    if (value == usual) return;
    json[writing_.spelling.key(words)] =
        std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.second == value; })->first;
  }
  void joint(const char* words, JointIndex joint) { json[writing_.spelling.key(words)] = writing_.joint(joint); }
  void joints(const char* words, const std::vector<JointIndex>& joints) {
    for (const JointIndex j : joints) json[writing_.spelling.key(words)].push_back(writing_.joint(j));
  }
  template <class T, class Describe>
  void list(const char* words, const std::vector<T>& list, Describe describe) {
    for (const T& one : list) {
      FieldWriter fields(writing_);
      describe(fields, one);
      json[writing_.spelling.key(words)].push_back(std::move(fields.json));
    }
  }
  template <class Describe>
  void group(const char* words, Describe describe) {
    FieldWriter fields(writing_);
    describe(fields);
    if (!fields.json.empty()) json[writing_.spelling.key(words)] = std::move(fields.json);
  }
  void skin_weights(const char* words, const std::vector<MuscleSkinWeight>& weights) {
    for (std::size_t first = 0; first < weights.size();) {
      PaintedPart painted{weights[first].part, {}, {}};
      for (; first < weights.size() && weights[first].part == painted.part; ++first) {
        painted.vertices.push_back(weights[first].vertex);
        painted.weights.push_back(weights[first].weight);
      }
      FieldWriter fields(writing_);
      writing_.put_part(fields.json, painted.part);
      fields.required("vertices", painted.vertices);
      fields.required("weights", painted.weights);
      json[writing_.spelling.key(words)].push_back(std::move(fields.json));
    }
  }

 private:
  /// 30 rather than 29.999999.
  double shortest_angle(float radians) const {
    const double angle = double{radians} / writing_.spelling.angle_unit;
    for (int digits = 1; digits < 17; ++digits) {
      char text[64];
      std::snprintf(text, sizeof text, "%.*g", digits, angle);
      const double decimal = std::strtod(text, nullptr);
      if (static_cast<float>(decimal * writing_.spelling.angle_unit) == radians) return decimal;
    }
    return angle;
  }
  static Json written(float value) { return gltf::short_decimal(value); }
  static Json written(std::uint32_t value) { return value; }
  static Json written(bool value) { return value; }
  static Json written(const std::string& value) { return value; }
  static Json written(Vec3f v) { return written(std::array{v.x, v.y, v.z}); }
  static Json written(Quatf q) { return written(std::array{q.x, q.y, q.z, q.w}); }
  template <class T, std::size_t N>
  static Json written(const std::array<T, N>& values) {
    Json list = Json::array();
    for (const T& value : values) list.push_back(written(value));
    return list;
  }
  template <class T>
  static Json written(const std::vector<T>& values) {
    Json list = Json::array();
    for (const T& value : values) list.push_back(written(value));
    return list;
  }

  const KinodynamicsWriting& writing_;
};

}  // namespace supple
