// EigenSkin: from examples to the few displacement fields whose sum, driven by the pose, corrects linear blend skinning
// (Kry, James, Pai 2002). Beyond the paper: corrections of pairs of joints learnt from poses that move several, and
// sets without poses of single joints.
#pragma once

#include <optional>

#include "supple/author/learn/budget.h"
#include "supple/author/learn/support.h"
#include "supple/base/progress.h"
#include "supple/rig/example_set.h"

namespace supple::learn {

enum class NormalModes : std::uint8_t {
  own,     // normals have their own modes and coordinates: the paper
  shared,  // every mode of the positions carries the change of normals that goes with it: half as many morph targets
  none,
};

struct EigenSkinOptions {
  SupportOptions support;
  Allocation allocation = Allocation::faded;
  Budget budget;  // of the positions; own modes of the normals have the same again
  NormalModes normals = NormalModes::shared;
  RbfKernel kernel = RbfKernel::exponential;
  double radius_factor = 10;  // radius of the kernel in mean distances between neighbouring examples
  bool swing_twist = false;   // distances take twist about the bone and swing apart
  bool coupling = true;       // learn pairs of joints where examples move several
  std::size_t coupling_modes = 2;
};

/// What one joint, or one pair of joints, adds to the rest shape.
struct Correction {
  /// Signed coordinates of all modes of the positions, then of own modes of the normals. first_weight is not set.
  MorphDriver driver;
  std::vector<std::size_t> examples;  // it was learnt from, places in the set
  Support support;
  std::vector<std::vector<Vec3f>> positions, normals;  // #modes, each #support
  std::vector<double> singular_values, normal_singular_values;
  std::size_t kept = 0, kept_normals = 0;  // within the budget, the first ones
  /// Where coordinates were smoothed: the share of their energy that examples left out one at a time miss.
  std::optional<double> left_out;

  bool is_pair() const { return driver.kernel != RbfKernel::pose && driver.joints.size() == 2; }
};

/// The largest difference across an edge of the mesh that leaves the support, between what a correction adds and what
/// it should, with at most five modes: how visible the border of the support is.
struct BorderStep {
  double size = 0;  // metres
  std::size_t correction = 0, example = 0;
  std::uint32_t vertex = 0;
};

struct EigenSkin {
  EigenSkinOptions options;
  std::vector<Correction> corrections;  // joints in order, then pairs
  /// The correction that each mode of the positions, and each own mode of the normals, belongs to, in the order in
  /// which they were granted.
  std::vector<std::size_t> order, normal_order;
  double energy = 0;              // sum over training examples and vertices of squared displacements, m^2
  std::vector<JointIndex> still;  // joints of the skin that no example moves
  BorderStep border;
};

/// Error on the training examples, relative to linear blend skinning, when only the first `modes` that were granted are
/// kept: from singular values, without evaluating anything.
double estimated_error(const EigenSkin& skin, std::size_t modes);
/// The number of modes after which none lowers the estimated error by more than `gain`: the knee of the curve.
std::size_t knee(const EigenSkin& skin, double gain = 0.002);
/// Keeps the first modes that were granted, and as many own modes of the normals.
void keep_first(EigenSkin& skin, std::size_t modes);

/// Learns from the usable training examples of weight above 0. Examples at rest, vertices where the blend of joints is
/// singular, joints that never move and pairs that could not be learnt are told as warnings. Two examples that set one
/// joint the same way and nothing else are an error that names them.
Result<EigenSkin> train_eigenskin(const ExampleSet& set, const Character& character, std::size_t part,
                                  const EigenSkinOptions& options = {}, Warnings* warnings = nullptr,
                                  const Progress& progress = {});

}  // namespace supple::learn
