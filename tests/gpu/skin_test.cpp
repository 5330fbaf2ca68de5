// The vertex shader, run by the machine's own OpenGL ES driver, against the CPU.
#include <gtest/gtest.h>

#include "supple/base/rng.h"
#include "supple/deform/part_binding.h"
#include "supple/deform/skin.h"
#include "supple/files/load.h"
#include "supple/gpu/gl/feedback.h"
#include "supple/make/hand.h"
#include "supple/render/context.h"
#include "support/driven_character.h"
#include "support/fleshy_limb.h"
#include "support/shared_data.h"

namespace supple {
namespace {

/// Of the model's size. Both sides round floats at every step of a sum, in different order; the CPU also keeps offsets
/// as 16-bit numbers, to 4e-7 each.
constexpr double tolerance = 2e-6;

struct Device {
  render::Context context = render::Context::create().value();
  render::Context::Current current{context};
};

/// One part on the GPU in the pose that a Skin was evaluated in.
class PartOnGpu {
 public:
  PartOnGpu(const Character& character, std::size_t part)
      : part_(character.parts[part]),
        binding_(binding_of(character, part_)),
        tables_(gpu::build_skin_tables(character, part_)),
        skin_(gpu::GlSkin::make(tables_).value()),
        feedback_(gpu::Feedback::make(tables_).value()),
        positions(tables_.vertex_count),
        normals(tables_.vertex_count) {}

  void evaluate(const Skin& at, Blend blend) {
    std::vector<JointMatrix> palette(palette_size(binding_), pack({})), stretch(palette.size());
    std::vector<JointDualQuat> motion(palette.size());
    make_palette(binding_, at.world(), palette);
    gpu::SkinFrame frame;
    frame.weights = at.morph_weights().subspan(part_.first_morph_weight, part_.morphs.size());
    bool stretched = false;
    if (blend == Blend::dual_quaternion && part_.skin) {
      ASSERT_TRUE(make_dual_palette(palette, motion, stretch, stretched).ok());
      frame.motion = motion;
      if (stretched) frame.stretch = stretch;
    } else {
      frame.palette = palette;
      frame.scaled = has_scale(palette);
    }
    skin_.set_frame(frame);
    ASSERT_TRUE(feedback_.run(skin_, positions, normals).ok());
  }

 private:
  const Part& part_;
  SkinBinding binding_;
  gpu::SkinTables tables_;
  gpu::GlSkin skin_;
  gpu::Feedback feedback_;

 public:
  std::vector<Vec3f> positions, normals;
};

/// Largest distance between the two, and where.
void expect_same(const Character& character, Blend blend, std::span<const Pose> poses) {
  auto skin = Skin::make(character, blend);
  ASSERT_TRUE(skin.ok()) << skin.error().problem;
  const Device device;
  std::size_t compared = 0;
  double worst_of_all = 0;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    PartOnGpu on_gpu(character, p);
    const auto size = double{bounds(character.parts[p].mesh.positions).diagonal()};
    for (std::size_t i = 0; i < poses.size(); ++i) {
      ASSERT_TRUE(skin->evaluate(poses[i]).ok());
      on_gpu.evaluate(*skin, blend);
      double worst = 0, worst_normal = 0;
      std::size_t at = 0;
      for (std::size_t v = 0; v < on_gpu.positions.size(); ++v) {
        const auto gap = double{length(on_gpu.positions[v] - skin->positions(p)[v])};
        if (gap > worst) worst = gap, at = v;
        worst_normal = std::max(worst_normal, double{length(on_gpu.normals[v] - skin->normals(p)[v])});
        ++compared;
      }
      EXPECT_LE(worst, tolerance * size) << character.parts[p].name << ", pose " << i << ", vertex " << at;
      // Offsets of normals are kept to 1e-5 each; short sums of blended normals magnify what is left.
      EXPECT_LE(worst_normal, 2e-4) << character.parts[p].name << ", pose " << i;
      worst_of_all = std::max(worst_of_all, worst / size);
    }
  }
  EXPECT_GT(compared, 0u);
  std::printf("%s, %s: %zu vertices compared, worst %.2g of the size\n", character.name.c_str(),
              blend == Blend::linear ? "linear" : "dual quaternions", compared, worst_of_all);
}

std::vector<Pose> poses_of(const Character& c, int count) {
  std::vector<Pose> poses{c.rest()};
  for (const Clip& clip : c.clips)
    for (int i = 1; i <= count; ++i)
      poses.push_back(c.at(clip, clip.start() + clip.duration() * static_cast<float>(i) / static_cast<float>(count)));
  return poses;
}

/// A hand with `modes` for each of eight joints: smooth offsets around the joint that nothing was trained for, driven
/// by the joint's rotation.
Character corrected_hand(std::size_t vertices, std::size_t modes) {
  Character c = make::make_hand({vertices, make::Side::right, false}).value();
  Part& part = c.parts[0];
  const std::vector<Affinef> world = to_world(c.skeleton, c.rest());
  Rng rng(5);
  const auto random = [&] { return static_cast<float>(rng.uniform(-1, 1)); };
  for (std::size_t k = 0; k < 8; ++k) {
    const JointIndex joint = c.skins[*part.skin].joints[2 + 2 * k];
    for (std::size_t m = 0; m < modes; ++m) {
      MorphTarget& target = part.morphs.emplace_back();
      target.name = "mode " + std::to_string(m + 1) + " of " + c.skeleton.name(joint);
      const Vec3f direction{random(), random(), random()};
      for (std::uint32_t v = 0; v < part.mesh.positions.size(); ++v) {
        const float r = length(part.mesh.positions[v] - world[joint].translation) / 0.03f;
        if (r > 1) continue;
        target.vertices.push_back(v);
        target.positions.push_back(direction * (0.012f * (1 - r) * (1 - r)));
        target.normals.push_back(direction * (0.2f * (1 - r)));
      }
    }
    c.drivers.push_back(test::random_driver(rng, {joint}, RbfKernel::exponential,
                                            static_cast<std::uint32_t>(c.morph_weights.size()), modes));
    const std::vector<float>& rest = c.drivers.back().rest_weights;
    c.morph_weights.insert(c.morph_weights.end(), rest.begin(), rest.end());
  }
  return c;
}

TEST(GpuSkin, AHandOfTenThousandVertices) {
  const Character hand = corrected_hand(10000, 5);
  for (const Blend blend : {Blend::linear, Blend::dual_quaternion}) expect_same(hand, blend, poses_of(hand, 4));
}

TEST(GpuSkin, AHandOfFiftyThousandVertices) {
  const Character hand = corrected_hand(50000, 3);
  for (const Blend blend : {Blend::linear, Blend::dual_quaternion}) expect_same(hand, blend, poses_of(hand, 1));
}

TEST(GpuSkin, EveryKindOfDriverAndRigidParts) {
  const Character strip = test::driven_strip();
  for (const Blend blend : {Blend::linear, Blend::dual_quaternion}) expect_same(strip, blend, poses_of(strip, 7));
}

TEST(GpuSkin, StretchedJoints) {
  Character hand = corrected_hand(2000, 2);
  std::vector<Pose> poses = poses_of(hand, 2);
  for (Pose& pose : poses) {
    pose.local[hand.skins[0].joints[3]].scale = {1.2f, 0.9f, 1};
    pose.local[hand.skins[0].joints[6]].scale = {0.8f, 1.1f, 1.3f};
  }
  for (const Blend blend : {Blend::linear, Blend::dual_quaternion}) expect_same(hand, blend, poses);
}

/// More vertices than a 16-bit index counts, each moved by a target of its own number: a slip in the layout of the
/// textures would show.
TEST(GpuSkin, MoreVerticesThanSixteenBitsCount) {
  Character c;
  c.name = "cloud";
  c.skeleton = build_skeleton(std::vector<RawJoint>{{"a", {}, {}, {}}, {"b", 0, {}, {}}}).value().skeleton;
  c.skins.push_back({"skin", {0, 1}, {Affinef{}, Affinef{}}});
  Part& part = c.parts.emplace_back();
  part.name = "cloud";
  part.skin = 0;
  constexpr std::uint32_t vertices = 70001, targets = 7;
  part.morphs.resize(targets);
  Rng rng(9);
  const auto random = [&] { return static_cast<float>(rng.uniform(-1, 1)); };
  for (std::uint32_t v = 0; v < vertices; ++v) {
    part.mesh.positions.push_back({random(), random(), random()});
    part.mesh.normals.push_back(normalized(Vec3f{random(), random(), 2}));
    const float share = static_cast<float>(v) / vertices;
    const Influence both[]{{share > 0.5f, std::max(share, 1 - share)}, {share <= 0.5f, std::min(share, 1 - share)}};
    part.weights.push_vertex({both, v % 3 == 0 ? 1u : 2u});
    for (const std::uint32_t t : {v % targets, (v + 3) % targets}) {
      part.morphs[t].vertices.push_back(v);
      part.morphs[t].positions.push_back({random() / 8, random() / 8, random() / 8});
      part.morphs[t].normals.push_back({random() / 8, 0, random() / 8});
    }
  }
  clean(part.weights, 2);
  for (std::uint32_t v = 0; v + 2 < vertices; v += 3) part.mesh.triangles.push_back({v, v + 1, v + 2});
  c.morph_weights.assign(targets, 0.25f);
  Pose turned = c.rest();
  turned.local[1].rotation = from_axis_angle(Vec3f{0, 0, 1}, 1.0f);
  for (std::size_t t = 0; t < targets; ++t) turned.morph_weights[t] = static_cast<float>(t) / targets;
  for (const Blend blend : {Blend::linear, Blend::dual_quaternion})
    expect_same(c, blend, std::vector{c.rest(), turned});
}

TEST(GpuSkin, CharactersOfTheKhronosSamples) {
  for (const char* name : {"Fox.glb", "CesiumMan.glb"}) {
    const auto path = test::shared_data("gltf_khronos") / name;
    SUPPLE_REQUIRE_DATA(path);
    const auto loaded = load(path);
    ASSERT_TRUE(loaded.ok()) << loaded.error().problem;
    for (const Blend blend : {Blend::linear, Blend::dual_quaternion})
      expect_same(loaded->character(), blend, poses_of(loaded->character(), 4));
  }
}

/// Flesh is joints in the palette like any other: what the shader makes of moved twins is what the engine adds after
/// skinning.
TEST(GpuSkin, FleshThroughItsTwins) {
  const Character limb = test::fleshy_limb();
  FleshState state = settled(limb.flesh, test::moved(limb, {}));
  advance(limb.flesh, test::moved(limb, {}), 0.05, state);
  Pose pose = limb.at(limb.clips[0], 0.5f);
  pose.local[0].translation.x += 0.04f;
  const std::vector<Affinef> world = to_world(limb.skeleton, pose);
  advance(limb.flesh, world, 0.05, state);
  ASSERT_GT(length(state.motions[0].shift), 1e-3f);
  move_twins(limb.flesh, world, state.motions, pose.local);
  Skin live = Skin::make(limb).value(), given = Skin::make(limb, Blend::linear, Layers::as_given()).value();
  EXPECT_TRUE(live.set_flesh(state.motions));
  ASSERT_TRUE(live.evaluate(pose).ok());
  ASSERT_TRUE(given.evaluate(pose).ok());
  const Device device;
  PartOnGpu on_gpu(limb, 0);
  on_gpu.evaluate(given, Blend::linear);
  const auto size = double{bounds(limb.parts[0].mesh.positions).diagonal()};
  double worst = 0;
  for (std::size_t v = 0; v < on_gpu.positions.size(); ++v)
    worst = std::max(worst, double{length(on_gpu.positions[v] - live.positions()[v])});
  EXPECT_LE(worst, tolerance * size);
  std::printf("flesh: %zu vertices compared, worst %.2g of the size\n", on_gpu.positions.size(), worst / size);
}

}  // namespace
}  // namespace supple
