// GIF89a: blocks, and the packing of Lempel, Ziv and Welch.
#include "supple/render/gif.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "supple/render/palette.h"

namespace supple::render {
namespace {

constexpr std::uint8_t unchanged = 255;  // the place in the palette that lets the frame before show through
constexpr unsigned root_bits = 8;

void put_byte(Bytes& out, unsigned value) { out.push_back(static_cast<std::byte>(value & 255)); }
void put_short(Bytes& out, unsigned value) {
  put_byte(out, value);
  put_byte(out, value >> 8);
}
void put_text(Bytes& out, std::string_view text) {
  for (const char c : text) put_byte(out, static_cast<unsigned char>(c));
}

/// Codes of growing width, packed from the lowest bit into blocks of at most 255 bytes.
class CodeWriter {
 public:
  explicit CodeWriter(Bytes& out) : out_(out) {}
  void put(unsigned code, unsigned width) {
    waiting_ |= code << bits_;
    bits_ += width;
    for (; bits_ >= 8; bits_ -= 8, waiting_ >>= 8) put_in_block(waiting_);
  }
  void finish() {
    if (bits_ > 0) put_in_block(waiting_);
    flush();
    put_byte(out_, 0);
  }

 private:
  void put_in_block(unsigned value) {
    block_.push_back(static_cast<std::byte>(value & 255));
    if (block_.size() == 255) flush();
  }
  void flush() {
    if (block_.empty()) return;
    put_byte(out_, static_cast<unsigned>(block_.size()));
    out_.insert(out_.end(), block_.begin(), block_.end());
    block_.clear();
  }
  Bytes& out_;
  Bytes block_;
  unsigned waiting_ = 0, bits_ = 0;
};

/// A table of strings that were met before: (code of a string, next byte) -> code of the longer string.
class StringTable {
 public:
  static constexpr unsigned max_codes = 4096;
  StringTable() : next_(std::size_t{max_codes} * 256) { clear(); }
  void clear() {
    std::fill(next_.begin(), next_.end(), std::uint16_t{0});
    count_ = first_free;
  }
  /// 0: not met yet.
  std::uint16_t find(unsigned code, std::uint8_t byte) const { return next_[std::size_t{code} * 256 + byte]; }
  void add(unsigned code, std::uint8_t byte) {
    next_[std::size_t{code} * 256 + byte] = static_cast<std::uint16_t>(count_++);
  }
  unsigned count() const { return count_; }

 private:
  static constexpr unsigned first_free = (1u << root_bits) + 2;
  std::vector<std::uint16_t> next_;
  unsigned count_ = first_free;
};

void put_pixels(Bytes& out, std::span<const std::uint8_t> pixels, StringTable& table) {
  constexpr unsigned clear_code = 1u << root_bits, end_code = clear_code + 1;
  put_byte(out, root_bits);
  CodeWriter codes(out);
  unsigned width = root_bits + 1;
  table.clear();
  codes.put(clear_code, width);
  unsigned current = pixels[0];
  for (const std::uint8_t byte : pixels.subspan(1)) {
    if (const std::uint16_t longer = table.find(current, byte); longer != 0) {
      current = longer;
      continue;
    }
    codes.put(current, width);
    // The reader knows a string one code later than the writer: the width grows when the code just added needs it.
    if (table.count() == (1u << width) && width < 12) ++width;
    if (table.count() < StringTable::max_codes) {
      table.add(current, byte);
    } else {
      codes.put(clear_code, width);
      table.clear();
      width = root_bits + 1;
    }
    current = byte;
  }
  codes.put(current, width);
  codes.put(end_code, table.count() == (1u << width) && width < 12 ? width + 1 : width);
  codes.finish();
}

struct Region {
  std::uint32_t x = 0, y = 0, width = 1, height = 1;
};

/// What changed since the frame before; one pixel where nothing did.
Region changed_region(std::span<const std::uint8_t> before, std::span<const std::uint8_t> now, Size size) {
  std::uint32_t left = size.width, right = 0, top = size.height, bottom = 0;
  for (std::uint32_t y = 0; y < size.height; ++y) {
    for (std::uint32_t x = 0; x < size.width; ++x) {
      const std::size_t i = std::size_t{y} * size.width + x;
      if (before[i] == now[i]) continue;
      left = std::min(left, x), right = std::max(right, x + 1);
      top = std::min(top, y), bottom = std::max(bottom, y + 1);
    }
  }
  return right == 0 ? Region{} : Region{left, top, right - left, bottom - top};
}

void put_head(Bytes& out, Size size, const Palette& palette) {
  put_text(out, "GIF89a");
  put_short(out, size.width);
  put_short(out, size.height);
  put_byte(out, 0x80 | 0x70 | (root_bits - 1));  // one palette of 256 entries for all frames
  put_byte(out, 0);                              // its first colour is the background
  put_byte(out, 0);
  for (std::size_t i = 0; i < 256; ++i) {
    const Rgba8 c = i < palette.colours().size() ? palette.colours()[i] : Rgba8{};
    put_byte(out, c.r);
    put_byte(out, c.g);
    put_byte(out, c.b);
  }
  put_text(out, "\x21\xff\x0bNETSCAPE2.0\x03\x01");
  put_short(out, 0);  // repeats for ever
  put_byte(out, 0);
}

}  // namespace

Result<Bytes> encode_gif(std::span<const Image> frames, double frames_per_second) {
  if (frames.empty() || frames[0].pixels.empty()) return Error{"moving picture", "has no frames", ""};
  const Size size = frames[0].size();
  if (size.width > 65535 || size.height > 65535) return Error{"moving picture", "is too large for a GIF file", ""};
  if (!(frames_per_second > 0 && frames_per_second <= max_gif_rate)) {
    return Error{"moving picture", "cannot have " + std::to_string(frames_per_second) + " frames a second as GIF",
                 "use more than 0 and at most 50"};
  }
  ColourCount count;
  for (const Image& frame : frames) {
    if (frame.size() != size) return Error{"moving picture", "has frames of different sizes", ""};
    count.add(frame);
  }
  Palette palette(count, unchanged);
  Bytes out;
  put_head(out, size, palette);
  StringTable table;
  std::vector<std::uint8_t> before, pixels;
  const auto hundredths = [&](std::size_t frame) {
    return static_cast<unsigned>(std::lround(100 * static_cast<double>(frame) / frames_per_second));
  };
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const std::vector<std::uint8_t> now = palette.places(frames[f]);
    const Region region = f == 0 ? Region{0, 0, size.width, size.height} : changed_region(before, now, size);
    pixels.clear();
    for (std::uint32_t y = region.y; y < region.y + region.height; ++y) {
      for (std::uint32_t x = region.x; x < region.x + region.width; ++x) {
        const std::size_t i = std::size_t{y} * size.width + x;
        pixels.push_back(f > 0 && before[i] == now[i] ? unchanged : now[i]);
      }
    }
    put_text(out, "\x21\xf9\x04");
    put_byte(out, 0x05);  // the frame stays, and one colour is transparent
    put_short(out, hundredths(f + 1) - hundredths(f));
    put_byte(out, unchanged);
    put_byte(out, 0);
    put_byte(out, 0x2c);
    for (const std::uint32_t v : {region.x, region.y, region.width, region.height}) put_short(out, v);
    put_byte(out, 0);
    put_pixels(out, pixels, table);
    before = now;
  }
  put_byte(out, 0x3b);
  return out;
}

}  // namespace supple::render
