// The flow, slowly and in double precision: what the fast one is compared with, and what measures of the deformation
// (determinants, divergence) are taken on.
#pragma once

#include <span>
#include <vector>

#include "supple/deform/field/path.h"

namespace supple {

/// How far a point of the body is kin to each limb, 0 to 1: limbs that its skin follows, and their neighbours. Kin
/// deform it smoothly; others push it where they touch. Decided at rest, and kept.
struct Kinship {
  std::vector<double> limbs;  // #limbs; empty: kin to all
  double thinness = 1;        // of the skin there, see FieldTable
};

/// Returns the kinship of a point of rest space, by the limbs' weights in space.
Kinship kinship_at(const FieldTable& table, Vec3d p);
/// Returns the kinship of skin that follows limbs by these weights, #limbs. Space does not say whose skin is where when
/// limbs pass each other or overlap at rest; the skin's weights do.
Kinship kinship_of(const FieldTable& table, std::span<const double> follows);

struct JointWeight {
  JointIndex joint = no_joint;
  double weight = 0;
  Vec3d gradient{};  // per metre, world axes of the moment
};

/// Weights of kin at a point of the world at a moment: they sum to 1, gradients to 0. Where every shape vanishes there
/// are none.
std::vector<JointWeight> field_weights(const FieldTable& table, const FieldMoment& moment, Vec3d p,
                                       const Kinship& kin = {});

/// How much limbs that are not kin press on the point: weights next to 1 for all kin, by joint; no gradients. The flow
/// looks for them at the beginning of each step.
std::vector<JointWeight> contact_weights(const FieldTable& table, const FieldMoment& moment, Vec3d p,
                                         const Kinship& kin);

/// The limb that a point of rest space belongs to: that of the largest weight.
JointIndex owner_limb(const FieldTable& table, Vec3d p, const Kinship& kin);

/// dp/dl at a moment, relative to the limb `owner` (none: to the world), from W_j = sum of the weights below joint j:
/// v = sum_j W_j (theta n x q + u) + grad W_j x A_j,
/// A_j = theta (alpha (q.n) (q - n (q.n)) - beta |n x q|^2 / 2 n) + (alpha + beta) / 2 u x q,
/// which is equation 6 grouped by joints, with the shift u of the joint in place of equation 19's arctangent. Limbs
/// that press on the point share in W_j alone.
Vec3d field_velocity(const FieldTable& table, const FieldMoment& moment, Vec3d p, JointIndex owner = no_joint,
                     const Kinship& kin = {}, std::span<const JointWeight> touching = {});

/// Where the flow takes a point of rest space, in the world of the pose. `owner`: the limb in whose frame it is
/// followed; all agree but for the error of the steps.
Vec3d flow_point(const FieldTable& table, const FieldPath& path, Vec3d p, FlowIntegrator integrator, JointIndex owner,
                 const Kinship& kin);
Vec3d flow_point(const FieldTable& table, const FieldPath& path, Vec3d p);

/// The flow's local ratio of volumes at a point of rest space, by central differences of `step` metres.
double flow_determinant(const FieldTable& table, const FieldPath& path, Vec3d p, FlowIntegrator integrator,
                        double step);

}  // namespace supple
