// From a rig to its weights in space.
#pragma once

#include <span>

#include "supple/base/progress.h"
#include "supple/deform/field/limbs.h"
#include "supple/deform/field/table.h"

namespace supple {

/// Everything is validated here, once. Where primitives leave skin uncovered the warning names vertices and place, and
/// the automatic field, faint elsewhere, takes over there.
Result<FieldTable> build_field(const Character& character, const FleshBody& body, const DeformationField& field,
                               Warnings* warnings = nullptr);

/// Vertices of the body (see FleshBody) that flow and that no primitive reaches.
std::vector<std::uint32_t> uncovered_vertices(const Character& character, const FleshBody& body,
                                              const DeformationField& field);

}  // namespace supple
