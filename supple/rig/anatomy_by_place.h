// Recognises mirror joints and four-legged animals by places at rest.
#pragma once

#include <span>
#include <string>

#include "supple/rig/anatomy.h"

namespace supple {

/// Sets `mirror` of every joint and `side` where the name has none: joints whose names differ by the side alone, then
/// joints that lie mirrored at rest below mirrored parents. The plane is that of the named pairs; without any, x = 0 of
/// the world's axes if two pairs lie mirrored about it, with the left at +x, as glTF has characters face +z.
/// `names`, `mirrored`: #joints, of one joint and of the joint on its other side; empty: none.
void find_mirrors(const Skeleton& skeleton, std::span<const std::string> names, std::span<const std::string> mirrored,
                  Anatomy& anatomy);

/// Sets kinds and plan where exactly four long chains end lowest at rest, in two pairs that branch off one trunk at two
/// joints, with another chain beyond the front ones that ends higher than they begin. Otherwise leaves `anatomy` as it
/// is.
void find_quadruped_by_shape(const Skeleton& skeleton, Anatomy& anatomy);

}  // namespace supple
