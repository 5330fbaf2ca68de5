#include "cli/supple_program.h"

#include "cli/commands/commands.h"

namespace supple::cli {

SuppleProgram::SuppleProgram(Session& session)
    : Program(
          "supple", "Supple: rigged mesh in, skin that behaves out.", "supple " SUPPLE_VERSION,
          "\nExample:\n  supple improve character.glb -o better.glb\n  supple make hand -o hand.glb && supple render "
          "hand.glb -o hand.png --clip fist --time 2\n"
          "\nExit codes: 0 done; 1 compare found more difference than --max allows, or improve\n"
          "cannot help; 2 bad input or option, nothing written; 3 the work was stopped or failed on the way,\n"
          "what was finished is kept.\n"
          "Every command takes --help and --json. Lengths are metres, angles degrees, times seconds, unless\n"
          "an option says otherwise.") {
  Command& app = root();
  app.heading("Improve");
  add_improve(app, session);
  app.heading("Make and look");
  add_demo(app, session);
  add_studio(app, session);
  add_make(app, session);
  add_inspect(app, session);
  add_render(app, session);
  add_measure(app, session);
  add_compare(app, session);
  app.heading("Learn");
  add_plan(app, session);
  add_simulate(app, session);
  add_examples(app, session);
  add_fit(app, session);
  app.heading("Deformers");
  add_add(app, session);
  add_remove(app, session);
  app.heading("Files");
  add_bind(app, session);
  add_pose(app, session);
  add_bake(app, session);
  add_convert(app, session);
  add_subdivide(app, session);
  app.heading("Scans");
  add_scan(app, session);
  app.heading("This program");
  add_completion(*this, session);
}

}  // namespace supple::cli
