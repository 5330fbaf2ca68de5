// From a glTF document to a character.
#pragma once

#include "supple/files/gltf/document.h"
#include "supple/rig/character.h"

namespace supple::gltf {

struct ReadOptions {
  bool strict = false;  // refuse what would otherwise be repaired with a warning
};

/// Where a part came from.
struct PartSource {
  std::uint32_t node = 0, mesh = 0, primitive = 0;
  friend bool operator==(const PartSource&, const PartSource&) = default;
};

/// The morph weights of one node: entries [first, first + count) of Pose::morph_weights.
struct MorphBlock {
  std::uint32_t node = 0, first = 0, count = 0;
};

/// A character and how it maps back to the document, for edits that must reach the file it came from.
struct Imported {
  Character character;
  JointRemap nodes;                 // node number <-> joint
  std::vector<PartSource> sources;  // #parts
  std::vector<MorphBlock> morphs;
};

/// Every node becomes a joint, every triangle primitive of every node that carries a mesh becomes a part. Skin weights
/// are repaired with warnings that count them. Joint limits come from node.extras.supple.dofs. A malformed
/// SUPPLE_deformers, or one of a later version, is left out with a warning.
Result<Imported> to_character(const Document& document, Warnings* warnings = nullptr, const ReadOptions& options = {});

}  // namespace supple::gltf
