#include "supple/phantom/carpal_joints.h"

#include <algorithm>
#include <array>
#include <optional>

#include "supple/base/angle.h"
#include "supple/base/transform.h"
#include "supple/phantom/study.h"

namespace supple::phantom {
namespace {

/// What a carpal of the row next to the forearm does while the capitate turns against the radius, by each degree.
struct CarpalShare {
  const char* name;
  double flexion, extension;  // of the wrist's own
  double deviation;           // of the wrist's own
  double coupled;             // flexion for deviation to the thumb's side: the row bends to make room
};
// Flexion and extension of scaphoid and lunate as Rainbow et al. (J. Hand Surg. 38A, 2013) measured them in living
// wrists; the rest is rounded, so that the row turns less than half as far as the wrist deviates and bends instead. The
// pisiform lies in a tendon and goes with the triquetrum.
constexpr std::array<CarpalShare, 4> proximal_row = {{
    {"scaphoid", 0.70, 0.74, 0.40, 0.45},
    {"lunate", 0.46, 0.42, 0.40, 0.35},
    {"triquetrum", 0.55, 0.55, 0.45, 0.30},
    {"pisiform", 0.55, 0.55, 0.45, 0.30},
}};
// Ranges of the ulnar metacarpals as El-Shennawy et al. (J. Hand Surg. 26A, 2001) measured them, about the pose of the
// bones: their joints are saddles, and no hinges.
struct MetacarpalRange {
  const char *metacarpal, *knuckle;
  double extension, flexion, deviation, rotation;  // degrees; the last two to either side
};
constexpr std::array<MetacarpalRange, 2> ulnar_metacarpals = {{
    {"ring-finger-metacarpal", "ring-finger-phalanx-proximal", 6, 14, 3.5, 13.5},
    {"pinky-finger-metacarpal", "pinky-finger-phalanx-proximal", 7, 20, 6.5, 11},
}};
constexpr double most_pronation = 80 * degree;  // to either side of the pose of the bones

bool is_proximal(const std::string& name) {
  return std::any_of(proximal_row.begin(), proximal_row.end(),
                     [&](const CarpalShare& share) { return name == share.name; });
}

/// Columns: two directions across, and the axis.
Mat3d frame_about(Vec3d axis) {
  const Vec3d x = any_perpendicular(axis);
  return {x, cross(axis, x), axis};
}

Transformf local_of(const Affined& parent, const Affined& world) {
  const Affined local = inverse(parent) * world;
  Transformf t;
  t.translation = Vec3f(local.translation);
  t.rotation = Quatf(normalized(from_matrix(local.linear)));
  return t;
}

Vec3d middle_of_box(const Mesh& mesh) { return Vec3d(bounds(mesh.positions).center()); }

void free_metacarpals(const Skeleton& made, std::vector<RawJoint>& joints) {
  const auto radians = [](double degrees) { return static_cast<float>(degrees * degree); };
  for (const MetacarpalRange& range : ulnar_metacarpals) {
    RawJoint& joint = joints[*made.find(range.metacarpal)];
    const float deviation = radians(range.deviation), rotation = radians(range.rotation);
    const Dof& away = made.dofs(*made.find(range.knuckle))[0];  // from the middle finger
    joint.dofs = {{"abduction", away.axis, -deviation, deviation},
                  {"flexion", {-1, 0, 0}, radians(-range.extension), radians(range.flexion)},
                  {"rotation", {0, 0, 1}, -rotation, rotation}};
  }
}

}  // namespace

std::string joint_of_single(const std::string& name) {
  return name == "radius" ? "forearm" : name == "capitate" ? "wrist" : name;
}

Result<void> add_carpal_joints(const MeasuredHand& hand, const Skeleton& made, std::vector<RawJoint>& joints) {
  const std::vector<Affined> world = world_of(made, rest_pose(made));
  const JointIndex forearm = *made.find("forearm"), wrist = *made.find("wrist");
  std::size_t of_forearm = 0;
  for (std::size_t b = 0; b < hand.names.size(); ++b) {
    for (std::size_t p = 0; p < hand.names[b].size(); ++p) {
      const std::string& name = hand.names[b][p];
      of_forearm += name == "radius" || name == "ulna" ? 1 : 0;
      if (name.empty() || joint_of_single(name) != name) continue;
      RawJoint joint{name, std::size_t{forearm}, made.rest(wrist), {made.dofs(wrist).begin(), made.dofs(wrist).end()}};
      if (name == "ulna") {
        // The hand pronates by turning to the side on which its palm would face the floor; seen from the radius the
        // ulna turns the other way, about the way to the hand in a right arm.
        const Vec3d axis =
            normalized(to_model(hand.ulna_head, hand.side) - to_model(hand.elbow_end, hand.side), {0, 0, -1});
        const float sign = hand.side == make::Side::right ? 1.0f : -1.0f;
        joint.rest = local_of(world[forearm], {frame_about(axis), to_model(hand.ulna_head, hand.side)});
        joint.dofs = {
            {"pronation", {0, 0, sign}, -static_cast<float>(most_pronation), static_cast<float>(most_pronation)}};
      } else if (!is_proximal(name)) {
        joint.parent = std::size_t{wrist};
        const Vec3d middle = to_model(middle_of_box(hand.pieces[b][p]), hand.side);
        joint.rest = local_of(world[wrist], {world[wrist].linear, middle});
        joint.dofs.clear();
      }
      joints.push_back(std::move(joint));
    }
  }
  free_metacarpals(made, joints);
  if (of_forearm < 2) return Error{"forearm", "lacks radius or ulna", "give both: the one turns around the other"};
  return {};
}

void carry_carpals(const Skeleton& skeleton, Pose& pose) {
  const auto wrist = skeleton.find("wrist");
  if (!wrist) return;
  const std::vector<float> angles = get_angles(pose, skeleton, *wrist);
  double flexion = 0, deviation = 0;
  for (std::size_t d = 0; d < angles.size(); ++d)
    (skeleton.dofs(*wrist)[d].name == "flexion" ? flexion : deviation) = double{angles[d]};
  for (const CarpalShare& share : proximal_row) {
    const auto j = skeleton.find(share.name);
    if (!j) continue;
    const double bent = (flexion > 0 ? share.flexion : share.extension) * flexion + share.coupled * deviation;
    std::vector<float> own;
    for (const Dof& dof : skeleton.dofs(*j))
      own.push_back(static_cast<float>(dof.name == "flexion" ? bent : share.deviation * deviation));
    set_angles(pose, skeleton, *j, own);
  }
}

}  // namespace supple::phantom
