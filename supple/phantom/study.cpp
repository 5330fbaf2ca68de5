#include "supple/phantom/study.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "supple/base/angle.h"
#include "supple/base/rng.h"
#include "supple/make/hand_rig.h"
#include "supple/phantom/carpal_joints.h"

namespace supple::phantom {
namespace {

constexpr double jitter = 4 * degree;

using Four = std::array<double, 4>;  // index to little finger

// Degrees.
struct WholeWrist {
  double flexion = 0, deviation = 0, pronation = 0;
  double ring = 0, little = 0;                    // flexion of the metacarpals
  double ring_rotation = 0, little_rotation = 0;  // about their length
};

// Degrees away from the procedural hand's rest pose.
struct WholeHand {
  const char* name;
  bool held_out;
  Four knuckle, middle, end;  // flexion
  Four spread;                // abduction of the knuckles
  double thumb_flexion, thumb_abduction, thumb_knuckle, thumb_end;
  double wrist;         // flexion
  WholeWrist moving{};  // of hands whose carpals move, instead of the wrist's flexion alone
};

constexpr std::array<WholeHand, 6> listed = {{
    {"grasp",
     false,
     {35, 38, 40, 42},
     {40, 42, 42, 45},
     {22, 25, 25, 25},
     {},
     15,
     5,
     15,
     20,
     0,
     {-25, -10, 20, 7, 14, -6, -5}},
    {"point-middle",
     false,
     {60, 15, 50, 55},
     {65, 20, 60, 55},
     {35, 10, 30, 30},
     {},
     5,
     15,
     20,
     20,
     8,
     {25, 8, -25, 4, 8, 7, 8}},
    {"bend-middle",
     false,
     {10, 55, 20, 25},
     {20, 70, 30, 35},
     {15, 40, 20, 20},
     {},
     -8,
     10,
     10,
     10,
     -8,
     {-12, 12, 35, 9, 5, 8, -8}},
    {"spread",
     false,
     {-10, -8, -8, -10},
     {8, 5, 8, 10},
     {5, 5, 5, 5},
     {6, 1, 3, 6},
     -10,
     15,
     -4,
     -5,
     -12,
     {12, -18, -30, -4, -5, -7, 6}},
    {"test-a",
     true,
     {45, 25, 35, 15},
     {55, 30, 50, 20},
     {25, 15, 25, 12},
     {},
     8,
     8,
     15,
     15,
     4,
     {18, 5, 15, 4, 10, 3, -3}},
    {"test-b",
     true,
     {25, 45, 10, 50},
     {30, 55, 15, 60},
     {20, 25, 10, 30},
     {},
     5,
     5,
     12,
     12,
     -4,
     {-18, -8, -15, 3, 6, -4, 5}},
}};

WholeHand drawn(Rng& rng, bool moving_carpals) {
  WholeHand hand{"", false, {}, {}, {}, {}, 0, 0, 0, 0, 0};
  for (std::size_t f = 0; f < 4; ++f) {
    hand.knuckle[f] = rng.uniform(-5, 60);
    hand.middle[f] = rng.uniform(5, 70);
    hand.end[f] = rng.uniform(0.3, 0.6) * hand.middle[f];  // end joints follow the middle ones
    hand.spread[f] = rng.uniform(-2, 6);
  }
  hand.thumb_flexion = rng.uniform(-8, 25);
  hand.thumb_abduction = rng.uniform(-8, 15);
  hand.thumb_knuckle = rng.uniform(0, 30);
  hand.thumb_end = rng.uniform(0, 30);
  hand.wrist = rng.uniform(-12, 12);
  if (moving_carpals) {
    hand.moving = {rng.uniform(-30, 30), rng.uniform(-18, 12), rng.uniform(-40, 40), rng.uniform(-4, 12),
                   rng.uniform(-5, 18),  rng.uniform(-9, 9),   rng.uniform(-9, 9)};
  }
  return hand;
}

Vec3d any_direction(Rng& rng) {
  const double z = rng.uniform(-1, 1), angle = rng.uniform(0, 2 * std::numbers::pi), r = std::sqrt(1 - z * z);
  return {r * std::cos(angle), r * std::sin(angle), z};
}

class Poser {
 public:
  Poser(const Skeleton& skeleton, std::uint64_t seed, double migration)
      : skeleton_(skeleton), seed_(seed), migration_(migration), rng_(seed) {
    // The side does not change the limits.
    auto reference = make::hand_skeleton(make::hand_anatomy(), make::Side::right);
    if (reference) reference_ = std::move(*reference);
  }

  Pose pose(const WholeHand& hand) {
    Pose result = rest_pose(skeleton_);
    constexpr std::array<const char*, 4> fingers = {"index-finger", "middle-finger", "ring-finger", "pinky-finger"};
    for (std::size_t f = 0; f < 4; ++f) {
      const std::string finger = fingers[f];
      turn(result, finger + "-phalanx-proximal", hand.knuckle[f], hand.spread[f]);
      turn(result, finger + "-phalanx-intermediate", hand.middle[f]);
      turn(result, finger + "-phalanx-distal", hand.end[f]);
    }
    turn(result, "thumb-metacarpal", hand.thumb_flexion, hand.thumb_abduction);
    turn(result, "thumb-phalanx-proximal", hand.thumb_knuckle);
    turn(result, "thumb-phalanx-distal", hand.thumb_end);
    if (!moving_carpals()) {
      turn(result, "wrist", hand.wrist);
      return result;
    }
    turn(result, "wrist", hand.moving.flexion, hand.moving.deviation);
    turn(result, "ring-finger-metacarpal", hand.moving.ring, 0, hand.moving.ring_rotation);
    turn(result, "pinky-finger-metacarpal", hand.moving.little, 0, hand.moving.little_rotation);
    turn(result, "ulna", hand.moving.pronation);
    carry_carpals(skeleton_, result);
    return result;
  }
  bool moving_carpals() const { return skeleton_.find("lunate").has_value(); }
  Rng& rng() { return rng_; }

 private:
  void turn(Pose& pose, const std::string& joint, double flexion, double abduction = 0, double rotation = 0) {
    const auto j = skeleton_.find(joint);
    if (!j) return;
    std::vector<float> angles;
    for (const Dof& dof : skeleton_.dofs(*j)) {
      const bool bends = dof.name == "flexion" || dof.name == "pronation";
      double angle = (bends                     ? flexion
                      : dof.name == "abduction" ? abduction
                      : dof.name == "rotation"  ? rotation
                                                : 0) *
                     degree;
      if (seed_ != 0) angle += rng_.uniform(-jitter, jitter);
      angle = std::clamp(angle + bent_at_rest(joint, dof), double{dof.min}, double{dof.max});
      angles.push_back(static_cast<float>(angle));
      if (bends) wander(pose, *j, angle / (double{dof.max} - double{dof.min}));
    }
    set_angles(pose, skeleton_, *j, angles);
  }
  double bent_at_rest(const std::string& joint, const Dof& dof) const {
    const auto j = reference_.find(joint);
    // Metacarpals that have wider limits than the procedural hand's are not bent by that.
    if (!j || (moving_carpals() && joint.ends_with("-finger-metacarpal"))) return 0;
    for (const Dof& known : reference_.dofs(*j)) {
      if (known.name == dof.name) return double{dof.max} - double{known.max};
    }
    return 0;
  }
  // A rise with no slope at rest: one that is linear in the angle would be a joint with another, fixed centre.
  void wander(Pose& pose, JointIndex j, double share_of_range) const {
    Rng rng(seed_ * 1000 + j);
    const Vec3d direction = any_direction(rng);
    const double rise = 0.5 - 0.5 * std::cos(std::numbers::pi * share_of_range);
    pose.local[j].translation += Vec3f(direction * (migration_ * rise));
  }

  const Skeleton& skeleton_;
  std::uint64_t seed_;
  double migration_;
  Rng rng_;
  Skeleton reference_;
};

}  // namespace

std::vector<StudyPose> study_poses(const Skeleton& skeleton, std::size_t examples, std::uint64_t seed,
                                   double migration) {
  std::vector<StudyPose> poses{{"relaxed", false, rest_pose(skeleton)}};
  Poser poser(skeleton, seed, migration);
  std::size_t given = 0;
  for (const WholeHand& hand : listed) {
    if (!hand.held_out && given < examples) {
      poses.push_back({hand.name, false, poser.pose(hand)});
      ++given;
    }
  }
  for (; given < examples; ++given) {
    const WholeHand hand = drawn(poser.rng(), poser.moving_carpals());
    poses.push_back({"free-" + std::to_string(given + 1), false, poser.pose(hand)});
  }
  for (const WholeHand& hand : listed) {
    if (hand.held_out) poses.push_back({hand.name, true, poser.pose(hand)});
  }
  return poses;
}

std::vector<Affined> world_of(const Skeleton& skeleton, const Pose& pose) {
  std::vector<Affined> world(skeleton.size());
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    const Transformf& local = pose.local[j];
    const Transform<double> t{Vec3d(local.translation), normalized(Quatd(local.rotation)), Vec3d(local.scale)};
    const JointIndex parent = skeleton.parent(j);
    world[j] = parent == no_joint ? t.affine() : world[parent] * t.affine();
  }
  return world;
}

}  // namespace supple::phantom
