#include "supple/files/flesh_recipe.h"

#include <array>
#include <charconv>
#include <cmath>

#include "supple/base/angle.h"
#include "supple/base/text.h"

namespace supple {
namespace {

using gltf::fail;
using gltf::Item;

void only_keys(const Item& item, std::initializer_list<const char*> known) {
  if (!item.json().is_object()) fail(item.path(), "is not an object");
  for (const auto& [key, value] : item.json().members()) {
    if (std::none_of(known.begin(), known.end(), [&name = key](const char* k) { return name == k; }))
      fail(item.path(key), "is not known here",
           did_you_mean(key, std::vector<std::string>(known.begin(), known.end())));
  }
}

std::optional<double> number(const Item& item, const char* key) {
  if (!item.has(key)) return {};
  const double value = item.number(key, 0);
  if (!std::isfinite(value)) fail(item.path(key), "must be a finite number");
  return value;
}

Vec3d vector(const Item& item, const char* key, Vec3d otherwise) {
  if (!item.has(key)) return otherwise;
  const std::vector<double> v = Item(item.json()[key], item.path(key)).as_numbers(3);
  return {v[0], v[1], v[2]};
}

std::vector<std::string> names(const Item& item, const char* key) {
  std::vector<std::string> result;
  for (const Item& name : item.list(key)) {
    if (!name.json().is_string()) fail(name.path(), "must be a name");
    result.push_back(name.json().get<std::string>());
  }
  return result;
}

Attenuation attenuation(const Item& item) {
  const Json& json = item.json()["attenuation"];
  if (json == "wyvill") return Attenuation::wyvill();
  if (json == "parabola") return Attenuation::parabola();
  if (!json.is_array()) fail(item.path("attenuation"), "must be wyvill, parabola or a list of knots [y, value, slope]");
  std::vector<Attenuation::Knot> knots;
  for (const Item& knot : item.list("attenuation")) {
    const std::vector<double> v = knot.as_numbers(3);
    knots.push_back({v[0], v[1], v[2]});
  }
  auto curve = Attenuation::hermite(std::move(knots));
  if (!curve) fail(item.path("attenuation"), curve.error().problem, curve.error().remedy);
  return *curve;
}

/// The keys of one spring, which an element with one spring has itself.
SpringRecipe spring(const Item& item) {
  SpringRecipe s;
  if (item.has("preset")) {
    const auto preset = spring_preset(item.required_text("preset"));
    if (!preset) fail(item.path("preset"), preset.error().problem, preset.error().remedy);
    s.frequency = preset->frequency;
    s.damping_ratio = preset->damping_ratio;
  }
  if (const auto f = number(item, "frequency")) s.frequency = f;
  if (const auto r = number(item, "damping_ratio")) s.damping_ratio = r;
  s.stiffness = number(item, "stiffness");
  s.damping = number(item, "damping");
  if (s.stiffness && item.has("frequency")) fail(item.path("stiffness"), "and frequency say the same", "give one");
  if (s.damping && item.has("damping_ratio")) fail(item.path("damping"), "and damping_ratio say the same", "give one");
  s.axes = vector(item, "axes", s.axes);
  s.share = number(item, "share").value_or(s.share);
  return s;
}

FleshTorsion torsion(const Item& item) {
  only_keys(item, {"frequency", "damping_ratio", "max_angle"});
  FleshTorsion t;
  t.frequency = item.single("frequency", t.frequency);
  t.damping_ratio = item.single("damping_ratio", t.damping_ratio);
  if (item.has("max_angle")) t.max_angle = static_cast<float>(double{item.single("max_angle", 0)} * degree);
  return t;
}

/// A vector, or how many times the usual one.
Vec3d gravity(const Item& item, Vec3d usual) {
  if (!item.has("gravity")) return usual;
  return item.json()["gravity"].is_number() ? usual * *number(item, "gravity") : vector(item, "gravity", usual);
}

ElementRecipe element(const Item& item) {
  only_keys(item,
            {"name",         "driver",  "ends",           "joints",  "part",    "vertices",  "thickness",
             "attenuation",  "mass",    "density",        "springs", "preset",  "frequency", "damping_ratio",
             "stiffness",    "damping", "axes",           "share",   "torsion", "gravity",   "modelled_under_gravity",
             "air_friction", "gain",    "max_elongation", "radius"});
  ElementRecipe e;
  e.name = item.required_text("name");
  e.driver = item.required_text("driver");
  e.ends = names(item, "ends");
  e.joints = names(item, "joints");
  e.part = item.text("part", "");
  for (const std::size_t v : item.indices("vertices", 0xffffffffu)) e.vertices.push_back(static_cast<std::uint32_t>(v));
  e.thickness = number(item, "thickness");
  if (item.has("attenuation")) e.attenuation = attenuation(item);
  e.mass = number(item, "mass");
  e.density = number(item, "density").value_or(e.density);
  e.springs.clear();
  if (item.has("springs")) {
    for (const char* key : {"preset", "frequency", "damping_ratio", "stiffness", "damping", "axes", "share"})
      if (item.has(key)) fail(item.path(key), "belongs into a spring where springs are listed");
    for (const Item& s : item.list("springs")) {
      only_keys(s, {"preset", "frequency", "damping_ratio", "stiffness", "damping", "axes", "share"});
      e.springs.push_back(spring(s));
    }
  } else {
    e.springs.push_back(spring(item));
  }
  if (const auto t = item.object("torsion")) e.torsion = torsion(*t);
  e.gravity = gravity(item, e.gravity);
  e.modelled_under_gravity = item.flag("modelled_under_gravity", e.modelled_under_gravity);
  e.air_friction = number(item, "air_friction").value_or(e.air_friction);
  e.gain = number(item, "gain").value_or(e.gain);
  e.max_elongation = number(item, "max_elongation");
  e.radius = number(item, "radius");
  return e;
}

ColliderRecipe collider(const Item& item) {
  only_keys(item, {"name", "joint", "a", "b", "radius", "elements"});
  ColliderRecipe c;
  c.name = item.text("name", "");
  c.joint = item.required_text("joint");
  c.a = vector(item, "a", c.a);
  c.b = vector(item, "b", c.a);
  c.radius = number(item, "radius").value_or(0);
  c.elements = names(item, "elements");
  return c;
}

FleshRecipe recipe_of(const Item& root) {
  only_keys(root, {"flesh_recipe", "unit", "elements", "colliders", "contacts", "hard", "soft"});
  if (root.unsigned_integer("flesh_recipe", 0) != 1)
    fail("", "is not a flesh recipe of version 1", "the file begins with \"flesh_recipe\": 1");
  FleshRecipe recipe;
  recipe.unit = number(root, "unit").value_or(1);
  recipe.hard = names(root, "hard");
  recipe.soft = names(root, "soft");
  for (const Item& item : root.list("elements")) recipe.elements.push_back(element(item));
  for (const Item& item : root.list("colliders")) recipe.colliders.push_back(collider(item));
  for (const Item& pair : root.list("contacts")) {
    if (!pair.json().is_array() || pair.json().size() != 2 || !pair.json()[0].is_string() ||
        !pair.json()[1].is_string())
      fail(pair.path(), "must be the names of two elements");
    recipe.contacts.push_back({pair.json()[0].get<std::string>(), pair.json()[1].get<std::string>()});
  }
  return recipe;
}

Json vector_json(Vec3d v) { return Json::array({v.x, v.y, v.z}); }

template <class T>
void put(Json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}

void put_spring(Json& json, const SpringRecipe& s) {
  put(json, "frequency", s.frequency);
  put(json, "damping_ratio", s.damping_ratio);
  put(json, "stiffness", s.stiffness);
  put(json, "damping", s.damping);
  if (s.axes != Vec3d{1, 1, 1}) json["axes"] = vector_json(s.axes);
  if (s.share != 1) json["share"] = s.share;
}

Json element_json(const ElementRecipe& e) {
  const ElementRecipe usual;
  Json json = {{"name", e.name}, {"driver", e.driver}, {"ends", e.ends}};
  if (!e.joints.empty()) json["joints"] = e.joints;
  if (!e.part.empty()) json["part"] = e.part;
  if (!e.vertices.empty()) json["vertices"] = e.vertices;
  put(json, "thickness", e.thickness);
  if (e.attenuation.kind() == Attenuation::Kind::parabola) json["attenuation"] = "parabola";
  for (const Attenuation::Knot& k : e.attenuation.knots())
    json["attenuation"].push_back(Json::array({k.y, k.value, k.slope}));
  put(json, "mass", e.mass);
  if (e.density != usual.density) json["density"] = e.density;
  if (e.springs.size() == 1) {
    put_spring(json, e.springs[0]);
  } else {
    for (const SpringRecipe& s : e.springs) {
      json["springs"].push_back(Json::object());
      put_spring(json["springs"].back(), s);
    }
  }
  if (e.torsion) {
    json["torsion"] = {{"frequency", gltf::short_decimal(e.torsion->frequency)},
                       {"damping_ratio", gltf::short_decimal(e.torsion->damping_ratio)},
                       {"max_angle", double{e.torsion->max_angle} / degree}};
  }
  if (e.gravity != usual.gravity) json["gravity"] = vector_json(e.gravity);
  if (!e.modelled_under_gravity) json["modelled_under_gravity"] = false;
  if (e.air_friction != 0) json["air_friction"] = e.air_friction;
  if (e.gain != 1) json["gain"] = e.gain;
  put(json, "max_elongation", e.max_elongation);
  put(json, "radius", e.radius);
  return json;
}

/// A number where it is one, a list where the key wants one.
Json value_of(const std::string& key, const std::string& text) {
  const bool numbers =
      key == "axes" || key == "vertices" || (key == "gravity" && text.find('+', 1) != std::string::npos);
  if (key == "ends" || key == "joints" || numbers) {
    Json list = Json::array();
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find('+', at), text.size());
      const std::string one = text.substr(at, end - at);
      list.push_back(numbers ? value_of("number", one) : Json(one));
      at = end + 1;
    }
    return list;
  }
  if (text == "true" || text == "false") return text == "true";
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && key != "name" && key != "driver" && key != "part" ? Json(value) : Json(text);
}

}  // namespace

Result<FleshRecipe> flesh_recipe_of(const Json& json, const std::string& name) {
  return gltf::guarded(name, [&]() -> Result<FleshRecipe> { return recipe_of(Item(json, "")); });
}

Result<FleshRecipe> read_flesh_recipe(const std::filesystem::path& path) {
  const auto json = read_json(path);
  if (!json) return json.error();
  return flesh_recipe_of(*json, path.string());
}

Result<ElementRecipe> parse_flesh_element(std::string_view text) {
  const std::string item = "element '" + std::string(text) + "'";
  Json json = Json::object();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string pair(text.substr(at, end - at));
    const std::size_t sign = pair.find('=');
    if (sign == std::string::npos || sign == 0)
      return Error{item, "'" + pair + "' is not key=value",
                   "write name=belly,driver=hips,ends=spine+chest,preset=soft"};
    const std::string key = pair.substr(0, sign);
    json[key] = value_of(key, pair.substr(sign + 1));
    at = end + 1;
  }
  return gltf::guarded(item, [&]() -> Result<ElementRecipe> { return element(Item(json, "")); });
}

Json to_json(const FleshRecipe& recipe) {
  Json json = {{"flesh_recipe", 1}};
  if (recipe.unit != 1) json["unit"] = recipe.unit;
  if (!recipe.hard.empty()) json["hard"] = recipe.hard;
  if (!recipe.soft.empty()) json["soft"] = recipe.soft;
  json["elements"] = Json::array();
  for (const ElementRecipe& e : recipe.elements) json["elements"].push_back(element_json(e));
  for (const ColliderRecipe& c : recipe.colliders) {
    Json one = {{"name", c.name}, {"joint", c.joint}, {"a", vector_json(c.a)}};
    if (c.b != c.a) one["b"] = vector_json(c.b);
    one["radius"] = c.radius;
    if (!c.elements.empty()) one["elements"] = c.elements;
    json["colliders"].push_back(std::move(one));
  }
  for (const auto& [a, b] : recipe.contacts) json["contacts"].push_back(Json::array({a, b}));
  return json;
}

}  // namespace supple
