// Layout of the grid.
#include "supple/render/sheet.h"

#include <algorithm>
#include <cmath>

#include "supple/render/draw.h"
#include "supple/render/text.h"

namespace supple::render {
namespace {

constexpr Rgba8 paper{255, 255, 255}, sheet_ink{40, 44, 52}, sheet_faint{110, 117, 128};

float text_size(const SheetLayout& layout) {
  return std::clamp(static_cast<float>(layout.cell.height) * 0.045f, 12.0f, 40.0f);
}

}  // namespace

Result<SheetLayout> layout_of(std::span<const SheetCell> cells, const SheetOptions& options) {
  if (cells.empty()) return Error{"contact sheet", "has no pictures", "choose at least one view or frame"};
  SheetLayout out;
  const auto near_square = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(cells.size()))));
  out.columns = std::min(options.columns != 0 ? options.columns : std::min<std::size_t>(near_square, 6), cells.size());
  out.rows = (cells.size() + out.columns - 1) / out.columns;
  bool captions = false;
  for (const SheetCell& c : cells) {
    out.cell.width = std::max(out.cell.width, c.picture.width);
    out.cell.height = std::max(out.cell.height, c.picture.height);
    captions = captions || !c.caption.empty();
  }
  const float text = text_size(out);
  out.gap = static_cast<std::uint32_t>(text);
  out.caption_height = captions ? static_cast<std::uint32_t>(text * 1.7f) : 0;
  out.title_height =
      options.title.empty() ? 0 : static_cast<std::uint32_t>(text * (options.subtitle.empty() ? 2.2f : 3.6f));
  const std::uint64_t width = out.gap + out.columns * (std::uint64_t{out.cell.width} + out.gap);
  const std::uint64_t height =
      out.gap + out.title_height + out.rows * (std::uint64_t{out.cell.height} + out.caption_height + out.gap);
  if (width > max_picture_side || height > max_picture_side) {
    return Error{"contact sheet", "would be " + std::to_string(width) + " x " + std::to_string(height) + " pixels",
                 "use fewer or smaller pictures"};
  }
  out.sheet = {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)};
  return out;
}

Result<Image> contact_sheet(std::span<const SheetCell> cells, const SheetOptions& options) {
  const Result<SheetLayout> found = layout_of(cells, options);
  if (!found) return found.error();
  const SheetLayout& layout = *found;
  const float text = text_size(layout);
  const auto gap = static_cast<float>(layout.gap);
  const float sheet_width = static_cast<float>(layout.sheet.width) - 2 * gap;
  Image sheet(layout.sheet, paper);
  if (!options.title.empty()) {
    const float size = text * 1.5f;
    draw_text(sheet, gap, gap + size * 0.85f, shortened(options.title, size, sheet_width),
              {size, sheet_ink, Align::left, 1.3f});
    draw_text(sheet, gap, gap + size * 0.85f + text * 1.6f, shortened(options.subtitle, text, sheet_width),
              {text, sheet_faint});
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const SheetCell& cell = cells[i];
    const std::size_t column = i % layout.columns, row = i / layout.columns;
    const std::int64_t x = layout.gap + static_cast<std::int64_t>(column) * (layout.cell.width + layout.gap);
    const std::int64_t y = layout.gap + layout.title_height +
                           static_cast<std::int64_t>(row) * (layout.cell.height + layout.caption_height + layout.gap);
    blit(sheet, cell.picture, x + (layout.cell.width - cell.picture.width) / 2,
         y + (layout.cell.height - cell.picture.height) / 2);
    draw_text(sheet, static_cast<float>(x) + static_cast<float>(layout.cell.width) / 2,
              static_cast<float>(y + layout.cell.height) + text * 1.15f,
              shortened(cell.caption, text, static_cast<float>(layout.cell.width)), {text, sheet_ink, Align::center});
  }
  return sheet;
}

}  // namespace supple::render
