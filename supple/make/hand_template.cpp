#include "supple/make/hand_template.h"

#include <array>

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

// Single bones, in millimetres from the capitate's middle: to the thumb's side, to the elbow, to the back of the hand.
// Places of carpals and metacarpals are those of MyoSim's hand (github.com/MyoHub/myo_sim, Apache-2.0); volumes of
// carpals are rounded, what counts are their ratios.
struct SingleBone {
  const char *name, *of;
  Vec3d centre;
  double volume;  // cubic millimetres
  TemplateBody::Motion motion;
};
using BodyMotion = TemplateBody::Motion;
constexpr std::array<SingleBone, 10> single_bones = {{
    {"capitate", "wrist", {0, 0, 0}, 3000, BodyMotion::leads},
    {"hamate", "wrist", {-11, -2.5, -0.8}, 2500, BodyMotion::follows},
    {"trapezoid", "wrist", {9.1, -4.1, -2.5}, 1150, BodyMotion::follows},
    {"trapezium", "wrist", {15.3, -4.6, -10.3}, 1850, BodyMotion::follows},
    {"scaphoid", "wrist", {8.4, 10.6, -3.6}, 2200, BodyMotion::between},
    {"lunate", "wrist", {-4, 15.1, -2.3}, 1700, BodyMotion::between},
    {"triquetrum", "wrist", {-14.8, 7.6, -3.6}, 1300, BodyMotion::between},
    {"pisiform", "wrist", {-17.4, 5.2, -12.9}, 700, BodyMotion::between},
    {"radius", "forearm", {7, 30, -2}, 0, BodyMotion::leads},
    {"ulna", "forearm", {-15, 29, 2}, 0, BodyMotion::turns},
}};
struct MetacarpalMark {
  Digit digit;
  Vec3d base, end;
};
constexpr std::array<MetacarpalMark, 4> metacarpal_marks = {{
    {Digit::index, {11.3, -10.5, 1.5}, {18.9, -71.7, 9.4}},
    {Digit::middle, {0.2, -12, 5.5}, {0.8, -71.5, 9.6}},
    {Digit::ring, {-9.7, -10.5, 3.7}, {-14.3, -70.2, 3.3}},
    {Digit::little, {-20.1, -10.5, -2.5}, {-23.9, -62.1, -6.1}},
}};

void add_single_bones(BoneTemplate& hand, Side side) {
  const auto metres = [&](Vec3d p) { return Vec3d{side == Side::right ? p.x : -p.x, p.y, p.z} / 1000.0; };
  const auto place = [&](const std::string& joint) {
    std::uint32_t b = 0;
    while (hand.bones[b].joint != joint) ++b;
    return b;
  };
  for (const SingleBone& bone : single_bones)
    hand.bodies.push_back({bone.name, place(bone.of), metres(bone.centre), bone.volume * 1e-9, bone.motion});
  for (const MetacarpalMark& mark : metacarpal_marks)
    hand.marks.push_back({place(digit_name(mark.digit) + "-metacarpal"), metres(mark.base), metres(mark.end)});
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
  add_single_bones(result, side);
  return result;
}

}  // namespace supple::make
