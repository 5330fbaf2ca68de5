// supple pose: a posed copy of a file, still rigged, or its baked surface.
#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "cli/pose_options.h"
#include "supple/deform/pipeline.h"
#include "supple/deform/posed_surfaces.h"
#include "supple/workflow/jobs/model.h"

namespace supple::cli {
namespace {

struct PoseCommand {
  std::string input, output;
  PoseOptions pose;
  Blend blend = Blend::linear;
  bool bake = false;
};

void declare(Command& app, PoseCommand& o) {
  app.option("file", o.input, "Character (.glb, .gltf)").required().type("FILE");
  add_pose_options(app, o.pose);
  app.flag("--bake", o.bake, "Write the deformed surface without the rig (always so for .obj)");
  add_blend_option(app, o.blend);
  app.option("-o,--output", o.output, "File to write (.glb, .gltf, .obj)").required().type("FILE");
}

Result<Outcome> run(const PoseCommand& o, Session& session) {
  auto model = load_model(o.input, session);
  if (!model) return model.error();
  auto pose = pose_of(model->character(), o.pose);
  if (!pose) return pose.error();
  drive_morph_weights(model->character(), *pose);
  for (std::string& line : exceeded_limits(model->character().skeleton, *pose))
    session.warnings.push_back(std::move(line));
  const bool baked = o.bake || o.output.ends_with(".obj");
  if (baked) {
    if (model->character().parts.empty())
      return Error{o.input, "has no mesh to bake", "leave out --bake to keep the rig"};
    const auto surfaces = posed_surfaces(model->character(), *pose, o.blend);
    if (!surfaces) return surfaces.error();
    if (!o.output.ends_with(".obj")) warn_of_lost_textures(*model, session);
    auto made = to_model(*surfaces);
    if (!made) return made.error();
    model = std::move(*made);
  } else {
    gltf::put_rest_pose(model->document, *pose, gltf::places_of(model->imported));
  }
  if (auto saved = save_model(o.output, *model, session); !saved) return saved.error();
  Outcome outcome;
  outcome.text = fmt::format("{}: {}\n", o.output, baked ? "the posed surface" : "the rig in its new rest pose");
  outcome.json = {{"file", o.output}, {"baked", baked}};
  return outcome;
}

}  // namespace

void add_pose(Command& app, Session& session) {
  add_command<PoseCommand>(app, session, "pose", "Pose a character: as a rig in that pose, or baked",
                           "supple pose hand.glb --pose 'index-finger-*.flexion=50' -o pointing.obj", declare, run);
}

}  // namespace supple::cli
