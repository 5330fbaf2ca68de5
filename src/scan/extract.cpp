#include "supple/scan/extract.h"

#include <algorithm>

#include "supple/geometry/topology.h"

namespace supple::scan {
namespace {

Error stopped(const Volume& volume) { return {volume.name, "stopped on request", ""}; }

Error empty_surface(const Volume& volume, const char* what, double iso) {
  return {volume.name,
          std::string("has no ") + what + " at " + std::to_string(static_cast<int>(iso)) + ": " +
              histogram(volume).describe(),
          std::string("set the threshold of ") + what + " between two of these"};
}

}  // namespace

Mesh largest_part(const Mesh& mesh) {
  const supple::Parts parts = connected_parts(mesh.positions.size(), mesh.triangles);
  std::vector<double> area(parts.count);
  for (const Triangle& t : mesh.triangles) {
    const Vec3d a(mesh.positions[t[0]]), b(mesh.positions[t[1]]), c(mesh.positions[t[2]]);
    area[parts.of_vertex[t[0]]] += length(cross(b - a, c - a));
  }
  const auto largest = std::max_element(area.begin(), area.end());
  if (largest == area.end()) return {};
  return extract_part(mesh, parts, static_cast<std::uint32_t>(largest - area.begin()));
}

Result<Surfaces> extract(const Volume& volume, const ExtractOptions& options, Warnings* warnings,
                         const Progress& progress) {
  Surfaces result;
  if (!options.bone || !options.skin) {
    const auto proposed = propose_thresholds(volume);
    if (!proposed) return proposed.error();
    result.thresholds = *proposed;
  }
  result.thresholds.bone = options.bone.value_or(result.thresholds.bone);
  result.thresholds.skin = options.skin.value_or(result.thresholds.skin);
  if (!(result.thresholds.skin < result.thresholds.bone)) {
    return Error{volume.name, "has its skin at " + std::to_string(result.thresholds.skin) + ", above its bone",
                 "give thresholds with skin < bone"};
  }
  if (warnings != nullptr && !volume.modality.empty() && volume.modality != "CT") {
    warnings->push_back(volume.name + ": is " + volume.modality +
                        ", where bone need not be bright; look at the pictures, or give surfaces instead");
  }

  if (!report(progress, "bone surface", 0)) return stopped(volume);
  result.bone = isosurface(blurred(volume, options.bone_blur), {result.thresholds.bone, true});
  if (result.bone.triangles.empty()) return empty_surface(volume, "bone", result.thresholds.bone);
  if (!report(progress, "skin surface", 0.5)) return stopped(volume);
  result.skin = largest_part(isosurface(blurred(volume, options.skin_blur), {result.thresholds.skin, true}));
  if (result.skin.triangles.empty()) return empty_surface(volume, "skin", result.thresholds.skin);
  result.skin_border = near_border(result.skin.positions, volume);
  report(progress, "skin surface", 1);
  return result;
}

}  // namespace supple::scan
