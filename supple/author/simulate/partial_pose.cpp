#include "supple/author/simulate/partial_pose.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace supple::simulate {
namespace {

/// #N: edges between each node and the nearest corner of some elements of the model; far nodes are as far as is asked.
std::vector<int> edges_away(const Tissue& tissue, std::span<const std::uint32_t> inverted) {
  constexpr auto farthest = static_cast<int>(simulated_edges);
  static_assert(farthest == simulated_edges, "an element is wholly within that distance, or wholly beyond");
  std::vector<int> away(tissue.mesh.nodes.size(), farthest);
  for (const std::uint32_t e : inverted)
    for (const std::uint32_t v : tissue.model.mesh().element(e).first(4)) away[v] = 0;
  for (int edges = 0; edges + 1 < farthest; ++edges)
    for (std::size_t e = 0; e < tissue.mesh.element_count(); ++e) {
      const auto corners = tissue.mesh.element(e).first(4);
      if (std::ranges::none_of(corners, [&](std::uint32_t v) { return away[v] == edges; })) continue;
      for (const std::uint32_t v : corners) away[v] = std::min(away[v], edges + 1);
    }
  return away;
}

/// Skin outside of the elements is as far away as the nearest point of its element.
double edges_away(const Tissue& tissue, std::size_t vertex, std::span<const int> away) {
  const auto corners = tissue.mesh.element(tissue.skin.elements[vertex]).first(4);
  double sum = 0, whole = 0;
  for (std::size_t c = 0; c < 4; ++c) {
    const double share = std::max(0.0, tissue.skin.coordinates[vertex][c]);
    sum += share * away[corners[c]];
    whole += share;
  }
  return sum / whole;
}

double blended_share(const Mesh& skin, std::span<const float> keep) {
  double blended = 0, whole = 0;
  for (const Triangle& t : skin.triangles) {
    const Vec3f* p = skin.positions.data();
    const double area = length(cross(Vec3d(p[t[1]]) - Vec3d(p[t[0]]), Vec3d(p[t[2]]) - Vec3d(p[t[0]])));
    whole += area;
    for (const std::uint32_t v : t) blended += keep[v] < 1 ? area / 3 : 0;
  }
  return whole > 0 ? blended / whole : 0;
}

std::vector<JointIndex> joints_near(const Body& body, const TissueModel& model,
                                    std::span<const std::uint32_t> elements) {
  const std::vector<Affinef> world = to_world(body.skeleton, rest_pose(body.skeleton));
  std::map<JointIndex, std::size_t> count;
  for (const std::uint32_t e : elements) {
    Vec3d centre{};
    for (std::size_t c = 0; c < 4; ++c) centre += model.mesh().corner(e, c) * 0.25;
    JointIndex nearest = no_joint;
    double least = std::numeric_limits<double>::infinity();
    for (const Bone& bone : body.bones)
      if (const double d = length(Vec3d(world[bone.joint].translation) - centre); d < least)
        least = d, nearest = bone.joint;
    if (nearest != no_joint) ++count[nearest];
  }
  std::vector<JointIndex> joints;
  for (const auto& [joint, elements_near] : count) joints.push_back(joint);
  std::ranges::stable_sort(joints, [&](JointIndex a, JointIndex b) { return count[a] > count[b]; });
  return joints;
}

}  // namespace

SoundRegion sound_region(const Body& body, const Tissue& tissue, std::span<const Vec3d> nodes) {
  SoundRegion region;
  region.keep.assign(body.skin.positions.size(), 1);
  const std::vector<std::uint32_t> inverted = tissue.model.inverted(nodes);
  if (inverted.empty()) return region;
  const std::vector<int> away = edges_away(tissue, inverted);
  for (std::size_t v = 0; v < region.keep.size(); ++v) {
    const double t =
        std::clamp((edges_away(tissue, v, away) - blended_edges) / (simulated_edges - blended_edges), 0.0, 1.0);
    region.keep[v] = static_cast<float>(t * t * (3 - 2 * t));
  }
  region.blended = blended_share(body.skin, region.keep);
  region.joints = joints_near(body, tissue.model, inverted);
  return region;
}

}  // namespace supple::simulate
