// The root extension SUPPLE_deformers as an object: members come and go, and with the last one the extension.
#pragma once

#include "supple/files/gltf/json.h"

namespace supple::gltf {

inline constexpr const char* deformers_extension = "SUPPLE_deformers";
inline constexpr std::uint64_t deformers_version = 1;

/// Sets a member; the extension is declared as used.
void put_deformers_member(Json& root, const char* key, Json value);
/// Takes one out; other members stay.
void drop_deformers_member(Json& root, const char* key);

}  // namespace supple::gltf
