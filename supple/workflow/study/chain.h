// From the scans of a project to a character and its examples, stage by stage. What a stage made is kept, and made
// again only when something it depends on has changed.
#pragma once

#include <memory>

#include "supple/author/scan/assemble.h"
#include "supple/author/scan/extract.h"
#include "supple/author/scan/joint_type.h"
#include "supple/author/scan/landmarks.h"
#include "supple/rig/bone_template.h"
#include "supple/workflow/study/project.h"
#include "supple/workflow/study/review.h"
#include "supple/workflow/study/workspace.h"

namespace supple::workflow {

/// One run of one stage.
struct StageRun {
  std::string stage;  // "surfaces of grasp"
  double seconds = 0;
  double memory_mb = 0;  // largest the program has been so far
  bool kept = false;     // from an earlier run
};

/// Everything known of one scan; the base has no alignment and no fit.
struct ScanWork {
  const ScanEntry* entry = nullptr;
  scan::Surfaces surfaces;  // the scan's own space
  scan::Alignment alignment;
  scan::FittedSkin fit;
  bool shows_skin() const { return !surfaces.skin.triangles.empty(); }
};

struct Chain {
  Project project;
  BoneTemplate skeleton;
  std::vector<ScanWork> scans;  // the base first
  scan::Parts parts;            // of the base
  scan::Naming naming;
  std::vector<scan::ScanBone> bones;
  std::vector<scan::ScanBone> bodies;  // single bones of compound ones that the base scan shows apart
  Mesh base_skin;
  std::vector<bool> base_border;  // vertices of the base skin where the volume cut it
  SkinWeights weights;            // of the base skin, by place in `bones`
  std::vector<scan::JointEstimate> joints;
  std::vector<scan::JointTypeChoice> kinds;  // of joints, by the scans to learn from; one per bone
  scan::Assembled assembled;
  std::vector<scan::BoneFrame> frames;    // one per bone
  std::vector<scan::Landmark> landmarks;  // of bones and of the base skin
  std::vector<ReviewItem> review;         // every decision, what needs a look most first
  std::vector<StageRun> stages;
  /// Without the base's skin the character is a skeleton of bones, and the examples are of these.
  bool has_skin() const { return scans.front().shows_skin(); }
};

/// Runs what is needed. Decisions are written into the project file after every stage, so that nothing is lost when a
/// later one fails.
Result<std::unique_ptr<Chain>> run_chain(Project project, Work& work);

}  // namespace supple::workflow
