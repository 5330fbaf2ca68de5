// Flesh as an artist describes it: names and a few numbers. attach_flesh() makes elements of it.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "supple/rig/attenuation.h"
#include "supple/rig/flesh.h"

namespace supple {

/// Frequency and damping ratio, or stiffness and damping, which need the mass.
struct SpringRecipe {
  std::optional<double> frequency, damping_ratio;  // Hz, 1
  std::optional<double> stiffness, damping;        // N/m, N s/m
  Vec3d axes{1, 1, 1};
  double share = 1;
};

struct ElementRecipe {
  std::string name, driver;
  std::vector<std::string> ends;        // empty: the driver's children
  std::vector<std::string> joints;      // whose skin swings; empty: the driver and the joints between it and the ends
  std::string part;                     // only of this part; empty: of all
  std::vector<std::uint32_t> vertices;  // only these of the part; empty: all
  std::optional<double> thickness;      // of the bone (its radius); empty: a third of the usual distance of the skin
  Attenuation attenuation;
  std::optional<double> mass;  // kg; empty: volume times density
  double density = 1000;       // kg/m^3
  std::vector<SpringRecipe> springs{SpringRecipe{}};
  std::optional<FleshTorsion> torsion;
  Vec3d gravity{0, -9.81, 0};  // m/s^2
  bool modelled_under_gravity = true;
  double air_friction = 0, gain = 1;
  std::optional<double> max_elongation, radius;  // empty: from the skin, which neither crosses the bone nor folds over
};

struct ColliderRecipe {
  std::string name, joint;
  Vec3d a{}, b{};
  double radius = 0;
  std::vector<std::string> elements;  // empty: all whose own skin does not hang on the joint
};

/// Lengths are in the file's units, of which one is `unit` metres.
struct FleshRecipe {
  double unit = 1;
  std::vector<ElementRecipe> elements;
  std::vector<ColliderRecipe> colliders;
  std::vector<std::array<std::string, 2>> contacts;
  /// Joints or parts whose skin keeps its shape, or swings though it looks hard: see find_hard_skin().
  std::vector<std::string> hard{}, soft{};
};

/// How a spring feels, for people who do not think in hertz.
struct SpringPreset {
  const char* name;
  const char* summary;
  double frequency, damping_ratio;
};
std::span<const SpringPreset> spring_presets();
/// The error lists the names.
Result<SpringPreset> spring_preset(std::string_view name);

}  // namespace supple
