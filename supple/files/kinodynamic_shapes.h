// What recipes may say in more ways than a rig keeps it: shapes in OBJ files, turns in degrees, gravity by its
// strength. All become the plain keys that describe() names (see supple/rig/kinodynamics.h).
#pragma once

#include <filesystem>

#include "supple/files/gltf/json.h"
#include "supple/rig/character.h"

namespace supple {

class RecipeShapes {
 public:
  /// Shapes are files in `folder`.
  RecipeShapes(const Character& character, std::filesystem::path folder, Warnings* warnings);

  /// The object of a recipe, which hangs on `joint`, with nothing left but plain keys. They throw gltf::Malformed.
  Json plain_tissue(const gltf::Item& item, JointIndex joint) const;
  Json plain_muscle(const gltf::Item& item, JointIndex joint) const;

  /// What a skin modelled under the muscle's gravity was modelled under, in the muscle's frame.
  Vec3f gravity_at_rest(JointIndex joint, Quatf orientation, Vec3f gravity) const;

  /// Keys that only recipes have.
  static const std::vector<std::string>& further_keys();

 private:
  Mesh read_shape(const gltf::Item& item, const char* key) const;
  void place_surface(const gltf::Item& item, JointIndex joint, Json& json) const;

  std::vector<Affinef> world_;  // joints at rest
  Vec3f usual_gravity_;         // in the character's unit
  std::filesystem::path folder_;
  Warnings* warnings_;
};

}  // namespace supple
