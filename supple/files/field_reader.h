// Takes the fields of a description out of JSON.
#pragma once

#include "supple/files/field_spelling.h"
#include "supple/files/gltf/json.h"

namespace supple {

/// Complaints are thrown as gltf::Malformed and name the place in the file.
class FieldReader final : public Fields {
 public:
  FieldReader(const gltf::Item& object, const NameReader& names);
  /// When all is read: complains of keys that nobody asked for.
  void finish() const { names_.check_keys(top().item, top().known); }

 private:
  struct Object {
    gltf::Item item;
    std::vector<std::string> known;  // keys that were asked for
  };
  Object& top() { return objects_.back(); }
  const Object& top() const { return objects_.back(); }
  std::optional<gltf::Item> find(const Field& field);
  std::size_t length_of(const char* list);
  void enter(const gltf::Item& item);
  void leave();

  void put_value(const Field& field, FieldValue value) override;
  void put_choice(const Field& field, std::span<const char* const> names, std::size_t& chosen) override;
  void put_joint(const Field& field, JointIndex& joint) override;
  void put_joints(const Field& field, std::vector<JointIndex>& joints) override;
  void put_part(std::uint32_t& part, Presence primitive, const About& about) override;
  void put_node(std::uint32_t first_weight, std::size_t count, const About& about) override;
  void put_targets(const Field& field, std::uint32_t& first_weight, std::size_t count, const char* counted_by) override;
  void put_rows(const Field& field, const FieldRows& rows) override;
  std::size_t enter_list(const Field& field, std::size_t size) override;
  void enter_item(std::size_t place) override { enter(lists_.back()[place]); }
  bool leave_item() override;
  void leave_list() override { lists_.pop_back(); }
  bool enter_object(const Field& field) override;
  void enter_group(const Field& field) override;
  void leave_object() override { leave(); }
  void complain(const char* name, const Error& error) override;

  const NameReader& names_;
  std::vector<Object> objects_;                 // the innermost last
  std::vector<std::vector<gltf::Item>> lists_;  // likewise
};

}  // namespace supple
