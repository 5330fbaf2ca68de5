#include "supple/make/hand_template.h"

#include <gtest/gtest.h>

#include <set>

#include "supple/make/hand_rig.h"
#include "supple/rig/pose.h"

namespace supple::make {
namespace {

TEST(HandTemplate, HasTheJointsOfTheHandWhereTheyAre) {
  for (const Side side : {Side::left, Side::right}) {
    const BoneTemplate hand = hand_template(side);
    const Skeleton skeleton = hand_skeleton(hand_anatomy(), side).value();
    const std::vector<Affinef> world = to_world(skeleton, rest_pose(skeleton));
    ASSERT_EQ(hand.bones.size(), 21u);  // forearm, carpus, 5 metacarpals, 14 phalanges
    ASSERT_EQ(hand.ends.size(), 5u);
    std::set<std::string> names;
    for (std::size_t i = 0; i < hand.bones.size(); ++i) {
      const TemplateBone& bone = hand.bones[i];
      const auto joint = skeleton.find(bone.joint);
      ASSERT_TRUE(joint) << bone.joint;
      names.insert(bone.joint);
      // The skeleton holds floats and multiplies them along the chain: 1e-6 metres.
      EXPECT_LT(length(bone.head - Vec3d(world[*joint].translation)), 1e-6) << bone.joint;
      EXPECT_LT(norm(bone.axes - Mat3d(world[*joint].linear)), 1e-5) << bone.joint;
      EXPECT_NEAR(determinant(bone.axes), 1, 1e-12);
      EXPECT_LT(length(normalized(bone.tail - bone.head) + bone.axes.c2), 1e-9) << "-z points along the bone";
      EXPECT_EQ(bone.dofs.size(), skeleton.dofs(*joint).size());
      if (i == 0) {
        EXPECT_EQ(bone.parent, TemplateBone::none);
      } else {
        ASSERT_LT(bone.parent, i);
        EXPECT_EQ(hand.bones[bone.parent].joint, skeleton.name(skeleton.parent(*joint)));
      }
      EXPECT_GT(bone.radius, 0.001);  // the last bone of the little finger is 3 mm thick
      EXPECT_LT(bone.radius, 0.022);
    }
    EXPECT_EQ(names.size(), hand.bones.size());
    for (const BoneTemplate::End& end : hand.ends) {
      const auto joint = skeleton.find(end.joint);
      ASSERT_TRUE(joint) << end.joint;
      EXPECT_LT(length(end.at - Vec3d(world[*joint].translation)), 1e-6) << end.joint;
      EXPECT_EQ(hand.bones[end.parent].joint, skeleton.name(skeleton.parent(*joint)));
    }
  }
}

TEST(HandTemplate, SaysWhichBonesAreSeveralPiecesAndWhichJointsSlide) {
  const BoneTemplate hand = hand_template(Side::right);
  EXPECT_EQ(hand.name, "right hand");
  std::set<std::string> compound, slides;
  for (const TemplateBone& bone : hand.bones) {
    if (bone.compound) compound.insert(bone.joint);
    if (bone.slides) slides.insert(bone.joint);
  }
  EXPECT_EQ(compound, (std::set<std::string>{"forearm", "wrist"}));
  EXPECT_EQ(slides, (std::set<std::string>{"wrist", "thumb-metacarpal"}));
}

}  // namespace
}  // namespace supple::make
