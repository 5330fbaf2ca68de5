// View presets, projection, and the closed-form fit.
#include "supple/render/camera.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "supple/base/text.h"

namespace supple::render {
namespace {

const std::array<View, 8> presets{{
    {"front", {0, 0, 1}, {0, 1, 0}},
    {"back", {0, 0, -1}, {0, 1, 0}},
    {"left", {1, 0, 0}, {0, 1, 0}},
    {"right", {-1, 0, 0}, {0, 1, 0}},
    {"top", {0, 1, 0}, {0, 0, -1}},
    {"bottom", {0, -1, 0}, {0, 0, 1}},
    {"three-quarter", {0.62f, 0.28f, 0.8f}, {0, 1, 0}},
    {"three-quarter-back", {-0.62f, 0.28f, -0.8f}, {0, 1, 0}},
}};

}  // namespace

std::span<const View> views() { return presets; }

Result<View> find_view(std::string_view name) {
  std::vector<std::string> names;
  std::string list;
  for (const View& view : presets) {
    if (view.name == name) return view;
    names.push_back(view.name);
    list += (list.empty() ? "" : ", ") + view.name;
  }
  const std::string guess = did_you_mean(name, names);
  return Error{"view " + std::string(name), "is not known", guess.empty() ? "use one of " + list : guess};
}

Result<CameraAxes> axes_of(const Camera& camera) {
  if (!is_finite(camera.eye) || !is_finite(camera.target) || !is_finite(camera.up) ||
      !std::isfinite(camera.vertical_angle)) {
    return Error{"camera", "is not finite", "check the points it was fitted to"};
  }
  if (camera.vertical_angle <= 0 || camera.vertical_angle >= 3.1) {
    return Error{"camera", "has no usable angle of view", "use an angle between 0 and 177 degrees"};
  }
  const Vec3d back = normalized(camera.eye - camera.target);
  if (back == Vec3d{}) return Error{"camera", "looks from its own target", "move the eye away from the target"};
  Vec3d right = cross(normalized(camera.up), back);
  right = squared_length(right) > 1e-12 ? normalized(right) : any_perpendicular(back);
  return CameraAxes{right, cross(back, right), back};
}

std::array<double, 16> to_clip(const Camera& camera, const CameraAxes& axes, double aspect, double near, double far) {
  const double y_scale = 1 / std::tan(camera.vertical_angle / 2), x_scale = y_scale / aspect;
  const double z_scale = (far + near) / (near - far), z_shift = 2 * far * near / (near - far);
  const double distance = length(camera.eye - camera.target);
  const auto column = [&](double right, double up, double back, double shift) {
    const double z = back - shift * distance;  // in the eye's frame the target lies at -distance
    return std::array<double, 4>{x_scale * right, y_scale * up, z_scale * z + z_shift * shift, -z};
  };
  std::array<double, 16> matrix{};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto c = i < 3 ? column(axes.right[i], axes.up[i], axes.back[i], 0) : column(0, 0, 0, 1);
    std::copy(c.begin(), c.end(), matrix.begin() + static_cast<std::ptrdiff_t>(i * 4));
  }
  return matrix;
}

Camera fit(std::span<const Vec3f> points, const View& view, double aspect, double margin) {
  Camera camera;
  camera.up = Vec3d(view.up);
  camera.eye = normalized(Vec3d(view.direction), Vec3d{0, 0, 1});
  const Result<CameraAxes> found = axes_of(camera);
  if (!found) return camera;
  const CameraAxes& axes = *found;

  const double free = 1 - 2 * std::clamp(margin, 0.0, 0.45);
  const double slope_y = std::tan(camera.vertical_angle / 2) * free, slope_x = slope_y * aspect;
  // A point p (in the eye's axes) is in the picture when |p.x - e.x| <= slope (e.z - p.z). The two sides bound
  // e.x + slope e.z and -e.x + slope e.z from below; the nearest eye meets both with equality.
  constexpr double none = -std::numeric_limits<double>::infinity();
  double right = none, left = none, top = none, bottom = none, front = none, rear = -none;
  for (const Vec3f& point : points) {
    if (!is_finite(point)) continue;
    const Vec3d p(point);
    const double x = dot(p, axes.right), y = dot(p, axes.up), z = dot(p, axes.back);
    right = std::max(right, x + slope_x * z);
    left = std::max(left, -x + slope_x * z);
    top = std::max(top, y + slope_y * z);
    bottom = std::max(bottom, -y + slope_y * z);
    front = std::max(front, z);
    rear = std::min(rear, z);
  }
  if (front == none) {
    right = left = top = bottom = 0.5;
    front = rear = 0;
  }
  const double depth = std::max((right + left) / (2 * slope_x), (top + bottom) / (2 * slope_y));
  // A single point or a line towards the eye has no extent to fit: stay a little in front of it.
  const double nearest = front + std::max({(front - rear) * 0.05, std::abs(front) * 1e-6, 1e-6});
  const Vec3d center = axes.right * ((right - left) / 2) + axes.up * ((top - bottom) / 2);
  camera.eye = center + axes.back * std::max(depth, nearest);
  camera.target = center + axes.back * ((front + rear) / 2);
  return camera;
}

}  // namespace supple::render
