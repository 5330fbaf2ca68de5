#include "supple/author/scan/landmarks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "supple/author/scan/bone_ends.h"
#include "supple/author/scan/features.h"
#include "supple/geometry/bvh.h"

namespace supple::scan {
namespace {

constexpr float longest_way = 0.06f;   // metres from a bone to its skin
constexpr double least_cosine = 0.05;  // of a line that grazes the skin
constexpr double least_sd = 0.0001;    // metres: no place of a scan is known better
constexpr double unknown_axis = 0.03;  // radians, of frames that were not measured

Landmark landmark_of(LandmarkKind kind, std::uint32_t bone, const std::string& name) {
  Landmark result;
  result.kind = kind;
  result.bone = bone;
  result.name = name + "_" + key_of(kind);
  return result;
}

void add_ends(const ScanBone& bone, std::uint32_t b, std::vector<Landmark>& landmarks) {
  std::vector<BoneEnds> found;
  for (const SurfaceSamples& samples : repeated_samples(bone)) found.push_back(ends_of(samples, towards_base(bone)));
  if (found.empty()) return;
  const auto n = static_cast<double>(found.size());
  for (const LandmarkKind kind : {LandmarkKind::base, LandmarkKind::head}) {
    const auto end = [&](const BoneEnds& ends) { return kind == LandmarkKind::base ? ends.base : ends.head; };
    Landmark landmark = landmark_of(kind, b, bone.name);
    for (const BoneEnds& ends : found) landmark.at += end(ends) / n;
    double squares = 0;
    for (const BoneEnds& ends : found) squares += squared_length(end(ends) - landmark.at);
    landmark.sd = std::max(std::sqrt(squares / (n * std::max(n - 1, 1.0))), least_sd);
    landmarks.push_back(std::move(landmark));
  }
}

/// Lines from bones that leave the skin.
class SkinLandmarks {
 public:
  SkinLandmarks(const Mesh& skin, const std::vector<bool>& border)
      : skin_(skin), border_(border), surface_(skin.positions, skin.triangles) {}

  /// `axis_sd`: radians that the direction is known to; `from_sd`: metres, of where the line begins.
  void add(LandmarkKind kind, std::uint32_t bone, const std::string& name, Vec3d from, Vec3d direction, double axis_sd,
           double from_sd, std::vector<Landmark>& landmarks) {
    const auto hit = surface_.first_hit(Vec3f(from), Vec3f(direction), 0, longest_way);
    if (!hit) return;
    Landmark landmark = landmark_of(kind, bone, name);
    landmark.at = from + direction * double{hit->distance};
    landmark.triangle = hit->triangle;
    const Triangle& t = skin_.triangles[hit->triangle];
    const Vec3d a(skin_.positions[t[0]]), b(skin_.positions[t[1]]), c(skin_.positions[t[2]]);
    const Vec3d normal = cross(b - a, c - a);
    const double cosine = std::abs(dot(normalized(normal, direction), direction));
    landmark.obliquity = std::acos(std::min(cosine, 1.0));
    // Across the line by the axis, and along an oblique skin by more.
    landmark.sd =
        std::max(std::hypot(double{hit->distance} * axis_sd, from_sd) / std::max(cosine, least_cosine), least_sd);
    const double area = squared_length(normal);
    if (area > 0) {
      const double u = dot(cross(c - b, landmark.at - b), normal) / area,
                   v = dot(cross(a - c, landmark.at - c), normal) / area;
      landmark.barycentric = {u, v, 1 - u - v};
    }
    for (const std::uint32_t corner : t)
      landmark.at_border = landmark.at_border || (!border_.empty() && border_[corner]);
    landmarks.push_back(std::move(landmark));
  }

 private:
  const Mesh& skin_;
  const std::vector<bool>& border_;
  Bvh surface_;
};

/// Ends of the skin itself, which no bone was asked for.
void compare_tips(const Mesh& skin, const std::vector<bool>& border, std::vector<Landmark>& landmarks) {
  const std::vector<std::uint32_t> tips = find_tips(skin, border);
  for (Landmark& landmark : landmarks) {
    if (landmark.kind != LandmarkKind::tip) continue;
    landmark.off_second_way = longest_way;
    for (const std::uint32_t v : tips)
      landmark.off_second_way = std::min(landmark.off_second_way, length(Vec3d(skin.positions[v]) - landmark.at));
  }
}

}  // namespace

const char* key_of(LandmarkKind kind) {
  constexpr std::array<const char*, 6> keys{"base", "head", "dorsal", "palmar", "tip", "crease"};
  return keys[static_cast<std::size_t>(kind)];
}

std::vector<Landmark> find_landmarks(std::span<const ScanBone> bones, std::span<const BoneFrame> frames,
                                     std::span<const Vec3d> centres, const Mesh& skin,
                                     const std::vector<bool>& border) {
  std::vector<Landmark> landmarks;
  for (std::uint32_t b = 0; b < bones.size(); ++b)
    if (is_long(bones[b])) add_ends(bones[b], b, landmarks);
  if (skin.triangles.empty()) return landmarks;
  SkinLandmarks lines(skin, border);
  for (std::uint32_t b = 0; b < bones.size(); ++b) {
    const Affined& axes = frames[b].axes;
    const Vec3d sd = squared_length(frames[b].sd) > 0 ? frames[b].sd : Vec3d{unknown_axis, unknown_axis, unknown_axis};
    const double across = std::hypot(sd.y, sd.z), along = std::hypot(sd.x, sd.z);
    lines.add(LandmarkKind::dorsal, b, bones[b].name, axes.translation, -axes.linear.c0, across, 0, landmarks);
    lines.add(LandmarkKind::palmar, b, bones[b].name, axes.translation, axes.linear.c0, across, 0, landmarks);
    const bool last =
        std::none_of(bones.begin(), bones.end(), [&](const ScanBone& other) { return other.parent == b; });
    if (last) lines.add(LandmarkKind::tip, b, bones[b].name, axes.translation, -axes.linear.c1, along, 0, landmarks);
    const std::uint32_t parent = bones[b].parent;
    const bool between_phalanges = parent != TemplateBone::none &&
                                   bones[b].name.find("-phalanx") != std::string::npos &&
                                   bones[parent].name.find("-phalanx") != std::string::npos;
    if (!between_phalanges) continue;
    // Half-way between the two bones' own directions: the joint bends there.
    const Vec3d direction = normalized(axes.linear.c0 + frames[parent].axes.linear.c0, axes.linear.c0);
    lines.add(LandmarkKind::crease, b, bones[b].name, centres[b], direction, across, least_sd, landmarks);
  }
  compare_tips(skin, border, landmarks);
  return landmarks;
}

}  // namespace supple::scan
