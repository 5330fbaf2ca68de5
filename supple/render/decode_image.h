// Pictures in memory from the bytes of a PNG or JPEG file.
#pragma once

#include <cstddef>
#include <span>

#include "supple/render/image.h"

namespace supple::render {

inline constexpr std::uint32_t max_decoded_side = 8192;  // pixels

/// Rows from the top, sRGB with alpha, whatever the file has. The error says what the bytes are instead, or what is
/// wrong with them. Pictures with more than `max_decoded_side` pixels a side, or more than their bytes can hold, are
/// refused before memory is taken.
Result<Image> decode_image(std::span<const std::byte> bytes);

}  // namespace supple::render
