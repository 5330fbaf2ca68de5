#include "supple/files/field_reader.h"

#include <algorithm>
#include <cmath>

namespace supple {
namespace {

using gltf::fail;
using gltf::Item;

double finite_number(const Item& item) {
  const double value = item.json().is_number() ? item.json().get<double>() : std::nan("");
  if (!(std::abs(value) <= double{std::numeric_limits<float>::max()})) fail(item.path(), "must be a finite number");
  return value;
}

/// One value, in a file with angles in units of `radians`.
struct ValueReader {
  const About& about;
  double radians;

  void read(const Item& item, float& value) const {
    value = static_cast<float>(finite_number(item) * (about.unit == Unit::radians ? radians : 1));
  }
  void read(const Item& item, std::uint32_t& value) const {
    const auto number = gltf::to_unsigned(item.json());
    if (!number) fail(item.path(), "must be a whole number from 0 to 2^53");
    value = static_cast<std::uint32_t>(std::min<std::uint64_t>(*number, 0xffffffffu));  // too many in any case
  }
  void read(const Item& item, bool& value) const {
    if (!item.json().is_boolean()) fail(item.path(), "must be true or false");
    value = item.json().get<bool>();
  }
  void read(const Item& item, std::string& value) const {
    if (!item.json().is_string()) fail(item.path(), "must be a string");
    value = item.json().get<std::string>();
  }
  void read(const Item& item, Vec3f& value) const {
    const std::vector<float> v = item.as_floats(3);
    value = {v[0], v[1], v[2]};
  }
  void read(const Item& item, Quatf& value) const {
    const std::vector<float> v = item.as_floats(4);
    value = {v[0], v[1], v[2], v[3]};
  }
  void read(const Item& item, Triangle& value) const {
    if (!item.json().is_array() || item.json().size() != 3) fail(item.path(), "must be three vertex numbers");
    for (std::size_t i = 0; i < 3; ++i) value[i] = index(Item(item.json()[i], item.path(i)));
  }
  void read(const Item& item, std::array<std::uint32_t, 2>& value) const {
    if (!item.json().is_array() || item.json().size() != 2) fail(item.path(), "must be two numbers of items");
    for (std::size_t i = 0; i < 2; ++i) {
      const auto number = gltf::to_unsigned(item.json()[i]);
      if (!number || *number >= about.below)
        fail(item.path(), "must name two of " + std::to_string(about.below) + " items by their numbers from 0 on");
      value[i] = static_cast<std::uint32_t>(*number);
    }
  }
  void read(const Item& item, std::vector<std::uint32_t>& values) const {
    for (const Item& one : elements(item)) values.push_back(index(one));
  }
  template <class T>
  void read(const Item& item, std::vector<T>& values) const {
    for (const Item& one : elements(item)) read(one, values.emplace_back());
  }

  std::uint32_t index(const Item& item) const { return static_cast<std::uint32_t>(item.as_index(about.below)); }
  static std::vector<Item> elements(const Item& item) {
    if (!item.json().is_array()) fail(item.path(), "must be an array");
    std::vector<Item> all;
    for (std::size_t i = 0; i < item.json().size(); ++i) all.emplace_back(item.json()[i], item.path(i));
    return all;
  }
};

}  // namespace

FieldReader::FieldReader(const Item& object, const NameReader& names) : Fields(Purpose::read), names_(names) {
  enter(object);
}

void FieldReader::enter(const Item& item) {
  if (!item.json().is_object()) fail(item.path(), "must be a JSON object");
  objects_.push_back({item, {}});
}

void FieldReader::leave() {
  finish();
  objects_.pop_back();
}

std::optional<Item> FieldReader::find(const Field& field) {
  const std::string key = names_.spelling.key(field.name);
  top().known.push_back(key);
  const Item& item = top().item;
  if (item.has(key)) return Item(item.json()[key], item.path(key));
  if (field.presence == Presence::required) fail(item.path(key), "is missing");
  return std::nullopt;
}

std::size_t FieldReader::length_of(const char* list) {
  const std::string key = names_.spelling.key(list);
  if (!top().item.has(key)) fail(top().item.path(key), "is missing");
  return top().item.list(key).size();
}

void FieldReader::put_value(const Field& field, FieldValue value) {
  const auto found = find(field);
  if (!found) return;
  std::visit([&](auto* v) { *v = {}, ValueReader{field.about, names_.spelling.angle_unit}.read(*found, *v); }, value);
  if (field.about.one_per == nullptr) return;
  const std::size_t wanted = length_of(field.about.one_per), given = found->json().size();
  if (given != wanted)
    fail(found->path(), "must hold one for each of " + names_.spelling.key(field.about.one_per) + ", " +
                            std::to_string(wanted) + " in all, not " + std::to_string(given));
}

void FieldReader::put_choice(const Field& field, std::span<const char* const> names, std::size_t& chosen) {
  const auto found = find(field);
  if (!found) return;
  std::string text, all;
  ValueReader{field.about, 1}.read(*found, text);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (text == names[i]) return static_cast<void>(chosen = i);
    all += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + std::string(names[i]);
  }
  fail(found->path(), "'" + text + "' is not known", "write " + all);
}

void FieldReader::put_joint(const Field& field, JointIndex& joint) { joint = names_.joint(*find(field)); }

void FieldReader::put_joints(const Field& field, std::vector<JointIndex>& joints) {
  joints.clear();
  if (const auto found = find(field))
    for (const Item& one : ValueReader::elements(*found)) joints.push_back(names_.joint(one));
}

void FieldReader::put_part(std::uint32_t& part, Presence primitive, const About&) {
  top().known.push_back("part");  // the key of files whose keys are checked
  part = names_.part(top().item, primitive == Presence::required);
}

void FieldReader::put_node(std::uint32_t, std::size_t, const About&) { names_.targets(top().item); }

void FieldReader::put_targets(const Field& field, std::uint32_t& first_weight, std::size_t, const char* counted_by) {
  const gltf::MorphBlock block = names_.targets(top().item);
  const std::size_t first = find(field)->as_index(block.count), targets = counted_by ? length_of(counted_by) : 1;
  if (targets == 0) fail(top().item.path(names_.spelling.key(counted_by)), "must hold one or more");
  if (first + targets > block.count)
    fail(top().item.path(names_.spelling.key(counted_by)),
         "reaches morph target " + std::to_string(first + targets - 1) + " but nodes[" + std::to_string(block.node) +
             "] has only " + std::to_string(block.count));
  first_weight = block.first + static_cast<std::uint32_t>(first);
}

void FieldReader::put_rows(const Field& field, const FieldRows& rows) {
  const Item found = *find(field);
  const std::size_t width = length_of(rows.per);
  for (const Item& row : ValueReader::elements(found)) {
    if (auto* const* rotations = std::get_if<std::vector<Quatf>*>(&rows.values)) {
      const std::vector<float> v = row.as_floats(4 * width);
      for (std::size_t i = 0; i < v.size(); i += 4) (*rotations)->push_back({v[i], v[i + 1], v[i + 2], v[i + 3]});
    } else {
      for (const double v : row.as_numbers(width))
        std::get<std::vector<double>*>(rows.values)->push_back(rows.is_single ? double{static_cast<float>(v)} : v);
    }
  }
}

std::size_t FieldReader::enter_list(const Field& field, std::size_t) {
  const auto found = find(field);
  return lists_.emplace_back(found ? ValueReader::elements(*found) : std::vector<Item>()).size();
}

bool FieldReader::leave_item() {
  leave();
  return false;
}

bool FieldReader::enter_object(const Field& field) {
  const auto found = find(field);
  if (found) enter(*found);
  return found.has_value();
}

void FieldReader::enter_group(const Field& field) {
  static const Json nothing = Json::object();
  const auto found = find(field);
  enter(found ? *found : Item(nothing, top().item.path(names_.spelling.key(field.name))));
}

void FieldReader::complain(const char* name, const Error& error) {
  const Item& item = top().item;
  fail(name != nullptr ? item.path(names_.spelling.key(name)) : item.path(), error.problem, error.remedy);
}

}  // namespace supple
