#include "supple/deform/wrinkle/layer.h"

#include <algorithm>

namespace supple {

Result<WrinkleLayer> WrinkleLayer::make(const Character& character) {
  auto table = build_wrinkle_table(character, character.wrinkles);
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
  std::copy(world.begin(), world.end(), world_.begin());
  if (motions.size() == flesh_->elements.size()) {
    move_twins(*flesh_, world, motions, twins_);
  } else {
    rest_twins(*flesh_, twins_);
  }
  for (const FleshElement& element : flesh_->elements)
    for (const FleshTwin& twin : element.twins) world_[twin.joint] = world[twin.bone] * twins_[twin.joint].affine();
  drive_wrinkles(table_, world_, points_, morph_weights);
}

}  // namespace supple
