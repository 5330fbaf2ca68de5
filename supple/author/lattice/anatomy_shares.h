// Bones and muscles inside the skin, as shares of the lattice: nodes in bone follow it, cells in muscle are stiffer.
#pragma once

#include <vector>

#include "supple/author/lattice/lattice.h"

namespace supple::lattice {

/// Closed surfaces in the units of the skin. Either may be empty.
struct Anatomy {
  Mesh bones;
  std::vector<std::uint32_t> joint_of;  // #triangles of the bones: the joint that each follows, as in Surface::parents
  Mesh muscles;
};

struct AnatomyShares {
  std::vector<std::vector<Influence>> bone;  // #nodes: joints, and how much of the node's surroundings is their bone
  std::vector<float> muscle;                 // #cells: how much of it is muscle; none where there are no muscles
};

/// Counts points of each cell that are inside. A cell counts a bone only where the skin's weights, continued to its
/// nodes, have that joint or the next one: limbs beside each other have cells of their own at one place.
AnatomyShares anatomy_shares(const Lattice& lattice, const SkinWeights& node_weights, const Surface& surface,
                             const Anatomy& anatomy);

}  // namespace supple::lattice
