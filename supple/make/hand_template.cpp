#include "supple/make/hand_template.h"

#include "supple/make/hand_bones.h"
#include "supple/make/hand_rig.h"

namespace supple::make {
namespace {

// Half the breadth of a compound bone, metres: radius beside ulna, and a row of carpal bones.
constexpr double compound_radius = 0.021;
constexpr double waist = 0.55;  // where along a long bone it is thinnest

Mat3d joint_axes(const Mat3d& anatomical, Side side) {
  const Vec3d y = normalized(to_model(anatomical.c2, side)), z = -normalized(to_model(anatomical.c1, side));
  return {cross(y, z), y, z};
}

TemplateBone template_bone(const AnatomicalBone& bone, std::span<const Dof> dofs, Side side) {
  TemplateBone result;
  result.joint = bone.joint;
  result.head = to_model(bone.head, side);
  result.tail = to_model(bone.tail(), side);
  result.axes = joint_axes(bone.axes, side);
  result.dofs.assign(dofs.begin(), dofs.end());
  result.compound = bone.kind != BoneKind::digit;
  const bool thumb_base =
      bone.kind == BoneKind::digit && bone.digit == Digit::thumb && bone.segment == Segment::metacarpal;
  result.slides = bone.kind == BoneKind::carpus || thumb_base;
  // The field is a distance: on the axis of a bone it says how far its surface is.
  result.radius = result.compound ? compound_radius : -bone_field(bone, bone.at(waist)) / 1000;
  return result;
}

}  // namespace

BoneTemplate hand_template(Side side) {
  const HandAnatomy anatomy = hand_anatomy();
  const Skeleton skeleton = hand_skeleton(anatomy, side).value();  // of our own measures: always valid
  BoneTemplate result;
  result.name = side == Side::left ? "left hand" : "right hand";
  for (std::size_t i = 0; i < anatomy.bones.size(); ++i) {
    const AnatomicalBone& bone = anatomy.bones[i];
    result.bones.push_back(template_bone(bone, skeleton.dofs(*skeleton.find(bone.joint)), side));
    if (bone.parent != i) result.bones.back().parent = static_cast<std::uint32_t>(bone.parent);
    if (bone.kind == BoneKind::digit && bone.segment == Segment::distal) {
      result.ends.push_back(
          {digit_name(bone.digit) + "-tip", static_cast<std::uint32_t>(i), to_model(anatomy.tip(bone.digit), side)});
    }
  }
  return result;
}

}  // namespace supple::make
