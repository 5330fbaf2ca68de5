// supple add: one command for each kind of deformer, and what they share.
#pragma once

#include "cli/commands/commands.h"
#include "supple/workflow/jobs/compare_skins.h"

namespace supple::cli {

void declare_add_flesh(Command& add, Session& session);
void declare_add_kinodynamics(Command& add, Session& session);
void declare_add_wrinkles(Command& add, Session& session);
void declare_add_delta_mush(Command& add, Session& session);

/// --hard and --soft
void declare_hardness(Command& app, std::vector<std::string>& hard, std::vector<std::string>& soft);

/// --no-compare
void declare_no_compare(Command& app, bool& compare);

/// Adds what the poses look like with the deformer and without; nothing where that was not compared.
void tell_comparison(const std::optional<workflow::SkinComparison>& compared, const Skeleton& skeleton,
                     Outcome& outcome);

/// Adds what was changed so that the skin is not worse than linear blend.
void tell_mended(const std::vector<std::string>& mended, Outcome& outcome);

}  // namespace supple::cli
