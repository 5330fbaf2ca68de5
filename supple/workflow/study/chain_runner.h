// The stages of run_chain(), in files by what they make: surfaces, bones, skin.
#pragma once

#include "supple/workflow/study/chain.h"
#include "supple/workflow/study/decisions.h"
#include "supple/workflow/study/sources.h"
#include "supple/workflow/study/stages.h"

namespace supple::workflow {

/// A number that somebody gave; check_decisions() has seen to its type.
inline std::optional<double> number_in(const std::optional<Json>& given, const char* key) {
  if (!given || !given->contains(key)) return std::nullopt;
  return (*given)[key].get<double>();
}

/// The stages, in order; each adds to the chain and leaves the key of what it made.
class ChainRunner {
 public:
  ChainRunner(Chain& chain, const Workspace& workspace, Work& work)
      : chain_(chain),
        work_(work),
        memory_(workspace.memory()),
        decisions_(chain.project, workspace.remembered()),
        stages_(workspace, chain.stages, work) {}

  Result<void> run();

 private:
  /// What errors call an item.
  std::string item(const Decisions::Path& path) const {
    std::string text = chain_.project.file.string() + ", decisions";
    for (const std::string& name : path) text += "." + name;
    return text;
  }
  const ScanEntry& base() const { return chain_.project.scans.front(); }
  LabelledHand labelled_hand() const {
    const Project& project = chain_.project;
    return {chain_.skeleton, project.right, project.label_blur, project.refine_labels, project.smallest_mm3 * 1e-9};
  }

  Result<void> surfaces();
  Result<void> pieces();
  Result<void> names();
  Result<void> alignments();
  Result<void> joints();
  Result<void> base_skin();
  Result<void> landmarks();
  Result<void> fits();
  Result<void> assembly();
  /// How sure each decision is, beside what was decided.
  Result<void> review();

  Chain& chain_;
  Work& work_;
  std::filesystem::path memory_;
  Decisions decisions_;
  Stages stages_;
  std::vector<std::uint64_t> surface_keys_, alignment_keys_;  // by scan; of the base: 0
  std::uint64_t parts_key_ = 0, names_key_ = 0, weights_key_ = 0;
};

}  // namespace supple::workflow
