// Surfaces and small characters for the elastic lattice: boxes whose faces are cut into squares, sheets, bars of
// joints.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "supple/author/lattice/lattice.h"
#include "supple/rig/character.h"

namespace supple::test {

/// A closed box with cuts[axis] squares along each axis; no two vertices at one place.
inline Mesh cut_box(Vec3d low, Vec3d high, std::array<int, 3> cuts) {
  Mesh mesh;
  std::map<std::array<int, 3>, std::uint32_t> numbers;
  const auto number = [&](const std::array<int, 3>& at) {
    const auto [found, is_new] = numbers.try_emplace(at, static_cast<std::uint32_t>(mesh.positions.size()));
    const auto along = [&](std::size_t axis) { return low[axis] + (high[axis] - low[axis]) * at[axis] / cuts[axis]; };
    if (is_new) mesh.positions.push_back(Vec3f(Vec3d{along(0), along(1), along(2)}));
    return found->second;
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (const int side : {0, cuts[axis]})
      for (int i = 0; i < cuts[u]; ++i)
        for (int j = 0; j < cuts[v]; ++j) {
          const auto corner = [&](int du, int dv) {
            std::array<int, 3> at{};
            at[axis] = side, at[u] = i + du, at[v] = j + dv;
            return number(at);
          };
          const std::uint32_t a = corner(0, 0), b = corner(1, 0), c = corner(1, 1), d = corner(0, 1);
          if (side > 0) {
            mesh.triangles.push_back({a, b, c});
            mesh.triangles.push_back({a, c, d});
          } else {
            mesh.triangles.push_back({a, c, b});
            mesh.triangles.push_back({a, d, c});
          }
        }
  }
  return mesh;
}

/// A rectangle across z with cuts squares along each side.
inline Mesh cut_sheet(Vec3d low, double wide, double high, int cuts) {
  Mesh mesh;
  const auto number = [&](int i, int j) { return static_cast<std::uint32_t>(i * (cuts + 1) + j); };
  for (int i = 0; i <= cuts; ++i)
    for (int j = 0; j <= cuts; ++j) mesh.positions.push_back(Vec3f(low + Vec3d{wide * i / cuts, high * j / cuts, 0}));
  for (int i = 0; i < cuts; ++i)
    for (int j = 0; j < cuts; ++j) {
      mesh.triangles.push_back({number(i, j), number(i + 1, j), number(i + 1, j + 1)});
      mesh.triangles.push_back({number(i, j), number(i + 1, j + 1), number(i, j + 1)});
    }
  return mesh;
}

inline void append_mesh(Mesh& to, const Mesh& mesh) {
  const auto first = static_cast<std::uint32_t>(to.positions.size());
  to.positions.insert(to.positions.end(), mesh.positions.begin(), mesh.positions.end());
  for (const Triangle& t : mesh.triangles) to.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

/// Weights of a place, joints by number.
using WeightsAt = std::function<std::vector<Influence>(Vec3d)>;

inline WeightsAt all_of(std::uint32_t joint) {
  return [joint](Vec3d) { return std::vector<Influence>{{joint, 1.0f}}; };
}

/// From one joint to the next, smoothly between two heights.
inline WeightsAt bend_between(std::uint32_t lower, std::uint32_t upper, double from, double to) {
  return [=](Vec3d p) {
    const double t = std::clamp((p.y - from) / (to - from), 0.0, 1.0), w = t * t * (3 - 2 * t);
    std::vector<Influence> influences;
    if (w < 1) influences.push_back({lower, static_cast<float>(1 - w)});
    if (w > 0) influences.push_back({upper, static_cast<float>(w)});
    return influences;
  };
}

inline void append_surface(lattice::Surface& surface, const Mesh& mesh, const WeightsAt& weights) {
  const auto first = static_cast<std::uint32_t>(surface.positions.size());
  for (const Vec3f p : mesh.positions) {
    surface.positions.push_back(p);
    surface.weights.push_vertex(weights(Vec3d(p)));
  }
  for (const Triangle& t : mesh.triangles) surface.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  clean(surface.weights, surface.parents.size());
}

inline lattice::Surface surface_of(const Mesh& mesh, std::vector<JointIndex> parents = {no_joint},
                                   const WeightsAt& weights = all_of(0)) {
  lattice::Surface surface;
  surface.parents = std::move(parents);
  append_surface(surface, mesh, weights);
  return surface;
}

struct JointAt {
  Vec3d at{};
  JointIndex parent = no_joint;
};

/// Joints called "joint-0" and so on, without rotation at rest, all of them in one skin.
inline Character jointed(const std::vector<JointAt>& joints) {
  Character c;
  c.name = "jointed";
  std::vector<RawJoint> raw;
  SkinBinding skin{"skin", {}, {}};
  for (JointIndex j = 0; j < joints.size(); ++j) {
    RawJoint& joint = raw.emplace_back();
    joint.name = "joint-" + std::to_string(j);
    if (joints[j].parent != no_joint) joint.parent = joints[j].parent;
    joint.rest.translation =
        Vec3f(joints[j].at - (joints[j].parent != no_joint ? joints[joints[j].parent].at : Vec3d{}));
    skin.joints.push_back(j);
    skin.inverse_bind.push_back(Affinef{Mat3f{}, -Vec3f(joints[j].at)});
  }
  c.skeleton = build_skeleton(raw).value().skeleton;
  c.skins.push_back(skin);
  return c;
}

inline Part& add_part(Character& c, const std::string& name, const Mesh& mesh, const WeightsAt& weights) {
  Part& part = c.parts.emplace_back();
  part.name = name;
  part.mesh = mesh;
  part.skin = 0;
  for (const Vec3f p : mesh.positions) part.weights.push_vertex(weights(Vec3d(p)));
  clean(part.weights, c.skins[0].joints.size());
  return part;
}

/// 1 high along y, .15 thick, with joints at the foot and in the middle.
inline constexpr double bar_high = 1, bar_thick = 0.15;
inline Mesh bar_mesh(int cuts_along = 24) {
  return cut_box({-bar_thick / 2, 0, -bar_thick / 2}, {bar_thick / 2, bar_high, bar_thick / 2}, {5, cuts_along, 5});
}
inline Character jointed_bar() {
  Character c = jointed({{{0, 0, 0}}, {{0, bar_high / 2, 0}, 0}});
  add_part(c, "bar", bar_mesh(), bend_between(0, 1, 0.35, 0.65));
  return c;
}

inline Pose turned_at(const Character& c, JointIndex joint, Vec3d axis, double degrees) {
  Pose pose = c.rest();
  Transformf& local = pose.local[joint];
  local.rotation = Quatf(Quatd(local.rotation) * from_axis_angle(normalized(axis), degrees * 3.141592653589793 / 180));
  return pose;
}

}  // namespace supple::test
