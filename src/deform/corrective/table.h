// Corrections of the rest shape that follow the pose, packed for the frame loop: what training leaves of its examples
// (Kry, James, Pai, EigenSkin 2002). The skin is sum_k w_k T_k (v0 + sum_m alpha_m u_m), eq. 2 there.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "supple/base/quat.h"
#include "supple/rig/skeleton.h"

namespace supple {

enum class RbfKernel : std::uint8_t {
  exponential,  // exp(-r / radius)
  gaussian,     // exp(-(r / radius)^2)
  linear,       // r
  cubic,        // r^3, with a polynomial of degree one in the rotation vectors
};

/// How the coordinates of some modes follow the pose: radial basis functions about example settings of one joint, or of
/// a pair of joints.
struct CorrectiveDriver {
  std::array<JointIndex, 2> joints{no_joint, no_joint};  // the second is no_joint for a single one
  RbfKernel kernel = RbfKernel::exponential;
  float radius = 1;                     // radians
  std::uint32_t first_centre = 0;       // in CorrectiveTable::centres, joint_count() of them for each centre
  std::uint32_t centres = 0;            // the rest setting is one of them, with coordinates 0
  std::uint32_t first_coefficient = 0;  // in CorrectiveTable::coefficients: rows() by modes, row by row
  std::uint32_t first_mode = 0, modes = 0;

  std::uint32_t joint_count() const { return joints[1] == no_joint ? 1 : 2; }
  /// Basis functions: one per centre, and for the cubic kernel a constant and three more per joint.
  std::uint32_t rows() const { return centres + (kernel == RbfKernel::cubic ? 1 + 3 * joint_count() : 0); }
};

/// Offsets of many modes, each of which moves few vertices. Vertices come in blocks of 16, in their own order; a block
/// lists the modes that move any of its vertices. Neighbours in a mesh mostly share their modes, so few zeros are
/// stored, and adding a mode to a block is one straight run over 48 floats.
struct BlockDeltas {
  static constexpr std::uint32_t block_vertices = 16, block_floats = 3 * block_vertices;
  std::vector<std::uint32_t> first;  // #blocks + 1: entries of each block
  std::vector<std::uint32_t> modes;  // #entries
  std::vector<float> offsets;        // #entries * block_floats: x y z of each vertex in turn
};

/// Immutable. Modes of positions and of normals are numbered together.
struct CorrectiveTable {
  std::uint32_t vertex_count = 0, joint_count = 0, mode_count = 0;
  std::vector<CorrectiveDriver> drivers;
  std::vector<Quatf> rest;           // #joints of the skeleton: rest rotations, from which settings are measured
  std::vector<Quatf> centres;        // settings: rest^-1 * local rotation
  std::vector<double> coefficients;  // those of nearly flat kernels are large and cancel: float would not do
  BlockDeltas positions, normals;    // normals may be empty
};

}  // namespace supple
