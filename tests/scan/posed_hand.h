// A bent procedural hand as blending gives it, and as it "really" is: the truth that fits are measured against.
#pragma once

#include <cmath>

#include "supple/base/rng.h"
#include "supple/deform/skin.h"
#include "supple/geometry/bvh.h"
#include "supple/geometry/remesh.h"
#include "supple/make/hand.h"

namespace supple::test {

struct PosedHand {
  Character character;
  Mesh base;                   // at rest
  std::vector<Vec3f> blended;  // bent, linear blend
  Mesh truth;                  // bent, dual quaternions, and bulges of up to 1.5 mm over 50 mm
};

inline PosedHand posed_hand(std::size_t vertices) {
  make::HandOptions options;
  options.vertices = vertices;
  options.bones = false;
  PosedHand hand{make::make_hand(options).value(), {}, {}, {}};
  hand.base = hand.character.parts[0].mesh;
  Pose pose = hand.character.rest();
  for (const char* finger : {"middle-finger", "ring-finger"}) {
    for (const char* bone : {"-phalanx-proximal", "-phalanx-intermediate"}) {
      rotate(pose, hand.character.skeleton, std::string(finger) + bone, "flexion", 0.9f).ok();
    }
  }
  const auto posed = [&](Blend blend) {
    Skin skin = Skin::make(hand.character, blend).value();
    skin.evaluate(pose).ok();
    return std::vector<Vec3f>(skin.positions().begin(), skin.positions().end());
  };
  hand.blended = posed(Blend::linear);
  hand.truth.positions = posed(Blend::dual_quaternion);
  hand.truth.triangles = hand.base.triangles;
  std::vector<Vec3f> normals(vertices);
  compute_normals(hand.truth.positions, hand.truth.triangles, normals);
  for (std::size_t v = 0; v < hand.truth.positions.size(); ++v) {
    const Vec3d p(hand.base.positions[v]);
    const double bulge = 0.0015 * std::sin(125 * p.x) * std::sin(125 * p.z);  // 2 pi / 125 is 50 mm
    hand.truth.positions[v] += normals[v] * static_cast<float>(bulge);
  }
  return hand;
}

/// The surface of `truth` with other vertices, `edge` metres apart, each off by noise of `noise` metres.
inline Mesh scanned(const Mesh& truth, double edge, double noise, std::uint64_t seed = 5) {
  const Bvh surface(truth.positions, truth.triangles);
  RemeshOptions options;
  options.edge_length = [edge](Vec3d) { return edge; };
  options.project = [&](Vec3d p) { return Vec3d(surface.closest(Vec3f(p)).point); };
  options.iterations = 3;
  Mesh scan = remesh(truth, options).value();
  scan.normals.clear();
  Rng rng(seed);
  const double half_width = noise * std::sqrt(3.0);  // of a uniform distribution with that standard deviation
  for (Vec3f& p : scan.positions) {
    p += Vec3f(Vec3d{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)} * half_width);
  }
  return scan;
}

}  // namespace supple::test
