// What is to be drawn: surfaces, bones over them, and the style of the picture.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "supple/geometry/mesh.h"
#include "supple/render/colour.h"
#include "supple/render/image.h"

namespace supple::render {

/// How a surface takes the light.
enum class Finish {
  skin,   // soft: light wraps around the terminator, redder than it came
  matte,  // bone, cloth, anything else
  data,   // the colour means a number: lit just enough to show the shape, and keeps its hue
};

inline const Vec3f skin_colour = from_hex(0xd7a890), bone_colour = from_hex(0xe3dac6),
                   cloth_colour = from_hex(0x9aa4b2);

/// A picture that lies on a surface. The left end of the first row is at (0, 0), the right end of the last at (1, 1).
struct Texture {
  enum class Wrap { repeat, mirror, clamp };
  Image image;  // not empty; its colours multiply those of the surface
  Wrap wrap_u = Wrap::repeat, wrap_v = Wrap::repeat;
  bool smooth = true;  // or shown pixel by pixel, where it is seen larger than it is
};

/// What the alpha of a texture does.
enum class Alpha {
  ignored,
  mask,   // the surface is not there where alpha is below Surface::alpha_cutoff
  blend,  // alpha multiplies the opacity
};

struct Surface {
  std::string name;                 // for errors
  std::vector<Vec3f> positions;     // #V, metres
  std::vector<Vec3f> normals;       // #V, or empty: computed
  std::vector<Triangle> triangles;  // #T
  std::vector<Vec3f> colours;       // #V linear RGB, or empty: `colour` everywhere
  std::vector<float> occlusion;     // #V, light from all around that arrives, in [0, 1]; or empty: 1
  Vec3f colour = skin_colour;       // linear RGB
  float opacity = 1;                // below 1 the nearest back and the nearest front of the surface show
  Finish finish = Finish::skin;
  std::shared_ptr<const Texture> texture;       // or none; not with `colours`
  std::vector<std::array<float, 2>> texcoords;  // #V where there is a texture
  Alpha alpha = Alpha::ignored;                 // of the texture
  float alpha_cutoff = 0.5f;

  /// Whether it lets through what is behind it.
  bool transparent() const { return opacity < 1 || (texture != nullptr && alpha == Alpha::blend); }
};

/// Drawn over the surfaces as a slim octahedron, thickest near the head.
struct BoneShape {
  Vec3f head{}, tail{};
  Vec3f colour = from_hex(0x2f6fb5);  // linear RGB
};
/// Drawn over the surfaces as a dot.
struct JointShape {
  Vec3f position{};
  Vec3f colour = from_hex(0xf0f4f8);  // linear RGB
};

struct Style {
  Vec3f background_center = from_hex(0xf7f8fa), background_edge = from_hex(0xd5dae1);  // linear RGB
  bool wireframe = false;
  Vec3f wire_colour = from_hex(0x1b2430);
  float wire_width = 1;  // pixels
  float bone_width = 1;  // of bones and joints, relative to what suits bones inside a skin
  bool shadows = true;   // of the key light
  float exposure = 1;
  std::uint32_t samples = 16;  // of a pixel, 4 or 16: fewer show at edges that are nearly upright
};
/// For pages of many pictures: half the time, and an even background, which packs well.
Style page_style();

struct Scene {
  std::vector<Surface> surfaces;
  std::vector<BoneShape> bones;
  std::vector<JointShape> joints;
  Style style;
};

/// Which surface and vertex is wrong: sizes that differ, positions that are not finite, triangles out of range.
Result<void> validate(const Scene& scene);
/// All points to fit a camera to.
std::vector<Vec3f> points_of(const Scene& scene);

}  // namespace supple::render
