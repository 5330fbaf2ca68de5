// supple pose: a posed copy of a file, still rigged, or its baked surface.
#include "cli/pose_options.h"

#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "supple/workflow/jobs/pose_file.h"

namespace supple::cli {
namespace {

void declare(Command& app, PoseFileOptions& o) {
  app.option("file", o.input, "Character (.glb, .gltf)").required().type("FILE");
  add_pose_options(app, o.pose);
  app.flag("--bake", o.bake, "Write the deformed surface without the rig (always so for .obj)");
  add_blend_option(app, o.blend);
  app.option("-o,--output", o.output, "File to write (.glb, .gltf, .obj)").required().type("FILE").writes_character();
}

Result<Outcome> run(const PoseFileOptions& o, Session& session) {
  const auto posed = workflow::pose_file(o, session);
  if (!posed) return posed.error();
  Outcome outcome;
  outcome.text = fmt::format("{}: {}\n", o.output, posed->baked ? "the posed surface" : "the rig in its new rest pose");
  outcome.json = {{"file", o.output}, {"baked", posed->baked}};
  return outcome;
}

}  // namespace

void add_pose(Command& app, Session& session) {
  add_command<PoseFileOptions>(app, session, "pose", "Pose a character: as a rig in that pose, or baked",
                               "supple pose hand.glb --pose 'index-finger-*.flexion=50' -o pointing.obj", declare, run);
}

}  // namespace supple::cli
