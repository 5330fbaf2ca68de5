// supple subdivide: a finer surface for the same character.
#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "supple/workflow/jobs/subdivide_file.h"

namespace supple::cli {
namespace {

void declare(Command& app, SubdivideFileOptions& o) {
  app.option("file", o.input, "Character or mesh (.glb, .gltf, .obj)").required().type("FILE");
  app.option("-o,--output", o.output, "File to write (.glb, .gltf, .obj)").required().type("FILE").writes_character();
  app.option("--levels", o.levels, "How often: each level makes four triangles of one")
      .show_default()
      .range(1, 6)
      .type("N");
  app.option("--part", o.parts, "Only parts of this name; may be repeated (default: all but bone surfaces)")
      .one_each()
      .type("NAME");
}

Result<Outcome> run(const SubdivideFileOptions& o, Session& session) {
  const auto made = workflow::subdivide_file(o, session);
  if (!made) return made.error();
  Outcome outcome;
  outcome.text =
      fmt::format("{}: {} parts, {} vertices, {} triangles\n", o.output, made->parts, made->vertices, made->triangles);
  outcome.json = {
      {"file", o.output}, {"parts", made->parts}, {"vertices", made->vertices}, {"triangles", made->triangles}};
  return outcome;
}

}  // namespace

void add_subdivide(Command& app, Session& session) {
  add_command<SubdivideFileOptions>(app, session, "subdivide", "Make the surface finer: four triangles for each (Loop)",
                                    "supple subdivide hand.glb --levels 2 -o fine.glb", declare, run);
}

}  // namespace supple::cli
