// A gait is where the feet are over a stride, and a few waves for the rest of the body; a jump is keyed.
#include "supple/make/figure_clips.h"

#include <cmath>
#include <initializer_list>
#include <numbers>
#include <string>

#include "supple/base/angle.h"
#include "supple/make/figure_leg.h"
#include "supple/make/record_clip.h"

namespace supple::make {
namespace {

using std::numbers::pi;

/// Degrees, by the names of the degrees of freedom.
struct Turn {
  double abduction = 0, flexion = 0, twist = 0;
};

void turn(Pose& pose, const Skeleton& skeleton, const std::string& joint, Turn degrees) {
  const JointIndex j = *skeleton.find(joint);
  std::vector<float> angles;
  for (const Dof& dof : skeleton.dofs(j)) {
    const double angle = dof.name == "flexion" ? degrees.flexion
                         : dof.name == "twist" ? degrees.twist
                                               : degrees.abduction;
    angles.push_back(static_cast<float>(angle * degree));
  }
  set_angles(pose, skeleton, j, angles, true);
}

void shift_hips(Pose& pose, const Skeleton& skeleton, Vec3d by) {
  const JointIndex hips = *skeleton.find("hips");
  pose.local[hips].translation = Vec3f(Vec3d(skeleton.rest(hips).translation) + by);
}

struct Gait {
  double period;                     // seconds, of a stride: two steps
  double stance;                     // fraction of it that a foot is on the ground
  double travel, ahead;              // metres: of a foot on the ground, and the middle of that
  double strike_pitch, leave_pitch;  // degrees, as the foot comes to the ground and leaves it
  double leaves_from;                // fraction of the stance at which the heel rises
  double lift;                       // metres, of the foot in the air
};

Footing stance_footing(const Gait& gait, double fraction) {
  const double rising = std::max(0.0, (fraction - gait.leaves_from) / (1 - gait.leaves_from));
  const double pitch = gait.strike_pitch * (1 - eased(fraction / 0.25)) + gait.leave_pitch * rising * rising;
  return on_ground(landmark::ankle.z + gait.ahead + gait.travel * (0.5 - fraction), pitch * degree);
}

double hermite(double from, double from_slope, double to, double to_slope, double t) {
  const double u = 1 - t;
  return u * u * (1 + 2 * t) * from + t * u * u * from_slope + t * t * (1 + 2 * u) * to - t * t * u * to_slope;
}

// Phase 0: the foot strikes the ground. In the air it goes on as it left and comes down as it will go on.
Footing footing_at(const Gait& gait, double phase) {
  phase -= std::floor(phase);
  if (phase < gait.stance) return stance_footing(gait, phase / gait.stance);
  const double t = (phase - gait.stance) / (1 - gait.stance);
  constexpr double step = 1e-4;
  const double per_swing = (1 - gait.stance) / gait.stance / step;
  const Footing leave = stance_footing(gait, 1), before = stance_footing(gait, 1 - step);
  const Footing strike = stance_footing(gait, 0), after = stance_footing(gait, step);
  const auto swing = [&](double Footing::*part) {
    return hermite(leave.*part, (leave.*part - before.*part) * per_swing, strike.*part,
                   (after.*part - strike.*part) * per_swing, t);
  };
  const double lifted = gait.lift * 16 * std::pow(t * (1 - t), 2);
  return {swing(&Footing::y) + lifted, swing(&Footing::z), swing(&Footing::pitch)};
}

void place_feet(Pose& pose, const Skeleton& skeleton, const Gait& gait, double phase) {
  place_foot(pose, skeleton, BodySide::left, footing_at(gait, phase));
  place_foot(pose, skeleton, BodySide::right, footing_at(gait, phase + 0.5));
}

struct Key {
  double time, value;
};
// Rests at every key, moves smoothly between them.
double keyed(double t, std::initializer_list<Key> keys) {
  const Key* before = keys.begin();
  for (const Key& key : keys) {
    if (t <= key.time) {
      return key.time > before->time
                 ? before->value + (key.value - before->value) * eased((t - before->time) / (key.time - before->time))
                 : key.value;
    }
    before = &key;
  }
  return before->value;
}

struct Motion {
  double place, velocity, acceleration;
};
// The polynomial of fifth degree with these ends.
double between(const Motion& from, const Motion& to, double seconds, double t) {
  const double s = t / seconds, v0 = from.velocity * seconds, v1 = to.velocity * seconds;
  const double a0 = from.acceleration * seconds * seconds / 2, a1 = to.acceleration * seconds * seconds / 2;
  const double d = to.place - from.place - v0 - a0, e = v1 - v0 - 2 * a0, f = a1 - a0;
  return from.place +
         s * (v0 + s * (a0 + s * (10 * d - 4 * e + f + s * (-15 * d + 7 * e - 2 * f + s * (6 * d - 3 * e + f)))));
}

}  // namespace

Clip walk_clip(const Skeleton& skeleton) {
  const Gait gait{1.0, 0.62, 0.64, -0.035, 16, -34, 0.50, 0.03};
  return record_clip({"walk", gait.period, 30, true}, skeleton, [&](double t) {
    const double phase = t / gait.period;
    // The left foot strikes at 0 and bears the weight until the right one strikes at a half.
    const double stride = std::cos(2 * pi * phase), over_left = std::sin(2 * pi * (phase - 0.06));
    const double rise = std::cos(4 * pi * (phase - 0.29));
    Pose pose = rest_pose(skeleton);
    shift_hips(pose, skeleton, {0.018 * over_left, -0.023 + 0.016 * rise, 0});
    turn(pose, skeleton, "hips", {-3 * over_left, 2, -6 * stride});
    turn(pose, skeleton, "spine", {2 * over_left, 1, 5 * stride});
    turn(pose, skeleton, "chest", {1 * over_left, 0, 7 * stride});
    turn(pose, skeleton, "neck", {0, -2, -3 * stride});
    turn(pose, skeleton, "head", {0, -1, -3 * stride});
    for (const double side : {1.0, -1.0}) {  // left, right
      const std::string suffix = side > 0 ? "-left" : "-right";
      const double forward = -side * std::cos(2 * pi * (phase - 0.03));
      turn(pose, skeleton, "upper-arm" + suffix, {-24, 2 + 22 * forward, 8});
      turn(pose, skeleton, "forearm" + suffix, {0, 22 + 11 * forward, 0});
      turn(pose, skeleton, "hand" + suffix, {0, 8 - 4 * forward, 0});
    }
    place_feet(pose, skeleton, gait, phase);
    return pose;
  });
}

Clip run_clip(const Skeleton& skeleton) {
  const Gait gait{0.7, 0.36, 0.56, -0.06, 6, -42, 0.40, 0.20};
  return record_clip({"run", gait.period, 30, true}, skeleton, [&](double t) {
    const double phase = t / gait.period;
    const double stride = std::cos(2 * pi * (phase + 0.04)), over_left = std::sin(2 * pi * (phase + 0.07));
    const double fall = std::cos(4 * pi * (phase - 0.19));  // lowest in the middle of each stance
    Pose pose = rest_pose(skeleton);
    shift_hips(pose, skeleton, {0.012 * over_left, -0.056 - 0.042 * fall, 0});
    turn(pose, skeleton, "hips", {-3 * over_left, 7, -9 * stride});
    turn(pose, skeleton, "spine", {2 * over_left, 4, 8 * stride});
    turn(pose, skeleton, "chest", {1 * over_left, 4, 11 * stride});
    turn(pose, skeleton, "neck", {0, -8, -5 * stride});
    turn(pose, skeleton, "head", {0, -6, -5 * stride});
    for (const double side : {1.0, -1.0}) {  // left, right
      const std::string suffix = side > 0 ? "-left" : "-right";
      const double forward = -side * stride;
      turn(pose, skeleton, "upper-arm" + suffix, {-17, -4 + 34 * forward, -4});
      turn(pose, skeleton, "forearm" + suffix, {0, 88 + 14 * forward, 0});
      turn(pose, skeleton, "hand" + suffix, {0, 12, 0});
    }
    place_feet(pose, skeleton, gait, phase);
    return pose;
  });
}

Clip jump_clip(const Skeleton& skeleton) {
  constexpr double gravity = 9.81, rise = 0.35, take_off_height = 0.085, crouched = -0.26;
  const double speed = std::sqrt(2 * gravity * rise);
  const double crouch = 0.42, leave = 0.66, land = leave + 2 * speed / gravity, absorbed = land + 0.24, end = 1.85;
  const Motion low{crouched, 0, 0}, leaving{take_off_height, speed, -gravity},
      landing{take_off_height, -speed, -gravity};
  const auto height = [&](double t) {
    if (t < crouch) return keyed(t, {{0, 0}, {crouch, crouched}});
    if (t < leave) return between(low, leaving, leave - crouch, t - crouch);
    if (t < land) return take_off_height + speed * (t - leave) - gravity / 2 * (t - leave) * (t - leave);
    if (t < absorbed) return between(landing, low, absorbed - land, t - land);
    return keyed(t, {{absorbed, crouched}, {end, 0}});
  };
  const auto on_toes = [&](double t) {
    return on_ground(landmark::ankle.z,
                     degree * keyed(t, {{crouch + 0.07, 0}, {leave, -48}, {land, -38}, {land + 0.08, 0}}));
  };
  return record_clip({"jump", end, 30, false}, skeleton, [&](double t) {
    Pose pose = rest_pose(skeleton);
    const double back = keyed(t, {{0, 0}, {crouch, -0.11}, {leave, 0.035}, {land, 0.01}, {absorbed, -0.10}, {end, 0}});
    const double bow = keyed(t, {{0, 0}, {crouch, 1}, {leave, -0.12}, {land, 0.2}, {absorbed, 0.9}, {end, 0}});
    shift_hips(pose, skeleton, {0, height(t), back});
    turn(pose, skeleton, "hips", {0, 30 * bow, 0});
    turn(pose, skeleton, "spine", {0, 9 * bow, 0});
    turn(pose, skeleton, "chest", {0, 7 * bow, 0});
    turn(pose, skeleton, "neck", {0, -16 * bow, 0});
    turn(pose, skeleton, "head", {0, -12 * bow, 0});
    const double reach = keyed(t, {{0, 0}, {crouch, -48}, {leave + 0.05, 118}, {land, 55}, {absorbed, 12}, {end, 0}});
    const double hang = keyed(t, {{0, 0}, {crouch, -24}, {leave, -30}, {land, -26}, {absorbed, -4}, {end, 0}});
    const double fold = keyed(t, {{0, 0}, {crouch, 30}, {leave, 26}, {land, 34}, {absorbed, 40}, {end, 0}});
    for (const std::string suffix : {"-left", "-right"}) {
      turn(pose, skeleton, "upper-arm" + suffix, {hang, reach, 0});
      turn(pose, skeleton, "forearm" + suffix, {0, fold, 0});
    }
    Footing foot = on_toes(t);
    if (t > leave && t < land) {
      // In the air the feet go with the hips, drawn up a little in the middle of the flight.
      const double fraction = (t - leave) / (land - leave), drawn = std::pow(std::sin(pi * fraction), 2);
      foot.y += height(t) - take_off_height + 0.10 * drawn;
      foot.z -= 0.06 * drawn;
    }
    place_foot(pose, skeleton, BodySide::left, foot);
    place_foot(pose, skeleton, BodySide::right, foot);
    return pose;
  });
}

}  // namespace supple::make
