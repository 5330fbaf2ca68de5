// The whole way from scans to a posable hand: the job, from a project file to a glTF file and its report.
#pragma once

#include "supple/files/json.h"
#include "supple/workflow/study/chain.h"
#include "supple/workflow/study/judge.h"

namespace supple::workflow {

struct BuildHandOptions {
  std::string project;   // .json; decisions are written back into it
  std::string output;    // .glb, .gltf
  std::string examples;  // folder for the fitted skins as an example set; empty: none
  std::string report;    // HTML; empty: none
  bool pictures = true;  // in the report
  std::string review;    // .csv: how sure every decision is, what needs a look first; empty: none
  SkinMethod method = SkinMethod::wpsd;
};

struct BuiltHand {
  std::unique_ptr<Chain> chain;
  Judged judged;
  Json facts;  // all that the report shows
  double seconds = 0;
};

/// Stages that an earlier call finished are kept. Stopped on the way, what is finished is there for the next call.
Result<BuiltHand> build_hand(const BuildHandOptions& options, Work& work);

}  // namespace supple::workflow
