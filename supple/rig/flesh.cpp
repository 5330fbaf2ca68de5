#include "supple/rig/flesh.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "supple/rig/character.h"
#include "supple/rig/checks.h"

namespace supple {
namespace {

Result<void> check_springs(const FleshElement& e, const std::string& item) {
  if (e.springs.empty() || e.springs.size() > FleshElement::max_springs)
    return Error{item, "has " + std::to_string(e.springs.size()) + " springs", "give it one to four"};
  for (const FleshSpring& s : e.springs) {
    if (!above_zero(s.frequency)) return Error{item, "has a spring whose frequency is not above zero", ""};
    if (!at_least(s.damping_ratio, 0)) return Error{item, "has a spring whose damping ratio is negative", ""};
    if (!(above_zero(s.axes.x) && above_zero(s.axes.y) && above_zero(s.axes.z)))
      return Error{item, "has a spring whose stiffness along an axis is not above zero", ""};
    if (!std::isfinite(s.share)) return Error{item, "has a spring whose share is not finite", ""};
  }
  if (e.torsion && !(above_zero(e.torsion->frequency) && at_least(e.torsion->damping_ratio, 0) &&
                     at_least(e.torsion->max_angle, 0) && e.torsion->max_angle <= std::numbers::pi_v<float> / 2))
    return Error{item, "has a torsion without frequency, or that turns further than a quarter turn", ""};
  return {};
}

Result<void> check_joints(const FleshElement& e, const Skeleton& skeleton, const std::string& item) {
  if (e.driver >= skeleton.size()) return Error{item, "has a driver that does not exist", ""};
  if (e.ends.empty()) return Error{item, "has no ends", "name at least one joint below its driver"};
  for (const JointIndex end : e.ends) {
    if (end >= skeleton.size()) return Error{item, "has an end that does not exist", ""};
    if (end == e.driver || !skeleton.is_ancestor(e.driver, end))
      return Error{item, "'" + skeleton.name(end) + "' is not below its driver '" + skeleton.name(e.driver) + "'",
                   "choose descendants of the driver"};
  }
  for (const FleshTwin& twin : e.twins) {
    if (twin.joint >= skeleton.size() || twin.bone >= skeleton.size() || skeleton.parent(twin.joint) != twin.bone)
      return Error{item, "has a twin joint that does not hang on its bone", ""};
  }
  return {};
}

Result<void> check_element(const FleshElement& e, const Skeleton& skeleton, const std::string& item) {
  if (auto ok = check_joints(e, skeleton, item); !ok) return ok;
  if (!above_zero(e.mass)) return Error{item, "has a mass that is not above zero", "give kilograms, or leave it out"};
  if (!above_zero(e.half_length)) return Error{item, "has a virtual bone without length", ""};
  if (!at_least(e.radius, 0) || !at_least(e.max_elongation, 0) || !at_least(e.air_friction, 0) || !above_zero(e.reach))
    return Error{item, "has a radius, elongation, friction or reach out of range", ""};
  if (e.torsion && e.reach != 1)
    return Error{item, "turns and has a reach other than 1", "only elements without torsion may reach further"};
  if (!std::isfinite(e.gain) || !is_finite(e.gravity) || !is_finite(e.modelled_gravity) || !is_finite(e.origin))
    return Error{item, "has a number that is not finite", ""};
  if (!(std::abs(dot(Quatd(e.orientation), Quatd(e.orientation)) - 1) < 1e-4))
    return Error{item, "has a frame that is no rotation", ""};
  return check_springs(e, item);
}

Result<void> check_collider(const FleshCollider& c, std::size_t joints, std::size_t elements, const std::string& item) {
  if (c.joint >= joints) return Error{item, "rides on a joint that does not exist", ""};
  if (!is_finite(c.a) || !is_finite(c.b) || !above_zero(c.radius))
    return Error{item, "has no place or a radius that is not above zero", ""};
  for (const std::uint32_t e : c.elements)
    if (e >= elements) return Error{item, "touches an element that does not exist", ""};
  return {};
}

/// Twins hang on bones, not on twins; and a skin with a twin has its bone, or the weights could not go back.
Result<void> check_twins(const FleshElement& element, const Character& c, const std::vector<bool>& is_twin) {
  const std::string item = "flesh element '" + element.name + "'";
  for (const FleshTwin& twin : element.twins) {
    if (is_twin[twin.bone]) return Error{item, "has a twin joint that hangs on another twin", ""};
    for (const SkinBinding& skin : c.skins) {
      const auto has = [&](JointIndex j) {
        return std::find(skin.joints.begin(), skin.joints.end(), j) != skin.joints.end();
      };
      if (has(twin.joint) && !has(twin.bone))
        return Error{item,
                     "skin '" + skin.name + "' has a twin of '" + c.skeleton.name(twin.bone) + "' but not that joint",
                     "keep all joints of a skin"};
    }
  }
  return {};
}

}  // namespace

Result<void> validate(const Flesh& flesh, const Character& character) {
  const Skeleton& skeleton = character.skeleton;
  std::vector<bool> taken(skeleton.size());
  for (std::size_t e = 0; e < flesh.elements.size(); ++e) {
    const std::string item = label("flesh element", e, flesh.elements[e].name);
    if (auto ok = check_element(flesh.elements[e], skeleton, item); !ok) return ok;
    for (const FleshTwin& twin : flesh.elements[e].twins) {
      if (taken[twin.joint]) return Error{item, "shares a twin joint", "each element needs its own"};
      taken[twin.joint] = true;
    }
  }
  for (const FleshElement& element : flesh.elements)
    if (auto ok = check_twins(element, character, taken); !ok) return ok;
  for (std::size_t c = 0; c < flesh.colliders.size(); ++c) {
    const std::string item = label("collider", c, flesh.colliders[c].name);
    if (auto ok = check_collider(flesh.colliders[c], skeleton.size(), flesh.elements.size(), item); !ok) return ok;
  }
  for (const auto& [a, b] : flesh.contacts) {
    if (a >= flesh.elements.size() || b >= flesh.elements.size() || a == b)
      return Error{"flesh contact", "needs two different elements that exist", ""};
  }
  return {};
}

std::vector<bool> twin_joints(const Flesh& flesh, std::size_t joint_count) {
  std::vector<bool> twins(joint_count);
  for (const FleshElement& element : flesh.elements)
    for (const FleshTwin& twin : element.twins) twins[twin.joint] = true;
  return twins;
}

constinit const DeformerKind flesh_kind{
    .name = "flesh",
    .member = "flesh",
    .describe = describe_flesh,
    .elsewhere = "the same along the file's clips, where twin joints carry it; no swinging in poses of its own",
    .count = [](const Character& c) { return c.flesh.elements.size(); },
    .summary =
        [](const Character& c) {
          std::size_t twins = 0;
          for (const FleshElement& e : c.flesh.elements) twins += e.twins.size();
          return std::to_string(c.flesh.elements.size()) + " elements, " + std::to_string(twins) + " twin joints";
        },
    .check = [](const Character& c) { return validate(c.flesh, c); },
    .clear = [](Character& c) { c.flesh = {}; }};

}  // namespace supple
