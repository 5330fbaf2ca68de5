// The commands of supple, one file each.
#pragma once

#include "cli/session.h"

namespace supple::cli {

void add_make(CLI::App& app, Session& session);
void add_inspect(CLI::App& app, Session& session);
void add_bind(CLI::App& app, Session& session);
void add_pose(CLI::App& app, Session& session);
void add_flesh(CLI::App& app, Session& session);
void add_build(CLI::App& app, Session& session);
void add_wrinkle(CLI::App& app, Session& session);
void add_bake(CLI::App& app, Session& session);
void add_convert(CLI::App& app, Session& session);
void add_subdivide(CLI::App& app, Session& session);
void add_render(CLI::App& app, Session& session);
void add_plan(CLI::App& app, Session& session);
void add_compare(CLI::App& app, Session& session);
void add_measure(CLI::App& app, Session& session);
void add_examples(CLI::App& app, Session& session);
void add_simulate(CLI::App& app, Session& session);
void add_scan(CLI::App& app, Session& session);
void add_fit(CLI::App& app, Session& session);
void add_studio(CLI::App& app, Session& session);
void add_demo(CLI::App& app, Session& session);

}  // namespace supple::cli
