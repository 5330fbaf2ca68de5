// The figures kinematic flow is judged by: a closed limb of 16000 vertices (chords across fewer show up as lost
// volume), radius 1 and 8 radii long, bent and twisted by every method. For each: change of volume, smallest local
// volume ratio (det J), intersecting triangles, how far the tip is from where its bone says, and evaluations of the
// field for a vertex.
//
//   supple_field_figures [tissue|automatic|painted]
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numbers>

#include "supple/author/propose/propose_limbs.h"
#include "supple/base/dual_quat.h"
#include "supple/base/parallel.h"
#include "supple/deform/field/build.h"
#include "supple/deform/field/reference.h"
#include "supple/make/limb.h"
#include "supple/measure/intersections.h"
#include "supple/measure/jacobian.h"
#include "supple/measure/volume.h"

using namespace supple;

namespace {

constexpr double degrees = std::numbers::pi / 180;

struct Method {
  const char* name;
  enum { linear, dual, flow } kind;
  FlowIntegrator integrator;
  std::size_t steps, evaluations;
};
constexpr Method methods[] = {
    {"linear blend", Method::linear, {}, 1, 1},
    {"dual quaternion", Method::dual, {}, 1, 1},
    {"eq. 5", Method::flow, FlowIntegrator::blend, 16, 16},
    {"eq. 7", Method::flow, FlowIntegrator::euler, 16, 16},
    {"rk4-limb", Method::flow, FlowIntegrator::rk4_limb, 4, 16},
    {"rk4-limb", Method::flow, FlowIntegrator::rk4_limb, 8, 32},
};

struct Case {
  const char* name;
  std::size_t joints;
  float radius;
  float angles[3];  // abduction, flexion, twist in degrees, of every joint but the first
};
constexpr Case cases[] = {
    {"bend 45", 2, 1, {0, 45, 0}},   {"bend 90", 2, 1, {0, 90, 0}},       {"bend 120", 2, 1, {0, 120, 0}},
    {"bend 150", 2, 1, {0, 150, 0}}, {"twist 180", 2, 1, {0, 0, 179.9f}}, {"finger 3x60", 4, 0.6f, {0, 60, 0}},
};

/// Where a method takes points, for one case.
struct Deformation {
  FieldTable table;
  FieldPath path;
  Method method;

  Vec3d operator()(Vec3d p) const {
    if (method.kind == Method::flow) {
      const Kinship kin = kinship_at(table, p);
      return flow_point(table, path, p, method.integrator, owner_limb(table, p, kin), kin);
    }
    const std::vector<JointWeight> weights = field_weights(table, path.moment(0), p);
    const FieldMoment& end = path.moment(2 * path.steps());
    if (method.kind == Method::linear) {
      Vec3d sum{};
      for (const JointWeight& w : weights) sum += end.joints[w.joint].point(p) * w.weight;
      return path.after().point(sum);
    }
    DualQuatd sum{{0, 0, 0, 0}, {0, 0, 0, 0}};
    DualQuatd first{};
    for (const JointWeight& w : weights) {
      const DualQuatd q = make_dual_quat(from_matrix(end.joints[w.joint].linear), end.joints[w.joint].translation);
      if (&w == weights.data()) first = q;
      const double sign = dot(q.real, first.real) < 0 ? -w.weight : w.weight;
      sum = sum + q * sign;
    }
    return path.after().point(normalized(sum).point(p));
  }
};

Result<measure::JacobianSummary> determinants(const Deformation& map, std::span<const Vec3d> points) {
  if (map.method.kind != Method::flow) return measure::measure_jacobian(map, points, 1e-5);
  std::vector<double> all(points.size());
  parallel_for(points.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      all[i] = flow_determinant(map.table, map.path, points[i], map.method.integrator, 1e-5);
  });
  return measure::summarize_jacobians(all, points);
}

Result<void> print_case(const Case& c, FieldSource source) {
  const auto limb = make::make_limb({8, double{c.radius}, c.joints, 16000});
  if (!limb) return limb.error();
  const auto body = FleshBody::of(*limb);
  if (!body) return body.error();
  DeformationField field;
  field.source = source;
  if (source == FieldSource::primitives) {
    auto tissue = propose_tissue(*limb);
    if (!tissue) return tissue.error();
    field.primitives = std::move(*tissue);
  }
  Warnings warnings;
  const auto table = build_field(*limb, *body, field, &warnings);
  if (!table) return table.error();
  for (const std::string& w : warnings) std::printf("warning: %s\n", w.c_str());

  Pose pose = limb->rest();
  for (JointIndex j = 1; j < limb->skeleton.size(); ++j) {
    const float angles[3] = {c.angles[0] * static_cast<float>(degrees), c.angles[1] * static_cast<float>(degrees),
                             c.angles[2] * static_cast<float>(degrees)};
    set_angles(pose, limb->skeleton, j, angles);
  }
  const std::vector<Affinef> world = to_world(limb->skeleton, pose);
  const Mesh& rest = limb->parts[0].mesh;
  const auto interior = measure::interior_points(rest, double{c.radius} * 0.16, double{c.radius} * 0.03);
  if (!interior) return interior.error();

  for (const Method& method : methods) {
    Deformation map{*table, FieldPath(*table), method};
    map.path.set(map.table, world, method.steps);
    std::vector<Vec3f> posed(rest.positions.size());
    for (std::size_t v = 0; v < posed.size(); ++v) posed[v] = Vec3f(map(Vec3d(rest.positions[v])));
    const auto volume = measure::volume_change(rest, posed);
    const auto jacobian = determinants(map, *interior);
    const auto crossed = measure::self_intersections(rest, posed);
    if (!volume) return volume.error();
    if (!jacobian) return jacobian.error();
    if (!crossed) return crossed.error();
    // The cap at the far end: its middle and rim.
    const Affined carried = map.path.after() * map.path.moment(2 * map.path.steps()).joints.back();
    double tip = 0;
    for (std::size_t v = 0; v < posed.size(); ++v)
      if (rest.positions[v].y > 7.999f)
        tip = std::max(tip, length(carried.point(Vec3d(rest.positions[v])) - Vec3d(posed[v])));
    std::printf("%-12s %-16s %3zu  %8.3f  %7.3f  %5zu  %8.4f   (%.1f %.1f %.1f)\n", c.name, method.name,
                method.evaluations, 100 * volume->relative, jacobian->min, crossed->triangles, tip / double{c.radius},
                jacobian->worst_position.x, jacobian->worst_position.y, jacobian->worst_position.z);
    std::fflush(stdout);
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  struct Named {
    const char* name;
    FieldSource source;
  };
  constexpr Named sources[] = {
      {"tissue", FieldSource::primitives}, {"automatic", FieldSource::automatic}, {"painted", FieldSource::painted}};
  for (const Named& s : sources) {
    if (argc > 1 && std::strcmp(argv[1], s.name) != 0) continue;
    std::printf("weights: %s\n%-12s %-16s %3s  %8s  %7s  %5s  %8s   %s\n", s.name, "case", "method", "ev", "volume %",
                "min det", "cross", "tip / r", "least det at");
    for (const Case& c : cases) {
      if (auto ok = print_case(c, s.source); !ok) {
        std::fprintf(stderr, "%s\n", ok.error().message().c_str());
        return 1;
      }
    }
  }
  return 0;
}
