// supple simulate --deformer other than tissue: the skins that an expensive deformer gives a plan's
// poses, as examples that a cheap skin is learnt from.
#pragma once

#include "cli/session.h"
#include "cli/simulate/options.h"

namespace supple::cli {

/// Evaluates every pose of the plan, with muscles settled in it, and writes an ordinary example set and its report.
Result<Outcome> distil(const SimulateOptions& options, Session& session);

/// The report as a page.
std::string distil_html(const Json& report);

}  // namespace supple::cli
