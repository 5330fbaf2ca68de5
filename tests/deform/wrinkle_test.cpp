// Folds of a limb that bends: their strips keep their lengths, measured on the skin that is shown.
#include <gtest/gtest.h>

#include "supple/deform/skin.h"
#include "supple/deform/wrinkle/drive.h"
#include "supple/rig/append_morphs.h"
#include "support/folding_limb.h"

namespace supple {
namespace {

using test::inside, test::limb, test::only_part, test::shown_length, test::vertex_near;

/// A character with wrinkles, and everything that a frame needs.
struct Folding {
  Character character;
  std::vector<Wrinkle> wrinkles;
  WrinkleTable table;
  std::vector<FoldPoint> scratch;

  explicit Folding(Character c, std::vector<Wrinkle> w) : character(std::move(c)), wrinkles(std::move(w)) {
    auto built = build_wrinkle_table(character, wrinkles);
    EXPECT_TRUE(built);
    table = *built;
    scratch.resize(table.longest);
  }
  Pose folded(Pose pose) {
    drive_wrinkles(table, to_world(character.skeleton, pose), scratch, pose.morph_weights);
    return pose;
  }
  Pose bent(double radians) {
    Pose pose = character.rest();
    EXPECT_TRUE(rotate(pose, character.skeleton, 1, "flexion", static_cast<float>(radians)));
    return folded(pose);
  }
  float weight(const Pose& pose, std::size_t k = 0) const { return pose.morph_weights[wrinkles[k].weight]; }
};

Folding one_fold() {
  Character c = limb();
  EXPECT_TRUE(add_wrinkle(c, only_part, inside(c)));
  return Folding(c, c.wrinkles);
}

TEST(Wrinkle, StripKeepsItsLength) {
  Folding fold = one_fold();
  ASSERT_GT(fold.wrinkles[0].strip.size(), 15u);
  const double rest = double{fold.wrinkles[0].rest_length};
  EXPECT_NEAR(rest, 0.2, 0.01);
  auto skin = Skin::make(fold.character, Blend::linear, Layers::as_given());
  ASSERT_TRUE(skin);
  for (const double angle : {0.05, 0.2, 0.5, 0.8, 1.0}) {
    Pose pose = fold.bent(angle);
    EXPECT_GT(fold.weight(pose), 0.05f) << angle;
    EXPECT_LT(fold.weight(pose), 1.0f) << angle;
    ASSERT_TRUE(skin->evaluate(pose));
    // A millionth is the slack, the rest the rounding of positions.
    EXPECT_NEAR(shown_length(fold.wrinkles[0], skin->positions()), rest, 1e-5 * rest) << angle;
    EXPECT_NEAR(strip_length(fold.table, 0, skin->world(), pose.morph_weights), rest, 2e-6 * rest) << angle;
    pose.morph_weights[fold.wrinkles[0].weight] = 0;
    ASSERT_TRUE(skin->evaluate(pose));
    EXPECT_LT(shown_length(fold.wrinkles[0], skin->positions()), rest * (1 - 0.1 * angle)) << angle;
  }
}

TEST(Wrinkle, FlatAtRestAndWhereStretched) {
  Folding fold = one_fold();
  EXPECT_EQ(fold.weight(fold.folded(fold.character.rest())), 0.0f);
  for (const double angle : {-0.01, -0.3, -1.0}) EXPECT_EQ(fold.weight(fold.bent(angle)), 0.0f) << angle;
  // Carried about as a whole it stays flat: rounding is not taken for compression.
  for (int i = 0; i < 20; ++i) {
    Pose pose = fold.character.rest();
    pose.local[0].translation = {0.37f * static_cast<float>(i), 1.1f, -0.7f};
    pose.local[0].rotation = Quatf(from_axis_angle(normalized(Vec3d{1, 2, 3}), 0.3 * i));
    EXPECT_LT(fold.weight(fold.folded(pose)), 1e-3f) << i;
  }
}

TEST(Wrinkle, GrowsContinuously) {
  Folding fold = one_fold();
  float last = 0;
  int between = 0;
  for (int i = -100; i <= 1500; ++i) {  // beyond a right angle linear blending turns the strip inside out
    const float weight = fold.weight(fold.bent(i * 1e-3));
    // A fold rises with the root of the compression: the first thousandth of a radian is a thirtieth of it.
    ASSERT_NEAR(weight, last, 0.04f) << i;
    ASSERT_GE(weight, last) << i;
    if (weight > 0 && weight < 1) ++between;
    last = weight;
  }
  EXPECT_GE(between, 1499);
}

TEST(Wrinkle, DoesWhatItCan) {
  Character c = limb();
  WrinkleOptions low = inside(c);
  low.height = 0.004;
  ASSERT_TRUE(add_wrinkle(c, only_part, low));
  const Wrinkle wrinkle = c.wrinkles[0];
  Folding fold(c, {wrinkle});
  EXPECT_LT(fold.weight(fold.bent(0.05)), 1.0f);
  for (const double angle : {0.8, 1.2, 1.5}) {
    const Pose pose = fold.bent(angle);
    EXPECT_EQ(fold.weight(pose), 1.0f) << angle;
    EXPECT_LT(strip_length(fold.table, 0, to_world(fold.character.skeleton, pose), pose.morph_weights),
              double{wrinkle.rest_length});
  }
}

TEST(Wrinkle, OtherTargetsCount) {
  // Something else shortens the strip: a target that squeezes the limb along y by a tenth.
  Character c = limb();
  MorphTarget squeeze;
  squeeze.name = "squeeze";
  for (const Vec3f p : c.parts[0].mesh.positions) squeeze.positions.push_back({0, -0.1f * p.y, 0});
  const float none = 0;
  const std::uint32_t squeezed = append_morphs(c, only_part, {squeeze}, std::span(&none, 1));
  ASSERT_TRUE(add_wrinkle(c, only_part, inside(c)));
  const Wrinkle wrinkle = c.wrinkles[0];
  EXPECT_EQ(wrinkle.weight, squeezed + 1);
  Folding fold(c, {wrinkle});
  Pose pose = fold.character.rest();
  EXPECT_EQ(fold.weight(fold.folded(pose)), 0.0f);
  pose.morph_weights[squeezed] = 1;
  pose = fold.folded(pose);
  EXPECT_GT(fold.weight(pose), 0.2f);
  auto skin = Skin::make(fold.character);
  ASSERT_TRUE(skin);
  ASSERT_TRUE(skin->evaluate(pose));
  const double rest = double{wrinkle.rest_length};
  EXPECT_NEAR(shown_length(wrinkle, skin->positions()), rest, 1e-5 * rest);
}

TEST(Wrinkle, OverlappingOnesCountInTheirOrder) {
  Character c = limb();
  WrinkleOptions coarse = inside(c), fine = inside(c);
  fine.name = "fine";
  fine.wavelength = 0.025;
  fine.strip = {vertex_near(c, {0.01f, 0.12f, 0.05f}), vertex_near(c, {0.01f, 0.28f, 0.05f})};
  ASSERT_TRUE(add_wrinkle(c, only_part, coarse) && add_wrinkle(c, only_part, fine));
  Folding both(c, c.wrinkles), alone(c, {c.wrinkles[0]}), other(c, {c.wrinkles[1]});
  const Pose pose = both.bent(0.5);
  EXPECT_EQ(both.weight(pose, 0), alone.weight(alone.bent(0.5)));
  // The first lays the second's strip in waves already.
  EXPECT_LT(both.weight(pose, 1), other.weight(other.bent(0.5)));
  EXPECT_EQ(both.bent(0.5).morph_weights, pose.morph_weights);  // nothing of the last frame is left
}

TEST(Wrinkle, FoldVanishesAtItsEdges) {
  Character c = limb();
  const WrinkleOptions options = inside(c);
  ASSERT_TRUE(add_wrinkle(c, only_part, options));
  const std::vector<std::uint32_t>& strip = c.wrinkles[0].strip;
  const Part& part = c.parts[0];
  const MorphTarget& target = part.morphs.back();
  EXPECT_EQ(target.name, "elbow");
  ASSERT_EQ(target.positions.size(), target.vertices.size());
  ASSERT_EQ(target.normals.size(), target.vertices.size());
  EXPECT_LT(target.vertices.size(), part.mesh.positions.size() / 3);
  std::vector<float> height(part.mesh.positions.size(), 0);
  for (std::size_t i = 0; i < target.vertices.size(); ++i)
    height[target.vertices[i]] = dot(target.positions[i], part.mesh.normals[target.vertices[i]]);
  EXPECT_EQ(height[strip.front()], 0.0f);
  EXPECT_EQ(height[strip.back()], 0.0f);
  float highest = 0;
  int crossings = 0;
  for (std::size_t i = 1; i + 2 < strip.size(); ++i) {
    highest = std::max(highest, std::abs(height[strip[i]]));
    if ((height[strip[i]] > 0) != (height[strip[i + 1]] > 0)) ++crossings;
  }
  EXPECT_NEAR(highest, 0.01f, 0.001f);                           // a quarter of the wavelength
  EXPECT_NEAR(crossings, 10, 1);                                 // five waves of 4 cm
  EXPECT_LT(height[vertex_near(c, {0, 0.2f, 0.05f})], -0.008f);  // a crease at the joint
  for (std::size_t v = 0; v < height.size(); ++v) {
    const Vec3f p = part.mesh.positions[v];
    if (p.z <= 0 || p.y < 0.1f - 0.01f || p.y > 0.3f + 0.01f) {
      EXPECT_EQ(height[v], 0.0f) << v;
    }
  }
  // Normals stand on the folded surface.
  std::vector<Vec3f> folded = part.mesh.positions, normals(folded.size());
  for (std::size_t i = 0; i < target.vertices.size(); ++i) folded[target.vertices[i]] += target.positions[i];
  compute_normals(folded, part.mesh.triangles, normals);
  for (std::size_t i = 0; i < target.vertices.size(); ++i) {
    const std::uint32_t v = target.vertices[i];
    EXPECT_GT(dot(normalized(part.mesh.normals[v] + target.normals[i]), normals[v]), 0.9999f) << v;
  }
}

TEST(Wrinkle, SeamsStayClosed) {
  // Every triangle with vertices of its own, as files without shared vertices have them.
  const Character whole = limb();
  Character c = whole;
  Part& part = c.parts[0];
  part.mesh = {};
  part.weights = {};
  for (const Triangle& t : whole.parts[0].mesh.triangles) {
    const auto first = static_cast<std::uint32_t>(part.mesh.positions.size());
    part.mesh.triangles.push_back({first, first + 1, first + 2});
    for (const std::uint32_t v : t) {
      part.mesh.positions.push_back(whole.parts[0].mesh.positions[v]);
      part.mesh.normals.push_back(whole.parts[0].mesh.normals[v]);
      part.weights.push_vertex(whole.parts[0].weights.of(v));
    }
  }
  Character joined = whole;
  ASSERT_TRUE(add_wrinkle(c, only_part, inside(c)));
  ASSERT_TRUE(add_wrinkle(joined, only_part, inside(joined)));
  EXPECT_EQ(c.wrinkles[0].strip.size(), joined.wrinkles[0].strip.size());
  EXPECT_NEAR(c.wrinkles[0].rest_length, joined.wrinkles[0].rest_length, 1e-6f);
  const auto offsets = [](const Character& of) {
    const Part& p = of.parts[0];
    std::vector<Vec3f> all(p.mesh.positions.size());
    for (std::size_t i = 0; i < p.morphs[0].vertices.size(); ++i)
      all[p.morphs[0].vertices[i]] = p.morphs[0].positions[i];
    return all;
  };
  const std::vector<Vec3f> apart = offsets(c), together = offsets(joined);
  std::size_t corner = 0;
  for (const Triangle& t : whole.parts[0].mesh.triangles)
    for (const std::uint32_t v : t) EXPECT_LT(length(apart[corner++] - together[v]), 1e-6f);
}

TEST(Wrinkle, RigidPartsInTheirOwnUnits) {
  // A mesh in centimetres on a node that scales it; the node is then squeezed.
  Character c = limb();
  Part& part = c.parts[0];
  for (Vec3f& p : part.mesh.positions) p *= 100;
  part.skin.reset();
  part.weights = {};
  part.node = 0;
  Transformf centimetres;
  centimetres.scale = {0.01f, 0.01f, 0.01f};
  c.skeleton.set_rest(0, centimetres);
  WrinkleOptions options;
  options.strip = {vertex_near(c, {0, 10, 5}), vertex_near(c, {0, 30, 5})};
  options.wavelength = options.width = 4;
  ASSERT_TRUE(add_wrinkle(c, only_part, options));
  EXPECT_NEAR(c.wrinkles[0].rest_length, 0.2f, 0.01f);
  Folding fold(c, c.wrinkles);
  Pose pose = fold.folded(fold.character.rest());
  EXPECT_EQ(fold.weight(pose), 0.0f);
  pose.local[0].scale.y *= 0.9f;
  pose = fold.folded(pose);
  const double rest = double{fold.wrinkles[0].rest_length};
  EXPECT_NEAR(strip_length(fold.table, 0, to_world(fold.character.skeleton, pose), pose.morph_weights), rest,
              2e-6 * rest);
}

TEST(Wrinkle, SaysWhatIsWrong) {
  const Character original = limb();
  const auto problem = [&](auto&& change) {
    Character c = original;
    WrinkleOptions options = inside(c);
    change(options);
    auto wrinkle = add_wrinkle(c, only_part, options);
    EXPECT_TRUE(c.parts[0].morphs.empty() && c.morph_weights.empty() && c.wrinkles.empty());
    return wrinkle ? std::string("nothing") : wrinkle.error().message();
  };
  EXPECT_EQ(problem([](WrinkleOptions& o) { o.strip.pop_back(); }),
            "wrinkle 'elbow', strip: passes through 1 vertices (give two or more)");
  EXPECT_EQ(problem([](WrinkleOptions& o) {
              o.strip = {5, 5};
            }),
            "wrinkle 'elbow', strip, vertex 5: is where the one before it is (leave one out)");
  const std::string past = std::to_string(original.parts[0].mesh.positions.size());
  EXPECT_EQ(problem([&](WrinkleOptions& o) { o.strip[1] = static_cast<std::uint32_t>(std::stoul(past)); }),
            "wrinkle 'elbow', strip, vertex " + past + ": does not exist among " + past + " vertices");
  EXPECT_NE(problem([](WrinkleOptions& o) { o.wavelength = 0.5; }).find("wavelength: is longer than the strip, 0."),
            std::string::npos);
  EXPECT_NE(problem([](WrinkleOptions& o) { o.wavelength = 0.01; }).find("wavelength: is too short for edges of 0.0"),
            std::string::npos);
  EXPECT_EQ(problem([](WrinkleOptions& o) { o.wavelength = -1; }),
            "wrinkle 'elbow', wavelength: is not a positive number (try a third of the strip)");
  EXPECT_EQ(problem([](WrinkleOptions& o) { o.width = 0; }),
            "wrinkle 'elbow', width: is not a positive number (try the wavelength)");
  EXPECT_EQ(problem([](WrinkleOptions& o) { o.height = std::nan(""); }),
            "wrinkle 'elbow', height: is negative or not a number (0 is a quarter of the wavelength)");

  Character pieces = original;  // a second surface that nothing connects
  Mesh& mesh = pieces.parts[0].mesh;
  const auto far = static_cast<std::uint32_t>(mesh.positions.size());
  for (const Vec3f p : {Vec3f{1, 0, 0}, Vec3f{1, 1, 0}, Vec3f{1, 0, 1}}) {
    mesh.positions.push_back(p);
    mesh.normals.push_back({1, 0, 0});
    pieces.parts[0].weights.push_vertex(original.parts[0].weights.of(0));
  }
  mesh.triangles.push_back({far, far + 1, far + 2});
  WrinkleOptions options = inside(pieces);
  options.strip = {7, far};
  auto none = add_wrinkle(pieces, only_part, options);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message(), "wrinkle 'elbow', strip, vertex " + std::to_string(far) +
                                        ": cannot be reached from vertex 7 along edges (choose vertices of one "
                                        "connected surface)");
}

TEST(Wrinkle, TableRefusesWhatDoesNotFit) {
  const Folding fold = one_fold();
  const auto problem = [&](auto&& change) {
    std::vector<Wrinkle> wrinkles = fold.wrinkles;
    change(wrinkles[0]);
    auto table = build_wrinkle_table(fold.character, wrinkles);
    return table ? std::string("nothing") : table.error().message();
  };
  EXPECT_EQ(problem([](Wrinkle&) {}), "nothing");
  EXPECT_EQ(problem([](Wrinkle& w) { w.part = 3; }), "wrinkle 0 'elbow': is on part 3, which does not exist");
  EXPECT_EQ(problem([](Wrinkle& w) { w.weight = 1; }),
            "wrinkle 0 'elbow': has morph weight 1, which is none of its part's");
  EXPECT_EQ(problem([](Wrinkle& w) { w.strip.resize(1); }),
            "wrinkle 0 'elbow': has a strip of 1 vertices instead of two or more");
  EXPECT_EQ(problem([](Wrinkle& w) { w.strip[1] = w.strip[0]; }).find("wrinkle 0 'elbow': stays at vertex"), 0u);
  EXPECT_EQ(problem([](Wrinkle& w) { w.strip[1] = 1000000; }),
            "wrinkle 0 'elbow': passes through vertex 1000000, which does not exist");
  EXPECT_EQ(problem([](Wrinkle& w) { w.rest_length = 0; }), "wrinkle 0 'elbow': has a rest length that is not > 0");
  EXPECT_EQ(build_wrinkle_table(fold.character, {})->size(), 0u);
  EXPECT_EQ(WrinkleTable{}.size(), 0u);
}

}  // namespace
}  // namespace supple
