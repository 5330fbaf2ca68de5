// The passes of one picture: shadow map, background, depth, opaque surfaces, transparent layers, bones.
#include "supple/render/draw.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "supple/render/context.h"
#include "supple/render/downsample.h"
#include "supple/render/frame.h"
#include "supple/render/gl_objects.h"
#include "supple/render/gpu_surface.h"
#include "supple/render/overlay.h"
#include "supple/render/shaders.h"
#include "supple/render/uniforms.h"

namespace supple::render {
namespace {

// Pictures are drawn in tiles, so that memory stays bounded and no driver's largest target limits the size. Every pixel
// is 2 x 2 pixels of the target, each with 1 or 4 samples.
constexpr std::uint32_t max_tile_side = 512, oversampling = 2;
constexpr double max_mean_layers = 50;

/// Which texture the units of the driver hold.
enum Unit : int { shadow_unit = 0, base_colour_unit = 1 };

void bind_texture(Unit unit, GLuint texture) {
  glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
  glBindTexture(GL_TEXTURE_2D, texture);
}

void set_look(const Uniforms& u, const GpuSurface& s) {
  const Finish finish = s.finish;
  const Vec3f wrap = finish == Finish::skin ? Vec3f{0.31f, 0.22f, 0.18f} : Vec3f{0.12f, 0.12f, 0.12f};
  u.set("wrap", wrap);
  u.set("gloss", finish == Finish::skin ? 0.12f : finish == Finish::matte ? 0.08f : 0.0f);
  u.set("data", finish == Finish::data ? 1.0f : 0.0f);
  u.set("opacity", s.opacity);
  if (s.texture == 0) return;
  bind_texture(base_colour_unit, s.texture);
  u.set("base_colour", base_colour_unit);
  u.set("alpha_cutoff", s.alpha_cutoff);
  u.set("alpha_blend", s.alpha == Alpha::blend ? 1.0f : 0.0f);
}

}  // namespace

struct Renderer::State {
  Context context;
  Handle background, depth, masked_depth;
  Handle plain, textured, masked;  // of surfaces
  TextureCache textures;
  ShadowMap shadow_map;

  explicit State(Context c) : context(std::move(c)) {}
  ~State() {
    const Context::Current current(context);
    for (Handle* program : {&background, &depth, &masked_depth, &plain, &textured, &masked}) *program = {};
    textures.clear();
    shadow_map = {};
  }

  const Handle& program_of(const GpuSurface& s) const {
    return s.masked() ? masked : s.texture != 0 ? textured : plain;
  }
  Result<void> prepare_shadow_map(GLsizei resolution) {
    if (shadow_map.resolution() == resolution) return {};
    Result<ShadowMap> made = ShadowMap::create(resolution);
    if (!made) return made.error();
    shadow_map = std::move(*made);
    return {};
  }
  void draw_depth(const std::array<double, 16>& to_clip, const std::array<float, 4>& tile,
                  std::span<const GpuSurface> surfaces) const;
  void draw_shadows(const Frame& frame, std::span<const GpuSurface> surfaces) const;
  void draw_transparent(const GpuSurface& surface) const;
  void draw_surfaces(const Frame& frame, const Style& style, const std::array<float, 4>& tile,
                     std::span<const GpuSurface> surfaces, std::span<const GpuSurface> overlay, bool depth_first) const;
};

Renderer::Renderer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Renderer::Renderer(Renderer&&) noexcept = default;
Renderer& Renderer::operator=(Renderer&&) noexcept = default;
Renderer::~Renderer() = default;
const std::string& Renderer::device() const { return state_->context.device(); }

Result<Renderer> Renderer::create() {
  Result<Context> context = Context::create();
  if (!context) return context.error();
  auto state = std::make_unique<State>(std::move(*context));
  const Context::Current current(state->context);
  const struct {
    Handle& program;
    const char *vertex, *fragment, *defines;
  } programs[] = {
      {state->background, shader::background_vertex, shader::background_fragment, ""},
      {state->depth, shader::surface_vertex, shader::depth_fragment, ""},
      {state->masked_depth, shader::surface_vertex, shader::depth_fragment, "#define MASKED\n"},
      {state->plain, shader::surface_vertex, shader::surface_fragment, ""},
      {state->textured, shader::surface_vertex, shader::surface_fragment, "#define TEXTURED\n"},
      {state->masked, shader::surface_vertex, shader::surface_fragment, "#define TEXTURED\n#define MASKED\n"},
  };
  for (const auto& p : programs) {
    Result<Handle> made = make_program(p.vertex, p.fragment, p.defines);
    if (!made) return made.error();
    p.program = std::move(*made);
  }
  return Renderer(std::move(state));
}

void Renderer::State::draw_depth(const std::array<double, 16>& to_clip, const std::array<float, 4>& tile,
                                 std::span<const GpuSurface> surfaces) const {
  for (const bool with_holes : {false, true}) {
    const Uniforms u(with_holes ? masked_depth : depth);
    u.set("to_clip", to_clip);
    u.set("tile", tile);
    for (const GpuSurface& s : surfaces) {
      if (s.transparent() || s.masked() != with_holes) continue;
      if (with_holes) {
        bind_texture(base_colour_unit, s.texture);
        u.set("base_colour", base_colour_unit);
        u.set("alpha_cutoff", s.alpha_cutoff);
      }
      s.mesh.draw();
    }
  }
}

void Renderer::State::draw_shadows(const Frame& frame, std::span<const GpuSurface> surfaces) const {
  shadow_map.bind();
  glEnable(GL_DEPTH_TEST);
  glDepthMask(GL_TRUE);
  glDepthFunc(GL_LESS);
  glDisable(GL_CULL_FACE);
  glClear(GL_DEPTH_BUFFER_BIT);
  glEnable(GL_POLYGON_OFFSET_FILL);
  glPolygonOffset(2, 4);
  draw_depth(frame.to_shadow, {1, 1, 0, 0}, surfaces);
  glDisable(GL_POLYGON_OFFSET_FILL);
}

/// While it lives, only depth is drawn, a hair behind the surfaces. What is drawn afterwards with GL_LESS passes where
/// it is nearest, once: it then writes its own depth, and what is equally near is not less.
class LayingDepth {
 public:
  LayingDepth() {
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(0, 2);
  }
  ~LayingDepth() {
    glDisable(GL_POLYGON_OFFSET_FILL);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  }
};

/// Exactly two layers, whatever order the triangles have: the nearest back face, then the nearest front face.
void Renderer::State::draw_transparent(const GpuSurface& surface) const {
  glEnable(GL_CULL_FACE);
  for (const GLenum hidden : {GL_FRONT, GL_BACK}) {
    glCullFace(hidden);
    {
      const LayingDepth laying;
      surface.mesh.draw();
    }
    glEnable(GL_BLEND);
    surface.mesh.draw();
    glDisable(GL_BLEND);
  }
  glDisable(GL_CULL_FACE);
}

void Renderer::State::draw_surfaces(const Frame& frame, const Style& style, const std::array<float, 4>& tile,
                                    std::span<const GpuSurface> surfaces, std::span<const GpuSurface> overlay,
                                    bool depth_first) const {
  glDepthMask(GL_TRUE);
  glClear(GL_DEPTH_BUFFER_BIT);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_CULL_FACE);
  glDisable(GL_BLEND);
  const Uniforms b(background);
  b.set("tile", tile);
  b.set("center_colour", style.background_center);
  b.set("edge_colour", style.background_edge);
  glDrawArrays(GL_TRIANGLES, 0, 3);

  for (const Handle* program : {&plain, &textured, &masked}) {
    const Uniforms u(*program);
    u.set("to_clip", frame.to_clip);
    u.set("tile", tile);
    u.set("eye", frame.eye);
    u.set("key", frame.key);
    u.set("fill", frame.fill);
    u.set("rim", frame.rim);
    u.set("sky", frame.sky);
    u.set("exposure", style.exposure);
    u.set("wire_colour", style.wire_colour);
    u.set("wire_width", style.wireframe ? style.wire_width * static_cast<float>(oversampling) : 0.0f);
    u.set("shadow_map", shadow_unit);
    u.set("to_shadow", frame.to_shadow);
    u.set("shadow_strength", style.shadows ? 0.85f : 0.0f);
    u.set("shadow_radius", frame.shadow_radius);
    u.set("shadow_offset", frame.shadow_offset);
  }
  bind_texture(shadow_unit, shadow_map.texture());
  glEnable(GL_DEPTH_TEST);
  glDepthFunc(GL_LESS);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);

  // Light is costly without a graphics card, so every sample is lit once. (Software drivers light all fragments of
  // multisampled targets, whatever is known of the depth.)
  if (depth_first) {
    const LayingDepth laying;
    draw_depth(frame.to_clip, tile, surfaces);
  }
  const auto draw = [&](const GpuSurface& s) {
    set_look(Uniforms(program_of(s)), s);
    s.transparent() ? draw_transparent(s) : s.mesh.draw();
  };
  for (const GpuSurface& s : surfaces) draw(s);

  if (overlay.empty()) return;
  glClear(GL_DEPTH_BUFFER_BIT);
  const Uniforms u(plain);
  u.set("wire_width", 0.0f);
  u.set("shadow_strength", 0.0f);
  for (const GpuSurface& s : overlay) draw(s);
}

Result<Image> Renderer::draw(const Scene& scene, const Camera& camera, Size size) {
  const std::string asked = std::to_string(size.width) + " x " + std::to_string(size.height);
  if (size.width == 0 || size.height == 0 || size.width > max_picture_side || size.height > max_picture_side) {
    return Error{"picture of " + asked + " pixels", "cannot be drawn",
                 "use 1 to " + std::to_string(max_picture_side) + " pixels for width and height"};
  }
  if (auto valid = validate(scene); !valid) return valid.error();
  const Result<Frame> frame = make_frame(scene, camera, size);
  if (!frame) return frame.error();

  const Context::Current current(state_->context);
  if (!current.ok()) return Error{"off-screen drawing", "the graphics context was lost", "try again"};
  // Tiles of one size that cover the picture and no more: a picture of 520 pixels is two of 260, not 512 and 512.
  const auto even_tile = [](std::uint32_t side) {
    const std::uint32_t count = (side + max_tile_side - 1) / max_tile_side;
    return (side + count - 1) / count;
  };
  const Size tile{even_tile(size.width), even_tile(size.height)};
  // Where hundreds of surfaces lie behind each other, edges and shadows are drawn more coarsely.
  const bool deep = mean_layers(scene, *frame) > max_mean_layers;
  const int samples = scene.style.samples > 4 && !deep ? 4 : 0;
  const Result<ColourTarget> target =
      ColourTarget::create({tile.width * oversampling, tile.height * oversampling}, samples);
  if (!target) return target.error();

  state_->textures.prepare(scene);
  const std::vector<GpuSurface> surfaces = upload(scene.surfaces, *frame, state_->textures, scene.style.wireframe);
  std::vector<GpuSurface> overlay;
  if (!scene.bones.empty() || !scene.joints.empty()) {
    const Surface bones = bone_overlay(scene.bones, scene.joints, frame->size * scene.style.bone_width);
    overlay = upload(std::span(&bones, 1), *frame, state_->textures, false);
  }
  if (auto made = state_->prepare_shadow_map(deep ? 512 : 2048); !made) return made.error();
  if (scene.style.shadows) state_->draw_shadows(*frame, surfaces);

  Image image(size, {});
  std::vector<Rgba8> pixels(std::size_t{target->size().width} * target->size().height);
  for (std::uint32_t y = 0; y < size.height; y += tile.height) {
    for (std::uint32_t x = 0; x < size.width; x += tile.width) {
      const float scale_x = static_cast<float>(size.width) / static_cast<float>(tile.width);
      const float scale_y = static_cast<float>(size.height) / static_cast<float>(tile.height);
      const float column = 2 * static_cast<float>(x) / static_cast<float>(tile.width);
      const float row = 2 * static_cast<float>(y) / static_cast<float>(tile.height);
      target->bind();
      state_->draw_surfaces(*frame, scene.style, {scale_x, scale_y, scale_x - 1 - column, 1 - scale_y + row}, surfaces,
                            overlay, samples == 0);
      target->read(pixels);
      average_2x2(pixels, target->size(), image, x, y);
    }
  }
  if (const GLenum code = glGetError(); code != GL_NO_ERROR) {
    return Error{"off-screen drawing", "failed with OpenGL error " + std::to_string(code),
                 code == GL_OUT_OF_MEMORY ? "ask for a smaller picture" : "set LIBGL_ALWAYS_SOFTWARE=1"};
  }
  return image;
}

Result<Image> draw(const Scene& scene, const Camera& camera, Size size) {
  Result<Renderer> renderer = Renderer::create();
  if (!renderer) return renderer.error();
  return renderer->draw(scene, camera, size);
}

}  // namespace supple::render
