// supple pose: a posed copy of a file, still rigged, or its baked surface.
#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "cli/model.h"
#include "cli/pose_options.h"
#include "supple/deform/skin.h"

namespace supple::cli {
namespace {

struct PoseCommand {
  std::string input, output;
  PoseOptions pose;
  Blend blend = Blend::linear;
  bool bake = false;
};

void declare(CLI::App& app, PoseCommand& o) {
  app.add_option("file", o.input, "Character (.glb, .gltf)")->required()->type_name("FILE");
  add_pose_options(app, o.pose);
  app.add_flag("--bake", o.bake, "Write the deformed surface without the rig (always so for .obj)");
  add_blend_option(app, o.blend);
  app.add_option("-o,--output", o.output, "File to write (.glb, .gltf, .obj)")->required()->type_name("FILE");
}

/// Each part as the pose leaves it, hanging on no joint.
Character bake(const Character& character, const Skin& skin) {
  Character result;
  result.name = character.name;
  result.materials = character.materials;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& source = character.parts[p];
    Part part;
    part.name = source.name;
    part.mesh = {{skin.positions(p).begin(), skin.positions(p).end()},
                 {skin.normals(p).begin(), skin.normals(p).end()},
                 source.mesh.triangles};
    part.texcoords = source.texcoords;
    part.material = source.material;
    result.parts.push_back(std::move(part));
  }
  return result;
}

Result<Outcome> run(const PoseCommand& o, Session& session) {
  auto model = load_model(o.input, session);
  if (!model) return model.error();
  const auto pose = pose_of(model->character(), o.pose);
  if (!pose) return pose.error();
  const bool baked = o.bake || o.output.ends_with(".obj");
  if (baked) {
    auto skin = Skin::make(model->character(), o.blend);
    if (!skin) return skin.error();
    if (auto ok = skin->evaluate(*pose); !ok) return ok.error();
    auto made = to_model(bake(model->character(), *skin));
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

void add_pose(CLI::App& app, Session& session) {
  add_command<PoseCommand>(app, session, "pose", "Pose a character: as a rig in that pose, or baked",
                           "supple pose hand.glb --pose 'index-finger-*.flexion=50' -o pointing.obj", declare, run);
}

}  // namespace supple::cli
