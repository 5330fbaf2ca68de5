#include "supple/files/field_writer.h"

#include <cstdio>
#include <cstdlib>

namespace supple {
namespace {

/// 30 rather than 29.999999.
double shortest_angle(float radians, double unit) {
  const double angle = double{radians} / unit;
  for (int digits = 1; digits < 17; ++digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*g", digits, angle);
    const double decimal = std::strtod(text, nullptr);
    if (static_cast<float>(decimal * unit) == radians) return decimal;
  }
  return angle;
}

Json json_of(float value) { return gltf::short_decimal(value); }
Json json_of(std::uint32_t value) { return value; }
Json json_of(bool value) { return value; }
Json json_of(const std::string& value) { return value; }
template <class T, std::size_t N>
Json json_of(const std::array<T, N>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(json_of(value));
  return list;
}
Json json_of(Vec3f v) { return json_of(std::array{v.x, v.y, v.z}); }
Json json_of(Quatf q) { return json_of(std::array{q.x, q.y, q.z, q.w}); }
template <class T>
Json json_of(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(json_of(value));
  return list;
}

}  // namespace

Json field_json(const FieldValue& value, Unit unit, double radians) {
  if (unit == Unit::radians)
    if (float* const* angle = std::get_if<float*>(&value)) return shortest_angle(**angle, radians);
  return std::visit([](const auto* v) { return json_of(*v); }, value);
}

void FieldWriter::fail(const std::string& problem) const {
  std::string item;
  for (const Object& object : objects_) {
    const Json* name = object.json.find("name");
    item += (item.empty() ? "" : ".") + object.key;
    if (name != nullptr && name->is_string()) item += " '" + name->get<std::string>() + "'";
  }
  gltf::fail(item, problem);
}

template <class Act>
auto FieldWriter::attempt(Act act) const {
  try {
    return act();
  } catch (const gltf::Malformed& malformed) {
    fail(malformed.error.problem);
  }
}

void FieldWriter::put_value(const Field& field, FieldValue value) {
  if (field.presence == Presence::optional && field.is_usual) return;
  member(field) = field_json(value, field.about.unit, names_.spelling.angle_unit);
}

void FieldWriter::put_choice(const Field& field, std::span<const char* const> names, std::size_t& chosen) {
  if (field.presence != Presence::optional || !field.is_usual) member(field) = names[chosen];
}

void FieldWriter::put_joint(const Field& field, JointIndex& joint) {
  member(field) = attempt([&] { return names_.joint(joint); });
}

void FieldWriter::put_joints(const Field& field, std::vector<JointIndex>& joints) {
  if (field.presence == Presence::optional && joints.empty()) return;
  Json list = Json::array();
  for (const JointIndex joint : joints) list.push_back(attempt([&] { return names_.joint(joint); }));
  member(field) = std::move(list);
}

void FieldWriter::put_part(std::uint32_t& part, Presence primitive, const About&) {
  attempt([&] { names_.put_part(top().json, part, primitive); });
  if (const Json* node = top().json.find("node")) top().node = node->get<std::uint32_t>();
}

void FieldWriter::put_node(std::uint32_t first_weight, std::size_t count, const About&) {
  Object& object = top();
  object.is_dropped = count == 0;
  std::size_t found = 0;
  for (const gltf::MorphBlock& block : names_.morphs()) {
    if (count == 0 || block.first > first_weight || first_weight + count > block.first + block.count) continue;
    if (found++ == object.time) object.node = block.node;
  }
  object.is_last = object.time + 1 >= found;
  if (found == 0 && count > 0) fail("drives morph targets that no mesh of the file has");
  object.json["node"] = object.node;
}

void FieldWriter::put_targets(const Field& field, std::uint32_t& first_weight, std::size_t count, const char*) {
  if (top().is_dropped) return;
  for (const gltf::MorphBlock& block : names_.morphs()) {
    if (block.node != top().node || block.first > first_weight || first_weight + count > block.first + block.count)
      continue;
    member(field) = first_weight - block.first;
    return;
  }
  fail("has morph targets that its mesh in the file lacks");
}

void FieldWriter::put_rows(const Field& field, const FieldRows& rows) {
  Json list = Json::array();
  const auto row_of = [&](std::size_t place) -> Json& {
    if (place % rows.width == 0) list.push_back(Json::array());
    return list.back();
  };
  if (auto* const* rotations = std::get_if<std::vector<Quatf>*>(&rows.values)) {
    for (std::size_t i = 0; i < (*rotations)->size(); ++i) {
      Json& row = row_of(i);
      const Quatf q = (**rotations)[i];
      for (const float x : {q.x, q.y, q.z, q.w}) row.push_back(json_of(x));
    }
  } else {
    const std::vector<double>& numbers = *std::get<std::vector<double>*>(rows.values);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      row_of(i).push_back(rows.is_single ? json_of(static_cast<float>(numbers[i])) : Json(numbers[i]));
  }
  member(field) = std::move(list);
}

std::size_t FieldWriter::enter_list(const Field& field, std::size_t size) {
  lists_.push_back({names_.spelling.key(field.name), field.presence != Presence::optional});
  return size;
}

void FieldWriter::enter_item(std::size_t place) {
  objects_.push_back({.key = lists_.back().key + "[" + std::to_string(place) + "]", .time = lists_.back().time});
}

bool FieldWriter::leave_item() {
  Object object = std::move(top());
  objects_.pop_back();
  List& list = lists_.back();
  if (!object.is_dropped) list.json.push_back(std::move(object.json));
  list.time = object.is_last ? 0 : object.time + 1;
  return !object.is_last;
}

void FieldWriter::leave_list() {
  List list = std::move(lists_.back());
  lists_.pop_back();
  if (list.is_kept_empty || !list.json.empty()) top().json[list.key] = std::move(list.json);
}

bool FieldWriter::enter_object(const Field& field) {
  if (!field.is_usual) objects_.push_back({.key = names_.spelling.key(field.name)});
  return !field.is_usual;
}

void FieldWriter::enter_group(const Field& field) {
  objects_.push_back({.key = names_.spelling.key(field.name), .is_dropped_empty = true});
}

void FieldWriter::leave_object() {
  Object object = std::move(top());
  objects_.pop_back();
  if (!object.is_dropped_empty || !object.json.empty()) top().json[object.key] = std::move(object.json);
}

}  // namespace supple
