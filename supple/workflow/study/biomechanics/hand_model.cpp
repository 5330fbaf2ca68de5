#include "supple/workflow/study/biomechanics/hand_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "supple/author/scan/least_squares.h"
#include "supple/author/scan/surface.h"
#include "supple/base/angle.h"
#include "supple/base/twist.h"
#include "supple/workflow/study/biomechanics/flesh_masses.h"

namespace supple::workflow {
namespace {

constexpr std::size_t most_triangles = 20000;  // of a body's surface: MuJoCo reads 200000, and shows no more
constexpr double turn_margin = 5 * degree, slide_margin = 0.001;  // beyond what the scans show
constexpr double same_axis = 40 * degree;  // a coordinate this near to a degree of freedom of the rig has its limits

/// What people call a turn about one of the body's axes, and which way it is positive.
struct NamedAxis {
  const char* name;
  Vec3d axis;
};
std::array<NamedAxis, 3> turns_of(bool right) {
  const double side = right ? 1 : -1;  // see scan::AnatomicalAngles
  return {{{"flexion", {0, 0, 1}}, {"deviation", {side, 0, 0}}, {"rotation", {0, side, 0}}}};
}
std::array<NamedAxis, 3> slides_of(bool right) {
  return {{{"palmar", {1, 0, 0}}, {"proximal", {0, 1, 0}}, {"radial", {0, 0, right ? 1.0 : -1.0}}}};
}

ModelCoordinate coordinate(const std::string& bone, const NamedAxis& named, bool turns, Vec3d axis) {
  return {bone + "_" + named.name, turns, axis, 0, 0};
}

std::vector<ModelCoordinate> coordinates_for(const std::string& bone, const scan::JointModel& joint, const Mat3d& frame,
                                             bool right) {
  std::vector<ModelCoordinate> result;
  if (joint.type == scan::JointType::free)
    for (const NamedAxis& slide : slides_of(right)) result.push_back(coordinate(bone, slide, false, slide.axis));
  if (joint.type == scan::JointType::free || joint.type == scan::JointType::ball)
    for (const NamedAxis& turn : turns_of(right)) result.push_back(coordinate(bone, turn, true, turn.axis));
  std::vector<NamedAxis> left;
  for (const NamedAxis& turn : turns_of(right)) left.push_back(turn);
  for (const Vec3d& axis : joint.axes) {
    const Vec3d own = transpose(frame) * axis;
    const auto nearest = std::max_element(left.begin(), left.end(), [&](const NamedAxis& a, const NamedAxis& b) {
      return std::abs(dot(a.axis, own)) < std::abs(dot(b.axis, own));
    });
    result.push_back(coordinate(bone, *nearest, true, dot(nearest->axis, own) < 0 ? -own : own));
    left.erase(nearest);
  }
  return result;
}

/// The rig's limits of the degree of freedom that is nearest to each turn.
void limits_of_rig(const Skeleton& skeleton, const std::string& bone, const Affined& to_body,
                   std::span<const Affinef> rest_world, std::vector<ModelCoordinate>& coordinates) {
  const auto joint = skeleton.find(bone);
  if (!joint) return;
  for (ModelCoordinate& c : coordinates) {
    if (!c.turns) continue;
    for (const Dof& dof : skeleton.dofs(*joint)) {
      const Vec3d axis = normalized(to_body.linear * Vec3d(rest_world[*joint].vector(dof.axis)));
      const double along = dot(axis, c.axis);
      if (std::abs(along) < std::cos(same_axis)) continue;
      c.low = std::min(c.low, along > 0 ? double{dof.min} : -double{dof.max});
      c.high = std::max(c.high, along > 0 ? double{dof.max} : -double{dof.min});
    }
  }
}

Mesh in_body(const Mesh& mesh, const Affined& to_body) {
  Mesh result;
  result.triangles = mesh.triangles;
  for (const Vec3f& p : mesh.positions) result.positions.emplace_back(to_body.point(Vec3d(p)));
  return result;
}

/// Those of the skin that lie over single bones.
void add_landmarks(const Chain& chain, std::size_t bone, const Affined& to_body, ModelBody& body) {
  for (const scan::Landmark& landmark : chain.landmarks) {
    if (landmark.bone != bone || !scan::is_on_skin(landmark.kind) || landmark.kind == scan::LandmarkKind::crease)
      continue;
    body.landmarks.push_back({landmark.name, to_body.point(landmark.at)});
  }
}

/// Radians of a rotation that is Rz(first) Rx(second) Ry(third).
Vec3d flexion_deviation_rotation(const Mat3d& r) {
  return {std::atan2(-r.c1.x, r.c1.y), std::asin(std::clamp(r.c1.z, -1.0, 1.0)), std::atan2(-r.c0.z, r.c2.z)};
}

Affined joint_motion_of(const ModelBody& body, std::span<const double> values) {
  Quatd turn;
  Vec3d shift{};
  for (std::size_t i = 0; i < body.coordinates.size(); ++i) {
    const ModelCoordinate& c = body.coordinates[i];
    if (c.turns)
      turn = turn * exp_rotation(c.axis * values[i]);
    else
      shift += c.axis * values[i];
  }
  const Mat3d linear = to_matrix(turn);
  return {linear, body.centre + shift - linear * body.centre};
}

}  // namespace

std::size_t HandModel::coordinate_count() const {
  std::size_t count = 0;
  for (const ModelBody& body : bodies) count += body.coordinates.size();
  return count;
}

Result<HandModel> hand_model(const Chain& chain, std::span<const scan::JointTypeChoice> types,
                             std::span<const scan::BoneFrame> frames, const Densities& densities) {
  const Affined& to_model = chain.assembled.to_model;
  const Skeleton& skeleton = chain.assembled.character.skeleton;
  const std::vector<Affinef> rest_world = to_world(skeleton, rest_pose(skeleton));
  const std::vector<SolidMoments> flesh = flesh_of_bones(chain.base_skin, chain.bones);
  HandModel model;
  model.name = chain.project.name;
  for (std::size_t b = 0; b < chain.bones.size(); ++b) {
    const scan::ScanBone& bone = chain.bones[b];
    ModelBody body;
    body.name = bone.name;
    if (bone.parent != TemplateBone::none) body.parent = bone.parent;
    const Affined& axes = frames[b].axes;
    body.rest = to_model * axes;
    const Affined to_body = inverse(axes);
    body.centre = to_body.point(chain.joints[b].centre);
    if (const scan::JointModel* joint = types[b].model()) {
      body.type = joint->type;
      body.centre = to_body.point(joint->centre);
      body.coordinates = coordinates_for(bone.name, *joint, axes.linear, chain.project.right);
      limits_of_rig(skeleton, bone.name, inverse(body.rest), rest_world, body.coordinates);
    }
    Mesh surface = bone.surface;
    const SolidMoments solid = solid_moments(surface.positions, surface.triangles) * densities.bone;
    SolidMoments whole = solid + flesh[b] * densities.flesh;
    body.mass = {whole.volume, to_body.point(whole.centre), transpose(axes.linear) * whole.inertia * axes.linear};
    if (surface.triangles.size() > most_triangles) {
      auto fewer = scan::reduce(surface, most_triangles);
      if (!fewer) return Error{"bone '" + bone.name + "', " + fewer.error().item, fewer.error().problem, ""};
      surface = std::move(*fewer);
    }
    body.surface = in_body(surface, to_body);
    add_landmarks(chain, b, to_body, body);
    model.bodies.push_back(std::move(body));
  }
  // A joint goes as far as it was seen to go in the scans that the hand learns from, and a little farther.
  for (std::size_t s = 1; s < chain.scans.size(); ++s) {
    if (chain.scans[s].entry->role != Role::train) continue;
    const std::vector<double> values = coordinates_in(model, chain, s);
    std::size_t next = 0;
    for (ModelBody& body : model.bodies) {
      for (ModelCoordinate& c : body.coordinates) {
        const double value = values[next++], margin = c.turns ? turn_margin : slide_margin;
        c.low = std::min(c.low, value - margin);
        c.high = std::max(c.high, value + margin);
      }
    }
  }
  return model;
}

std::vector<Affined> body_poses(const HandModel& model, std::span<const double> coordinates) {
  std::vector<Affined> world;
  std::size_t next = 0;
  for (const ModelBody& body : model.bodies) {
    const Affined moved = body.rest * joint_motion_of(body, coordinates.subspan(next, body.coordinates.size()));
    next += body.coordinates.size();
    if (body.parent == ModelBody::ground)
      world.push_back(moved);
    else
      world.push_back(world[body.parent] * (inverse(model.bodies[body.parent].rest) * moved));
  }
  return world;
}

std::vector<double> coordinates_of(const ModelBody& body, const Affined& motion) {
  std::vector<double> values(body.coordinates.size(), 0);
  if (values.empty()) return values;
  const bool free = body.type == scan::JointType::free;
  if (free || body.type == scan::JointType::ball) {
    const Vec3d turns = flexion_deviation_rotation(motion.linear);
    const Vec3d shift = motion.point(body.centre) - body.centre;
    const std::size_t first = free ? 3 : 0;
    for (std::size_t k = 0; k < 3; ++k) {
      if (free) values[k] = dot(shift, body.coordinates[k].axis);
      const Vec3d axis = body.coordinates[first + k].axis;
      values[first + k] = turns[k] * (axis.x + axis.y + axis.z);  // axes are the body's own, or turned round
    }
    return values;
  }
  const Vec3d turn = log_rotation(from_matrix(motion.linear));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = dot(turn, body.coordinates[i].axis);
  const auto residuals = [&](std::span<const double> x, std::vector<double>& r) {
    const Vec3d left = log_rotation(from_matrix(motion.linear * transpose(joint_motion_of(body, x).linear)));
    r.assign({left.x, left.y, left.z});
  };
  scan::least_squares(values, residuals);
  return values;
}

std::vector<double> coordinates_in(const HandModel& model, const Chain& chain, std::size_t scan) {
  std::vector<double> values;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const ModelBody& body = model.bodies[b];
    Affined motion;
    const auto shown = [&](std::size_t bone) { return chain.scans[scan].alignment.bones[bone].found; };
    if (scan > 0 && body.parent != ModelBody::ground && shown(b) && shown(body.parent)) {
      const Affined axes = inverse(chain.assembled.to_model) * body.rest;
      motion = inverse(axes) * scan::joint_motion(chain.bones, chain.scans[scan].alignment, b).motion * axes;
    }
    const std::vector<double> own = coordinates_of(body, motion);
    values.insert(values.end(), own.begin(), own.end());
  }
  return values;
}

}  // namespace supple::workflow
