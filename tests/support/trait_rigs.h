// Small characters with a trait that characters of other people have: a tunic that is wide around thin legs, hard
// things that sit on soft skin, a head on a neck.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "supple/make/record_clip.h"
#include "supple/rig/character.h"

namespace supple::test {

inline double trait_smooth(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

/// A rig under construction: one part, one skin, joints named as they come.
class TraitRig {
 public:
  explicit TraitRig(std::string name) {
    character_.name = name;
    part_.name = std::move(name);
  }

  /// `at`: metres, in the world; no rotation at rest. `parent`: by name, or none.
  void joint(const std::string& name, Vec3d at, const std::string& parent = {}) {
    RawJoint raw{name, {}, {}, {}};
    Vec3d from{};
    for (std::size_t j = 0; j < raw_.size() && !parent.empty(); ++j) {
      if (raw_[j].name != parent) continue;
      raw.parent = j;
      from = places_[j];
    }
    raw.rest.translation = Vec3f(at - from);
    raw_.push_back(std::move(raw));
    places_.push_back(at);
  }

  using Weights = std::function<std::vector<std::pair<std::string, double>>(Vec3d)>;
  /// Adds a mesh whose vertices follow joints as `weights` says at their places.
  void skin(const Mesh& mesh, const Weights& weights) {
    const auto first = static_cast<std::uint32_t>(part_.mesh.positions.size());
    for (const Vec3f p : mesh.positions) {
      part_.mesh.positions.push_back(p);
      std::vector<Influence> influences;
      for (const auto& [name, weight] : weights(Vec3d(p))) {
        for (std::uint32_t j = 0; j < raw_.size(); ++j)
          if (raw_[j].name == name && weight > 0) influences.push_back({j, static_cast<float>(weight)});
      }
      part_.weights.push_vertex(influences);
    }
    for (const Triangle& t : mesh.triangles) part_.mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }

  /// `turn`: for a joint's name and the share of the clip that has passed, degrees about x, y and z.
  Character finish(double seconds, const std::function<Vec3d(const std::string&, double)>& turn) {
    character_.skeleton = build_skeleton(raw_).value().skeleton;
    SkinBinding binding{"skin", {}, {}};
    for (JointIndex j = 0; j < character_.skeleton.size(); ++j) {
      binding.joints.push_back(j);
      binding.inverse_bind.push_back(Affinef{Mat3f{}, -Vec3f(places_[j])});
    }
    clean(part_.weights, raw_.size());
    part_.skin = 0;
    part_.mesh.normals.resize(part_.mesh.positions.size());
    compute_normals(part_.mesh.positions, part_.mesh.triangles, part_.mesh.normals);
    character_.skins = {binding};
    character_.parts = {part_};
    const auto pose_at = [&](double t) {
      Pose pose = rest_pose(character_.skeleton);
      for (JointIndex j = 0; j < character_.skeleton.size(); ++j) {
        const Vec3d degrees = turn(character_.skeleton.name(j), t / seconds) * (std::numbers::pi / 180);
        const Quatd q = from_axis_angle(Vec3d{1, 0, 0}, degrees.x) * from_axis_angle(Vec3d{0, 1, 0}, degrees.y) *
                        from_axis_angle(Vec3d{0, 0, 1}, degrees.z);
        pose.local[j].rotation = Quatf(q);
      }
      return pose;
    };
    character_.clips = {make::record_clip({"move", seconds, 30, true}, character_.skeleton, pose_at)};
    return character_;
  }

 private:
  Character character_;
  Part part_;
  std::vector<RawJoint> raw_;
  std::vector<Vec3d> places_;
};

/// Turned about a line along y through `foot`: rings of `around` vertices at the heights and radii given, rising,
/// closed at both ends unless `open_below`.
inline Mesh turned(Vec3d foot, std::span<const std::array<double, 2>> profile, std::uint32_t around,
                   bool open_below = false) {
  Mesh mesh;
  for (const auto& [height, radius] : profile)
    for (std::uint32_t i = 0; i < around; ++i) {
      const double angle = 2 * std::numbers::pi * i / around;
      mesh.positions.push_back(Vec3f(foot + Vec3d{radius * std::sin(angle), height, radius * std::cos(angle)}));
    }
  const auto at = [&](std::size_t ring, std::uint32_t i) {
    return static_cast<std::uint32_t>(ring) * around + i % around;
  };
  for (std::size_t r = 0; r + 1 < profile.size(); ++r)
    for (std::uint32_t i = 0; i < around; ++i) {
      mesh.triangles.push_back({at(r, i), at(r, i + 1), at(r + 1, i + 1)});
      mesh.triangles.push_back({at(r, i), at(r + 1, i + 1), at(r + 1, i)});
    }
  const auto close = [&](std::size_t ring, bool top) {
    const auto middle = static_cast<std::uint32_t>(mesh.positions.size());
    mesh.positions.push_back(Vec3f(foot + Vec3d{0, profile[ring][0] + (top ? 1 : -1) * profile[ring][1] / 4, 0}));
    for (std::uint32_t i = 0; i < around; ++i) {
      if (top)
        mesh.triangles.push_back({middle, at(ring, i), at(ring, i + 1)});
      else
        mesh.triangles.push_back({middle, at(ring, i + 1), at(ring, i)});
    }
  };
  if (!open_below) close(0, false);
  close(profile.size() - 1, true);
  return mesh;
}

/// Heights from `low` to `high` with a radius for each.
inline std::vector<std::array<double, 2>> profile_of(double low, double high, std::size_t rings,
                                                     const std::function<double(double)>& radius) {
  std::vector<std::array<double, 2>> profile;
  for (std::size_t i = 0; i < rings; ++i) {
    const double y = low + (high - low) * static_cast<double>(i) / static_cast<double>(rings - 1);
    profile.push_back({y, radius(y)});
  }
  return profile;
}

/// Legs 4.5 cm thick that walk in a tunic which is a metre wide below and finer than they are: most skin that follows a
/// thigh is cloth, far from its bone.
inline Character wide_tunic() {
  TraitRig rig("tunic");
  rig.joint("hips", {0, 1, 0});
  rig.joint("chest", {0, 1.25, 0}, "hips");
  for (const double side : {1.0, -1.0}) {
    const std::string s = side > 0 ? "-left" : "-right";
    rig.joint("thigh" + s, {0.1 * side, 0.95, 0}, "hips");
    rig.joint("shin" + s, {0.1 * side, 0.5, 0}, "thigh" + s);
    rig.joint("foot" + s, {0.1 * side, 0.08, 0}, "shin" + s);
    const auto leg = profile_of(0.06, 0.97, 36, [](double) { return 0.045; });
    rig.skin(turned({0.1 * side, 0, 0}, leg, 16), [s](Vec3d p) -> std::vector<std::pair<std::string, double>> {
      const double upper = trait_smooth((p.y - 0.44) / 0.12), hips = trait_smooth((p.y - 0.88) / 0.1);
      return {{"hips", hips}, {"thigh" + s, upper * (1 - hips)}, {"shin" + s, 1 - upper}};
    });
  }
  const auto cloth = profile_of(0.25, 1.4, 60, [](double y) { return 0.12 + 0.4 * trait_smooth((1.3 - y) / 0.9); });
  rig.skin(turned({}, cloth, 72, true), [](Vec3d p) -> std::vector<std::pair<std::string, double>> {
    const double chest = trait_smooth((p.y - 1.05) / 0.3), legs = 0.8 * trait_smooth((1.02 - p.y) / 0.35);
    const double left = trait_smooth(0.5 + p.x / 0.3), low = 0.7 * trait_smooth((0.55 - p.y) / 0.2);
    return {{"chest", chest},
            {"hips", (1 - chest) * (1 - legs)},
            {"thigh-left", (1 - chest) * legs * left * (1 - low)},
            {"thigh-right", (1 - chest) * legs * (1 - left) * (1 - low)},
            {"shin-left", (1 - chest) * legs * left * low},
            {"shin-right", (1 - chest) * legs * (1 - left) * low}};
  });
  return rig.finish(1, [](const std::string& joint, double t) -> Vec3d {
    const double phase = 2 * std::numbers::pi * t + (joint.ends_with("-right") ? std::numbers::pi : 0);
    if (joint.starts_with("thigh")) return {-50 * std::sin(phase), 0, 0};
    if (joint.starts_with("shin")) return {55 - 55 * std::cos(phase), 0, 0};
    return {};
  });
}

/// What sits on a limb.
enum class HardThing {
  buckle,  // a small box beside the bend, following both bones
  plate,   // a wide plate on the upper bone alone
};

/// 60 cm along y and 5 cm thick, swung, and bent in the middle by up to 80 degrees, with something hard on the side
/// where flesh is pressed together: its vertices come last, `hard_vertices` of them.
inline constexpr std::size_t hard_vertices = 98;
inline Mesh hard_box(Vec3d low, Vec3d high) {
  Mesh box;
  // A cube of 4 x 4 squares on each side, as a sphere of squares: 98 vertices.
  std::vector<std::array<int, 3>> corners;
  const auto number = [&](int x, int y, int z) {
    const std::array<int, 3> at{x, y, z};
    const auto found = std::find(corners.begin(), corners.end(), at);
    if (found != corners.end()) return static_cast<std::uint32_t>(found - corners.begin());
    corners.push_back(at);
    return static_cast<std::uint32_t>(corners.size() - 1);
  };
  for (int axis = 0; axis < 3; ++axis)
    for (const int side : {0, 4})
      for (int u = 0; u < 4; ++u)
        for (int v = 0; v < 4; ++v) {
          const auto corner = [&](int du, int dv) {
            std::array<int, 3> at{};
            at[static_cast<std::size_t>(axis)] = side;
            at[static_cast<std::size_t>((axis + 1) % 3)] = u + du;
            at[static_cast<std::size_t>((axis + 2) % 3)] = v + dv;
            return number(at[0], at[1], at[2]);
          };
          const std::uint32_t a = corner(0, 0), b = corner(1, 0), c = corner(1, 1), d = corner(0, 1);
          if (side > 0) {
            box.triangles.push_back({a, b, c});
            box.triangles.push_back({a, c, d});
          } else {
            box.triangles.push_back({a, c, b});
            box.triangles.push_back({a, d, c});
          }
        }
  for (const std::array<int, 3>& at : corners)
    box.positions.push_back(Vec3f(Vec3d{low.x + (high.x - low.x) * at[0] / 4, low.y + (high.y - low.y) * at[1] / 4,
                                        low.z + (high.z - low.z) * at[2] / 4}));
  return box;
}

inline Character limb_with(HardThing thing) {
  TraitRig rig(thing == HardThing::buckle ? "buckle" : "plate");
  rig.joint("upper", {0, 0, 0});
  rig.joint("lower", {0, 0.3, 0}, "upper");
  rig.joint("tip", {0, 0.58, 0}, "lower");
  const auto both = [](Vec3d p) -> std::vector<std::pair<std::string, double>> {
    const double lower = trait_smooth((p.y - 0.2) / 0.2);
    return {{"upper", 1 - lower}, {"lower", lower}};
  };
  rig.skin(turned({}, profile_of(0, 0.6, 49, [](double) { return 0.05; }), 24), both);
  if (thing == HardThing::buckle) {
    rig.skin(hard_box({-0.02, 0.2, 0.048}, {0.02, 0.24, 0.058}), both);
  } else {
    rig.skin(hard_box({-0.04, 0.08, 0.04}, {0.04, 0.24, 0.06}),
             [](Vec3d) -> std::vector<std::pair<std::string, double>> {
               return {{"upper", 1}};
             });
  }
  return rig.finish(1, [](const std::string& joint, double t) -> Vec3d {
    const double phase = 2 * std::numbers::pi * t;
    return {joint == "lower" ? 40 - 40 * std::cos(phase) : joint == "upper" ? 20 * std::sin(phase) : 0, 0, 0};
  });
}

/// A head 20 cm wide on a neck 8 cm wide, nodding and turning: all of the head follows one joint.
inline Character head_on_neck() {
  TraitRig rig("head");
  rig.joint("chest", {0, 0, 0});
  rig.joint("neck", {0, 0.25, 0}, "chest");
  rig.joint("head", {0, 0.37, 0}, "neck");
  const auto radius = [](double y) {
    const double up = (y - 0.5) / 0.13;
    const double skull = 0.1 * std::sqrt(std::max(0.0, 1 - up * up));
    const double body = 0.04 + 0.1 * trait_smooth((0.24 - y) / 0.14);
    return std::max(skull, y < 0.5 ? body : 0.012);
  };
  rig.skin(turned({}, profile_of(0, 0.629, 60, radius), 32),
           [](Vec3d p) -> std::vector<std::pair<std::string, double>> {
             const double head = trait_smooth((p.y - 0.34) / 0.05), neck = trait_smooth((p.y - 0.2) / 0.1) * (1 - head);
             return {{"head", head}, {"neck", neck}, {"chest", 1 - head - neck}};
           });
  return rig.finish(1, [](const std::string& joint, double t) -> Vec3d {
    const double phase = 2 * std::numbers::pi * t;
    if (joint == "head") return {40 * std::sin(phase), 30 * std::sin(2 * phase), 0};
    if (joint == "neck") return {15 * std::sin(phase), 0, 0};
    return {};
  });
}

}  // namespace supple::test
