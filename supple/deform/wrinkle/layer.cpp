#include "supple/deform/wrinkle/layer.h"

#include <algorithm>

namespace supple {

Result<WrinkleLayer> WrinkleLayer::make(const Character& character, std::span<const Wrinkle> wrinkles) {
  auto table = build_wrinkle_table(character, wrinkles);
  if (!table) return table.error();
  WrinkleLayer layer;
  layer.flesh_ = &character.flesh;
  layer.points_.resize(table->longest);
  layer.world_.resize(character.skeleton.size());
  layer.twins_.resize(character.skeleton.size());
  layer.table_ = std::move(*table);
  return layer;
}

void WrinkleLayer::drive(std::span<const Affinef> world, std::span<const FleshMotion> motions,
                         std::span<float> morph_weights) {
  if (table_.size() == 0) return;
  if (motions.empty()) return drive_wrinkles(table_, world, points_, morph_weights);
  std::copy(world.begin(), world.end(), world_.begin());
  move_twins(*flesh_, world, motions, twins_);
  for (const FleshElement& element : flesh_->elements)
    for (const FleshTwin& twin : element.twins) world_[twin.joint] = world[twin.bone] * twins_[twin.joint].affine();
  drive_wrinkles(table_, world_, points_, morph_weights);
}

}  // namespace supple
