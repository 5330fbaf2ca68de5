// What `supple scan` says where the program was built without it (SUPPLE_SCAN=OFF).
#include "cli/commands/commands.h"

namespace supple::cli {
namespace {

struct NoOptions {};

void declare(Command& app, NoOptions&) { app.accept_anything(); }

Result<Outcome> run(const NoOptions&, Session&) {
  return Error{"supple scan", "was left out when this program was built",
               "build everything: cmake --preset release && cmake --build --preset release --target supple_cli"};
}

}  // namespace

void add_scan(Command& app, Session& session) {
  add_command<NoOptions>(app, session, "scan", "Build a posable hand from CT scans (not in this build)",
                         "cmake --preset release && cmake --build --preset release --target supple_cli", declare, run);
}

}  // namespace supple::cli
