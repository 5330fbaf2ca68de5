// A part of a character as a batch reads it: flat arrays, built once, on the CPU or on a GPU.
#pragma once

#include <cstdint>
#include <vector>

#include "supple/deform/pipeline.h"
#include "supple/rig/character.h"

namespace supple::gpu {

/// A basis function of a distance; of rows, that from one joint to a centre, or another one.
enum class RowKind : std::uint32_t { exponential, gaussian, linear, cubic, other };

/// One driver, its rows counted in DriverArrays. See MorphDriver for what the numbers mean.
struct BatchDriver {
  RowKind kind = RowKind::exponential;
  bool is_pose_kernel = false;
  std::uint32_t first_joint = 0, joints = 0;    // in driver_joints
  std::uint32_t first_centre = 0, centres = 0;  // centre c turns joint k by centre_turns[first_centre + c * joints + k]
  std::uint32_t rows = 0;                       // centres, and the polynomial's of the cubic kernel
  std::uint32_t first_row = 0;                  // of those of all drivers
  std::uint32_t first_coefficient = 0;          // rows * targets, row by row
  std::uint32_t first_target = 0, targets = 0;  // of the part's morph targets
  std::uint32_t first_neighbour = 0;            // in neighbour_ranges: joints + 1 of them
  bool has_twist = false;
  double over_radius = 1, twist_weight = 1, pair_weight = 0;
};

/// What a batch reads of a part, with `Array<T>` a vector here and a pointer where it is used.
template <template <class> class Array>
struct BatchArrays {
  std::uint32_t joint_count = 0;
  std::uint32_t palette_size = 0;                    // at least 1
  std::uint32_t weight_count = 0, first_weight = 0;  // morph weights of the character; of these, the part's first
  std::uint32_t target_count = 0;                    // morph targets of the part
  std::uint32_t driver_count = 0, row_count = 0;     // rows of all drivers
  std::uint32_t joined_count = 0;                    // drivers that follow several joints
  std::uint32_t driver_joint_count = 0;              // joints of all drivers
  std::uint32_t max_driver_joints = 0;               // the most that a driver has
  bool is_limited = false;                           // some driver clamps its weights
  std::uint32_t vertex_count = 0, group_count = 0;   // a group is 64 vertices, in the order of the part

  // Joints, in levels: those of one have their parents in the levels before.
  Array<std::uint32_t> parents;       // #joints; no_joint: none
  Array<std::uint32_t> level_joints;  // #joints
  Array<std::uint32_t> levels;        // #joints: of each of these
  Array<std::uint32_t> child_first;   // #joints + 1
  Array<std::uint32_t> children;      // all joints that have a parent
  Array<float> rest_rotations;        // #joints * 4
  Array<float> rest_translations;     // #joints * 3
  Array<float> rest_scales;           // #joints * 3
  // The palette: what joints do to the skin. Entry s is world(joint) * inverse bind; no_joint: the identity.
  Array<std::uint32_t> palette_joints;  // #palette
  Array<float> inverse_bind;            // #palette * 12, three rows of four
  Array<std::uint32_t> slot_first;      // #joints + 1: the palette's entries of each joint
  Array<std::uint32_t> slots;

  // Morph weights.
  Array<float> rest_weights;  // #weights
  // Of each morph target: the rows of its driver, and their coefficients, which are `stride` numbers apart.
  Array<std::uint32_t> target_row_counts;  // no_rows: no driver moves it
  Array<std::uint32_t> target_rows, target_coefficients, target_strides;
  Array<BatchDriver> drivers;
  // Rows of drivers, with all that drivers of one joint need, which most are: they are evaluated all at once, and none
  // waits for what it is to read.
  Array<RowKind> row_kinds;                 // #rows
  Array<std::uint32_t> row_drivers;         // #rows
  Array<std::uint32_t> row_settings;        // #rows: the driver's first joint, in driver_joints
  Array<std::uint32_t> row_targets;         // #rows: the first of the part's morph targets
  Array<std::uint32_t> row_target_counts;   // #rows
  Array<std::uint32_t> row_coefficients;    // #rows: the first, one for each target
  Array<double> row_centres;                // 4 * #rows: x of all, then y, z, w; of plain rows
  Array<double> row_over_radii;             // #rows
  Array<std::uint32_t> driver_joints;       // of all drivers
  Array<std::uint32_t> joint_driver_first;  // #joints + 1: drivers that follow this joint alone
  Array<std::uint32_t> joint_drivers;
  Array<std::uint32_t> joined_drivers;  // #joined: drivers that follow several joints
  Array<double> driver_references;      // * 4
  Array<double> driver_radii;           // of the pose kernel; 0 elsewhere
  Array<double> driver_twists;          // * 3, unit vectors
  Array<double> centre_turns;           // * 4
  Array<double> coefficients;
  Array<float> driver_rest;               // #targets: what a driver adds to
  Array<float> driver_least;              // #targets where is_limited, else none: a driven weight is clamped into
  Array<float> driver_most;               // [least, most], which are infinite where a driver has no limits
  Array<std::uint32_t> neighbour_ranges;  // of each joint of a pose kernel, the joints that it is paired with
  Array<std::uint32_t> neighbours;

  // Vertices, in groups of 64: on a GPU a warp has one of them in 16 poses.
  Array<float> rest;                   // #groups * 6 * 64, see offset_place()
  Array<std::uint32_t> row_first;      // #groups + 1: rows of each group, one for each joint that any vertex follows
  Array<std::uint32_t> row_slots;      // #rows: of the palette
  Array<float> row_weights;            // #rows * 64
  Array<std::uint32_t> entry_first;    // #groups + 1: entries of each group, one for each target that moves any vertex
  Array<std::uint32_t> entry_targets;  // #entries
  Array<float> entry_offsets;          // #entries * 6 * 64, likewise
  // What a GPU needs to keep numbers near 1, see pack_tables() of supple/gpu/cuda.
  float size = 1;          // of the part at rest, a power of two
  bool is_affine = false;  // weights of every vertex sum up to 1
  float matrix_size = 1;   // of the palette's matrices at rest, without translations: a power of two
  // On a GPU, instead of entry_offsets: in two parts of 16 bits, positions in units of the size, each target in units
  // of its own so that none is above 1.
  Array<float> target_sizes;          // #targets, powers of two
  Array<std::uint32_t> packed_first;  // #groups: see packed_place() of supple/gpu/cuda
  Array<std::uint32_t> packed_offsets;
};

inline constexpr std::uint32_t group_vertices = 64, no_rows = ~0u;

/// Six numbers of each vertex of a group or entry: x, y, z of the position and of the normal. Two at a time lie
/// together, so that a warp reads 256 bytes in a row.
constexpr std::size_t offset_place(std::size_t block, std::size_t number, std::size_t vertex) {
  return ((block * 3 + number / 2) * group_vertices + vertex) * 2 + number % 2;
}

template <class T>
using Pointer = const T*;
using BatchView = BatchArrays<Pointer>;
template <class T>
using Vector = std::vector<T>;
using BatchTables = BatchArrays<Vector>;

/// Calls visit(array of `a`, array of `b`) for every array.
template <class A, class B, class Visit>
void for_arrays(A& a, B& b, const Visit& visit) {
  visit(a.parents, b.parents);
  visit(a.level_joints, b.level_joints);
  visit(a.levels, b.levels);
  visit(a.child_first, b.child_first);
  visit(a.children, b.children);
  visit(a.rest_rotations, b.rest_rotations);
  visit(a.rest_translations, b.rest_translations);
  visit(a.rest_scales, b.rest_scales);
  visit(a.palette_joints, b.palette_joints);
  visit(a.inverse_bind, b.inverse_bind);
  visit(a.slot_first, b.slot_first);
  visit(a.slots, b.slots);
  visit(a.rest_weights, b.rest_weights);
  visit(a.target_row_counts, b.target_row_counts);
  visit(a.target_rows, b.target_rows);
  visit(a.target_coefficients, b.target_coefficients);
  visit(a.target_strides, b.target_strides);
  visit(a.drivers, b.drivers);
  visit(a.row_kinds, b.row_kinds);
  visit(a.row_drivers, b.row_drivers);
  visit(a.row_settings, b.row_settings);
  visit(a.row_targets, b.row_targets);
  visit(a.row_target_counts, b.row_target_counts);
  visit(a.row_coefficients, b.row_coefficients);
  visit(a.row_centres, b.row_centres);
  visit(a.row_over_radii, b.row_over_radii);
  visit(a.driver_joints, b.driver_joints);
  visit(a.joint_driver_first, b.joint_driver_first);
  visit(a.joint_drivers, b.joint_drivers);
  visit(a.joined_drivers, b.joined_drivers);
  visit(a.driver_references, b.driver_references);
  visit(a.driver_radii, b.driver_radii);
  visit(a.driver_twists, b.driver_twists);
  visit(a.centre_turns, b.centre_turns);
  visit(a.coefficients, b.coefficients);
  visit(a.driver_rest, b.driver_rest);
  visit(a.driver_least, b.driver_least);
  visit(a.driver_most, b.driver_most);
  visit(a.neighbour_ranges, b.neighbour_ranges);
  visit(a.neighbours, b.neighbours);
  visit(a.rest, b.rest);
  visit(a.row_first, b.row_first);
  visit(a.row_slots, b.row_slots);
  visit(a.row_weights, b.row_weights);
  visit(a.entry_first, b.entry_first);
  visit(a.entry_targets, b.entry_targets);
  visit(a.entry_offsets, b.entry_offsets);
  visit(a.target_sizes, b.target_sizes);
  visit(a.packed_first, b.packed_first);
  visit(a.packed_offsets, b.packed_offsets);
}

/// The numbers of `tables` and no arrays yet.
BatchView view_without_arrays(const BatchTables& tables);
/// Looks into `tables`, which must outlive it.
BatchView view_of(const BatchTables& tables);

/// Of a valid character. The error names the part that does not exist, or the layer that a batch cannot differentiate:
/// a pose space, wrinkles or delta mush that are live. Flesh is where the twins of a pose have it.
Result<BatchTables> build_batch_tables(const Character& character, std::size_t part, const Layers& layers = {});

}  // namespace supple::gpu
