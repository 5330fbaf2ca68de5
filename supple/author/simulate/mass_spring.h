// Flesh as masses and damped springs on the edges of a volume mesh, shaken by a bone inside it: the dynamics that a
// single flesh element is measured against (Larboulette, Cani, Arnaldi, Dynamic Skinning, 2005, section 6.1).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "supple/base/mat.h"
#include "supple/base/result.h"
#include "supple/geometry/tet_mesh.h"

namespace supple::simulate {

struct MassSpringOptions {
  double density = 1000;  // kg/m^3, > 0
  /// Young's modulus of what the springs add up to where they point in all directions alike, Pa, > 0. Poisson's ratio
  /// of such a network is 1/4, whatever the springs.
  double stiffness = 10000;
  /// Seconds, >= 0: each spring resists the change of its length with this times its stiffness. A vibration of angular
  /// frequency w has the damping ratio w * damping / 2; turning as a whole is not damped.
  double damping = 0;
  Vec3d gravity{};         // m/s^2
  double max_step = 1e-3;  // seconds, > 0; shorter where stability asks for it
};

/// State and springs of one body. The same motion gives the same bits.
class MassSpring {
 public:
  /// `held` nodes follow the bone. The mesh has linear elements; the error says what is wrong with it or an option.
  static Result<MassSpring> make(const TetMesh& mesh, std::span<const std::uint32_t> held,
                                 const MassSpringOptions& options = {});

  /// Goes on for some seconds. Held nodes go straight to where `bone`, the bone's motion since the rest pose, brings
  /// them: curved motions are followed by short calls.
  void advance(const Affined& bone, double seconds);

  std::size_t springs() const { return springs_.size(); }
  std::span<const double> masses() const { return masses_; }  // #N, kg
  /// #N, metres and metres a second; may be set, to begin with a motion.
  std::span<Vec3d> positions() { return positions_; }
  std::span<Vec3d> velocities() { return velocities_; }
  std::span<const Vec3d> positions() const { return positions_; }
  std::span<const Vec3d> velocities() const { return velocities_; }
  /// Joule: of motion, springs and gravity.
  double energy() const;
  /// Seconds: what a call of advance() is divided into, at the most.
  double longest_step() const { return longest_step_; }

 private:
  struct Spring {
    std::array<std::uint32_t, 2> ends;
    double length, stiffness;  // metres, N/m
  };
  MassSpring() = default;
  void add_springs(const TetMesh& mesh);
  double fastest_squared() const;
  void find_longest_step();
  void step(double seconds);

  MassSpringOptions options_;
  std::vector<Spring> springs_;
  std::vector<Vec3d> rest_, positions_, velocities_, forces_;  // #N
  std::vector<double> masses_, inverse_masses_;                // #N; the inverse of a held node's is 0
  std::vector<std::uint32_t> held_;
  double longest_step_ = 0;
};

}  // namespace supple::simulate
