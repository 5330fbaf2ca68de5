// From the joints of one pose to the palette that skins its vertices, and from slopes by the palette back to slopes by
// the joints. `Real` is float; tests also use double.
#pragma once

#include "supple/base/transform.h"
#include "supple/gpu/batch/device.h"
#include "supple/gpu/batch/tables.h"

namespace supple::gpu {

/// Local joints of one pose, or of its slopes; null: as at rest, or not wanted.
template <class Number>
struct JointArrays {
  Number* rotations = nullptr;     // #joints * 4
  Number* translations = nullptr;  // #joints * 3
  Number* scales = nullptr;        // #joints * 3
};

template <class Real>
SUPPLE_ON_DEVICE Affine<Real> affine_of_rows(const Real* m) {
  return {{{m[0], m[4], m[8]}, {m[1], m[5], m[9]}, {m[2], m[6], m[10]}}, {m[3], m[7], m[11]}};
}
template <class Real>
SUPPLE_ON_DEVICE void put_rows(const Affine<Real>& a, Real* m) {
  const Mat3<Real>& l = a.linear;
  m[0] = l.c0.x, m[1] = l.c1.x, m[2] = l.c2.x, m[3] = a.translation.x;
  m[4] = l.c0.y, m[5] = l.c1.y, m[6] = l.c2.y, m[7] = a.translation.y;
  m[8] = l.c0.z, m[9] = l.c1.z, m[10] = l.c2.z, m[11] = a.translation.z;
}

template <class Real>
SUPPLE_ON_DEVICE Transform<Real> local_joint(const BatchView& t, const JointArrays<const Real>& pose, std::uint32_t j) {
  const auto pick = [](const Real* given, const float* rest, std::size_t i) {
    return given != nullptr ? given[i] : static_cast<Real>(rest[i]);
  };
  Transform<Real> local;
  const Real* r = pose.rotations;
  const std::size_t q = std::size_t{4} * j, v = std::size_t{3} * j;
  local.rotation = {pick(r, t.rest_rotations, q), pick(r, t.rest_rotations, q + 1), pick(r, t.rest_rotations, q + 2),
                    pick(r, t.rest_rotations, q + 3)};
  local.translation = {pick(pose.translations, t.rest_translations, v),
                       pick(pose.translations, t.rest_translations, v + 1),
                       pick(pose.translations, t.rest_translations, v + 2)};
  local.scale = {pick(pose.scales, t.rest_scales, v), pick(pose.scales, t.rest_scales, v + 1),
                 pick(pose.scales, t.rest_scales, v + 2)};
  return local;
}

template <class Real>
SUPPLE_ON_DEVICE Affine<Real> inverse_bind_of(const BatchView& t, std::uint32_t slot) {
  Real m[12];
  for (int i = 0; i < 12; ++i) m[i] = static_cast<Real>(t.inverse_bind[std::size_t{12} * slot + i]);
  return affine_of_rows(m);
}

/// Whether a matrix is more than a rotation and a translation: see has_scale() of supple/deform/palette.h.
template <class Real>
SUPPLE_ON_DEVICE bool is_scaled(const Mat3<Real>& m) {
  const auto differs = [](Real value, Real wanted) { return !(std::abs(value - wanted) <= Real(1e-3)); };
  return differs(dot(m.c0, m.c0), 1) || differs(dot(m.c1, m.c1), 1) || differs(dot(m.c2, m.c2), 1) ||
         differs(dot(m.c0, m.c1), 0) || differs(dot(m.c1, m.c2), 0) || differs(dot(m.c2, m.c0), 0) ||
         determinant(m) < 0;
}

/// `world` has #joints, three rows of four each.
template <class Real, class Team>
SUPPLE_ON_DEVICE void place_joints(const BatchView& t, const Team& team, const JointArrays<const Real>& pose,
                                   Real* world) {
  for (std::uint32_t level = 0; level < t.level_count; ++level) {
    for (std::uint32_t i = t.level_first[level] + team.rank(); i < t.level_first[level + 1]; i += team.size()) {
      const std::uint32_t j = t.level_joints[i], parent = t.parents[j];
      const Affine<Real> local = local_joint(t, pose, j).affine();
      put_rows(parent == no_joint ? local : affine_of_rows(world + std::size_t{12} * parent) * local,
               world + std::size_t{12} * j);
    }
    team.sync();
  }
}

/// `palette` has #palette, three rows of four each. Returns whether any of them scales.
template <class Real, class Team>
SUPPLE_ON_DEVICE bool make_batch_palette(const BatchView& t, const Team& team, const Real* world, Real* palette) {
  bool scaled = false;
  for (std::uint32_t s = team.rank(); s < t.palette_size; s += team.size()) {
    Affine<Real> motion;
    if (t.palette_joints[s] != no_joint)
      motion = affine_of_rows(world + std::size_t{12} * t.palette_joints[s]) * inverse_bind_of<Real>(t, s);
    scaled = scaled || is_scaled(motion.linear);
    put_rows(motion, palette + std::size_t{12} * s);
  }
  return team.any(scaled);
}

/// What a slope by `product` = a * b is by a.
template <class Real>
SUPPLE_ON_DEVICE Affine<Real> slope_by_first(const Affine<Real>& slope, const Affine<Real>& b) {
  return {slope.linear * transpose(b.linear) + outer(slope.translation, b.translation), slope.translation};
}
/// And by b.
template <class Real>
SUPPLE_ON_DEVICE Affine<Real> slope_by_second(const Affine<Real>& slope, const Affine<Real>& a) {
  const Mat3<Real> back = transpose(a.linear);
  return {back * slope.linear, back * slope.translation};
}

/// What a slope by the matrix of a rotation is by its four numbers, see to_matrix().
template <class Real>
SUPPLE_ON_DEVICE Quat<Real> slope_by_rotation(const Mat3<Real>& s, Quat<Real> q) {
  const Real xy = s.c1.x + s.c0.y, xz = s.c2.x + s.c0.z, yz = s.c2.y + s.c1.z;  // sums of mirrored entries
  const Real wx = s.c1.z - s.c2.y, wy = s.c2.x - s.c0.z, wz = s.c0.y - s.c1.x;  // and differences
  const Real two = 2;
  return {two * (q.y * xy + q.z * xz - two * q.x * (s.c1.y + s.c2.z) + q.w * wx),
          two * (q.x * xy + q.z * yz - two * q.y * (s.c0.x + s.c2.z) + q.w * wy),
          two * (q.x * xz + q.y * yz - two * q.z * (s.c0.x + s.c1.y) + q.w * wz),
          two * (q.x * wx + q.y * wy + q.z * wz)};
}

/// From slopes by the palette to slopes by the local joints, which are written. `world` is that of place_joints();
/// `slopes` is room for as much.
template <class Real, class Team>
SUPPLE_ON_DEVICE void slopes_by_joints(const BatchView& t, const Team& team, const JointArrays<const Real>& pose,
                                       const Real* world, const Real* palette_slopes, Real* slopes,
                                       const JointArrays<Real>& out) {
  for (std::uint32_t level = t.level_count; level-- > 0;) {
    for (std::uint32_t i = t.level_first[level] + team.rank(); i < t.level_first[level + 1]; i += team.size()) {
      const std::uint32_t j = t.level_joints[i], parent = t.parents[j];
      Affine<Real> sum{Mat3<Real>::diagonal({}), {}};
      const auto add = [&](const Affine<Real>& a) {
        sum.linear = sum.linear + a.linear;
        sum.translation += a.translation;
      };
      for (std::uint32_t k = t.slot_first[j]; k < t.slot_first[j + 1]; ++k)
        add(slope_by_first(affine_of_rows(palette_slopes + std::size_t{12} * t.slots[k]),
                           inverse_bind_of<Real>(t, t.slots[k])));
      for (std::uint32_t k = t.child_first[j]; k < t.child_first[j + 1]; ++k)
        add(slope_by_first(affine_of_rows(slopes + std::size_t{12} * t.children[k]),
                           local_joint(t, pose, t.children[k]).affine()));
      put_rows(sum, slopes + std::size_t{12} * j);

      const Transform<Real> local = local_joint(t, pose, j);
      if (parent != no_joint) sum = slope_by_second(sum, affine_of_rows(world + std::size_t{12} * parent));
      const Mat3<Real> turned = to_matrix(local.rotation);
      const Mat3<Real>& l = sum.linear;
      if (out.rotations != nullptr) {
        const Mat3<Real> by_matrix{l.c0 * local.scale.x, l.c1 * local.scale.y, l.c2 * local.scale.z};
        const Quat<Real> q = slope_by_rotation(by_matrix, local.rotation);
        Real* to = out.rotations + std::size_t{4} * j;
        to[0] = q.x, to[1] = q.y, to[2] = q.z, to[3] = q.w;
      }
      if (out.translations != nullptr) {
        Real* to = out.translations + std::size_t{3} * j;
        to[0] = sum.translation.x, to[1] = sum.translation.y, to[2] = sum.translation.z;
      }
      if (out.scales != nullptr) {
        Real* to = out.scales + std::size_t{3} * j;
        to[0] = dot(l.c0, turned.c0), to[1] = dot(l.c1, turned.c1), to[2] = dot(l.c2, turned.c2);
      }
    }
    team.sync();
  }
}

}  // namespace supple::gpu
