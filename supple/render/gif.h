// Moving pictures as GIF files.
#pragma once

#include <span>

#include "supple/render/image.h"

namespace supple::render {

inline constexpr double max_gif_rate = 50;  // frames a second: browsers slow down what is faster

/// Frames of one size that repeat for ever, with one palette of 255 colours for all. What does not change from a frame
/// to the next is stored once. The same frames always give the same bytes.
Result<Bytes> encode_gif(std::span<const Image> frames, double frames_per_second);

}  // namespace supple::render
