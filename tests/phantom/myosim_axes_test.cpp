// Flexion axes of the hand of real bones beside those of another model, MyoSim's, of the same bones of other people.
#include <gtest/gtest.h>

#include <cstdio>

#include "phantom/myosim_axes.h"
#include "support/shared_data.h"

namespace supple::phantom {
namespace {

TEST(HandOfBones, FlexionAxesAgreeWithMyoSim) {
  const auto real = test::shared_data("bodyparts3d_right_hand_bones"), myo = test::shared_data("myosim_hand_bones");
  SUPPLE_REQUIRE_DATA(real);
  SUPPLE_REQUIRE_DATA(myo);
  const auto hand = measure_hand(test::stl_folder(real));
  ASSERT_TRUE(hand) << hand.error().message();
  for (const test::MyoSimJoint& row : test::myosim_joints) {
    const test::LaidAxis theirs = test::lay_axis(row, *hand, myo);
    const auto bone = std::find_if(hand->anatomy.bones.begin(), hand->anatomy.bones.end(),
                                   [&](const make::AnatomicalBone& b) { return b.joint == row.joint; });
    ASSERT_NE(bone, hand->anatomy.bones.end()) << row.joint;
    const double apart = test::degrees_apart(theirs.axis, make::to_model(bone->across(), hand->side));
    std::printf("%-36s axes %5.1f degrees apart; bones %.2f mm after scaling by %.3f\n", row.joint, apart,
                theirs.fit.residual * 1000, theirs.fit.map.scale);
    EXPECT_LT(theirs.fit.residual, 0.001) << row.joint;  // bones of two people
    EXPECT_LT(apart, 20) << row.joint;                   // measured: 5 to 13
  }
}

}  // namespace
}  // namespace supple::phantom
