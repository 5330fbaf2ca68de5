// Poses by the lattice teacher, with how they converged.
#pragma once

#include <vector>

#include "supple/author/lattice/lattice_teacher.h"

namespace supple::test {

struct Posed {
  std::vector<std::vector<Vec3f>> positions;
  std::vector<lattice::PoseConvergence> convergence;
};
inline Posed posed_by(const lattice::LatticeTeacher& teacher, const std::vector<Pose>& poses) {
  Posed result{std::vector<std::vector<Vec3f>>(poses.size()), std::vector<lattice::PoseConvergence>(poses.size())};
  teacher.pose(poses, result.positions, result.convergence);
  return result;
}
inline std::vector<Vec3f> posed_by(const lattice::LatticeTeacher& teacher, const Pose& pose) {
  return posed_by(teacher, std::vector<Pose>{pose}).positions[0];
}

}  // namespace supple::test
