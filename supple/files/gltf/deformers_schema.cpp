#include "supple/files/gltf/deformers_schema.h"

#include <cctype>
#include <cmath>
#include <map>

#include "supple/files/field_spelling.h"
#include "supple/files/field_writer.h"
#include "supple/files/gltf/deformers_member.h"
#include "supple/rig/deformers.h"

namespace supple::gltf {
namespace {

Json reference(const char* definition) { return {{"$ref", std::string("#/$defs/") + definition}}; }

/// "Metres: of the virtual bone."
std::string sentence(const About& about) {
  std::string text = about.help, unit = name_of(about.unit);
  if (unit.empty()) return text.empty() ? text : text + ".";
  if (unit.find('/') == std::string::npos) unit[0] = static_cast<char>(std::toupper(unit[0]));
  if (text.empty()) return unit + ".";
  text[0] = static_cast<char>(std::tolower(text[0]));
  return unit + ": " + text + ".";
}

/// Whole numbers without a point, as people write them.
Json plain(const Json& json) {
  if (json.is_array()) {
    Json list = Json::array();
    for (const Json& one : json) list.push_back(plain(one));
    return list;
  }
  if (!json.is_number_float() || json.get<double>() != std::floor(json.get<double>())) return json;
  return static_cast<std::int64_t>(json.get<double>());
}

Json in_range(Json json, const FieldRange& range) {
  if (std::isfinite(range.min)) json[range.is_open ? "exclusiveMinimum" : "minimum"] = plain(range.min);
  if (std::isfinite(range.max)) json["maximum"] = plain(range.max);
  return json;
}

Json list_of(Json items, const About& about) {
  Json json{{"type", "array"}, {"items", std::move(items)}};
  if (about.count.min > 0) json["minItems"] = plain(about.count.min);
  if (std::isfinite(about.count.max)) json["maxItems"] = plain(about.count.max);
  if (about.is_unique) json["uniqueItems"] = true;
  return json;
}

/// So many of the same.
Json tuple_of(Json items, int size) {
  return {{"type", "array"}, {"items", std::move(items)}, {"minItems", size}, {"maxItems", size}};
}

struct TypeSchema {
  const About& about;

  Json vector() const {
    if (std::isinf(about.range.min)) return reference("vector");
    const bool is_unit = about.range.min == unit_component.min;
    return tuple_of(is_unit ? reference("unit") : in_range({{"type", "number"}}, about.range), 3);
  }
  Json operator()(bool*) const { return {{"type", "boolean"}}; }
  Json operator()(std::uint32_t*) const { return in_range({{"type", "integer"}}, about.range); }
  Json operator()(float*) const { return in_range({{"type", "number"}}, about.range); }
  Json operator()(std::string*) const { return {{"type", "string"}}; }
  Json operator()(Vec3f*) const { return vector(); }
  Json operator()(Quatf*) const { return reference("rotation"); }
  Json operator()(std::vector<float>*) const { return list_of(in_range({{"type", "number"}}, about.range), about); }
  Json operator()(std::vector<std::uint32_t>*) const { return list_of(reference("index"), about); }
  Json operator()(std::vector<Vec3f>*) const { return list_of(vector(), about); }
  Json operator()(std::vector<Quatf>*) const { return list_of(reference("rotation"), about); }
  Json operator()(std::vector<Triangle>*) const { return list_of(tuple_of(reference("index"), 3), about); }
  Json operator()(std::vector<std::array<std::uint32_t, 2>>*) const {
    Json pair = tuple_of(reference("index"), 2);
    pair["uniqueItems"] = true;
    return list_of(std::move(pair), about);
  }
};

/// A rule on one member.
Json properties(const std::string& key, Json rule) { return {{"properties", Json{{key, std::move(rule)}}}}; }

class SchemaWriter final : public Fields {
 public:
  SchemaWriter() : Fields(Purpose::explain) { objects_.emplace_back(); }
  Json take_properties() { return std::move(objects_.front().members); }

 private:
  /// Members that only go with one choice of another, or with all others.
  struct Case {
    Json required = Json::array(), members = Json::object();
  };
  /// Rules on lists that are as long as another: where that holds one item, and where it holds several.
  struct Followers {
    Json one, several;
  };
  struct Object {
    std::string key;
    About about;
    Json members = Json::object(), required = Json::array(), rules = Json::array();
    std::map<std::string, Followers> followers;  // by the list that they follow
    std::vector<Case> cases;
    Json chosen;  // the condition of the first case
  };
  Object& top() { return objects_.back(); }
  static std::string key_of(const char* name) { return gltf_spelling.key(name); }

  void put(const std::string& key, const About& about, Presence presence, Json type, const Json& usual = {}) {
    Json json = Json::object();
    if (const std::string text = sentence(about); !text.empty()) json["description"] = text;
    json.update(type);
    if (presence != Presence::required && !about.usual_depends && !usual.is_null()) json["default"] = plain(usual);
    top().members[key] = std::move(json);
    Json& required = top().cases.empty() ? top().required : top().cases.back().required;
    if (presence == Presence::required) required.push_back(key);
    if (!top().cases.empty()) top().cases.back().members[key] = false;
    if (about.with.field != nullptr) {
      Json least{{"minItems", about.with.min_count}};
      top().rules.push_back({{"if", properties(key_of(about.with.field), {{"const", about.with.choice}})},
                             {"then", properties(key, std::move(least))}});
    }
  }
  /// A list, or the part `within` of one, has `size` values for each item of the list `followed`.
  void follow(const char* followed, const std::string& key, const char* within, std::size_t size) {
    Json one{{"maxItems", size}}, several{{"minItems", 2 * size}};
    if (within != nullptr) one = {{within, one}}, several = {{within, several}};
    Followers& followers = top().followers[key_of(followed)];
    followers.one[key] = std::move(one);
    followers.several[key] = std::move(several);
  }

  void put_value(const Field& field, FieldValue value) override {
    const Json usual = field_json(value, field.about.unit, gltf_spelling.angle_unit);
    const bool is_empty = usual.is_array() ? usual.empty() : usual == "";
    put(key_of(field.name), field.about, field.presence, std::visit(TypeSchema{field.about}, value),
        is_empty ? Json() : usual);
    if (field.about.one_per != nullptr) follow(field.about.one_per, key_of(field.name), nullptr, 1);
  }
  void put_choice(const Field& field, std::span<const char* const> names, std::size_t& chosen) override {
    Json all = Json::array();
    for (const char* name : names) all.push_back(name);
    put(key_of(field.name), field.about, field.presence, {{"enum", std::move(all)}}, names[chosen]);
  }
  void put_joint(const Field& field, JointIndex&) override {
    put(key_of(field.name), field.about, field.presence, reference("index"));
  }
  void put_joints(const Field& field, std::vector<JointIndex>&) override {
    put(key_of(field.name), field.about, field.presence, list_of(reference("index"), field.about));
  }
  void put_part(std::uint32_t&, Presence primitive, const About& about) override {
    put("node", about, Presence::required, reference("index"));
    put("primitive", {.help = "The primitive of that mesh"}, primitive, reference("index"), 0);
  }
  void put_node(std::uint32_t, std::size_t, const About& about) override {
    put("node", about, Presence::required, reference("index"));
  }
  void put_targets(const Field& field, std::uint32_t&, std::size_t, const char*) override {
    put(key_of(field.name), field.about, field.presence, reference("index"));
  }
  void put_rows(const Field& field, const FieldRows& rows) override {
    const bool rotations = std::holds_alternative<std::vector<Quatf>*>(rows.values);
    const std::size_t size = rotations ? 4 : 1;
    Json row{
        {"type", "array"}, {"items", rotations ? reference("unit") : Json{{"type", "number"}}}, {"minItems", size}};
    put(key_of(field.name), field.about, field.presence, list_of(std::move(row), field.about));
    follow(rows.per, key_of(field.name), "items", size);
  }

  std::size_t enter_list(const Field& field, std::size_t) override {
    lists_.push_back(field);
    return 1;
  }
  void enter_item(std::size_t) override { objects_.emplace_back(); }
  bool leave_item() override {
    Json item = take_object();
    put(key_of(lists_.back().name), lists_.back().about, lists_.back().presence,
        list_of(std::move(item), lists_.back().about));
    return false;
  }
  void leave_list() override { lists_.pop_back(); }
  bool enter_object(const Field& field) override {
    enter_group(field);
    return true;
  }
  void enter_group(const Field& field) override {
    objects_.emplace_back();
    top().key = key_of(field.name);
    top().about = field.about;
  }
  void leave_object() override {
    const std::string key = top().key;
    const About about = top().about;
    put(key, about, Presence::optional, take_object());
  }
  void enter_case(const char* field, const char* choice, bool) override {
    top().cases.emplace_back();
    top().chosen = properties(key_of(field), {{"const", choice}});
  }
  void leave_cases() override {
    const std::vector<Case> cases = std::exchange(top().cases, {});
    Json rule{{"if", top().chosen}};
    for (const std::size_t c : {0u, 1u})  // the members of the other case are not allowed
      rule[c == 0 ? "then" : "else"] = {{"required", cases[c].required}, {"properties", cases[1 - c].members}};
    top().rules.push_back(std::move(rule));
  }

  /// The innermost object, which is then left.
  Json take_object() {
    Object object = std::move(top());
    objects_.pop_back();
    for (const auto& [followed, followers] : object.followers)
      object.rules.push_back({{"if", properties(followed, {{"maxItems", 1}})},
                              {"then", {{"properties", followers.one}}},
                              {"else", {{"properties", followers.several}}}});
    Json json{{"type", "object"}};
    if (!object.required.empty()) json["required"] = std::move(object.required);
    object.members["extensions"] = {{"type", "object"}};
    object.members["extras"] = Json::object();
    json["properties"] = std::move(object.members);
    json["additionalProperties"] = false;
    if (!object.rules.empty()) json["allOf"] = std::move(object.rules);
    return json;
  }

  std::vector<Object> objects_;  // the innermost last
  std::vector<Field> lists_;     // likewise
};

Json definitions() {
  return {
      {"index", {{"description", "Zero-based number of an item."}, {"type", "integer"}, {"minimum", 0}}},
      {"unit", in_range({{"description", "A component of a vector of length 1."}, {"type", "number"}}, unit_component)},
      {"rotation",
       {{"description", "Unit quaternion x, y, z, w."},
        {"type", "array"},
        {"items", reference("unit")},
        {"minItems", 4},
        {"maxItems", 4}}},
      {"vector", tuple_of({{"type", "number"}}, 3)}};
}

}  // namespace

Json deformers_schema() {
  Json members{{"version",
                {{"description",
                  "Version of this extension. Readers leave the extension out of account where they do not know the "
                  "version."},
                 {"const", deformers_version}}}};
  for (const DeformerKind* kind : deformers()) {
    SchemaWriter writer;
    Character nobody;
    kind->describe(writer, nobody);
    members.update(writer.take_properties());
  }
  members["extensions"] = {{"type", "object"}};
  members["extras"] = Json::object();
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"$id", "SUPPLE_deformers.schema.json"},
          {"title", "SUPPLE_deformers glTF document extension"},
          {"description",
           "What shapes the skin of characters besides skin weights and morph targets. Value of "
           "extensions.SUPPLE_deformers at the root of a glTF 2.0 document."},
          {"type", "object"},
          {"required", Json::array({"version"})},
          {"properties", std::move(members)},
          {"$defs", definitions()}};
}

}  // namespace supple::gltf
