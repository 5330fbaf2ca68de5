#include "supple/deform/field/reference.h"

#include <algorithm>
#include <cmath>

#include "supple/deform/field/shape.h"

namespace supple {
namespace {

/// Skin follows a limb's neighbourhood by this much where it is fully kin to the limb.
constexpr double kin_from = 0.3;

Vec3d to_rest(const Affined& joint, Vec3d p) { return transpose(joint.linear) * (p - joint.translation); }

double share_of(const FieldTable& table, const Kinship& kin, JointIndex joint) {
  const std::uint32_t limb = kin.limbs.empty() ? no_limb : table.limb_of(joint);
  return limb == no_limb ? 1 : kin.limbs[limb];
}

/// Exponents are taken relative to the nearest bone: the sum neither underflows nor vanishes.
double lift_at(const FieldTable& table, const FieldMoment& moment, Vec3d p, const Kinship& kin) {
  if (!table.relative) return 0;
  double nearest = std::numeric_limits<double>::infinity();
  for (const FieldShape& s : table.shapes) {
    if (!(share_of(table, kin, s.joint) > 0)) continue;
    nearest = std::min(nearest, segment_exponent(s, to_rest(moment.joints[s.joint], p), kin.thinness));
  }
  return nearest;
}

Vec3d potential(const JointMotion& m, Vec3d q) {
  const double along = dot(q, m.axis);
  const Vec3d off = q - m.axis * along;
  return (off * (m.alpha * along) - m.axis * (m.beta * squared_length(off) / 2)) * m.rate +
         cross(m.shift, q) * ((m.alpha + m.beta) / 2);
}

double smooth_step(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

/// All weights that move a point: those of kin, which sum to 1, those of limbs that touch it, and how much kin have.
struct Weights {
  std::vector<JointWeight> kin;
  std::span<const JointWeight> touching;
  double share = 1;  // of kin
};

Weights weights_at(const FieldTable& table, const FieldMoment& moment, Vec3d p, JointIndex owner, const Kinship& kin,
                   std::span<const JointWeight> touching) {
  Weights all{field_weights(table, moment, p, kin), touching, 1};
  if (all.kin.empty() && owner != no_joint) all.kin.push_back({owner, 1, {}});  // stays with its limb
  double sum = 1;
  for (const JointWeight& w : touching) sum += w.weight;
  all.share = 1 / sum;
  return all;
}

/// Of W_j: by quotient rule a sum over pairs of limbs, one that hangs on the joint and one that does not,
/// w_k grad w_i - w_i grad w_k. Where limbs are told apart by kinship only those pairs count that hang on each other:
/// the vector potential of a joint is large far from it, where flesh between two fingers would be sent off.
Vec3d volume_gradient(const FieldTable& table, JointIndex joint, const Weights& weights) {
  Vec3d sum{};
  for (const JointWeight& i : weights.kin) {
    if (!table.in_subtree(joint, i.joint)) continue;
    if (table.contacts.empty()) {
      sum += i.gradient;
      continue;
    }
    for (const JointWeight& k : weights.kin)
      if (table.in_subtree(k.joint, i.joint) && !table.in_subtree(joint, k.joint))
        sum += i.gradient * k.weight - k.gradient * i.weight;
  }
  return sum;
}

/// The second term of equation 6.
Vec3d volume_term(const FieldTable& table, const FieldMoment& moment, const Weights& weights, Vec3d p) {
  Vec3d sum{};
  for (const JointMotion& m : moment.motions)
    sum += cross(volume_gradient(table, m.joint, weights), potential(m, p - m.center));
  return sum * weights.share;
}

/// The first: every limb's own motion, blended.
Vec3d blended_step(const FieldMoment& from, const FieldMoment& to, const Weights& weights, Vec3d p) {
  Vec3d sum{};
  for (const std::span<const JointWeight> list : {std::span<const JointWeight>(weights.kin), weights.touching})
    for (const JointWeight& w : list)
      sum += to.joints[w.joint].point(to_rest(from.joints[w.joint], p)) * (w.weight * weights.share);
  return sum;
}

Vec3d euler_flow(const FieldTable& table, const FieldPath& path, Vec3d p, JointIndex owner, const Kinship& kin,
                 bool keeps_volume) {
  for (std::size_t k = 0; k < path.steps(); ++k) {
    const FieldMoment &from = path.moment(2 * k), &to = path.moment(2 * k + 2);
    const std::vector<JointWeight> touching = contact_weights(table, from, p, kin);
    const Weights weights = weights_at(table, from, p, owner, kin, touching);
    const Vec3d volume = keeps_volume ? volume_term(table, from, weights, p) * path.size_of_step(k) : Vec3d{};
    const Vec3d next = blended_step(from, to, weights, p) + volume;
    const Vec3d stay = to.joints[owner].point(to_rest(from.joints[owner], p));
    p = length(next - stay) <= table.farthest ? next : stay;
  }
  return p;
}

Vec3d limb_flow(const FieldTable& table, const FieldPath& path, Vec3d x, JointIndex owner, const Kinship& kin) {
  std::vector<JointWeight> touching;
  const auto slope = [&](const FieldMoment& m, Vec3d at) {
    const Affined& limb = m.joints[owner];
    return transpose(limb.linear) * field_velocity(table, m, limb.point(at), owner, kin, touching);
  };
  for (std::size_t k = 0; k < path.steps(); ++k) {
    const double h = path.size_of_step(k);
    const FieldMoment &a = path.moment(2 * k), &b = path.moment(2 * k + 1), &c = path.moment(2 * k + 2);
    touching = contact_weights(table, a, a.joints[owner].point(x), kin);
    const Vec3d k1 = slope(a, x), k2 = slope(b, x + k1 * (h / 2)), k3 = slope(b, x + k2 * (h / 2)),
                k4 = slope(c, x + k3 * h);
    const Vec3d way = (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (h / 6);
    if (length(way) <= table.farthest) x += way;
  }
  return path.moment(2 * path.steps()).joints[owner].point(x);
}

}  // namespace

Kinship kinship_at(const FieldTable& table, Vec3d p) {
  if (table.contacts.empty()) return {};
  std::vector<double> follows(table.limbs.size());
  for (std::size_t i = 0; i < follows.size(); ++i)
    follows[i] = grid_value(table.grids[table.contacts[i].grid], p).value;
  return kinship_of(table, follows);
}

Kinship kinship_of(const FieldTable& table, std::span<const double> follows) {
  Kinship kin;
  if (table.contacts.empty()) return kin;
  for (std::size_t i = 0; i < follows.size(); ++i) {
    double sum = 0;
    for (const std::uint32_t k : table.neighbours[i]) sum += follows[k];
    kin.limbs.push_back(smooth_step(sum / kin_from));
  }
  // Away from all skin a point is kin to all.
  if (std::all_of(kin.limbs.begin(), kin.limbs.end(), [](double k) { return k == 0; })) kin.limbs.clear();
  return kin;
}

std::vector<JointWeight> field_weights(const FieldTable& table, const FieldMoment& moment, Vec3d p,
                                       const Kinship& kin) {
  const double lift = lift_at(table, moment, p, kin);
  std::vector<JointWeight> weights;
  double sum = 0;
  Vec3d slope{};
  for (const FieldShape& s : table.shapes) {
    const double share = share_of(table, kin, s.joint);
    if (!(share > 0)) continue;
    const Affined& joint = moment.joints[s.joint];
    const ShapeValue v = shape_value(table, s, to_rest(joint, p), lift, kin.thinness);
    if (weights.empty() || weights.back().joint != s.joint) weights.push_back({s.joint, 0, {}});
    const Vec3d gradient = joint.linear * v.gradient * share;
    weights.back().weight += v.value * share;
    weights.back().gradient += gradient;
    sum += v.value * share;
    slope += gradient;
  }
  if (!(sum > 0)) return {};
  for (JointWeight& w : weights) {
    w.weight /= sum;
    w.gradient = (w.gradient - slope * w.weight) / sum;
  }
  return weights;
}

std::vector<JointWeight> contact_weights(const FieldTable& table, const FieldMoment& moment, Vec3d p,
                                         const Kinship& kin) {
  std::vector<JointWeight> weights;
  double sum = 0;
  for (std::size_t i = 0; table.pushes && i < kin.limbs.size(); ++i) {
    if (!(kin.limbs[i] < 1)) continue;
    const LimbContact& c = table.contacts[i];
    const double weight =
        grid_value(table.grids[c.grid], to_rest(moment.joints[c.joint], p)).value * (1 - kin.limbs[i]);
    if (weight > 0) weights.push_back({c.joint, weight, {}});
    sum += weight;
  }
  // However many limbs crowd in, skin follows its own by half.
  if (sum > 1)
    for (JointWeight& w : weights) w.weight /= sum;
  return weights;
}

JointIndex owner_limb(const FieldTable& table, Vec3d p, const Kinship& kin) {
  FieldMoment rest;
  rest.joints.resize(table.parents.size());
  const std::vector<JointWeight> weights = field_weights(table, rest, p, kin);
  if (weights.empty()) return table.shapes.front().joint;
  return std::max_element(weights.begin(), weights.end(),
                          [](const JointWeight& a, const JointWeight& b) { return a.weight < b.weight; })
      ->joint;
}

Vec3d field_velocity(const FieldTable& table, const FieldMoment& moment, Vec3d p, JointIndex owner, const Kinship& kin,
                     std::span<const JointWeight> touching) {
  const Weights weights = weights_at(table, moment, p, owner, kin, touching);
  Vec3d v = volume_term(table, moment, weights, p);
  for (const JointMotion& m : moment.motions) {
    double weight = owner != no_joint && table.in_subtree(m.joint, owner) ? -1 : 0;
    for (const std::span<const JointWeight> list : {std::span<const JointWeight>(weights.kin), weights.touching})
      for (const JointWeight& w : list)
        if (table.in_subtree(m.joint, w.joint)) weight += w.weight * weights.share;
    v += (cross(m.axis, p - m.center) * m.rate + m.shift) * weight;
  }
  return v;
}

Vec3d flow_point(const FieldTable& table, const FieldPath& path, Vec3d p, FlowIntegrator integrator, JointIndex owner,
                 const Kinship& kin) {
  const Vec3d moved = integrator == FlowIntegrator::rk4_limb
                          ? limb_flow(table, path, p, owner, kin)
                          : euler_flow(table, path, p, owner, kin, integrator == FlowIntegrator::euler);
  return path.after().point(moved);
}

Vec3d flow_point(const FieldTable& table, const FieldPath& path, Vec3d p) {
  const Kinship kin = kinship_at(table, p);
  return flow_point(table, path, p, table.integrator, owner_limb(table, p, kin), kin);
}

double flow_determinant(const FieldTable& table, const FieldPath& path, Vec3d p, FlowIntegrator integrator,
                        double step) {
  const JointIndex owner =
      owner_limb(table, p, kinship_at(table, p));  // one for all: its error of steps is not a slope
  Mat3d slope;
  for (std::size_t k = 0; k < 3; ++k) {
    Vec3d e{};
    e[k] = step;
    const Vec3d to = flow_point(table, path, p + e, integrator, owner, kinship_at(table, p + e));
    const Vec3d from = flow_point(table, path, p - e, integrator, owner, kinship_at(table, p - e));
    slope[k] = (to - from) / (2 * step);
  }
  return determinant(slope);
}

}  // namespace supple
