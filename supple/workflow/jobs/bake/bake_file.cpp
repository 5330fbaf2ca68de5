#include "supple/workflow/jobs/bake/bake_file.h"

#include "supple/author/bake/clip_player.h"
#include "supple/rig/find_part.h"
#include "supple/workflow/jobs/bake/recording.h"
#include "supple/workflow/jobs/clip_frames.h"
#include "supple/workflow/jobs/named_pose.h"

namespace supple::workflow {
namespace {

namespace fs = std::filesystem;

enum class BakeFormat { mdd, pc2, gltf, folder };

Result<BakeFormat> bake_format_of(const fs::path& output) {
  const std::string extension = output.extension().string();
  if (extension == ".mdd") return BakeFormat::mdd;
  if (extension == ".pc2") return BakeFormat::pc2;
  if (extension == ".glb" || extension == ".gltf") return BakeFormat::gltf;
  if (extension.empty()) return BakeFormat::folder;
  return Error{output.string(), "is no vertex cache that can be written", "use .mdd, .pc2, .glb or a folder"};
}

Result<const Clip*> clip_to_bake(const Character& character, const BakeFileOptions& o) {
  if (!o.clip.empty()) return find_clip(character, o.clip);
  if (character.clips.size() == 1) return &character.clips[0];
  std::string names;
  for (const Clip& clip : character.clips) names += (names.empty() ? "" : ", ") + clip.name;
  if (names.empty()) return Error{o.input, "has no clip to bake", "supple convert --motion puts one in"};
  return Error{o.input, "has several clips", "choose with --clip: " + names};
}

/// What was named; or all surfaces for .obj files, and for the others those that joints bend, or else all.
Result<std::vector<std::size_t>> parts_to_bake(const Character& character, const BakeFileOptions& o,
                                               BakeFormat format) {
  if (!o.part.empty()) return find_parts(character, o.part);
  if (character.parts.empty()) return Error{o.input, "has no surface", "use a file with a mesh"};
  std::vector<std::size_t> parts;
  if (format != BakeFormat::folder) parts = skinned_parts(character);
  if (!parts.empty()) return parts;
  for (std::size_t p = 0; p < character.parts.size(); ++p) parts.push_back(p);
  return parts;
}

Result<void> write_recording(Recording& recording, Model& model, BakeFormat format, const BakeFileOptions& o,
                             Work& work, BakedFile& baked) {
  baked.files = {o.output};
  if (format == BakeFormat::gltf) {
    const auto fit = write_modes(recording, model, o.modes, o.output, work);
    if (!fit) return fit.error();
    baked.fit = *fit;
    return {};
  }
  if (format == BakeFormat::folder) return write_folder(recording, o.blend, o.output);
  const auto files = write_caches(recording, format == BakeFormat::mdd ? CacheFormat::mdd : CacheFormat::pc2, o.output);
  if (!files) return files.error();
  baked.files.assign(files->begin(), files->end());
  return {};
}

}  // namespace

Result<BakedFile> bake_file(const BakeFileOptions& o, Work& work) {
  const auto format = bake_format_of(o.output);
  if (!format) return format.error();
  auto model = load_model(o.input, work);
  if (!model) return model.error();
  const Character& character = model->character();
  const auto clip = clip_to_bake(character, o);
  if (!clip) return clip.error();
  auto parts = parts_to_bake(character, o, *format);
  if (!parts) return parts.error();
  auto skin = Skin::make(character, o.blend, {}, &work.warnings);
  if (!skin) return skin.error();
  const double rate = o.rate ? *o.rate : clip_rate(**clip);
  Recording recording{character, **clip, std::move(*parts), rate,         frame_times(**clip, rate),
                      {},        {},     std::move(*skin),  work.progress};
  if (o.flesh) {
    if (auto ok = record_flesh(recording, work); !ok) return ok.error();
    if (auto ok = record_muscles(recording, work); !ok) return ok.error();
  } else {
    recording.flesh.assign(recording.times.size(), std::vector<FleshMotion>(character.flesh.elements.size()));
  }
  BakedFile baked;
  baked.clip = recording.clip.name;
  baked.rate = rate;
  baked.times = recording.times;
  for (const std::size_t p : recording.parts) {
    baked.vertices += character.parts[p].mesh.positions.size();
    baked.parts.push_back(character.parts[p].name);
  }
  if (o.flesh) baked.flesh_elements = character.flesh.elements.size();
  if (!recording.muscles.empty()) baked.muscles = character.kinodynamics->muscles.size();
  if (auto ok = write_recording(recording, *model, *format, o, work, baked); !ok) return ok.error();
  return baked;
}

}  // namespace supple::workflow
