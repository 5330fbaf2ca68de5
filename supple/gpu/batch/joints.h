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

/// The same from and to memory, where on a GPU a warp moves four numbers of each of its matrices at a time.
template <class Real>
SUPPLE_ON_DEVICE Affine<Real> read_rows(const Real* m) {
#if defined(__CUDA_ARCH__)
  static_assert(std::is_same_v<Real, float>);
  const float4 *const rows = reinterpret_cast<const float4*>(m), x = rows[0], y = rows[1], z = rows[2];
  return {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}, {x.w, y.w, z.w}};
#else
  return affine_of_rows(m);
#endif
}
template <class Real>
SUPPLE_ON_DEVICE void write_rows(const Affine<Real>& a, Real* m) {
#if defined(__CUDA_ARCH__)
  const Mat3<Real>& l = a.linear;
  float4* const rows = reinterpret_cast<float4*>(m);
  rows[0] = {l.c0.x, l.c1.x, l.c2.x, a.translation.x};
  rows[1] = {l.c0.y, l.c1.y, l.c2.y, a.translation.y};
  rows[2] = {l.c0.z, l.c1.z, l.c2.z, a.translation.z};
#else
  put_rows(a, m);
#endif
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
  const Affine<float> m = read_rows(t.inverse_bind + std::size_t{12} * slot);
  return {{Vec3<Real>(m.linear.c0), Vec3<Real>(m.linear.c1), Vec3<Real>(m.linear.c2)}, Vec3<Real>(m.translation)};
}

/// Whether a matrix is more than a rotation and a translation: see has_scale() of supple/deform/palette.h.
template <class Real>
SUPPLE_ON_DEVICE bool is_scaled(const Mat3<Real>& m) {
  const auto differs = [](Real value, Real wanted) { return !(std::abs(value - wanted) <= Real(1e-3)); };
  return differs(dot(m.c0, m.c0), 1) || differs(dot(m.c1, m.c1), 1) || differs(dot(m.c2, m.c2), 1) ||
         differs(dot(m.c0, m.c1), 0) || differs(dot(m.c1, m.c2), 0) || differs(dot(m.c2, m.c0), 0) ||
         determinant(m) < 0;
}

/// Some joints of consecutive levels, one for each thread of a team.
struct JointsAtOnce {
  std::uint32_t joint = no_joint, level = 0;  // of this thread; no_joint: none is left for it
  std::uint32_t first_level = 0, last_level = 0;

  SUPPLE_ON_DEVICE JointsAtOnce(const BatchView& t, std::uint32_t first, std::uint32_t rank, std::uint32_t size) {
    const std::uint32_t end = first + size < t.joint_count ? first + size : t.joint_count;
    first_level = t.levels[first], last_level = t.levels[end - 1];
    if (first + rank < end) joint = t.level_joints[first + rank], level = t.levels[first + rank];
  }
  SUPPLE_ON_DEVICE bool is_at(std::uint32_t l) const { return joint != no_joint && level == l; }
};

/// `world` has #joints, three rows of four each. What joints are by themselves is found for as many as the team has
/// threads, then they follow each other level by level.
template <class Real, class Team>
SUPPLE_ON_DEVICE void place_joints(const BatchView& t, const Team& team, const JointArrays<const Real>& pose,
                                   Real* world) {
  for (std::uint32_t first = 0; first < t.joint_count; first += team.size()) {
    const JointsAtOnce at(t, first, team.rank(), team.size());
    Affine<Real> local;
    std::uint32_t parent = no_joint;
    if (at.joint != no_joint) local = local_joint(t, pose, at.joint).affine(), parent = t.parents[at.joint];
    for (std::uint32_t level = at.first_level; level <= at.last_level; ++level) {
      if (at.is_at(level))
        write_rows(parent == no_joint ? local : read_rows(world + std::size_t{12} * parent) * local,
                   world + std::size_t{12} * at.joint);
      team.sync();
    }
  }
}

/// What the joint of an entry of the palette does to the skin.
template <class Real>
SUPPLE_ON_DEVICE Affine<Real> motion_of(const BatchView& t, const Real* world, std::uint32_t slot) {
  if (t.palette_joints[slot] == no_joint) return {};
  return read_rows(world + std::size_t{12} * t.palette_joints[slot]) * inverse_bind_of<Real>(t, slot);
}

/// `palette` has #palette, three rows of four each. Returns whether any of them scales.
template <class Real, class Team>
SUPPLE_ON_DEVICE bool make_batch_palette(const BatchView& t, const Team& team, const Real* world, Real* palette) {
  bool scaled = false;
  for (std::uint32_t s = team.rank(); s < t.palette_size; s += team.size()) {
    const Affine<Real> motion = motion_of(t, world, s);
    scaled = scaled || is_scaled(motion.linear);
    write_rows(motion, palette + std::size_t{12} * s);
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

/// From the slope by a joint in the world to slopes by its local numbers. Those by rotations are added, as drivers add
/// to them too.
template <class Real>
SUPPLE_ON_DEVICE void put_joint_slopes(const Affine<Real>& by_local, const Transform<Real>& local, std::uint32_t joint,
                                       const JointArrays<Real>& out) {
  const Mat3<Real>& l = by_local.linear;
  if (out.rotations != nullptr) {
    const Mat3<Real> by_matrix{l.c0 * local.scale.x, l.c1 * local.scale.y, l.c2 * local.scale.z};
    const Quat<Real> q = slope_by_rotation(by_matrix, local.rotation);
    Real* to = out.rotations + std::size_t{4} * joint;
    add_to(to, q.x), add_to(to + 1, q.y), add_to(to + 2, q.z), add_to(to + 3, q.w);
  }
  if (out.translations != nullptr) {
    Real* to = out.translations + std::size_t{3} * joint;
    to[0] = by_local.translation.x, to[1] = by_local.translation.y, to[2] = by_local.translation.z;
  }
  if (out.scales != nullptr) {
    const Mat3<Real> turned = to_matrix(local.rotation);
    Real* to = out.scales + std::size_t{3} * joint;
    to[0] = dot(l.c0, turned.c0), to[1] = dot(l.c1, turned.c1), to[2] = dot(l.c2, turned.c2);
  }
}

/// From slopes by the palette to slopes by the local joints, which are written, but for those by rotations: they are
/// added. `world` is that of place_joints();
/// `of_parents` is room for as much: what each joint adds to the slope by its parent.
template <class Real, class Team>
SUPPLE_ON_DEVICE void slopes_by_joints(const BatchView& t, const Team& team, const JointArrays<const Real>& pose,
                                       const Real* world, const Real* palette_slopes, Real* of_parents,
                                       const JointArrays<Real>& out) {
  const std::uint32_t chunks = (t.joint_count + team.size() - 1) / team.size();
  for (std::uint32_t chunk = chunks; chunk-- > 0;) {
    const JointsAtOnce at(t, chunk * team.size(), team.rank(), team.size());
    Affine<Real> sum{Mat3<Real>::diagonal({}), {}};
    const auto add = [&](const Affine<Real>& a) {
      sum.linear = sum.linear + a.linear;
      sum.translation += a.translation;
    };
    Transform<Real> local;
    std::uint32_t parent = no_joint;
    if (at.joint != no_joint) {
      parent = t.parents[at.joint];
      local = local_joint(t, pose, at.joint);
      for (std::uint32_t k = t.slot_first[at.joint]; k < t.slot_first[at.joint + 1]; ++k)
        add(slope_by_first(read_rows(palette_slopes + std::size_t{12} * t.slots[k]),
                           inverse_bind_of<Real>(t, t.slots[k])));
    }
    for (std::uint32_t level = at.last_level + 1; level-- > at.first_level;) {
      if (at.is_at(level)) {
        for (std::uint32_t k = t.child_first[at.joint]; k < t.child_first[at.joint + 1]; ++k)
          add(read_rows(of_parents + std::size_t{12} * t.children[k]));
        if (parent != no_joint)
          write_rows(slope_by_first(sum, local.affine()), of_parents + std::size_t{12} * at.joint);
      }
      team.sync();
    }
    if (at.joint == no_joint) continue;
    if (parent != no_joint) sum = slope_by_second(sum, read_rows(world + std::size_t{12} * parent));
    put_joint_slopes(sum, local, at.joint, out);
  }
}

}  // namespace supple::gpu
