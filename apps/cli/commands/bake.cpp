// supple bake: the surface that a clip makes, frame by frame, as a vertex cache for programs that only play points.
#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "cli/pose_options.h"
#include "supple/workflow/jobs/bake/bake_file.h"

namespace supple::cli {
namespace {

void declare(Command& app, BakeFileOptions& o) {
  app.option("file", o.input, "Character (.glb, .gltf)").required().type("FILE");
  app.option("--clip", o.clip, "Clip to bake: its name or number (default: the only one)").type("NAME");
  app.option("--rate", o.rate, "Frames a second (default: as the clip's keys ask, 24 to 120)")
      .range(0.01, 10000.0)
      .type("F");
  app.option("--part", o.part, "Part, mesh or node to bake (default: all skinned parts; all parts for .obj files)")
      .type("NAME");
  add_blend_option(app, o.blend);
  app.flag(
      "--no-flesh", [&o] { o.flesh = false; }, "Leave out what swings behind the bones: flesh and muscles");
  app.option("--modes", o.modes, "Of a .glb or .gltf file: morph targets that the motion is put into")
      .range(1, 1000)
      .show_default()
      .type("N");
  app.option("-o,--output", o.output,
             "File to write: a cache (.mdd, .pc2; of several parts one each, named NAME-PART), a folder of numbered "
             ".obj files, or the character with the "
             "surface as morph targets (.glb, .gltf)")
      .required()
      .type("PATH")
      .writes_character();
  app.mark_advanced({"--part", "--no-flesh", "--modes"});
}

void tell_fit(const BakedFile& baked, Outcome& outcome) {
  const learn::ClipModes& fit = *baked.fit;
  const double worst_seconds = baked.times[fit.worst_frame];
  outcome.text += fmt::format(
      "  {} morph targets: off by {:.3f} mm (root of mean square; linear skinning {:.3f}), at most {:.2f} mm at {:g} "
      "s, vertex {}\n",
      fit.modes, fit.error * 1000, fit.blend_error * 1000, fit.worst * 1000, worst_seconds, fit.worst_vertex);
  if (fit.singular > 0)
    outcome.text +=
        fmt::format("  {} times a vertex is flattened by linear skinning beyond what targets can mend\n", fit.singular);
  outcome.json["fit"] = {{"modes", fit.modes},           {"singular", fit.singular},
                         {"error", fit.error},           {"linear_error", fit.blend_error},
                         {"worst", fit.worst},           {"worst_seconds", worst_seconds},
                         {"worst_part", fit.worst_part}, {"worst_vertex", fit.worst_vertex}};
}

Result<Outcome> run(const BakeFileOptions& o, Session& session) {
  const auto baked = workflow::bake_file(o, session);
  if (!baked) return baked.error();
  const double start = baked->times.front(), end = baked->times.back();
  Outcome outcome;
  outcome.text = fmt::format("{}: {} frames of {} vertices, {:g} a second, from {:g} s to {:g} s of '{}'\n", o.output,
                             baked->times.size(), baked->vertices, baked->rate, start, end, baked->clip);
  if (baked->files.size() > 1)
    for (const std::string& file : baked->files) outcome.text += fmt::format("  {}\n", file);
  outcome.json = {{"file", o.output},
                  {"files", baked->files},
                  {"clip", baked->clip},
                  {"parts", baked->parts},
                  {"rate", baked->rate},
                  {"start", start},
                  {"end", end},
                  {"vertices", baked->vertices},
                  {"frames", baked->times.size()},
                  {"flesh_elements", baked->flesh_elements},
                  {"muscles", baked->muscles}};
  if (baked->fit) tell_fit(*baked, outcome);
  return outcome;
}

}  // namespace

void add_bake(Command& app, Session& session) {
  add_command<BakeFileOptions>(
      app, session, "bake", "Write the surface of a clip, frame by frame, as a vertex cache",
      "supple bake hand.glb --clip fist --rate 30 -o fist.mdd\n"
      "  supple bake body.glb --clip run --blend kinodynamic -o run.glb   (plays in every engine)",
      declare, run);
}

}  // namespace supple::cli
