// Puts the fields of a description into JSON.
#pragma once

#include "supple/files/field_spelling.h"
#include "supple/files/gltf/json.h"

namespace supple {

/// A value of a field, in numbers that read back as the same floats. `radians` is the unit of angles.
Json field_json(const FieldValue& value, Unit unit, double radians);

/// What the file lacks is thrown as gltf::Malformed, which names the item.
class FieldWriter final : public Fields {
 public:
  explicit FieldWriter(const NameWriter& names) : Fields(Purpose::write), names_(names), objects_(1) {}
  /// The object with all members that were told.
  Json take() { return std::move(objects_.front().json); }

 private:
  struct Object {
    std::string key;  // in the object around it, with its place in a list: springs[1]
    Json json = Json::object();
    std::uint32_t node = no_joint;  // that carries its morph targets
    std::size_t time = 0;           // as which of several it is written
    bool is_last = true, is_dropped = false, is_dropped_empty = false;
  };
  Object& top() { return objects_.back(); }
  Json& member(const Field& field) { return top().json[names_.spelling.key(field.name)]; }
  [[noreturn]] void fail(const std::string& problem) const;
  template <class Act>
  auto attempt(Act act) const;

  void put_value(const Field& field, FieldValue value) override;
  void put_choice(const Field& field, std::span<const char* const> names, std::size_t& chosen) override;
  void put_joint(const Field& field, JointIndex& joint) override;
  void put_joints(const Field& field, std::vector<JointIndex>& joints) override;
  void put_part(std::uint32_t& part, Presence primitive, const About& about) override;
  void put_node(std::uint32_t first_weight, std::size_t count, const About& about) override;
  void put_targets(const Field& field, std::uint32_t& first_weight, std::size_t count, const char* counted_by) override;
  void put_rows(const Field& field, const FieldRows& rows) override;
  std::size_t enter_list(const Field& field, std::size_t size) override;
  void enter_item(std::size_t place) override;
  bool leave_item() override;
  void leave_list() override;
  bool enter_object(const Field& field) override;
  void enter_group(const Field& field) override;
  void leave_object() override;

  struct List {
    std::string key;
    bool is_kept_empty = false;
    Json json = Json::array();
    std::size_t time = 0;  // that its present item is written for
  };
  const NameWriter& names_;
  std::vector<Object> objects_;  // the innermost last
  std::vector<List> lists_;      // likewise
};

}  // namespace supple
