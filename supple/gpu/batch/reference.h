// One pose of a batch on one thread, written as the formulas read: what runs on the CPU, and what the kernels of GPUs
// are compared with. `Real` is float, or double for finite differences.
#pragma once

#include <vector>

#include "supple/gpu/batch/drivers.h"
#include "supple/gpu/batch/joints.h"
#include "supple/gpu/batch/vertex.h"

namespace supple::gpu {

/// What a pose needs besides the tables; made once for many.
template <class Real>
struct PoseRoom {
  explicit PoseRoom(const BatchView& t)
      : world(12 * std::size_t{t.joint_count}),
        world_slopes(world.size()),
        palette(12 * std::size_t{t.palette_size}),
        palette_slopes(palette.size()),
        weights(t.target_count),
        held(t.target_count),
        weight_slopes(t.target_count),
        rotation_slopes(4 * std::size_t{t.joint_count}),
        settings(4 * std::size_t{t.driver_joint_count}),
        rows(t.row_count),
        slopes(slope_stride * std::size_t{t.row_count}),
        sums(4 * std::size_t{t.max_driver_joints}),
        kernels(t.max_driver_joints) {}

  DriverRoom drivers() { return {settings.data(), rows.data(), slopes.data(), sums.data(), kernels.data()}; }

  std::vector<Real> world, world_slopes, palette, palette_slopes, weights;
  std::vector<bool> held;  // #weights: by the limits of their drivers
  std::vector<Real> weight_slopes, rotation_slopes;
  std::vector<double> settings, rows, slopes, sums, kernels;
  bool scaled = false;
};

/// Fills world, palette and weights.
template <class Real>
void prepare_pose(const BatchView& t, const JointArrays<const Real>& pose, const Real* morph_weights,
                  PoseRoom<Real>& room) {
  const OneThread alone;
  place_joints(t, alone, pose, room.world.data());
  room.scaled = make_batch_palette(t, alone, room.world.data(), room.palette.data());
  drive_rows<1>(
      t, alone, [&](unsigned) { return pose.rotations; }, room.drivers());
  for (std::uint32_t m = 0; m < t.target_count; ++m) {
    Real weight[1];
    bool held[1];
    find_weights<1>(
        t, m, [&](unsigned) { return morph_weights; }, room.rows.data(), weight, held);
    room.weights[m] = weight[0];
    room.held[m] = held[0];
  }
}

/// A vertex at rest with morph targets, and its blended matrix.
template <class Real>
struct BlendedVertex {
  BatchVertex<Real> rest;
  Affine<Real> matrix;
};
template <class Real>
BlendedVertex<Real> blend_vertex(const BatchView& t, const PoseRoom<Real>& room, std::uint32_t group,
                                 std::uint32_t lane) {
  Real six[6], rows[12] = {};
  for (std::size_t c = 0; c < 6; ++c) {
    six[c] = static_cast<Real>(t.rest[offset_place(group, c, lane)]);
    for (std::uint32_t e = t.entry_first[group]; e < t.entry_first[group + 1]; ++e)
      six[c] += room.weights[t.entry_targets[e]] * static_cast<Real>(t.entry_offsets[offset_place(e, c, lane)]);
  }
  for (std::uint32_t r = t.row_first[group]; r < t.row_first[group + 1]; ++r) {
    const auto weight = static_cast<Real>(t.row_weights[std::size_t{r} * group_vertices + lane]);
    if (weight == 0) continue;
    for (std::size_t i = 0; i < 12; ++i) rows[i] += weight * room.palette[std::size_t{12} * t.row_slots[r] + i];
  }
  return {{{six[0], six[1], six[2]}, {six[3], six[4], six[5]}}, affine_of_rows(rows)};
}

/// #V positions and normals of one pose.
template <class Real>
void evaluate_pose(const BatchView& t, const JointArrays<const Real>& pose, const Real* morph_weights, Real* positions,
                   Real* normals, PoseRoom<Real>& room) {
  prepare_pose(t, pose, morph_weights, room);
  for (std::uint32_t v = 0; v < t.vertex_count; ++v) {
    const BlendedVertex<Real> b = blend_vertex(t, room, v / group_vertices, v % group_vertices);
    const BatchVertex<Real> posed = pose_vertex(b.matrix, room.scaled, b.rest);
    for (std::size_t c = 0; c < 3; ++c) {
      positions[3 * std::size_t{v} + c] = posed.position[c];
      normals[3 * std::size_t{v} + c] = posed.normal[c];
    }
  }
}

/// Slopes by one pose; `position_slopes` and `normal_slopes` have 3 * #V, or are null.
template <class Real>
void differentiate_pose(const BatchView& t, const JointArrays<const Real>& pose, const Real* morph_weights,
                        const Real* position_slopes, const Real* normal_slopes, const JointArrays<Real>& out,
                        Real* out_weights, PoseRoom<Real>& room) {
  prepare_pose(t, pose, morph_weights, room);
  std::fill(room.palette_slopes.begin(), room.palette_slopes.end(), Real(0));
  std::fill(room.weight_slopes.begin(), room.weight_slopes.end(), Real(0));
  const auto vector_at = [](const Real* first, std::size_t v) {
    return first == nullptr ? Vec3<Real>{} : Vec3<Real>{first[3 * v], first[3 * v + 1], first[3 * v + 2]};
  };
  for (std::uint32_t v = 0; v < t.vertex_count; ++v) {
    const std::uint32_t group = v / group_vertices, lane = v % group_vertices;
    const BlendedVertex<Real> b = blend_vertex(t, room, group, lane);
    const VertexSlopes<Real> slopes =
        slopes_of_vertex(b.matrix, room.scaled, b.rest, {vector_at(position_slopes, v), vector_at(normal_slopes, v)});
    Real by_matrix[12];
    put_rows(slopes.matrix, by_matrix);
    for (std::uint32_t r = t.row_first[group]; r < t.row_first[group + 1]; ++r) {
      const auto weight = static_cast<Real>(t.row_weights[std::size_t{r} * group_vertices + lane]);
      if (weight == 0) continue;
      for (std::size_t i = 0; i < 12; ++i)
        room.palette_slopes[std::size_t{12} * t.row_slots[r] + i] += weight * by_matrix[i];
    }
    const Vec3<Real>&p = slopes.rest.position, &n = slopes.rest.normal;
    const Real six[6] = {p.x, p.y, p.z, n.x, n.y, n.z};
    for (std::uint32_t e = t.entry_first[group]; e < t.entry_first[group + 1]; ++e)
      for (std::size_t c = 0; c < 6; ++c)
        room.weight_slopes[t.entry_targets[e]] += six[c] * static_cast<Real>(t.entry_offsets[offset_place(e, c, lane)]);
  }
  for (std::uint32_t m = 0; m < t.target_count; ++m)
    if (room.held[m]) room.weight_slopes[m] = Real(0);
  const OneThread alone;
  JointArrays<Real> to = out;
  to.rotations = room.rotation_slopes.data();
  std::fill(room.rotation_slopes.begin(), room.rotation_slopes.end(), Real(0));
  slopes_by_joints(t, alone, pose, room.world.data(), room.palette_slopes.data(), room.world_slopes.data(), to);
  const DrivenPose<Real> driven{pose.rotations, room.weight_slopes.data(), to.rotations};
  slopes_by_drivers<1>(
      t, alone, [&](unsigned) { return driven; }, room.drivers());
  if (out.rotations != nullptr) std::copy(room.rotation_slopes.begin(), room.rotation_slopes.end(), out.rotations);
  if (out_weights != nullptr) spread_weight_slopes(t, alone, room.weight_slopes.data(), out_weights);
}

}  // namespace supple::gpu
