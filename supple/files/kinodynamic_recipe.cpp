#include "supple/files/kinodynamic_recipe.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numbers>

#include "supple/base/text.h"
#include "supple/files/field_reader.h"
#include "supple/files/field_writer.h"
#include "supple/files/kinodynamic_shapes.h"

namespace supple {
namespace {

using gltf::fail;
using gltf::Item;

constexpr const char* version_key = "kinodynamic_recipe";
const FieldSpelling spelling_of_people{.camel_case = false, .angle_unit = std::numbers::pi / 180};

/// Joints and parts by name; parts by number where a name is missing or taken. Joints by number are taken too.
class NamesRead final : public NameReader {
 public:
  explicit NamesRead(const Character& character) : NameReader(spelling_of_people), character_(character) {}
  JointIndex joint(const Item& item) const override {
    if (item.json().is_number()) return static_cast<JointIndex>(item.as_index(character_.skeleton.size()));
    if (!item.json().is_string()) fail(item.path(), "must be the name of a joint");
    const auto joint = character_.skeleton.require(item.json().get<std::string>());
    if (!joint) fail(item.path(), joint.error().item + " " + joint.error().problem, joint.error().remedy);
    return *joint;
  }
  std::uint32_t part(const Item& weights, bool) const override {
    const std::vector<Part>& parts = character_.parts;
    if (!weights.has("part") && parts.size() == 1) return 0;
    if (weights.has("part") && weights.json()["part"].is_number())
      return static_cast<std::uint32_t>(weights.required_index("part", parts.size()));
    const std::string name = weights.required_text("part");
    std::vector<std::string> names;
    for (const Part& part : parts) names.push_back(part.name);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      fail(weights.path("part"), "part '" + name + "' is not in the character", did_you_mean(name, names));
    return static_cast<std::uint32_t>(found - names.begin());
  }
  gltf::MorphBlock targets(const Item& object) const override { fail(object.path(), "has no morph targets"); }
  void check_keys(const Item& item, const std::vector<std::string>& known) const override {
    for (const auto& [key, value] : item.json().members()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      std::vector<std::string> all = known;
      all.insert(all.end(), RecipeShapes::further_keys().begin(), RecipeShapes::further_keys().end());
      fail(item.path(key), "is not known here", did_you_mean(key, all));
    }
  }

 private:
  const Character& character_;
};

class NamesWritten final : public NameWriter {
 public:
  explicit NamesWritten(const Character& character) : NameWriter(spelling_of_people), character_(character) {}
  Json joint(JointIndex joint) const override { return Json(character_.skeleton.name(joint)); }
  void put_part(Json& weights, std::uint32_t part, Presence) const override {
    const std::string& name = character_.parts[part].name;
    const auto first = std::find_if(character_.parts.begin(), character_.parts.end(),
                                    [&](const Part& other) { return other.name == name; });
    const bool is_clear = !name.empty() && first == character_.parts.begin() + part;
    weights["part"] = is_clear ? Json(name) : Json(part);
  }
  std::span<const gltf::MorphBlock> morphs() const override { return {}; }

 private:
  const Character& character_;
};

template <class T>
T described(const Item& item, const NamesRead& names) {
  T result;
  FieldReader fields(item, names);
  describe(fields, result);
  fields.finish();
  return result;
}

/// Replaces every item of a list by what `plain` makes of it; lists that are none are left for others to complain of.
template <class Plain>
void make_plain(const Item& owner, const char* key, Json& list, Plain plain) {
  if (!list.is_array()) fail(owner.path(key), "must be an array");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string path = owner.path(key) + "[" + std::to_string(i) + "]";
    if (!list[i].is_object()) fail(path, "must be a JSON object");
    list[i] = plain(Item(Json(list[i]), path));
  }
}

JointIndex joint_of(const Item& item, const NamesRead& names) {
  if (!item.has("joint")) fail(item.path("joint"), "is missing");
  return names.joint(Item(item.json()["joint"], item.path("joint")));
}

Kinodynamics recipe_of(const Item& root, const Character& character, const RecipeShapes& shapes) {
  if (!root.json().is_object() || root.unsigned_integer(version_key, 0) != 1)
    fail("", "is not a kinodynamic recipe of version 1", "the file begins with \"kinodynamic_recipe\": 1");
  const NamesRead names(character);
  Json plain = root.json();
  plain.erase(version_key);
  if (const auto field = root.object("field"); field && field->has("tissue")) {
    make_plain(*field, "tissue", plain["field"]["tissue"],
               [&](const Item& item) { return shapes.plain_tissue(item, joint_of(item, names)); });
  }
  if (root.has("muscles")) {
    make_plain(root, "muscles", plain["muscles"],
               [&](const Item& item) { return shapes.plain_muscle(item, joint_of(item, names)); });
  }
  Kinodynamics kinodynamics = described<Kinodynamics>(Item(plain, ""), names);
  if (auto ok = validate(kinodynamics, character); !ok) throw gltf::Malformed{ok.error()};
  return kinodynamics;
}

// ---- items on the command line ----

Json number_or_text(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? Json(value) : Json(text);
}

/// A number where it is one, a list where the key wants one.
Json recipe_value_of(const std::string& key, const std::string& text) {
  constexpr std::array text_keys{"name", "joint", "kind", "surface", "mesh", "target", "space"};
  if (std::find(text_keys.begin(), text_keys.end(), key) != text_keys.end()) return text;
  if (text == "true" || text == "false") return text == "true";
  const bool names = key == "skin_joints";
  if (!names && text.find('+', 1) == std::string::npos) return number_or_text(text);
  Json list = Json::array();
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('+', at), text.size());
    const std::string one = text.substr(at, end - at);
    list.push_back(names ? Json(one) : number_or_text(one));
    at = end + 1;
  }
  return list;
}

Json keys_json(std::string_view keys, const char* example) {
  Json json = Json::object();
  for (std::size_t at = 0; at < keys.size();) {
    const std::size_t end = std::min(keys.find(',', at), keys.size());
    const std::string pair(keys.substr(at, end - at));
    const std::size_t sign = pair.find('=');
    if (sign == std::string::npos || sign == 0)
      fail("", "'" + pair + "' is not key=value", std::string("write ") + example);
    json[pair.substr(0, sign)] = recipe_value_of(pair.substr(0, sign), pair.substr(sign + 1));
    at = end + 1;
  }
  return json;
}

}  // namespace

Result<Kinodynamics> kinodynamic_recipe_of(const Json& json, const std::string& name, const Character& character,
                                           const std::filesystem::path& folder, Warnings* warnings) {
  return gltf::guarded(name, [&]() -> Result<Kinodynamics> {
    return recipe_of(Item(json, ""), character, RecipeShapes(character, folder, warnings));
  });
}

Result<Kinodynamics> read_kinodynamic_recipe(const std::filesystem::path& path, const Character& character,
                                             Warnings* warnings) {
  const auto json = read_json(path);
  if (!json) return json.error();
  return kinodynamic_recipe_of(*json, path.string(), character, path.parent_path(), warnings);
}

Result<TissuePrimitive> parse_tissue(std::string_view keys, const Character& character, Warnings* warnings) {
  return gltf::guarded("tissue '" + std::string(keys) + "'", [&]() -> Result<TissuePrimitive> {
    const Json json = keys_json(keys, "name=thigh,joint=leg,center=0+0.2+0,radii=0.2+0.4+0.2");
    const NamesRead names(character);
    const Item item(json, "");
    const Json plain = RecipeShapes(character, {}, warnings).plain_tissue(item, joint_of(item, names));
    return described<TissuePrimitive>(Item(plain, ""), names);
  });
}

Result<VortexMuscle> parse_muscle(std::string_view keys, const Character& character, Warnings* warnings) {
  return gltf::guarded("muscle '" + std::string(keys) + "'", [&]() -> Result<VortexMuscle> {
    const Json json = keys_json(keys, "name=calf,joint=shin,center=0+0.1+0,radii=0.04+0.12+0.04,frequency=4");
    const NamesRead names(character);
    const Item item(json, "");
    const Json plain = RecipeShapes(character, {}, warnings).plain_muscle(item, joint_of(item, names));
    return described<VortexMuscle>(Item(plain, ""), names);
  });
}

Json kinodynamic_recipe_json(const Kinodynamics& kinodynamics, const Character& character) {
  Json json = {{version_key, 1}};
  const NamesWritten names(character);
  FieldWriter fields(names);
  describe(fields, const_cast<Kinodynamics&>(kinodynamics));  // a writer only looks
  json.update(fields.take());
  const RecipeShapes shapes(character, {}, nullptr);
  for (std::size_t i = 0; i < kinodynamics.muscles.size(); ++i) {
    const VortexMuscle& m = kinodynamics.muscles[i];
    Json& one = json["muscles"][i];
    const Vec3f usual = shapes.gravity_at_rest(m.joint, m.orientation, m.gravity);
    if (length(m.modelled_gravity - usual) <= 1e-5f * length(m.gravity)) {  // the rounding of rotations
      one.erase("modelled_gravity");
    } else if (m.modelled_gravity == Vec3f{}) {
      one["modelled_under_gravity"] = false;
    }
  }
  return json;
}

}  // namespace supple
