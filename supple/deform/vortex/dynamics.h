// Muscles in motion: joints in, vorticity of every sample out. State is the caller's; the same motion gives the same
// bits.
#pragma once

#include <span>
#include <vector>

#include "supple/deform/flesh/oscillator.h"
#include "supple/deform/vortex/frame.h"
#include "supple/deform/vortex/kernel.h"
#include "supple/deform/vortex/table.h"

namespace supple {

/// How a muscle's frame moves: a place p of it goes at turning * p + velocity, in the world.
struct MuscleMotion {
  Mat3d turning{{}, {}, {}};
  Vec3d velocity{};
};

struct VortexMuscleState {
  MuscleFrame frame{};
  MuscleMotion motion{};  // from the pose before to this one, on average
  MuscleMotion ahead{};   // how much faster than that it arrived
  /// Off until two poses are known: a muscle that starts with the character in full motion moves along.
  bool has_motion = false;
  double jumped = 0;      // metres that the last step took for a teleport; 0: none
  OscillatorStep step{};  // of the last time, mostly used again
};

/// What the kernel needs to know of a muscle's vortices, or of its rest shape's.
struct VortexSetState {
  std::uint32_t muscle = 0;
  bool moves = false;  // off where all vorticity is exactly zero
  float reach = 0;     // metres from the centre beyond which nothing moves
  float fastest = 0;   // metres in unit time that no point exceeds
  std::uint32_t first_patch = 0;
};

/// A few neighbouring vortices, so that skin need not look at those that it is out of reach of.
struct VortexPatch {
  static constexpr std::uint32_t most = 8;
  Vec3f center{};    // in the world
  float radius = 0;  // about all of them
};

/// One character's. Made by settled(); advance() does not allocate.
struct VortexState {
  std::vector<VortexMuscleState> muscles;
  /// Displacement-like: a muscle without vorticity has its modelled shape. In the muscle's frame, #samples.
  std::vector<Vec3d> vorticity, rate;  // square metres, square metres a second
  std::vector<double> stiffening;      // by shear: for the length of a step
  // In the world, up to date: one set for each muscle, then one for each rest shape.
  std::vector<vortex::Set> sets;
  std::vector<VortexSetState> set_states;  // #sets
  std::vector<VortexPatch> patches;        // of each set: its vortices by VortexPatch::most
  std::vector<float> vortices;             // vortex::floats_a_vortex each
};

/// At rest in this pose: where gravity, stretch and stiffness balance. `kinodynamics` has the live parameters of the
/// table's muscles.
VortexState settled(const VortexTable& table, const Kinodynamics& kinodynamics, std::span<const Affinef> world);
void settle(const VortexTable& table, const Kinodynamics& kinodynamics, std::span<const Affinef> world,
            VortexState& state);

/// A frame later: `world` are the joints now. Their change of speed at the last pose is felt there at once in part, and
/// in part since then: half way between what is exact for a stop and what is exact for a smooth motion. Frequencies,
/// densities and forces may differ from call to call. A pose that is not finite is not followed; without time muscles
/// are carried along.
void advance(const VortexTable& table, const Kinodynamics& kinodynamics, std::span<const Affinef> world, double seconds,
             VortexState& state);

/// Shows vorticity as it was in some take, #samples; how it moves on is not known.
void show(const VortexTable& table, std::span<const Affinef> world, std::span<const Vec3f> vorticity,
          VortexState& state);

/// Places the muscles elsewhere as they are, at the speed they have in their own frames: the next cycle of a clip.
void carry(const VortexTable& table, std::span<const Affinef> world, VortexState& state);

/// Lets the next step begin with the speed that led here from another pose.
void came_from(const VortexTable& table, std::span<const Affinef> before, double seconds, VortexState& state);

}  // namespace supple
