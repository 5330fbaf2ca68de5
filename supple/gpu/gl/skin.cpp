#include "supple/gpu/gl/skin.h"

#include <string>
#include <vector>

namespace supple::gpu {
namespace {

constexpr GLsizei width = SkinTables::texture_width;

struct Format {
  GLenum internal, external, type;
};
constexpr Format four_floats{GL_RGBA32F, GL_RGBA, GL_FLOAT}, two_floats{GL_RG32F, GL_RG, GL_FLOAT},
    one_float{GL_R32F, GL_RED, GL_FLOAT}, four_numbers{GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT};

Handle make_texture() {
  GLuint id = 0;
  glGenTextures(1, &id);
  glBindTexture(GL_TEXTURE_2D, id);
  for (const GLenum filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER})
    glTexParameteri(GL_TEXTURE_2D, filter, GL_NEAREST);
  return {id, [](GLuint texture) { glDeleteTextures(1, &texture); }};
}

/// Whole rows, at least one: a texture that is never read still needs a size.
void upload_rows(GLuint texture, const Format& format, std::size_t texels, const void* data) {
  glBindTexture(GL_TEXTURE_2D, texture);
  const auto rows = static_cast<GLsizei>(std::max<std::size_t>(texture_rows(texels), 1));
  glTexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(format.internal), width, rows, 0, format.external, format.type,
               data);
}

/// As upload_rows for numbers that do not fill their last row.
void upload_padded(GLuint texture, const Format& format, std::span<const float> numbers, std::size_t numbers_a_texel) {
  const std::size_t rows = std::max<std::size_t>(texture_rows(numbers.size() / numbers_a_texel), 1);
  std::vector<float> padded(rows * SkinTables::texture_width * numbers_a_texel);
  std::copy(numbers.begin(), numbers.end(), padded.begin());
  upload_rows(texture, format, padded.size() / numbers_a_texel, padded.data());
}

template <class Joint>
std::span<const float> as_floats(std::span<const Joint> joints) {
  static_assert(sizeof(Joint) == 16 * sizeof(float));
  return {reinterpret_cast<const float*>(joints.data()), joints.size() * 16};
}

}  // namespace

Result<GlSkin> GlSkin::make(const SkinTables& tables) {
  GLint largest = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
  const std::size_t rows =
      texture_rows(std::max({tables.ranges.size() / 4, tables.influences.size() / 2, tables.offsets.size() / 4}));
  if (rows > static_cast<std::size_t>(largest))
    return Error{"part",
                 "needs a texture of " + std::to_string(rows) + " rows where this graphics driver has " +
                     std::to_string(largest),
                 "split the mesh, or give its vertices fewer morph targets"};
  GlSkin skin;
  for (Handle& texture : skin.textures_) texture = make_texture();
  const auto texture = [&](Texture t) { return skin.textures_[t].id(); };
  upload_rows(texture(ranges), four_numbers, tables.ranges.size() / 4, tables.ranges.data());
  upload_rows(texture(influences), two_floats, tables.influences.size() / 2, tables.influences.data());
  upload_padded(texture(offsets), four_floats, tables.offsets, 4);
  skin.set_frame({});
  return skin;
}

void GlSkin::set_frame(const SkinFrame& frame) {
  dual_ = !frame.motion.empty();
  stretched_ = !frame.stretch.empty();
  scaled_ = frame.scaled;
  const auto upload = [&](Texture t, const Format& format, std::span<const float> numbers, std::size_t a_texel) {
    upload_padded(textures_[t].id(), format, numbers, a_texel);
  };
  upload(palette, four_floats, dual_ ? as_floats(frame.motion) : as_floats(frame.palette), 4);
  upload(stretch, four_floats, as_floats(frame.stretch), 4);
  upload(weights, one_float, frame.weights, 1);
}

void GlSkin::bind(GLuint program, GLint first_unit) const {
  constexpr std::array<const char*, texture_count> names{"supple_ranges",  "supple_influences", "supple_offsets",
                                                         "supple_weights", "supple_palette",    "supple_stretch"};
  for (GLint t = 0; t < texture_count; ++t) {
    glActiveTexture(static_cast<GLenum>(GL_TEXTURE0 + first_unit + t));
    glBindTexture(GL_TEXTURE_2D, textures_[static_cast<std::size_t>(t)].id());
    glUniform1i(glGetUniformLocation(program, names[static_cast<std::size_t>(t)]), first_unit + t);
  }
  glUniform1i(glGetUniformLocation(program, "supple_dual"), dual_);
  glUniform1i(glGetUniformLocation(program, "supple_stretched"), stretched_);
  glUniform1i(glGetUniformLocation(program, "supple_scaled"), scaled_);
}

}  // namespace supple::gpu
