// The parts of supple scan, one file each.
#pragma once

#include "cli/session.h"

namespace supple::cli {

void add_scan_inspect(Command& scan, Session& session);
void add_scan_surfaces(Command& scan, Session& session);
void add_scan_phantom(Command& scan, Session& session);
void add_scan_build(Command& scan, Session& session);
void add_scan_biomechanics(Command& scan, Session& session);

/// What labels of one scan are called, and of which hand they are, for commands that have --labels.
void declare_label_names(Command& app, std::string& names, bool& left);

}  // namespace supple::cli
