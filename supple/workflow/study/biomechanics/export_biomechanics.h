// A study as programs of biomechanics read it: where bones are, what joints do, and models that move.
#pragma once

#include <memory>

#include "supple/files/json.h"
#include "supple/workflow/study/biomechanics/hand_model.h"
#include "supple/workflow/study/biomechanics/joint_analysis.h"

namespace supple::workflow {

struct BiomechanicsOptions {
  std::string project;  // .json, as build_hand() takes it
  std::string output;   // new folder
  std::string
      clips;  // .glb, .gltf: a hand that was built from the project, with clips; empty: the way through the scans
  double rate = 30;                                 // times a second that angles of clips are told
  double bone_density = 1.5, flesh_density = 1.06;  // g / cm^3
  std::size_t reference_poses = 0;                  // to check other programs with
};

struct Biomechanics {
  std::unique_ptr<Chain> chain;
  JointAnalysis joints;
  HandModel model;
  Json facts;
};

/// Runs what build_hand() would of the stages, keeping those that are there, and writes a folder, whole or not at all.
Result<Biomechanics> export_biomechanics(const BiomechanicsOptions& options, Work& work);

}  // namespace supple::workflow
