// Small characters with morph targets and drivers made by hand, for the tests of several layers.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "supple/base/rng.h"
#include "supple/deform/drive.h"
#include "supple/rig/character.h"

namespace supple::test {

inline Quatf random_rotation(Rng& rng, double max_angle) {
  const Vec3d axis = normalized(Vec3d{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)}, {1, 0, 0});
  return Quatf(from_axis_angle(axis, rng.uniform(0, max_angle)));
}

/// Random centres and small coefficients: weights stay near [0, 1]. Nothing about it fits any example.
inline MorphDriver random_driver(Rng& rng, std::vector<JointIndex> joints, RbfKernel kernel, std::uint32_t first_weight,
                                 std::size_t targets, bool twist = false) {
  MorphDriver driver;
  driver.joints = std::move(joints);
  driver.name = "driver of " + std::to_string(driver.joints[0]);
  driver.kernel = kernel;
  driver.radius = static_cast<float>(rng.uniform(0.5, 2));
  driver.first_weight = first_weight;
  for (std::size_t k = 0; k < driver.joints.size(); ++k) {
    driver.reference.push_back({});
    if (twist) driver.twist_axes.push_back({0, 1, 0});
  }
  if (twist) driver.twist_weight = static_cast<float>(rng.uniform(0.2, 0.8));
  if (kernel == RbfKernel::pose) {
    driver.radius = 1;  // has none
    for (std::size_t k = 0; k < driver.joints.size(); ++k)
      driver.radii.push_back(static_cast<float>(rng.uniform(0.5, 2)));
    for (std::uint32_t k = 1; k < driver.joints.size(); ++k) driver.pairs.push_back({k - 1, k});
    driver.pair_weight = 0.5f;
  }
  for (std::size_t c = 0; c < 5 * driver.joints.size(); ++c) driver.centres.push_back(random_rotation(rng, 1.5));
  for (std::size_t m = 0; m < targets; ++m) driver.rest_weights.push_back(static_cast<float>(rng.uniform(0.3, 0.6)));
  for (std::size_t i = 0; i < driver.rows() * targets; ++i) driver.coefficients.push_back(rng.uniform(-0.05, 0.05));
  // Continuous at the reference pose, as a fit would be: there the basis functions add nothing.
  const std::vector<Quatf> still(driver.joints.size());
  std::vector<double> basis;
  for (std::size_t row = 0; row < driver.rows(); ++row) basis.push_back(basis_value(driver, still, row));
  if (kernel == RbfKernel::pose) {  // is 0 there by itself, and written in single precision
    for (double& c : driver.coefficients) c = double{static_cast<float>(c)};
    return driver;
  }
  const auto largest = static_cast<std::size_t>(std::max_element(basis.begin(), basis.end()) - basis.begin());
  for (std::size_t m = 0; m < targets; ++m) {
    double sum = 0;
    for (std::size_t row = 0; row < driver.rows(); ++row) sum += basis[row] * driver.coefficients[row * targets + m];
    driver.coefficients[largest * targets + m] -= sum / basis[largest];
  }
  return driver;
}

/// A strip of eight vertices along y on a chain of three joints; morph targets: two that nothing drives, one of a
/// driver of joint 1, one of the pose of joints 1 and 2, one of both together, two of joint 2 with its twist apart. A
/// rigid triangle on joint 2 has a block of weights of its own, which nothing drives. Clip "wave" turns joints 1 and 2.
inline Character driven_strip() {
  Rng rng(7);
  Character c;
  c.name = "strip";
  std::vector<RawJoint> joints(4);
  joints[0].name = "root";
  for (std::size_t j = 1; j < 3; ++j)
    joints[j] = {"joint " + std::to_string(j), j - 1, {{0, 0.5f, 0}, {}, {1, 1, 1}}, {}};
  joints[3].name = "mesh";
  c.skeleton = build_skeleton(joints)->skeleton;
  const JointIndex one = *c.skeleton.find("joint 1"), two = *c.skeleton.find("joint 2");
  c.skins.push_back({"skin", {*c.skeleton.find("root"), one, two}, std::vector<Affinef>(3)});
  for (std::size_t k = 0; k < 3; ++k) c.skins[0].inverse_bind[k].translation = {0, -0.5f * static_cast<float>(k), 0};
  Part strip;
  strip.name = "strip";
  strip.node = *c.skeleton.find("mesh");
  strip.skin = 0;
  for (std::uint32_t v = 0; v < 8; ++v) {
    const float height = 0.5f * static_cast<float>(v / 2);
    strip.mesh.positions.push_back({v % 2 == 0 ? 0.0f : 0.2f, height, 0.1f * height});
    strip.mesh.normals.push_back({0, 0, 1});
    const std::uint32_t joint = std::min(v / 2, 2u);
    strip.weights.push_vertex(std::vector<Influence>{{joint, 0.75f}, {(joint + 1) % 3, 0.25f}});
    if (v >= 2 && v % 2 == 0) {
      strip.mesh.triangles.push_back({v - 2, v - 1, v});
      strip.mesh.triangles.push_back({v - 1, v + 1, v});
    }
  }
  for (std::uint32_t m = 0; m < 7; ++m) {
    MorphTarget morph{"target " + std::to_string(m), {}, {}, {}, {}};
    for (std::uint32_t v = m % 3; v < 8; v += 2) {
      morph.vertices.push_back(v);
      morph.positions.push_back(Vec3f(Vec3d{rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1)}));
      morph.normals.push_back(Vec3f(Vec3d{rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1)}));
    }
    strip.morphs.push_back(std::move(morph));
  }
  c.parts.push_back(std::move(strip));
  Part flag;
  flag.name = "flag";
  flag.node = two;
  flag.mesh.positions = {{0, 0, 0}, {0.1f, 0, 0}, {0, 0.1f, 0}};
  flag.mesh.triangles = {{0, 1, 2}};
  flag.morphs.push_back({"wide", {1}, {{0.1f, 0, 0}}, {}, {}});
  flag.first_morph_weight = 7;
  c.parts.push_back(std::move(flag));
  c.morph_weights = {0.1f, 0, 0, 0, 0, 0, 0, 0.25f};
  c.drivers = {random_driver(rng, {one}, RbfKernel::exponential, 2, 1),
               random_driver(rng, {one, two}, RbfKernel::cubic, 4, 1),
               random_driver(rng, {two}, RbfKernel::gaussian, 5, 2, true)};
  Rng other(11);
  c.drivers.push_back(random_driver(other, {one, two}, RbfKernel::pose, 3, 1));
  for (const MorphDriver& d : c.drivers)
    std::copy(d.rest_weights.begin(), d.rest_weights.end(), c.morph_weights.begin() + d.first_weight);
  Clip wave{"wave", {}};
  for (const JointIndex j : {one, two}) {
    Track track{Channel::rotation, Interpolation::linear, j, 4, {}, {}};
    for (int k = 0; k < 5; ++k) {
      const Quatf q = k == 0 ? Quatf{} : random_rotation(rng, 1.2);
      track.times.push_back((j == one ? 0.4f : 0.3f) * static_cast<float>(k));
      track.values.insert(track.values.end(), {q.x, q.y, q.z, q.w});
    }
    wave.tracks.push_back(std::move(track));
  }
  c.clips.push_back(std::move(wave));
  return c;
}

/// The strip with narrow limits: drivers 0 and 3 have both, driver 1 only the lower, driver 2 only the upper ones.
inline Character limited_strip() {
  Character c = driven_strip();
  constexpr float room = 0.003f;  // weights leave their rest weights by some thousandths, that of driver 1 by tenths
  for (std::size_t d = 0; d < c.drivers.size(); ++d)
    for (const float rest : c.drivers[d].rest_weights) {
      if (d != 2) c.drivers[d].least.push_back(rest - room);
      if (d != 1) c.drivers[d].most.push_back(rest + room / 3);
    }
  return c;
}

}  // namespace supple::test
