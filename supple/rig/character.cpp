#include "supple/rig/character.h"
#include "supple/rig/checks.h"
#include "supple/rig/deformers.h"

#include <algorithm>
#include <cmath>

namespace supple {
namespace {

Result<void> check_skin(const Character& c, std::size_t s) {
  const SkinBinding& skin = c.skins[s];
  const std::string item = quoted("skin", s, skin.name);
  if (skin.joints.empty()) return Error{item, "has no joints", ""};
  if (skin.inverse_bind.size() != skin.joints.size()) {
    return Error{item,
                 "has " + std::to_string(skin.inverse_bind.size()) + " inverse bind matrices for " +
                     std::to_string(skin.joints.size()) + " joints",
                 ""};
  }
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    if (skin.joints[k] >= c.skeleton.size()) {
      return Error{item, "names joint " + std::to_string(skin.joints[k]) + " of " + std::to_string(c.skeleton.size()),
                   ""};
    }
    const Mat3f& m = skin.inverse_bind[k].linear;
    const float det = determinant(m), size = norm(m);
    // Relative to its own size, so that a rig in centimetres or scaled by 1e-3 passes.
    if (!(std::abs(det) > 1e-9f * size * size * size) || !is_finite(skin.inverse_bind[k].translation)) {
      return Error{item + ", joint '" + c.skeleton.name(skin.joints[k]) + "'",
                   "has an inverse bind matrix that cannot be inverted", "bind the skin again"};
    }
  }
  return {};
}

Result<void> check_morph(const MorphTarget& morph, std::size_t vertices, const std::string& item) {
  const std::size_t moved = morph.vertices.empty() ? vertices : morph.vertices.size();
  for (const auto* list : {&morph.positions, &morph.normals, &morph.tangents}) {
    if (!list->empty() && list->size() != moved) {
      return Error{item, "has " + std::to_string(list->size()) + " offsets for " + std::to_string(moved) + " vertices",
                   ""};
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (!is_finite((*list)[i]))
        return Error{item, "has an offset that is not finite at entry " + std::to_string(i), ""};
    }
  }
  for (std::size_t i = 0; i < morph.vertices.size(); ++i) {
    if (morph.vertices[i] >= vertices)
      return Error{item, "moves vertex " + std::to_string(morph.vertices[i]) + ", which does not exist", ""};
    if (i > 0 && morph.vertices[i] <= morph.vertices[i - 1]) return Error{item, "lists its vertices out of order", ""};
  }
  return {};
}

Result<void> check_part(const Character& c, std::size_t p) {
  const Part& part = c.parts[p];
  const std::string item = quoted("part", p, part.name);
  const std::size_t vertices = part.mesh.positions.size();
  if (auto ok = validate(part.mesh); !ok)
    return Error{item + ", " + ok.error().item, ok.error().problem, ok.error().remedy};
  const auto wrong_size = [&](const char* what, std::size_t n) {
    return Error{item, "has " + std::to_string(n) + " " + what + " for " + std::to_string(vertices) + " vertices", ""};
  };
  if (!part.mesh.normals.empty() && part.mesh.normals.size() != vertices)
    return wrong_size("normals", part.mesh.normals.size());
  if (!part.tangents.empty() && part.tangents.size() != vertices) return wrong_size("tangents", part.tangents.size());
  if (!part.texcoords.empty() && part.texcoords.size() != vertices)
    return wrong_size("texture coordinates", part.texcoords.size());
  if (part.node != no_joint && part.node >= c.skeleton.size())
    return Error{item, "hangs on a node that does not exist", ""};
  if (part.material && *part.material >= c.materials.size())
    return Error{item, "names a material that does not exist", ""};
  if (part.first_morph_weight + part.morphs.size() > c.morph_weights.size()) {
    return Error{item, "has more morph targets than the character has weights for", ""};
  }
  for (std::size_t m = 0; m < part.morphs.size(); ++m) {
    if (auto ok = check_morph(part.morphs[m], vertices, item + ", " + quoted("morph target", m, part.morphs[m].name));
        !ok)
      return ok;
  }
  if (!part.skin) return {};
  if (*part.skin >= c.skins.size()) return Error{item, "names a skin that does not exist", ""};
  if (part.weights.vertices() != vertices) return wrong_size("sets of skin weights", part.weights.vertices());
  const std::size_t joints = c.skins[*part.skin].joints.size();
  for (std::size_t v = 0; v < vertices; ++v) {
    double sum = 0;
    for (const Influence& i : part.weights.of(v)) {
      if (i.joint >= joints)
        return Error{item + ", vertex " + std::to_string(v),
                     "is bound to joint " + std::to_string(i.joint) + " of " + std::to_string(joints), ""};
      sum += i.weight;
    }
    if (!(std::abs(sum - 1) < 1e-3))
      return Error{item + ", vertex " + std::to_string(v), "has skin weights that sum to " + std::to_string(sum),
                   "normalise the weights"};
  }
  return {};
}

}  // namespace

Pose Character::rest() const {
  Pose pose = rest_pose(skeleton);
  pose.morph_weights = morph_weights;
  return pose;
}

const Clip* Character::find_clip(std::string_view clip_name) const {
  for (const Clip& clip : clips) {
    if (clip.name == clip_name) return &clip;
  }
  return nullptr;
}

Pose Character::at(const Clip& clip, float seconds) const {
  Pose pose = rest();
  sample(clip, seconds, pose);
  return pose;
}

Result<void> validate(const Character& c) {
  for (std::size_t s = 0; s < c.skins.size(); ++s) {
    if (auto ok = check_skin(c, s); !ok) return ok;
  }
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    if (auto ok = check_part(c, p); !ok) return ok;
  }
  for (const Clip& clip : c.clips) {
    if (auto ok = validate(clip, c.skeleton.size(), c.morph_weights.size()); !ok) return ok;
  }
  return check_deformers(c);
}

std::vector<bool> skinned_joints(const Character& c) {
  std::vector<bool> used(c.skeleton.size());
  for (const SkinBinding& skin : c.skins) {
    for (const JointIndex j : skin.joints) used[j] = true;
  }
  return used;
}

}  // namespace supple
