// supple render: pictures of a file, without a display.
#include <fmt/core.h>

#include <charconv>
#include <filesystem>

#include "cli/commands/commands.h"
#include "cli/pose_options.h"
#include "supple/base/file.h"
#include "supple/workflow/jobs/clip_frames.h"
#include "supple/workflow/report/film.h"
#include "supple/workflow/report/pictures.h"

namespace supple::cli {
namespace {

struct RenderCommand {
  std::string input, output, reference, size, title;
  std::vector<std::string> views;
  PoseOptions pose;
  Look look;
  std::size_t frames = 0;
  std::optional<double> rate;
  bool no_textures = false;

  bool film() const { return is_film_name(output); }
};

void declare(Command& app, RenderCommand& o) {
  app.option("file", o.input, "Character, mesh or skeleton (.glb, .gltf, .obj, .bvh)").required().type("FILE");
  app.option("-o,--output", o.output, "Picture to write (.png), or a whole clip as a moving one (.gif, .mp4)")
      .required()
      .type("FILE");
  add_pose_options(app, o.pose);
  app.option("--frames", o.frames,
             "A contact sheet of this many poses spread over the clip; of .gif and .mp4 its frames")
      .range(1, 2000)
      .type("N");
  app.option("--rate", o.rate, "Frames a second of .gif and .mp4 (default 25)").positive().type("HZ");
  app.option("--view", o.views,
             "front, back, left, right, top, bottom, three-quarter, three-quarter-back; hands also palm, dorsal, "
             "thumb, oblique")
      .with_commas()
      .type("VIEW,...");
  app.option("--size", o.size, "Pixels of each picture (default 800x800; of .gif and .mp4 480x480)").type("WxH");
  app.option("--hide", o.look.hidden,
             "Leave out a part, mesh or node of this name, with * for any letters; may be repeated")
      .one_each()
      .type("NAME");
  app.flag("--no-textures", o.no_textures, "Draw base colours only");
  app.flag("--wireframe", o.look.wireframe, "Draw the edges");
  app.flag("--bones", o.look.bones, "Draw the skeleton over the skin");
  app.option("--opacity", o.look.opacity, "Of the skin, 0..1").range(0.0, 1.0).type("F");
  app.option("--map", o.look.map, "Colours: weights, weights:JOINT, displacement (from rest) or error (to --reference)")
      .type("MAP");
  app.option("--map-max", o.look.map_max_mm, "Upper end of displacement and error, mm (default: the largest)")
      .positive()
      .type("MM");
  app.option("--reference", o.reference, "File for --map error, in the same pose").type("FILE");
  add_blend_option(app, o.look.blend);
  app.option("--title", o.title, "Of a contact sheet").type("TEXT");
  app.mark_advanced(
      {"--opacity", "--map", "--map-max", "--reference", "--blend", "--title", "--rate", "--no-textures"});
}

Result<render::Size> parse_size(const std::string& text) {
  const std::size_t x = text.find('x');
  render::Size size;
  const auto number = [](std::string_view part, std::uint32_t& value) {
    const auto parsed = std::from_chars(part.data(), part.data() + part.size(), value);
    return parsed.ec == std::errc() && parsed.ptr == part.data() + part.size() && value > 0;
  };
  const std::string_view view(text);
  if (x == std::string::npos || !number(view.substr(0, x), size.width) || !number(view.substr(x + 1), size.height)) {
    return Error{"--size " + text, "is not WIDTHxHEIGHT", "for example 800x600"};
  }
  return size;
}

/// The moments of a clip that are drawn.
std::vector<double> times_of(const RenderCommand& o, const Clip& clip) {
  if (o.film() && o.frames == 0) return frame_times(clip, *o.rate);
  std::vector<double> times;
  for (std::size_t f = 0; f < o.frames; ++f) {
    const double along = o.frames == 1 ? 0 : static_cast<double>(f) / static_cast<double>(o.frames - 1);
    times.push_back(clip.start() + clip.duration() * along);
  }
  return times;
}

/// One shot for the pose that was asked for, or several spread over a clip.
Result<std::vector<Shot>> shots_of(const RenderCommand& o, const Character& character, const Model* reference) {
  std::vector<PoseOptions> options{o.pose};
  std::vector<std::string> captions{""};
  double step = 0;  // seconds that flesh swings on between two frames of a moving picture
  if (o.frames > 1 || o.film()) {
    if (character.clips.empty())
      return Error{o.input, "has no clip to draw", o.film() ? "write a .png" : "leave out --frames"};
    if (o.film() && o.pose.time) return Error{"--time", "is one moment of a clip", "write a .png, or leave it out"};
    const auto clip =
        o.pose.clip.empty() ? Result<const Clip*>(&character.clips[0]) : find_clip(character, o.pose.clip);
    if (!clip) return clip.error();
    const std::vector<double> times = times_of(o, **clip);
    if (o.film() && times.size() > 1) step = times[1] - times[0];
    options.assign(times.size(), o.pose);
    captions.clear();
    for (std::size_t f = 0; f < times.size(); ++f) {
      options[f].clip = o.pose.clip.empty() ? "0" : o.pose.clip;
      options[f].time = static_cast<float>(times[f]);
      captions.push_back(fmt::format("{:.2f} s", times[f]));
    }
  }
  std::vector<Shot> shots;
  for (std::size_t i = 0; i < options.size(); ++i) {
    auto pose = pose_of(character, options[i]);
    if (!pose) return pose.error();
    Shot shot{captions[i], std::move(*pose), {}, step};
    if (reference != nullptr) {
      const bool rigged = !reference->character().skins.empty();
      auto other = pose_of(reference->character(), rigged ? options[i] : PoseOptions{});
      if (!other) return other.error();
      shot.reference_pose = std::move(*other);
    }
    shots.push_back(std::move(shot));
  }
  return shots;
}

Result<std::vector<render::View>> views_of(const RenderCommand& o, const Character& character) {
  if (o.views.empty()) return std::vector{default_view(character)};
  std::vector<render::View> views;
  for (const std::string& name : o.views) {
    auto view = view_of(character, name);
    if (!view) return view.error();
    views.push_back(std::move(*view));
  }
  if (o.film() && views.size() > 1)
    return Error{"--view", "names several views for one moving picture", "name one, or write a .png"};
  return views;
}

Result<Outcome> picture(const RenderCommand& o, const Model& model, std::span<const Shot> shots,
                        std::span<const render::View> views, const Look& look, render::Size size, Session& session) {
  const auto image = draw_shots(model, shots, views, look, size, o.title, session);
  if (!image) return image.error();
  const auto png = render::encode_png(*image);
  if (!png) return png.error();
  if (auto written = write_file(o.output, *png); !written) return written.error();
  Outcome outcome;
  outcome.text = fmt::format("{}: {} x {} pixels\n", o.output, image->width, image->height);
  outcome.json = {{"file", o.output},
                  {"width", image->width},
                  {"height", image->height},
                  {"pictures", shots.size() * views.size()}};
  return outcome;
}

Result<Outcome> film(const RenderCommand& o, const Model& model, std::span<const Shot> shots, const render::View& view,
                     const Look& look, render::Size size, Session& session) {
  const auto made = write_film({o.output, *o.rate, size, view}, model, shots, look, session);
  if (!made) return made.error();
  Outcome outcome;
  outcome.text = fmt::format("{}: {} frames of {} x {} pixels, {:g} a second\n", o.output, made->frames,
                             made->size.width, made->size.height, *o.rate);
  outcome.json = {{"file", o.output},
                  {"width", made->size.width},
                  {"height", made->size.height},
                  {"frames", made->frames},
                  {"rate", *o.rate}};
  return outcome;
}

Result<Outcome> run(const RenderCommand& given, Session& session) {
  RenderCommand o = given;
  if (!o.film() && lower_extension(o.output) != ".png")
    return Error{o.output, "is no picture that can be written", "name it .png, .gif or .mp4"};
  if (!o.film() && o.rate) return Error{"--rate", "is for moving pictures", "write .gif or .mp4, or leave it out"};
  if (!o.rate) o.rate = 25;
  if (o.size.empty()) o.size = o.film() ? "480x480" : "800x800";
  const auto size = parse_size(o.size);
  if (!size) return size.error();
  const auto model = load_model(o.input, session);
  if (!model) return model.error();
  std::optional<Model> reference;
  Look look = o.look;
  look.textures = !o.no_textures;
  if (!o.reference.empty()) {
    auto loaded = load_model(o.reference, session);
    if (!loaded) return loaded.error();
    reference = std::move(*loaded);
    look.reference = &*reference;
  }
  const auto views = views_of(o, model->character());
  if (!views) return views.error();
  const auto shots = shots_of(o, model->character(), look.reference);
  if (!shots) return shots.error();
  return o.film() ? film(o, *model, *shots, (*views)[0], look, *size, session)
                  : picture(o, *model, *shots, *views, look, *size, session);
}

}  // namespace

void add_render(Command& app, Session& session) {
  add_command<RenderCommand>(app, session, "render",
                             "Draw a file, a pose or a clip: a picture, a contact sheet, a GIF or MP4",
                             "supple render hand.glb -o fist.png --clip fist --frames 6 --view palm,dorsal\n  supple "
                             "render body.glb --clip walk -o walk.gif",
                             declare, run);
}

}  // namespace supple::cli
