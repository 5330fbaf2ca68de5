// Skin as a flow that follows the bones, and muscles that move by vorticity under it (Angelidis, Singh, Kinodynamic
// Skinning using Volume-Preserving Deformations, 2007): what a rig says about both.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "supple/geometry/mesh.h"
#include "supple/rig/deformer_kind.h"
#include "supple/rig/hard_skin.h"
#include "supple/rig/skeleton.h"

namespace supple {

/// Soft tissue takes part in keeping volume; bone carries what it reaches along rigidly.
enum class TissueKind : std::uint8_t { soft, bone };

/// Something under the skin that gives a limb its weight in space. Places are in the joint's frame with its scale taken
/// out: metres of the world in the rest pose.
struct TissuePrimitive {
  /// Numbers that describe a star shape, see fit_star().
  static constexpr std::size_t star_size = 64;

  std::string name;
  JointIndex joint = no_joint;
  TissueKind kind = TissueKind::soft;
  Vec3f center{};
  Quatf orientation{};
  Vec3f radii{};     // soft: where the weight has fallen to zero; bone: of the bone itself
  float weight = 1;  // at the centre, > 0
  /// Logarithm of the radius by direction, in units of `radii`; empty: an ellipsoid.
  std::vector<float> star;
  friend bool operator==(const TissuePrimitive&, const TissuePrimitive&) = default;
};

/// How much a joint's volume is kept at an angle. alpha + beta = 1 keeps it; less lets it go (figures 6 and 7).
struct VolumeKey {
  float angle = 0;  // radians from the rest pose
  float alpha = 0.5f, beta = 0.5f;
  friend bool operator==(const VolumeKey&, const VolumeKey&) = default;
};

/// An animator's curve; joints without one keep their volume, bulging as the direction of the turn asks.
struct VolumeCurve {
  JointIndex joint = no_joint;
  std::vector<VolumeKey> keys;  // one or more, by rising angle; straight between them, level beyond
  friend bool operator==(const VolumeCurve&, const VolumeCurve&) = default;
};

/// Where the weights of limbs in space come from. All are smooth, and normalised to sum to 1.
enum class FieldSource : std::uint8_t {
  automatic,   // the distance to the bones
  primitives,  // ellipsoids and star shapes; the automatic field where they leave skin uncovered
  painted      // the skin weights of the mesh, carried into space
};

enum class FlowIntegrator : std::uint8_t {
  blend,    // equation 5: blended steps, fold-over free, without regard to volume
  euler,    // equation 7: blended steps and a volume term
  rk4_limb  // fourth order in the frame of the limb that a point belongs to: rigid where that limb rules alone
};

/// How much of a skin vertex's way something may have.
struct SkinVertexWeight {
  std::uint32_t part = 0, vertex = 0;
  float weight = 1;
  friend bool operator==(const SkinVertexWeight&, const SkinVertexWeight&) = default;
};

/// How much of the flow the skin of a joint takes part in; the rest of its way is linear blend's. Skin that follows
/// several joints has the mean of their shares, by its weights.
struct FlowShare {
  JointIndex joint = no_joint;
  float share = 0;  // 0 to 1
  friend bool operator==(const FlowShare&, const FlowShare&) = default;
};

struct DeformationField {
  FieldSource source = FieldSource::automatic;
  std::vector<TissuePrimitive> primitives;
  /// Automatic, in units of the flesh's usual depth over the bone: what is cut off bones at joints, and the square of
  /// the distance at which weights have fallen to 1/e.
  float shortening = 0.8f, spread = 1.25f;
  float reach = 3;  // painted, in the same units: how far beyond the skin weights vanish
  /// Also in these units: how near a limb comes to skin that does not hang on it before it pushes, without regard to
  /// volume. 0: such limbs pass through each other.
  float contact = 0;
  /// Every limb weighs on all skin, as the paper has it: for limbs that are far apart.
  bool everywhere = false;
  std::vector<VolumeCurve> volume;
  FlowIntegrator integrator = FlowIntegrator::rk4_limb;
  float step = 0.5235988f;      // radians: the largest turn of a joint that is taken at once
  std::vector<FlowShare> flow;  // joints that are not listed have all of it
  /// Vertices that an animator has bound to their joints: by the weight linear blend moves them, and no muscle does.
  std::vector<SkinVertexWeight> bound;
  /// What is hard moves as one, or with its joint: see find_hard_skin().
  Hardness hardness;
  friend bool operator==(const DeformationField&, const DeformationField&) = default;
};

/// A closed shape in a limb's frame that swings by the vorticity of its surface. Places as in TissuePrimitive.
struct VortexMuscle {
  std::string name;
  JointIndex joint = no_joint;
  Vec3f center{};
  Quatf orientation{};
  Vec3f radii{};  // of the ellipsoid, metres; of a surface: half its extent, for display and defaults
  /// A closed surface instead of the ellipsoid: places in the frame of `center` and `orientation`, metres.
  std::vector<Vec3f> surface_positions;
  std::vector<Triangle> surface_triangles;
  std::uint32_t samples = 42;  // vortices wanted
  float reach = 4;             // of a vortex, in units of the shortest radius

  float frequency = 3;                       // Hz, > 0
  float damping_ratio = 0.3f;                // >= 0
  float density = 1000, medium_density = 0;  // kg/m^3: only their contrast counts
  Vec3f gravity{0, -9.81f, 0};               // m/s^2, in the world
  Vec3f modelled_gravity{};                  // m/s^2, in the muscle's frame: what the skin was modelled under
  float stretch = 0;                         // 1/s^2 along stretch_axis: below zero squashes
  Vec3f stretch_axis{0, 1, 0};               // unit, in the muscle's frame
  Vec3f stretch_center{};                    // metres, likewise: what stays where it is
  float life = 0;      // of the limb's acceleration, as if the muscle caused it; 1 cancels the dynamics
  bool shear = false;  // stiffens where sheared (equation 14); slow
  float limit = 0.5f;  // of the shortest radius: how far the skin may be carried

  /// A plastic shape to rest in: the surface's points (or the samples', see muscle_surface()) in the same frame; empty:
  /// the shape itself.
  std::vector<Vec3f> target;
  /// Only skin that follows these joints moves, as far as it does; empty: all skin in reach.
  std::vector<JointIndex> skin_joints;
  std::vector<SkinVertexWeight> skin_weights;  // painted instead; vertices not listed do not move
  friend bool operator==(const VortexMuscle&, const VortexMuscle&) = default;
};

struct Kinodynamics {
  DeformationField field;
  std::vector<VortexMuscle> muscles;
  float window = 1;  // seconds before the shown moment that dynamics know of where it is sought out
  friend bool operator==(const Kinodynamics&, const Kinodynamics&) = default;
};

struct Character;
/// Ranges, finite values, joints that exist, closed surfaces. The error names the primitive, the curve or the muscle.
Result<void> validate(const Kinodynamics& kinodynamics, const Character& character);

/// The fields of each, in files of all kinds; see fields.h.
void describe(Fields& fields, TissuePrimitive& tissue);
void describe(Fields& fields, VortexMuscle& muscle);
void describe(Fields& fields, Kinodynamics& kinodynamics);
/// What DeformerKind::describe says of them.
void describe_kinodynamics(Fields& fields, Character& character);

extern const DeformerKind kinodynamic_kind;

}  // namespace supple
