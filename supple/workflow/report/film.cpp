#include "supple/workflow/report/film.h"

#include <fmt/core.h>

#include "supple/base/file.h"
#include "supple/base/folder.h"
#include "supple/base/process.h"
#include "supple/render/gif.h"

namespace supple::workflow {
namespace {

// Frames of a GIF are held in memory, since one palette serves them all.
constexpr std::size_t max_gif_pixels = std::size_t{1} << 28;

Result<Film> write_gif(const FilmOptions& o, const Model& model, std::span<const Shot> shots, const Look& look,
                       Work& work) {
  const std::size_t pixels = shots.size() * o.size.width * o.size.height;
  if (pixels > max_gif_pixels) {
    return Error{o.output.string(),
                 fmt::format("would have {} frames of {} x {} pixels", shots.size(), o.size.width, o.size.height),
                 "use a smaller --size, fewer --frames, or write .mp4"};
  }
  std::vector<render::Image> frames;
  const auto keep = [&](render::Image image, std::size_t, std::size_t, const AddLegend& legend) -> Result<void> {
    frames.push_back(legend(image));
    return {};
  };
  if (auto ok = draw_each(model, shots, std::span(&o.view, 1), look, o.size, work, keep); !ok) return ok.error();
  const auto bytes = render::encode_gif(frames, o.rate);
  if (!bytes) return bytes.error();
  if (auto ok = write_file(o.output, *bytes); !ok) return ok.error();
  return Film{frames.size(), frames[0].size()};
}

Error no_ffmpeg(const FilmOptions& o, const Error& e) {
  return {o.output.string(), "needs the program ffmpeg, which " + e.problem,
          "install it (apt install ffmpeg), or write .gif"};
}

Result<Film> write_mp4(const FilmOptions& o, const Model& model, std::span<const Shot> shots, const Look& look,
                       Work& work) {
  if (const auto there = run_process("ffmpeg", {"-version"}); !there) return no_ffmpeg(o, there.error());
  // Never committed: frames and film lie beside the output until it is written, and go away with the folder.
  auto folder = FolderTransaction::create(o.output.string() + ".frames");
  if (!folder) return folder.error();
  Film film;
  const auto store = [&](render::Image image, std::size_t shot, std::size_t, const AddLegend& legend) -> Result<void> {
    const render::Image frame = legend(image);
    film = {shot + 1, frame.size()};
    const auto png = render::encode_png(frame);
    if (!png) return png.error();
    return write_file(folder->add(fmt::format("{:06}.png", shot)), *png);
  };
  if (auto ok = draw_each(model, shots, std::span(&o.view, 1), look, o.size, work, store); !ok) return ok.error();
  const std::filesystem::path made = folder->add("film.mp4");
  // Players want an even number of pixels and the colours that television uses.
  const auto ran =
      run_process("ffmpeg", {"-v", "error", "-y", "-framerate", fmt::format("{}", o.rate), "-i",
                             (made.parent_path() / "%06d.png").string(), "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                             "-pix_fmt", "yuv420p", "-movflags", "+faststart", made.string()});
  if (!ran) return no_ffmpeg(o, ran.error());
  if (!ran->ok()) return Error{o.output.string(), "ffmpeg says: " + ran->last_words(), "write .gif instead"};
  const auto bytes = read_file(made);
  if (!bytes) return bytes.error();
  if (auto ok = write_file(o.output, *bytes); !ok) return ok.error();
  return film;
}

}  // namespace

bool is_film_name(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  return extension == ".gif" || extension == ".mp4";
}

Result<Film> write_film(const FilmOptions& o, const Model& model, std::span<const Shot> shots, const Look& look,
                        Work& work) {
  return lower_extension(o.output) == ".mp4" ? write_mp4(o, model, shots, look, work)
                                             : write_gif(o, model, shots, look, work);
}

}  // namespace supple::workflow
