// Contact sheets: a grid of pictures with captions under a title.
#pragma once

#include <span>
#include <string>

#include "supple/render/image.h"

namespace supple::render {

struct SheetCell {
  Image picture;
  std::string caption;
};

struct SheetOptions {
  std::string title, subtitle;
  std::size_t columns = 0;  // 0: near a square, at most 6
};

/// Where everything lies, in pixels. Cells are as large as the largest picture; smaller ones are centred.
struct SheetLayout {
  std::size_t columns = 0, rows = 0;
  Size cell;              // without its caption
  std::uint32_t gap = 0;  // between cells and around them
  std::uint32_t title_height = 0, caption_height = 0;
  Size sheet;
};
/// An error where there is nothing to lay out or the sheet would exceed the largest picture.
Result<SheetLayout> layout_of(std::span<const SheetCell> cells, const SheetOptions& options);
Result<Image> contact_sheet(std::span<const SheetCell> cells, const SheetOptions& options = {});

}  // namespace supple::render
