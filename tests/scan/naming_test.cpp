#include "supple/author/scan/naming.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "scan/hand_scan.h"
#include "supple/author/scan/naming_given.h"
#include "supple/author/scan/naming_shapes.h"
#include "supple/base/parallel.h"
#include "support/shared_data.h"

namespace supple::scan {
namespace {

using make::Side;

const Skeleton& hand_skeleton_of(Side side) {
  static const Skeleton left = make::hand_skeleton(make::hand_anatomy(), Side::left).value();
  static const Skeleton right = make::hand_skeleton(make::hand_anatomy(), Side::right).value();
  return side == Side::left ? left : right;
}

/// The bones at rest, sampled once: naming looks at shapes as a whole, so that moving the same samples is enough.
test::Pieces rest_pieces(Side side) {
  static const auto make_pieces = [](Side s) {
    Rng rng(1);
    const std::vector<Affined> still(make::hand_anatomy().bones.size());
    return test::pieces_of(test::scanned_bones(still, {}, {1.2, 0.05e-3, s}, rng));
  };
  static const test::Pieces left = make_pieces(Side::left), right = make_pieces(Side::right);
  return side == Side::left ? left : right;
}

test::Pieces posed_pieces(Side side, double flexion, std::uint64_t seed, const Affined* placement = nullptr) {
  Rng rng(seed);
  const Skeleton& skeleton = hand_skeleton_of(side);
  const std::vector<Affined> motions = test::bone_motions(skeleton, test::random_pose(skeleton, flexion, rng));
  const Affined placed = placement != nullptr ? *placement : test::random_placement(rng);
  test::Pieces pieces = rest_pieces(side);
  for (std::size_t p = 0; p < pieces.parts.size(); ++p) {
    const Affined m = placed * motions[pieces.bone_of[p]];
    Mesh& mesh = pieces.parts[p].surface;
    for (Vec3f& v : mesh.positions) v = Vec3f(m.point(Vec3d(v)));
    for (Vec3f& n : mesh.normals) n = Vec3f(m.vector(Vec3d(n)));
    pieces.parts[p].centre = m.point(pieces.parts[p].centre);
  }
  // A scan does not list its pieces in our order.
  for (std::size_t p = pieces.parts.size(); p-- > 1;) {
    const std::uint32_t other = rng.below(static_cast<std::uint32_t>(p) + 1);
    std::swap(pieces.parts[p], pieces.parts[other]);
    std::swap(pieces.bone_of[p], pieces.bone_of[other]);
  }
  return pieces;
}

void expect_right_names(const Naming& naming, const test::Pieces& pieces) {
  std::size_t named = 0;
  for (const NamedBone& bone : naming.bones) {
    for (const std::uint32_t p : bone.pieces) {
      EXPECT_EQ(pieces.bone_of[p], bone.bone) << "piece " << p;
      ++named;
    }
  }
  const auto ours = std::count_if(pieces.bone_of.begin(), pieces.bone_of.end(),
                                  [](std::uint32_t b) { return b != TemplateBone::none; });
  EXPECT_EQ(named, static_cast<std::size_t>(ours));
}

TEST(Naming, FindsEveryBoneInAnyOrientationWithBentFingers) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const Side side = seed % 2 == 0 ? Side::left : Side::right;
    const test::Pieces pieces = posed_pieces(side, 40, seed);
    const BoneTemplate hand = make::hand_template(side);
    Warnings warnings;
    const Result<Naming> naming = name_bones(pieces.parts, hand, &warnings);
    ASSERT_TRUE(naming) << naming.error().message();
    expect_right_names(*naming, pieces);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("do not come apart"), std::string::npos) << warnings[0];  // modelled as one block
    EXPECT_NEAR(std::cbrt(determinant(naming->to_scan.linear)), 1, 0.06);
    for (const NamedBone& bone : naming->bones) EXPECT_LT(bone.doubt, 0.7) << hand.bones[bone.bone].joint;
  }
}

TEST(Naming, HandsOfOtherSizesAreNamedToo) {
  for (const double size : {0.7, 1.25}) {
    const Affined placement{Mat3d{{0, size, 0}, {0, 0, size}, {size, 0, 0}}, {0.1, 0.2, -0.3}};
    test::Pieces pieces = posed_pieces(Side::right, 30, 5, &placement);
    for (BonePart& part : pieces.parts) part.volume *= size * size * size;
    const Result<Naming> naming = name_bones(pieces.parts, make::hand_template(Side::right));
    ASSERT_TRUE(naming) << naming.error().message();
    expect_right_names(*naming, pieces);
    EXPECT_NEAR(std::cbrt(determinant(naming->to_scan.linear)), size, 0.06 * size);
  }
}

TEST(Naming, TheOtherSideIsToldFromTheRightOne) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    // Flat and bent: bent fingers show the palm, flat ones leave it to the thumb.
    const test::Pieces pieces = posed_pieces(Side::left, seed % 2 == 0 ? 40 : 2, seed);
    const Result<Naming> naming = name_bones(pieces.parts, make::hand_template(Side::right));
    ASSERT_FALSE(naming) << seed;
    EXPECT_NE(naming.error().problem.find("mirror image of the right hand"), std::string::npos)
        << naming.error().message();
  }
}

TEST(Naming, WhatIsNoneOfTheHandIsLeftOut) {
  test::Pieces pieces = posed_pieces(Side::right, 25, 3);
  // Three phalanges of somebody else, 15 cm away, and a table.
  for (std::size_t p = 0, added = 0; added < 3; ++p) {
    if (pieces.bone_of[p] < 8 || pieces.bone_of[p] > 11) continue;
    BonePart part = pieces.parts[p];
    for (Vec3f& v : part.surface.positions) v += Vec3f{0.15f, 0.02f, 0};
    part.centre += Vec3d{0.15, 0.02, 0};
    pieces.parts.push_back(std::move(part));
    pieces.bone_of.push_back(TemplateBone::none);
    ++added;
  }
  Mesh table;
  table.positions = {{-1, -0.2f, -1}, {1, -0.2f, -1}, {1, -0.2f, 1}, {-1, -0.2f, 1}, {0, -0.25f, 0}};
  table.triangles = {{0, 2, 1}, {0, 3, 2}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};
  pieces.parts.insert(pieces.parts.begin(), test::part_of(std::move(table)));
  pieces.bone_of.insert(pieces.bone_of.begin(), TemplateBone::none);
  Warnings warnings;
  const Result<Naming> naming = name_bones(pieces.parts, make::hand_template(Side::right), &warnings);
  ASSERT_TRUE(naming) << naming.error().message();
  expect_right_names(*naming, pieces);
  EXPECT_EQ(naming->unused.size(), 4u);
  ASSERT_EQ(warnings.size(), 2u);  // the other: carpals are one block
  EXPECT_NE(warnings[0].find("4 of 26 pieces"), std::string::npos) << warnings[0];
}

TEST(Naming, AMissingPieceIsNamed) {
  for (const std::uint32_t lost : {3u, 8u, 13u, 16u}) {
    test::Pieces pieces = posed_pieces(Side::right, 25, 4);
    const auto at = std::find(pieces.bone_of.begin(), pieces.bone_of.end(), lost) - pieces.bone_of.begin();
    pieces.parts.erase(pieces.parts.begin() + at);
    pieces.bone_of.erase(pieces.bone_of.begin() + at);
    const Result<Naming> naming = name_bones(pieces.parts, make::hand_template(Side::right));
    ASSERT_FALSE(naming);
    const std::string message = naming.error().message();
    EXPECT_NE(message.find(make::hand_anatomy().bones[lost].joint), std::string::npos) << message;
    EXPECT_NE(message.find("1 of 21 bones"), std::string::npos) << message;
    EXPECT_EQ(message.find("holds more than one"), std::string::npos) << message;
  }
}

TEST(Naming, MergedPiecesAreSuspected) {
  const make::HandAnatomy anatomy = make::hand_anatomy();
  for (const std::uint32_t child : {8u, 9u, 13u, 6u}) {
    test::Pieces pieces = posed_pieces(Side::right, 20, 6);
    const std::uint32_t parent = static_cast<std::uint32_t>(anatomy.bones[child].parent);
    const auto find = [&](std::uint32_t bone) {
      return std::find(pieces.bone_of.begin(), pieces.bone_of.end(), bone) - pieces.bone_of.begin();
    };
    const auto from = find(child), to = find(parent);
    Mesh both = pieces.parts[static_cast<std::size_t>(to)].surface;
    test::append(both, pieces.parts[static_cast<std::size_t>(from)].surface);
    pieces.parts[static_cast<std::size_t>(to)] = test::part_of(std::move(both));
    pieces.parts.erase(pieces.parts.begin() + from);
    const Result<Naming> naming = name_bones(pieces.parts, make::hand_template(Side::right));
    ASSERT_FALSE(naming);
    const std::string message = naming.error().message();
    EXPECT_NE(message.find(anatomy.bones[child].joint), std::string::npos) << message;
    EXPECT_NE(message.find("piece " + std::to_string(to > from ? to - 1 : to) + " ("), std::string::npos) << message;
    EXPECT_NE(message.find("marker threshold"), std::string::npos) << message;
  }
}

/// The piece without what lies beyond the share of its length, and that.
std::array<BonePart, 2> cut_across(const BonePart& part, double share) {
  const PieceShape shape = shape_of(part);
  std::array<BonePart, 2> halves;
  const double cut = dot(lerp(shape.ends[0], shape.ends[1], share), shape.axis);
  for (const std::size_t side : {0u, 1u}) {
    Mesh& half = halves[side].surface;
    std::vector<std::uint32_t> kept(part.surface.positions.size(), ~0u);
    for (const Triangle& t : part.surface.triangles) {
      if ((dot(Vec3d(part.surface.positions[t[0]]), shape.axis) > cut) != (side == 1)) continue;
      Triangle copy{};
      for (std::size_t k = 0; k < 3; ++k) {
        if (kept[t[k]] == ~0u) {
          kept[t[k]] = static_cast<std::uint32_t>(half.positions.size());
          half.positions.push_back(part.surface.positions[t[k]]);
          half.normals.push_back(part.surface.normals[t[k]]);
        }
        copy[k] = kept[t[k]];
      }
      half.triangles.push_back(copy);
    }
    halves[side].volume = part.volume * (side == 0 ? share : 1 - share);
    halves[side].centre = shape_of(halves[side]).centre;
  }
  return halves;
}

TEST(Naming, ABoneThatNoiseCutInTwoIsOneBone) {
  // Whatever else lies about and has no name: it is near, but no part of a bone.
  const auto add_sesamoid = [](test::Pieces& pieces, std::uint32_t bone) {
    const auto at = std::find(pieces.bone_of.begin(), pieces.bone_of.end(), bone) - pieces.bone_of.begin();
    const PieceShape shape = shape_of(pieces.parts[static_cast<std::size_t>(at)]);
    const auto palm = std::find(pieces.bone_of.begin(), pieces.bone_of.end(), 1u) - pieces.bone_of.begin();
    const Vec3d carpus = pieces.parts[static_cast<std::size_t>(palm)].centre;
    BonePart sesamoid = pieces.parts[static_cast<std::size_t>(at)];
    const std::size_t far = length(shape.ends[0] - carpus) > length(shape.ends[1] - carpus) ? 0 : 1;
    const Vec3d place = shape.ends[far] + normalized(cross(shape.axis, Vec3d{0.3, 0.5, 0.8})) * 0.006;
    for (Vec3f& p : sesamoid.surface.positions) p = Vec3f(place + (Vec3d(p) - shape.centre) * 0.1);
    sesamoid.centre = place;
    sesamoid.volume *= 1e-3;
    pieces.parts.push_back(std::move(sesamoid));
    pieces.bone_of.push_back(TemplateBone::none);
  };
  for (std::uint32_t bone = 2; bone < 21; ++bone) {
    const double share = bone % 2 == 0 ? 0.35 : 0.6;
    SCOPED_TRACE(std::to_string(bone) + " cut at " + std::to_string(share));
    test::Pieces pieces = posed_pieces(Side::right, 25, 40 + bone);
    const auto at = std::find(pieces.bone_of.begin(), pieces.bone_of.end(), bone) - pieces.bone_of.begin();
    std::array<BonePart, 2> halves = cut_across(pieces.parts[static_cast<std::size_t>(at)], share);
    pieces.parts[static_cast<std::size_t>(at)] = std::move(halves[0]);
    pieces.parts.push_back(std::move(halves[1]));
    pieces.bone_of.push_back(bone);
    add_sesamoid(pieces, 2);
    Warnings warnings;
    const BoneTemplate hand = make::hand_template(Side::right);
    const Result<Naming> naming = name_bones(pieces.parts, hand, &warnings);
    if (!naming) {
      ADD_FAILURE() << naming.error().message();
      continue;
    }
    expect_right_names(*naming, pieces);
    const auto told = [&](const std::string& w) {
      return w.find(hand.bones[bone].joint + " was put together from 2 pieces") != std::string::npos;
    };
    EXPECT_EQ(std::count_if(warnings.begin(), warnings.end(), told), 1);
    std::vector<std::optional<std::vector<std::uint32_t>>> given(hand.bones.size());
    given[bone] = naming->bones[bone].pieces;  // somebody says so too: nothing to tell
    warnings.clear();
    ASSERT_TRUE(name_bones(pieces.parts, hand, given, &warnings));
    EXPECT_EQ(std::count_if(warnings.begin(), warnings.end(), told), 0);
    EXPECT_EQ(naming->unused, std::vector<std::uint32_t>{static_cast<std::uint32_t>(pieces.parts.size() - 1)});
  }
}

TEST(Naming, NothingLikeAHandIsRefused) {
  Mesh ball;
  ball.positions = {{0, 0, 0}, {0.01f, 0, 0}, {0, 0.01f, 0}, {0, 0, 0.01f}};
  ball.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  const std::vector<BonePart> parts{test::part_of(ball)};
  const Result<Naming> naming = name_bones(parts, make::hand_template(Side::right));
  ASSERT_FALSE(naming);
  EXPECT_NE(naming.error().problem.find("none of its 1 pieces"), std::string::npos);
  EXPECT_FALSE(name_bones({}, make::hand_template(Side::right)));
}

/// A binary STL in millimetres, vertices welded.
Mesh read_stl(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  constexpr std::size_t header = 84, facet = 50, corners = 12;  // bytes; a normal comes before the corners
  std::vector<Vec3f> soup;
  for (std::size_t at = header; at + facet <= bytes.size(); at += facet) {
    for (std::size_t k = 0; k < 3; ++k) {
      std::array<float, 3> p;
      std::memcpy(p.data(), bytes.data() + at + corners * (k + 1), corners);
      soup.push_back(Vec3f{p[0], p[1], p[2]} * 0.001f);
    }
  }
  const Weld welded = weld(soup);
  Mesh mesh;
  for (const std::uint32_t v : welded.to_vertex) mesh.positions.push_back(soup[v]);
  for (std::uint32_t t = 0; t < soup.size(); t += 3) {
    mesh.triangles.push_back({welded.to_point[t], welded.to_point[t + 1], welded.to_point[t + 2]});
  }
  mesh.normals.resize(mesh.positions.size());
  compute_normals(mesh.positions, mesh.triangles, mesh.normals);
  return mesh;
}

TEST(Naming, RealBonesGetTheirNames) {
  const std::filesystem::path folder = supple::test::shared_data("bodyparts3d_right_hand_bones");
  SUPPLE_REQUIRE_DATA(folder);
  const BoneTemplate hand = make::hand_template(Side::right);
  const auto bone_of = [&](const std::string& file) -> std::uint32_t {
    const auto has = [&](const char* word) { return file.find(word) != std::string::npos; };
    if (has("radius") || has("ulna")) return 0;
    if (!has("phalanx") && !has("metacarpal")) return 1;
    const std::string digit = has("thumb") || has("first")    ? "thumb"
                              : has("index") || has("second") ? "index-finger"
                              : has("little") || has("fifth") ? "pinky-finger"
                              : has("ring") || has("fourth")  ? "ring-finger"
                                                              : "middle-finger";
    const std::string segment = has("metacarpal") ? "-metacarpal"
                                : has("proximal") ? "-phalanx-proximal"
                                : has("distal")   ? "-phalanx-distal"
                                                  : "-phalanx-intermediate";
    for (std::uint32_t b = 0; b < hand.bones.size(); ++b) {
      if (hand.bones[b].joint == digit + segment) return b;
    }
    return TemplateBone::none;
  };
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".stl") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  ASSERT_EQ(files.size(), 29u);
  test::Pieces pieces;
  for (const auto& file : files) {
    pieces.parts.push_back(test::part_of(read_stl(file)));
    pieces.bone_of.push_back(bone_of(file.filename().string()));
  }
  Rng rng(1);
  for (int turn = 0; turn < 3; ++turn) {  // as it lies in the file, then anyhow
    Warnings warnings;
    const Result<Naming> naming = name_bones(pieces.parts, hand, &warnings);
    ASSERT_TRUE(naming) << naming.error().message();
    expect_right_names(*naming, pieces);
    EXPECT_TRUE(naming->unused.empty());
    EXPECT_TRUE(warnings.empty()) << warnings.front();
    EXPECT_EQ(naming->bones[0].pieces.size(), 2u);
    EXPECT_EQ(naming->bones[1].pieces.size(), 8u);
    const Result<Naming> other = name_bones(pieces.parts, make::hand_template(Side::left));
    ASSERT_FALSE(other);
    EXPECT_NE(other.error().problem.find("mirror image of the left hand"), std::string::npos)
        << other.error().message();
    const Affined m = test::random_placement(rng);
    for (BonePart& part : pieces.parts) {
      for (Vec3f& v : part.surface.positions) v = Vec3f(m.point(Vec3d(v)));
      part.centre = m.point(part.centre);
    }
  }
}

TEST(Naming, IsTheSameForAnyNumberOfThreads) {
  const test::Pieces pieces = posed_pieces(Side::right, 40, 9);
  const BoneTemplate hand = make::hand_template(Side::right);
  set_thread_count(1);
  const Naming one = name_bones(pieces.parts, hand).value();
  set_thread_count(4);
  const Naming four = name_bones(pieces.parts, hand).value();
  set_thread_count(0);
  EXPECT_EQ(one.to_scan, four.to_scan);
  for (std::size_t b = 0; b < one.bones.size(); ++b) {
    EXPECT_EQ(one.bones[b].pieces, four.bones[b].pieces);
    EXPECT_EQ(one.bones[b].doubt, four.bones[b].doubt);
  }
}

TEST(Naming, BonesGetAxesThatTurnWithThem) {
  Rng rng(11);
  const Affined placement = test::random_placement(rng);
  const Skeleton& skeleton = hand_skeleton_of(Side::right);
  Rng same(12);
  const Pose pose = test::random_pose(skeleton, 35, same);
  const std::vector<Affinef> world = to_world(skeleton, pose);
  const test::Pieces pieces = posed_pieces(Side::right, 35, 12, &placement);
  const BoneTemplate hand = make::hand_template(Side::right);
  const Naming naming = name_bones(pieces.parts, hand).value();
  const std::vector<ScanBone> bones = scan_bones(pieces.parts, hand, naming);
  ASSERT_EQ(bones.size(), hand.bones.size());
  for (std::size_t b = 2; b < bones.size(); ++b) {
    const ScanBone& bone = bones[b];
    SCOPED_TRACE(bone.name);
    const JointIndex j = *skeleton.find(bone.name);
    const Mat3d truth = placement.linear * Mat3d(world[j].linear);
    // The axis of a piece is its own, not quite the line between joints; thumbs turn about themselves as they bend.
    EXPECT_LT(length(log_rotation(from_matrix(transpose(truth) * bone.axes))), 16 * test::degree);
    // Facing ends lie a head's radius (3 to 6 mm) and half a gap from the centre of the joint.
    EXPECT_LT(length(bone.facing - placement.point(Vec3d(world[j].translation))), 0.009);
    const std::vector<float> angles = get_angles(pose, skeleton, j);
    for (std::size_t d = 0; d < bone.dofs.size(); ++d) {
      EXPECT_NEAR(bone.dofs[d].min, hand.bones[b].dofs[d].min - angles[d], 14 * test::degree);
      EXPECT_NEAR(bone.dofs[d].max - bone.dofs[d].min, hand.bones[b].dofs[d].max - hand.bones[b].dofs[d].min, 1e-5);
    }
  }
  const std::vector<BoneTemplate::End> ends = scan_ends(bones, hand, naming);
  ASSERT_EQ(ends.size(), 5u);
  for (const BoneTemplate::End& end : ends) {
    const JointIndex j = *skeleton.find(end.joint);
    EXPECT_LT(length(end.at - placement.point(Vec3d(world[j].translation))), 0.003) << end.joint;
  }
}

}  // namespace
}  // namespace supple::scan
