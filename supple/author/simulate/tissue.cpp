#include "supple/author/simulate/tissue.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

#include "supple/author/simulate/narrow_gaps.h"
#include "supple/base/parallel.h"
#include "supple/geometry/bvh.h"
#include "supple/geometry/stuffing.h"

namespace supple::simulate {
namespace {

constexpr double guess_power = 4;         // weight ~ distance to the bone ^ -4
constexpr double guess_softening = 1e-3;  // metres added to the distance
constexpr double guess_threshold = 1e-3;  // smaller weights are dropped
constexpr std::size_t nodes_to_hold = 4;  // a bone with fewer nodes can turn without its flesh
constexpr std::size_t nodes_at_once = 256;

std::string short_millimetres(double metres) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g mm", metres * 1000);
  return text;
}

/// Signed distance of every node to every bone: #N * #bones, metres, negative inside.
std::vector<float> bone_distances(std::span<const Vec3d> nodes, std::span<const Bone> bones) {
  std::vector<Bvh> trees;
  for (const Bone& bone : bones) trees.emplace_back(bone.surface.positions, bone.surface.triangles);
  std::vector<float> distances(nodes.size() * bones.size(), std::numeric_limits<float>::max());
  parallel_for(nodes.size(), nodes_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      for (std::size_t b = 0; b < bones.size(); ++b)
        if (!bones[b].surface.triangles.empty())
          distances[v * bones.size() + b] = trees[b].signed_distance(Vec3f(nodes[v]));
  });
  return distances;
}

/// Flesh below skin that a bone holds follows that bone too, where all other skin is farther away by a margin.
void hold_below_skin(const Body& body, std::span<const Vec3d> nodes, double element_size,
                     std::span<std::uint32_t> bone_of, std::span<std::size_t> count) {
  if (body.held_by.empty()) return;
  for (std::uint32_t b = 0; b < body.bones.size(); ++b) {
    std::vector<Triangle> own, other;
    for (const Triangle& t : body.skin.triangles) {
      const bool held = std::all_of(t.begin(), t.end(), [&](std::uint32_t v) { return body.held_by[v] == b; });
      (held ? own : other).push_back(t);
    }
    if (own.empty() || other.empty()) continue;
    const Bvh own_skin(body.skin.positions, own), other_skin(body.skin.positions, other);
    for (std::size_t v = 0; v < nodes.size(); ++v) {
      if (bone_of[v] != no_bone) continue;
      const Vec3f node(nodes[v]);
      const float within = own_skin.closest(node).distance + static_cast<float>(body.held_margin * element_size);
      if (other_skin.closest(node, within).distance < within) continue;
      bone_of[v] = b;
      ++count[b];
    }
  }
}

std::string listed(const std::string& names, const std::string& name) {
  return names + (names.empty() ? "'" : ", '") + name + "'";
}

/// Nodes inside a bone follow it; nodes on a cut follow the cut's bone; a bone that caught too few takes its nearest
/// within an element: what is farther away is flesh of something else.
std::vector<std::uint32_t> hold_nodes(const Body& body, std::span<const Vec3d> nodes, std::span<const float> distances,
                                      double element_size, double unit, Warnings* warnings) {
  const std::size_t bones = body.bones.size();
  std::vector<std::uint32_t> bone_of(nodes.size(), no_bone);
  std::vector<std::size_t> count(bones, 0);
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    const float* d = &distances[v * bones];
    const auto nearest = static_cast<std::uint32_t>(std::min_element(d, d + bones) - d);
    if (d[nearest] < 0) bone_of[v] = nearest, ++count[nearest];
  }
  for (const CutEnd& cut : body.cuts) {
    const Bvh cap(cut.cap.positions, cut.cap.triangles);
    const auto depth = static_cast<float>(element_size / 4);
    for (std::size_t v = 0; v < nodes.size(); ++v) {
      if (bone_of[v] == no_bone && cap.closest(Vec3f(nodes[v]), depth).distance < depth)
        bone_of[v] = cut.bone, ++count[cut.bone];
    }
  }
  hold_below_skin(body, nodes, element_size, bone_of, count);
  std::size_t thin = 0, without = 0;
  std::string thin_names, names_without;
  for (std::uint32_t b = 0; b < bones; ++b) {
    if (count[b] >= nodes_to_hold) continue;
    std::vector<std::uint32_t> nearest(nodes.size());
    std::iota(nearest.begin(), nearest.end(), 0u);
    std::erase_if(nearest, [&](std::uint32_t v) {
      return bone_of[v] != no_bone || double{distances[v * bones + b]} > element_size;
    });
    const std::size_t wanted = std::min(nodes_to_hold - count[b], nearest.size());
    std::partial_sort(nearest.begin(), nearest.begin() + static_cast<std::ptrdiff_t>(wanted), nearest.end(),
                      [&](std::uint32_t v, std::uint32_t w) {
                        const float dv = distances[v * bones + b], dw = distances[w * bones + b];
                        return dv != dw ? dv < dw : v < w;
                      });
    for (std::size_t i = 0; i < wanted; ++i) bone_of[nearest[i]] = b;
    const std::string& name = body.skeleton.name(body.bones[b].joint);
    if (count[b] + wanted > 0)
      ++thin, thin_names = listed(thin_names, name);
    else
      ++without, names_without = listed(names_without, name);
  }
  if (warnings != nullptr && without > 0)
    warnings->push_back(std::to_string(without) + (without == 1 ? " bone has" : " bones have") +
                        " no element of flesh about " + (without == 1 ? "it" : "them") + " (" + names_without +
                        "): skin there stays with linear blend; use an element size below " +
                        short_millimetres(element_size * unit));
  if (warnings != nullptr && thin > 0)
    warnings->push_back(std::to_string(thin) + (thin == 1 ? " bone is" : " bones are") +
                        " thinner than the elements (" + thin_names + "): the nearest nodes follow " +
                        (thin == 1 ? "it" : "them") + " instead of those inside; use an element size below " +
                        short_millimetres(element_size * unit));
  return bone_of;
}

SkinWeights guess_weights(std::size_t nodes, std::size_t bones, std::span<const float> distances) {
  SkinWeights guess;
  std::vector<Influence> row;
  for (std::size_t v = 0; v < nodes; ++v) {
    std::vector<double> w(bones);
    for (std::size_t b = 0; b < bones; ++b)
      w[b] = std::pow(std::max(0.0, static_cast<double>(distances[v * bones + b])) + guess_softening, -guess_power);
    const double largest = *std::max_element(w.begin(), w.end());
    row.clear();
    for (std::uint32_t b = 0; b < bones; ++b)
      if (w[b] > guess_threshold * largest) row.push_back({b, static_cast<float>(w[b] / largest)});
    guess.push_vertex(row);
  }
  clean(guess, bones, 0, 1e30f);
  return guess;
}

}  // namespace

Result<Tissue> make_tissue(const Body& body, const TissueOptions& options, Warnings* warnings,
                           const Progress& progress) {
  if (!(options.element_size > 0) || !std::isfinite(options.element_size))
    return Error{"element size", "must be positive", "a hundredth of the body's height is a good start"};
  const Bvh skin(body.closed_skin.positions, body.closed_skin.triangles);
  const std::vector<float> depth = depth_that_opens_gaps(body.closed_skin, options.element_size);
  const bool has_gaps = std::any_of(depth.begin(), depth.end(), [](float d) { return d > 0; });
  const Field field = [&](Vec3d p) {
    const Vec3f query(p);
    const float distance = skin.signed_distance(query);
    if (!has_gaps) return double{distance};
    const ClosestPoint nearest = skin.closest(query);
    const Triangle& t = body.closed_skin.triangles[nearest.triangle];
    const Vec3f at = nearest.barycentric;
    return double{distance} + double{depth[t[0]] * at.x + depth[t[1]] * at.y + depth[t[2]] * at.z};
  };
  StuffingOptions stuffing;
  if (has_gaps) stuffing.lipschitz = 1.5;  // the depth may jump by half an element, where the nearest skin changes
  stuffing.box = bounds(body.closed_skin.positions);
  stuffing.element_size = options.element_size;
  stuffing.volume = enclosed_volume(body.closed_skin.positions, body.closed_skin.triangles);
  stuffing.max_elements = options.max_elements;
  auto mesh = stuff(field, stuffing, progress);
  if (!mesh) return mesh.error();
  std::size_t dropped = 0;
  TetMesh whole = largest_component(*mesh, &dropped);
  if (dropped > 0 && warnings != nullptr)
    warnings->push_back(std::to_string(dropped) + " of " + std::to_string(mesh->element_count()) +
                        " elements hang on by less than a face and were left out: the skin is thinner there than " +
                        short_millimetres(options.element_size * options.unit));
  auto tissue = make_tissue(body, options.quadratic ? to_quadratic(whole) : std::move(whole), {}, options, warnings);
  if (tissue) tissue->dropped_elements = dropped;
  return tissue;
}

Result<Tissue> make_tissue(const Body& body, TetMesh mesh, std::span<const std::uint32_t> regions,
                           const TissueOptions& options, Warnings* warnings) {
  if (auto valid = validate(mesh); !valid) return valid.error();
  const std::vector<float> distances = bone_distances(mesh.nodes, body.bones);
  std::vector<std::uint32_t> bone_of =
      hold_nodes(body, mesh.nodes, distances, options.element_size, options.unit, warnings);
  std::vector<std::size_t> nodes_of_bone(body.bones.size(), 0);
  for (const std::uint32_t b : bone_of)
    if (b != no_bone) ++nodes_of_bone[b];
  auto model = TissueModel::make(mesh, std::move(bone_of), options.materials, regions);
  if (!model) return model.error();
  Embedding skin = embed(body.skin.positions, mesh);
  const EmbeddingError error = embedding_error(skin);
  std::vector<float> in_flesh;
  for (const float outside : skin.outside)
    in_flesh.push_back(static_cast<float>(std::clamp(4 - 4 * double{outside} / options.element_size, 0.0, 1.0)));
  SkinWeights guess = guess_weights(mesh.nodes.size(), body.bones.size(), distances);
  const TetQuality shape = quality(mesh);
  return Tissue{std::move(*model),
                std::move(mesh),
                std::move(guess),
                std::move(skin),
                std::move(in_flesh),
                error,
                shape,
                std::move(nodes_of_bone),
                0};
}

bool reaches_beyond_flesh(const Tissue& tissue) {
  return std::any_of(tissue.in_flesh.begin(), tissue.in_flesh.end(), [](float in) { return in < 1; });
}

void skin_positions(const Tissue& tissue, std::span<const Vec3d> nodes, std::span<const Vec3f> linear,
                    std::span<Vec3f> out, std::span<const float> keep) {
  apply(tissue.skin, tissue.mesh, nodes, out);
  if (linear.empty()) return;
  for (std::size_t v = 0; v < out.size(); ++v)
    if (const float in = tissue.in_flesh[v] * (keep.empty() ? 1 : keep[v]); in < 1)
      out[v] = linear[v] + (out[v] - linear[v]) * in;
}

}  // namespace supple::simulate
