// supple demo: the main job from beginning to end, with pictures to look at.
#include <fmt/core.h>

#include <filesystem>

#include "cli/commands/commands.h"
#include "supple/base/file.h"
#include "supple/make/hand.h"
#include "supple/workflow/report/pictures.h"

namespace supple::cli {
namespace {

namespace fs = std::filesystem;

struct DemoCommand {
  std::string output = "out";
};

void declare(Command& app, DemoCommand& o) {
  app.option("-o,--output", o.output, "Folder for what is made").show_default().type("FOLDER");
}

Result<void> picture(const fs::path& path, const Model& model, std::span<const Shot> shots,
                     std::vector<std::string> view_names, const Look& look, const std::string& title,
                     Session& session) {
  std::vector<render::View> views;
  for (const std::string& name : view_names) {
    auto view = view_of(model.character(), name);
    if (!view) return view.error();
    views.push_back(std::move(*view));
  }
  const auto image = draw_shots(model, shots, views, look, {520, 560}, title, session);
  if (!image) return image.error();
  const auto png = render::encode_png(*image);
  if (!png) return png.error();
  return write_file(path, *png);
}

Result<Outcome> run(const DemoCommand& o, Session& session) {
  const fs::path folder(o.output);
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return Error{o.output, "cannot be made: " + failed.message(), "choose another folder"};

  const auto hand = make::make_hand({}, session.progress);
  if (!hand) return hand.error();
  const auto model = to_model(*hand);
  if (!model) return model.error();
  const fs::path file = folder / "hand.glb", views = folder / "hand.png", fist = folder / "fist.png",
                 bones = folder / "bones.png", weights = folder / "weights.png";
  if (auto ok = save_model(file, *model, session); !ok) return ok.error();

  const Character& c = model->character();
  const Shot rest{"", c.rest(), {}, 0};
  if (auto ok = picture(views, *model, {&rest, 1}, {"palm", "dorsal", "thumb"}, {}, "", session); !ok)
    return ok.error();
  Look inside;
  inside.opacity = 0.35f;
  if (auto ok = picture(bones, *model, {&rest, 1}, {"palm", "thumb"}, inside, "", session); !ok) return ok.error();
  Look painted;
  painted.map = "weights";
  if (auto ok = picture(weights, *model, {&rest, 1}, {"palm", "dorsal"}, painted, "", session); !ok) return ok.error();
  std::vector<Shot> frames;
  for (int f = 0; f < 6; ++f) {
    const float seconds = c.clips[0].start() + c.clips[0].duration() * static_cast<float>(f) / 10;
    frames.push_back({fmt::format("{:.1f} s", seconds), c.at(c.clips[0], seconds), {}});
  }
  if (auto ok = picture(fist, *model, frames, {"oblique"}, {}, "", session); !ok) return ok.error();

  Outcome outcome;
  outcome.json["files"] = Json::array();
  outcome.text = "made:\n";
  const std::pair<fs::path, const char*> made[] = {
      {file, "the rigged hand, with a clip that makes a fist: open it in any glTF viewer"},
      {views, "from palm, back and side"},
      {fist, "the clip"},
      {bones, "the bones inside"},
      {weights, "which joint moves what"}};
  for (const auto& [path, what] : made) {
    outcome.text += fmt::format("  {:<20} {}\n", path.string(), what);
    outcome.json["files"].push_back(path.string());
  }
  return outcome;
}

}  // namespace

void add_demo(Command& app, Session& session) {
  add_command<DemoCommand>(app, session, "demo", "Make a rigged hand and pictures of it", "supple demo -o out", declare,
                           run);
}

}  // namespace supple::cli
