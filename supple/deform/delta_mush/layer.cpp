#include "supple/deform/delta_mush/layer.h"

#include "supple/base/parallel.h"

namespace supple {

constexpr std::size_t mushed_at_once = 512;

DeltaMushLayer::DeltaMushLayer(DeltaMushTable table)
    : table_(std::move(table)), smooth_(table_.weld.points()), room_(smooth_.size()) {}

void DeltaMushLayer::apply(std::span<Vec3f> positions, std::span<Vec3f> normals, unsigned threads) {
  for (std::size_t p = 0; p < smooth_.size(); ++p) smooth_[p] = positions[table_.weld.to_vertex[p]];
  smooth_points(table_, smooth_, room_, threads);
  parallel_for(
      positions.size(), mushed_at_once,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) {
          const std::uint32_t p = table_.weld.to_point[v];
          if (table_.ahead[p] == p) continue;  // of no triangle: as skinned
          const Mat3f frame = delta_mush_frame(table_, smooth_, p);
          positions[v] = smooth_[p] + frame * table_.delta[p];
          normals[v] = frame * table_.normals[v];
        }
      },
      threads);
}

}  // namespace supple
