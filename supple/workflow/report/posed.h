// One pose of a character with everything that a picture needs of it.
#pragma once

#include <vector>

#include "supple/deform/skin.h"

namespace supple::workflow {

struct Posed {
  std::vector<std::vector<Vec3f>> positions, normals;  // per part, world space
  std::vector<std::vector<float>> values;              // per part, for scalar maps; metres or weights
  std::vector<Vec3f> joints;
};

/// What the skin showed last.
inline Posed posed_by(const Skin& skin) {
  Posed posed;
  for (std::size_t p = 0; p < skin.parts(); ++p) {
    posed.positions.emplace_back(skin.positions(p).begin(), skin.positions(p).end());
    posed.normals.emplace_back(skin.normals(p).begin(), skin.normals(p).end());
  }
  for (const Affinef& m : skin.world()) posed.joints.push_back(m.translation);
  return posed;
}

}  // namespace supple::workflow
