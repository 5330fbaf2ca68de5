// A limb whose skin flows: rig, field and path of one pose.
#pragma once

#include <gtest/gtest.h>

#include "supple/author/propose/propose_limbs.h"
#include "supple/deform/field/build.h"
#include "supple/deform/field/state.h"
#include "supple/make/limb.h"

namespace supple::test {

inline DeformationField field_of(const Character& c, FieldSource source) {
  DeformationField field;
  field.source = source;
  if (source == FieldSource::primitives) {
    auto tissue = propose_tissue(c);
    EXPECT_TRUE(tissue);
    field.primitives = std::move(*tissue);
  }
  return field;
}

inline FieldTable table_of(const Character& c, const DeformationField& field) {
  const auto body = FleshBody::of(c);
  EXPECT_TRUE(body);
  auto table = build_field(c, *body, field);
  EXPECT_TRUE(table) << (table ? "" : table.error().message());
  return std::move(*table);
}

/// Eight radii long, two or more joints; radius 1.
inline Character thick_limb(std::size_t joints = 2, std::size_t vertices = 3000, double radius = 1) {
  auto made = make::make_limb({8, radius, joints, vertices});
  EXPECT_TRUE(made);
  return std::move(*made);
}

/// Every joint but the first turned by abduction, flexion and twist, in degrees.
inline std::vector<Affinef> bent(const Character& c, Vec3f degrees) {
  Pose pose = c.rest();
  for (JointIndex j = 1; j < c.skeleton.size(); ++j) {
    const Vec3f radians = degrees * (3.14159265f / 180);
    const float angles[3] = {radians.x, radians.y, radians.z};
    set_angles(pose, c.skeleton, j, angles);
  }
  return to_world(c.skeleton, pose);
}

}  // namespace supple::test
