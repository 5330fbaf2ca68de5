#include "supple/author/lattice/projective_dynamics.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "supple/base/decompose.h"

namespace supple::lattice {
namespace {

/// The global step goes so much farther than the one that never overshoots: fewer iterations to the same rest.
constexpr double over_relaxation = 1.6;

/// A joint's motion as flesh takes it: a rotation and a translation, and how much larger it makes things.
struct RigidMotion {
  DualQuatd rigid;
  double scale = 1;
};

RigidMotion rigid_motion(const Affined& motion) {
  const RotationSvd svd = rotation_svd(motion.linear);
  return {make_dual_quat(from_matrix(svd.u * transpose(svd.v)), motion.translation),
          std::cbrt(std::abs(determinant(motion.linear)))};
}

/// Blended as dual quaternions are (Kavan et al. 2008): signs by the heaviest.
DualQuatd blend(std::span<const Influence> influences, std::span<const RigidMotion> motions) {
  const Quatd& first = motions[influences[0].joint].rigid.real;
  DualQuatd sum{{0, 0, 0, 0}, {0, 0, 0, 0}};
  for (const Influence& i : influences) {
    const DualQuatd& q = motions[i.joint].rigid;
    sum = sum + q * (double{i.weight} * (dot(first, q.real) < 0 ? -1.0 : 1.0));
  }
  return normalized(sum);
}

double scale_of(std::span<const Influence> influences, std::span<const RigidMotion> motions) {
  double sum = 0;
  for (const Influence& i : influences) sum += double{i.weight} * motions[i.joint].scale;
  return sum;
}

}  // namespace

struct ElasticLattice::Batch {
  std::vector<Lanes> x, target, force;  // #nodes by 3
  std::vector<Lanes> rotations;         // #cells by 6 by 4
  std::vector<Lanes> scale;             // #cells, or none where nothing is scaled
  std::vector<Affined> frames;          // #poses: from the units of the lattice to the pose's
};

ElasticLattice::ElasticLattice(Lattice lattice, const SkinWeights& node_weights, const ElasticOptions& options)
    : lattice_(std::move(lattice)), options_(options) {
  SymmetricMatrix matrix(lattice_);
  // The sum over six tetrahedra of volume * gradient gradient^T, whose gradients are differences along their edges.
  const double stiffness = (1 + options_.volume) / (6 * over_relaxation);
  constexpr int ways[6][2] = {{4, 6}, {2, 6}, {2, 3}, {1, 3}, {1, 5}, {4, 5}};
  for (const Cell& cell : lattice_.cells)
    for (const auto& way : ways) {
      matrix.add_edge(cell[0], cell[static_cast<std::size_t>(way[0])], stiffness);
      matrix.add_edge(cell[static_cast<std::size_t>(way[0])], cell[static_cast<std::size_t>(way[1])], stiffness);
      matrix.add_edge(cell[static_cast<std::size_t>(way[1])], cell[7], stiffness);
    }
  std::vector<float> hold(lattice_.nodes.size());
  for (std::uint32_t n = 0; n < hold.size(); ++n) {
    const double most = double{node_weights.of(n)[0].weight};
    const double held = std::clamp((most - options_.held_from) / (options_.held_at - options_.held_from), 0.0, 1.0);
    hold[n] = static_cast<float>(options_.hold * held * held + options_.tether);
    // A piece that nothing holds is kept from drifting; beside any hold this counts nothing.
    matrix.add(n, n, double{hold[n]} + 1e-4);
  }
  factor_ = std::make_unique<const Factor>(matrix);
  renumber(lattice_, factor_->order());
  for (const std::uint32_t n : factor_->order()) {
    weights_.push_vertex(node_weights.of(n));
    hold_.push_back(hold[n]);
  }
}

void ElasticLattice::start(std::span<const std::vector<Affined>> motions, Batch& batch) const {
  const std::size_t nodes = lattice_.nodes.size(), poses = motions.size();
  batch.x.resize(3 * nodes);
  batch.target.resize(3 * nodes);
  batch.force.resize(3 * nodes);
  batch.rotations.resize(24 * lattice_.cells.size());
  // Seen from the joint that carries most, so that single precision is enough wherever the character stands.
  std::vector<double> carried(motions[0].size());
  for (const Influence& i : weights_.entries) carried[i.joint] += double{i.weight};
  const auto middle = static_cast<std::size_t>(std::max_element(carried.begin(), carried.end()) - carried.begin());
  const Affined to_surface{Mat3d::diagonal({lattice_.edge, lattice_.edge, lattice_.edge}), lattice_.origin};
  std::vector<std::vector<RigidMotion>> rigid(lanes);
  std::vector<std::vector<Affined>> local(lanes);
  std::array<bool, lanes> scaled{};  // each pose by itself: none depends on the others of its batch
  for (std::size_t l = 0; l < lanes; ++l) {
    const std::vector<Affined>& own = motions[std::min(l, poses - 1)];  // spare lanes repeat the last pose
    const RigidMotion frame = rigid_motion(own[middle]);
    const Affined world = Affined{to_matrix(frame.rigid.real), frame.rigid.translation()} * to_surface;
    const Affined back = inverse(world);
    if (l < poses) batch.frames.push_back(world);
    for (const Affined& motion : own) {
      local[l].push_back(back * motion * to_surface);
      rigid[l].push_back(rigid_motion(local[l].back()));
      scaled[l] = scaled[l] || std::abs(rigid[l].back().scale - 1) > 1e-3;
    }
  }
  for (std::size_t n = 0; n < nodes; ++n) {
    const std::span<const Influence> influences = weights_.of(n);
    const Vec3d rest(lattice_.nodes[n]);
    for (std::size_t l = 0; l < lanes; ++l) {
      Vec3d linear{};
      for (const Influence& i : influences) linear += local[l][i.joint].point(rest) * double{i.weight};
      const double tether = hold_[n] > 0 ? options_.tether / double{hold_[n]} : 1;
      const Vec3f held(local[l][influences[0].joint].point(rest) * (1 - tether) + linear * tether);
      // Scale acts about each joint; a blend of affine maps has it right, and bends that it flattens are few then.
      const Vec3f at(scaled[l] ? linear : blend(influences, rigid[l]).point(rest));
      for (std::size_t axis = 0; axis < 3; ++axis) {
        batch.x[3 * n + axis].lane[l] = axis == 0 ? at.x : axis == 1 ? at.y : at.z;
        batch.target[3 * n + axis].lane[l] = axis == 0 ? held.x : axis == 1 ? held.y : held.z;
      }
    }
  }
  const bool any_scaled = std::ranges::count(scaled, true) > 0;
  if (any_scaled) batch.scale.resize(lattice_.cells.size());
  for (std::size_t k = 0; k < lattice_.cells.size(); ++k) {
    const std::span<const Influence> influences = weights_.of(lattice_.cells[k][0]);
    for (std::size_t l = 0; l < lanes; ++l) {
      const Quatd q = blend(influences, rigid[l]).real;
      for (std::size_t t = 0; t < 6; ++t) {
        Lanes* to = &batch.rotations[4 * (6 * k + t)];
        to[0].lane[l] = static_cast<float>(q.x), to[1].lane[l] = static_cast<float>(q.y);
        to[2].lane[l] = static_cast<float>(q.z), to[3].lane[l] = static_cast<float>(q.w);
      }
      if (any_scaled)
        batch.scale[k].lane[l] = scaled[l] ? static_cast<float>(std::max(1e-3, scale_of(influences, rigid[l]))) : 1.0f;
    }
  }
}

void ElasticLattice::pose(std::span<const std::vector<Affined>> motions, std::span<std::vector<Vec3d>> positions,
                          std::span<PoseConvergence> convergence) const {
  if (motions.empty()) return;
  std::ranges::fill(convergence.first(motions.size()), PoseConvergence{});
  Batch batch;
  start(motions, batch);
  const std::size_t nodes = lattice_.nodes.size(), poses = motions.size();
  std::array<float, lanes> active{}, step{};
  std::fill_n(active.begin(), poses, 1.0f);
  for (int iteration = 1; iteration <= options_.most_iterations; ++iteration) {
    for (std::size_t n = 0; n < nodes; ++n)
      for (std::size_t axis = 0; axis < 3; ++axis)
        for (std::size_t l = 0; l < lanes; ++l)
          batch.force[3 * n + axis].lane[l] =
              hold_[n] * (batch.target[3 * n + axis].lane[l] - batch.x[3 * n + axis].lane[l]);
    projective_kernel().local_step({lattice_.cells.data(), lattice_.cells.size(), batch.x.data(), batch.force.data(),
                                    batch.rotations.data(), batch.scale.empty() ? nullptr : batch.scale.data(),
                                    static_cast<float>(options_.volume)});
    factor_->solve(batch.force.data());
    step.fill(0);
    for (std::size_t i = 0; i < batch.x.size(); ++i)
      for (std::size_t l = 0; l < lanes; ++l) {
        step[l] = std::max(step[l], std::abs(batch.force[i].lane[l]));
        batch.x[i].lane[l] += active[l] * batch.force[i].lane[l];
      }
    bool all_done = true;
    for (std::size_t l = 0; l < poses; ++l) {
      if (active[l] == 0) continue;
      convergence[l].iterations = iteration;
      convergence[l].last_step = step[l];
      if (step[l] < static_cast<float>(options_.tolerance)) active[l] = 0;
      all_done = all_done && active[l] == 0;
    }
    if (all_done) break;
  }
  const auto node_at = [&](std::uint32_t n, std::size_t l) {
    return Vec3d{double{batch.x[3 * n].lane[l]}, double{batch.x[3 * n + 1].lane[l]},
                 double{batch.x[3 * n + 2].lane[l]}};
  };
  constexpr int ways[6][2] = {{4, 6}, {2, 6}, {2, 3}, {1, 3}, {1, 5}, {4, 5}};
  constexpr double sign[6] = {1, -1, 1, -1, 1, -1};  // of the orders of the axes
  for (std::size_t l = 0; l < poses; ++l) {
    for (const Cell& cell : lattice_.cells)
      for (std::size_t t = 0; t < 6; ++t) {
        const Vec3d a = node_at(cell[0], l), b = node_at(cell[static_cast<std::size_t>(ways[t][0])], l),
                    c = node_at(cell[static_cast<std::size_t>(ways[t][1])], l), d = node_at(cell[7], l);
        if (sign[t] * dot(b - a, cross(c - b, d - c)) <= 0) ++convergence[l].inverted;
      }
    positions[l].resize(lattice_.cell_of.size());
    for (std::size_t v = 0; v < lattice_.cell_of.size(); ++v) {
      const Cell& cell = lattice_.cells[lattice_.cell_of[v]];
      const std::array<float, 8> shape = lattice_.shape(v);
      Vec3d sum{};
      for (std::size_t c = 0; c < 8; ++c) sum += node_at(cell[c], l) * double{shape[c]};
      positions[l][v] = batch.frames[l].point(sum);
    }
  }
}

}  // namespace supple::lattice
