#include "supple/author/propose/propose_muscles.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "supple/author/propose/hard_flesh.h"
#include "supple/author/propose/propose_flesh.h"
#include "supple/deform/field/limbs.h"
#include "supple/deform/flesh/body.h"
#include "supple/deform/vortex/frame.h"

namespace supple {
namespace {

constexpr double depth_share = 0.7;     // of the way from the bone to the skin that the muscle fills
constexpr double length_share = 0.8;    // of the bone
constexpr double longest_by_thick = 4;  // longer ones would need vortices that reach less than to their ends

/// The limb itself and what joins it: its parent and where it leads to.
std::vector<JointIndex> limb_and_neighbours(const Skeleton& skeleton, JointIndex driver,
                                            std::span<const JointIndex> ends) {
  std::vector<JointIndex> joints = joints_between(skeleton, driver, ends);
  joints.insert(joints.end(), ends.begin(), ends.end());
  if (skeleton.parent(driver) != no_joint) joints.push_back(skeleton.parent(driver));
  std::sort(joints.begin(), joints.end());
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
  return joints;
}

/// How deep a muscle may lie: by the thinnest connected piece of skin with a tenth of the whole or more. The muscle of
/// a leg is not as thick as the tunic about it.
double depth_over(const FleshBody& body, std::span<const std::uint32_t> piece, std::span<const float> membership,
                  const VirtualBone& bone) {
  std::map<std::uint32_t, double> of_piece;
  double all = 0;
  for (std::size_t v = 0; v < membership.size(); ++v) {
    if (!(membership[v] > 0)) continue;
    of_piece[piece[v]] += double{membership[v]};
    all += double{membership[v]};
  }
  double depth = usual_distance(body.positions, body.triangles, membership, bone);
  if (of_piece.size() < 2) return depth;
  for (const auto& [number, sum] : of_piece) {
    if (sum < 0.1 * all) continue;
    std::vector<float> own(membership.begin(), membership.end());
    for (std::size_t v = 0; v < own.size(); ++v) own[v] = piece[v] == number ? own[v] : 0.0f;
    const double usual = usual_distance(body.positions, body.triangles, own, bone);
    if (usual > 0) depth = std::min(depth, usual);
  }
  return depth;
}

/// `unit`: metres of one of the file's.
VortexMuscle muscle_along(const VirtualBone& bone, double depth, JointIndex driver, std::span<const Affinef> world,
                          double unit) {
  VortexMuscle m;
  m.gravity = Vec3f(Vec3d(m.gravity) / unit);
  m.joint = driver;
  const MuscleFrame joint = muscle_frame(driver, {}, {}, world);
  const Mat3d into = transpose(joint.axes);
  const Quatd along = rotation_between(Vec3d{0, 1, 0}, into * bone.direction());
  m.center = Vec3f(into * (bone.middle() - joint.origin));
  m.orientation = Quatf(along);
  const double thick = depth_share * depth;
  const double half = std::clamp(length_share * bone.length() / 2, thick / 2, longest_by_thick * thick);
  m.radii = Vec3f(Vec3d{thick, half, thick});
  m.modelled_gravity = Vec3f(rotate(conjugate(along), into * Vec3d(m.gravity)));
  return m;
}

}  // namespace

Result<std::vector<VortexMuscle>> propose_muscles(const Character& character, std::size_t most,
                                                  const Hardness& hardness) {
  Character plain = character;  // flesh that is there already does not matter
  plain.flesh = {};
  ProposalOptions options;
  options.most = most;
  options.unit = character.unit.value_or(1);
  options.hardness = hardness;
  const auto recipe = propose_flesh(plain, options);
  if (!recipe) return recipe.error();
  const auto body = FleshBody::of(character);
  if (!body) return body.error();
  const HardSkin hard = find_hard_skin(character, hardness);
  const std::vector<std::uint32_t> piece = pieces_of(*body);
  std::vector<VortexMuscle> muscles;
  for (const ElementRecipe& element : recipe->elements) {
    const auto driver = character.skeleton.require(element.driver);
    if (!driver) return driver.error();
    std::vector<JointIndex> ends;
    for (const std::string& name : element.ends) {
      const auto end = character.skeleton.require(name);
      if (!end) return end.error();
      ends.push_back(*end);
    }
    const VirtualBone bone = virtual_bone(*driver, ends, body->world);
    auto membership = membership_of(character, *body, joints_between(character.skeleton, *driver, ends));
    leave_out_hard(character, *body, hard, membership);
    const double depth = depth_over(*body, piece, membership, bone);
    VortexMuscle m = muscle_along(bone, depth, *driver, body->world, options.unit);
    m.name = element.name;
    m.frequency = static_cast<float>(element.springs[0].frequency.value_or(3));
    m.damping_ratio = static_cast<float>(element.springs[0].damping_ratio.value_or(0.3));
    m.skin_joints = limb_and_neighbours(character.skeleton, *driver, ends);
    muscles.push_back(std::move(m));
  }
  return muscles;
}

}  // namespace supple
