#include "supple/author/scan/isosurface_rows.h"

#include <cstring>

#include "supple/base/parallel.h"

namespace supple::scan {
namespace {

// 64 comparisons to a word. The first loop compares and narrows many samples at once; the multiplication then gathers
// the lowest bits of eight bytes in its highest byte (bytes count from the low end, as on all machines built for here).
static_assert(std::endian::native == std::endian::little);
std::uint64_t compare_64(const std::int16_t* samples, std::int16_t threshold) {
  std::uint8_t above[64];
  for (std::size_t i = 0; i < 64; ++i) above[i] = samples[i] >= threshold ? 1 : 0;
  std::uint64_t word = 0;
  for (unsigned byte = 0; byte < 8; ++byte) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, above + 8 * byte, 8);
    word |= (eight * 0x0102040810204080u >> 56) << 8 * byte;
  }
  return word;
}

std::uint64_t compare_few(const std::int16_t* samples, std::size_t count, std::int16_t threshold) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < count; ++i) word |= std::uint64_t{samples[i] >= threshold} << i;
  return word;
}

}  // namespace

InsideBits::InsideBits(const Volume& volume, std::int16_t threshold, bool margin) : margin_(margin ? 1 : 0) {
  for (std::size_t axis = 0; axis < 3; ++axis) size_[axis] = volume.size[axis] + 2 * margin_;
  words_ = (size_[0] + 63) / 64;
  // The last place begins no edge.
  const std::size_t last_place = (size_[0] - 1) % 64;
  last_edges_ = (std::uint64_t{1} << last_place) - 1;
  bits_.assign(words_ * size_[1] * size_[2], 0);
  const std::size_t columns = volume.size[0];
  parallel_for(volume.size[2], 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      for (std::size_t j = 0; j < volume.size[1]; ++j) {
        const std::int16_t* samples = volume.samples.data() + volume.place(0, j, k);
        std::uint64_t* row = bits_.data() + words_ * (j + margin_ + size_[1] * (k + margin_));
        for (std::size_t i = 0; i < columns; i += 64) {
          const std::size_t count = std::min<std::size_t>(64, columns - i);
          const std::uint64_t word =
              count == 64 ? compare_64(samples + i, threshold) : compare_few(samples + i, count, threshold);
          row[i / 64] |= word << margin_;
          if (margin_ == 1 && (word >> 63) != 0) row[i / 64 + 1] |= 1;
        }
      }
    }
  });
}

void edges_along(const InsideBits& inside, BitRow row, std::vector<std::uint64_t>& edges) {
  edges.resize(row.size());
  for (std::size_t w = 0; w < row.size(); ++w) edges[w] = (row[w] ^ shifted_word(row, w)) & inside.edge_places(w);
}

void edges_between(BitRow a, BitRow b, std::vector<std::uint64_t>& edges) {
  edges.resize(a.size());
  for (std::size_t w = 0; w < a.size(); ++w) edges[w] = a[w] ^ b[w];
}

}  // namespace supple::scan
