// How far each joint turns, and which solid inside the body pulls the skin along.
#include "supple/make/figure_rig.h"

#include <cmath>
#include <numbers>

#include "supple/geometry/isosurface.h"
#include "supple/make/sdf.h"
#include "supple/rig/bind.h"

namespace supple::make {
namespace {

struct Range {
  double min = 0, max = 0;  // degrees
};
struct Mobility {
  Range abduction, flexion, twist;
};

Mobility mobility(const std::string& part) {
  if (part == "hips") return {{-45, 45}, {-60, 90}, {-180, 180}};
  if (part == "spine") return {{-20, 20}, {-20, 40}, {-25, 25}};
  if (part == "chest") return {{-20, 20}, {-20, 40}, {-30, 30}};
  if (part == "neck") return {{-25, 25}, {-35, 40}, {-40, 40}};
  if (part == "head") return {{-20, 20}, {-25, 25}, {-40, 40}};
  if (part == "shoulder") return {{-10, 35}, {-20, 25}, {}};
  if (part == "upper-arm") return {{-50, 120}, {-60, 170}, {-80, 80}};
  if (part == "forearm") return {{}, {-5, 145}, {-80, 80}};
  if (part == "hand") return {{-30, 20}, {-60, 70}, {}};
  if (part == "thigh") return {{-25, 60}, {-30, 125}, {-40, 45}};
  if (part == "shin") return {{}, {-4, 150}, {}};
  if (part == "foot") return {{-25, 25}, {-55, 35}, {-30, 30}};
  return {};
}

std::vector<Dof> dofs(const FigureBone& bone) {
  const auto radians = [](double degrees) { return static_cast<float>(degrees * std::numbers::pi / 180); };
  const float mirror = bone.side == BodySide::right ? -1.0f : 1.0f;  // what a mirror does to turns about y and z
  Vec3f abduction{0, 0, mirror}, flexion{1, 0, 0}, twist{0, mirror, 0};
  if (bone.side == BodySide::middle) abduction = {0, 0, -1};
  if (bone.part == "shin") flexion = {-1, 0, 0};
  if (bone.part == "hand") flexion = {0, 0, -mirror}, abduction = {1, 0, 0};
  if (bone.part == "foot") twist = {0, -mirror, 0};
  const Mobility m = mobility(bone.part);
  std::vector<Dof> result;
  const auto add = [&](const char* name, Vec3f axis, Range range) {
    if (range.min < range.max) result.push_back({name, axis, radians(range.min), radians(range.max)});
  };
  add("abduction", abduction, m.abduction);
  add("flexion", flexion, m.flexion);
  add("twist", twist, m.twist);
  return result;
}

// What pulls the skin: a solid a few centimetres below it. Axes alone would give the flanks to the arms, which are
// nearer to them than the middle of the trunk is.
constexpr Vec3d across = {1, 0, 0}, front = {0, 0, 1};

RoundCone core_of(const FigureBone& b) {
  const auto at = [&](double fraction, Vec3d off = {}) { return b.head + (b.tail - b.head) * fraction + off; };
  if (b.part == "hips") return RoundCone::ellipsoid({0, 0.955, -0.005}, 0.075, {1.3, 0.85, 0.9});
  if (b.part == "spine") return RoundCone(at(0), at(0.9), 0.075, 0.075, across, 1.25, 0.9);
  if (b.part == "chest") return RoundCone::ellipsoid({0, 1.262, -0.012}, 0.095, {1.2, 1.3, 0.95});
  if (b.part == "neck") return RoundCone(at(0.1), at(0.9), 0.036, 0.034);
  if (b.part == "head") return RoundCone::ellipsoid({0, 1.605, 0.010}, 0.062, {0.95, 1.15, 1.15});
  if (b.part == "shoulder") return RoundCone(at(0.2), at(0.85), 0.022, 0.026);
  if (b.part == "upper-arm") return RoundCone(at(0.08), at(0.95), 0.028, 0.022);
  if (b.part == "forearm") return RoundCone(at(0.06), at(0.95), 0.022, 0.015);
  if (b.part == "hand") return RoundCone(at(0.15), at(0.9), 0.022, 0.012, front, 1.2, 0.5);
  if (b.part == "thigh") return RoundCone(at(0.08), at(0.95), 0.050, 0.034);
  if (b.part == "shin") return RoundCone(at(0.05), at(0.92), 0.030, 0.022);
  return RoundCone(at(-0.1, {0, -0.02, 0}), at(0.92), 0.020, 0.012, across, 1.4, 0.8);  // foot
}

Mesh surface_of(const RoundCone& solid) {
  constexpr double spacing = 0.012;
  const double reach = solid.ball_radius() + 2 * spacing;
  const auto samples = static_cast<std::size_t>(std::ceil(2 * reach / spacing)) + 1;
  const Grid grid{
      solid.ball_center() - Vec3d{reach, reach, reach}, {spacing, spacing, spacing}, {samples, samples, samples}};
  constexpr double lipschitz = 2;  // no cross-section is thinner than half its radius
  return isosurface([&](Vec3d p) { return solid(p); }, grid, lipschitz);
}

}  // namespace

Result<Skeleton> figure_skeleton(std::span<const FigureBone> bones) {
  std::vector<RawJoint> joints;
  for (const FigureBone& bone : bones) {
    const Affined world{bone.axes, bone.head};
    Affined local = world;
    if (bone.parent) local = inverse(Affined{bones[*bone.parent].axes, bones[*bone.parent].head}) * world;
    Transformf rest;
    rest.translation = Vec3f(local.translation);
    rest.rotation = Quatf(from_matrix(local.linear));
    joints.push_back({bone.name, bone.parent, rest, dofs(bone)});
  }
  Result<BuiltSkeleton> built = build_skeleton(joints);
  if (!built) return built.error();
  return std::move(built->skeleton);
}

Result<SkinWeights> figure_weights(const Mesh& skin, std::span<const FigureBone> bones, const Skeleton& skeleton,
                                   double edge, const Progress& progress) {
  constexpr std::uint32_t none = 0xffffffffu;
  std::vector<Bone> pulling;
  std::vector<std::uint32_t> place(bones.size(), none);  // of each bone among those that pull
  const auto add = [&](std::size_t i, std::uint32_t parent, const RoundCone& solid) {
    const FigureBone& b = bones[i];
    pulling.push_back({*skeleton.find(b.name), parent, Vec3f(b.head), Vec3f(b.tail), surface_of(solid)});
    return static_cast<std::uint32_t>(pulling.size() - 1);
  };
  for (std::size_t i = 0; i < bones.size(); ++i) {
    const FigureBone& b = bones[i];
    if (!b.parent) continue;  // the root is not in the body
    std::uint32_t parent = place[*b.parent];
    if (b.part == "thigh") {
      // Each leg hangs on its own half of the pelvis: as children of one bone, the legs would share the skin between.
      const Vec3d middle = b.side == BodySide::left ? Vec3d{0.075, 0.935, -0.01} : Vec3d{-0.075, 0.935, -0.01};
      parent = add(*b.parent, parent, RoundCone::ellipsoid(middle, 0.055, {1, 0.9, 1}));
      pulling.back().head = pulling.back().tail = Vec3f(middle);
    }
    place[i] = add(i, parent, core_of(b));
  }

  BindOptions options;
  options.surface_power = 4;
  options.max_influences = 0;       // reduced below, once the parts of the pelvis are one again
  constexpr double fading = 0.055;  // metres along the skin; so far n smoothings of edges e reach: n = (fading / e)^2
  options.smoothing = static_cast<int>(std::lround(std::clamp(fading * fading / (edge * edge), 2.0, 400.0)));
  Result<SkinWeights> weights = bind_skin(skin, pulling, options, progress);
  if (!weights) return weights;
  for (Influence& influence : weights->entries) influence.joint = pulling[influence.joint].joint;
  clean(*weights, skeleton.size());
  *weights = top_influences(*weights, 3);
  clean(*weights, skeleton.size());
  return weights;
}

}  // namespace supple::make
