// From pose to pose: the flesh is led along in small steps, each solved from a guess made of the one before.
#pragma once

#include <memory>
#include <optional>

#include "supple/author/simulate/contact.h"
#include "supple/author/simulate/equilibrium.h"
#include "supple/author/simulate/tissue.h"

namespace supple::simulate {

struct WalkOptions {
  double max_step = 7.5 * 3.14159265358979323846 / 180;  // radians that any joint turns in a step
  int max_bisections = 4;                                // of a step that does not converge
  NewtonOptions newton;
  std::optional<ContactOptions> contact;  // of the skin with itself
};

/// Poses on the way from one to another, which is the last: the fewest equal steps in which no joint turns farther than
/// `max_step` radians.
std::vector<Pose> poses_between(const Pose& from, const Pose& to, double max_step);

/// One step of the way to a pose.
struct StepReport {
  double angle = 0;  // radians: the largest turn of a joint
  double moved = 0;  // metres: root mean square over the free nodes, beyond where the guess put them
  NewtonReport newton;
};

struct PoseReport {
  std::vector<StepReport> steps;
  ElementHealth health;
  bool converged = true;
  std::size_t contacts = 0;  // vertices of the skin that press on skin
  double overlap = 0;        // metres: the deepest
  double seconds = 0;
  int iterations() const;
  /// Whether flesh can be led on from this pose: it came to rest, and no element is inside out.
  bool sound() const { return converged && health.inverted == 0; }
};

/// Flesh on its way through poses. The tissue and the body are shared; a walker is one thread's.
class Walker {
 public:
  static Result<Walker> make(const Body& body, const Tissue& tissue, const WalkOptions& options = {});

  /// Back to the rest pose.
  void restart();
  /// To where another walker was: `nodes` from nodes() of a walker whose last pose was `pose`.
  void resume(const Pose& pose, std::span<const Vec3d> nodes);
  /// Leads the flesh to a pose. Asks `progress` before every step; where it says stop, the walker stays on its way and
  /// the result is an error.
  Result<PoseReport> go(const Pose& pose, const Progress& progress = {});

  std::span<const Vec3d> nodes() const { return nodes_; }
  const Equilibrium& equilibrium() const { return equilibrium_; }

 private:
  Walker(const Body& body, const Tissue& tissue, const WalkOptions& options, Equilibrium equilibrium,
         std::shared_ptr<const ContactModel> contact);
  StepReport step(const Pose& pose);
  /// Moves nodes with the bones from where they are at present, as skin would be blended.
  void move_with_bones(const Pose& pose, std::span<const Vec3d> from, std::span<Vec3d> to);
  /// Moves the nodes to where the next solve starts.
  void guess(const Pose& pose);
  /// Follows the skins that meet on the way there.
  void follow_skins(const Pose& pose);

  const Body* body_;
  const Tissue* tissue_;
  WalkOptions options_;
  std::shared_ptr<const ContactModel> contact_;
  Equilibrium equilibrium_;
  Pose pose_;
  std::vector<Affined> motions_, next_motions_, change_;
  std::vector<Vec3d> nodes_, guess_;
};

}  // namespace supple::simulate
