// Moving pictures: a clip as a GIF or MP4 file.
#pragma once

#include <filesystem>

#include "supple/workflow/report/pictures.h"

namespace supple::workflow {

/// Whether a file of that name is a moving picture: .gif or .mp4.
bool is_film_name(const std::filesystem::path& path);

struct FilmOptions {
  std::filesystem::path output{};  // .gif, or .mp4: then ffmpeg must be installed
  double rate = 25;                // frames a second
  render::Size size{480, 480};     // of every frame
  render::View view{};
};

struct Film {
  std::size_t frames = 0;
  render::Size size;  // with the legend, where there is one
};

/// Draws the shots one after the other, from one camera. The error says what to install where ffmpeg is missing, before
/// anything is drawn.
Result<Film> write_film(const FilmOptions& options, const Model& model, std::span<const Shot> shots, const Look& look,
                        Work& work);

}  // namespace supple::workflow
