// From measured bones to joints: frames, parents, and how far each joint turns.
#include "supple/make/hand_rig.h"

#include <numbers>

namespace supple::make {
namespace {

struct HandRange {
  double min = 0, max = 0;  // degrees
};
struct HandMobility {
  HandRange abduction, flexion;
};

HandMobility mobility(const AnatomicalBone& bone) {
  if (bone.kind == BoneKind::forearm) return {};
  if (bone.kind == BoneKind::carpus) return {{-30, 20}, {-60, 70}};
  if (bone.digit == Digit::thumb) {
    switch (bone.segment) {
      case Segment::metacarpal:
        return {{-24, 24}, {-20, 40}};
      case Segment::proximal:
        return {{}, {-5, 60}};
      default:
        return {{}, {-10, 80}};
    }
  }
  switch (bone.segment) {
    case Segment::metacarpal:  // the ulnar side of the palm folds a little
      return {{},
              bone.digit == Digit::ring     ? HandRange{-2, 8}
              : bone.digit == Digit::little ? HandRange{-3, 14}
                                            : HandRange{}};
    case Segment::proximal:
      return {{-15, 20}, {-30, 80}};
    case Segment::middle:
      return {{}, {-5, 100}};
    case Segment::distal:
      return {{}, {-10, 70}};
  }
  return {};
}

std::vector<Dof> dofs(const AnatomicalBone& bone, Side side) {
  const auto radians = [](double degrees) { return static_cast<float>(degrees * std::numbers::pi / 180); };
  const HandMobility m = mobility(bone);
  std::vector<Dof> result;
  if (m.abduction.min < m.abduction.max) {
    const bool away_is_ulnar =
        bone.kind == BoneKind::digit && (bone.digit == Digit::ring || bone.digit == Digit::little);
    // Turning about -y takes a bone (-z) towards +x, which is the thumb's side of a left hand.
    const float sign = away_is_ulnar == (side == Side::left) ? 1.0f : -1.0f;
    result.push_back({"abduction", {0, sign, 0}, radians(m.abduction.min), radians(m.abduction.max)});
  }
  if (m.flexion.min < m.flexion.max) {
    result.push_back({"flexion", {-1, 0, 0}, radians(m.flexion.min), radians(m.flexion.max)});
  }
  return result;
}

// Columns: the joint's x, y and z axes in model space.
Mat3d model_frame(const Mat3d& axes, Side side) {
  const Vec3d y = to_model(axes.c2, side) * 1000.0, z = to_model(axes.c1, side) * -1000.0;
  return {cross(y, z), y, z};
}

}  // namespace

Vec3d to_model(Vec3d p, Side side) { return Vec3d{side == Side::left ? p.x : -p.x, p.z, -p.y} / 1000.0; }

Result<Skeleton> hand_skeleton(const HandAnatomy& anatomy, Side side) {
  std::vector<RawJoint> joints;
  std::vector<Affined> world;
  const auto add = [&](std::string name, std::optional<std::size_t> parent, Vec3d at, const Mat3d& axes,
                       std::vector<Dof> freedoms) {
    world.push_back({model_frame(axes, side), to_model(at, side)});
    const Affined local = parent ? inverse(world[*parent]) * world.back() : world.back();
    Transformf rest;
    rest.translation = Vec3f(local.translation);
    rest.rotation = Quatf(from_matrix(local.linear));
    joints.push_back({std::move(name), parent, rest, std::move(freedoms)});
  };

  std::vector<std::size_t> joint_of(anatomy.bones.size());
  for (std::size_t i = 0; i < anatomy.bones.size(); ++i) {
    const AnatomicalBone& bone = anatomy.bones[i];
    joint_of[i] = joints.size();
    add(bone.joint, bone.parent == i ? std::nullopt : std::optional(joint_of[bone.parent]), bone.head, bone.axes,
        dofs(bone, side));
    if (bone.kind == BoneKind::digit && bone.segment == Segment::distal) {
      add(digit_name(bone.digit) + "-tip", joint_of[i], anatomy.tip(bone.digit), bone.axes, {});
    }
  }
  Result<BuiltSkeleton> built = build_skeleton(joints);
  if (!built) return built.error();
  return std::move(built->skeleton);
}

}  // namespace supple::make
