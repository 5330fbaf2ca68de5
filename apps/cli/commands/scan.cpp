// supple scan: from medical images to a posable hand.
#include "cli/commands/scan.h"

#include "cli/commands/commands.h"

namespace supple::cli {

void add_scan(CLI::App& app, Session& session) {
  CLI::App* scan = app.add_subcommand("scan", "Build a posable hand from CT scans in several poses");
  scan->require_subcommand(1);
  scan->footer(
      "\nExample:\n  supple scan phantom hand-scans && supple scan build hand-scans/project.json -o hand.glb --report "
      "report.html");
  add_scan_inspect(*scan, session);
  add_scan_surfaces(*scan, session);
  add_scan_phantom(*scan, session);
  add_scan_build(*scan, session);
}

}  // namespace supple::cli
