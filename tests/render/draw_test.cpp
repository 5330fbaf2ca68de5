// Drawing: cover, light, layers and refusals, measured in pixels.
#include "supple/render/draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "render/pictures.h"
#include "supple/render/context.h"

namespace supple::render {
namespace {

using namespace test;

class Draw : public testing::Test {
 protected:
  void SetUp() override { SUPPLE_REQUIRE_DRAWING(); }
  static Image picture(const Scene& scene, const Camera& camera, Size size) {
    Result<Image> image = shared_renderer()->draw(scene, camera, size);
    EXPECT_TRUE(image.ok()) << image.error().message();
    return image ? *image : Image(size, {});
  }
};

TEST_F(Draw, NamesItsDevice) { EXPECT_FALSE(shared_renderer()->device().empty()); }

TEST_F(Draw, ContextsShareOneDisplayAndSurviveEachOther) {
  Result<Context> first = Context::create();
  {
    const Result<Context> second = Context::create();
    ASSERT_TRUE(second.ok());
  }
  ASSERT_TRUE(first.ok());
  const Context moved = std::move(*first);
  const Context::Current current(moved);
  EXPECT_TRUE(current.ok());
}

TEST_F(Draw, SphereCoversItsDisc) {
  const double distance = 5;
  const Camera camera = camera_at(distance);
  const Size size{200, 160};
  const Image image = picture(on_black({sphere({}, 0.8f, 48, 96)}), camera, size);
  // The outline is the cone that touches the sphere: its tangent over that of the half angle of view is the radius.
  const double slope = std::tan(std::asin(0.8 / distance)) / std::tan(camera.vertical_angle / 2);
  const double disc = std::numbers::pi * std::pow(slope * size.height / 2, 2);
  // Pixels that the outline crosses count as covered: half of 2 pi r, and the facets cut a little off.
  EXPECT_NEAR(static_cast<double>(covered(image)), disc, 0.03 * disc);
  EXPECT_EQ(image.at(0, 0), (Rgba8{0, 0, 0, 255}));
  EXPECT_GT(brightness(image.at(100, 80)), 0.1f);
}

TEST_F(Draw, OneEdgeHasManyShades) {
  Surface tilted = card({}, 0.5f, {1, 1, 1});
  for (Vec3f& p : tilted.positions) p = {p.x - 0.1f * p.y, p.y + 0.1f * p.x, 0};
  const Image image = picture(on_black({tilted}), camera_at(4), {64, 64});
  std::vector<bool> seen(256, false);
  for (const Rgba8 p : image.pixels) seen[p.g] = true;
  EXPECT_GE(std::count(seen.begin(), seen.end(), true), 8);  // 4 samples a pixel could give 5 at most
}

TEST_F(Draw, KeyLightComesFromUpperLeftInEveryView) {
  for (const View& view : views()) {
    const Scene scene = on_black({sphere({}, 1)});
    const Image image = picture(scene, fit(points_of(scene), view, 1), {64, 64});
    EXPECT_GT(brightness(image.at(20, 18)), 1.5f * brightness(image.at(46, 48))) << view.name;
    EXPECT_GT(brightness(image.at(46, 48)), 0.02f) << view.name << ": the dark side is not black";
  }
}

TEST_F(Draw, ShadowOfTheKeyLightFallsBelowRight) {
  Surface floor = card({0, 0, -0.5f}, 3, {0.5f, 0.5f, 0.5f});
  floor.finish = Finish::matte;
  Scene scene = on_black({floor, sphere({}, 0.3f)});
  const Image with = picture(scene, camera_at(8), {96, 96});
  scene.style.shadows = false;
  const Image without = picture(scene, camera_at(8), {96, 96});
  std::size_t darker_right = 0, darker_left = 0;
  for (std::uint32_t y = 0; y < 96; ++y) {
    for (std::uint32_t x = 0; x < 96; ++x) {
      if (brightness(with.at(x, y)) < 0.9f * brightness(without.at(x, y)))
        ++(x > 48 && y > 48 ? darker_right : darker_left);
    }
  }
  EXPECT_GT(darker_right, 40u);
  EXPECT_GT(darker_right, 4 * darker_left);
}

TEST_F(Draw, NearerSurfaceHidesTheOther) {
  const Surface near = card({0, 0, 0.5f}, 0.3f, {1, 0, 0}), far = card({0, 0, -0.5f}, 0.6f, {0, 0, 1});
  for (const auto& order : {std::vector{near, far}, std::vector{far, near}}) {
    const Image image = picture(on_black(order), camera_at(4), {60, 60});
    const Rgba8 middle = image.at(30, 30), beside = image.at(12, 30);
    EXPECT_GT(middle.r, 200);
    EXPECT_LT(middle.b, 60);
    EXPECT_GT(beside.b, 150);
    EXPECT_LT(beside.r, 60);
  }
}

TEST_F(Draw, TransparentSurfaceShowsItsTwoLayersAndWhatIsBehind) {
  // A closed surface over a white card: one layer would let (1 - opacity) of the card through, two its square.
  Surface ball = sphere({}, 0.6f);
  ball.colour = {0, 0, 0};
  ball.finish = Finish::data;
  ball.opacity = 0.5f;
  const Surface behind = card({0, 0, -2}, 3, {0.9f, 0.9f, 0.9f});
  Scene scene = on_black({behind, ball});
  scene.style.shadows = false;
  const Image both = picture(scene, camera_at(5), {64, 64});
  scene.surfaces.pop_back();
  const Image bare = picture(scene, camera_at(5), {64, 64});
  // The black ball adds a sheen of at most 0.035 a layer; a pixel beside the middle avoids the facets' poles.
  const float ratio = brightness(both.at(33, 33)) / brightness(bare.at(33, 33));
  EXPECT_NEAR(ratio, 0.25f, 0.06f);

  std::reverse(ball.triangles.begin(), ball.triangles.end());
  scene.surfaces.push_back(ball);
  EXPECT_EQ(picture(scene, camera_at(5), {64, 64}).pixels, both.pixels) << "the order of triangles must not show";
}

TEST_F(Draw, BackFacesAreLitToo) {
  Surface turned = card({}, 0.5f, {0.8f, 0.8f, 0.8f});
  for (Triangle& t : turned.triangles) std::swap(t[1], t[2]);
  const Image image = picture(on_black({turned}), camera_at(4), {32, 32});
  EXPECT_GT(brightness(image.at(16, 16)), 0.2f);
}

TEST_F(Draw, WireframeDarkensEdgesOnly) {
  Scene scene = on_black({card({}, 0.5f, {0.8f, 0.8f, 0.8f})});
  const Image plain = picture(scene, camera_at(4), {128, 128});
  scene.style.wireframe = true;
  const Image wired = picture(scene, camera_at(4), {128, 128});
  // The diagonal passes through the middle; (50, 60) lies inside a triangle.
  EXPECT_LT(brightness(wired.at(64, 63)), 0.7f * brightness(plain.at(64, 63)));
  EXPECT_EQ(wired.at(50, 60), plain.at(50, 60));
}

TEST_F(Draw, BonesShowOverOpaqueSkin) {
  Scene scene = on_black({sphere({}, 1)});
  const Image plain = picture(scene, camera_at(6), {96, 96});
  scene.bones.push_back({{0, -0.5f, 0}, {0, 0.5f, 0}, {0, 0, 1}});
  scene.joints.push_back({{0, 0.5f, 0}, {1, 0, 0}});
  const Image boned = picture(scene, camera_at(6), {96, 96});
  const Rgba8 bone = boned.at(48, 58);
  EXPECT_GT(bone.b, bone.r + 40);
  EXPECT_NE(boned.pixels, plain.pixels);
  EXPECT_EQ(boned.at(20, 48), plain.at(20, 48));
}

TEST_F(Draw, OcclusionDarkens) {
  Scene scene = on_black({sphere({}, 1)});
  const Image open = picture(scene, camera_at(6), {32, 32});
  scene.surfaces[0].occlusion.assign(scene.surfaces[0].positions.size(), 0.2f);
  const Image closed = picture(scene, camera_at(6), {32, 32});
  EXPECT_LT(brightness(closed.at(20, 20)), 0.8f * brightness(open.at(20, 20)));
}

TEST_F(Draw, MoreVerticesThan16BitIndices) {
  const Surface fine = sphere({}, 0.8f, 300, 300), coarse = sphere({}, 0.8f, 60, 60);
  ASSERT_GT(fine.positions.size(), 65536u);
  const double many = static_cast<double>(covered(picture(on_black({fine}), camera_at(5), {96, 96})));
  const double few = static_cast<double>(covered(picture(on_black({coarse}), camera_at(5), {96, 96})));
  EXPECT_NEAR(many, few, 0.02 * few);
}

TEST_F(Draw, TilesMeetWithoutSeams) {
  // 700 pixels need four tiles. The same picture at half the size is one tile.
  const Scene scene = on_black({sphere({0.1f, 0.05f, 0}, 1.1f)});
  const Image large = picture(scene, camera_at(6), {700, 700}), small = picture(scene, camera_at(6), {350, 350});
  for (std::uint32_t y = 0; y < 350; ++y) {
    for (std::uint32_t x = 0; x < 350; ++x) {
      float mean = 0;
      for (const std::uint32_t dx : {0u, 1u}) {
        for (const std::uint32_t dy : {0u, 1u}) mean += brightness(large.at(2 * x + dx, 2 * y + dy)) / 4;
      }
      // Edge pixels differ by where the samples lie.
      ASSERT_NEAR(mean, brightness(small.at(x, y)), 0.12f) << x << ", " << y;
    }
  }
}

TEST_F(Draw, SamePictureTwice) {
  const Scene scene = on_black({sphere({}, 1)});
  const Image first = picture(scene, camera_at(6), {80, 80});
  EXPECT_EQ(first.pixels, picture(scene, camera_at(6), {80, 80}).pixels);
  const Result<Image> fresh = draw(scene, camera_at(6), {80, 80});
  ASSERT_TRUE(fresh.ok());
  EXPECT_EQ(first.pixels, fresh->pixels);
}

TEST_F(Draw, FarFromTheOriginKeepsItsShape) {
  const Vec3f away{1000, 0, -2000};
  Scene scene = on_black({sphere(away, 0.5f)});
  const Image image = picture(scene, fit(points_of(scene), *find_view("front"), 1), {64, 64});
  const Scene home = on_black({sphere({}, 0.5f)});
  const Image reference = picture(home, fit(points_of(home), *find_view("front"), 1), {64, 64});
  EXPECT_NEAR(static_cast<double>(covered(image)), static_cast<double>(covered(reference)), 20);
}

TEST_F(Draw, EmptySceneIsBackground) {
  const Scene scene;
  const Image image = picture(scene, fit({}, *find_view("front"), 2), {64, 32});
  ASSERT_EQ(image.size(), (Size{64, 32}));
  EXPECT_EQ(covered(image), 64u * 32u);
  EXPECT_GT(brightness(image.at(32, 14)), brightness(image.at(0, 31)));
}

TEST_F(Draw, DegenerateGeometryIsDrawnAsNothing) {
  Surface flat = card({}, 0.5f, {1, 1, 1});
  flat.triangles = {{0, 0, 1}, {2, 2, 2}};
  flat.normals.assign(4, Vec3f{std::numeric_limits<float>::quiet_NaN(), 0, 0});
  EXPECT_EQ(covered(picture(on_black({flat}), camera_at(4), {32, 32})), 0u);
}

TEST_F(Draw, NormalsThatAreNotNumbersFallBackToTheFacet) {
  Surface surface = card({}, 0.5f, {0.8f, 0.8f, 0.8f});
  surface.normals.assign(4, Vec3f{std::numeric_limits<float>::quiet_NaN(), 0, 0});
  EXPECT_GT(brightness(picture(on_black({surface}), camera_at(4), {32, 32}).at(16, 16)), 0.2f);
}

TEST_F(Draw, RefusesImpossibleSizes) {
  for (const Size size : {Size{0, 10}, Size{10, 0}, Size{16385, 1}, Size{1, 100000}}) {
    const Result<Image> image = shared_renderer()->draw({}, camera_at(1), size);
    ASSERT_FALSE(image.ok());
    EXPECT_NE(image.error().message().find(std::to_string(size.width) + " x"), std::string::npos);
    EXPECT_NE(image.error().remedy.find("16384"), std::string::npos);
  }
}

TEST_F(Draw, ErrorsNameSurfaceAndVertex) {
  Scene scene = on_black({sphere({}, 1), card({}, 1, {1, 1, 1})});
  scene.surfaces[1].positions[2].y = std::numeric_limits<float>::quiet_NaN();
  Result<Image> image = shared_renderer()->draw(scene, camera_at(6), {16, 16});
  ASSERT_FALSE(image.ok());
  EXPECT_NE(image.error().message().find("'card': vertex 2"), std::string::npos) << image.error().message();

  scene.surfaces[1] = card({}, 1, {1, 1, 1});
  scene.surfaces[1].triangles[1][2] = 4;
  image = shared_renderer()->draw(scene, camera_at(6), {16, 16});
  ASSERT_FALSE(image.ok());
  EXPECT_NE(image.error().message().find("triangle 1 uses vertex 4 of 4"), std::string::npos);

  scene.surfaces[1] = card({}, 1, {1, 1, 1});
  scene.surfaces[1].colours.resize(3);
  EXPECT_FALSE(shared_renderer()->draw(scene, camera_at(6), {16, 16}).ok());
  EXPECT_FALSE(shared_renderer()->draw({}, camera_at(0), {16, 16}).ok());
}

}  // namespace
}  // namespace supple::render
