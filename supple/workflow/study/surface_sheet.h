// Pictures of the surfaces of one scan.
#pragma once

#include <span>

#include "supple/author/scan/extract.h"
#include "supple/author/scan/parts.h"
#include "supple/render/image.h"

namespace supple::workflow {

/// Skin over bones, and the pieces of bone each in its colour, from the patient's front and left.
Result<render::Image> draw_surfaces(const Mesh& skin, std::span<const scan::BonePart> parts, const std::string& title);

}  // namespace supple::workflow
