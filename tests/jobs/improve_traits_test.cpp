// Characters of other people have traits that no one thought of: improve() answers for every one of them, and what it
// writes can be shown.
#include <gtest/gtest.h>

#include <filesystem>

#include "jobs/made_limb.h"
#include "supple/deform/skin.h"
#include "supple/measure/skin_damage.h"
#include "supple/rig/bind_pose.h"
#include "supple/workflow/jobs/improve/improve.h"
#include "support/shapes.h"
#include "support/trait_rigs.h"

namespace supple::test {
namespace {

using namespace workflow;

using TraitWeights = std::vector<std::pair<std::string, double>>;

/// What improve() says.
enum class Says { helps, no_help, anything };

struct Trait {
  const char* name;
  Character (*make)();
  Says says = Says::anything;
  const char* words = "";  // in its reason or in one of its choices
};
void PrintTo(const Trait& trait, std::ostream* out) { *out << trait.name; }

Vec3d swing_and_bend(const std::string& joint, double t) {
  const double phase = 2 * std::numbers::pi * t;
  return {joint.starts_with("lower")   ? 40 - 40 * std::cos(phase)
          : joint.starts_with("upper") ? 20 * std::sin(phase)
                                       : 0,
          0, 0};
}

/// With limits that the file gives for a few joints, so that there are few poses to teach; of all others nothing says
/// how far they turn. Without any, limits are guessed.
Character with_limits(Character c, std::initializer_list<const char*> joints) {
  for (const char* name : joints) c.skeleton.set_dofs(*c.skeleton.find(name), {{"flexion", {1, 0, 0}, 0, 0.9f}});
  return c;
}

/// Joints "upper" and "lower" with a name's end, along y from the foot given.
void add_bones(TraitRig& rig, const std::string& end, Vec3d foot, const std::string& parent = {}) {
  rig.joint("upper" + end, foot, parent);
  rig.joint("lower" + end, foot + Vec3d{0, 0.3, 0}, "upper" + end);
}

/// A tube of 60 cm about them, some 350 vertices.
void add_tube(TraitRig& rig, const std::string& end, Vec3d foot, double radius = 0.05) {
  const auto weights = [end, foot](Vec3d p) -> TraitWeights {
    const double lower = trait_smooth((p.y - foot.y - 0.2) / 0.2);
    return {{"upper" + end, 1 - lower}, {"lower" + end, lower}};
  };
  rig.skin(turned(foot, profile_of(0, 0.6, 25, [radius](double) { return radius; }), 14), weights);
}

Character plain_tube() {
  TraitRig rig("tube");
  add_bones(rig, "", {});
  add_tube(rig, "", {});
  return rig.finish(0.12, swing_and_bend);
}

/// Bound straight, it rests bent by 50 degrees.
Character bound_elsewhere() {
  Character c = plain_tube();
  const JointIndex lower = *c.skeleton.find("lower");
  Transformf rest = c.skeleton.rest(lower);
  rest.rotation = Quatf(from_axis_angle(Vec3d{1, 0, 0}, 50 * pi / 180));
  c.skeleton.set_rest(lower, rest);
  return c;
}

/// Each triangle has corners of its own; some have no area, and one vertex has no triangle.
void shade_flat(Part& part) {
  Part own = part;
  own.mesh = {};
  own.weights = {};
  for (const Triangle& t : part.mesh.triangles) {
    const auto first = static_cast<std::uint32_t>(own.mesh.positions.size());
    for (const std::uint32_t v : t) {
      own.mesh.positions.push_back(part.mesh.positions[v]);
      own.weights.push_vertex(part.weights.of(v));
    }
    own.mesh.triangles.push_back({first, first + 1, first + 2});
    if (first % 60 == 0) own.mesh.triangles.push_back({first, first + 1, first});
  }
  own.mesh.positions.push_back({0.3f, 0.3f, 0.3f});
  own.weights.push_vertex(part.weights.of(0));
  own.mesh.normals.resize(own.mesh.positions.size());
  compute_normals(own.mesh.positions, own.mesh.triangles, own.mesh.normals);
  part = own;
}

/// A node above the skeleton makes metres of them; shaded flat besides.
Character centimetres() {
  TraitRig rig("centimetres");
  rig.joint("armature", {});
  add_bones(rig, "", {}, "armature");
  add_tube(rig, "", {});
  Character c = rig.finish(0.12, swing_and_bend);
  shade_flat(c.parts[0]);
  for (Vec3f& p : c.parts[0].mesh.positions) p = p * 100.0f;
  for (Affinef& bind : c.skins[0].inverse_bind) bind.translation = bind.translation * 100.0f;
  for (JointIndex j = 0; j < c.skeleton.size(); ++j) {
    Transformf rest = c.skeleton.rest(j);
    rest.translation = rest.translation * 100.0f;
    if (j == 0) rest.scale = {0.01f, 0.01f, 0.01f};
    c.skeleton.set_rest(j, rest);
  }
  return with_limits(c, {"lower"});
}

/// Limbs of 12 cm whose middles are 8 cm apart: each lies in the other, and one of them moves.
Character overlapping() {
  TraitRig rig("overlapping");
  rig.joint("root", {});
  for (const double side : {1.0, -1.0}) {
    const std::string end = side > 0 ? "-left" : "-right";
    add_bones(rig, end, {0.04 * side, 0, 0}, "root");
    add_tube(rig, end, {0.04 * side, 0, 0}, 0.06);
  }
  return with_limits(rig.finish(0.12,
                                [](const std::string& joint, double t) -> Vec3d {
                                  return joint.ends_with("-right") ? Vec3d{} : swing_and_bend(joint, t);
                                }),
                     {"lower-left", "lower-right"});
}

/// Fingers of a centimetre on a body of two metres, of which cells are several centimetres.
Character thin_fingers() {
  TraitRig rig("fingers");
  rig.joint("root", {});
  rig.joint("chest", {0, 1, 0}, "root");
  rig.skin(turned({}, profile_of(0, 2, 30, [](double) { return 0.3; }), 16), [](Vec3d p) -> TraitWeights {
    const double chest = trait_smooth((p.y - 0.8) / 0.4);
    return {{"root", 1 - chest}, {"chest", chest}};
  });
  for (int f = 0; f < 3; ++f) {
    const std::string end = "-" + std::to_string(f);
    const Vec3d foot{0.015 * f, 2.1, 0};
    rig.joint("upper" + end, foot, "chest");
    rig.joint("lower" + end, foot + Vec3d{0, 0.04, 0}, "upper" + end);
    rig.skin(turned(foot, profile_of(0, 0.08, 13, [](double) { return 0.005; }), 8), [=](Vec3d p) -> TraitWeights {
      const double lower = trait_smooth((p.y - foot.y - 0.03) / 0.02);
      return {{"upper" + end, 1 - lower}, {"lower" + end, lower}};
    });
  }
  return rig.finish(0.12, [](const std::string& joint, double t) -> Vec3d {
    return joint == "chest" ? Vec3d{30 * std::sin(2 * pi * t), 0, 0} : swing_and_bend(joint, t);
  });
}

/// A skirt, open below, over two legs that it follows half.
Character skirt() {
  TraitRig rig("skirt");
  rig.joint("hips", {0, 1, 0});
  for (const double side : {1.0, -1.0}) {
    const std::string end = side > 0 ? "-left" : "-right";
    rig.joint("thigh" + end, {0.1 * side, 0.95, 0}, "hips");
    rig.skin(turned({0.1 * side, 0, 0}, profile_of(0.4, 1, 15, [](double) { return 0.06; }), 12),
             [end](Vec3d p) -> TraitWeights {
               const double hips = trait_smooth((p.y - 0.88) / 0.1);
               return {{"hips", hips}, {"thigh" + end, 1 - hips}};
             });
  }
  const auto cloth = profile_of(0.45, 1.1, 18, [](double y) { return 0.18 + 0.15 * trait_smooth((1 - y) / 0.5); });
  rig.skin(turned({}, cloth, 22, true), [](Vec3d p) -> TraitWeights {
    const double legs = 0.8 * trait_smooth((1.02 - p.y) / 0.35), left = trait_smooth(0.5 + p.x / 0.3);
    return {{"hips", 1 - legs}, {"thigh-left", legs * left}, {"thigh-right", legs * (1 - left)}};
  });
  return rig.finish(0.12, [](const std::string& joint, double t) -> Vec3d {
    const double phase = 2 * std::numbers::pi * t + (joint.ends_with("-right") ? std::numbers::pi : 0);
    return {joint.starts_with("thigh") ? -30 * std::sin(phase) : 0, 0, 0};
  });
}

/// A sheet of 2 x 12 squares that hangs down from `top`, one- or two-sided.
Mesh hair_card(Vec3d top, bool both_sides) {
  Mesh mesh;
  for (int side = 0; side < (both_sides ? 2 : 1); ++side) {
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    for (int i = 0; i <= 12; ++i)
      for (int j = 0; j <= 2; ++j) mesh.positions.push_back(Vec3f(top + Vec3d{0.02 * j, -0.02 * i, 0}));
    for (std::uint32_t i = 0; i < 12; ++i)
      for (std::uint32_t j = 0; j < 2; ++j) {
        const std::uint32_t a = first + 3 * i + j, b = a + 1, d = a + 3, e = a + 4;
        if (side == 0) {
          mesh.triangles.push_back({a, d, b});
          mesh.triangles.push_back({b, d, e});
        } else {
          mesh.triangles.push_back({a, b, d});
          mesh.triangles.push_back({b, e, d});
        }
      }
  }
  return mesh;
}

/// A head with cards of hair, some of one sheet and some of two that lie in one place.
Character hair_cards() {
  TraitRig rig("hair");
  rig.joint("neck", {});
  rig.joint("head", {0, 0.12, 0}, "neck");
  rig.joint("hair-1", {0, 0.3, -0.1}, "head");
  rig.joint("hair-2", {0, 0.2, -0.1}, "hair-1");
  rig.skin(turned({},
                  profile_of(0, 0.35, 25,
                             [](double y) { return y < 0.13 ? 0.04 : 0.04 + 0.05 * std::sin(pi * (y - 0.13) / 0.23); }),
                  16),
           [](Vec3d p) -> TraitWeights {
             const double head = trait_smooth((p.y - 0.08) / 0.08);
             return {{"head", head}, {"neck", 1 - head}};
           });
  for (int k = 0; k < 6; ++k)
    rig.skin(hair_card({-0.06 + 0.02 * k, 0.32, -0.1 - 0.004 * (k % 3)}, k % 2 == 0), [](Vec3d p) -> TraitWeights {
      const double low = trait_smooth((0.25 - p.y) / 0.1), head = trait_smooth((p.y - 0.28) / 0.04);
      return {{"head", head}, {"hair-1", (1 - head) * (1 - low)}, {"hair-2", (1 - head) * low}};
    });
  return rig.finish(0.12, [](const std::string& joint, double t) -> Vec3d {
    const double phase = 2 * std::numbers::pi * t;
    if (joint == "head") return {35 * std::sin(phase), 30 * std::sin(2 * phase), 0};
    return {joint == "neck" ? 10 * std::sin(phase) : 20 * std::sin(phase + 1), 0, 0};
  });
}

/// Thirty boxes that follow a joint each, and one limb that bends, with a belt about its middle: a ring that is a part
/// of its own, and hard.
Character mannequin_with_belt() {
  TraitRig rig("mannequin");
  rig.joint("root", {});
  add_bones(rig, "", {}, "root");
  add_tube(rig, "", {});
  for (int k = 0; k < 30; ++k) {
    const std::string name = "bone-" + std::to_string(k);
    const Vec3d at{0.2 + 0.1 * (k % 6), 0.12 * (k / 6), 0};
    rig.joint(name, at, k % 6 == 0 ? "root" : "bone-" + std::to_string(k - 1));
    rig.skin(box(Vec3f(at - Vec3d{0.045, 0.05, 0.05}), Vec3f(at + Vec3d{0.045, 0.05, 0.05})),
             [name](Vec3d) -> TraitWeights {
               return {{name, 1}};
             });
  }
  Character c = rig.finish(0.12, [](const std::string& joint, double t) -> Vec3d {
    return joint.starts_with("bone") ? Vec3d{0, 0, 15 * std::sin(2 * pi * t)} : swing_and_bend(joint, t);
  });
  Part ring = c.parts[0];
  ring.name = "ring";
  ring.mesh = torus(0.053, 0.006, 24, 6);
  ring.weights = {};
  const auto place_of = [&](const char* name) { return *c.skeleton.find(name); };  // the skin has all joints in order
  for (Vec3f& p : ring.mesh.positions) {
    p.y += 0.27f;
    const auto lower = static_cast<float>(trait_smooth((double{p.y} - 0.2) / 0.2));
    const Influence both[]{{place_of("upper"), 1 - lower}, {place_of("lower"), lower}};
    ring.weights.push_vertex(both);
  }
  clean(ring.weights, c.skins[0].joints.size());
  ring.mesh.normals.resize(ring.mesh.positions.size());
  compute_normals(ring.mesh.positions, ring.mesh.triangles, ring.mesh.normals);
  // Each has a node of its own, by which files know parts that are meshes of their own.
  c.parts[0].node = c.skeleton.append("trunk-node", no_joint);
  ring.node = c.skeleton.append("ring-node", no_joint);
  c.parts.push_back(ring);
  return with_limits(c, {"lower"});
}

/// Two limbs, of which one hangs on a node that mirrors it.
Character mirrored() {
  TraitRig rig("mirrored");
  rig.joint("root", {});
  rig.joint("mirror", {}, "root");
  add_bones(rig, "-left", {0.15, 0, 0}, "root");
  add_bones(rig, "-right", {-0.15, 0, 0}, "mirror");
  add_tube(rig, "-left", {0.15, 0, 0});
  add_tube(rig, "-right", {-0.15, 0, 0});
  Character c = rig.finish(0.12, swing_and_bend);
  const auto change = [&](const char* name, const auto& by) {
    const JointIndex joint = *c.skeleton.find(name);
    Transformf rest = c.skeleton.rest(joint);
    by(rest);
    c.skeleton.set_rest(joint, rest);
  };
  change("mirror", [](Transformf& rest) { rest.scale = {-1, 1, 1}; });
  change("upper-right", [](Transformf& rest) { rest.translation.x *= -1; });
  const std::vector<Affinef> world = to_world(c.skeleton, c.rest());
  for (std::size_t k = 0; k < world.size(); ++k) c.skins[0].inverse_bind[k] = inverse(world[c.skins[0].joints[k]]);
  return with_limits(c, {"lower-left", "lower-right"});
}

/// A hundred joints, which a wave runs along.
Character hundred_joints() {
  TraitRig rig("chain");
  for (int k = 0; k < 100; ++k)
    rig.joint("link-" + std::to_string(k), {0, 0.02 * k, 0}, k == 0 ? "" : "link-" + std::to_string(k - 1));
  rig.skin(turned({}, profile_of(0, 2, 60, [](double) { return 0.05; }), 8), [](Vec3d p) -> TraitWeights {
    const double at = std::clamp(p.y / 0.02, 0.0, 99.0);
    const int below = std::min(static_cast<int>(at), 98);
    return {{"link-" + std::to_string(below), 1 - (at - below)}, {"link-" + std::to_string(below + 1), at - below}};
  });
  const Character c = rig.finish(0.12, [](const std::string& joint, double t) -> Vec3d {
    return {1.5 - 1.5 * std::cos(2 * pi * t), std::stoi(joint.substr(5)) * 0.02 * std::sin(2 * pi * t), 0};
  });
  return with_limits(c, {"link-30", "link-70"});
}

Character without_clip() {
  Character c = plain_tube();
  c.clips.clear();
  return c;
}

Character one_joint() {
  TraitRig rig("stone");
  rig.joint("only", {});
  rig.skin(sphere(0.1, 12, 16), [](Vec3d) -> TraitWeights { return {{"only", 1}}; });
  return rig.finish(0.12, [](const std::string&, double t) -> Vec3d { return {90 * std::sin(2 * pi * t), 0, 0}; });
}

/// A joint that stretches and thins what it carries while it bends.
Character stretched_joint() {
  Character c = plain_tube();
  Track track{Channel::scale, Interpolation::linear, *c.skeleton.find("lower"), 3, {0, 0.5f, 1}, {}};
  track.values = {1, 1, 1, 0.7f, 1.4f, 0.9f, 1, 1, 1};
  c.clips[0].tracks.push_back(track);
  return with_limits(c, {"lower"});
}

class ImproveTraits : public testing::TestWithParam<Trait> {};

/// All parts in the pose; of a skin that is made as given it is what a viewer shows that knows nothing but glTF.
std::vector<Vec3f> all_parts_in(Skin& skin, const Pose& pose) {
  EXPECT_TRUE(skin.evaluate(pose));
  std::vector<Vec3f> all;
  for (std::size_t p = 0; p < skin.parts(); ++p)
    all.insert(all.end(), skin.positions(p).begin(), skin.positions(p).end());
  return all;
}

TEST_P(ImproveTraits, AreAnsweredAndWhatIsWrittenCanBeShown) {
  const ScratchFolder work_folder;
  ImproveOptions options;
  options.input = (work_folder / "in.glb").string();
  options.output = (work_folder / "out.glb").string();
  options.effort = Effort::quick;
  const auto saved = save(options.input, GetParam().make());
  ASSERT_TRUE(saved) << saved.error().message();
  Work work;
  const auto improved = improve(options, work);
  ASSERT_TRUE(improved) << improved.error().message();
  std::string told = improved->reason;
  for (const std::string& choice : improved->choices) told += "\n" + choice;
  SCOPED_TRACE(told);
  const Says says = GetParam().says;
  EXPECT_TRUE(says != Says::helps || improved->verdict != Verdict::no_help);
  EXPECT_TRUE(says != Says::no_help || improved->verdict == Verdict::no_help);
  EXPECT_NE(told.find(GetParam().words), std::string::npos);
  EXPECT_FALSE(improved->reason.empty());
  ASSERT_EQ(std::filesystem::exists(options.output), improved->verdict != Verdict::no_help);
  if (improved->verdict == Verdict::no_help) return;

  const Character before = load(options.input).value().character(), after = load(options.output).value().character();
  auto first = Skin::make(before, Blend::linear, Layers::as_given()),
       second = Skin::make(after, Blend::linear, Layers::as_given());
  ASSERT_TRUE(first && second);
  const std::vector<Vec3f> rest = all_parts_in(*first, before.rest());
  std::vector<Triangle> triangles;
  std::uint32_t begin = 0;
  for (const Part& part : before.parts) {
    for (const Triangle& t : part.mesh.triangles) triangles.push_back({begin + t[0], begin + t[1], begin + t[2]});
    begin += static_cast<std::uint32_t>(part.mesh.positions.size());
  }
  const SkinDamageTest test(rest, triangles);
  DamageTotals totals;
  ASSERT_EQ(after.clips.size(), before.clips.size());
  for (std::size_t k = 0; k < before.clips.size(); ++k)
    for (int f = 0; f < 12; ++f) {
      const float at = before.clips[k].start() + before.clips[k].duration() * static_cast<float>(f) / 11;
      totals.add(test.measure(all_parts_in(*first, before.at(before.clips[k], at)),
                              all_parts_in(*second, after.at(after.clips[k], at))));
    }
  totals.moved_at_rest = test.moved_at_rest(all_parts_in(*second, after.rest()));
  // Drivers show nothing where the skin is as it was bound.
  auto driven = Skin::make(after);
  ASSERT_TRUE(driven);
  Pose bound_before = before.rest(), bound_after = after.rest();
  bound_before.local = bind_pose(before);
  std::ranges::copy(bound_before.local, bound_after.local.begin());
  EXPECT_LT(test.measure(all_parts_in(*first, bound_before), all_parts_in(*driven, bound_after)).far, 1e-5);
  EXPECT_EQ(totals.torn, 0u);
  EXPECT_EQ(totals.parted, 0u);
  EXPECT_EQ(totals.opened, 0u);
  EXPECT_LT(totals.moved_at_rest, 1e-5) << "of the size: rounding of single precision";
  EXPECT_FALSE(totals.bad(test.pairs_of_triangles())) << totals.folded << " folds, before " << totals.folded_before;
}

INSTANTIATE_TEST_SUITE_P(
    Rigs, ImproveTraits,
    testing::Values(Trait{"BoundElsewhere", bound_elsewhere, Says::helps},
                    Trait{"Centimetres", centimetres, Says::helps}, Trait{"Overlapping", overlapping},
                    Trait{"ThinFingers", thin_fingers},
                    Trait{"MannequinWithBelt", mannequin_with_belt, Says::helps, "31 hard pieces keep their shape"},
                    Trait{"Skirt", skirt, Says::helps}, Trait{"HairCards", hair_cards},
                    Trait{"Mirrored", mirrored, Says::helps}, Trait{"HundredJoints", hundred_joints},
                    Trait{"WithoutClip", without_clip, Says::helps, "poses within the joints' limits"},
                    Trait{"OneJoint", one_joint, Says::no_help, "nothing to improve"},
                    Trait{"StretchedJoint", stretched_joint}),
    [](const auto& trait) { return trait.param.name; });

}  // namespace
}  // namespace supple::test
