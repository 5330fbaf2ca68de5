// Which parts of a character examples are made of, when nobody says which.
#pragma once

#include "supple/workflow/jobs/model.h"

namespace supple::workflow {

/// The part whose surfaces are the bones, and no skin: see simulate::BodyOptions.
inline constexpr const char* bones_part_name = "bones";
inline constexpr const char* muscles_part_name = "muscles";

/// Parts that skin is, rising: those that `name` means, or all skinned ones but bones, muscles and hard ones, which
/// follow one joint and share no border with skin that bends. Where no skin bends, the first skinned part.
Result<std::vector<std::size_t>> skin_parts(const Character& character, const std::string& name,
                                            const std::string& bones = bones_part_name);

/// Of these the largest surface by its vertices: parts that share borders, and hard parts that close it. What encloses
/// flesh is one surface. Returns all parts where `name` says which.
Result<std::vector<std::size_t>> flesh_parts(const Character& character, const std::string& name,
                                             const std::string& bones = bones_part_name);

/// "part 'face'", "parts 'face', 'body'"
std::string words_of_parts(const Character& character, std::span<const std::size_t> parts);

/// Skin that bends and is not among `parts`.
std::vector<std::size_t> left_out(const Character& character, std::span<const std::size_t> parts,
                                  const std::string& bones = bones_part_name);

}  // namespace supple::workflow
