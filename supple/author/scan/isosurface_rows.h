// Which samples of a volume are inside, one bit each, and where the edges that the surface crosses lie in every row.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "supple/geometry/volume.h"

namespace supple::scan {

/// A row of bits, 64 to a word; bits past the end are clear.
using BitRow = std::span<const std::uint64_t>;

/// Inside is where sample >= threshold. With a margin, one more layer of samples, all outside, lies around the volume;
/// places then count from the margin: place p along an axis is sample p - margin. A sixteenth of the volume's memory.
class InsideBits {
 public:
  InsideBits(const Volume& volume, std::int16_t threshold, bool margin);

  std::size_t margin() const { return margin_; }
  const std::array<std::size_t, 3>& size() const { return size_; }  // in places
  std::size_t words() const { return words_; }                      // in a row
  BitRow row(std::size_t j, std::size_t k) const { return {bits_.data() + words_ * (j + size_[1] * k), words_}; }
  /// Bits of a word that begin an edge along the row: all places but the last.
  std::uint64_t edge_places(std::size_t word) const { return word + 1 < words_ ? ~std::uint64_t{0} : last_edges_; }

 private:
  std::size_t margin_, words_;
  std::array<std::size_t, 3> size_;
  std::uint64_t last_edges_ = 0;
  std::vector<std::uint64_t> bits_;  // #words * rows * slices
};

/// Bit p: place p + 1 of the row.
inline std::uint64_t shifted_word(BitRow row, std::size_t word) {
  return row[word] >> 1 | (word + 1 < row.size() ? row[word + 1] << 63 : 0);
}

/// Crossed edges of one kind in one row and the number of the first one's vertex: the vertex of place p is `first` plus
/// the number of bits before p.
struct EdgeRow {
  std::vector<std::uint64_t> bits;
  std::vector<std::uint32_t> before;  // #words: vertex number of the word's first edge

  std::uint32_t vertex(std::size_t place) const {
    const std::uint64_t earlier = bits[place / 64] & ((std::uint64_t{1} << place % 64) - 1);
    return before[place / 64] + static_cast<std::uint32_t>(std::popcount(earlier));
  }
  void number(std::uint32_t first) {
    before.resize(bits.size());
    for (std::size_t w = 0; w < bits.size(); ++w) {
      before[w] = first;
      first += static_cast<std::uint32_t>(std::popcount(bits[w]));
    }
  }
};

/// Edges along the row; between two rows.
void edges_along(const InsideBits& inside, BitRow row, std::vector<std::uint64_t>& edges);
void edges_between(BitRow a, BitRow b, std::vector<std::uint64_t>& edges);

/// Calls visit(place) for every bit that is set, in order.
template <class Visit>
void for_each_bit(std::span<const std::uint64_t> bits, Visit&& visit) {
  for (std::size_t w = 0; w < bits.size(); ++w) {
    for (std::uint64_t left = bits[w]; left != 0; left &= left - 1) {
      visit(64 * w + static_cast<std::size_t>(std::countr_zero(left)));
    }
  }
}

}  // namespace supple::scan
