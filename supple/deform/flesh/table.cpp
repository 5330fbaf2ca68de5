#include "supple/deform/flesh/table.h"

namespace supple {

FleshTable build_flesh_table(std::span<const FleshEntry> flesh, std::size_t vertex_count, std::size_t element_count) {
  FleshTable table;
  table.vertex_count = static_cast<std::uint32_t>(vertex_count);
  table.element_count = static_cast<std::uint32_t>(element_count);
  for (std::uint32_t e = 0; e < element_count; ++e) {
    const std::size_t begin = table.blocks.size();
    table.first.push_back(static_cast<std::uint32_t>(begin));
    for (const FleshEntry& entry : flesh) {
      if (entry.element != e) continue;
      const std::uint32_t block = entry.vertex / FleshTable::block_vertices;
      if (table.blocks.size() == begin || table.blocks.back() != block) {
        table.blocks.push_back(block);
        table.entries.push_back({});
      }
      table.entries.back().weights[entry.vertex % FleshTable::block_vertices] = entry.weight;
    }
  }
  table.first.push_back(static_cast<std::uint32_t>(table.blocks.size()));
  return table;
}

}  // namespace supple
