#include "supple/author/scan/parts_runs.h"

#include <algorithm>
#include <utility>

#include "supple/base/disjoint_sets.h"
#include "supple/base/parallel.h"

namespace supple::scan {
namespace {

void runs_of_slice(const Volume& volume, std::int16_t threshold, std::size_t k, std::vector<Run>& runs) {
  for (std::size_t j = 0; j < volume.size[1]; ++j) {
    const std::int16_t* row = volume.samples.data() + volume.place(0, j, k);
    std::int16_t highest = row[0];  // most rows have no bone: one look, many samples at once
    for (std::size_t i = 1; i < volume.size[0]; ++i) highest = std::max(highest, row[i]);
    if (highest < threshold) continue;
    for (std::size_t i = 0; i < volume.size[0]; ++i) {
      if (row[i] < threshold) continue;
      const std::size_t begin = i;
      while (i < volume.size[0] && row[i] >= threshold) ++i;
      runs.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j),
                      static_cast<std::uint32_t>(k)});
    }
  }
}

// Joins the runs [a, a_end) of one row with those of another that share columns.
void join_rows(const std::vector<Run>& runs, std::uint32_t a, std::uint32_t a_end, std::uint32_t b, std::uint32_t b_end,
               DisjointSets& sets) {
  while (a < a_end && b < b_end) {
    if (runs[a].begin < runs[b].end && runs[b].begin < runs[a].end) sets.join(a, b);
    ++(runs[a].end < runs[b].end ? a : b);
  }
}

}  // namespace

std::vector<Piece> dense_pieces(const Volume& volume, std::int16_t threshold) {
  const std::size_t rows = volume.size[1], slices = volume.size[2];
  std::vector<std::vector<Run>> of_slice(slices);
  parallel_for(slices, 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) runs_of_slice(volume, threshold, k, of_slice[k]);
  });
  std::vector<Run> runs;
  for (std::vector<Run>& r : of_slice) {
    runs.insert(runs.end(), r.begin(), r.end());
    r = {};
  }
  std::vector<std::uint32_t> first(rows * slices + 1, 0);  // run of each row
  for (const Run& r : runs) ++first[r.row + rows * r.slice + 1];
  for (std::size_t i = 0; i + 1 < first.size(); ++i) first[i + 1] += first[i];

  DisjointSets sets(runs.size());  // the first run of a piece is its root
  for (std::size_t row = 0; row < rows * slices; ++row) {
    if (row % rows > 0) join_rows(runs, first[row], first[row + 1], first[row - 1], first[row], sets);
    if (row >= rows) join_rows(runs, first[row], first[row + 1], first[row - rows], first[row - rows + 1], sets);
  }
  std::vector<Piece> pieces;
  std::vector<std::uint32_t> piece_of(runs.size());
  for (std::uint32_t r = 0; r < runs.size(); ++r) {
    const std::uint32_t root = sets.root(r);
    if (root == r) {
      piece_of[r] = static_cast<std::uint32_t>(pieces.size());
      pieces.emplace_back().low = volume.size;
    }
    Piece& piece = pieces[piece_of[root]];
    piece.runs.push_back(runs[r]);
    const std::size_t begin[3] = {runs[r].begin, runs[r].row, runs[r].slice};
    const std::size_t end[3] = {runs[r].end, begin[1] + 1, begin[2] + 1};
    const std::size_t count = end[0] - begin[0];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      piece.low[axis] = std::min(piece.low[axis], begin[axis]);
      piece.end[axis] = std::max(piece.end[axis], end[axis]);
      piece.centre[axis] += 0.5 * static_cast<double>(begin[axis] + end[axis] - 1) * static_cast<double>(count);
    }
    piece.samples += count;
  }
  for (Piece& piece : pieces) piece.centre = piece.centre / static_cast<double>(piece.samples);
  return pieces;
}

}  // namespace supple::scan
