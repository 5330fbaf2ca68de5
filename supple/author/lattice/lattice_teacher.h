// Shows how the skin of any rigged character should move: elastic flesh on a lattice, driven by the skin's own weights.
// Takes what characters are made of: open surfaces, several parts, clothes over bodies, hard pieces, thin limbs.
#pragma once

#include <memory>

#include "supple/author/lattice/projective_dynamics.h"
#include "supple/rig/character.h"

namespace supple::lattice {

struct TeacherOptions {
  std::size_t cells = 8000;  // of the lattice, about
  /// Parts of the character inside the skin, each piece of which follows a joint: flesh slides over bones, and muscles
  /// are stiffer than what is around them. None: the skin's weights say where flesh is held.
  std::vector<std::size_t> bones, muscles;
  ElasticOptions elastic;
};

class LatticeTeacher {
 public:
  /// `parts` of the character, which must follow joints. The reference is the skin as it was bound, in the units of
  /// the world.
  static Result<LatticeTeacher> make(const Character& character, std::vector<std::size_t> parts,
                                     const TeacherOptions& options = {});

  /// Vertices of all parts, one part after another.
  std::size_t vertices() const { return places_.size(); }
  /// How many of them are elastic; the others belong to hard pieces.
  std::size_t elastic_vertices() const;
  std::size_t hard_pieces() const { return pieces_.size(); }
  const ElasticLattice* lattice() const { return elastic_.get(); }  // null where all is hard

  /// Poses up to `lanes` at once, without the character's morph targets. A pose comes out the same whatever the others
  /// are. Writes world positions, #vertices a pose.
  void pose(std::span<const Pose> poses, std::span<std::vector<Vec3f>> positions,
            std::span<PoseConvergence> convergence) const;
  /// The skin as it was bound, #vertices.
  const std::vector<Vec3d>& reference() const { return reference_; }
  /// A pose by linear blend skinning.
  std::vector<Vec3d> linear(const Pose& pose) const;

 private:
  LatticeTeacher() = default;
  void find_hard_pieces();
  Result<void> make_elastic(const TeacherOptions& options);
  Anatomy anatomy_of(const TeacherOptions& options, std::span<const std::uint32_t> place_of) const;

  struct Place {
    std::size_t part = 0;
    std::uint32_t vertex = 0;
  };
  /// A connected piece that moves as one.
  struct Piece {
    std::vector<std::uint32_t> vertices;
    bool one_joint = false;  // then it is where linear blend has it
  };

  const Character* character_ = nullptr;
  std::vector<std::size_t> parts_;
  std::vector<Place> places_;         // #vertices
  std::vector<Affined> bound_;        // #skeleton: world transform in the bind pose
  std::vector<Vec3d> reference_;      // #vertices: the skin as bound
  std::vector<std::uint32_t> point_;  // #vertices: those at one place are one point
  std::vector<Triangle> triangles_;
  std::vector<Piece> pieces_;
  std::vector<std::uint32_t> elastic_of_;  // #vertices: vertex of the elastic surface, or none
  std::vector<JointIndex> joints_;         // that elastic skin follows
  std::unique_ptr<const ElasticLattice> elastic_;
};

}  // namespace supple::lattice
