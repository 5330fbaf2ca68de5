// The jobs behind supple::Skin, for engines that own their buffers: poses a part straight into an interleaved vertex
// buffer, then compares with Skin.
#include <supple/deform/drive.h>
#include <supple/deform/morph/job.h>
#include <supple/deform/skin.h>
#include <supple/deform/skinning/job.h>
#include <supple/files/load.h>

#include <cstdio>

namespace {

struct GpuVertex {
  float position[3], normal[3], texcoord[2];
};

int fail(const supple::Error& error) {
  std::fprintf(stderr, "own_buffers: %s\n", error.message().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fputs("usage: own_buffers CHARACTER.glb\n", stderr), 2;
  const auto file = supple::load(argv[1]);
  if (!file) return fail(file.error());
  const supple::Character& character = file->character();
  if (character.parts.empty() || !character.parts[0].skin || character.parts[0].mesh.normals.empty())
    return fail({argv[1], "has no skinned part with normals to begin with", ""});
  const supple::Part& part = character.parts[0];
  const supple::SkinBinding& binding = character.skins[*part.skin];
  const std::size_t vertices = part.mesh.positions.size();

  // Once for each character: immutable tables.
  const auto skin_table = supple::build_skin_table(part.weights, binding.joints.size());
  if (!skin_table) return fail(skin_table.error());
  const supple::MorphTable morph_table = supple::build_morph_table(part.morphs, vertices);

  // Once for each instance: buffers, wherever the engine keeps them.
  std::vector<supple::Affinef> world(character.skeleton.size());
  std::vector<supple::JointMatrix> palette(binding.joints.size());
  std::vector<supple::Vec3f> positions(vertices), normals(vertices);
  std::vector<GpuVertex> buffer(vertices);
  constexpr std::size_t stride = sizeof(GpuVertex) / sizeof(float);

  // Each frame: drivers, morph targets, skinning. Nothing allocates.
  supple::Pose pose = character.clips.empty() ? character.rest() : character.at(character.clips[0], 1);
  supple::drive(character.drivers, pose);
  const supple::MorphJob morph{
      .table = &morph_table,
      .weights = std::span(pose.morph_weights).subspan(part.first_morph_weight, part.morphs.size()),
      .positions = part.mesh.positions,
      .normals = part.mesh.normals,
      .out_positions = positions,
      .out_normals = normals};
  if (auto ok = morph.validate(); !ok) return fail(ok.error());
  morph.run();
  supple::to_world(character.skeleton, pose.local, world);
  supple::make_palette(binding, world, palette);
  const supple::LinearJob skinning{.table = &*skin_table,
                                   .palette = palette,
                                   .streams = {.positions = std::span<const supple::Vec3f>(positions),
                                               .normals = std::span<const supple::Vec3f>(normals),
                                               .tangents = {},
                                               .out_positions = {buffer[0].position, vertices, stride},
                                               .out_normals = {buffer[0].normal, vertices, stride},
                                               .out_tangents = {}}};
  if (auto ok = skinning.validate(); !ok) return fail(ok.error());
  skinning.run();

  auto skin = supple::Skin::make(character);
  if (!skin) return fail(skin.error());
  if (auto ok = skin->evaluate(pose); !ok) return fail(ok.error());
  float worst = 0;
  for (std::size_t v = 0; v < vertices; ++v) {
    const float* p = buffer[v].position;
    worst = std::max(worst, supple::length(supple::Vec3f{p[0], p[1], p[2]} - skin->positions()[v]));
  }
  std::printf("%zu vertices, at most %g m from what Skin makes of them\n", vertices, static_cast<double>(worst));
  return worst < 1e-6f ? 0 : 1;
}
