// Mode 0, attributes: blocks of elements, byte by byte, as differences from the element before. Versions 0 and 1.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "supple/files/gltf/decode/meshopt.h"

namespace supple::gltf::meshopt {
namespace {

constexpr std::size_t group_size = 16;

/// 16 differences of `bits` bits each; the largest number of so many bits says that a whole byte follows instead.
bool decode_group(Stream& stream, unsigned bits, std::uint8_t* deltas) {
  if (bits == 0) {
    std::fill_n(deltas, group_size, std::uint8_t{0});
    return true;
  }
  const std::uint8_t* packed = stream.take(group_size * bits / 8);
  if (packed == nullptr) return false;
  if (bits == 8) {
    std::copy_n(packed, group_size, deltas);
    return true;
  }
  const unsigned per_byte = 8 / bits, sentinel = (1u << bits) - 1;
  for (unsigned i = 0; i < group_size; ++i) {
    const unsigned place = i % per_byte;  // single bits begin at the lowest, wider ones at the highest
    const unsigned shift = bits == 1 ? place : 8 - bits * (place + 1);
    unsigned delta = packed[i / per_byte] >> shift & sentinel;
    if (delta == sentinel) {
      const std::uint8_t* whole = stream.take(1);
      if (whole == nullptr) return false;
      delta = *whole;
    }
    deltas[i] = static_cast<std::uint8_t>(delta);
  }
  return true;
}

/// The differences of one byte of all elements of a block. `widths`: bits of a group by its two header bits.
bool decode_byte(Stream& stream, const std::array<unsigned, 4>& widths, std::size_t groups, std::uint8_t* deltas) {
  const std::uint8_t* header = stream.take((groups + 3) / 4);
  if (header == nullptr) return false;
  for (std::size_t g = 0; g < groups; ++g) {
    const unsigned width = widths[header[g / 4] >> (g % 4 * 2) & 3];
    if (!decode_group(stream, width, deltas + g * group_size)) return false;
  }
  return true;
}

template <class Word>
Word unzigzag(Word v) {
  return static_cast<Word>((v & 1) != 0 ? ~(v >> 1) : v >> 1);
}

/// Sums up differences of words of one, two or four bytes: bytes of a word lie `pitch` apart in `deltas`. `before` is
/// the word of the element before, and becomes that of the last element.
template <class Word, class Undo>
void undo_deltas(const std::uint8_t* deltas, std::size_t pitch, std::size_t elements, std::size_t stride,
                 std::uint8_t* out, std::uint8_t* before, Undo undo) {
  Word previous = 0;
  for (std::size_t b = 0; b < sizeof(Word); ++b) previous |= static_cast<Word>(Word{before[b]} << (8 * b));
  for (std::size_t i = 0; i < elements; ++i) {
    Word delta = 0;
    for (std::size_t b = 0; b < sizeof(Word); ++b) delta |= static_cast<Word>(Word{deltas[b * pitch + i]} << (8 * b));
    previous = undo(delta, previous);
    for (std::size_t b = 0; b < sizeof(Word); ++b) {
      out[i * stride + b] = static_cast<std::uint8_t>(previous >> (8 * b) & 255);
    }
  }
  for (std::size_t b = 0; b < sizeof(Word); ++b) before[b] = static_cast<std::uint8_t>(previous >> (8 * b) & 255);
}

/// The four bytes of one channel. Its mode: differences of bytes (0) or of pairs of bytes (1), or exclusive or of all
/// four, rotated by the upper half of the mode (2).
void undo_channel(std::uint8_t mode, const std::uint8_t* deltas, std::size_t pitch, std::size_t elements,
                  std::size_t stride, std::uint8_t* out, std::uint8_t* before) {
  const auto add = []<class Word>(Word delta, Word previous) { return static_cast<Word>(previous + unzigzag(delta)); };
  if ((mode & 15) == 2) {
    const int rotation = mode >> 4;
    const auto exclusive = [=](std::uint32_t delta, std::uint32_t previous) {
      return std::rotr(delta, rotation) ^ previous;
    };
    undo_deltas<std::uint32_t>(deltas, pitch, elements, stride, out, before, exclusive);
  } else if (mode == 1) {
    for (std::size_t b = 0; b < 4; b += 2)
      undo_deltas<std::uint16_t>(deltas + b * pitch, pitch, elements, stride, out + b, before + b, add);
  } else {
    for (std::size_t b = 0; b < 4; ++b)
      undo_deltas<std::uint8_t>(deltas + b * pitch, pitch, elements, stride, out + b, before + b, add);
  }
}

bool is_channel_mode(std::uint8_t mode) { return mode == 0 || mode == 1 || (mode & 15) == 2; }

/// The differences of one block, all elements of its first byte before those of the second.
bool decode_block(Stream& stream, bool version_1, std::size_t elements, std::size_t stride, std::uint8_t* deltas) {
  constexpr std::array<unsigned, 4> version_0_widths{0, 2, 4, 8}, narrow_widths{0, 1, 2, 4}, wide_widths{1, 2, 4, 8};
  const std::size_t groups = (elements + group_size - 1) / group_size, pitch = groups * group_size;
  const std::uint8_t* control = version_1 ? stream.take(stride / 4) : nullptr;
  if (version_1 && control == nullptr) return false;
  for (std::size_t k = 0; k < stride; ++k) {
    std::uint8_t* to = deltas + k * pitch;
    const int mode = version_1 ? control[k / 4] >> (k % 4 * 2) & 3 : -1;
    if (mode == 2) {
      std::fill_n(to, pitch, std::uint8_t{0});
    } else if (mode == 3) {
      const std::uint8_t* literal = stream.take(elements);
      if (literal == nullptr) return false;
      std::copy_n(literal, elements, to);
    } else if (!decode_byte(stream,
                            mode < 0    ? version_0_widths
                            : mode == 0 ? narrow_widths
                                        : wide_widths,
                            groups, to)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool decode_attributes(std::span<const std::uint8_t> stream, std::size_t count, std::size_t stride, std::uint8_t* out) {
  if (stream.empty() || (stream[0] != 0xa0 && stream[0] != 0xa1)) return false;
  const bool version_1 = stream[0] == 0xa1;
  const std::size_t channels = stride / 4, last_bytes = stride + (version_1 ? channels : 0);
  const std::size_t tail = std::max<std::size_t>(last_bytes, version_1 ? 24 : 32);
  if (stream.size() < 1 + tail) return false;
  Stream blocks(stream.subspan(1, stream.size() - 1 - tail));
  const std::span last = stream.last(last_bytes);
  std::vector<std::uint8_t> before(last.begin(), last.begin() + static_cast<std::ptrdiff_t>(stride));
  std::vector<std::uint8_t> modes(channels, 0);
  if (version_1) std::copy(last.begin() + static_cast<std::ptrdiff_t>(stride), last.end(), modes.begin());
  if (!std::all_of(modes.begin(), modes.end(), is_channel_mode)) return false;

  const std::size_t most = std::min<std::size_t>(8192 / stride / 16 * 16, 256);
  std::vector<std::uint8_t> deltas(most * stride);
  for (std::size_t first = 0; first < count; first += most) {
    const std::size_t elements = std::min(most, count - first);
    const std::size_t pitch = (elements + group_size - 1) / group_size * group_size;
    if (!decode_block(blocks, version_1, elements, stride, deltas.data())) return false;
    for (std::size_t c = 0; c < channels; ++c) {
      undo_channel(modes[c], deltas.data() + 4 * c * pitch, pitch, elements, stride, out + first * stride + 4 * c,
                   before.data() + 4 * c);
    }
  }
  return blocks.at_end();
}

}  // namespace supple::gltf::meshopt
