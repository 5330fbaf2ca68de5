// A piece of bone in a small lattice of its own, and how deep inside it every sample lies.
#pragma once

#include <span>

#include "supple/author/scan/parts_runs.h"

namespace supple::scan {

/// The box of a piece with one layer of samples around it that are never bone: neighbours exist everywhere.
struct Block {
  std::array<std::size_t, 3> origin{};  // sample of the volume where the block's (1, 1, 1) lies
  std::array<std::size_t, 3> size{};
  Vec3d spacing{};                  // metres
  std::vector<std::uint8_t> bone;   // 1: bone, also cavities that it encloses
  std::vector<std::int16_t> value;  // samples of the volume; those of cavities are raised to the highest there is

  std::size_t count() const { return size[0] * size[1] * size[2]; }
  std::size_t place(std::size_t i, std::size_t j, std::size_t k) const { return i + size[0] * (j + size[1] * k); }
  /// Steps from a sample to its six neighbours.
  std::array<std::ptrdiff_t, 6> neighbours() const {
    const auto row = static_cast<std::ptrdiff_t>(size[0]), slice = static_cast<std::ptrdiff_t>(size[0] * size[1]);
    return {-slice, -row, -1, 1, row, slice};
  }
};

Block block_of(const Volume& volume, const Piece& piece);

/// What cannot be reached from the corner of the block without passing `solid` becomes solid.
void fill_cavities(const Block& block, std::vector<std::uint8_t>& solid);

/// Metres from every solid sample to the nearest that is not; 0 there. Exact.
std::vector<float> depth(const Block& block, std::span<const std::uint8_t> solid);

}  // namespace supple::scan
