// The muscles of a character, made ready: vortices, gains, reaches and rest shapes. Immutable, shared by all instances.
#pragma once

#include "supple/deform/vortex/plasticity.h"
#include "supple/rig/character.h"

namespace supple {

/// Kept from the VortexMuscle when the table was made; what else it says may change from frame to frame.
struct VortexTableMuscle {
  std::string name;  // for messages: "muscle 'biceps'"
  JointIndex joint = no_joint;
  Vec3d center{};
  Mat3d orientation{};
  double radius = 0, length = 0;  // metres: the shortest radius, twice the longest
  double reach = 0;               // metres, of one vortex
  double spread = 0;              // metres from the centre to the farthest vortex
  /// On vorticity: the area-weighted mean displacement of the surface per unit of acceleration is then one by the
  /// stiffness, the mean over three axes, whatever the size and the sampling.
  double gain = 1;
  std::uint32_t first_sample = 0, samples = 0;
  std::uint32_t first_point = 0, points = 0;  // of its surface
};

struct VortexTablePlastic {
  std::uint32_t muscle = 0;
  std::uint32_t first = 0;  // in `plastic`; as many as the muscle has samples
  double reach = 0, residual = 0;
};

struct VortexTable {
  std::vector<VortexTableMuscle> muscles;
  // Samples of all muscles, one muscle after another, each in its muscle's frame.
  std::vector<Vec3d> positions, normals;
  std::vector<double> areas;
  std::vector<VortexTablePlastic> plastic_muscles;
  std::vector<Vec3d> plastic;  // vorticity of rest shapes
  // Surfaces for display: points in the muscles' frames, triangles numbered over all muscles.
  std::vector<Vec3f> surface;
  std::vector<Triangle> triangles;
};

/// Of Character::kinodynamics; empty without muscles. The error names the muscle: see plastic_shape(), or a reach so
/// short that the surface would move against the push. Warns of rest shapes that are missed.
Result<VortexTable> build_vortex_table(const Character& character, Warnings* warnings = nullptr);

/// "muscle 'biceps'", or its number where it has no name.
std::string muscle_label(const VortexMuscle& muscle, std::size_t number);

}  // namespace supple
