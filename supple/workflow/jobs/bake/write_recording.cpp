#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "supple/base/file.h"
#include "supple/deform/posed_surfaces.h"
#include "supple/files/gltf/edit_morphs.h"
#include "supple/files/obj.h"
#include "supple/files/vertex_cache.h"
#include "supple/workflow/jobs/bake/recording.h"

namespace supple::workflow {
namespace {

namespace fs = std::filesystem;

/// The number in a file's name is its time in frames, as programs that read sequences take it.
std::string frame_file(const Recording& recording, std::size_t frame) {
  return fmt::format("frame_{:04}.obj", std::llround(recording.times[frame] * recording.rate));
}

/// Frames of an earlier, longer bake would play on after the last one of this.
Result<void> refuse_other_frames(const fs::path& folder, const Recording& recording) {
  std::set<std::string> own;
  for (std::size_t f = 0; f < recording.times.size(); ++f) own.insert(frame_file(recording, f));
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (is_surface_file(name) && !own.contains(name))
      return Error{folder.string(), "holds other surfaces, such as " + name, "empty it or choose another folder"};
  }
  return {};
}

Result<void> write_frames(Recording& recording, Blend blend, const fs::path& folder) {
  // Triangles, names and texture coordinates are the same in every frame.
  auto surfaces =
      posed_surfaces(recording.character, recording.character.at(recording.clip, recording.clip.start()), blend);
  if (!surfaces) return surfaces.error();
  std::vector<Part> parts;
  for (const std::size_t p : recording.parts) parts.push_back(std::move(surfaces->parts[p]));
  FileTransaction files;
  const auto taken = recording.each_frame([&](std::size_t f) -> Result<void> {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      std::ranges::copy(recording.skin.positions(recording.parts[i]), parts[i].mesh.positions.begin());
      std::ranges::copy(recording.skin.normals(recording.parts[i]), parts[i].mesh.normals.begin());
    }
    return files.add(folder / frame_file(recording, f), to_obj(parts));
  });
  if (!taken) return taken;
  return files.commit();
}

}  // namespace

Result<learn::ClipModes> write_modes(Recording& recording, Model& model, std::size_t modes, const std::string& output,
                                     Work& work) {
  learn::SurfaceFrames frames;
  frames.times = recording.times;
  const auto taken = recording.each_frame([&](std::size_t) -> Result<void> {
    const std::span<const Vec3f> positions = recording.skin.positions(recording.parts[0]);
    const std::span<const Vec3f> normals = recording.skin.normals(recording.parts[0]);
    frames.positions.emplace_back(positions.begin(), positions.end());
    frames.normals.emplace_back(normals.begin(), normals.end());
    return {};
  });
  if (!taken) return taken.error();
  const auto surfaces = gltf::surfaces_of_mesh(model.imported, recording.parts[0]);
  if (!surfaces) return surfaces.error();
  const auto clip = static_cast<std::size_t>(&recording.clip - model.character().clips.data());
  const auto fit = learn::put_clip_modes(model.character(), *surfaces, clip, frames, modes);
  if (!fit) return fit.error();
  if (auto put = gltf::put_morphs(model.document, model.imported, *surfaces); !put) return put.error();
  if (auto saved = save_model(output, model, work); !saved) return saved.error();
  return *fit;
}

Result<void> write_cache(Recording& recording, CacheFormat format, const fs::path& output) {
  std::vector<std::vector<Vec3f>> frames(recording.times.size());
  const auto taken = recording.each_frame([&](std::size_t f) -> Result<void> {
    const std::span<const Vec3f> positions = recording.skin.positions(recording.parts[0]);
    frames[f].assign(positions.begin(), positions.end());
    return {};
  });
  if (!taken) return taken;
  if (format == CacheFormat::mdd) return write_mdd(output, recording.times, frames);
  return write_pc2(output, static_cast<float>(recording.times[0] * recording.rate), 1, frames);
}

Result<void> write_folder(Recording& recording, Blend blend, const fs::path& folder) {
  std::error_code failed;
  const bool made = fs::create_directories(folder, failed);
  if (failed) return Error{folder.string(), "cannot be made: " + failed.message(), "choose another folder"};
  if (auto ok = refuse_other_frames(folder, recording); !ok) return ok;
  auto written = write_frames(recording, blend, folder);
  if (!written && made) fs::remove(folder, failed);
  return written;
}

}  // namespace supple::workflow
