// Parts by the names of parts, meshes and nodes.
#include "supple/rig/find_part.h"

#include <gtest/gtest.h>

namespace supple {
namespace {

/// Mesh "face" of two parts on node "Head", mesh "coat" on node "Body", and a hat without a skin.
Character dressed() {
  Character c;
  c.name = "doll";
  c.skeleton.append("root", no_joint);
  const JointIndex head = c.skeleton.append("Head", 0), body = c.skeleton.append("Body", 0);
  const auto add = [&](const char* name, JointIndex node, bool skinned) {
    Part part;
    part.name = name;
    part.node = node;
    if (skinned) part.skin = 0;
    c.parts.push_back(std::move(part));
  };
  add("hat", head, false);
  add("face.0", head, true);
  add("face.1", head, true);
  add("coat", body, true);
  return c;
}

using Places = std::vector<std::size_t>;

TEST(FindPart, ByPartMeshAndNode) {
  const Character c = dressed();
  EXPECT_EQ(*find_parts(c, "face.1"), Places{2});
  EXPECT_EQ(*find_parts(c, "face"), (Places{1, 2}));
  EXPECT_EQ(*find_parts(c, "Head"), (Places{0, 1, 2}));
  EXPECT_EQ(*find_parts(c, "Body"), Places{3});
  EXPECT_EQ(*find_parts(c, "*a*"), (Places{0, 1, 2, 3}));
  EXPECT_EQ(*find_parts(c, "c*t"), Places{3});
  EXPECT_EQ(find_part(c, "Body").value(), 3u);
  EXPECT_EQ(find_part(c).value(), 1u) << "the first with a skin";
  EXPECT_EQ(skinned_parts(c), (Places{1, 2, 3}));
}

TEST(FindPart, ErrorsListTheChoices) {
  const Character c = dressed();
  const std::string several = find_part(c, "face").error().message();
  EXPECT_NE(several.find("face.0"), std::string::npos) << several;
  EXPECT_NE(several.find("face.1"), std::string::npos) << several;
  const std::string none = find_part(c, "cout").error().message();
  EXPECT_NE(none.find("did you mean coat?"), std::string::npos) << none;
  EXPECT_NE(none.find("hat"), std::string::npos) << none;
  EXPECT_NE(none.find("(node Body)"), std::string::npos) << none;
  EXPECT_FALSE(find_parts(c, "").ok());
  EXPECT_FALSE(find_parts(Character{}, "x").ok());
}

}  // namespace
}  // namespace supple
