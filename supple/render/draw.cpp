// The passes of one picture: shadow map, background, opaque surfaces, transparent layers, bones.
#include "supple/render/draw.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "supple/render/context.h"
#include "supple/render/downsample.h"
#include "supple/render/frame.h"
#include "supple/render/gl_objects.h"
#include "supple/render/overlay.h"
#include "supple/render/shaders.h"

namespace supple::render {
namespace {

// Pictures are drawn in tiles, so that memory stays bounded and no driver's largest target limits the size. Every pixel
// is 2 x 2 pixels of the target, each with 1 or 4 samples.
constexpr std::uint32_t max_tile_side = 512, oversampling = 2;

struct GpuSurface {
  GpuMesh mesh;
  Finish finish = Finish::skin;
  float opacity = 1;
  double nearest = 0;  // distance of its nearest point along the line of sight
};

GpuSurface upload(const Surface& surface, const Frame& frame, bool split) {
  std::vector<Vec3f> computed;
  if (surface.normals.empty()) {
    computed.resize(surface.positions.size());
    compute_normals(surface.positions, surface.triangles, computed);
  }
  const std::span<const Vec3f> normals = computed.empty() ? std::span<const Vec3f>(surface.normals) : computed;
  std::vector<Vertex> vertices(surface.positions.size());
  GpuSurface out;
  out.nearest = frame.far;
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    // Relative to the target, so that a character far from the origin keeps its precision.
    const Vec3d p = Vec3d(surface.positions[v]) - frame.target;
    vertices[v] = {Vec3f(p), is_finite(normals[v]) ? normals[v] : Vec3f{},
                   surface.colours.empty() ? surface.colour : surface.colours[v],
                   surface.occlusion.empty() ? 1.0f : surface.occlusion[v]};
    out.nearest = std::min(out.nearest, frame.depth(p));
  }
  out.mesh = render::upload(vertices, surface.triangles, split);
  out.finish = surface.finish;
  out.opacity = surface.opacity;
  return out;
}

class Uniforms {
 public:
  explicit Uniforms(const Handle& program) : id_(program.id()) { glUseProgram(id_); }
  void set(const char* name, float v) const { glUniform1f(at(name), v); }
  void set(const char* name, int v) const { glUniform1i(at(name), v); }
  void set(const char* name, Vec3d v) const { set(name, Vec3f(v)); }
  void set(const char* name, Vec3f v) const { glUniform3f(at(name), v.x, v.y, v.z); }
  void set(const char* name, const std::array<float, 4>& v) const { glUniform4fv(at(name), 1, v.data()); }
  void set(const char* name, const std::array<double, 16>& v) const {
    std::array<float, 16> f{};
    std::transform(v.begin(), v.end(), f.begin(), [](double x) { return static_cast<float>(x); });
    glUniformMatrix4fv(at(name), 1, GL_FALSE, f.data());
  }

 private:
  GLint at(const char* name) const { return glGetUniformLocation(id_, name); }
  GLuint id_;
};

void set_finish(const Uniforms& u, Finish finish, float opacity) {
  const Vec3f wrap = finish == Finish::skin ? Vec3f{0.31f, 0.22f, 0.18f} : Vec3f{0.12f, 0.12f, 0.12f};
  u.set("wrap", wrap);
  u.set("gloss", finish == Finish::skin ? 0.12f : finish == Finish::matte ? 0.08f : 0.0f);
  u.set("data", finish == Finish::data ? 1.0f : 0.0f);
  u.set("opacity", opacity);
}

}  // namespace

struct Renderer::State {
  Context context;
  Handle background, surface, depth;
  ShadowMap shadow_map;

  explicit State(Context c) : context(std::move(c)) {}
  ~State() {
    const Context::Current current(context);
    background = {};
    surface = {};
    depth = {};
    shadow_map = {};
  }

  void draw_shadows(const Frame& frame, std::span<const GpuSurface> surfaces) const;
  void draw_surfaces(const Frame& frame, const Style& style, const std::array<float, 4>& tile,
                     std::span<const GpuSurface> surfaces, const GpuSurface& overlay) const;
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
  Result<Handle> background = make_program(shader::background_vertex, shader::background_fragment);
  if (!background) return background.error();
  Result<Handle> surface = make_program(shader::surface_vertex, shader::surface_fragment);
  if (!surface) return surface.error();
  Result<Handle> depth = make_program(shader::surface_vertex, shader::depth_fragment);
  if (!depth) return depth.error();
  Result<ShadowMap> shadow_map = ShadowMap::create();
  if (!shadow_map) return shadow_map.error();
  state->background = std::move(*background);
  state->surface = std::move(*surface);
  state->depth = std::move(*depth);
  state->shadow_map = std::move(*shadow_map);
  return Renderer(std::move(state));
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
  const Uniforms u(depth);
  u.set("to_clip", frame.to_shadow);
  u.set("tile", std::array<float, 4>{1, 1, 0, 0});
  for (const GpuSurface& s : surfaces) {
    if (s.opacity >= 1) s.mesh.draw();
  }
  glDisable(GL_POLYGON_OFFSET_FILL);
}

void Renderer::State::draw_surfaces(const Frame& frame, const Style& style, const std::array<float, 4>& tile,
                                    std::span<const GpuSurface> surfaces, const GpuSurface& overlay) const {
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

  const Uniforms u(surface);
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
  u.set("shadow_map", 0);
  u.set("to_shadow", frame.to_shadow);
  u.set("shadow_strength", style.shadows ? 0.85f : 0.0f);
  u.set("shadow_radius", frame.shadow_radius);
  u.set("shadow_offset", frame.shadow_offset);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, shadow_map.texture());
  glEnable(GL_DEPTH_TEST);
  glDepthFunc(GL_LEQUAL);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);

  for (const GpuSurface& s : surfaces) {
    set_finish(u, s.finish, s.opacity);
    if (s.opacity >= 1) {
      s.mesh.draw();
      continue;
    }
    // Exactly two layers, whatever order the triangles have: the nearest back face, then the nearest front face. The
    // depth is laid down first; colour goes only where it is equal.
    glEnable(GL_CULL_FACE);
    for (const GLenum hidden : {GL_FRONT, GL_BACK}) {
      glCullFace(hidden);
      glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
      glDepthFunc(GL_LEQUAL);
      s.mesh.draw();
      glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
      glDepthFunc(GL_EQUAL);
      glEnable(GL_BLEND);
      s.mesh.draw();
      glDisable(GL_BLEND);
    }
    glDepthFunc(GL_LEQUAL);
    glDisable(GL_CULL_FACE);
  }

  if (overlay.mesh.count == 0) return;
  glClear(GL_DEPTH_BUFFER_BIT);
  u.set("wire_width", 0.0f);
  u.set("shadow_strength", 0.0f);
  set_finish(u, overlay.finish, 1);
  overlay.mesh.draw();
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
  const Result<ColourTarget> target =
      ColourTarget::create({tile.width * oversampling, tile.height * oversampling}, scene.style.samples > 4 ? 4 : 0);
  if (!target) return target.error();

  std::vector<GpuSurface> surfaces;
  for (const Surface& s : scene.surfaces) surfaces.push_back(upload(s, *frame, scene.style.wireframe));
  // Opaque ones first, then transparent ones from the back: one that encloses another is nearer and so comes later.
  std::stable_sort(surfaces.begin(), surfaces.end(), [](const GpuSurface& a, const GpuSurface& b) {
    const bool a_clear = a.opacity < 1, b_clear = b.opacity < 1;
    return a_clear != b_clear ? b_clear : a_clear && a.nearest > b.nearest;
  });
  const GpuSurface overlay = upload(bone_overlay(scene.bones, scene.joints, frame->size), *frame, false);
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
                            overlay);
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
