#include "supple/author/scan/extract.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "supple/base/parallel.h"
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

// A forearm leaves through one side of the volume, and in a tight field of view the tips through another.
constexpr std::size_t most_sides = 2;

/// Sides of the volume that the skin is cut by.
std::size_t cut_sides(std::span<const Vec3f> skin, const Volume& volume) {
  constexpr double near = 1;  // samples
  const Affined to_samples = inverse(volume.to_world);
  std::array<bool, 6> cut{};
  for (const Vec3f v : skin) {
    const Vec3d p = to_samples.point(Vec3d(v));
    for (std::size_t a = 0; a < 3; ++a) {
      cut[2 * a] = cut[2 * a] || p[a] < near;
      cut[2 * a + 1] = cut[2 * a + 1] || p[a] > static_cast<double>(volume.size[a]) - 1 - near;
    }
  }
  return static_cast<std::size_t>(std::count(cut.begin(), cut.end(), true));
}

// Of the bone's surface: enough to tell which part surrounds most of it.
constexpr std::size_t asked_points = 1000;

std::vector<Vec3f> some_of(std::span<const Vec3f> points) {
  std::vector<Vec3f> some;
  const std::size_t step = points.size() / asked_points + 1;
  for (std::size_t i = 0; i < points.size(); i += step) some.push_back(points[i]);
  return some;
}

std::size_t enclosed_by(const Bvh& surface, std::span<const Vec3f> points) {
  return parallel_sum<std::size_t>(points.size(), 64, 0, [&](std::size_t begin, std::size_t end) {
    std::size_t inside = 0;
    // Pockets of air are turned inside out and count below zero.
    for (std::size_t i = begin; i < end; ++i) inside += surface.winding_number(points[i]) > 0 ? 1 : 0;
    return inside;
  });
}

struct PartSize {
  Box box{};
  bool any = false;
  double area = 0;
  std::size_t in_box = 0;  // points that were asked for
};

std::vector<PartSize> sizes_of(const Mesh& mesh, const supple::Parts& parts, std::span<const Vec3f> points) {
  std::vector<PartSize> sizes(parts.count);
  for (const Triangle& t : mesh.triangles) {
    PartSize& size = sizes[parts.of_vertex[t[0]]];
    const Vec3d a(mesh.positions[t[0]]), b(mesh.positions[t[1]]), c(mesh.positions[t[2]]);
    size.area += length(cross(b - a, c - a));
    for (const std::uint32_t corner : t) {
      const Vec3f p = mesh.positions[corner];
      size.box = size.any ? Box{min(size.box.low, p), max(size.box.high, p)} : Box{p, p};
      size.any = true;
    }
  }
  for (PartSize& size : sizes) {
    for (const Vec3f p : points)
      size.in_box += min(p, size.box.low) == size.box.low && max(p, size.box.high) == size.box.high;
  }
  return sizes;
}

/// Of each connected part; what is inside out, a cavity, counts below zero.
std::vector<double> piece_volumes(const Mesh& mesh, const supple::Parts& pieces) {
  const Vec3d origin = mesh.positions.empty() ? Vec3d{} : Vec3d(bounds(mesh.positions).center());
  std::vector<double> volumes(pieces.count, 0);
  for (const Triangle& t : mesh.triangles) {
    const Vec3d a = Vec3d(mesh.positions[t[0]]) - origin, b = Vec3d(mesh.positions[t[1]]) - origin,
                c = Vec3d(mesh.positions[t[2]]) - origin;
    volumes[pieces.of_vertex[t[0]]] += dot(a, cross(b, c)) / 6;
  }
  return volumes;
}
std::vector<std::size_t> first_vertices(const supple::Parts& pieces) {
  std::vector<std::size_t> first(pieces.count, pieces.of_vertex.size());
  for (std::size_t v = pieces.of_vertex.size(); v-- > 0;) first[pieces.of_vertex[v]] = v;
  return first;
}

}  // namespace

Mesh part_around(const Mesh& mesh, std::span<const Vec3f> bone) {
  const supple::Parts parts = connected_parts(mesh.positions.size(), mesh.triangles);
  if (parts.count == 0) return {};
  const std::vector<Vec3f> points = some_of(bone);
  const std::vector<PartSize> sizes = sizes_of(mesh, parts, points);
  std::vector<std::uint32_t> order(parts.count);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(sizes[a].in_box, sizes[a].area) > std::pair(sizes[b].in_box, sizes[b].area);
  });
  Mesh best;
  std::size_t most = 0;
  for (const std::uint32_t part : order) {
    if (sizes[part].in_box <= most) break;  // a part has no more inside it than its box has
    Mesh candidate = extract_part(mesh, parts, part);
    const std::size_t enclosed = enclosed_by(Bvh(candidate.positions, candidate.triangles), points);
    if (enclosed <= most) continue;
    most = enclosed;
    best = std::move(candidate);
  }
  if (most > 0) return best;
  const auto largest = std::max_element(sizes.begin(), sizes.end(),
                                        [](const PartSize& a, const PartSize& b) { return a.area < b.area; });
  return extract_part(mesh, parts, static_cast<std::uint32_t>(largest - sizes.begin()));
}

Mesh skin_around(const Mesh& mesh, const Mesh& bone) {
  const supple::Parts parts = connected_parts(mesh.positions.size(), mesh.triangles);
  const supple::Parts pieces = connected_parts(bone.positions.size(), bone.triangles);
  const std::vector<Vec3f> points = some_of(bone.positions);
  const std::vector<PartSize> sizes = sizes_of(mesh, parts, points);
  const std::vector<double> volumes = piece_volumes(bone, pieces);
  const std::vector<std::size_t> first = first_vertices(pieces);
  Mesh best;
  double most = 0;
  for (std::uint32_t part = 0; part < parts.count; ++part) {
    constexpr double least_bone = 0.02;  // of the points asked for: fewer are a ring, or a tube
    if (static_cast<double>(sizes[part].in_box) < least_bone * static_cast<double>(points.size())) continue;
    Mesh candidate = extract_part(mesh, parts, part);
    const Bvh surface(candidate.positions, candidate.triangles);
    if (static_cast<double>(enclosed_by(surface, points)) < least_bone * static_cast<double>(points.size())) continue;
    double inside = 0;
    for (std::size_t piece = 0; piece < pieces.count; ++piece) {
      const Vec3f at = bone.positions[first[piece]];
      if (volumes[piece] > 0 && surface.winding_number(at) > 0) inside += volumes[piece];
    }
    const double flesh = enclosed_volume(candidate.positions, candidate.triangles) - inside;
    const double score = inside > 0 ? flesh * std::min(flesh / inside, 1.0) : flesh;
    if (score <= most) continue;
    most = score;
    best = std::move(candidate);
  }
  return most > 0 ? best : part_around(mesh, bone.positions);
}

double share_in(const Bvh& skin, const Mesh& surface) {
  const std::vector<Vec3f> points = some_of(surface.positions);
  return static_cast<double>(enclosed_by(skin, points)) / static_cast<double>(std::max<std::size_t>(points.size(), 1));
}

void drop_outside(Mesh& bone, const Mesh& skin) {
  if (skin.triangles.empty()) return;
  const supple::Parts pieces = connected_parts(bone.positions.size(), bone.triangles);
  const Bvh surface(skin.positions, skin.triangles);
  constexpr std::size_t asked_of_each = 50;
  std::vector<std::size_t> size(pieces.count, 0), seen(pieces.count, 0), asked(pieces.count, 0),
      inside(pieces.count, 0);
  for (const std::uint32_t piece : pieces.of_vertex) ++size[piece];
  for (std::size_t v = 0; v < bone.positions.size(); ++v) {
    const std::uint32_t piece = pieces.of_vertex[v];
    if (seen[piece]++ % (size[piece] / asked_of_each + 1) != 0) continue;
    ++asked[piece];
    inside[piece] += surface.winding_number(bone.positions[v]) > 0 ? 1 : 0;
  }
  const auto is_inside = [&](std::uint32_t piece) { return 2 * inside[piece] >= asked[piece]; };
  std::size_t kept = 0;
  for (std::uint32_t piece = 0; piece < pieces.count; ++piece) kept += is_inside(piece) ? 1 : 0;
  if (kept == 0 || kept == pieces.count) return;
  Mesh rest;
  std::vector<std::uint32_t> number(bone.positions.size(), 0);
  for (std::size_t v = 0; v < bone.positions.size(); ++v) {
    if (!is_inside(pieces.of_vertex[v])) continue;
    number[v] = static_cast<std::uint32_t>(rest.positions.size());
    rest.positions.push_back(bone.positions[v]);
    rest.normals.push_back(bone.normals[v]);
  }
  for (const Triangle& t : bone.triangles)
    if (is_inside(pieces.of_vertex[t[0]])) rest.triangles.push_back({number[t[0]], number[t[1]], number[t[2]]});
  bone = std::move(rest);
}

void drop_outside(Parts& parts, const Mesh& skin, Warnings* warnings) {
  if (skin.triangles.empty()) return;
  const Bvh surface(skin.positions, skin.triangles);
  std::vector<char> inside(parts.parts.size());
  for (std::size_t p = 0; p < parts.parts.size(); ++p) {
    inside[p] = share_in(surface, parts.parts[p].surface) >= 0.5 ? 1 : 0;
  }
  if (std::find(inside.begin(), inside.end(), 1) == inside.end()) return;
  std::vector<BonePart> kept;
  for (std::size_t p = 0; p < parts.parts.size(); ++p) {
    BonePart& part = parts.parts[p];
    if (inside[p] != 0) {
      kept.push_back(std::move(part));
    } else {
      parts.outside.push_back({part.centre, part.volume});
    }
  }
  parts.parts = std::move(kept);
  if (warnings != nullptr && !parts.outside.empty())
    warnings->push_back(std::to_string(parts.outside.size()) +
                        " pieces as dense as bone lie outside the skin and are not counted as bones");
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
  result.changes = {change_at(volume, result.thresholds.skin), change_at(volume, result.thresholds.bone)};
  if (warnings != nullptr && !volume.modality.empty() && volume.modality != "CT") {
    warnings->push_back(volume.name + ": is " + volume.modality +
                        ", where bone need not be bright; look at the pictures, or give surfaces instead");
  }

  if (!report(progress, "bone surface", 0)) return stopped(volume);
  result.bone = isosurface(blurred(volume, options.bone_blur), {result.thresholds.bone, true});
  if (result.bone.triangles.empty()) return empty_surface(volume, "bone", result.thresholds.bone);
  if (!report(progress, "skin surface", 0.5)) return stopped(volume);
  result.skin =
      skin_around(isosurface(blurred(volume, options.skin_blur), {result.thresholds.skin, true}), result.bone);
  if (result.skin.triangles.empty()) return empty_surface(volume, "skin", result.thresholds.skin);
  drop_outside(result.bone, result.skin);
  result.skin_border = near_border(result.skin.positions, volume);
  if (warnings != nullptr && cut_sides(result.skin.positions, volume) > most_sides) {
    warnings->push_back(volume.name +
                        ": its skin leaves the volume through more than two sides; if the hand lies on the table "
                        "itself they have grown together: raise the skin's threshold above the table's value");
  }
  report(progress, "skin surface", 1);
  return result;
}

}  // namespace supple::scan
