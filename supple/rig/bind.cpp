#include "supple/rig/bind.h"

#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"
#include "supple/geometry/bvh.h"
#include "supple/geometry/topology.h"
#include "supple/rig/pose.h"

namespace supple {
namespace {

constexpr std::uint32_t no_bone = 0xffffffffu;
constexpr std::size_t points_a_chunk = 256;

double segment_distance(Vec3d p, Vec3d a, Vec3d b) {
  const Vec3d ab = b - a;
  const double squared = dot(ab, ab);
  const double t = squared > 0 ? std::clamp(dot(p - a, ab) / squared, 0.0, 1.0) : 0.0;
  return length(p - a - ab * t);
}

bool is_ancestor(std::span<const Bone> bones, std::uint32_t above, std::uint32_t b) {
  while (b != no_bone && b != above) b = bones[b].parent;
  return b == above;
}

/// near[i * #bones + k]: whether skin nearest to bone i may follow bone k.
std::vector<char> kinematic_neighbourhood(std::span<const Bone> bones) {
  const auto n = static_cast<std::uint32_t>(bones.size());
  std::vector<char> near(std::size_t{n} * n);
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t k = 0; k < n; ++k) {
      const bool siblings = bones[i].parent != no_bone && bones[i].parent == bones[k].parent;
      near[std::size_t{i} * n + k] = siblings || is_ancestor(bones, i, k) || is_ancestor(bones, k, i);
    }
  }
  return near;
}

Result<void> check(const Mesh& skin, std::span<const Bone> bones) {
  if (auto ok = validate(skin); !ok) return ok;
  if (skin.positions.empty()) return Error{"skin", "has no vertices", ""};
  if (bones.empty()) return Error{"bones", "there are none to bind to", "give the rig at least one joint"};
  for (std::size_t b = 0; b < bones.size(); ++b) {
    if (bones[b].parent != no_bone && bones[b].parent >= b) {
      return Error{"bone " + std::to_string(b), "comes before its parent", "list parents first"};
    }
  }
  return {};
}

/// Distances of one point to every bone, never below `floor`: skin that touches a bone follows it and stays finite.
class BoneDistances {
 public:
  BoneDistances(std::span<const Bone> bones, double floor) : bones_(bones), floor_(floor) {
    by_surface_ = std::all_of(bones.begin(), bones.end(), [](const Bone& b) { return !b.surface.triangles.empty(); });
    if (!by_surface_) return;
    for (const Bone& b : bones) surfaces_.emplace_back(b.surface.positions, b.surface.triangles);
  }
  bool by_surface() const { return by_surface_; }
  double axis(Vec3f p, std::size_t b) const {
    return segment_distance(Vec3d(p), Vec3d(bones_[b].head), Vec3d(bones_[b].tail));
  }
  double operator()(Vec3f p, std::size_t b) const {
    const double d = by_surface_ ? surfaces_[b].closest(p).distance : axis(p, b);
    return std::max(d, floor_);
  }

 private:
  std::span<const Bone> bones_;
  double floor_;
  bool by_surface_ = false;
  std::vector<Bvh> surfaces_;
};

/// (nearest / d)^p over the allowed bones: #points by #bones, largest entry of a row about 1.
std::vector<double> distance_weights(std::span<const Vec3f> points, std::span<const Bone> bones,
                                     const BindOptions& options) {
  const std::size_t n = bones.size();
  const BoneDistances distance(bones, std::max(1.5e-3 * bounds(points).diagonal(), 1e-9));
  const double power = distance.by_surface() ? options.surface_power : options.segment_power;
  const std::vector<char> near = kinematic_neighbourhood(bones);
  std::vector<double> weights(points.size() * n);
  parallel_for(points.size(), points_a_chunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      // Which chain a vertex belongs to is decided by axes: the surfaces of neighbouring bones nearly touch.
      std::size_t nearest = 0;
      for (std::size_t b = 1; b < n; ++b) {
        if (distance.axis(points[v], b) < distance.axis(points[v], nearest)) nearest = b;
      }
      double* row = &weights[v * n];
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t b = 0; b < n; ++b) {
        if (near[nearest * n + b]) least = std::min(least, row[b] = distance(points[v], b));
      }
      for (std::size_t b = 0; b < n; ++b) row[b] = near[nearest * n + b] ? std::pow(least / row[b], power) : 0.0;
    }
  });
  return weights;
}

/// One umbrella step with lambda = 1/2: halfway to the mean of the neighbours.
void smooth(std::vector<double>& weights, std::vector<double>& next, std::size_t n, const Adjacency& neighbours) {
  parallel_for(neighbours.first.size() - 1, points_a_chunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const std::span<const std::uint32_t> around = neighbours.of(v);
      for (std::size_t b = 0; b < n; ++b) {
        double sum = 0;
        for (const std::uint32_t u : around) sum += weights[u * n + b];
        const double own = weights[v * n + b];
        next[v * n + b] = around.empty() ? own : 0.5 * own + 0.5 * sum / static_cast<double>(around.size());
      }
    }
  });
  std::swap(weights, next);
}

SkinWeights to_sparse(std::span<const double> dense, std::size_t n, const Weld& points) {
  SkinWeights result;
  std::vector<Influence> row;
  for (const std::uint32_t point : points.to_point) {
    row.clear();
    for (std::size_t b = 0; b < n; ++b) {
      const double w = dense[point * n + b];
      if (w > 0) row.push_back({static_cast<std::uint32_t>(b), static_cast<float>(w)});
    }
    result.push_vertex(row);
  }
  return result;
}

/// The triangles of a rigidly bound part that follow one joint.
Mesh surface_of(JointIndex joint, const Part& part, const SkinBinding& skin) {
  Mesh surface;
  std::vector<std::uint32_t> number(part.mesh.positions.size(), no_bone);
  for (const Triangle& t : part.mesh.triangles) {
    if (skin.joints[part.weights.of(t[0])[0].joint] != joint) continue;
    Triangle renumbered;
    for (std::size_t corner = 0; corner < 3; ++corner) {
      std::uint32_t& n = number[t[corner]];
      if (n == no_bone) {
        n = static_cast<std::uint32_t>(surface.positions.size());
        surface.positions.push_back(part.mesh.positions[t[corner]]);
      }
      renumbered[corner] = n;
    }
    surface.triangles.push_back(renumbered);
  }
  return surface;
}

std::vector<Bone> bones_between(const Skeleton& skeleton, std::span<const JointIndex> joints,
                                std::span<const Affinef> world) {
  std::vector<JointIndex> sorted(joints.begin(), joints.end());
  std::sort(sorted.begin(), sorted.end());  // parents first
  std::vector<std::uint32_t> bone_of(skeleton.size(), no_bone);
  std::vector<Bone> bones;
  for (const JointIndex j : sorted) {
    Bone bone{j, no_bone, world[j].translation, {}, {}};
    for (JointIndex up = skeleton.parent(j); up != no_joint && bone.parent == no_bone; up = skeleton.parent(up)) {
      bone.parent = bone_of[up];
    }
    const std::vector<JointIndex> children = skeleton.children(j);
    Vec3f sum{};
    for (const JointIndex c : children) sum += world[c].translation;
    if (!children.empty()) {
      bone.tail = sum / static_cast<float>(children.size());
    } else {
      const Vec3f from = bone.parent != no_bone ? bones[bone.parent].head : bone.head;
      bone.tail = bone.head + (bone.head - from) * 0.5f;
    }
    bone_of[j] = static_cast<std::uint32_t>(bones.size());
    bones.push_back(std::move(bone));
  }
  return bones;
}

}  // namespace

std::vector<Bone> bones_of(const Skeleton& skeleton, std::span<const JointIndex> joints) {
  return bones_between(skeleton, joints, to_world(skeleton, rest_pose(skeleton)));
}

std::vector<Bone> bones_of(const Skeleton& skeleton, const SkinBinding& skin) {
  std::vector<Affinef> bind_pose(skeleton.size());
  to_world(skeleton, skeleton.rest(), bind_pose);
  std::vector<bool> known(skeleton.size());
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    bind_pose[skin.joints[k]] = inverse(skin.inverse_bind[k]);
    known[skin.joints[k]] = true;
  }
  // Joints outside the skin, such as finger tips, keep their place relative to their parent.
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    const JointIndex up = skeleton.parent(j);
    if (!known[j] && up != no_joint) bind_pose[j] = bind_pose[up] * skeleton.rest(j).affine();
  }
  return bones_between(skeleton, skin.joints, bind_pose);
}

SkinBinding bind_at_rest(std::string name, const Skeleton& skeleton) {
  SkinBinding binding{std::move(name), {}, {}};
  for (const Affinef& world : to_world(skeleton, rest_pose(skeleton))) {
    binding.joints.push_back(static_cast<JointIndex>(binding.joints.size()));
    binding.inverse_bind.emplace_back(inverse(Affined(world)));
  }
  return binding;
}

void append_rigid(Part& part, const Mesh& surface, std::uint32_t joint) {
  const auto first = static_cast<std::uint32_t>(part.mesh.positions.size());
  part.mesh.positions.insert(part.mesh.positions.end(), surface.positions.begin(), surface.positions.end());
  part.mesh.normals.insert(part.mesh.normals.end(), surface.normals.begin(), surface.normals.end());
  for (const Triangle& t : surface.triangles) part.mesh.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  const Influence whole{joint, 1};
  for (std::size_t v = 0; v < surface.positions.size(); ++v) part.weights.push_vertex({&whole, 1});
}

std::vector<Bone> with_surfaces(std::span<const Bone> bones, const Part& part, const SkinBinding& skin) {
  std::vector<Bone> kept;
  std::vector<std::uint32_t> place(bones.size(), no_bone);  // of each bone, or of its nearest ancestor that is kept
  for (std::size_t b = 0; b < bones.size(); ++b) {
    Bone bone = bones[b];
    bone.parent = bone.parent == no_bone ? no_bone : place[bone.parent];
    bone.surface = surface_of(bone.joint, part, skin);
    place[b] = bone.surface.triangles.empty() ? bone.parent : static_cast<std::uint32_t>(kept.size());
    if (!bone.surface.triangles.empty()) kept.push_back(std::move(bone));
  }
  return kept;
}

Result<SkinWeights> bind_skin(const Mesh& skin, std::span<const Bone> bones, const BindOptions& options,
                              const Progress& progress) {
  if (auto ok = check(skin, bones); !ok) return ok.error();
  for (const double power : {options.surface_power, options.segment_power}) {
    if (!(power > 0 && std::isfinite(power))) return Error{"power", "must be positive and finite", "3 to 8 are usual"};
  }
  const Error stopped{"bind", "was stopped", ""};
  const Weld points = weld(skin.positions);
  std::vector<Vec3f> positions;
  for (const std::uint32_t v : points.to_vertex) positions.push_back(skin.positions[v]);
  if (!report(progress, "distances to bones", 0)) return stopped;
  std::vector<double> weights = distance_weights(positions, bones, options), next(weights.size());
  const Adjacency neighbours = vertex_neighbours(points.points(), welded_triangles(skin.triangles, points));
  for (int i = 0; i < options.smoothing; ++i) {
    if (!report(progress, "smoothing weights", static_cast<double>(i) / options.smoothing)) return stopped;
    smooth(weights, next, bones.size(), neighbours);
  }
  SkinWeights sparse = to_sparse(weights, bones.size(), points);
  clean(sparse, bones.size());
  sparse = top_influences(sparse, options.max_influences);
  clean(sparse, bones.size());
  report(progress, "smoothing weights", 1);
  return sparse;
}

}  // namespace supple
