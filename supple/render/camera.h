// Where a picture is taken from, and how a camera is placed so that everything fits.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "supple/base/result.h"
#include "supple/base/vec.h"

namespace supple::render {

/// A direction to look from. Characters face +z with +y up, as glTF models do; their left is +x.
struct View {
  std::string name;
  Vec3f direction{0, 0, 1};  // from the subject to the eye; any length
  Vec3f up{0, 1, 0};         // need not be perpendicular to the direction
};

/// front, back, left, right, top, bottom, three-quarter (from the front, a little to the subject's left and above) and
/// three-quarter-back. "left" shows the subject's left side.
std::span<const View> views();
/// The error names the views there are.
Result<View> find_view(std::string_view name);

struct Camera {
  Vec3d eye{0, 0, 1}, target{};    // metres
  Vec3d up{0, 1, 0};               // need not be perpendicular to the line of sight
  double vertical_angle = 0.4363;  // radians (25 degrees): long enough a lens that hands and faces keep their shape
};

/// The eye's axes: right, up, and backwards (from the target to the eye); right-handed and orthonormal.
struct CameraAxes {
  Vec3d right, up, back;
};
/// An error where the eye is at the target or something is not finite. An up vector along the line of sight is
/// replaced.
Result<CameraAxes> axes_of(const Camera& camera);

/// Column-major map from world points, relative to the camera's target, to clip space with depth in [near, far].
std::array<double, 16> to_clip(const Camera& camera, const CameraAxes& axes, double aspect, double near, double far);

/// The nearest camera that looks along the view and sees all points, with `margin` of the picture's size free on every
/// side. `aspect` is width over height. Points that are not finite are ignored; without points: a one metre subject.
Camera fit(std::span<const Vec3f> points, const View& view, double aspect, double margin = 0.06);

}  // namespace supple::render
