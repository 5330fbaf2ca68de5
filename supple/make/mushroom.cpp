// A profile turned about the axis: rings of equal size along it, and the distance to it.
#include "supple/make/mushroom.h"

#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "supple/make/record_clip.h"
#include "supple/rig/bind.h"

namespace supple::make {
namespace {

using std::numbers::pi;
constexpr double height = 0.3;

// A point of the half plane through the axis.
struct ProfilePoint {
  double radius, y;
};

// A uniform cubic B-spline, continued at both ends by its mirror image in the axis: twice differentiable, and level
// where it meets the axis, at (4 y0 + 2 y1) / 6.
constexpr std::array<ProfilePoint, 15> control = {{{0, 0},
                                                   {0.022, 0},
                                                   {0.037, 0.016},
                                                   {0.032, 0.055},
                                                   {0.030, 0.095},
                                                   {0.029, 0.130},
                                                   {0.036, 0.156},
                                                   {0.074, 0.164},
                                                   {0.114, 0.162},
                                                   {0.130, 0.186},
                                                   {0.119, 0.225},
                                                   {0.094, 0.262},
                                                   {0.060, 0.287},
                                                   {0.025, 0.300},
                                                   {0, 0.300}}};
static_assert(control.back().y == height && control[control.size() - 2].y == height);

ProfilePoint spline(double t) {
  const auto at = [](int i) {
    const int last = static_cast<int>(control.size()) - 1;
    if (i < 0)
      return ProfilePoint{-control[static_cast<std::size_t>(-i)].radius, control[static_cast<std::size_t>(-i)].y};
    if (i <= last) return control[static_cast<std::size_t>(i)];
    const ProfilePoint mirrored = control[static_cast<std::size_t>(2 * last - i)];
    return ProfilePoint{-mirrored.radius, mirrored.y};
  };
  const int i = std::min(static_cast<int>(t), static_cast<int>(control.size()) - 2);
  const double u = t - i, v = 1 - u;
  const double weights[4] = {v * v * v / 6, (3 * u * u * u - 6 * u * u + 4) / 6, (3 * v * v * v - 6 * v * v + 4) / 6,
                             u * u * u / 6};
  ProfilePoint p{0, 0};
  for (int k = 0; k < 4; ++k) {
    p.radius += weights[k] * at(i - 1 + k).radius;
    p.y += weights[k] * at(i - 1 + k).y;
  }
  return p;
}

// The spline as a polygon from the bottom to the top, with the length of the way to each corner.
class Profile {
 public:
  Profile() {
    constexpr std::size_t segments = 280;  // chords stray from the spline by less than 0.02 mm
    const double end = static_cast<double>(control.size() - 1);
    for (std::size_t i = 0; i <= segments; ++i) {
      corners_.push_back(spline(end * static_cast<double>(i) / segments));
      way_.push_back(i == 0 ? 0
                            : way_.back() + std::hypot(corners_[i].radius - corners_[i - 1].radius,
                                                       corners_[i].y - corners_[i - 1].y));
    }
    corners_.front().radius = corners_.back().radius = 0;
  }

  double length() const { return way_.back(); }
  double widest() const {
    double radius = 0;
    for (const ProfilePoint& c : corners_) radius = std::max(radius, c.radius);
    return radius;
  }
  /// Square metres of the surface of revolution.
  double area() const {
    double sum = 0;
    for (std::size_t i = 1; i < corners_.size(); ++i) {
      sum += pi * (corners_[i].radius + corners_[i - 1].radius) * (way_[i] - way_[i - 1]);
    }
    return sum;
  }
  ProfilePoint at(double way) const {
    const auto after = std::upper_bound(way_.begin() + 1, way_.end() - 1, way);
    const auto i = static_cast<std::size_t>(after - way_.begin());
    const double u = (way - way_[i - 1]) / (way_[i] - way_[i - 1]);
    return {corners_[i - 1].radius + u * (corners_[i].radius - corners_[i - 1].radius),
            corners_[i - 1].y + u * (corners_[i].y - corners_[i - 1].y)};
  }
  double signed_distance(ProfilePoint p) const {
    double least = std::numeric_limits<double>::infinity();
    bool inside = false;
    for (std::size_t i = 1; i < corners_.size(); ++i) {
      const ProfilePoint a = corners_[i - 1], b = corners_[i];
      const double along_r = b.radius - a.radius, along_y = b.y - a.y, from_r = p.radius - a.radius, from_y = p.y - a.y;
      const double t =
          std::clamp((from_r * along_r + from_y * along_y) / (along_r * along_r + along_y * along_y), 0.0, 1.0);
      const double off_r = from_r - t * along_r, off_y = from_y - t * along_y;
      least = std::min(least, off_r * off_r + off_y * off_y);
      // Whether the way straight out from the axis crosses this chord; each height belongs to one of two neighbours.
      if ((a.y > p.y) != (b.y > p.y) && p.radius < a.radius + along_r * (from_y / along_y)) inside = !inside;
    }
    return inside ? -std::sqrt(least) : std::sqrt(least);
  }

 private:
  std::vector<ProfilePoint> corners_;
  std::vector<double> way_;  // #corners
};

// Rings at equal distances along the profile, and a vertex at each end of the axis. Nearly squares on the average.
Mesh turned(const Profile& profile, std::size_t vertices) {
  const double edge = std::sqrt(profile.area() / static_cast<double>(vertices));
  const auto rings = static_cast<std::size_t>(std::max(std::lround(profile.length() / edge) - 1, 5l));
  const auto around = static_cast<std::size_t>(
      std::max(std::lround((static_cast<double>(vertices) - 2) / static_cast<double>(rings)), 3l));
  Mesh mesh;
  mesh.positions.push_back({0, 0, 0});
  for (std::size_t ring = 1; ring <= rings; ++ring) {
    const ProfilePoint p = profile.at(profile.length() * static_cast<double>(ring) / static_cast<double>(rings + 1));
    for (std::size_t i = 0; i < around; ++i) {
      const double angle = 2 * pi * static_cast<double>(i) / static_cast<double>(around);
      mesh.positions.emplace_back(Vec3d{p.radius * std::sin(angle), p.y, p.radius * std::cos(angle)});
    }
  }
  mesh.positions.emplace_back(Vec3d{0, height, 0});

  const auto vertex = [&](std::size_t ring, std::size_t i) {
    return static_cast<std::uint32_t>(1 + ring * around + i % around);
  };
  const auto last = static_cast<std::uint32_t>(mesh.positions.size() - 1);
  for (std::size_t i = 0; i < around; ++i) {
    mesh.triangles.push_back({0, vertex(0, i + 1), vertex(0, i)});
    for (std::size_t ring = 0; ring + 1 < rings; ++ring) {
      mesh.triangles.push_back({vertex(ring, i), vertex(ring, i + 1), vertex(ring + 1, i + 1)});
      mesh.triangles.push_back({vertex(ring, i), vertex(ring + 1, i + 1), vertex(ring + 1, i)});
    }
    mesh.triangles.push_back({last, vertex(rings - 1, i), vertex(rings - 1, i + 1)});
  }
  mesh.normals.resize(mesh.positions.size());
  compute_normals(mesh.positions, mesh.triangles, mesh.normals);
  return mesh;
}

Result<Skeleton> one_bone() {
  RawJoint stem, top;
  const auto limit = static_cast<float>(pi / 2);
  stem.name = "stem";
  stem.dofs = {{"abduction", {0, 0, 1}, -limit, limit},
               {"flexion", {1, 0, 0}, -limit, limit},
               {"twist", {0, 1, 0}, -static_cast<float>(pi), static_cast<float>(pi)}};
  top.name = "top";
  top.parent = 0;
  top.rest.translation = {0, static_cast<float>(height), 0};
  const std::array<RawJoint, 2> joints = {stem, top};
  Result<BuiltSkeleton> built = build_skeleton(joints);
  if (!built) return built.error();
  return std::move(built->skeleton);
}

// All frequencies are whole numbers of thirds of a hertz: after three seconds everything starts anew.
Clip shake_clip(const Skeleton& skeleton) {
  constexpr double seconds = 3;
  const auto wave = [](double t, int periods) { return std::sin(2 * pi * periods * t / seconds); };
  return record_clip({"shake", seconds, 60, true}, skeleton, [&](double t) {
    Pose pose = rest_pose(skeleton);
    pose.local[0].translation = Vec3f(
        Vec3d{0.035 * wave(t, 3) + 0.015 * wave(t, 7), 0.012 * wave(t, 5), 0.02 * wave(t, 2) + 0.01 * wave(t, 4)});
    const float angles[3] = {static_cast<float>(0.16 * wave(t, 2) - 0.06 * wave(t, 5)),
                             static_cast<float>(0.10 * wave(t, 3) + 0.05 * wave(t, 4)), 0};
    set_angles(pose, skeleton, 0, angles, true);
    return pose;
  });
}

Clip step_clip(const Skeleton& skeleton) {
  constexpr double step = 0.1, stepping = 0.15, resting = 2;
  return record_clip({"step", stepping + resting, 60, false}, skeleton, [&](double t) {
    Pose pose = rest_pose(skeleton);
    pose.local[0].translation.x = static_cast<float>(step * eased(t / stepping));
    return pose;
  });
}

}  // namespace

Solid mushroom_field() {
  const Profile profile;
  const auto reach = static_cast<float>(profile.widest()), top = static_cast<float>(height);
  return {[profile](Vec3d p) {
            return profile.signed_distance({std::hypot(p.x, p.z), p.y});
          },
          {{-reach, 0, -reach}, {reach, top, reach}}};
}

Result<Character> make_mushroom(const MushroomOptions& options, const Progress& progress) {
  if (options.vertices < 50 || options.vertices > 1000000) {
    return Error{"vertices", std::to_string(options.vertices) + " is out of range", "choose 50 to 1000000"};
  }
  if (!report(progress, "mushroom", 0)) return Error{"mushroom", "stopped on request", ""};
  Result<Skeleton> skeleton = one_bone();
  if (!skeleton) return skeleton.error();
  Character mushroom;
  mushroom.name = "mushroom";
  mushroom.skeleton = std::move(*skeleton);
  mushroom.skins.push_back(bind_at_rest("mushroom", mushroom.skeleton));
  Part part;
  part.name = "skin";
  append_rigid(part, turned(Profile(), options.vertices), 0);
  part.skin = 0;
  part.material = 0;
  mushroom.materials.push_back({"skin", {0.72f, 0.45f, 0.28f, 1}, 0, 0.6f, false});
  mushroom.parts.push_back(std::move(part));
  mushroom.clips = {shake_clip(mushroom.skeleton), step_clip(mushroom.skeleton)};
  if (Result<void> valid = validate(mushroom); !valid) return valid.error();
  return mushroom;
}

}  // namespace supple::make
