#include "supple/author/scan/bone_frames.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include "supple/author/scan/bone_ends.h"
#include "supple/base/angle.h"
#include "supple/base/decompose.h"
#include "supple/base/twist.h"
#include "supple/geometry/bvh.h"
#include "supple/geometry/solid_moments.h"
#include "supple/geometry/topology.h"

namespace supple::scan {
namespace {

constexpr double widest_turn = 30 * degree;  // of the plane of symmetry from the template's
constexpr double least_elongation = 1.5;     // of a piece of the radius whose long axis can be told

/// x to the palm, y to the elbow; the template has y to the back of the hand and z to the elbow.
Mat3d template_frame(const ScanBone& bone) { return {-bone.axes.c1, towards_base(bone), -bone.axes.c0}; }

/// y and, across it, the direction of z; x completes them.
Mat3d frame_of(Vec3d y, Vec3d z) {
  y = normalized(y);
  z = normalized(z - y * dot(z, y));
  return {cross(y, z), y, z};
}

/// Root mean square distance between the surface and its mirror image; the mirror holds the middle.
double asymmetry(const SurfaceSamples& samples, const Bvh& surface, Vec3d middle, Vec3d normal) {
  constexpr double most = 0.003;  // metres: what sticks out on one side alone does not turn the plane
  double sum = 0;
  for (const Vec3d& p : samples.points) {
    const Vec3d mirrored = p - normal * (2 * dot(p - middle, normal));
    const double d = std::min(double{surface.closest(Vec3f(mirrored), static_cast<float>(most)).distance}, most);
    sum += d * d;
  }
  return std::sqrt(sum / static_cast<double>(samples.size()));
}

/// The plane through y that splits the bone into mirror images: its normal is z. Looked for about the template's.
Vec3d symmetric_side(const SurfaceSamples& samples, const Bvh& surface, Vec3d middle, Vec3d y, Vec3d z) {
  const Mat3d start = frame_of(y, z);
  const auto side = [&](double angle) { return start.c2 * std::cos(angle) + start.c0 * std::sin(angle); };
  const auto cost = [&](double angle) { return asymmetry(samples, surface, middle, side(angle)); };
  constexpr int steps = 6;
  double best = 0, least = cost(0);
  for (int i = -steps; i <= steps; ++i) {
    const double angle = widest_turn * i / steps, c = cost(angle);
    if (c < least) least = c, best = angle;
  }
  // Golden section to a tenth of a degree.
  constexpr double golden = 0.6180339887498949;
  double low = best - widest_turn / steps, high = best + widest_turn / steps;
  double a = high - golden * (high - low), b = low + golden * (high - low), at_a = cost(a), at_b = cost(b);
  while (high - low > 0.1 * degree) {
    if (at_a < at_b) {
      high = b, b = a, at_b = at_a;
      a = high - golden * (high - low), at_a = cost(a);
    } else {
      low = a, a = b, at_a = at_b;
      b = low + golden * (high - low), at_b = cost(b);
    }
  }
  return side((low + high) / 2);
}

/// Metacarpals and phalanges: y from the head's centre to the base's, the x-y plane the plane of symmetry. Several
/// samples of the surface are taken, and what they differ by is told.
BoneFrame long_bone_frame(const ScanBone& bone) {
  const Mat3d start = template_frame(bone);
  const Bvh surface(bone.surface.positions, bone.surface.triangles);
  std::vector<Mat3d> found;
  Vec3d origin{};
  for (const SurfaceSamples& samples : repeated_samples(bone)) {
    const BoneEnds ends = ends_of(samples, start.c1);
    const Vec3d y = normalized(ends.base - ends.head, start.c1);
    found.push_back(frame_of(y, symmetric_side(samples, surface, samples.centre, y, start.c2)));
    origin += (ends.base + ends.head) / 2.0;
  }
  BoneFrame frame{{start, bone.facing}, FrameSource::from_template, {}};
  if (found.empty()) return frame;
  const auto n = static_cast<double>(found.size());
  Mat3d sum = Mat3d::diagonal({});
  for (const Mat3d& m : found) sum = sum + m;
  frame.axes = {polar(sum).rotation, origin / n};
  frame.source = FrameSource::isb;
  Vec3d squares{};
  for (const Mat3d& m : found) {
    const Vec3d off = log_rotation(from_matrix(transpose(frame.axes.linear) * m));
    squares += Vec3d{off.x * off.x, off.y * off.y, off.z * off.z};
  }
  // Of the mean of all repeats.
  const double mean_of = n * std::max(n - 1, 1.0);
  frame.sd = {std::sqrt(squares.x / mean_of), std::sqrt(squares.y / mean_of), std::sqrt(squares.z / mean_of)};
  return frame;
}

struct Piece {
  Vec3d centre{}, axis{};
  double elongation = 1, area = 0;
};
Piece piece_of(const Mesh& mesh) {
  Piece piece;
  Mesh with_normals = mesh;
  with_normals.normals.resize(mesh.positions.size());
  compute_normals(mesh.positions, mesh.triangles, with_normals.normals);
  const SurfaceSamples samples = sample_surface(with_normals, {}, 2000, 1);
  if (samples.size() == 0) return piece;
  piece.centre = samples.centre;
  piece.area = surface_area(mesh.positions, mesh.triangles);
  Mat3d spread = Mat3d::diagonal({});
  for (const Vec3d& p : samples.points) spread = spread + outer(p - samples.centre, p - samples.centre);
  const SymmetricEigen eigen = symmetric_eigen(spread);
  piece.axis = eigen.vectors.c2;
  piece.elongation = std::sqrt(eigen.values.z / std::max(eigen.values.y, 1e-30));
  return piece;
}

/// Radius and ulna as far as they are shown: y along the radius, z from the ulna to it.
BoneFrame forearm_frame(const ScanBone& bone, bool right) {
  const Mat3d start = template_frame(bone);
  BoneFrame frame{{start, surface_centre(bone.surface)}, FrameSource::from_template, {}};
  const supple::Parts parts = connected_parts(bone.surface.positions.size(), bone.surface.triangles);
  std::vector<Piece> pieces;
  for (std::uint32_t p = 0; p < parts.count; ++p) {
    const Mesh mesh = extract_part(bone.surface, parts, p);
    if (!mesh.triangles.empty()) pieces.push_back(piece_of(mesh));
  }
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.area > b.area; });
  if (pieces.size() < 2) return frame;
  // Of the two largest, the radius is that on the thumb's side: z of a right hand; a left one's z is the other way.
  const Vec3d across = pieces[0].centre - pieces[1].centre;
  const bool along_z = dot(across, start.c2) > 0;
  const Piece& radius = pieces[along_z == right ? 0 : 1];
  const Vec3d y =
      radius.elongation > least_elongation ? radius.axis * (dot(radius.axis, start.c1) < 0 ? -1.0 : 1.0) : start.c1;
  frame.axes.linear = frame_of(y, along_z ? across : -across);
  frame.source = FrameSource::forearm;
  return frame;
}

Vec3d squared(Vec3d v) { return {v.x * v.x, v.y * v.y, v.z * v.z}; }

}  // namespace

const char* key_of(FrameSource source) {
  constexpr std::array<const char*, 4> keys{"isb", "isb-carpus-as-one", "not-isb-forearm", "not-isb-template"};
  return keys[static_cast<std::size_t>(source)];
}

const char* describe(FrameSource source) {
  switch (source) {
    case FrameSource::isb:
      return "ISB";
    case FrameSource::carpus:
      return "ISB, for all carpal bones as one: the forearm's axes where the third metacarpal is parallel to it";
    case FrameSource::forearm:
      return "not ISB, which needs the elbow's end of the radius: along the radius as far as it is shown, from ulna to "
             "radius";
    case FrameSource::from_template:
      return "not ISB: the template's, turned with the bone";
  }
  return "";
}

std::vector<BoneFrame> bone_frames(std::span<const ScanBone> bones, bool right) {
  std::vector<BoneFrame> frames(bones.size());
  std::size_t carpus = bones.size(), third = bones.size();
  for (std::size_t b = 0; b < bones.size(); ++b) {
    const bool root = bones[b].parent == TemplateBone::none;
    frames[b] = root ? forearm_frame(bones[b], right) : is_long(bones[b]) ? long_bone_frame(bones[b]) : BoneFrame{};
    if (bones[b].name == "wrist") carpus = b;
    if (bones[b].name == "middle-finger-metacarpal") third = b;
    if (!root && !is_long(bones[b]))
      frames[b].axes = {template_frame(bones[b]),
                        solid_moments(bones[b].surface.positions, bones[b].surface.triangles).centre};
  }
  if (carpus < bones.size() && third < bones.size()) {
    // Carpal bones have the radius's axes where the wrist is neutral, the third metacarpal parallel to the radius.
    const Mat3d& radius = frames[bones[carpus].parent].axes.linear;
    const Mat3d bend = to_matrix(rotation_between(radius.c1, frames[third].axes.linear.c1));
    frames[carpus].axes.linear = bend * radius;
    frames[carpus].source = FrameSource::carpus;
    frames[carpus].sd = frames[third].sd;
  }
  return frames;
}

JointFrames joint_frames(std::span<const ScanBone> bones, std::span<const BoneFrame> frames, std::size_t bone) {
  const BoneFrame &own = frames[bone], &parent = frames[bones[bone].parent];
  if (bones[bone].name == "thumb-metacarpal") return {own.axes.linear, own.axes.linear, {}, {}, true};
  return {parent.axes.linear, own.axes.linear, parent.sd, own.sd, false};
}

AnatomicalAngles anatomical_angles(const JointFrames& frames, const JointMotion& motion, Vec3d centre, bool right) {
  // Proximal to distal: Rz(flexion) Rx(deviation) Ry(rotation).
  const Mat3d to_proximal = transpose(frames.proximal);
  const Mat3d r = to_proximal * (motion.motion.linear * frames.distal);
  const double sine = std::clamp(r.c1.z, -1.0, 1.0);
  AnatomicalAngles angles;
  angles.flexion = std::atan2(-r.c1.x, r.c1.y);
  angles.deviation = std::asin(sine);
  angles.rotation = std::atan2(-r.c0.z, r.c2.z);
  // A small turn w of the bone (in the parent's axes) is flexion's rate about z, deviation's about the floating axis
  // and rotation's about the bone's y; where deviation nears 90 degrees the first and the last cannot be told apart.
  const Vec3d floating{std::cos(angles.flexion), std::sin(angles.flexion), 0};
  const Mat3d rates{{0, 0, 1}, floating, r.c1};
  const MotionCovariance about = about_point(motion.covariance, motion.motion.point(centre));
  Mat3d turn = to_proximal * about.turn() * frames.proximal;
  turn = turn + Mat3d::diagonal(squared(frames.proximal_sd)) +
         r * Mat3d::diagonal(squared(frames.distal_sd)) * transpose(r);
  constexpr double least_determinant = 1e-6;
  if (std::abs(determinant(rates)) > least_determinant) {
    const Mat3d back = inverse(rates);
    const Mat3d covariance = back * turn * transpose(back);
    const auto sd = [](double variance) { return std::min(std::sqrt(std::max(variance, 0.0)), std::numbers::pi); };
    angles.flexion_sd = sd(covariance.c0.x);
    angles.deviation_sd = sd(covariance.c1.y);
    angles.rotation_sd = sd(covariance.c2.z);
  } else {
    angles.flexion_sd = angles.rotation_sd = std::numbers::pi;
    angles.deviation_sd = std::sqrt(std::max(turn.c0.x, turn.c1.y));
  }
  angles.slide = to_proximal * (motion.motion.point(centre) - centre);
  const Mat3d shift = to_proximal * about.shift() * frames.proximal;
  angles.slide_sd = {std::sqrt(std::max(shift.c0.x, 0.0)), std::sqrt(std::max(shift.c1.y, 0.0)),
                     std::sqrt(std::max(shift.c2.z, 0.0))};
  if (!right) {  // z points to the little finger: mirrored, as the recommendation has it for left limbs
    angles.deviation = -angles.deviation;
    angles.rotation = -angles.rotation;
    angles.slide.z = -angles.slide.z;
  }
  return angles;
}

}  // namespace supple::scan
