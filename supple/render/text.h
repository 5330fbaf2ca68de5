// Lines of text in a picture.
#pragma once

#include <string>
#include <string_view>

#include "supple/render/image.h"

namespace supple::render {

enum class Align { left, center, right };

struct TextStyle {
  float size = 16;  // pixels from the baseline to the next line's; capitals are 0.6 of it
  Rgba8 colour{40, 44, 52};
  Align align = Align::left;
  float weight = 1;  // of the strokes; 1.4 is bold
};

/// Pixels from the left of the first letter to the right of the last.
float text_width(std::string_view utf8, float size);
/// Draws one line with its baseline at y, and x where `align` says. What lies outside the picture is cut off.
void draw_text(Image& target, float x, float baseline, std::string_view utf8, const TextStyle& style = {});
/// The text, shortened in the middle with ".." where it is wider than `width` pixels: names differ at both ends.
std::string shortened(std::string_view utf8, float size, float width);

}  // namespace supple::render
