// Scans of the procedural hand without a scanner: each bone's exact shape, moved, sampled afresh and roughened.
#pragma once

#include <numbers>

#include "supple/author/scan/parts.h"
#include "supple/base/rng.h"
#include "supple/base/twist.h"
#include "supple/geometry/isosurface.h"
#include "supple/geometry/topology.h"
#include "supple/make/hand_bones.h"
#include "supple/make/hand_rig.h"
#include "supple/make/hand_template.h"
#include "supple/rig/pose.h"

namespace supple::test {

inline constexpr double degree = std::numbers::pi / 180;

/// A rotation that any seed makes different: uniform over all.
inline Mat3d random_turn(Rng& rng) {
  Quatd q;
  do q = {rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)};
  while (dot(q, q) > 1 || dot(q, q) < 0.01);
  return to_matrix(normalized(q));
}
inline Affined random_placement(Rng& rng) {
  return {random_turn(rng), {rng.uniform(-0.3, 0.3), rng.uniform(-0.3, 0.3), rng.uniform(-0.3, 0.3)}};
}

/// Motion of each bone of hand_anatomy(), rest to pose, model space.
inline std::vector<Affined> bone_motions(const Skeleton& skeleton, const Pose& pose) {
  const std::vector<Affinef> rest = to_world(skeleton, rest_pose(skeleton)), posed = to_world(skeleton, pose);
  std::vector<Affined> motions;
  for (const make::AnatomicalBone& bone : make::hand_anatomy().bones) {
    const JointIndex j = *skeleton.find(bone.joint);
    Affined m = Affined(posed[j]) * inverse(Affined(rest[j]));
    const Vec3d moved = m.point(Vec3d(rest[j].translation));
    m.linear = polar(m.linear).rotation;  // rigid to the last digit
    m.translation = moved - m.linear * Vec3d(rest[j].translation);
    motions.push_back(m);
  }
  return motions;
}

/// Fingers bent by up to `flexion` degrees at each joint, spread a little; thumb and wrist by up to a third of it.
inline Pose random_pose(const Skeleton& skeleton, double flexion, Rng& rng) {
  Pose pose = rest_pose(skeleton);
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    const std::string& name = skeleton.name(j);
    const bool little_moving = name == "wrist" || name.starts_with("thumb") || name.ends_with("metacarpal");
    std::vector<float> angles;
    for (const Dof& dof : skeleton.dofs(j)) {
      const double most = dof.name == "flexion" ? flexion * (little_moving ? 1.0 / 3 : 1) : std::min(flexion / 3, 10.0);
      angles.push_back(static_cast<float>(rng.uniform(dof.name == "flexion" ? 0.0 : -most, most) * degree));
    }
    set_angles(pose, skeleton, j, angles, true);
  }
  return pose;
}

struct ScanSettings {
  double cell = 1.2;       // millimetres
  double noise = 0.05e-3;  // metres, along each axis
  make::Side side = make::Side::right;
};

/// One surface per bone of hand_anatomy(), moved by `motions` and then by `placement`.
inline std::vector<Mesh> scanned_bones(std::span<const Affined> motions, const Affined& placement,
                                       const ScanSettings& settings, Rng& rng) {
  const make::HandAnatomy anatomy = make::hand_anatomy();
  std::vector<Mesh> result;
  for (std::size_t b = 0; b < anatomy.bones.size(); ++b) {
    const make::AnatomicalBone& bone = anatomy.bones[b];
    // Scanner space in millimetres; the mirror that makes a right hand is its own inverse.
    const Affined to_scan = placement * motions[b], back = inverse(to_scan);
    const auto to_anatomy = [&](Vec3d p) {
      const Vec3d m = back.point(p / 1000.0) * 1000.0;
      return Vec3d{settings.side == make::Side::left ? m.x : -m.x, -m.z, m.y};
    };
    const Field field = [&](Vec3d p) { return make::bone_field(bone, to_anatomy(p)); };
    const double margin = bone.kind == make::BoneKind::digit ? 9 : 27;
    const Vec3d head = to_scan.point(make::to_model(bone.head, settings.side)) * 1000.0;
    const Vec3d tail = to_scan.point(make::to_model(bone.tail(), settings.side)) * 1000.0;
    const Vec3d jitter{rng.uniform(), rng.uniform(), rng.uniform()};
    const Vec3d low = min(head, tail) - Vec3d{margin, margin, margin} - jitter;
    const Vec3d extent = max(head, tail) + Vec3d{margin, margin, margin} - low;
    Grid grid{low, {settings.cell, settings.cell, settings.cell}, {}};
    for (std::size_t k = 0; k < 3; ++k) grid.size[k] = static_cast<std::size_t>(extent[k] / settings.cell) + 2;
    Mesh mesh = isosurface(field, grid, 2);
    for (Vec3f& p : mesh.positions) {
      Vec3d noise{};  // the sum of three uniform numbers is bell-shaped enough, and bounded
      for (std::size_t k = 0; k < 3; ++k) noise[k] = rng.uniform(-1, 1) + rng.uniform(-1, 1) + rng.uniform(-1, 1);
      p = Vec3f(Vec3d(p) / 1000.0 + noise * settings.noise);
    }
    mesh.normals.resize(mesh.positions.size());
    compute_normals(mesh.positions, mesh.triangles, mesh.normals);
    result.push_back(std::move(mesh));
  }
  return result;
}

inline void append(Mesh& to, const Mesh& mesh) {
  const auto first = static_cast<std::uint32_t>(to.positions.size());
  to.positions.insert(to.positions.end(), mesh.positions.begin(), mesh.positions.end());
  to.normals.insert(to.normals.end(), mesh.normals.begin(), mesh.normals.end());
  for (const Triangle& t : mesh.triangles) to.triangles.push_back({first + t[0], first + t[1], first + t[2]});
}
inline Mesh joined(std::span<const Mesh> meshes) {
  Mesh all;
  for (const Mesh& mesh : meshes) append(all, mesh);
  return all;
}

inline scan::BonePart part_of(Mesh mesh) {
  scan::BonePart part;
  part.volume = enclosed_volume(mesh.positions, mesh.triangles);
  for (const Vec3f& p : mesh.positions) part.centre += Vec3d(p) / static_cast<double>(mesh.positions.size());
  part.touches.assign(mesh.positions.size(), false);
  part.surface = std::move(mesh);
  return part;
}

/// Pieces as they come out of a scan, with the bone each belongs to: the forearm falls into radius and ulna.
struct Pieces {
  std::vector<scan::BonePart> parts;
  std::vector<std::uint32_t> bone_of;  // #parts: place in hand_anatomy()
};
inline Pieces pieces_of(std::span<const Mesh> bones) {
  Pieces pieces;
  for (std::uint32_t b = 0; b < bones.size(); ++b) {
    const supple::Parts separate = connected_parts(bones[b].positions.size(), bones[b].triangles);
    for (std::uint32_t p = 0; p < separate.count; ++p) {
      pieces.parts.push_back(part_of(extract_part(bones[b], separate, p)));
      pieces.bone_of.push_back(b);
    }
  }
  return pieces;
}

}  // namespace supple::test
