#include <array>
#include <string>
#include <string_view>

#include "supple/geometry/bvh.h"
#include "supple/phantom/phantom.h"

namespace supple::phantom {
namespace {

constexpr std::array<std::string_view, 4> fingers = {"index-finger", "middle-finger", "ring-finger", "pinky-finger"};

// Whose skin beyond the middle joint a vertex belongs to; fingers.size(): nobody's.
std::vector<std::size_t> finger_of_vertices(const Character& character) {
  const Part& skin = character.parts[0];
  std::vector<std::size_t> result(skin.mesh.positions.size(), fingers.size());
  if (!skin.skin) return result;
  const std::vector<JointIndex>& joints = character.skins[*skin.skin].joints;
  for (std::size_t v = 0; v < result.size(); ++v) {
    const std::string& name = character.skeleton.name(joints[skin.weights.of(v).front().joint]);
    for (std::size_t f = 0; f < fingers.size(); ++f) {
      const bool beyond = name.ends_with("-phalanx-intermediate") || name.ends_with("-phalanx-distal");
      if (beyond && name.starts_with(fingers[f])) result[v] = f;
    }
  }
  return result;
}

}  // namespace

std::optional<FingerContact> nearest_fingers(const Subject& subject, const PosedTruth& pose) {
  const std::vector<std::size_t> finger = finger_of_vertices(subject.character);
  std::array<std::vector<Triangle>, fingers.size()> triangles;
  for (const Triangle& t : subject.character.parts[0].mesh.triangles) {
    const std::size_t f = finger[t[0]];
    if (f < fingers.size() && finger[t[1]] == f && finger[t[2]] == f) triangles[f].push_back(t);
  }
  std::optional<FingerContact> nearest;
  float least = std::numeric_limits<float>::infinity();
  for (std::size_t f = 0; f + 1 < fingers.size(); ++f) {
    const Bvh next(pose.skin, triangles[f + 1]);
    if (next.empty()) continue;
    for (std::size_t v = 0; v < pose.skin.size(); ++v) {
      if (finger[v] != f) continue;
      const ClosestPoint closest = next.closest(pose.skin[v], least);
      if (!(closest.distance < least)) continue;
      least = closest.distance;
      nearest = FingerContact{Vec3d(pose.skin[v]), Vec3d(closest.point)};
    }
  }
  return nearest;
}

}  // namespace supple::phantom
