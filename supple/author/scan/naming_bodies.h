// Which piece of a compound bone is which of its single bones: carpals, radius and ulna.
#pragma once

#include "supple/author/scan/naming_given.h"

namespace supple::scan {

/// Single bones by place and size: their places in the template are laid over the ends of the bones that are named
/// already. Where there are fewer pieces than single bones, those that hang together become one body: neighbours whose
/// joint place and size fit a piece best. Compound bones of one piece stay one body. What does not come apart is told
/// as a warning. `given`: pieces of single bones (places in BoneTemplate::bodies) that somebody or a label named, or
/// none.
std::vector<NamedBody> name_bodies(std::span<const BonePart> parts, const BoneTemplate& skeleton, const Naming& naming,
                                   GivenPieces given = {}, Warnings* warnings = nullptr);

/// Pieces that a label of one single bone gives to it, by place in BoneTemplate::bodies.
std::vector<std::optional<std::vector<std::uint32_t>>> bodies_by_label(std::span<const BonePart> parts,
                                                                       const BoneTemplate& skeleton);

/// "scaphoid", or "scaphoid+lunate" of a body in which these hang together.
std::string body_name(const NamedBody& body, const BoneTemplate& skeleton);
/// Whether the motion of a compound bone is this body's.
bool leads(const NamedBody& body, const BoneTemplate& skeleton);

}  // namespace supple::scan
