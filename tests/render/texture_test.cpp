// Textures on surfaces, the light on white, and many surfaces at once.
#include <gtest/gtest.h>

#include "render/pictures.h"

namespace supple::render {
namespace {

using namespace test;

class Textured : public testing::Test {
 protected:
  void SetUp() override { SUPPLE_REQUIRE_DRAWING(); }
  static Image picture(const Scene& scene, Size size = {64, 64}, const Camera& camera = camera_at(4)) {
    Result<Image> image = shared_renderer()->draw(scene, camera, size);
    EXPECT_TRUE(image.ok()) << image.error().message();
    return image ? *image : Image(size, {});
  }
};

constexpr Rgba8 red{255, 0, 0, 255}, green{0, 255, 0, 255}, blue{0, 0, 255, 255}, clear{255, 255, 255, 0};

std::shared_ptr<Texture> texture_of(Size size, std::vector<Rgba8> pixels) {
  auto texture = std::make_shared<Texture>();
  texture->image = Image(size, {});
  texture->image.pixels = std::move(pixels);
  texture->smooth = false;
  return texture;
}

/// A card whose texture coordinates go from `low` to `high`, with v downwards as in picture files.
Surface textured_card(std::shared_ptr<const Texture> texture, float low = 0, float high = 1) {
  Surface s = card({}, 0.7f, {1, 1, 1});
  s.texture = std::move(texture);
  s.texcoords = {{low, high}, {high, high}, {high, low}, {low, low}};
  return s;
}

/// r, g or b: the channel that stands out; '.' where none does.
char hue(Rgba8 p) {
  if (p.r > p.g + 60 && p.r > p.b + 60) return 'r';
  if (p.g > p.r + 60 && p.g > p.b + 60) return 'g';
  if (p.b > p.r + 60 && p.b > p.g + 60) return 'b';
  return '.';
}

TEST_F(Textured, RowsAreFromTheTop) {
  const auto four = texture_of({2, 2}, {red, green, blue, {0, 0, 0, 255}});
  const Image image = picture(on_black({textured_card(four)}));
  EXPECT_EQ(hue(image.at(20, 20)), 'r');
  EXPECT_EQ(hue(image.at(44, 20)), 'g');
  EXPECT_EQ(hue(image.at(20, 44)), 'b');
  EXPECT_EQ(hue(image.at(44, 44)), '.');
}

TEST_F(Textured, WrapModes) {
  // Coordinates from -1 to 2 show the texture three times along u: what lies left and right of it is the mode's.
  const auto wrapped = [&](Texture::Wrap wrap) {
    auto texture = texture_of({2, 1}, {red, blue});
    texture->wrap_u = wrap;
    const Image image = picture(on_black({textured_card(texture, -1, 2)}), {120, 120});
    // The card covers the middle 0.7 / tan(12.5 deg) / 4 of the picture: sixths of it, left to right.
    std::string row;
    const double half = 60 * 0.7 / (4 * std::tan(0.4363 / 2));
    for (int i = 0; i < 6; ++i)
      row += hue(image.at(static_cast<std::uint32_t>(60 + half * (-1 + (2 * i + 1) / 6.0)), 60));
    return row;
  };
  EXPECT_EQ(wrapped(Texture::Wrap::repeat), "rbrbrb");
  EXPECT_EQ(wrapped(Texture::Wrap::mirror), "brrbbr");
  EXPECT_EQ(wrapped(Texture::Wrap::clamp), "rrrbbb");
}

TEST_F(Textured, ColoursAreDecodedFromSrgb) {
  // A texture of one colour is the same as a surface of that colour.
  const Rgba8 brown{120, 80, 40, 255};
  Surface plain = card({}, 0.7f, to_linear(brown)), dressed = textured_card(texture_of({1, 1}, {brown}));
  for (Surface* s : {&plain, &dressed}) s->finish = Finish::matte;
  const Rgba8 a = picture(on_black({plain})).at(32, 32), b = picture(on_black({dressed})).at(32, 32);
  EXPECT_NEAR(a.r, b.r, 1);
  EXPECT_NEAR(a.g, b.g, 1);
  EXPECT_NEAR(a.b, b.b, 1);
}

TEST_F(Textured, MaskCutsHolesThatDoNotHideAndCastNoShadow) {
  const auto half = texture_of({2, 1}, {red, clear});
  Surface front = textured_card(half);
  for (Vec3f& p : front.positions) p.z += 0.5f;
  const Surface behind = card({}, 2, {0, 0, 1});
  for (const auto& [alpha, right] : {std::pair(Alpha::ignored, '.'), {Alpha::mask, 'b'}, {Alpha::blend, 'b'}}) {
    front.alpha = alpha;
    for (const std::uint32_t samples : {4u, 16u}) {
      Scene scene = on_black({front, behind});
      scene.style.samples = samples;
      const Image image = picture(scene);
      EXPECT_EQ(hue(image.at(24, 32)), 'r') << static_cast<int>(alpha);
      EXPECT_EQ(hue(image.at(40, 32)), right) << static_cast<int>(alpha);
    }
  }
}

TEST_F(Textured, BlendMixesByAlpha) {
  Surface front = textured_card(texture_of({1, 1}, {{255, 255, 255, 128}}));
  for (Vec3f& p : front.positions) p.z += 0.5f;
  front.alpha = Alpha::blend;
  Scene scene = on_black({front, card({}, 2, {0, 0, 0})});
  scene.style.shadows = false;
  const float mixed = brightness(picture(scene).at(32, 32));
  scene.surfaces[0].alpha = Alpha::ignored;
  const float opaque = brightness(picture(scene).at(32, 32));
  // Black with a sheen of at most 0.035 shines through by the other half.
  EXPECT_NEAR(mixed / opaque, 128.0f / 255, 0.04f);
}

TEST_F(Textured, WrongCoordinatesAreNamed) {
  Surface s = textured_card(texture_of({1, 1}, {red}));
  s.texcoords.pop_back();
  const auto image = shared_renderer()->draw(on_black({s}), camera_at(4), {8, 8});
  ASSERT_FALSE(image.ok());
  EXPECT_NE(image.error().message().find("3 texture coordinates for 4 vertices"), std::string::npos);
}

TEST_F(Textured, WhiteKeepsItsShading) {
  Surface ball = sphere({}, 0.7f);
  ball.colour = {1, 1, 1};
  for (const Finish finish : {Finish::skin, Finish::matte}) {
    ball.finish = finish;
    const Image image = picture(on_black({ball}), {96, 96});
    std::size_t bleached = 0;
    for (const Rgba8 p : image.pixels) bleached += p.r >= 252 && p.g >= 252 && p.b >= 252 ? 1 : 0;
    EXPECT_LT(static_cast<double>(bleached), 0.01 * static_cast<double>(covered(image)));
    EXPECT_GT(brightness(image.at(36, 34)), 0.75f) << "and is white still";
  }
}

/// One triangle of a grid of cards, each a surface of its own.
std::vector<Surface> confetti(std::size_t count, Vec3f step) {
  std::vector<Surface> surfaces;
  for (std::size_t i = 0; i < count; ++i) {
    Surface s = card({-0.6f + 0.04f * static_cast<float>(i % 30), -0.6f + 0.04f * static_cast<float>(i / 30 % 30), 0},
                     0.015f, {0.2f + 0.02f * static_cast<float>(i % 30), 0.5f, 0.3f});
    for (Vec3f& p : s.positions) p = p + step * static_cast<float>(i);
    s.triangles.pop_back();
    surfaces.push_back(std::move(s));
  }
  return surfaces;
}

TEST_F(Textured, ManySurfacesAreWhatOneWouldBe) {
  const std::vector<Surface> many = confetti(900, {});
  Surface one;
  one.finish = Finish::data;
  for (const Surface& s : many) {
    const auto first = static_cast<std::uint32_t>(one.positions.size());
    one.positions.insert(one.positions.end(), s.positions.begin(), s.positions.end());
    one.normals.insert(one.normals.end(), s.normals.begin(), s.normals.end());
    one.colours.insert(one.colours.end(), s.positions.size(), s.colour);
    one.triangles.push_back({first, first + 1, first + 2});
  }
  EXPECT_EQ(picture(on_black(many)).pixels, picture(on_black({one})).pixels);
}

TEST_F(Textured, ThousandsOfTransparentSurfacesShow) {
  std::vector<Surface> many = confetti(3000, {0, 0, 0.0001f});
  for (Surface& s : many) s.opacity = 0.5f;
  EXPECT_GT(covered(picture(on_black(many))), 200u);
}

TEST_F(Textured, HundredsBehindEachOtherLookLikeTheNearest) {
  // Deep scenes are drawn with fewer samples, which shows at edges only.
  std::vector<Surface> stack;
  for (int i = 0; i < 300; ++i) {
    stack.push_back(
        card({0, 0, -0.002f * static_cast<float>(i)}, 0.7f, i == 0 ? Vec3f{0.8f, 0.1f, 0.1f} : Vec3f{0, 0, 1}));
  }
  std::rotate(stack.begin(), stack.begin() + 150, stack.end());
  const Image deep = picture(on_black(stack)), alone = picture(on_black({stack[150]}));
  for (std::uint32_t y = 16; y < 48; ++y)
    for (std::uint32_t x = 16; x < 48; ++x) ASSERT_EQ(deep.at(x, y), alone.at(x, y)) << x << ", " << y;
}

}  // namespace
}  // namespace supple::render
