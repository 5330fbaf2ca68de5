// The parts of supple scan, one file each.
#pragma once

#include "cli/session.h"

namespace supple::cli {

void add_scan_inspect(Command& scan, Session& session);
void add_scan_surfaces(Command& scan, Session& session);
void add_scan_phantom(Command& scan, Session& session);
void add_scan_build(Command& scan, Session& session);
void add_scan_biomechanics(Command& scan, Session& session);

}  // namespace supple::cli
