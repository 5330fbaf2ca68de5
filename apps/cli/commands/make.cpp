// supple make: procedural characters to work on.
#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "supple/make/figure.h"
#include "supple/make/hand.h"
#include "supple/make/limb.h"
#include "supple/make/mushroom.h"
#include "supple/workflow/jobs/model.h"

namespace supple::cli {
namespace {

struct HandCommand {
  make::HandOptions hand;
  bool without_bones = false;
  std::string output;
};

struct LimbCommand {
  make::LimbOptions limb;
  std::string output;
};

struct MushroomCommand {
  make::MushroomOptions mushroom;
  std::string output;
};

struct FigureCommand {
  make::FigureOptions figure;
  std::string output;
};

Result<Outcome> write(const Result<Character>& made, const std::string& output, Session& session) {
  if (!made) return made.error();
  const auto model = to_model(*made);
  if (!model) return model.error();
  if (auto saved = save_model(output, *model, session); !saved) return saved.error();
  const Mesh& skin = made->parts[0].mesh;
  Outcome outcome;
  outcome.text = fmt::format("{}: {} vertices, {} triangles, {} joints, {} clips\n", output, skin.positions.size(),
                             skin.triangles.size(), made->skeleton.size(), made->clips.size());
  outcome.json = {{"file", output},
                  {"vertices", skin.positions.size()},
                  {"triangles", skin.triangles.size()},
                  {"joints", made->skeleton.size()},
                  {"clips", made->clips.size()}};
  return outcome;
}

void declare_hand(Command& app, HandCommand& o) {
  app.option("--vertices", o.hand.vertices, "Vertices of the skin, 100 to 200000").show_default().type("N");
  app.choice<make::Side>("--side", o.hand.side, "Default right",
                         {{"left", make::Side::left}, {"right", make::Side::right}});
  app.flag("--no-bones", o.without_bones, "Leave out the bone surfaces");
  app.option("-o,--output", o.output, "File to write (.glb, .gltf, .obj)").required().type("FILE").writes_character();
}

Result<Outcome> run_hand(const HandCommand& o, Session& session) {
  make::HandOptions options = o.hand;
  options.bones = !o.without_bones;
  return write(make::make_hand(options, session.progress), o.output, session);
}

void declare_limb(Command& app, LimbCommand& o) {
  app.option("--vertices", o.limb.vertices, "Vertices of the skin, about; 50 to 1000000").show_default().type("N");
  app.option("--joints", o.limb.joints, "Joints along the limb, 1 to 100").show_default().type("N");
  app.option("--length", o.limb.length, "Metres").show_default().type("M");
  app.option("--radius", o.limb.radius, "Metres").show_default().type("M");
  app.option("-o,--output", o.output, "File to write (.glb, .gltf, .obj)").required().type("FILE").writes_character();
}

Result<Outcome> run_limb(const LimbCommand& o, Session& session) {
  return write(make::make_limb(o.limb), o.output, session);
}

void declare_mushroom(Command& app, MushroomCommand& o) {
  app.option("--vertices", o.mushroom.vertices, "Vertices of the skin, about; 50 to 1000000").show_default().type("N");
  app.option("-o,--output", o.output, "File to write (.glb, .gltf, .obj)").required().type("FILE").writes_character();
}

Result<Outcome> run_mushroom(const MushroomCommand& o, Session& session) {
  return write(make::make_mushroom(o.mushroom), o.output, session);
}

void declare_figure(Command& app, FigureCommand& o) {
  app.option("--vertices", o.figure.vertices, "Vertices of the skin, 1000 to 100000").show_default().type("N");
  app.option("-o,--output", o.output, "File to write (.glb, .gltf, .obj)").required().type("FILE").writes_character();
}

Result<Outcome> run_figure(const FigureCommand& o, Session& session) {
  return write(make::make_figure(o.figure, session.progress), o.output, session);
}

}  // namespace

void add_make(Command& app, Session& session) {
  Command make = app.command("make", "Make a rigged model: hand, figure, limb or mushroom",
                             "\nExample:\n  supple make hand --vertices 10000 --side left -o hand.glb");
  add_command<HandCommand>(make, session, "hand",
                           "A hand with bones, WebXR joints, joint limits and a clip that makes a fist",
                           "supple make hand --vertices 10000 --side left -o hand.glb", declare_hand, run_hand);
  add_command<FigureCommand>(make, session, "figure",
                             "A whole body with soft flesh, joint limits and clips that walk, run and jump",
                             "supple make figure --vertices 5500 -o figure.glb", declare_figure, run_figure);
  add_command<LimbCommand>(make, session, "limb", "A capped cylinder with joints along it",
                           "supple make limb --joints 3 -o limb.glb", declare_limb, run_limb);
  add_command<MushroomCommand>(make, session, "mushroom",
                               "A stem and a wide cap on one bone, with clips that shake it: flesh to try",
                               "supple make mushroom --vertices 1000 -o mushroom.glb", declare_mushroom, run_mushroom);
}

}  // namespace supple::cli
