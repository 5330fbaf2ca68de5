// The hand: closed skin, bones inside, joints as WebXR wants them, both sides mirror images, a fist within limits.
#include "supple/make/hand.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "supple/base/parallel.h"
#include "supple/geometry/bvh.h"
#include "supple/geometry/half_edges.h"
#include "supple/geometry/remesh.h"
#include "supple/geometry/topology.h"
#include "supple/rig/crowding.h"

namespace supple::make {
namespace {

constexpr std::size_t skin_vertices = 2000;

// Made when first asked for: tests may run one to a process.
const Character& hand(Side side) {
  const auto make = [&] {
    HandOptions options;
    options.side = side;
    options.vertices = skin_vertices;
    return make_hand(options);
  };
  if (side == Side::left) {
    static const Result<Character> left = make();
    return *left;
  }
  static const Result<Character> right = make();
  return *right;
}
constexpr Side sides[] = {Side::left, Side::right};

Vec3f joint_position(const Character& c, std::string_view name) {
  return to_world(c.skeleton, c.rest())[*c.skeleton.find(name)].translation;
}

void expect_closed_skin(const Mesh& skin, std::size_t vertices) {
  const double wanted = static_cast<double>(vertices);
  EXPECT_NEAR(static_cast<double>(skin.positions.size()), wanted, 0.03 * wanted);
  const Defects defects = find_defects(skin.positions, skin.triangles);
  EXPECT_TRUE(defects.closed());
  EXPECT_EQ(defects.unused_vertices, 0u);
  EXPECT_EQ(defects.degenerate_triangles, 0u);
  EXPECT_TRUE(HalfEdges::build(skin.positions.size(), skin.triangles).ok());
  EXPECT_EQ(connected_parts(skin.positions.size(), skin.triangles).count, 1u);
  EXPECT_EQ(2 * skin.positions.size(), skin.triangles.size() + 4);  // a sphere: V - E + F = 2
}

TEST(Hand, SkinIsClosedManifoldAndOfTheAskedSize) {
  for (const Side side : sides) {
    const Mesh& skin = hand(side).parts[0].mesh;
    EXPECT_EQ(hand(side).parts[0].name, "skin");
    expect_closed_skin(skin, skin_vertices);
    const double millilitres = enclosed_volume(skin.positions, skin.triangles) * 1e6;
    EXPECT_GT(millilitres, 300);
    EXPECT_LT(millilitres, 480);
    EXPECT_GT(quality(skin).min_angle_degrees, 20);
    EXPECT_GT(quality(skin).mean_min_angle_degrees, 45);
  }
  HandOptions options;
  options.vertices = 100;
  options.bones = false;
  const auto coarse = make_hand(options);
  ASSERT_TRUE(coarse.ok()) << coarse.error().message();
  EXPECT_EQ(coarse->parts.size(), 1u);
  const Mesh& skin = coarse->parts[0].mesh;
  expect_closed_skin(skin, 100);
  // Even so coarse it is a whole hand: less would mean that fingers are lost.
  EXPECT_GT(enclosed_volume(skin.positions, skin.triangles) * 1e6, 280);
  const Bvh bvh(skin.positions, skin.triangles);
  for (const char* tip :
       {"thumb-tip", "index-finger-tip", "middle-finger-tip", "ring-finger-tip", "pinky-finger-tip"}) {
    EXPECT_LT(bvh.closest(joint_position(*coarse, tip)).distance, 0.01f) << tip;
  }
}

TEST(Hand, NormalsAgreeWithTheTriangles) {
  for (const Part& part : hand(Side::right).parts) {
    std::vector<Vec3f> normals(part.mesh.positions.size());
    compute_normals(part.mesh.positions, part.mesh.triangles, normals);
    double worst = 1, mean = 0;
    for (std::size_t v = 0; v < normals.size(); ++v) {
      EXPECT_NEAR(length(part.mesh.normals[v]), 1, 1e-4);
      worst = std::min(worst, static_cast<double>(dot(normals[v], part.mesh.normals[v])));
      mean += dot(normals[v], part.mesh.normals[v]) / static_cast<double>(normals.size());
    }
    EXPECT_GT(worst, 0.3) << part.name;  // at nail folds and creases the mesh is coarser than the relief
    EXPECT_GT(mean, 0.98) << part.name;
  }
}

TEST(Hand, LeftAndRightAreMirrorImages) {
  const Character &left = hand(Side::left), &right = hand(Side::right);
  ASSERT_EQ(left.parts.size(), right.parts.size());
  for (std::size_t p = 0; p < left.parts.size(); ++p) {
    const Mesh &a = left.parts[p].mesh, &b = right.parts[p].mesh;
    ASSERT_EQ(a.positions.size(), b.positions.size());
    for (std::size_t v = 0; v < a.positions.size(); ++v) {
      EXPECT_EQ(a.positions[v], (Vec3f{-b.positions[v].x, b.positions[v].y, b.positions[v].z}));
    }
    EXPECT_EQ(left.parts[p].weights.entries, right.parts[p].weights.entries);
    EXPECT_GT(enclosed_volume(a.positions, a.triangles), 0);
    EXPECT_GT(enclosed_volume(b.positions, b.triangles), 0);
  }
  // The same angles move both alike.
  const std::vector<Affinef> wl = to_world(left.skeleton, left.at(left.clips[0], 2.4f));
  const std::vector<Affinef> wr = to_world(right.skeleton, right.at(right.clips[0], 2.4f));
  for (std::size_t j = 0; j < wl.size(); ++j) {
    const Vec3f l = wl[j].translation, r = wr[j].translation;
    EXPECT_NEAR(length(l - Vec3f{-r.x, r.y, r.z}), 0, 1e-5) << left.skeleton.name(static_cast<JointIndex>(j));
  }
}

// Hold the palm towards you, fingers up: a right thumb points to the right. So (thumb x middle finger) points out of
// the palm on a right hand, and out of the back on a left one.
TEST(Hand, ThumbIsOnTheProperSide) {
  for (const Side side : sides) {
    const Character& c = hand(side);
    const Vec3f wrist = joint_position(c, "wrist"), palmar = {0, -1, 0};
    const Vec3f thumb = joint_position(c, "thumb-tip") - wrist;
    const Vec3f middle = joint_position(c, "middle-finger-tip") - wrist;
    const float turn = dot(cross(thumb, middle), palmar);
    EXPECT_EQ(turn > 0, side == Side::right);
    EXPECT_EQ(thumb.x < 0, side == Side::right);
    EXPECT_LT(middle.z, -0.15f);
    // Which side is the palm: fingers are bent towards it, and the thumb lies before it.
    EXPECT_LT(thumb.y, 0);
    EXPECT_LT(middle.y, 0);
  }
}

TEST(Hand, JointsAreThoseOfWebXr) {
  std::vector<std::string> names = {"forearm", "wrist"};
  for (const char* part : {"metacarpal", "phalanx-proximal", "phalanx-distal", "tip"})
    names.push_back(std::string("thumb-") + part);
  for (const char* finger : {"index", "middle", "ring", "pinky"}) {
    for (const char* part : {"metacarpal", "phalanx-proximal", "phalanx-intermediate", "phalanx-distal", "tip"}) {
      names.push_back(std::string(finger) + "-finger-" + part);
    }
  }
  for (const Side side : sides) {
    const Character& c = hand(side);
    ASSERT_EQ(c.skeleton.size(), names.size());
    const auto world = to_world(c.skeleton, c.rest());
    std::size_t checked = 0;
    for (const std::string& name : names) {
      const auto j = c.skeleton.find(name);
      ASSERT_TRUE(j) << name;
      const Mat3f& axes = world[*j].linear;
      EXPECT_NEAR(determinant(axes), 1, 1e-5);
      EXPECT_LT(length(axes.c0 - cross(axes.c1, axes.c2)), 1e-5f);
      if (!name.starts_with("thumb")) {
        EXPECT_GT(axes.c1.y, 0.85f) << name;  // dorsal
      }
      for (const JointIndex child : c.skeleton.children(*j)) {
        if (name == "wrist") continue;  // five children, none of them along -z
        const Vec3f bone = normalized(world[child].translation - world[*j].translation);
        EXPECT_GT(dot(bone, -axes.c2), 0.999f) << name;
        ++checked;
      }
      if (name.ends_with("-tip")) {
        const JointIndex parent = c.skeleton.parent(*j);
        EXPECT_LT(length(axes.c2 - world[parent].linear.c2), 1e-5f);
        EXPECT_TRUE(c.skeleton.dofs(*j).empty());
        // At the skin: half a millimetre for the relief and the mesh.
        const Mesh& skin = c.parts[0].mesh;
        EXPECT_LT(Bvh(skin.positions, skin.triangles).closest(world[*j].translation).distance, 0.0015f) << name;
      }
    }
    EXPECT_EQ(checked, 20u);
    EXPECT_EQ(length(world[*c.skeleton.find("wrist")].translation), 0);
    EXPECT_NEAR(angle_between(from_matrix(world[*c.skeleton.find("wrist")].linear), Quatf{}), 0, 1e-5);
  }
}

TEST(Hand, FlexionCurlsTowardsThePalmAndAbductionSpreads) {
  for (const Side side : sides) {
    const Character& c = hand(side);
    const auto moved = [&](const char* joint, const char* dof, const char* tip) {
      Pose pose = c.rest();
      EXPECT_TRUE(rotate(pose, c.skeleton, joint, dof, 0.2f).ok());
      return to_world(c.skeleton, pose)[*c.skeleton.find(tip)].translation - joint_position(c, tip);
    };
    const float radial = side == Side::right ? -1.0f : 1.0f;
    for (const std::string finger : {"index", "middle", "ring", "pinky"}) {
      const std::string joint = finger + "-finger-phalanx-proximal", tip = finger + "-finger-tip";
      EXPECT_LT(moved(joint.c_str(), "flexion", tip.c_str()).y, -0.01f);
      const float away = finger == "index" || finger == "middle" ? radial : -radial;
      EXPECT_GT(moved(joint.c_str(), "abduction", tip.c_str()).x * away, 0.005f) << finger;
    }
    EXPECT_LT(moved("wrist", "flexion", "middle-finger-tip").y, -0.02f);
    EXPECT_GT(moved("wrist", "abduction", "middle-finger-tip").x * radial, 0.02f);
    EXPECT_LT(moved("thumb-metacarpal", "abduction", "thumb-tip").y, -0.005f);
    // Flexion brings the thumb to the other side of the palm.
    EXPECT_LT(moved("thumb-metacarpal", "flexion", "thumb-tip").x * radial, -0.005f);
  }
}

TEST(Hand, BonesLieInsideTheSkinAndApart) {
  const Character& c = hand(Side::right);
  const Part& bones = c.parts[1];
  EXPECT_EQ(bones.name, "bones");
  EXPECT_TRUE(find_defects(bones.mesh.positions, bones.mesh.triangles).closed());
  const Bvh skin(c.parts[0].mesh.positions, c.parts[0].mesh.triangles);
  for (const Vec3f p : bones.mesh.positions) EXPECT_LT(skin.signed_distance(p), -0.0005f);

  const Parts parts = connected_parts(bones.mesh.positions.size(), bones.mesh.triangles);
  EXPECT_EQ(parts.count, 22u);  // radius and ulna share the forearm
  std::set<std::uint32_t> joints;
  std::vector<Mesh> meshes;
  for (std::uint32_t p = 0; p < parts.count; ++p) {
    std::vector<std::uint32_t> source;
    meshes.push_back(extract_part(bones.mesh, parts, p, &source));
    EXPECT_GE(source.size(), 150u);
    EXPECT_LE(source.size(), 320u);
    for (const std::uint32_t v : source) {
      ASSERT_EQ(bones.weights.of(v).size(), 1u);
      EXPECT_EQ(bones.weights.of(v)[0], (Influence{bones.weights.of(source[0])[0].joint, 1.0f}));
    }
    joints.insert(bones.weights.of(source[0])[0].joint);
  }
  EXPECT_EQ(joints.size(), 21u);
  // Vertices of one bone keep a distance from every other bone: with edges of 2 mm the surfaces cannot cross.
  std::size_t pairs = 0;
  for (std::size_t a = 0; a < meshes.size(); ++a) {
    const Bvh bvh(meshes[a].positions, meshes[a].triangles);
    for (std::size_t b = 0; b < meshes.size(); ++b) {
      if (a == b) continue;
      float nearest = 1;
      for (const Vec3f p : meshes[b].positions) nearest = std::min(nearest, bvh.signed_distance(p));
      EXPECT_GT(nearest, 0.0003f) << a << " and " << b;
      ++pairs;
    }
  }
  EXPECT_EQ(pairs, 22u * 21u);
}

TEST(Hand, WeightsAreNormalisedAndLocal) {
  const Character& c = hand(Side::right);
  const Part& skin = c.parts[0];
  ASSERT_EQ(skin.weights.vertices(), skin.mesh.positions.size());
  for (std::size_t v = 0; v < skin.weights.vertices(); ++v) {
    float sum = 0;
    for (const Influence& i : skin.weights.of(v)) {
      sum += i.weight;
      EXPECT_GT(i.weight, 0);
      EXPECT_FALSE(c.skeleton.name(c.skins[0].joints[i.joint]).ends_with("-tip"));
    }
    EXPECT_NEAR(sum, 1, 1e-5);
    EXPECT_LE(skin.weights.of(v).size(), 4u);
  }
  // The skin at a fingertip follows the last bone of that finger and of no other.
  const Bvh bvh(skin.mesh.positions, skin.mesh.triangles);
  for (const std::string digit : {"thumb", "index-finger", "middle-finger", "ring-finger", "pinky-finger"}) {
    const auto at = bvh.closest(joint_position(c, digit + "-tip"));
    const Influence first = skin.weights.of(skin.mesh.triangles[at.triangle][0])[0];
    EXPECT_EQ(c.skeleton.name(first.joint), digit + "-phalanx-distal");
    EXPECT_GT(first.weight, 0.8f);
  }
}

TEST(Hand, FistStaysWithinLimitsAndReallyCloses) {
  const Character& c = hand(Side::right);
  ASSERT_EQ(c.clips.size(), 1u);
  const Clip& fist = c.clips[0];
  EXPECT_EQ(fist.name, "fist");
  EXPECT_GE(fist.duration(), 4);
  EXPECT_LE(fist.duration(), 5);
  std::size_t checked = 0;
  for (float t = 0; t <= fist.end(); t += 0.1f) {
    const Pose pose = c.at(fist, t);
    for (JointIndex j = 0; j < c.skeleton.size(); ++j) {
      if (c.skeleton.dofs(j).empty()) {
        EXPECT_NEAR(angle_between(pose.local[j].rotation, c.skeleton.rest(j).rotation), 0, 1e-4);
        continue;
      }
      float residual = 0;
      const std::vector<float> angles = get_angles(pose, c.skeleton, j, &residual);
      EXPECT_LT(residual, 2e-3f);
      for (std::size_t d = 0; d < angles.size(); ++d) {
        EXPECT_GE(angles[d], c.skeleton.dofs(j)[d].min - 1e-3f) << c.skeleton.name(j);
        EXPECT_LE(angles[d], c.skeleton.dofs(j)[d].max + 1e-3f) << c.skeleton.name(j);
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 1000u);
  const auto tip_to_wrist = [&](float t, const std::string& finger) {
    return length(to_world(c.skeleton, c.at(fist, t))[*c.skeleton.find(finger + "-finger-tip")].translation);
  };
  for (const std::string finger : {"index", "middle", "ring", "pinky"}) {
    EXPECT_LT(tip_to_wrist(2.4f, finger), 0.55f * tip_to_wrist(0, finger)) << finger;
    EXPECT_NEAR(tip_to_wrist(fist.end(), finger), tip_to_wrist(0, finger), 1e-5);
  }
  // Fingers press, they do not pass through each other.
  const Crowding crowding(c);
  for (float t = 0; t <= fist.end(); t += 0.1f) EXPECT_LT(crowding.deepest(c.at(fist, t)), 0.75) << t;
  // One after another.
  EXPECT_LT(tip_to_wrist(0.8f, "index") / tip_to_wrist(0, "index"),
            tip_to_wrist(0.8f, "pinky") / tip_to_wrist(0, "pinky"));
}

TEST(Hand, SameBytesForAnyNumberOfThreads) {
  HandOptions options;
  options.vertices = skin_vertices;
  const Character& first = hand(Side::right);
  const unsigned before = thread_count();
  set_thread_count(before == 1 ? 2 : 1);
  const auto again = make_hand(options);
  set_thread_count(before);
  ASSERT_TRUE(again.ok());
  for (std::size_t p = 0; p < first.parts.size(); ++p) {
    EXPECT_EQ(first.parts[p].mesh.positions, again->parts[p].mesh.positions);
    EXPECT_EQ(first.parts[p].mesh.normals, again->parts[p].mesh.normals);
    EXPECT_EQ(first.parts[p].mesh.triangles, again->parts[p].mesh.triangles);
    EXPECT_EQ(first.parts[p].weights.entries, again->parts[p].weights.entries);
  }
}

TEST(Hand, BadOptionsAndStopsAreErrors) {
  for (const std::size_t vertices : {std::size_t{0}, std::size_t{99}, std::size_t{1000000000}}) {
    HandOptions options;
    options.vertices = vertices;
    const auto result = make_hand(options);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().item, "vertices");
    EXPECT_FALSE(result.error().remedy.empty());
  }
  EXPECT_FALSE(make_hand({}, [](std::string_view, double) { return false; }).ok());
}

}  // namespace
}  // namespace supple::make
