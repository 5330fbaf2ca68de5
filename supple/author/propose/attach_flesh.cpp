#include "supple/author/propose/attach_flesh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "supple/author/propose/hard_flesh.h"
#include "supple/author/propose/twin_weights.h"
#include "supple/base/text.h"
#include "supple/deform/flesh/body.h"
#include "supple/deform/flesh/frame.h"

namespace supple {
namespace {

constexpr double most_squeeze = 0.6;  // of the skin's length, at an element's limit

/// Joints of an element: its driver, where it ends, and whose skin it is made of.
struct Joints {
  JointIndex driver = no_joint;
  std::vector<JointIndex> ends, skin;
};

Error of_element(const ElementRecipe& recipe, const Error& error) {
  return {"flesh element '" + recipe.name + "'", error.item + " " + error.problem, error.remedy};
}

Result<std::vector<JointIndex>> joints_named(const Skeleton& skeleton, std::span<const std::string> names,
                                             const ElementRecipe& recipe) {
  std::vector<JointIndex> joints;
  for (const std::string& name : names) {
    const auto joint = skeleton.require(name);
    if (!joint) return of_element(recipe, joint.error());
    joints.push_back(*joint);
  }
  return joints;
}

Result<Joints> resolve_joints(const Skeleton& skeleton, const ElementRecipe& recipe) {
  Joints joints;
  const auto driver = skeleton.require(recipe.driver);
  if (!driver) return of_element(recipe, driver.error());
  joints.driver = *driver;
  auto ends = joints_named(skeleton, recipe.ends, recipe);
  if (!ends) return ends.error();
  joints.ends = ends->empty() ? skeleton.children(*driver) : std::move(*ends);
  if (recipe.ends.empty())  // a joint that lies on the driver is no end: a twin that was left behind, or a handle
    std::erase_if(joints.ends, [&](JointIndex j) { return skeleton.rest(j).translation == Vec3f{}; });
  if (joints.ends.empty())
    return Error{"flesh element '" + recipe.name + "'", "its driver '" + recipe.driver + "' has no joints below it",
                 "choose a driver further up"};
  for (const JointIndex end : joints.ends) {
    if (end == *driver || !skeleton.is_ancestor(*driver, end))
      return Error{"flesh element '" + recipe.name + "'",
                   "'" + skeleton.name(end) + "' is not below its driver '" + recipe.driver + "'",
                   "choose descendants of the driver as ends"};
  }
  auto skin = joints_named(skeleton, recipe.joints, recipe);
  if (!skin) return skin.error();
  joints.skin = std::move(*skin);
  if (joints.skin.empty()) joints.skin = joints_between(skeleton, *driver, joints.ends);
  return joints;
}

Result<void> check_vertices(const Character& character, const ElementRecipe& recipe) {
  const std::string item = "flesh element '" + recipe.name + "'";
  if (recipe.part.empty()) {
    if (!recipe.vertices.empty() && character.parts.size() > 1)
      return Error{item, "lists vertices but not the part they are of", "name the part"};
  } else if (std::none_of(character.parts.begin(), character.parts.end(),
                          [&](const Part& p) { return p.name == recipe.part; })) {
    std::vector<std::string> names;
    for (const Part& part : character.parts) names.push_back(part.name);
    return Error{item, "there is no part '" + recipe.part + "'", did_you_mean(recipe.part, names)};
  }
  for (const Part& part : character.parts) {
    if (!recipe.part.empty() && part.name != recipe.part) continue;
    for (const std::uint32_t v : recipe.vertices) {
      if (v >= part.mesh.positions.size())
        return Error{item, "vertex " + std::to_string(v) + " does not exist",
                     "part '" + part.name + "' has " + std::to_string(part.mesh.positions.size())};
    }
  }
  return {};
}

Result<std::vector<FleshSpring>> springs_of(const ElementRecipe& recipe, double mass) {
  const std::string item = "flesh element '" + recipe.name + "'";
  std::vector<FleshSpring> springs;
  for (const SpringRecipe& r : recipe.springs) {
    const SpringPreset usual = spring_presets().front();
    double frequency = r.frequency.value_or(usual.frequency), ratio = r.damping_ratio.value_or(usual.damping_ratio);
    if (r.stiffness) {
      if (!(*r.stiffness > 0)) return Error{item, "has a stiffness that is not above zero", "give N/m, or a frequency"};
      frequency = std::sqrt(*r.stiffness / mass) / (2 * std::numbers::pi);
    }
    if (r.damping) {
      if (!(*r.damping >= 0)) return Error{item, "has a negative damping", "give N s/m, or a damping ratio"};
      ratio = *r.damping / (4 * std::numbers::pi * frequency * mass);
    }
    springs.push_back(
        {static_cast<float>(frequency), static_cast<float>(ratio), Vec3f(r.axes), static_cast<float>(r.share)});
  }
  return springs;
}

/// The local frame, rigid with the driver, by axes that the driver takes to the bone and across it.
void place_frame(FleshElement& element, const VirtualBone& bone, std::span<const Affinef> world) {
  const Affined driver(world[element.driver]);
  const Affined back = inverse(driver);
  const Vec3d y = normalized(back.vector(bone.direction()));
  const Vec3d x = normalized(Vec3d{1, 0, 0} - y * y.x, any_perpendicular(y));
  element.origin = Vec3f(back.point(bone.middle()));
  element.orientation = Quatf(from_matrix(Mat3d{x, y, cross(x, y)}));
  element.half_length = static_cast<float>(bone.length() / 2);
  element.modelled_gravity = Vec3f(transpose(flesh_frame(element, world).axes) * Vec3d(element.gravity));
}

struct Made {
  FleshElement element;
  std::vector<JointIndex> lenders;  // joints whose skin it is
  std::vector<float> weights;       // over the body
  VirtualBone bone;
  FleshRegion region;
};

Error no_flesh(const ElementRecipe& recipe, std::span<const float> membership, bool was_hard, double thickness) {
  const std::string item = "flesh element '" + recipe.name + "'";
  if (was_hard && std::all_of(membership.begin(), membership.end(), [](float m) { return m == 0; }))
    return {item, "has no vertices but hard ones: separate pieces, or a head on one joint",
            "--soft NAME lets the skin of a joint or a part swing"};
  if (std::all_of(membership.begin(), membership.end(), [](float m) { return m == 0; }))
    return {item, "has no vertices: no skin follows its joints", "name the joints whose skin it is, or another driver"};
  return {item,
          "has no vertices between its ends that lie further than " + std::to_string(thickness) + " from the bone",
          "give a smaller thickness, or other ends"};
}

Result<Made> make_element(const Character& character, const FleshBody& body, const HardSkin& hard,
                          const ElementRecipe& recipe, double unit, Warnings* warnings) {
  const std::string item = "flesh element '" + recipe.name + "'";
  if (auto ok = check_vertices(character, recipe); !ok) return ok.error();
  const auto joints = resolve_joints(character.skeleton, recipe);
  if (!joints) return joints.error();
  const VirtualBone bone = virtual_bone(joints->driver, joints->ends, body.world);
  if (!(bone.length() > 0)) return Error{item, "its driver and its ends are at one place", "choose other ends"};

  std::vector<float> membership = membership_of(character, body, joints->skin, recipe.part, recipe.vertices);
  const bool any = std::any_of(membership.begin(), membership.end(), [](float m) { return m > 0; });
  leave_out_hard(character, body, hard, membership);
  const double usual = usual_distance(body.positions, body.triangles, membership, bone);
  const double thickness = recipe.thickness.value_or(usual / 3);
  if (!(thickness >= 0)) return Error{item, "has a negative thickness", ""};
  RegionWeights weights = region_weights(body.positions, membership, bone, thickness, recipe.attenuation);
  if (!(weights.largest > 0)) return no_flesh(recipe, membership, any, thickness);

  Made made;
  FleshElement& e = made.element;
  made.region = {recipe.name, 0, region_volume(body.positions, body.triangles, membership, bone) * unit * unit * unit,
                 thickness};
  for (const float w : weights.weights) made.region.vertices += w > 0 ? 1 : 0;
  const double mass = recipe.mass.value_or(made.region.volume * recipe.density);
  if (!(mass > 0))
    return Error{item,
                 recipe.mass || !(recipe.density > 0) ? "has a mass that is not above zero"
                                                      : "encloses no volume: is its skin inside out?",
                 "give its mass in kilograms"};
  auto springs = springs_of(recipe, mass);
  if (!springs) return springs.error();

  e.name = recipe.name;
  e.driver = joints->driver;
  e.ends = joints->ends;
  e.mass = static_cast<float>(mass);
  e.springs = std::move(*springs);
  e.torsion = recipe.torsion;
  e.gravity = Vec3f(recipe.gravity / unit);
  place_frame(e, bone, body.world);
  if (!recipe.modelled_under_gravity) e.modelled_gravity = {};
  e.air_friction = static_cast<float>(recipe.air_friction);
  e.gain = static_cast<float>(recipe.gain);
  e.radius = static_cast<float>(recipe.radius.value_or(usual));
  const double foldless = most_squeeze / std::max(steepest(body.positions, body.triangles, weights.weights), 1e-9);
  e.max_elongation = static_cast<float>(recipe.max_elongation.value_or(std::min(weights.largest, foldless)));
  if (recipe.max_elongation.value_or(0) > weights.largest && warnings != nullptr)
    warnings->push_back(item + ": with an elongation above " + std::to_string(weights.largest) +
                        " skin may be pulled through the bone");
  made.lenders = joints->skin;
  made.bone = bone;
  made.weights = std::move(weights.weights);
  return made;
}

/// Where elements overlap their displacements add up: together they may not take a vertex through any of its bones.
void share_the_way(const FleshBody& body, std::span<Made> all) {
  for (std::size_t v = 0; v < body.positions.size(); ++v) {
    double sum = 0, room = std::numeric_limits<double>::infinity();
    for (const Made& made : all) {
      const double alpha = double{made.weights[v]};
      if (alpha == 0) continue;
      sum += alpha * double{made.element.max_elongation};
      room = std::min(room, made.bone.distance(Vec3d(body.positions[v])) - made.region.thickness);
    }
    if (!(sum > room)) continue;
    for (Made& made : all) made.weights[v] *= static_cast<float>(room / sum);
  }
}

std::vector<std::vector<float>> by_part(const Character& character, const FleshBody& body,
                                        std::span<const float> weights) {
  std::vector<std::vector<float>> parts(character.parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (!character.parts[p].skin) continue;
    const auto own = weights.subspan(body.first[p], character.parts[p].mesh.positions.size());
    if (std::any_of(own.begin(), own.end(), [](float w) { return w > 0; })) parts[p].assign(own.begin(), own.end());
  }
  return parts;
}

Result<std::uint32_t> element_named(const Flesh& flesh, const std::string& name, const std::string& item) {
  std::vector<std::string> names;
  for (std::uint32_t e = 0; e < flesh.elements.size(); ++e) {
    if (flesh.elements[e].name == name) return e;
    names.push_back(flesh.elements[e].name);
  }
  return Error{item, "there is no flesh element '" + name + "'", did_you_mean(name, names)};
}

Result<FleshCollider> make_collider(const Character& character, const FleshRecipe& recipe, const ColliderRecipe& r) {
  const std::string item = "collider '" + r.name + "'";
  const auto joint = character.skeleton.require(r.joint);
  if (!joint) return Error{item, joint.error().item + " " + joint.error().problem, joint.error().remedy};
  FleshCollider c{r.name, *joint, Vec3f(r.a), Vec3f(r.b), static_cast<float>(r.radius), {}};
  for (const std::string& name : r.elements) {
    const auto element = element_named(character.flesh, name, item);
    if (!element) return element.error();
    c.elements.push_back(*element);
  }
  if (!r.elements.empty()) return c;
  for (std::uint32_t e = 0; e < recipe.elements.size(); ++e) {
    const auto joints = resolve_joints(character.skeleton, recipe.elements[e]);
    if (joints && std::find(joints->skin.begin(), joints->skin.end(), *joint) == joints->skin.end())
      c.elements.push_back(e);
  }
  return c;
}

Result<void> add_contacts(Character& character, const FleshRecipe& recipe) {
  for (const ColliderRecipe& r : recipe.colliders) {
    auto collider = make_collider(character, recipe, r);
    if (!collider) return collider.error();
    character.flesh.colliders.push_back(std::move(*collider));
  }
  for (const auto& [a, b] : recipe.contacts) {
    const auto first = element_named(character.flesh, a, "contact"),
               second = element_named(character.flesh, b, "contact");
    if (!first) return first.error();
    if (!second) return second.error();
    character.flesh.contacts.push_back({*first, *second});
  }
  return {};
}

}  // namespace

Result<std::vector<FleshRegion>> attach_flesh(Character& character, const FleshRecipe& recipe, Warnings* warnings) {
  if (!character.flesh.empty())
    return Error{character.name, "has flesh already", "start from the character without it"};
  if (recipe.elements.empty()) return Error{"flesh recipe", "has no elements", "name at least one"};
  if (!(recipe.unit > 0) || !std::isfinite(recipe.unit))
    return Error{"flesh recipe", "has a unit that is not above zero", "give metres per unit of the file"};
  const auto body = FleshBody::of(character);
  if (!body) return body.error();
  const auto hardness = hardness_of(character, recipe.hard, recipe.soft);
  if (!hardness) return hardness.error();
  const HardSkin hard = find_hard_skin(character, *hardness);
  Character fleshed = character;
  std::vector<ElementWeights> weights;
  std::vector<FleshRegion> regions;
  std::vector<Made> all;
  for (const ElementRecipe& element : recipe.elements) {
    if (std::any_of(all.begin(), all.end(), [&](const Made& made) { return made.element.name == element.name; }))
      return Error{"flesh element '" + element.name + "'", "occurs twice", "give each a name of its own"};
    auto made = make_element(character, *body, hard, element, recipe.unit, warnings);
    if (!made) return made.error();
    all.push_back(std::move(*made));
  }
  if (all.size() > 1) share_the_way(*body, all);
  for (Made& made : all)
    carry_shells(character, *body, hard, made.lenders, made.element.torsion.has_value(), made.weights);
  for (Made& made : all) {
    weights.push_back({std::move(made.lenders), by_part(character, *body, made.weights)});
    regions.push_back(std::move(made.region));
    fleshed.flesh.elements.push_back(std::move(made.element));
  }
  if (auto ok = add_twins(fleshed, weights); !ok) return ok.error();
  if (auto ok = add_contacts(fleshed, recipe); !ok) return ok.error();
  if (auto ok = validate(fleshed.flesh, fleshed); !ok) return ok.error();
  character = std::move(fleshed);
  return regions;
}

}  // namespace supple
