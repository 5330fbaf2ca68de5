// supple render: pictures of a file, without a display.
#include <fmt/core.h>

#include <charconv>
#include <filesystem>

#include "cli/commands/commands.h"
#include "supple/base/file.h"
#include "supple/workflow/report/pictures.h"

namespace supple::cli {
namespace {

struct RenderCommand {
  std::string input, output, reference, size = "800x800", title;
  std::vector<std::string> views;
  PoseOptions pose;
  Look look;
  std::size_t frames = 0;
};

void declare(Command& app, RenderCommand& o) {
  app.option("file", o.input, "Character or mesh (.glb, .gltf, .obj)").required().type("FILE");
  app.option("-o,--output", o.output, "Picture to write (.png)").required().type("FILE");
  add_pose_options(app, o.pose);
  app.option("--frames", o.frames, "A contact sheet of this many poses spread over the clip").range(1, 200).type("N");
  app.option("--view", o.views,
             "front, back, left, right, top, bottom, three-quarter, three-quarter-back; hands also palm, dorsal, "
             "thumb, oblique")
      .with_commas()
      .type("VIEW,...");
  app.option("--size", o.size, "Pixels of each picture").show_default().type("WxH");
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
  app.mark_advanced({"--opacity", "--map", "--map-max", "--reference", "--blend", "--title"});
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

/// One shot for the pose that was asked for, or several spread over a clip.
Result<std::vector<Shot>> shots_of(const RenderCommand& o, const Character& character, const Model* reference) {
  std::vector<PoseOptions> options{o.pose};
  std::vector<std::string> captions{""};
  if (o.frames > 1) {
    if (character.clips.empty()) return Error{o.input, "has no clip to spread frames over", "leave out --frames"};
    const auto clip =
        o.pose.clip.empty() ? Result<const Clip*>(&character.clips[0]) : find_clip(character, o.pose.clip);
    if (!clip) return clip.error();
    options.assign(o.frames, o.pose);
    captions.clear();
    for (std::size_t f = 0; f < o.frames; ++f) {
      options[f].clip = o.pose.clip.empty() ? "0" : o.pose.clip;
      options[f].time =
          (*clip)->start() + (*clip)->duration() * static_cast<float>(f) / static_cast<float>(o.frames - 1);
      captions.push_back(fmt::format("{:.2f} s", *options[f].time));
    }
  }
  std::vector<Shot> shots;
  for (std::size_t i = 0; i < options.size(); ++i) {
    auto pose = pose_of(character, options[i]);
    if (!pose) return pose.error();
    Shot shot{captions[i], std::move(*pose), {}};
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

Result<Outcome> run(const RenderCommand& o, Session& session) {
  if (std::filesystem::path(o.output).extension() != ".png")
    return Error{o.output, "is not a .png file", "pictures are written as PNG"};
  const auto size = parse_size(o.size);
  if (!size) return size.error();
  const auto model = load_model(o.input, session);
  if (!model) return model.error();
  std::optional<Model> reference;
  Look look = o.look;
  if (!o.reference.empty()) {
    auto loaded = load_model(o.reference, session);
    if (!loaded) return loaded.error();
    reference = std::move(*loaded);
    look.reference = &*reference;
  }
  std::vector<render::View> views;
  for (const std::string& name : o.views.empty() ? std::vector{default_view(model->character())} : o.views) {
    auto view = view_of(model->character(), name);
    if (!view) return view.error();
    views.push_back(std::move(*view));
  }
  const auto shots = shots_of(o, model->character(), look.reference);
  if (!shots) return shots.error();
  const auto image = draw_shots(*model, *shots, views, look, *size, o.title, session.progress);
  if (!image) return image.error();
  const auto png = render::encode_png(*image);
  if (!png) return png.error();
  if (auto written = write_file(o.output, *png); !written) return written.error();
  Outcome outcome;
  outcome.text = fmt::format("{}: {} x {} pixels\n", o.output, image->width, image->height);
  outcome.json = {{"file", o.output},
                  {"width", image->width},
                  {"height", image->height},
                  {"pictures", shots->size() * views.size()}};
  return outcome;
}

}  // namespace

void add_render(Command& app, Session& session) {
  add_command<RenderCommand>(app, session, "render", "Draw a file, a pose or a clip to a PNG or a contact sheet",
                             "supple render hand.glb -o fist.png --clip fist --frames 6 --view palm,dorsal", declare,
                             run);
}

}  // namespace supple::cli
