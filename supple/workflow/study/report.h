// What became of a scan project: for programs as JSON, for people as a page with pictures of every stage.
#pragma once

#include "supple/workflow/study/biomechanics/joint_analysis.h"
#include "supple/workflow/study/judge.h"
#include "supple/workflow/study/stages.h"

namespace supple::workflow {

Json scan_json(const Chain& chain, const Judged& judged, const JointAnalysis& joints, const Warnings& warnings);

/// One HTML file. Pictures as in the figures of the paper: 2 (bone and skin of every scan), 5 (centres of rotation), 6
/// (the way of one fit), 7 (measured beside fitted), 10 (the hand in poses that were not scanned), 11 (SSD, PSD and
/// weighted PSD side by side).
/// What the run has cost by then is told by `clock`.
Result<std::string> scan_html(const Chain& chain, const Judged& judged, Json facts, bool pictures,
                              const RunClock& clock, Work& work);

}  // namespace supple::workflow
