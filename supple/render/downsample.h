// Averages drawn pixels in linear light.
#pragma once

#include <span>

#include "supple/render/image.h"

namespace supple::render {

/// Every 2 x 2 pixels of `source` (bottom row first, as OpenGL reads) become one opaque pixel of `target`, starting at
/// (x, y); what lies outside is cut off.
void average_2x2(std::span<const Rgba8> source, Size source_size, Image& target, std::uint32_t x, std::uint32_t y);

}  // namespace supple::render
