// Rings of equal size, closed by concentric rings and a centre at both ends.
#include "supple/make/limb.h"

#include <cmath>
#include <numbers>
#include <string>

#include "supple/rig/bind.h"

namespace supple::make {
namespace {

using std::numbers::pi;

// Vertices: `rings` of `around` along the side, `cap_rings` smaller ones and a centre at each end.
struct Layout {
  std::size_t around = 0, rings = 0, cap_rings = 0;
  std::size_t vertices() const { return around * (rings + 2 * cap_rings) + 2; }
};

// Squares of one size fix the layout; near it, the number of vertices around that meets the wanted total best.
Layout layout(const LimbOptions& options) {
  const double area = 2 * pi * options.radius * (options.length + options.radius);
  const double edge = std::sqrt(area / static_cast<double>(options.vertices));
  const double ideal = std::max(2 * pi * options.radius / edge, 6.0);
  Layout best;
  double least = 1e18;
  for (auto around = static_cast<std::size_t>(std::max(0.85 * ideal, 6.0));
       static_cast<double>(around) <= 1.15 * ideal + 1; ++around) {
    Layout candidate{around, 2, 0};
    candidate.cap_rings =
        static_cast<std::size_t>(std::max(std::lround(static_cast<double>(around) / (2 * pi)) - 1, 0l));
    const double left = (static_cast<double>(options.vertices) - 2) / static_cast<double>(around) -
                        2 * static_cast<double>(candidate.cap_rings);
    candidate.rings = static_cast<std::size_t>(std::max(std::lround(left), 2l));
    const double miss = std::abs(static_cast<double>(candidate.vertices()) - static_cast<double>(options.vertices));
    const double cost =
        miss / static_cast<double>(options.vertices) + 0.02 * std::abs(static_cast<double>(around) / ideal - 1);
    if (cost < least) {
      least = cost;
      best = candidate;
    }
  }
  return best;
}

Mesh capped_cylinder(const LimbOptions& options, const Layout& l) {
  Mesh mesh;
  const auto add_ring = [&](double radius, double y) {
    for (std::size_t i = 0; i < l.around; ++i) {
      const double angle = 2 * pi * static_cast<double>(i) / static_cast<double>(l.around);
      mesh.positions.emplace_back(Vec3d{radius * std::sin(angle), y, radius * std::cos(angle)});
    }
  };
  const auto cap_radius = [&](std::size_t k) {
    return options.radius * static_cast<double>(k + 1) / static_cast<double>(l.cap_rings + 1);
  };
  mesh.positions.push_back({0, 0, 0});
  for (std::size_t k = 0; k < l.cap_rings; ++k) add_ring(cap_radius(k), 0);
  for (std::size_t k = 0; k < l.rings; ++k) {
    add_ring(options.radius, options.length * static_cast<double>(k) / static_cast<double>(l.rings - 1));
  }
  for (std::size_t k = l.cap_rings; k-- > 0;) add_ring(cap_radius(k), options.length);
  mesh.positions.emplace_back(Vec3d{0, options.length, 0});

  const std::size_t ring_count = l.rings + 2 * l.cap_rings;
  const auto vertex = [&](std::size_t ring, std::size_t i) {
    return static_cast<std::uint32_t>(1 + ring * l.around + i % l.around);
  };
  const auto last = static_cast<std::uint32_t>(mesh.positions.size() - 1);
  for (std::size_t i = 0; i < l.around; ++i) {
    mesh.triangles.push_back({0, vertex(0, i + 1), vertex(0, i)});
    for (std::size_t ring = 0; ring + 1 < ring_count; ++ring) {
      mesh.triangles.push_back({vertex(ring, i), vertex(ring, i + 1), vertex(ring + 1, i + 1)});
      mesh.triangles.push_back({vertex(ring, i), vertex(ring + 1, i + 1), vertex(ring + 1, i)});
    }
    mesh.triangles.push_back({last, vertex(ring_count - 1, i), vertex(ring_count - 1, i + 1)});
  }
  mesh.normals.resize(mesh.positions.size());
  compute_normals(mesh.positions, mesh.triangles, mesh.normals);
  return mesh;
}

Result<Skeleton> chain(const LimbOptions& options) {
  std::vector<RawJoint> joints;
  const auto bone = static_cast<float>(options.length / static_cast<double>(options.joints));
  const auto limit = static_cast<float>(2 * pi / 3);
  for (std::size_t i = 0; i < options.joints; ++i) {
    RawJoint joint;
    joint.name = "limb-" + std::to_string(i);
    if (i > 0) {
      joint.parent = i - 1;
      joint.rest.translation = {0, bone, 0};
    }
    joint.dofs = {{"abduction", {0, 0, 1}, -limit, limit},
                  {"flexion", {1, 0, 0}, -limit, limit},
                  {"twist", {0, 1, 0}, -static_cast<float>(pi), static_cast<float>(pi)}};
    joints.push_back(std::move(joint));
  }
  Result<BuiltSkeleton> built = build_skeleton(joints);
  if (!built) return built.error();
  return std::move(built->skeleton);
}

// Every joint but the first shares the curl; the last one twists afterwards.
Clip bend_clip(const Skeleton& skeleton) {
  constexpr double seconds = 4, keys_per_second = 30, curl = 2 * pi / 3, twist = pi / 2;
  Clip clip{"bend", {}};
  Pose pose = rest_pose(skeleton);
  const std::size_t bending = skeleton.size() > 1 ? skeleton.size() - 1 : 1;
  for (JointIndex j = skeleton.size() > 1 ? 1 : 0; j < skeleton.size(); ++j) {
    Track track;
    track.target = j;
    for (int key = 0; key <= static_cast<int>(seconds * keys_per_second); ++key) {
      const double t = key / keys_per_second;
      const double bent = t < seconds / 2 ? 0.5 - 0.5 * std::cos(2 * pi * t / (seconds / 2)) : 0;
      const double twisted = t > seconds / 2 ? 0.5 - 0.5 * std::cos(2 * pi * t / (seconds / 2)) : 0;
      const float angles[3] = {0, static_cast<float>(curl * bent / static_cast<double>(bending)),
                               j + 1 == skeleton.size() ? static_cast<float>(twist * twisted) : 0.0f};
      set_angles(pose, skeleton, j, angles, true);
      const Quatf q = pose.local[j].rotation;
      track.times.push_back(static_cast<float>(t));
      track.values.insert(track.values.end(), {q.x, q.y, q.z, q.w});
    }
    clip.tracks.push_back(std::move(track));
  }
  return clip;
}

Result<void> check(const LimbOptions& options) {
  if (!(options.length > 0 && options.length <= 1000))
    return Error{"length", "is out of range", "choose up to 1000 metres"};
  if (!(options.radius > 0 && options.radius <= 1000))
    return Error{"radius", "is out of range", "choose up to 1000 metres"};
  if (options.joints < 1 || options.joints > 100) {
    return Error{"joints", std::to_string(options.joints) + " is out of range", "choose 1 to 100"};
  }
  if (options.vertices < 50 || options.vertices > 1000000) {
    return Error{"vertices", std::to_string(options.vertices) + " is out of range", "choose 50 to 1000000"};
  }
  return {};
}

}  // namespace

Result<Character> make_limb(const LimbOptions& options, const Progress& progress) {
  if (Result<void> checked = check(options); !checked) return checked.error();
  Result<Skeleton> skeleton = chain(options);
  if (!skeleton) return skeleton.error();
  Character limb;
  limb.name = "limb";
  limb.skeleton = std::move(*skeleton);
  limb.skins.push_back(bind_at_rest("limb", limb.skeleton));

  Part part;
  part.name = "skin";
  part.mesh = capped_cylinder(options, layout(options));
  std::vector<Bone> bones = bones_of(limb.skeleton, limb.skins[0].joints);
  bones.back().tail = {0, static_cast<float>(options.length), 0};
  Result<SkinWeights> weights = bind_skin(part.mesh, bones, {}, progress);
  if (!weights) return weights.error();
  part.weights = std::move(*weights);
  part.skin = 0;
  part.material = 0;
  limb.materials.push_back({"skin", {0.75f, 0.45f, 0.35f, 1}, 0, 0.6f, false});
  limb.parts.push_back(std::move(part));
  limb.clips.push_back(bend_clip(limb.skeleton));
  if (Result<void> valid = validate(limb); !valid) return valid.error();
  return limb;
}

}  // namespace supple::make
