// A limb with one flesh element about its first bone, and bones that go where a test says.
#pragma once

#include <gtest/gtest.h>

#include "supple/author/propose/attach_flesh.h"
#include "supple/deform/flesh/dynamics.h"
#include "supple/make/limb.h"

namespace supple::test {

inline FleshRecipe limb_recipe() {
  FleshRecipe recipe;
  ElementRecipe& e = recipe.elements.emplace_back();
  e.name = "calf";
  e.driver = "limb-0";
  e.ends = {"limb-1"};
  return recipe;
}

/// Three joints .2 m apart along y, radius .05 m; one element from the first to the second.
inline Character fleshy_limb(const FleshRecipe& recipe = limb_recipe(), std::size_t vertices = 2000) {
  make::LimbOptions options;
  options.vertices = vertices;
  auto limb = make::make_limb(options);
  EXPECT_TRUE(limb.ok());
  const auto regions = attach_flesh(*limb, recipe);
  EXPECT_TRUE(regions.ok()) << (regions.ok() ? "" : regions.error().message());
  return std::move(*limb);
}

/// The rest pose moved as one.
inline std::vector<Affinef> moved(const Character& character, Vec3d by, Quatd turn = {}) {
  Pose pose = character.rest();
  pose.local[0].translation += Vec3f(by);
  pose.local[0].rotation = Quatf(turn * Quatd(pose.local[0].rotation));
  return to_world(character.skeleton, pose);
}

}  // namespace supple::test
