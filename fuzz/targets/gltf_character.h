// What the targets of glTF share: reading to the end and writing what was read.
#pragma once

#include <string>

#include "fuzz/target.h"
#include "supple/rig/character.h"

namespace supple::fuzz {

/// Whether a character comes of it, which is then written and read again.
bool read_gltf_character(Input contents);

/// A strip of eight vertices on a few joints, with something of every deformer.
Character character_of_everything();
/// A box on three joints with a morph target and a clip: few bytes, so that changes hit what counts.
Character small_character();

inline const std::vector<std::string> gltf_words{"\"asset\":{\"version\":\"2.0\"}",
                                                 "\"buffers\":[",
                                                 "\"byteLength\":",
                                                 "\"uri\":\"data:;base64,",
                                                 "\"bufferViews\":[",
                                                 "\"byteOffset\":",
                                                 "\"byteStride\":",
                                                 "\"accessors\":[",
                                                 "\"componentType\":",
                                                 "\"count\":",
                                                 "\"type\":",
                                                 "\"VEC3\"",
                                                 "\"MAT4\"",
                                                 "\"SCALAR\"",
                                                 "\"normalized\":true",
                                                 "\"sparse\":{",
                                                 "\"indices\":{",
                                                 "\"values\":{",
                                                 "\"meshes\":[",
                                                 "\"primitives\":[",
                                                 "\"attributes\":{",
                                                 "\"POSITION\":",
                                                 "\"JOINTS_0\":",
                                                 "\"WEIGHTS_0\":",
                                                 "\"targets\":[",
                                                 "\"mode\":5",
                                                 "\"nodes\":[",
                                                 "\"children\":[",
                                                 "\"matrix\":[",
                                                 "\"rotation\":[",
                                                 "\"skins\":[",
                                                 "\"joints\":[",
                                                 "\"inverseBindMatrices\":",
                                                 "\"animations\":[",
                                                 "\"channels\":[",
                                                 "\"samplers\":[",
                                                 "\"path\":\"weights\"",
                                                 "\"interpolation\":\"CUBICSPLINE\"",
                                                 "\"extensions\":{",
                                                 "\"SUPPLE_deformers\":{",
                                                 "\"extras\":{\"supple\":{\"dofs\":[",
                                                 "\"EXT_meshopt_compression\":{",
                                                 "\"extensionsUsed\":[",
                                                 "\"mode\":\"ATTRIBUTES\"",
                                                 "\"filter\":\"OCTAHEDRAL\"",
                                                 "\"KHR_draco_mesh_compression\":{",
                                                 "5120",
                                                 "5121",
                                                 "5123",
                                                 "5125",
                                                 "5126",
                                                 "4294967295",
                                                 "9007199254740992",
                                                 "1e38"};

}  // namespace supple::fuzz
