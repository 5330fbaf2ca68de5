// Connected pieces of what is dense, as runs of samples: memory goes with the bone, not with the volume.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "supple/geometry/volume.h"

namespace supple::scan {

struct Run {
  std::uint32_t begin = 0, end = 0, row = 0, slice = 0;  // samples [begin, end) of a row
};

/// A piece that hangs together by faces of samples.
struct Piece {
  std::vector<Run> runs;                    // in the order of the samples
  std::array<std::size_t, 3> low{}, end{};  // box of samples [low, end)
  std::size_t samples = 0;
  Vec3d centre{};  // of its samples, in samples
};

/// Pieces where sample >= threshold, in the order of their first samples.
std::vector<Piece> dense_pieces(const Volume& volume, std::int16_t threshold);

}  // namespace supple::scan
