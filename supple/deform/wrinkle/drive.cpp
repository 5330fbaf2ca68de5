#include "supple/deform/wrinkle/drive.h"

#include <algorithm>
#include <cmath>

#include "supple/deform/part_binding.h"

namespace supple {
namespace {

/// Of its length that a strip may lose without a fold: more than the rounding of positions, so that the rest pose is
/// flat.
constexpr double slack = 1e-6;
constexpr int most_iterations = 40;

Vec3f offset_at(const MorphTarget& morph, std::uint32_t vertex) {
  if (morph.positions.empty()) return {};
  if (morph.vertices.empty()) return morph.positions[vertex];
  const auto at = std::lower_bound(morph.vertices.begin(), morph.vertices.end(), vertex);
  if (at == morph.vertices.end() || *at != vertex) return {};
  return morph.positions[static_cast<std::size_t>(at - morph.vertices.begin())];
}

void add_vertex(const Part& part, const SkinBinding& binding, std::span<const Influence> influences,
                std::uint32_t vertex, std::uint32_t own_weight, WrinkleTable& table) {
  table.vertices.push_back({part.mesh.positions[vertex],
                            {},
                            static_cast<std::uint32_t>(table.influences.size()),
                            static_cast<std::uint32_t>(table.offsets.size())});
  for (std::uint32_t m = 0; m < part.morphs.size(); ++m) {
    const Vec3f offset = offset_at(part.morphs[m], vertex);
    const std::uint32_t weight = part.first_morph_weight + m;
    if (weight == own_weight) {
      table.vertices.back().fold = offset;
    } else if (offset != Vec3f{}) {
      table.offsets.push_back({weight, offset});
    }
  }
  for (const Influence& i : influences) {
    if (binding.joints.empty()) {
      table.influences.push_back({no_joint, i.weight, {}});
    } else {
      table.influences.push_back({binding.joints[i.joint], i.weight, binding.inverse_bind[i.joint]});
    }
  }
}

FoldPoint point_of(const WrinkleTable& table, std::size_t v, std::span<const Affinef> world,
                   std::span<const float> morph_weights) {
  const WrinkleTable::Vertex &vertex = table.vertices[v], &next = table.vertices[v + 1];
  Vec3d position(vertex.position);
  for (std::size_t o = vertex.first_offset; o < next.first_offset; ++o)
    position += Vec3d(table.offsets[o].offset) * double{morph_weights[table.offsets[o].weight]};
  FoldPoint point{};
  for (std::size_t i = vertex.first_influence; i < next.first_influence; ++i) {
    const WrinkleTable::Influence& influence = table.influences[i];
    const Affined bind(influence.inverse_bind),
        joint = influence.joint == no_joint ? Affined{} : Affined(world[influence.joint]);
    point.base += joint.point(bind.point(position)) * double{influence.weight};
    point.fold += joint.vector(bind.vector(Vec3d(vertex.fold))) * double{influence.weight};
  }
  return point;
}

struct StripLength {
  double length = 0, slope = 0;  // metres; by the fold's weight
};

StripLength length_at(std::span<const FoldPoint> points, double weight) {
  StripLength sum;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Vec3d rise = points[i].fold - points[i - 1].fold;
    const Vec3d edge = points[i].base - points[i - 1].base + rise * weight;
    const double n = length(edge);
    sum.length += n;
    if (n > 0) sum.slope += dot(edge, rise) / n;
  }
  return sum;
}

/// Each edge grows with the weight as the length of an affine function does, so the sum is convex: there is one
/// crossing from below, and Newton's method comes down to it from above without ever passing it.
double weight_for(std::span<const FoldPoint> points, double wanted) {
  if (length_at(points, 0).length >= wanted) return 0;
  double weight = 1;
  for (int i = 0; i < most_iterations; ++i) {
    const StripLength at = length_at(points, weight);
    if (at.length <= wanted) break;
    const double next = std::max(weight - (at.length - wanted) / at.slope, 0.0);
    if (weight - next < 1e-12) break;
    weight = next;
  }
  return weight;
}

}  // namespace

Result<WrinkleTable> build_wrinkle_table(const Character& character, std::span<const Wrinkle> wrinkles) {
  WrinkleTable table;
  for (std::size_t k = 0; k < wrinkles.size(); ++k) {
    const Wrinkle& w = wrinkles[k];
    if (auto ok = validate(w, character); !ok)
      return Error{"wrinkle " + std::to_string(k) + " '" + w.name + "'", ok.error().problem, ok.error().remedy};
    const Part& part = character.parts[w.part];
    const SkinBinding binding = binding_of(character, part);
    const Influence whole{0, 1};
    table.strips.push_back({static_cast<std::uint32_t>(table.vertices.size()), w.weight, w.rest_length});
    for (const std::uint32_t v : w.strip)
      add_vertex(part, binding, part.skin ? part.weights.of(v) : std::span(&whole, 1), v, w.weight, table);
    table.longest = std::max(table.longest, w.strip.size());
  }
  table.strips.push_back({static_cast<std::uint32_t>(table.vertices.size()), 0, 0});
  table.vertices.push_back(
      {{}, {}, static_cast<std::uint32_t>(table.influences.size()), static_cast<std::uint32_t>(table.offsets.size())});
  return table;
}

void drive_wrinkles(const WrinkleTable& table, std::span<const Affinef> world, std::span<FoldPoint> scratch,
                    std::span<float> morph_weights) {
  for (std::size_t k = 0; k < table.size(); ++k) morph_weights[table.strips[k].weight] = 0;
  for (std::size_t k = 0; k < table.size(); ++k) {
    const WrinkleTable::Strip& strip = table.strips[k];
    const std::span points = scratch.first(table.strips[k + 1].first_vertex - strip.first_vertex);
    for (std::size_t i = 0; i < points.size(); ++i)
      points[i] = point_of(table, strip.first_vertex + i, world, morph_weights);
    morph_weights[strip.weight] = static_cast<float>(weight_for(points, double{strip.rest_length} * (1 - slack)));
  }
}

double strip_length(const WrinkleTable& table, std::size_t wrinkle, std::span<const Affinef> world,
                    std::span<const float> morph_weights) {
  const WrinkleTable::Strip& strip = table.strips[wrinkle];
  double sum = 0;
  Vec3d last{};
  for (std::size_t v = strip.first_vertex; v < table.strips[wrinkle + 1].first_vertex; ++v) {
    const FoldPoint p = point_of(table, v, world, morph_weights);
    const Vec3d at = p.base + p.fold * double{morph_weights[strip.weight]};
    if (v > strip.first_vertex) sum += length(at - last);
    last = at;
  }
  return sum;
}

}  // namespace supple
