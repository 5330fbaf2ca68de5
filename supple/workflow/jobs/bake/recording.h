// The frames of a clip on a skin, with flesh and muscles as they swing.
#pragma once

#include <filesystem>

#include "supple/author/learn/clip_modes.h"
#include "supple/deform/skin.h"
#include "supple/workflow/jobs/model.h"

namespace supple::workflow {

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

/// What the flesh does at the recording's times; nothing where the clip itself moves it, or there is none.
Result<void> record_flesh(Recording& recording, Work& work);
/// What the muscles do; nothing where the clip stands still: they hang as the pose lets them.
Result<void> record_muscles(Recording& recording, Work& work);

enum class CacheFormat { mdd, pc2 };

/// The surfaces as morph targets of the character, at most `modes` for each mesh, moved by tracks of the clip.
Result<learn::ClipModes> write_modes(Recording& recording, Model& model, std::size_t modes, const std::string& output,
                                     Work& work);
/// One file, or one for each of several parts. Returns the files.
Result<std::vector<std::filesystem::path>> write_caches(Recording& recording, CacheFormat format,
                                                        const std::filesystem::path& output);
/// Numbered .obj files. A folder that was made for frames goes away with them where something fails.
Result<void> write_folder(Recording& recording, Blend blend, const std::filesystem::path& folder);

}  // namespace supple::workflow
