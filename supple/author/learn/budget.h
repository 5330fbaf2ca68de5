// How many modes each joint gets, so that no vertex follows too many and the file has no more targets than its engine
// takes (EigenSkin 2002, section 4.4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace supple::learn {

enum class Allocation : std::uint8_t {
  faded,   // the largest singular value, again and again; a vertex with too many modes keeps its strongest, and the
           // others fade out around it (see limit_modes_per_vertex)
  greedy,  // the largest singular value that still fits everywhere, again and again
  equal,   // the same number for every joint: the paper
};

/// One joint, or pair of joints, that asks for modes.
struct Claim {
  std::span<const std::uint32_t> support;
  std::span<const double> singular_values;  // descending; no more modes than these
};

struct Budget {
  std::size_t per_vertex = 10;          // modes that may move one vertex
  std::size_t total = std::size_t(-1);  // modes of all claims together
  std::size_t per_claim = std::size_t(-1);
};

/// Modes granted to each claim; with `faded` the limit per vertex is left to limit_modes_per_vertex. `used` (#V) counts
/// modes that act on each vertex already and is brought up to date. `order` receives the claim of each mode in the
/// order in which they were granted.
std::vector<std::size_t> allocate(std::span<const Claim> claims, const Budget& budget, Allocation allocation,
                                  std::vector<std::uint32_t>& used, std::vector<std::size_t>* order = nullptr);

}  // namespace supple::learn
