// A small set of known shape: a box on three joints, bent and twisted.
#pragma once

#include "supple/rig/example_set.h"
#include "support/shapes.h"

namespace supple::test {

/// Joints "root", "elbow" (flexion, twist) and "tip"; a box of 1 x 2 x 1 m bound half to root and half to elbow.
inline Character bar() {
  Character c;
  c.name = "bar";
  const std::vector<RawJoint> joints{{"root", std::nullopt, {}, {}},
                                     {"elbow",
                                      0,
                                      {{0, 1, 0}, normalized(Quatf{0.1f, 0.2f, -0.3f, 0.9f}), {1, 1, 1}},
                                      {{"flexion", {1, 0, 0}, -0.1f, 2.5f}, {"twist", {0, 1, 0}, -1, 1}}},
                                     {"tip", 1, {{0, 1, 0}, {}, {1, 1, 1}}, {}}};
  c.skeleton = build_skeleton(joints).value().skeleton;
  Part part;
  part.name = "skin";
  part.mesh = box({-0.5f, 0, -0.5f}, {0.5f, 2, 0.5f});
  part.mesh.normals.resize(8);
  compute_normals(part.mesh.positions, part.mesh.triangles, part.mesh.normals);
  part.skin = 0;
  const std::vector<Affinef> world = to_world(c.skeleton, rest_pose(c.skeleton));
  c.skins.push_back({"skin", {0, 1}, {inverse(world[0]), inverse(world[1])}});
  for (std::uint32_t v = 0; v < 8; ++v) {
    const Influence whole{(v & 2) != 0 ? 1u : 0u, 1};
    part.weights.push_vertex({&whole, 1});
  }
  c.parts.push_back(std::move(part));
  return c;
}

/// Four made-up examples of it. `moved` gives the third a translation.
inline ExampleSet bar_examples(bool moved = false) {
  const Character c = bar();
  ExampleSet set;
  set.part = "skin";
  set.origin = "made up";
  set.skeleton = c.skeleton;
  set.rest_positions = c.parts[0].mesh.positions;
  set.rest_normals = c.parts[0].mesh.normals;
  set.triangles = c.parts[0].mesh.triangles;
  set.examples = {{"rest", "", Role::train, {}, 1, 0, {}},
                  {"bent 40", "elbow", Role::train, {"single", "elbow"}, 0.5f, 0.3f, {}},
                  {"bent 80", "elbow", Role::test, {"single"}, 1, 0, {"snapped"}},
                  {"\"odd\" \xc3\xa4\xe2\x82\xac", "elbow", Role::train, {}, 0, 0, {"reviewed"}}};
  std::vector<Quatf> rotations;
  std::vector<Vec3f> translations, positions, normals;
  for (std::size_t i = 0; i < 4; ++i) {
    Pose pose = rest_pose(c.skeleton);
    const float angles[]{0.7f * static_cast<float>(i), 0.1f};
    set_angles(pose, c.skeleton, 1, angles);
    if (moved && i == 2) pose.local[2].translation = {0.1f, 1, 0};
    for (const Transformf& t : pose.local) {
      rotations.push_back(t.rotation);
      translations.push_back(t.translation);
    }
    for (std::size_t v = 0; v < 8; ++v) {
      positions.push_back(set.rest_positions[v] + Vec3f{0.01f, 0.1f, 0.001f} * (static_cast<float>(i * v) / 3));
      normals.push_back(set.rest_normals[v]);
    }
  }
  set.rotations = std::move(rotations);
  if (moved) set.translations = std::move(translations);
  set.positions = std::move(positions);
  set.normals = std::move(normals);
  return set;
}

/// The array with one entry changed.
template <class T>
SharedArray<T> with(const SharedArray<T>& array, std::size_t place, T value) {
  std::vector<T> copy(array.begin(), array.end());
  copy[place] = value;
  return copy;
}

/// Equal bit for bit.
template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && std::equal(std::as_bytes(a).begin(), std::as_bytes(a).end(), std::as_bytes(b).begin());
}

inline bool same(const ExampleSet& a, const ExampleSet& b) {
  return a.part == b.part && a.origin == b.origin && a.examples == b.examples &&
         std::equal(a.skeleton.names().begin(), a.skeleton.names().end(), b.skeleton.names().begin(),
                    b.skeleton.names().end()) &&
         same_bits(a.skeleton.rest(), b.skeleton.rest()) && same_bits(a.skeleton.parents(), b.skeleton.parents()) &&
         same_bits<Vec3f>(a.rest_positions, b.rest_positions) && same_bits<Vec3f>(a.rest_normals, b.rest_normals) &&
         same_bits<Triangle>(a.triangles, b.triangles) && same_bits<Quatf>(a.rotations, b.rotations) &&
         same_bits<Vec3f>(a.translations, b.translations) && same_bits<Vec3f>(a.scales, b.scales) &&
         same_bits<Vec3f>(a.positions, b.positions) && same_bits<Vec3f>(a.normals, b.normals);
}

}  // namespace supple::test
