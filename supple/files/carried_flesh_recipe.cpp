#include "supple/files/carried_flesh_recipe.h"

#include <algorithm>

#include "supple/deform/flesh/body.h"
#include "supple/files/gltf/json.h"

namespace supple {
namespace {

using gltf::short_decimal;

Vec3d short_decimals(Vec3f v) { return {short_decimal(v.x), short_decimal(v.y), short_decimal(v.z)}; }

/// Whose skin swings, where that is not what an element has by itself.
std::vector<std::string> skin_joints(const Skeleton& skeleton, const FleshElement& e) {
  const std::vector<JointIndex> usual = joints_between(skeleton, e.driver, e.ends);
  const auto is_usual = [&](const FleshTwin& t) {
    return std::find(usual.begin(), usual.end(), t.bone) != usual.end();
  };
  std::vector<std::string> names;
  if (std::all_of(e.twins.begin(), e.twins.end(), is_usual)) return names;
  for (const FleshTwin& twin : e.twins) names.push_back(skeleton.name(twin.bone));
  return names;
}

ElementRecipe element_recipe(const Skeleton& skeleton, const FleshElement& e, double unit) {
  ElementRecipe r;
  r.name = e.name;
  r.driver = skeleton.name(e.driver);
  for (const JointIndex end : e.ends) r.ends.push_back(skeleton.name(end));
  r.joints = skin_joints(skeleton, e);
  r.mass = short_decimal(e.mass);
  r.springs.clear();
  for (const FleshSpring& s : e.springs)
    r.springs.push_back({.frequency = short_decimal(s.frequency),
                         .damping_ratio = short_decimal(s.damping_ratio),
                         .stiffness = {},
                         .damping = {},
                         .axes = short_decimals(s.axes),
                         .share = short_decimal(s.share)});
  r.torsion = e.torsion;
  // In a file gravity is of its unit, in a recipe m/s^2: seven digits are what floats kept of it.
  if (const Vec3f gravity = e.gravity * static_cast<float>(unit); length(gravity - Vec3f(r.gravity)) > 1e-5f)
    r.gravity = short_decimals(gravity);
  r.modelled_under_gravity = e.modelled_gravity != Vec3f{} || e.gravity == Vec3f{};
  r.air_friction = short_decimal(e.air_friction);
  r.gain = short_decimal(e.gain);
  r.max_elongation = short_decimal(e.max_elongation);
  r.radius = short_decimal(e.radius);
  return r;
}

}  // namespace

FleshRecipe carried_flesh_recipe(const Character& character, double unit) {
  const Flesh& flesh = character.flesh;
  FleshRecipe recipe;
  recipe.unit = unit;
  for (const FleshElement& e : flesh.elements) recipe.elements.push_back(element_recipe(character.skeleton, e, unit));
  for (const FleshCollider& c : flesh.colliders) {
    ColliderRecipe r{
        c.name, character.skeleton.name(c.joint), short_decimals(c.a), short_decimals(c.b), short_decimal(c.radius),
        {}};
    for (const std::uint32_t e : c.elements) r.elements.push_back(flesh.elements[e].name);
    recipe.colliders.push_back(std::move(r));
  }
  for (const auto& [a, b] : flesh.contacts) recipe.contacts.push_back({flesh.elements[a].name, flesh.elements[b].name});
  return recipe;
}

}  // namespace supple
