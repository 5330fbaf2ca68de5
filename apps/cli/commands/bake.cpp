// supple bake: the surface that a clip makes, frame by frame, as a vertex cache for programs that only play points.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "cli/commands/commands.h"
#include "cli/pose_options.h"
#include "supple/author/bake/play_flesh.h"
#include "supple/author/bake/play_muscles.h"
#include "supple/author/learn/clip_modes.h"
#include "supple/base/file.h"
#include "supple/deform/posed_surfaces.h"
#include "supple/files/gltf/edit_morphs.h"
#include "supple/files/obj.h"
#include "supple/files/vertex_cache.h"
#include "supple/rig/example_set.h"
#include "supple/workflow/jobs/model.h"

namespace supple::cli {
namespace {

namespace fs = std::filesystem;

struct BakeCommand {
  std::string input, output, clip, part;
  std::optional<double> rate;
  Blend blend = Blend::linear;
  bool no_flesh = false;
  std::size_t modes = 32;
};

void declare(Command& app, BakeCommand& o) {
  app.option("file", o.input, "Character (.glb, .gltf)").required().type("FILE");
  app.option("--clip", o.clip, "Clip to bake: its name or number (default: the only one)").type("NAME");
  app.option("--rate", o.rate, "Frames a second (default: as the clip's keys ask, 24 to 120)")
      .range(0.01, 10000.0)
      .type("F");
  app.option("--part", o.part, "Part to bake (default: the only skinned one; all for .obj files)").type("NAME");
  add_blend_option(app, o.blend);
  app.flag("--no-flesh", o.no_flesh, "Leave out what swings behind the bones: flesh and muscles");
  app.option("--modes", o.modes, "Of a .glb or .gltf file: morph targets that the motion is put into")
      .range(1, 1000)
      .show_default()
      .type("N");
  app.option("-o,--output", o.output,
             "File to write: a cache (.mdd, .pc2), a folder of numbered .obj files, or the character with the "
             "surface as morph targets (.glb, .gltf)")
      .required()
      .type("PATH");
}

enum class Format { mdd, pc2, gltf, folder };

Result<Format> format_of(const fs::path& output) {
  const std::string extension = output.extension().string();
  if (extension == ".mdd") return Format::mdd;
  if (extension == ".pc2") return Format::pc2;
  if (extension == ".glb" || extension == ".gltf") return Format::gltf;
  if (extension.empty()) return Format::folder;
  return Error{output.string(), "is no vertex cache that can be written", "use .mdd, .pc2, .glb or a folder"};
}

Result<const Clip*> clip_to_bake(const Character& character, const BakeCommand& o) {
  if (!o.clip.empty()) return find_clip(character, o.clip);
  if (character.clips.size() == 1) return &character.clips[0];
  std::string names;
  for (const Clip& clip : character.clips) names += (names.empty() ? "" : ", ") + clip.name;
  if (names.empty()) return Error{o.input, "has no clip to bake", "supple convert --motion puts one in"};
  return Error{o.input, "has several clips", "choose with --clip: " + names};
}

/// MDD and PC2 hold one mesh; which one must not be a guess.
Result<std::size_t> part_to_bake(const Character& character, const BakeCommand& o) {
  if (!o.part.empty() || character.parts.size() <= 1) return find_part(character, o.part);
  const auto skinned = [](const Part& part) { return part.skin.has_value(); };
  if (std::count_if(character.parts.begin(), character.parts.end(), skinned) == 1) return find_part(character);
  std::string names;
  for (const Part& part : character.parts) names += (names.empty() ? "" : ", ") + part.name;
  return Error{o.input, "has several parts where this kind of cache holds one", "choose with --part: " + names};
}

/// What is baked, and the frames of it.
struct Recording {
  const Character& character;
  const Clip& clip;
  std::vector<std::size_t> parts;
  double rate;
  std::vector<double> times;                    // seconds of the clip
  std::vector<std::vector<FleshMotion>> flesh;  // #times by #elements, or empty
  std::vector<std::vector<Vec3f>> muscles;      // #times by #samples, or empty
  Skin skin;
  Progress progress;

  /// Calls take(frame) with every frame on the skin.
  template <class Take>
  Result<void> each_frame(const Take& take);
};

template <class Take>
Result<void> Recording::each_frame(const Take& take) {
  for (std::size_t f = 0; f < times.size(); ++f) {
    if (!flesh.empty())
      if (auto set = skin.set_flesh(flesh[f]); !set) return set;
    if (!muscles.empty())
      if (auto set = skin.set_muscles(muscles[f]); !set) return set;
    if (auto posed = skin.evaluate(character.at(clip, static_cast<float>(times[f]))); !posed) return posed;
    if (auto taken = take(f); !taken) return taken;
    report(progress, "bake", static_cast<double>(f + 1) / static_cast<double>(times.size()));
  }
  return {};
}

/// From the start in steps of 1 / rate for as long as the clip lasts.
std::vector<double> times_of(const Clip& clip, double rate) {
  const double start = clip.start(), duration = clip.duration();
  const auto steps = static_cast<std::size_t>(std::floor(duration * rate + 1e-4));  // keys are rounded to float
  std::vector<double> times(steps + 1);
  for (std::size_t i = 0; i <= steps; ++i) times[i] = start + static_cast<double>(i) / rate;
  return times;
}

/// Between two steps of a take; frames mostly fall on them.
struct Between {
  std::size_t last = 0, next = 0;
  float share = 0;
};
Between between(std::span<const float> times, double seconds) {
  const auto after = std::upper_bound(times.begin(), times.end(), static_cast<float>(seconds));
  const auto next = std::min(static_cast<std::size_t>(after - times.begin()), times.size() - 1);
  const std::size_t last = next > 0 ? next - 1 : 0;
  const double span = double{times[next]} - double{times[last]};
  const double share = span > 0 ? std::clamp((seconds - double{times[last]}) / span, 0.0, 1.0) : 0.0;
  return {last, next, static_cast<float>(share)};
}

std::vector<FleshMotion> flesh_at(const FleshTake& take, double seconds) {
  const auto [last, next, t] = between(take.times, seconds);
  std::vector<FleshMotion> motions = take.motions[last];
  for (std::size_t e = 0; e < motions.size(); ++e) {
    const FleshMotion& to = take.motions[next][e];
    motions[e].shift += (to.shift - motions[e].shift) * t;
    motions[e].origin += (to.origin - motions[e].origin) * t;
    motions[e].axis = normalized(motions[e].axis + (to.axis - motions[e].axis) * t, to.axis);
    motions[e].twist += (to.twist - motions[e].twist) * t;
  }
  return motions;
}

/// Whether flesh was baked into the clip: then that is what the file plays.
bool has_flesh(const Clip& clip, const Character& character) {
  const std::vector<bool> twins = twin_joints(character.flesh, character.skeleton.size());
  return std::any_of(clip.tracks.begin(), clip.tracks.end(),
                     [&](const Track& t) { return t.channel != Channel::morph_weights && twins[t.target]; });
}

Result<std::vector<std::vector<FleshMotion>>> flesh_of(const Character& character, const Clip& clip, double rate,
                                                       std::span<const double> times, Session& session) {
  std::vector<std::vector<FleshMotion>> flesh;
  if (!(clip.duration() > 0)) {  // a single pose: it hangs still
    flesh.push_back(settled(character.flesh, to_world(character.skeleton, character.at(clip, clip.start()))).motions);
    return flesh;
  }
  FleshPlayOptions options;
  options.rate = rate;
  const auto take = play_flesh(character, clip, options, &session.warnings);
  if (!take) return take.error();
  for (const double t : times) flesh.push_back(flesh_at(*take, t));
  return flesh;
}

/// None where the clip stands still: the muscles hang as the pose lets them.
Result<std::vector<std::vector<Vec3f>>> muscles_of(const Character& character, const Skin& skin, const Clip& clip,
                                                   double rate, std::span<const double> times, Session& session) {
  std::vector<std::vector<Vec3f>> muscles;
  const KinodynamicLayer* layer = skin.kinodynamics();
  if (layer == nullptr || layer->muscles().muscles.empty() || !(clip.duration() > 0)) return muscles;
  VortexPlayOptions options;
  options.rate = rate;
  const auto take = play_muscles(character, layer->muscles(), clip, options, &session.warnings);
  if (!take) return take.error();
  for (const double seconds : times) {
    const auto [last, next, t] = between(take->times, seconds);
    std::vector<Vec3f>& frame = muscles.emplace_back(take->vorticity[last]);
    for (std::size_t i = 0; i < frame.size(); ++i) frame[i] += (take->vorticity[next][i] - frame[i]) * t;
  }
  return muscles;
}

/// The surface as morph targets of the character, moved by a track of the clip.
Result<learn::ClipModes> write_modes(Recording& recording, Model& model, std::size_t modes, const std::string& output,
                                     Session& session) {
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
  if (auto saved = save_model(output, model, session); !saved) return saved.error();
  return *fit;
}

Result<void> write_cache(Recording& recording, Format format, const fs::path& output) {
  std::vector<std::vector<Vec3f>> frames(recording.times.size());
  const auto taken = recording.each_frame([&](std::size_t f) -> Result<void> {
    const std::span<const Vec3f> positions = recording.skin.positions(recording.parts[0]);
    frames[f].assign(positions.begin(), positions.end());
    return {};
  });
  if (!taken) return taken;
  if (format == Format::mdd) return write_mdd(output, recording.times, frames);
  return write_pc2(output, static_cast<float>(recording.times[0] * recording.rate), 1, frames);
}

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

/// A folder that was made for frames goes away with them.
Result<void> write_folder(Recording& recording, Blend blend, const fs::path& folder) {
  std::error_code failed;
  const bool made = fs::create_directories(folder, failed);
  if (failed) return Error{folder.string(), "cannot be made: " + failed.message(), "choose another folder"};
  if (auto ok = refuse_other_frames(folder, recording); !ok) return ok;
  auto written = write_frames(recording, blend, folder);
  if (!written && made) fs::remove(folder, failed);
  return written;
}

Result<Outcome> run(const BakeCommand& o, Session& session) {
  const auto format = format_of(o.output);
  if (!format) return format.error();
  auto model = load_model(o.input, session);
  if (!model) return model.error();
  const Character& character = model->character();
  const auto clip = clip_to_bake(character, o);
  if (!clip) return clip.error();
  std::vector<std::size_t> parts;
  if (*format == Format::folder && o.part.empty()) {
    if (character.parts.empty()) return Error{o.input, "has no surface", "use a file with a mesh"};
    for (std::size_t p = 0; p < character.parts.size(); ++p) parts.push_back(p);
  } else {
    const auto part = part_to_bake(character, o);
    if (!part) return part.error();
    parts.push_back(*part);
  }
  auto skin = Skin::make(character, o.blend, {}, &session.warnings);
  if (!skin) return skin.error();
  const double rate = o.rate ? *o.rate : clip_rate(**clip);
  Recording recording{character, **clip,           std::move(parts), rate, times_of(**clip, rate), {},
                      {},        std::move(*skin), session.progress};
  if (o.no_flesh) {
    recording.flesh.assign(recording.times.size(), std::vector<FleshMotion>(character.flesh.elements.size()));
  } else if (!character.flesh.empty() && !has_flesh(**clip, character)) {
    auto flesh = flesh_of(character, **clip, rate, recording.times, session);
    if (!flesh) return flesh.error();
    recording.flesh = std::move(*flesh);
  }
  if (!o.no_flesh) {
    auto muscles = muscles_of(character, recording.skin, **clip, rate, recording.times, session);
    if (!muscles) return muscles.error();
    recording.muscles = std::move(*muscles);
  }
  std::optional<learn::ClipModes> fit;
  if (*format == Format::gltf) {
    auto put = write_modes(recording, *model, o.modes, o.output, session);
    if (!put) return put.error();
    fit = *put;
  } else {
    const auto written = *format == Format::folder ? write_folder(recording, o.blend, o.output)
                                                   : write_cache(recording, *format, o.output);
    if (!written) return written.error();
  }

  std::size_t vertices = 0;
  Json names = Json::array();
  for (const std::size_t p : recording.parts) {
    vertices += character.parts[p].mesh.positions.size();
    names.push_back(character.parts[p].name);
  }
  Outcome outcome;
  outcome.text = fmt::format("{}: {} frames of {} vertices, {:g} a second, from {:g} s to {:g} s of '{}'\n", o.output,
                             recording.times.size(), vertices, rate, recording.times.front(), recording.times.back(),
                             recording.clip.name);
  outcome.json = {{"file", o.output},
                  {"clip", recording.clip.name},
                  {"parts", std::move(names)},
                  {"rate", rate},
                  {"start", recording.times.front()},
                  {"end", recording.times.back()},
                  {"vertices", vertices},
                  {"frames", recording.times.size()},
                  {"flesh_elements", o.no_flesh ? 0 : character.flesh.elements.size()},
                  {"muscles", recording.muscles.empty() ? 0 : character.kinodynamics->muscles.size()}};
  if (fit) {
    outcome.text += fmt::format(
        "  {} morph targets: off by {:.3f} mm (root of mean square; linear skinning {:.3f}), at most {:.2f} mm at {:g} "
        "s, "
        "vertex {}\n",
        fit->modes, fit->error * 1000, fit->blend_error * 1000, fit->worst * 1000, recording.times[fit->worst_frame],
        fit->worst_vertex);
    if (fit->singular > 0)
      outcome.text += fmt::format("  {} times a vertex is flattened by linear skinning beyond what targets can mend\n",
                                  fit->singular);
    outcome.json["fit"] = {{"modes", fit->modes},
                           {"singular", fit->singular},
                           {"error", fit->error},
                           {"linear_error", fit->blend_error},
                           {"worst", fit->worst},
                           {"worst_seconds", recording.times[fit->worst_frame]},
                           {"worst_vertex", fit->worst_vertex}};
  }
  return outcome;
}

}  // namespace

void add_bake(Command& app, Session& session) {
  add_command<BakeCommand>(app, session, "bake", "Write the surface of a clip, frame by frame, as a vertex cache",
                           "supple bake hand.glb --clip fist --rate 30 -o fist.mdd\n"
                           "  supple bake body.glb --clip run --blend kinodynamic -o run.glb   (plays in every engine)",
                           declare, run);
}

}  // namespace supple::cli
