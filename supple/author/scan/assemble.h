// The end of the way: estimated joints, a base skin and fitted skins become a character and its examples.
#pragma once

#include <span>
#include <string>

#include "supple/author/scan/consistent.h"
#include "supple/author/scan/joints.h"
#include "supple/base/progress.h"
#include "supple/rig/bind.h"
#include "supple/rig/example_set.h"

namespace supple::scan {

/// Skin weights from the distance to the bones of the base scan; joint numbers are places in `bones`.
Result<SkinWeights> bind_base(const Mesh& skin, std::span<const ScanBone> bones, const Progress& progress = {});

/// Linear blend skinning with the bones where they were found, without joints between: sum_k w_k M_k p (eq. 2).
std::vector<Vec3f> blend(std::span<const Vec3f> positions, const SkinWeights& weights, std::span<const BoneFit> bones);

/// A scan other than the base, all of it found.
struct FoundPose {
  std::string name;
  Role role = Role::train;
  const Alignment* alignment = nullptr;
  std::span<const Vec3f> skin;  // #V, fitted, in the scan's own space
  bool shows_skin = true;       // off: `skin` is only blended
};

/// Whether the skin of a scan is learnt from: those held out are not, nor are those without skin or with a bone that
/// was not found.
/// Such a bone is taken to move with its neighbour, and the skin over it would be learnt in a pose that it was not in.
bool teaches(const FoundPose& scan);

struct AssembleOptions {
  std::string name = "hand";
  std::string origin;                // of the examples, for people
  std::size_t bone_triangles = 600;  // of each bone's surface in the character
};

struct Assembled {
  Character character;  // parts "skin" and "bones", a clip through the poses of the scans; without skin: "bones"
  ExampleSet examples;  // in the order of the scans; those that do not teach are Role::test. Without skin: of bones
  Affined to_model;     // base scan to model space: the template's, with the root joint where the template has it
};

/// Model space is the template's, so that a scanned hand lies as the procedural one does; the base scan is the rest
/// pose. Every scan is seen from its root bone, which does not move. Limits of joints are widened to what the scans
/// show all bones of which are found. The error names the bones that are missing where no scan does. An empty base skin
/// gives a skeleton of bones.
Result<Assembled> assemble(const Mesh& base_skin, const SkinWeights& weights, std::span<const ScanBone> bones,
                           std::span<const JointEstimate> joints, const BoneTemplate& skeleton, const Naming& naming,
                           std::span<const FoundPose> scans, const AssembleOptions& options,
                           const Progress& progress = {});

}  // namespace supple::scan
