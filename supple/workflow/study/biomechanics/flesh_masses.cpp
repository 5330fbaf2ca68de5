#include "supple/workflow/study/biomechanics/flesh_masses.h"

#include <cmath>

#include "supple/base/parallel.h"
#include "supple/geometry/bvh.h"

namespace supple::workflow {
namespace {

constexpr double cube = 0.002;  // metres

/// All bones as one surface that knows whose each triangle is.
struct AllBones {
  Mesh mesh;
  std::vector<std::uint32_t> bone_of;  // #triangles
};
AllBones all_bones(std::span<const scan::ScanBone> bones) {
  AllBones all;
  for (std::uint32_t b = 0; b < bones.size(); ++b) {
    const auto first = static_cast<std::uint32_t>(all.mesh.positions.size());
    const Mesh& surface = bones[b].surface;
    all.mesh.positions.insert(all.mesh.positions.end(), surface.positions.begin(), surface.positions.end());
    for (const Triangle& t : surface.triangles) {
      all.mesh.triangles.push_back({first + t[0], first + t[1], first + t[2]});
      all.bone_of.push_back(b);
    }
  }
  return all;
}

}  // namespace

std::vector<SolidMoments> flesh_of_bones(const Mesh& skin, std::span<const scan::ScanBone> bones) {
  std::vector<SolidMoments> result(bones.size());
  if (skin.triangles.empty()) return result;
  const AllBones all = all_bones(bones);
  const Bvh outside(skin.positions, skin.triangles), inside(all.mesh.positions, all.mesh.triangles);
  const Box box = bounds(skin.positions);
  std::array<std::size_t, 3> count{};
  for (std::size_t k = 0; k < 3; ++k)
    count[k] = static_cast<std::size_t>(std::ceil(double{box.high[k] - box.low[k]} / cube));
  const auto middle_of = [&](std::size_t x, std::size_t y, std::size_t z) {
    return Vec3d(box.low) +
           Vec3d{static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5, static_cast<double>(z) + 0.5} * cube;
  };
  constexpr std::uint32_t nobody = 0xffffffffu;
  std::vector<std::uint32_t> owner(count[0] * count[1] * count[2], nobody);
  parallel_for(owner.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3f p(middle_of(i % count[0], i / count[0] % count[1], i / count[0] / count[1]));
      if (outside.inside(p) && !inside.inside(p)) owner[i] = all.bone_of[inside.closest(p).triangle];
    }
  });
  // Sums about the middle of the box: one after the other, so that they do not depend on the number of threads.
  const Vec3d origin(box.center());
  std::vector<double> volume(bones.size());
  std::vector<Vec3d> first(bones.size());
  std::vector<Mat3d> second(bones.size(), Mat3d::diagonal({}));
  constexpr double piece = cube * cube * cube;
  for (std::size_t i = 0; i < owner.size(); ++i) {
    if (owner[i] == nobody) continue;
    const Vec3d p = middle_of(i % count[0], i / count[0] % count[1], i / count[0] / count[1]) - origin;
    volume[owner[i]] += piece;
    first[owner[i]] += p * piece;
    second[owner[i]] = second[owner[i]] + outer(p, p) * piece;
  }
  for (std::size_t b = 0; b < bones.size(); ++b) {
    if (volume[b] == 0) continue;
    const Vec3d centre = first[b] / volume[b];
    const double own = volume[b] * cube * cube / 12;  // of each cube about its own middle
    const Mat3d spread = second[b] - outer(centre, centre) * volume[b] + Mat3d::diagonal({own, own, own});
    const double trace = spread.c0.x + spread.c1.y + spread.c2.z;
    result[b] = {volume[b], origin + centre, Mat3d::diagonal({trace, trace, trace}) - spread};
  }
  return result;
}

}  // namespace supple::workflow
