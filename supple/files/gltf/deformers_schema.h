// The JSON schema of SUPPLE_deformers, made from the descriptions of all deformers.
#pragma once

#include "supple/files/json.h"

namespace supple::gltf {

/// What docs/schema/SUPPLE_deformers.schema.json holds; script/schema writes it there.
Json deformers_schema();

}  // namespace supple::gltf
