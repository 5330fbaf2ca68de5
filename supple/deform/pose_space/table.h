// Pose space packed for the frame loop: what weighted PSD reads.
#pragma once

#include <cstdint>
#include <vector>

#include "supple/rig/pose_space.h"

namespace supple {

/// How far apart poses are, joint by joint: the part of a pose space that is the same for all vertices. Immutable.
struct PoseDistances {
  float radius = 1;  // radians
  std::vector<JointIndex> joints;
  std::vector<Quatd> reference;  // #joints, inverted
  std::vector<Quatf> settings;   // #joints * #examples: all examples of the first joint first
  std::size_t examples = 0;

  std::size_t size() const { return joints.size() * examples; }
};

/// Vertices come in blocks of 16, in their own order; the last is filled up with vertices that nothing moves. Of n
/// examples, the f_i of a vertex are
///   f_i = b_i phi_i + sum_j c_ij (phi_j - phi_i),   b_i = sum_j c_ij,
/// which is eq. 13 rearranged: examples are many kernels' widths too near each other, so that the phi are all nearly
/// one and the c_ij large and of both signs, and differences keep the digits that sums would lose. C is the inverse of
/// a symmetric matrix, so c_ij serves f_i and f_j. Vertices that feel the joints alike have equal coefficients: blocks
/// of such vertices share theirs. Immutable.
struct PoseSpaceTable {
  static constexpr std::uint32_t block_vertices = 16;
  struct alignas(64) Lanes {
    float of[block_vertices];
  };
  /// x y z of each vertex in turn.
  struct alignas(64) Vectors {
    float of[3 * block_vertices];
  };

  PoseDistances distances;
  std::uint32_t vertex_count = 0;
  float floor = 0;                             // of all influences
  float ridge = 0;                             // of the coefficients
  std::vector<std::uint32_t> first;            // #blocks + 1: influences of each block
  std::vector<std::uint32_t> joints;           // #influences: places in distances.joints
  std::vector<Lanes> influences;               // what the joint counts above the floor
  std::vector<std::uint32_t> coefficients_of;  // #blocks: first of its coefficients
  std::vector<Lanes> coefficients;  // sets of coefficients_a_set(): b_0 .. b_(n-1), then c_10, c_20, c_21, c_30 ...
  std::vector<Vectors> positions, normals;  // #blocks * #targets: offsets, those of a block together

  std::size_t blocks() const { return coefficients_of.size(); }
  std::size_t targets() const { return distances.examples - 1; }
  std::size_t coefficients_a_set() const { return distances.examples * (distances.examples + 1) / 2; }
};

}  // namespace supple
