// The functions of a character that engine.ts calls. Numbers of joints, clips and parts were checked there.
#include <emscripten/emscripten.h>

#include <cmath>

#include "bindings/answer.h"
#include "bindings/open_character.h"
#include "supple/gpu/skin_tables.h"

namespace supple::browser {
namespace {

/// The arrays of PartTables, in this order.
struct TableViews {
  View positions, normals, indices, ranges, influences, offsets;
  std::uint32_t joints = 0, targets = 0;
};
gpu::SkinTables last_tables;
TableViews last_table_views;

struct PaletteViews {
  View matrices, stretch;
  std::uint32_t scaled = 0, dual = 0;
};
PaletteViews last_palette;

struct SurfaceViews {
  View positions, normals;
};
SurfaceViews last_surface;

std::vector<float> last_angles;
float last_world[16];
Bytes last_file;

Blend blend_of(int dual) { return dual != 0 ? Blend::dual_quaternion : Blend::linear; }

LayerSource source_of(int shown) { return shown != 0 ? LayerSource::live : LayerSource::at_rest; }

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE OpenCharacter* character_open(const std::byte* contents, std::size_t size, const char* name) try {
  auto opened = OpenCharacter::open({contents, size}, name);
  return opened ? std::move(*opened).release() : refuse(opened.error());
} catch (const std::bad_alloc&) {
  return refuse_memory();
}

EMSCRIPTEN_KEEPALIVE void character_close(OpenCharacter* c) { delete c; }

EMSCRIPTEN_KEEPALIVE const View* character_description(const OpenCharacter* c) { return answer_text(c->description()); }

EMSCRIPTEN_KEEPALIVE const TableViews* character_tables(const OpenCharacter* c, std::size_t part) try {
  const Part& surface = c->character().parts[part];
  last_tables = gpu::build_skin_tables(c->character(), surface);
  last_table_views = {view_of(std::span<const Vec3f>(last_tables.positions)),
                      view_of(std::span<const Vec3f>(last_tables.normals)),
                      view_of(std::span<const Triangle>(surface.mesh.triangles)),
                      view_of(std::span<const std::uint32_t>(last_tables.ranges)),
                      view_of(std::span<const float>(last_tables.influences)),
                      view_of(std::span<const float>(last_tables.offsets)),
                      last_tables.joint_count,
                      last_tables.target_count};
  return &last_table_views;
} catch (const std::bad_alloc&) {
  return refuse_memory();
}

EMSCRIPTEN_KEEPALIVE void character_forget_tables() { last_tables = {}; }

EMSCRIPTEN_KEEPALIVE void character_rest(OpenCharacter* c) { c->pose() = c->character().rest(); }

EMSCRIPTEN_KEEPALIVE void character_sample(OpenCharacter* c, std::size_t clip, float seconds) {
  c->pose() = c->character().at(c->character().clips[clip], seconds);
  c->flesh().follow(clip, seconds);
}

EMSCRIPTEN_KEEPALIVE const View* character_rotation(OpenCharacter* c, std::size_t joint) {
  return answer(std::span<const Quatf>(&c->pose().local[joint].rotation, 1));
}

EMSCRIPTEN_KEEPALIVE void character_set_rotation(OpenCharacter* c, std::size_t joint, float x, float y, float z,
                                                 float w) {
  // A rotation that was asked of the pose goes back as it was, bit by bit, so that undoing a change is exact: of those
  // only rounding tells the length from 1.
  const bool is_unit = std::abs(x * x + y * y + z * z + w * w - 1.0f) < 1e-6f;
  c->pose().local[joint].rotation = is_unit ? Quatf{x, y, z, w} : normalized(Quatf{x, y, z, w});
}

/// Ten numbers a joint, as of the last update: translation, rotation, scale.
EMSCRIPTEN_KEEPALIVE const View* character_locals(const OpenCharacter* c) {
  return answer(std::span<const Transformf>(c->shown().local));
}

EMSCRIPTEN_KEEPALIVE void character_set_locals(OpenCharacter* c, const Transformf* local) {
  std::copy_n(local, c->pose().local.size(), c->pose().local.begin());
}

/// Of the pose, before layers set theirs.
EMSCRIPTEN_KEEPALIVE const View* character_given_weights(OpenCharacter* c) {
  return answer(std::span<const float>(c->pose().morph_weights));
}

EMSCRIPTEN_KEEPALIVE void character_set_given_weights(OpenCharacter* c, const float* weights) {
  std::copy_n(weights, c->pose().morph_weights.size(), c->pose().morph_weights.begin());
}

EMSCRIPTEN_KEEPALIVE const View* character_angles(OpenCharacter* c, JointIndex joint) {
  last_angles = get_angles(c->pose(), c->character().skeleton, joint);
  return answer(std::span<const float>(last_angles));
}

EMSCRIPTEN_KEEPALIVE void character_set_angles(OpenCharacter* c, JointIndex joint, const float* angles,
                                               std::size_t count, int clamp) {
  set_angles(c->pose(), c->character().skeleton, joint, {angles, count}, clamp != 0);
}

EMSCRIPTEN_KEEPALIVE void character_update(OpenCharacter* c, int corrections, std::size_t modes, int smoothing,
                                           int flesh) {
  c->update({source_of(corrections), source_of(corrections), LayerSource::live, source_of(smoothing), source_of(flesh),
             modes});
}

EMSCRIPTEN_KEEPALIVE const View* character_world(const OpenCharacter* c, std::size_t joint) {
  const Affinef& m = c->world()[joint];
  const Vec3f columns[] = {m.linear.c0, m.linear.c1, m.linear.c2, m.translation};
  for (int i = 0; i < 4; ++i) {
    const float column[] = {columns[i].x, columns[i].y, columns[i].z, i == 3 ? 1.0f : 0.0f};
    std::copy(std::begin(column), std::end(column), last_world + 4 * i);
  }
  return answer(std::span<const float>(last_world));
}

EMSCRIPTEN_KEEPALIVE const View* character_morph_weights(const OpenCharacter* c) { return answer(c->morph_weights()); }

EMSCRIPTEN_KEEPALIVE const PaletteViews* character_palette(OpenCharacter* c, std::size_t part, int dual) {
  const auto palette = c->palette(part, blend_of(dual));
  if (!palette) return refuse(palette.error());
  last_palette = {view_of(palette->matrices), view_of(palette->stretch), palette->scaled, palette->dual};
  return &last_palette;
}

EMSCRIPTEN_KEEPALIVE int character_is_computed(const OpenCharacter* c, std::size_t part) {
  return c->is_computed(part) ? 1 : 0;
}

EMSCRIPTEN_KEEPALIVE const SurfaceViews* character_evaluate(OpenCharacter* c, std::size_t part, int dual) try {
  const auto skin = c->evaluate(part, blend_of(dual));
  if (!skin) return refuse(skin.error());
  last_surface = {view_of((*skin)->positions(part)), view_of((*skin)->normals(part))};
  return &last_surface;
} catch (const std::bad_alloc&) {
  return refuse_memory();
}

EMSCRIPTEN_KEEPALIVE const View* character_file(const OpenCharacter* c) try {
  auto file = c->to_glb();
  if (!file) return refuse(file.error());
  last_file = std::move(*file);
  return answer(std::span<const std::byte>(last_file));
} catch (const std::bad_alloc&) {
  return refuse_memory();
}

EMSCRIPTEN_KEEPALIVE const View* character_rig_file(const OpenCharacter* c) try {
  auto file = c->to_rig_file();
  if (!file) return refuse(file.error());
  last_file = std::move(*file);
  return answer(std::span<const std::byte>(last_file));
} catch (const std::bad_alloc&) {
  return refuse_memory();
}

EMSCRIPTEN_KEEPALIVE void character_forget_file() { last_file = {}; }

}  // extern "C"
}  // namespace supple::browser
