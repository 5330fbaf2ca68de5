// A small font whose letters are strokes of a pen, so that captions are smooth at any size and need no font file.
#pragma once

#include <string_view>

namespace supple::render {

/// Strokes on a grid: baseline at 0, small letters reach 8, capitals 12, descenders -4.
/// A stroke is a row of points; each point is a column digit and a row letter ('a' is row -4, 'e' the baseline). A
/// small row letter is a point on the pen's path; a capital row letter is a control point of a quadratic curve, with a
/// point on the path implied halfway between two controls, as in TrueType outlines. Strokes are separated by blanks.
struct Glyph {
  float width = 0;
  std::string_view strokes;
};

/// Unknown characters give a box.
Glyph glyph_of(char32_t character);
/// Takes the first character off `utf8`; malformed bytes give U+FFFD.
char32_t take_character(std::string_view& utf8);

}  // namespace supple::render
