#include "supple/rig/bind_pose.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "supple/base/decompose.h"

namespace supple {
namespace {

constexpr double flat_matrix = 1e-9;  // determinant over the cube of the norm: such a matrix binds nothing

bool is_invertible(const Affined& a) {
  const double n = norm(a.linear);
  return std::isfinite(n) && std::abs(determinant(a.linear)) > flat_matrix * n * n * n;
}

}  // namespace

std::vector<Transformf> bind_pose(const Character& character) {
  const Skeleton& skeleton = character.skeleton;
  std::vector<std::optional<Affined>> bound(skeleton.size());
  for (const SkinBinding& skin : character.skins) {
    for (std::size_t k = 0; k < skin.joints.size(); ++k)
      if (!bound[skin.joints[k]]) bound[skin.joints[k]] = inverse(Affined(skin.inverse_bind[k]));
  }
  std::vector<Transformf> pose(skeleton.rest().begin(), skeleton.rest().end());
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    const JointIndex parent = skeleton.parent(j);
    if (parent == no_joint || !bound[j] || !bound[parent]) continue;
    const RotationSvd svd = rotation_svd((inverse(*bound[parent]) * *bound[j]).linear);
    pose[j].rotation = Quatf(from_matrix(svd.u * transpose(svd.v)));
  }
  return pose;
}

std::vector<Affined> bound_joints(const Character& c, std::span<const std::size_t> parts) {
  const std::size_t joints = c.skeleton.size();
  std::vector<std::optional<Affined>> known(joints);
  const std::vector<Affinef> rest = to_world(c.skeleton, c.rest());
  const auto guess = [&](JointIndex j) {
    Affined below{};
    for (JointIndex up = j; up != no_joint; up = c.skeleton.parent(up)) {
      if (known[up]) return *known[up] * below;
      below = Affined(c.skeleton.rest(up).affine()) * below;
    }
    return Affined(rest[j]);
  };
  std::vector<std::size_t> users(c.skins.size());
  for (const std::size_t p : parts)
    if (c.parts[p].skin) users[*c.parts[p].skin] += c.parts[p].mesh.positions.size();
  std::vector<std::size_t> order(c.skins.size());
  for (std::size_t s = 0; s < order.size(); ++s) order[s] = s;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return users[a] > users[b]; });
  for (const std::size_t s : order) {
    if (users[s] == 0) continue;
    const SkinBinding& skin = c.skins[s];
    std::size_t first = skin.joints.size();
    for (const bool by_known : {true, false})
      for (std::size_t k = 0; k < skin.joints.size() && first == skin.joints.size(); ++k)
        if (is_invertible(Affined(skin.inverse_bind[k])) && (!by_known || known[skin.joints[k]])) first = k;
    if (first == skin.joints.size()) continue;
    if (!known[skin.joints[first]])
      for (std::size_t k = 0; k < skin.joints.size(); ++k)  // the topmost joint: poses of those below it do not matter
        if (skin.joints[k] < skin.joints[first] && is_invertible(Affined(skin.inverse_bind[k]))) first = k;
    const Affined coordinates = guess(skin.joints[first]) * Affined(skin.inverse_bind[first]);
    for (std::size_t k = 0; k < skin.joints.size(); ++k)
      if (!known[skin.joints[k]] && is_invertible(Affined(skin.inverse_bind[k])))
        known[skin.joints[k]] = coordinates * inverse(Affined(skin.inverse_bind[k]));
  }
  std::vector<Affined> bound;
  for (JointIndex j = 0; j < joints; ++j) bound.push_back(guess(j));
  return bound;
}

std::vector<Vec3d> blended(const Character& c, const Part& part, std::span<const Affined> world) {
  std::vector<Vec3d> shape;
  for (const Vec3f& v : part.mesh.positions) shape.emplace_back(v);
  for (std::size_t m = 0; m < part.morphs.size(); ++m) {
    const double weight = double{c.morph_weights[part.first_morph_weight + m]};
    const MorphTarget& target = part.morphs[m];
    for (std::size_t i = 0; weight != 0 && i < target.positions.size(); ++i)
      shape[target.vertices.empty() ? i : target.vertices[i]] += Vec3d(target.positions[i]) * weight;
  }
  if (!part.skin) {
    for (Vec3d& v : shape) v = world[part.node].point(v);
    return shape;
  }
  const SkinBinding& skin = c.skins[*part.skin];
  std::vector<Affined> motion;
  for (std::size_t k = 0; k < skin.joints.size(); ++k)
    motion.push_back(world[skin.joints[k]] * Affined(skin.inverse_bind[k]));
  for (std::size_t v = 0; v < shape.size(); ++v) {
    Vec3d sum{};
    for (const Influence& i : part.weights.of(v)) sum += motion[i.joint].point(shape[v]) * double{i.weight};
    shape[v] = sum;
  }
  return shape;
}

double mesh_to_world(const Character& character, const Part& part) {
  if (!part.skin) return 1;
  const std::vector<Affinef> world = to_world(character.skeleton, character.rest());
  const SkinBinding& skin = character.skins[*part.skin];
  double sum = 0;
  for (std::size_t k = 0; k < skin.joints.size(); ++k)
    sum += std::cbrt(std::abs(determinant((Affined(world[skin.joints[k]]) * Affined(skin.inverse_bind[k])).linear)));
  const double mean = skin.joints.empty() ? 1 : sum / static_cast<double>(skin.joints.size());
  constexpr double rounding_of_matrices = 1e-4;
  return mean > 0 && std::abs(mean - 1) > rounding_of_matrices ? mean : 1;
}

}  // namespace supple
