// Lights and projections from the camera's axes and the scene's bounds.
#include "supple/render/frame.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace supple::render {
namespace {

/// Parallel projection along `direction` that holds a ball about `center`.
std::array<double, 16> parallel_projection(Vec3d direction, Vec3d center, double radius) {
  const Vec3d right = any_perpendicular(direction), up = cross(direction, right);
  const double s = 1 / radius;
  // Depth grows away from the light.
  return {right.x * s,
          up.x * s,
          -direction.x * s,
          0,
          right.y * s,
          up.y * s,
          -direction.y * s,
          0,
          right.z * s,
          up.z * s,
          -direction.z * s,
          0,
          -dot(right, center) * s,
          -dot(up, center) * s,
          dot(direction, center) * s,
          1};
}

}  // namespace

Result<Frame> make_frame(const Scene& scene, const Camera& camera, Size size) {
  const Result<CameraAxes> axes = axes_of(camera);
  if (!axes) return axes.error();
  const auto toward = [&](double right, double up, double back) {
    return normalized(axes->right * right + axes->up * up + axes->back * back);
  };
  Frame frame;
  frame.target = camera.target;
  frame.eye = camera.eye - camera.target;
  frame.back = axes->back;
  frame.key = toward(-0.55, 0.62, 0.62);
  frame.fill = toward(0.85, 0.05, 0.5);
  frame.rim = toward(0.45, 0.55, -0.7);
  frame.sky = toward(0, 1, 0.25);

  const std::vector<Vec3f> points = points_of(scene);
  const Box box = bounds(points);
  frame.size = points.empty() ? 1.0f : std::max(box.diagonal(), 1e-6f);
  frame.near = std::numeric_limits<double>::infinity();
  frame.far = -frame.near;
  double radius = 0;
  const Vec3d center = Vec3d(box.center()) - frame.target;
  for (const Vec3f& p : points) {
    const Vec3d relative = Vec3d(p) - frame.target;
    frame.near = std::min(frame.near, frame.depth(relative));
    frame.far = std::max(frame.far, frame.depth(relative));
    radius = std::max(radius, length(relative - center));
  }
  if (points.empty()) frame.near = frame.far = length(frame.eye);
  // Room for dots around joints; and never so near that the depth buffer loses its precision.
  const double room = 0.02 * frame.size;
  frame.far = std::max(frame.far, 0.0) + room;
  frame.near = std::max(frame.near - room, frame.far * 1e-4);
  frame.to_clip = to_clip(camera, *axes, static_cast<double>(size.width) / size.height, frame.near, frame.far);

  radius = std::max(radius * 1.01, 1e-6);
  frame.to_shadow = parallel_projection(frame.key, center, radius);
  frame.shadow_radius = 0.008f;
  frame.shadow_offset = static_cast<float>(radius) * 0.008f;
  return frame;
}

double mean_layers(const Scene& scene, const Frame& frame) {
  const auto& m = frame.to_clip;
  std::vector<std::array<double, 2>> at;  // in the picture, which is 2 wide and high
  double covered = 0;
  for (const Surface& s : scene.surfaces) {
    at.clear();
    for (const Vec3f& position : s.positions) {
      const Vec3d p = Vec3d(position) - frame.target;
      const auto row = [&](std::size_t r) { return m[r] * p.x + m[4 + r] * p.y + m[8 + r] * p.z + m[12 + r]; };
      const double w = std::max(row(3), frame.near);
      at.push_back({std::clamp(row(0) / w, -1.0, 1.0), std::clamp(row(1) / w, -1.0, 1.0)});
    }
    for (const auto& [a, b, c] : s.triangles)
      covered +=
          std::abs((at[b][0] - at[a][0]) * (at[c][1] - at[a][1]) - (at[c][0] - at[a][0]) * (at[b][1] - at[a][1])) / 2;
  }
  return covered / 4;
}

}  // namespace supple::render
