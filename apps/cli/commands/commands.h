// The commands of supple, one file each.
#pragma once

#include "cli/session.h"

namespace supple::cli {

void add_make(Command& app, Session& session);
void add_inspect(Command& app, Session& session);
void add_bind(Command& app, Session& session);
void add_pose(Command& app, Session& session);
void add_add(Command& app, Session& session);
void add_remove(Command& app, Session& session);
void add_bake(Command& app, Session& session);
void add_convert(Command& app, Session& session);
void add_subdivide(Command& app, Session& session);
void add_render(Command& app, Session& session);
void add_plan(Command& app, Session& session);
void add_compare(Command& app, Session& session);
void add_measure(Command& app, Session& session);
void add_examples(Command& app, Session& session);
void add_simulate(Command& app, Session& session);
void add_scan(Command& app, Session& session);
void add_improve(Command& app, Session& session);
void add_fit(Command& app, Session& session);
void add_studio(Command& app, Session& session);
void add_demo(Command& app, Session& session);
void add_completion(Program& program, Session& session);

}  // namespace supple::cli
