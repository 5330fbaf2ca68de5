// A leg is a triangle of thigh, shin and the line from hip to ankle, in a plane that abduction turns.
#include "supple/make/figure_leg.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace supple::make {
namespace {

// Where the sole leaves the ground when the foot is pitched; the toes do not bend.
constexpr double heel_behind_ankle = 0.025, toes_before_ankle = 0.180;

Affined world_of(const Pose& pose, const Skeleton& skeleton, JointIndex joint) {
  Affined world;
  for (JointIndex j = joint; j != no_joint; j = skeleton.parent(j)) world = Affined(pose.local[j].affine()) * world;
  return world;
}

}  // namespace

Footing on_ground(double z, double pitch) {
  const double pivot = pitch > 0 ? -heel_behind_ankle : toes_before_ankle;
  const double c = std::cos(pitch), s = std::sin(pitch), height = landmark::ankle.y;
  return {height * c - pivot * s, z + pivot - height * s - pivot * c, pitch};
}

void place_foot(Pose& pose, const Skeleton& skeleton, BodySide side, const Footing& footing) {
  const std::string suffix = side == BodySide::left ? "-left" : "-right";
  const JointIndex thigh = *skeleton.find("thigh" + suffix), shin = *skeleton.find("shin" + suffix);
  const JointIndex foot = *skeleton.find("foot" + suffix);
  const Vec3d ankle = {side == BodySide::left ? landmark::ankle.x : -landmark::ankle.x, footing.y, footing.z};

  // The ankle as seen from the thigh at rest: y along it, z to the front.
  pose.local[thigh].rotation = skeleton.rest(thigh).rotation;
  const Vec3d target = inverse(world_of(pose, skeleton, thigh)).point(ankle);
  const double abduction = std::atan2(-target.x, target.y);
  const double along = std::hypot(target.x, target.y), ahead = target.z;

  const double upper = length(landmark::knee - landmark::hip), lower = length(landmark::ankle - landmark::knee);
  const double reach = std::hypot(along, ahead);
  const double bend_cosine = (reach * reach - upper * upper - lower * lower) / (2 * upper * lower);
  const Vec3f shin_at_rest = rotate(skeleton.rest(shin).rotation, Vec3f{0, 1, 0});
  const double bend_at_rest = -std::atan2(shin_at_rest.z, shin_at_rest.y);
  const double straightest = bend_at_rest + skeleton.dofs(shin)[0].min;
  const double bend = std::max(std::acos(std::clamp(bend_cosine, -1.0, 1.0)), straightest);
  const double flexion = std::atan2(ahead, along) + std::atan2(lower * std::sin(bend), upper + lower * std::cos(bend));

  const auto radians = [](double angle) { return static_cast<float>(angle); };
  const std::array<float, 2> at_hip = {radians(side == BodySide::left ? abduction : -abduction), radians(flexion)};
  const std::array<float, 1> at_knee = {radians(bend - bend_at_rest)};
  set_angles(pose, skeleton, thigh, at_hip);
  set_angles(pose, skeleton, shin, at_knee);

  // The foot keeps its direction in the world but for the pitch: toes up is a turn about -x.
  const Pose rest = rest_pose(skeleton);
  const Mat3d wanted =
      to_matrix(from_axis_angle(Vec3d{-1, 0, 0}, footing.pitch)) * world_of(rest, skeleton, foot).linear;
  pose.local[foot].rotation = Quatf(from_matrix(transpose(world_of(pose, skeleton, shin).linear) * wanted));
}

}  // namespace supple::make
