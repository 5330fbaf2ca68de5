#include "supple/rig/kinodynamics.h"

#include <algorithm>
#include <cmath>

#include "supple/rig/character.h"
#include "supple/rig/checks.h"

namespace supple {
namespace {

bool at_least_zero(float value) { return std::isfinite(value) && value >= 0; }
bool is_unit(float squared_length) { return std::abs(squared_length - 1) < 1e-3f; }
bool is_unit(Quatf q) { return is_unit(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w); }

Result<void> check_place(const std::string& item, JointIndex joint, Vec3f center, Quatf orientation, Vec3f radii,
                         const Skeleton& skeleton) {
  if (joint >= skeleton.size()) return Error{item, "hangs on a joint that does not exist", ""};
  if (!is_finite(center)) return Error{item, "has a center that is not finite", ""};
  if (!is_unit(orientation)) return Error{item, "has an orientation that is not a unit quaternion", ""};
  if (!above_zero(radii)) return Error{item, "has a radius that is not above zero", "give metres along x, y and z"};
  return {};
}

Result<void> check_primitive(const TissuePrimitive& p, const std::string& item, const Skeleton& skeleton) {
  if (auto ok = check_place(item, p.joint, p.center, p.orientation, p.radii, skeleton); !ok) return ok;
  if (!above_zero(p.weight)) return Error{item, "has a weight that is not above zero", ""};
  if (!p.star.empty() && p.star.size() != TissuePrimitive::star_size)
    return Error{item, "has a star shape of " + std::to_string(p.star.size()) + " numbers",
                 "give " + std::to_string(TissuePrimitive::star_size) + ", or none for an ellipsoid"};
  if (!std::all_of(p.star.begin(), p.star.end(), [](float s) { return std::abs(s) <= 4; }))
    return Error{item, "has a star shape with a number beyond 4, or that is not finite", "fit it to a rounder surface"};
  return {};
}

Result<void> check_curve(const VolumeCurve& curve, const Skeleton& skeleton) {
  if (curve.joint >= skeleton.size()) return Error{"volume curve", "is for a joint that does not exist", ""};
  const std::string item = "volume curve of '" + skeleton.name(curve.joint) + "'";
  if (curve.keys.empty()) return Error{item, "has no keys", "give at least one, or leave the curve out"};
  for (std::size_t i = 0; i < curve.keys.size(); ++i) {
    const VolumeKey& k = curve.keys[i];
    if (!std::isfinite(k.angle) || !at_least_zero(k.alpha) || !at_least_zero(k.beta) || k.alpha + k.beta > 1.001f)
      return Error{item, "has a key out of range", "alpha and beta are at least 0 and together at most 1"};
    if (i > 0 && !(k.angle > curve.keys[i - 1].angle)) return Error{item, "has keys whose angles do not rise", ""};
  }
  return {};
}

Result<void> check_field(const DeformationField& field, const Skeleton& skeleton) {
  for (std::size_t i = 0; i < field.primitives.size(); ++i) {
    const std::string item = label("tissue", i, field.primitives[i].name);
    if (auto ok = check_primitive(field.primitives[i], item, skeleton); !ok) return ok;
  }
  if (field.source == FieldSource::primitives && field.primitives.empty())
    return Error{"field", "has no tissue to take its weights from", "place some, or use the automatic field"};
  std::vector<bool> curved(skeleton.size(), false);
  for (const VolumeCurve& curve : field.volume) {
    if (auto ok = check_curve(curve, skeleton); !ok) return ok;
    if (curved[curve.joint]) return Error{"joint '" + skeleton.name(curve.joint) + "'", "has two volume curves", ""};
    curved[curve.joint] = true;
  }
  if (!at_least_zero(field.shortening) || !above_zero(field.spread) || !above_zero(field.reach) ||
      !at_least_zero(field.contact))
    return Error{"field", "has a shortening, spread, reach or contact out of range", ""};
  if (!(field.step >= 0.01f && field.step <= 3.2f))
    return Error{"field", "has steps out of range", "give 0.01 to 3.2 radians, 0.6 to 183 degrees"};
  return {};
}

Result<void> check_vertices(const std::vector<SkinVertexWeight>& weights, const std::string& item, const Character& c) {
  for (const SkinVertexWeight& w : weights) {
    if (w.part >= c.parts.size() || w.vertex >= c.parts[w.part].mesh.positions.size())
      return Error{item, "has a skin weight for a vertex that does not exist", ""};
    if (!(at_least_zero(w.weight) && w.weight <= 1)) return Error{item, "has a skin weight outside 0 to 1", ""};
  }
  return {};
}

Result<void> check_shares(const DeformationField& field, const Character& c) {
  std::vector<bool> shared(c.skeleton.size(), false);
  for (const FlowShare& s : field.flow) {
    if (s.joint >= c.skeleton.size()) return Error{"flow", "is shared with a joint that does not exist", ""};
    const std::string item = "joint '" + c.skeleton.name(s.joint) + "'";
    if (!(s.share >= 0 && s.share <= 1)) return Error{item, "has a share of the flow outside 0 to 1", ""};
    if (shared[s.joint]) return Error{item, "has two shares of the flow", ""};
    shared[s.joint] = true;
  }
  if (auto ok = check_vertices(field.bound, "bound skin", c); !ok) return ok;
  const Hardness& h = field.hardness;
  for (const std::vector<JointIndex>* list : {&h.hard_joints, &h.soft_joints})
    for (const JointIndex j : *list)
      if (j >= c.skeleton.size()) return Error{"field", "has a hard or soft joint that does not exist", ""};
  for (const std::vector<std::uint32_t>* list : {&h.hard_parts, &h.soft_parts})
    for (const std::uint32_t p : *list)
      if (p >= c.parts.size()) return Error{"field", "has a hard or soft part that does not exist", ""};
  return {};
}

Result<void> check_surface(const VortexMuscle& m, const std::string& item) {
  if (m.surface_positions.empty() && m.surface_triangles.empty()) return {};
  const Mesh surface{m.surface_positions, {}, m.surface_triangles};
  if (auto ok = validate(surface); !ok) return Error{item + ", " + ok.error().item, ok.error().problem, ""};
  if (!find_defects(surface.positions, surface.triangles).closed())
    return Error{item, "has a surface that is not closed", "close its holes, or use an ellipsoid"};
  if (!(enclosed_volume(surface.positions, surface.triangles) > 0))
    return Error{item, "has a surface that is inside out or flat", "turn its triangles round"};
  return {};
}

Result<void> check_muscle(const VortexMuscle& m, const std::string& item, const Character& c) {
  if (auto ok = check_place(item, m.joint, m.center, m.orientation, m.radii, c.skeleton); !ok) return ok;
  if (auto ok = check_surface(m, item); !ok) return ok;
  if (m.samples < 12 || m.samples > 10000) return Error{item, "has too few or too many samples", "give 12 to 10000"};
  if (!above_zero(m.frequency)) return Error{item, "has a frequency that is not above zero", ""};
  if (!at_least_zero(m.damping_ratio)) return Error{item, "has a damping ratio that is negative", ""};
  if (!at_least_zero(m.density) || !at_least_zero(m.medium_density) || !above_zero(m.density + m.medium_density))
    return Error{item, "has densities out of range", ""};
  if (!above_zero(m.reach) || !at_least_zero(m.limit)) return Error{item, "has a reach or limit out of range", ""};
  if (!is_finite(m.gravity) || !is_finite(m.modelled_gravity) || !std::isfinite(m.stretch) || !std::isfinite(m.life))
    return Error{item, "has a force that is not finite", ""};
  if (!is_finite(m.stretch_center)) return Error{item, "has a stretch centre that is not finite", ""};
  if (!is_unit(squared_length(m.stretch_axis))) return Error{item, "has a stretch axis that is not a unit vector", ""};
  if (!std::all_of(m.target.begin(), m.target.end(), [](Vec3f p) { return is_finite(p); }))
    return Error{item, "has a target shape that is not finite", ""};
  if (!m.surface_positions.empty() && !m.target.empty() && m.target.size() != m.surface_positions.size())
    return Error{item,
                 "has a target of " + std::to_string(m.target.size()) + " points for a surface of " +
                     std::to_string(m.surface_positions.size()),
                 "give the same points, displaced"};
  for (const JointIndex j : m.skin_joints)
    if (j >= c.skeleton.size()) return Error{item, "moves the skin of a joint that does not exist", ""};
  return check_vertices(m.skin_weights, item, c);
}

}  // namespace

Result<void> validate(const Kinodynamics& kinodynamics, const Character& character) {
  if (auto ok = check_field(kinodynamics.field, character.skeleton); !ok) return ok;
  if (auto ok = check_shares(kinodynamics.field, character); !ok) return ok;
  for (std::size_t i = 0; i < kinodynamics.muscles.size(); ++i) {
    const VortexMuscle& m = kinodynamics.muscles[i];
    if (auto ok = check_muscle(m, label("muscle", i, m.name), character); !ok) return ok;
  }
  if (!at_least_zero(kinodynamics.window) || kinodynamics.window > 60)
    return Error{"kinodynamics", "has a window out of range", "give 0 to 60 seconds"};
  return {};
}

constinit const DeformerKind kinodynamic_kind{
    .name = "kinodynamics",
    .member = "kinodynamics",
    .describe = describe_kinodynamics,
    .elsewhere = "plain skinning; supple bake --blend kinodynamic puts it into clips",
    .teacher = "kinodynamics",
    .made_by = "supple add kinodynamics makes others",
    .add_usual = [](Character& c, std::uint32_t) { c.kinodynamics.emplace(); },
    .count = [](const Character& c) { return std::size_t{c.kinodynamics ? 1u : 0u}; },
    .summary =
        [](const Character& c) {
          const FieldSource source = c.kinodynamics->field.source;
          return std::string(source == FieldSource::automatic    ? "automatic"
                             : source == FieldSource::primitives ? "primitives"
                                                                 : "painted") +
                 " field, " + std::to_string(c.kinodynamics->muscles.size()) + " muscles";
        },
    .check = [](const Character& c) { return validate(*c.kinodynamics, c); },
    .clear = [](Character& c) { c.kinodynamics.reset(); }};

}  // namespace supple
