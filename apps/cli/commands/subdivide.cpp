// supple subdivide: a finer surface for the same character.
#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "supple/base/text.h"
#include "supple/rig/subdivide.h"
#include "supple/workflow/jobs/model.h"

namespace supple::cli {
namespace {

struct SubdivideCommand {
  std::string input, output;
  int levels = 1;
  std::vector<std::string> parts;
};

void declare(Command& app, SubdivideCommand& o) {
  app.option("file", o.input, "Character or mesh (.glb, .gltf, .obj)").required().type("FILE");
  app.option("-o,--output", o.output, "File to write (.glb, .gltf, .obj)").required().type("FILE");
  app.option("--levels", o.levels, "How often: each level makes four triangles of one")
      .show_default()
      .range(1, 6)
      .type("N");
  app.option("--part", o.parts, "Only parts of this name; may be repeated (default: all but bone surfaces)")
      .one_each()
      .type("NAME");
}

Result<void> check_names(const SubdivideCommand& o, const Character& character) {
  std::vector<std::string> names;
  for (const Part& part : character.parts) names.push_back(part.name);
  for (const std::string& name : o.parts) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      return Error{o.input, "has no part '" + name + "'", did_you_mean(name, names)};
  }
  return {};
}

Result<Outcome> run(const SubdivideCommand& o, Session& session) {
  auto model = load_model(o.input, session);
  if (!model) return model.error();
  Character& c = model->character();
  if (auto ok = check_names(o, c); !ok) return ok.error();
  const auto chosen = [&](const Part& part) {
    return o.parts.empty() ? part.name != "bones"
                           : std::find(o.parts.begin(), o.parts.end(), part.name) != o.parts.end();
  };
  std::size_t parts = 0, vertices = 0, triangles = 0;
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    Part& part = c.parts[p];
    if (!chosen(part)) continue;
    for (int level = 0; level < o.levels; ++level) {
      if (auto ok = subdivide(part, &session.warnings); !ok) return ok.error();
    }
    gltf::put_part(model->document, model->imported.sources[p], part, model->morph_weights(p), &session.warnings);
    ++parts;
    vertices += part.mesh.positions.size();
    triangles += part.mesh.triangles.size();
  }
  if (parts == 0) return Error{o.input, "has no mesh to subdivide", ""};
  if (auto saved = save_model(o.output, *model, session); !saved) return saved.error();
  Outcome outcome;
  outcome.text = fmt::format("{}: {} parts, {} vertices, {} triangles\n", o.output, parts, vertices, triangles);
  outcome.json = {{"file", o.output}, {"parts", parts}, {"vertices", vertices}, {"triangles", triangles}};
  return outcome;
}

}  // namespace

void add_subdivide(Command& app, Session& session) {
  add_command<SubdivideCommand>(app, session, "subdivide", "Make the surface finer: four triangles for each (Loop)",
                                "supple subdivide hand.glb --levels 2 -o fine.glb", declare, run);
}

}  // namespace supple::cli
