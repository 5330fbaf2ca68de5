// Fewer joints per vertex on skin with flesh: tested here, where flesh can be attached and played.
#include "supple/rig/reduce_influences.h"

#include <gtest/gtest.h>

#include "supple/author/bake/play_flesh.h"
#include "supple/author/propose/attach_flesh.h"
#include "supple/author/propose/propose_flesh.h"
#include "supple/make/figure.h"

namespace supple {
namespace {

/// The figure with four joints at many vertices before flesh comes: some of a bone's weight goes to its parent's
/// parent.
Character make_fleshed_figure() {
  Character c = make::make_figure({.vertices = 1200}).value();
  std::erase_if(c.clips, [](const Clip& clip) { return clip.name != "jump"; });
  Part& part = c.parts[0];
  const SkinBinding& skin = c.skins[*part.skin];
  SkinWeights more;
  std::vector<Influence> row;
  for (std::size_t v = 0; v < part.weights.vertices(); ++v) {
    row.assign(part.weights.of(v).begin(), part.weights.of(v).end());
    const JointIndex parent = c.skeleton.parent(skin.joints[row[0].joint]);
    const auto place = std::find(skin.joints.begin(), skin.joints.end(), parent) - skin.joints.begin();
    row.push_back({static_cast<std::uint32_t>(place), 0.03f});
    row.push_back({static_cast<std::uint32_t>(v % skin.joints.size()), 0.02f});
    more.push_vertex(row);
  }
  clean(more, skin.joints.size());
  part.weights = top_influences(more, 4);
  clean(part.weights, skin.joints.size());
  attach_flesh(c, propose_flesh(c).value()).value();
  for (Clip& clip : c.clips) EXPECT_TRUE(bake_flesh(c, clip));
  return c;
}

Character fleshed_figure() {
  static const Character made = make_fleshed_figure();
  return made;
}

Vec3d blended_place(const Character& c, const SkinWeights& weights, std::size_t v, std::span<const Affinef> world) {
  const Part& part = c.parts[0];
  const SkinBinding& skin = c.skins[*part.skin];
  Vec3d sum{};
  for (const Influence& i : weights.of(v))
    sum += Vec3d((world[skin.joints[i.joint]] * skin.inverse_bind[i.joint]).point(part.mesh.positions[v])) *
           double{i.weight};
  return sum;
}

/// The weights with all that was lent to flesh given back.
SkinWeights without_flesh(const Character& c) {
  SkinWeights weights = c.parts[0].weights;
  const std::vector<JointIndex>& joints = c.skins[*c.parts[0].skin].joints;
  for (Influence& i : weights.entries) {
    for (const FleshElement& e : c.flesh.elements)
      for (const FleshTwin& twin : e.twins)
        if (joints[i.joint] == twin.joint)
          i.joint = static_cast<std::uint32_t>(std::find(joints.begin(), joints.end(), twin.bone) - joints.begin());
  }
  clean(weights, joints.size());
  return weights;
}

TEST(ReduceInfluences, MovesSkinLessThanTheFleshThatItGivesUp) {
  Character c = fleshed_figure();
  const SkinWeights before = c.parts[0].weights, plain = without_flesh(c);
  ASSERT_GT(before.max_influences(), 4u);
  ASSERT_LE(plain.max_influences(), 4u);
  const ReducedInfluences reduced = reduce_influences(c, 4);
  const SkinWeights& after = c.parts[0].weights;
  EXPECT_LE(after.max_influences(), 4u);
  EXPECT_GT(reduced.folded, 10u);

  const auto largest = [&](const SkinWeights& a, const SkinWeights& b, const Pose& pose) {
    double most = 0;
    const std::vector<Affinef> world = to_world(c.skeleton, pose);
    for (std::size_t v = 0; v < a.vertices(); ++v)
      most = std::max(most, length(blended_place(c, a, v, world) - blended_place(c, b, v, world)));
    return most;
  };
  EXPECT_LT(largest(before, after, c.rest()), 1e-6) << "rounding of float positions and weights";
  double error = 0, flesh = 0, cut_off = 0;
  const SkinWeights top = top_influences(before, 4);
  for (const Clip& clip : c.clips) {
    for (int i = 0; i <= 20; ++i) {
      const Pose pose = c.at(clip, clip.start() + clip.duration() * static_cast<float>(i) / 20);
      error = std::max(error, largest(before, after, pose));
      flesh = std::max(flesh, largest(before, plain, pose));
      cut_off = std::max(cut_off, largest(before, top, pose));
    }
  }
  EXPECT_GT(flesh, 0.002);
  EXPECT_LT(error, flesh);
  EXPECT_GT(cut_off, 2 * error) << "what keeping the heaviest four alone would cost";
  // Its own moments lie elsewhere in the clips, but what moves smoothly differs by little.
  EXPECT_NEAR(reduced.worst, error, 0.3 * error);
  EXPECT_FALSE(reduced.clip.empty());
}

TEST(ReduceInfluences, KeepsTheHeaviestWhereThereIsNoFlesh) {
  Character c = make::make_figure({.vertices = 1000}).value();
  const SkinWeights expected = top_influences(c.parts[0].weights, 2);
  const ReducedInfluences reduced = reduce_influences(c, 2);
  EXPECT_EQ(c.parts[0].weights.entries.size(), expected.entries.size());
  EXPECT_GT(reduced.vertices, 0u);
  EXPECT_EQ(reduced.folded, 0u);
  EXPECT_GT(reduced.worst, 0);
  EXPECT_EQ(reduce_influences(c, 2).vertices, 0u);
}

TEST(ReduceInfluences, WithoutClipsFleshIsGivenUpFirst) {
  Character c = fleshed_figure();
  const SkinWeights plain = without_flesh(c);
  c.clips.clear();
  const ReducedInfluences reduced = reduce_influences(c, 4);
  EXPECT_LE(c.parts[0].weights.max_influences(), 4u);
  EXPECT_EQ(reduced.worst, 0);
  EXPECT_TRUE(reduced.clip.empty());
  EXPECT_GT(reduced.folded, 0u);
}

}  // namespace
}  // namespace supple
