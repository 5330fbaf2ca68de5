// The parts of supple scan, one file each.
#pragma once

#include "cli/session.h"

namespace supple::cli {

void add_scan_inspect(CLI::App& scan, Session& session);
void add_scan_surfaces(CLI::App& scan, Session& session);
void add_scan_phantom(CLI::App& scan, Session& session);
void add_scan_build(CLI::App& scan, Session& session);

}  // namespace supple::cli
