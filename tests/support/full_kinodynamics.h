// Kinodynamics that have something of everything a file can hold.
#pragma once

#include "shapes.h"
#include "supple/rig/kinodynamics.h"

namespace supple::test {

/// For characters with three joints and eight vertices at least.
inline Kinodynamics full_kinodynamics() {
  Kinodynamics k;
  k.field.primitives = {
      {"upper", 0, TissueKind::soft, {0, 0.1f, 0}, {}, {0.15f, 0.3f, 0.15f}, 1, {}},
      {"", 1, TissueKind::soft, {0, 0.1f, 0.003f}, {0.6f, 0, 0, 0.8f}, {0.15f, 0.3f, 0.15f}, 1.5f, {}},
      {"shin", 2, TissueKind::bone, {0, 0.1f, 0}, {}, {0.02f, 0.1f, 0.02f}, 1, std::vector<float>(64, 0.1f / 3)}};
  k.field.source = FieldSource::primitives;
  k.field.shortening = 0.7f;
  k.field.spread = 1.1f;
  k.field.reach = 2.7f;
  k.field.contact = 0.25f;
  k.field.everywhere = true;
  k.field.volume = {{1, {{0, 0.5f, 0.5f}, {1.5707964f, 0.3f, 0.6f}}}};
  k.field.integrator = FlowIntegrator::euler;
  k.field.step = 0.2f;
  k.field.bound = {{0, 1, 1}, {0, 6, 0.25f}};
  k.window = 0.75f;
  VortexMuscle calf;
  calf.name = "calf";
  calf.joint = 1;
  calf.center = {0.01f, 0.1f, 0};
  calf.orientation = {0, 0.28f, 0, 0.96f};
  calf.radii = {0.03f, 0.08f, 0.03f};
  calf.samples = 162;
  calf.reach = 3.5f;
  calf.frequency = 4.1f;
  calf.damping_ratio = 0.2f;
  calf.density = 1060;
  calf.medium_density = 1.2f;
  calf.gravity = {0, -1.62f, 0};
  calf.modelled_gravity = {0.1f, 0, 0.2f};
  calf.stretch = -3;
  calf.stretch_axis = {0, 0, 1};
  calf.stretch_center = {0, 0, 0.02f};
  calf.life = 0.25f;
  calf.shear = true;
  calf.limit = 0.4f;
  calf.skin_joints = {1, 2};
  VortexMuscle ball;
  ball.name = "ball";
  ball.joint = 1;
  ball.center = {0, 0.1f, 0};
  ball.radii = {0.03f, 0.03f, 0.03f};
  const Mesh sphere = test::sphere(0.03, 5, 6);
  ball.surface_positions = sphere.positions;
  ball.surface_triangles = sphere.triangles;
  ball.target = sphere.positions;
  for (Vec3f& p : ball.target) p.x *= 1.1f;
  ball.skin_weights = {{0, 5, 0.5f}, {0, 2, 1}, {0, 7, 0.1f}};
  k.muscles = {calf, ball};
  return k;
}

}  // namespace supple::test
