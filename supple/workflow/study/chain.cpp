#include "supple/workflow/study/chain_runner.h"

#include "supple/make/hand_template.h"
#include "supple/workflow/study/decision_check.h"
#include "supple/workflow/study/review_parts.h"

namespace supple::workflow {

Result<void> ChainRunner::run() {
  using Stage = Result<void> (ChainRunner::*)();
  for (const Stage stage : {&ChainRunner::surfaces, &ChainRunner::pieces, &ChainRunner::names, &ChainRunner::alignments,
                            &ChainRunner::joints, &ChainRunner::base_skin, &ChainRunner::landmarks, &ChainRunner::fits,
                            &ChainRunner::review, &ChainRunner::assembly}) {
    const Result<void> done = (this->*stage)();
    // What was decided so far is written even where this stage failed: that is what has to be corrected.
    const Result<void> written = write_project(chain_.project, memory_, decisions_.remembered());
    if (!done) return done;
    if (!written) return written;
  }
  return {};
}

Result<void> ChainRunner::review() {
  chain_.review = review_of(chain_);
  state_confidence(chain_, decisions_);
  return {};
}

Result<std::unique_ptr<Chain>> run_chain(Project project, Work& work) {
  auto workspace = Workspace::open(project.work_folder());
  if (!workspace) return workspace.error();
  auto chain = std::make_unique<Chain>();  // scans point into its project
  chain->project = std::move(project);
  chain->skeleton = make::hand_template(chain->project.right ? make::Side::right : make::Side::left);
  if (auto ok = check_decisions(chain->project, workspace->remembered(), chain->skeleton, work.warnings); !ok)
    return ok.error();
  if (auto ok = ChainRunner(*chain, *workspace, work).run(); !ok) return ok.error();
  return chain;
}

}  // namespace supple::workflow
