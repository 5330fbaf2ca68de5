// Numbers as colours: maps for quantities and a palette for kinds.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "supple/render/colour.h"
#include "supple/rig/skin_weights.h"

namespace supple::render {

enum class ColourMap {
  sea,     // dark violet, blue, green, yellow: any quantity
  ember,   // near black, purple, orange, pale yellow: errors, where the worst should glow
  balance  // blue, light grey, red: signed quantities, grey in the middle
};

/// Linear RGB for t in [0, 1]; outside, the ends. NaN gives a mid grey that no map contains. Lightness (OKLab) grows in
/// equal steps along sea and ember, and falls equally on both sides of balance, so the order survives a grey print.
Vec3f colour_at(ColourMap map, float t);

/// Colours of values scaled from [low, high]; where low = high all get the colour of the low end.
std::vector<Vec3f> map_colours(std::span<const float> values, float low, float high, ColourMap map);

/// Colours that tell kinds apart: neighbours in number are far apart in hue, and lightness alternates.
Vec3f category_colour(std::size_t number);

/// Per vertex, the mean of its joints' category colours by weight. Unweighted vertices are grey.
std::vector<Vec3f> weight_colours(const SkinWeights& weights);
/// Per vertex, the weight of one joint (a place in SkinBinding::joints).
std::vector<float> weights_of(const SkinWeights& weights, std::uint32_t joint);

}  // namespace supple::render
