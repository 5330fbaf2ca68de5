#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "supple/base/file.h"
#include "supple/deform/posed_surfaces.h"
#include "supple/files/gltf/edit_morphs.h"
#include "supple/files/obj.h"
#include "supple/files/vertex_cache.h"
#include "supple/rig/joined_parts.h"
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

/// A cache holds one mesh: of several parts each has a file of its own, named after it. Letters that files cannot have
/// in their names become '_', and parts of one name are numbered.
std::vector<fs::path> cache_files(const Recording& recording, const fs::path& output) {
  if (recording.parts.size() == 1) return {output};
  std::vector<fs::path> files;
  std::set<std::string> taken;
  for (const std::size_t p : recording.parts) {
    std::string name = recording.character.parts[p].name;
    std::ranges::replace_if(
        name,
        [](unsigned char c) {
          return c < 0x20 || std::string_view("/\\:*?\"<>|").find(static_cast<char>(c)) != std::string_view::npos;
        },
        '_');
    if (name.empty()) name = "part";
    const std::string plain = name;
    for (int n = 2; !taken.insert(name).second; ++n) name = fmt::format("{}-{}", plain, n);
    files.push_back(output.parent_path() / (output.stem().string() + "-" + name + output.extension().string()));
  }
  return files;
}

/// The meshes that the recorded parts are surfaces of, each with all its parts.
Result<std::vector<std::vector<std::size_t>>> meshes_of(const Recording& recording, const gltf::Imported& imported) {
  std::vector<std::vector<std::size_t>> meshes;
  for (const std::size_t p : recording.parts) {
    const auto known = [&](const std::vector<std::size_t>& mesh) {
      return std::find(mesh.begin(), mesh.end(), p) != mesh.end();
    };
    if (std::any_of(meshes.begin(), meshes.end(), known)) continue;
    auto surfaces = gltf::surfaces_of_mesh(imported, p);
    if (!surfaces) return surfaces.error();
    meshes.push_back(std::move(*surfaces));
  }
  return meshes;
}

}  // namespace

Result<learn::ClipModes> write_modes(Recording& recording, Model& model, std::size_t modes, const std::string& output,
                                     Work& work) {
  gltf::give_meshes_of_their_own(model.document, model.imported);
  const auto meshes = meshes_of(recording, model.imported);
  if (!meshes) return meshes.error();
  const JoinedParts joined(recording.character, recording.parts);
  learn::SurfaceFrames frames;
  frames.parts = recording.parts;
  frames.times = recording.times;
  const auto taken = recording.each_frame([&](std::size_t) -> Result<void> {
    frames.positions.push_back(joined.join([&](std::size_t p) { return recording.skin.positions(p); }));
    frames.normals.push_back(joined.join([&](std::size_t p) { return recording.skin.normals(p); }));
    return {};
  });
  if (!taken) return taken.error();
  const auto clip = static_cast<std::size_t>(&recording.clip - model.character().clips.data());
  const auto fit = learn::put_clip_modes(model.character(), *meshes, clip, frames, modes);
  if (!fit) return fit.error();
  for (const std::vector<std::size_t>& mesh : *meshes)
    if (auto put = gltf::put_morphs(model.document, model.imported, mesh); !put) return put.error();
  if (auto saved = save_model(output, model, work); !saved) return saved.error();
  return *fit;
}

Result<std::vector<fs::path>> write_caches(Recording& recording, CacheFormat format, const fs::path& output) {
  std::vector<std::vector<std::vector<Vec3f>>> frames(recording.parts.size());  // by part and time
  const auto taken = recording.each_frame([&](std::size_t) -> Result<void> {
    for (std::size_t i = 0; i < recording.parts.size(); ++i) {
      const std::span<const Vec3f> positions = recording.skin.positions(recording.parts[i]);
      frames[i].emplace_back(positions.begin(), positions.end());
    }
    return {};
  });
  if (!taken) return taken.error();
  const std::vector<fs::path> files = cache_files(recording, output);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto written =
        format == CacheFormat::mdd
            ? write_mdd(files[i], recording.times, frames[i])
            : write_pc2(files[i], static_cast<float>(recording.times[0] * recording.rate), 1, frames[i]);
    if (!written) return written.error();
  }
  return files;
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
