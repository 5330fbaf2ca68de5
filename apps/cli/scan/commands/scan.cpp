// supple scan: from medical images to a posable hand.
#include "cli/scan/commands/scan.h"

#include "cli/commands/commands.h"

namespace supple::cli {

void add_scan(Command& app, Session& session) {
  Command scan = app.command("scan", "Build a posable hand from CT scans in several poses",
                             "\nExample:\n  supple scan phantom -o hand-scans && supple scan build "
                             "hand-scans/project.json -o hand.glb --report "
                             "report.html");
  add_scan_inspect(scan, session);
  add_scan_surfaces(scan, session);
  add_scan_phantom(scan, session);
  add_scan_build(scan, session);
  add_scan_biomechanics(scan, session);
}

void declare_label_names(Command& app, std::string& names, bool& left) {
  app.option("--label-names", names, "What labels are called: .json, or a table of 3D Slicer or ITK-SNAP")
      .needs(app.get("--labels"))
      .type("FILE");
  app.choice<bool>("--side", left, "left or right, of a hand with labels (default right)",
                   {{"left", true}, {"right", false}});
}

}  // namespace supple::cli
