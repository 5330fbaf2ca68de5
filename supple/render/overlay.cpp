// Geometry of bones and joint dots.
#include "supple/render/overlay.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace supple::render {
namespace {

constexpr float joint_radius = 0.0052f, bone_radius = 0.0105f;  // of the size

void add_facet(Surface& out, Vec3f a, Vec3f b, Vec3f c, Vec3f colour) {
  const auto first = static_cast<std::uint32_t>(out.positions.size());
  const Vec3f normal = normalized(cross(b - a, c - a));
  for (const Vec3f p : {a, b, c}) {
    out.positions.push_back(p);
    out.normals.push_back(normal);
    out.colours.push_back(colour);
  }
  out.triangles.push_back({first, first + 1, first + 2});
}

void add_bone(Surface& out, const BoneShape& bone, float size) {
  const Vec3f along = bone.tail - bone.head;
  const float extent = length(along);
  if (!(extent > size * 1e-5f)) return;
  const Vec3f axis = along / extent, side = any_perpendicular(axis), across = cross(axis, side);
  const float radius = std::min(0.11f * extent, bone_radius * size);
  const Vec3f waist = bone.head + along * std::min(0.22f, 2.2f * radius / extent);
  const std::array<Vec3f, 4> ring{waist + side * radius, waist + across * radius, waist - side * radius,
                                  waist - across * radius};
  for (std::size_t i = 0; i < 4; ++i) {
    add_facet(out, ring[i], ring[(i + 1) % 4], bone.tail, bone.colour);
    add_facet(out, ring[(i + 1) % 4], ring[i], bone.head, bone.colour);
  }
}

void add_sphere(Surface& out, Vec3f center, float radius, Vec3f colour) {
  constexpr std::uint32_t around = 16, rings = 8;
  const auto first = static_cast<std::uint32_t>(out.positions.size());
  for (std::uint32_t i = 0; i <= rings; ++i) {
    for (std::uint32_t k = 0; k < around; ++k) {
      const float polar = std::numbers::pi_v<float> * static_cast<float>(i) / rings;
      const float turn = 2 * std::numbers::pi_v<float> * static_cast<float>(k) / around;
      const Vec3f n{std::sin(polar) * std::cos(turn), std::cos(polar), std::sin(polar) * std::sin(turn)};
      out.positions.push_back(center + n * radius);
      out.normals.push_back(n);
      out.colours.push_back(colour);
    }
  }
  for (std::uint32_t i = 0; i < rings; ++i) {
    for (std::uint32_t k = 0; k < around; ++k) {
      const std::uint32_t a = first + i * around + k, b = first + i * around + (k + 1) % around;
      out.triangles.push_back({a, b, b + around});
      out.triangles.push_back({a, b + around, a + around});
    }
  }
}

}  // namespace

Surface bone_overlay(std::span<const BoneShape> bones, std::span<const JointShape> joints, float size) {
  Surface out;
  out.name = "bones";
  out.finish = Finish::matte;
  for (const BoneShape& bone : bones) add_bone(out, bone, size);
  for (const JointShape& joint : joints) add_sphere(out, joint.position, joint_radius * size, joint.colour);
  return out;
}

}  // namespace supple::render
