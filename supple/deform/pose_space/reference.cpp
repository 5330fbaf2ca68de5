#include "supple/deform/pose_space/reference.h"

#include <algorithm>
#include <cmath>

#include "supple/deform/part_binding.h"

namespace supple {
namespace {

/// u of eq. 16, floor included.
std::vector<double> influences_at(const Character& character, const PoseSpace& space, std::size_t vertex) {
  const Part& part = character.parts[space.part];
  const SkinBinding& binding = character.skins[*part.skin];
  std::vector<double> result;
  const auto counted = [](double u) { return u < PoseSpace::no_influence ? 0 : u; };
  for (const JointIndex joint : space.joints) {
    double own = 0, below = 0;
    for (const Influence& i : part.weights.of(vertex)) {
      if (binding.joints[i.joint] == joint) own += double{i.weight};
      for (JointIndex j = binding.joints[i.joint]; j != no_joint; j = character.skeleton.parent(j))
        if (j == joint) below += double{i.weight};
    }
    switch (space.influence) {
      case JointInfluence::equal:
        result.push_back(1);
        break;
      case JointInfluence::weights:
        result.push_back(counted(own) + double{space.floor});
        break;
      case JointInfluence::subtree:
        below = std::min(below, 1.0);
        result.push_back(counted(4 * below * (1 - below)) + double{space.floor});
        break;
    }
  }
  return result;
}

using Rotations = std::vector<Quatd>;

double phi(const PoseSpace& space, const std::vector<double>& u, const Rotations& a, const Rotations& b) {
  double squared = 0;
  for (std::size_t k = 0; k < u.size(); ++k) squared += u[k] * std::pow(angle_between(a[k], b[k]), 2);
  return std::exp(-std::pow(std::sqrt(squared) / double{space.radius}, 1.5));
}

/// x of a x = b, by elimination with row exchanges.
std::vector<double> solved(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t r = k + 1; r < n; ++r)
      if (std::abs(a[r][k]) > std::abs(a[pivot][k])) pivot = r;
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t r = k + 1; r < n; ++r) {
      const double factor = a[r][k] / a[k][k];
      for (std::size_t c = k; c < n; ++c) a[r][c] -= factor * a[k][c];
      b[r] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t c = k + 1; c < n; ++c) b[k] -= a[k][c] * b[c];
    b[k] /= a[k][k];
  }
  return b;
}

/// f_i(pose) = sum_j c_ij phi_j with C Phi = 1, so that f = Phi^-1 phi; s = f / sum f.
std::vector<double> weights_at(const PoseSpace& space, const std::vector<double>& u,
                               const std::vector<Rotations>& examples, const Rotations& pose) {
  const std::size_t n = examples.size();
  std::vector<std::vector<double>> matrix(n, std::vector<double>(n));
  std::vector<double> right;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) matrix[i][j] = phi(space, u, examples[i], examples[j]);
    if (i > 0) matrix[i][i] += double{space.ridge};
    right.push_back(phi(space, u, pose, examples[i]));
  }
  const double nearest = *std::max_element(right.begin(), right.end());
  std::vector<double> f = solved(matrix, right);
  double sum = 0;
  for (const double x : f) sum += x;
  for (double& x : f) x /= std::max(sum, double{PoseSpace::least_sum} * nearest);
  return f;
}

void add(std::vector<Vec3d>& to, const MorphTarget& target, const std::vector<Vec3f>& offsets,
         const std::vector<std::vector<double>>& weights, std::size_t example) {
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const std::size_t v = target.vertices.empty() ? i : target.vertices[i];
    to[v] += Vec3d(offsets[i]) * weights[v][example];
  }
}

}  // namespace

PoseSpaceShape pose_space_reference(const Character& character, const PoseSpace& space, const Pose& pose) {
  const Part& part = character.parts[space.part];
  const std::size_t joints = space.joints.size();
  std::vector<Rotations> examples(space.examples());
  for (std::size_t i = 0; i < space.settings.size(); ++i)
    examples[i / joints].push_back(normalized(Quatd(space.settings[i])));
  Rotations setting;
  for (std::size_t k = 0; k < joints; ++k)
    setting.push_back(normalized(conjugate(Quatd(space.reference[k])) * Quatd(pose.local[space.joints[k]].rotation)));
  PoseSpaceShape shape;
  const std::vector<Vec3f> normals = rest_normals(part);
  for (std::size_t v = 0; v < part.mesh.positions.size(); ++v) {
    shape.positions.emplace_back(part.mesh.positions[v]);
    shape.normals.emplace_back(normals[v]);
    shape.weights.push_back(weights_at(space, influences_at(character, space, v), examples, setting));
  }
  for (std::size_t e = 1; e < examples.size(); ++e) {
    const MorphTarget& target = part.morphs[space.first_weight - part.first_morph_weight + e - 1];
    add(shape.positions, target, target.positions, shape.weights, e);
    add(shape.normals, target, target.normals, shape.weights, e);
  }
  return shape;
}

}  // namespace supple
