// How many joints neighbouring vertices share: of each file, in how many blocks of 16 vertices skinning has so many
// rows, and how many blocks keep a list for every vertex instead.
//
//   supple_block_figures MODEL...
#include <cstdio>
#include <map>

#include "supple/deform/part_binding.h"
#include "supple/deform/skinning/table.h"
#include "supple/files/load.h"

namespace {

using namespace supple;

struct Counts {
  std::map<std::uint32_t, std::size_t> blocks;  // by number of rows; 0: lists
  std::size_t vertices = 0, influences = 0;
};

void count(const SkinTable& table, Counts& counts) {
  counts.vertices += table.vertex_count;
  for (std::size_t b = 0; b + 1 < table.block_rows.size(); ++b)
    ++counts.blocks[table.block_rows[b + 1] - table.block_rows[b]];
}

void print(const char* file, const Counts& counts) {
  std::size_t rows = 0, dense = 0, lists = 0;
  for (const auto& [joints, blocks] : counts.blocks) {
    rows += joints * blocks;
    (joints > 0 ? dense : lists) += blocks;
  }
  std::printf("%s: %zu vertices, %.2f influences each; joints of a block: %.2f on average;", file, counts.vertices,
              static_cast<double>(counts.influences) / static_cast<double>(counts.vertices),
              static_cast<double>(rows) / static_cast<double>(dense));
  for (const auto& [joints, blocks] : counts.blocks)
    if (joints > 0) std::printf(" %u: %zu", joints, blocks);
  std::printf("; lists: %zu\n", lists);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "supple_block_figures MODEL...\n"), 2;
  for (int i = 1; i < argc; ++i) {
    const auto model = load(argv[i]);
    if (!model) return std::fprintf(stderr, "%s\n", model.error().message().c_str()), 2;
    Counts counts;
    for (const Part& part : model->character().parts) {
      if (!part.skin) continue;  // follows one node
      const SkinWeights weights = weights_of(part);
      const auto table = build_skin_table(weights, palette_size(binding_of(model->character(), part)));
      if (!table) return std::fprintf(stderr, "%s: %s\n", argv[i], table.error().message().c_str()), 2;
      counts.influences += weights.entries.size();
      count(*table, counts);
    }
    if (counts.vertices > 0) print(argv[i], counts);
  }
}
