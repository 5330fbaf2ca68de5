// Skin and bones drawn into a lattice, blurred and made noisy as a scanner does.
#include <algorithm>
#include <cmath>
#include <memory>

#include "supple/base/parallel.h"
#include "supple/geometry/bvh.h"
#include "supple/phantom/label_painter.h"
#include "supple/phantom/noise.h"
#include "supple/phantom/phantom.h"
#include "supple/phantom/raster.h"

namespace supple::phantom {
namespace {

constexpr std::size_t most_samples = 1'500'000'000;  // 9 GB while it is drawn
constexpr double rigid_tolerance = 1e-6;

Result<void> check(const Subject& subject, const PosedTruth& pose, const ScanOptions& o) {
  const Part* skin = subject.character.parts.empty() ? nullptr : &subject.character.parts[0];
  if (skin == nullptr || pose.skin.size() != skin->mesh.positions.size() || pose.bones.size() != subject.bones.size())
    return Error{"pose '" + pose.name + "'", "is not of this subject", ""};
  if (!(std::min({o.voxel.x, o.voxel.y, o.voxel.z}) > 0))
    return Error{"voxel", "is not positive", "give its size in metres, such as 0.0009"};
  if (!(o.noise >= 0) || !(o.blur >= 0) || !(o.margin >= 0) || !(o.missing_patch >= 0))
    return Error{"noise, blur, margin or missing patch", "is negative", "give 0 or more"};
  if (!(o.crop >= 0)) return Error{"crop", "is negative", "give 0 or more"};
  if (o.table && !(o.table->sheet > 0 && o.table->gap >= 0 && o.table->between >= 0 && o.table->width >= 0))
    return Error{"table", "has a thickness or a distance that is no length", "give metres"};
  if (norm(transpose(o.placement.linear) * o.placement.linear - Mat3d{}) > rigid_tolerance ||
      determinant(o.placement.linear) < 0)
    return Error{"placement", "is not a rotation and a shift", "a scanner does not stretch or mirror"};
  return {};
}

double depth(const Table& table) { return table.gap + 2 * table.sheet + table.between; }

// What lies beyond the wrist's end is not scanned; neither is the air there.
Result<void> cut_off(Volume& volume, double wrist_end, const ScanOptions& o) {
  const double cut = std::round((wrist_end + o.crop - volume.to_world.translation.z) / o.voxel.z);
  if (!(cut < static_cast<double>(volume.size[2])))
    return Error{"crop", "leaves nothing to be scanned", "give less than the length of the hand, in metres"};
  volume.size[2] -= static_cast<std::size_t>(cut);
  volume.to_world.translation.z += cut * o.voxel.z;
  return {};
}

// The lattice has the scanner's axes and the skin in its middle; with a table, it goes on below the palm.
Result<Volume> lattice_around(std::span<const Vec3f> skin, const ScanOptions& o) {
  Volume volume;
  volume.modality = o.resonance ? "MR" : "CT";
  const Box box = bounds(skin);
  double samples = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    double extent = double{box.high[a]} - double{box.low[a]} + 2 * o.margin;
    if (o.table && a == 0) extent = std::max(extent, o.table->width);
    double count = std::max(std::ceil(extent / o.voxel[a]) + 1, static_cast<double>(o.size[a]));
    const double around = count;
    if (o.table && a == 1) count += std::ceil(depth(*o.table) / o.voxel[a]);
    samples *= count;
    if (samples > static_cast<double>(most_samples))
      return Error{"voxel", "is so small that the scan has more than 1.5 billion samples", "choose a larger one"};
    volume.size[a] = static_cast<std::size_t>(count);
    volume.to_world.linear[a] = volume.to_world.linear[a] * o.voxel[a];
    volume.to_world.translation[a] = 0.5 * (double{box.low[a]} + double{box.high[a]} - o.voxel[a] * (around - 1));
  }
  if (o.crop > 0)
    if (auto cut = cut_off(volume, double{box.low.z}, o); !cut) return cut.error();
  return volume;
}

/// A closed surface that may run through itself, where fingers are pressed together: what is inside counts once, and
/// the surfaces within it are not seen.
double distance_to_skin(const Bvh& skin, Vec3f p) {
  constexpr float ramp = 0.5f,
                  beyond = 0.02f;  // samples: where the distance is looked at, and a step to the other side
  const ClosestPoint closest = skin.closest(p);
  if (!skin.inside(p)) return double{closest.distance};
  if (closest.distance < ramp) {
    const Vec3f other_side = closest.point + normalized(closest.point - p) * beyond;
    if (skin.inside(other_side)) return -double{ramp};
  }
  return -double{closest.distance};
}

LatticeShape skin_shape(std::span<const Vec3f> placed, std::span<const Triangle> triangles, const Affined& to_samples) {
  std::vector<Vec3f> points;
  points.reserve(placed.size());
  for (const Vec3f p : placed) points.emplace_back(to_samples.point(Vec3d(p)));
  const Box box = bounds(points);
  const auto tree = std::make_shared<const Bvh>(points, triangles);
  return {[tree](Vec3d p) { return distance_to_skin(*tree, Vec3f(p)); }, 1, true, Vec3d(box.low), Vec3d(box.high)};
}

// `to_samples`: rest space of the bone to samples.
LatticeShape bone_shape(const Solid& bone, const Affined& to_samples, double largest_voxel) {
  LatticeShape shape;
  const Affined to_rest = inverse(to_samples);
  shape.distance = [&bone, to_rest](Vec3d p) { return bone.distance(to_rest.point(p)); };
  shape.lipschitz = bone.lipschitz * largest_voxel;
  shape.in_samples = false;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3d p =
        to_samples.point({(corner & 1) != 0 ? bone.high.x : bone.low.x, (corner & 2) != 0 ? bone.high.y : bone.low.y,
                          (corner & 4) != 0 ? bone.high.z : bone.low.z});
    shape.low = corner == 0 ? p : min(shape.low, p);
    shape.high = corner == 0 ? p : max(shape.high, p);
  }
  return shape;
}

// One sheet of a table, whose upper side is `under` metres below `palm` (samples along y).
LatticeShape sheet_shape(double palm, double under, const ScanOptions& o, const std::array<std::size_t, 3>& size) {
  const double half = 0.5 * o.table->sheet / o.voxel.y, middle = palm + under / o.voxel.y + half;
  const Vec3d last{static_cast<double>(size[0]), static_cast<double>(size[1]), static_cast<double>(size[2])};
  return {[=](Vec3d p) { return std::abs(p.y - middle) - half; },
          1,
          true,
          {-1, middle - half, -1},
          {last.x, middle + half, last.z}};
}

// A cylinder from one finger into the other: flesh where there was a gap, so that no surface is seen in it.
Solid bridge(const FingerContact& contact, double radius) {
  const Vec3d along = contact.b - contact.a, direction = normalized(along, Vec3d{1, 0, 0});
  const Vec3d from = contact.a - direction * radius;  // fingers are thicker than the patch: its ends lie inside them
  const double whole = length(along) + 2 * radius;
  Solid solid;
  solid.name = "bridge";
  solid.lipschitz = 1;
  solid.distance = [=](Vec3d p) {
    const double y = dot(p - from, direction);
    const double across = length(p - from - direction * y) - radius, beyond = std::max(-y, y - whole);
    return std::max(across, beyond);
  };
  const Vec3d reach{radius, radius, radius}, to = from + direction * whole;
  solid.low = min(from, to) - reach;
  solid.high = max(from, to) + reach;
  return solid;
}

std::vector<Vec3f> placed_skin(const PosedTruth& pose, const ScanOptions& o) {
  std::vector<Vec3f> placed;
  placed.reserve(pose.skin.size());
  for (const Vec3f p : pose.skin) placed.emplace_back(o.placement.point(Vec3d(p)));
  return placed;
}

/// Brighter along y, as near a coil that lies on one side of the hand.
void vary(const Resonance& resonance, const std::array<std::size_t, 3>& size, std::span<float> image) {
  for (std::size_t i = 0; i < image.size(); ++i) {
    const std::size_t row = i / size[0] % size[1];
    const double along = 2 * static_cast<double>(row) / static_cast<double>(size[1]) - 1;
    image[i] *= static_cast<float>(1 + resonance.variation * along);
  }
}

void to_integers(std::span<const float> image, const ScanOptions& o, std::span<std::int16_t> samples) {
  constexpr std::size_t chunk = 1 << 16;
  const double sigma = o.resonance ? o.resonance->noise : o.noise;
  parallel_for(image.size(), chunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const double noise = sigma > 0 ? sigma * normal_at(o.seed, i) : 0;
      const double value = std::clamp(std::nearbyint(double{image[i]} + noise), -32768.0, 32767.0);
      samples[i] = static_cast<std::int16_t>(value);
    }
  });
}

}  // namespace

Result<LabelMap> labels_of_scan(const Subject& subject, const PosedTruth& pose, const ScanOptions& o,
                                Labelling labelling, const Progress& progress) {
  if (auto checked = check(subject, pose, o); !checked) return checked.error();
  const std::vector<Vec3f> placed = placed_skin(pose, o);
  Result<Volume> lattice = lattice_around(placed, o);
  if (!lattice) return lattice.error();
  lattice->name = pose.name;
  if (!report(progress, "labelling " + pose.name, 0)) return Error{"labels", "were stopped", ""};
  const Affined to_samples = inverse(lattice->to_world);
  std::vector<float> body(lattice->count(), 0);
  mix(skin_shape(placed, subject.character.parts[0].mesh.triangles, to_samples), 1, lattice->size, body);
  LabelPainter painter(*lattice, body);
  const double largest_voxel = std::max({o.voxel.x, o.voxel.y, o.voxel.z});
  for (std::size_t b = 0; b < subject.bones.size(); ++b) {
    const std::string& bone = subject.bones[b].name;
    const std::string name = labelling == Labelling::each ? bone : group_of(bone);
    painter.paint(bone_shape(subject.bones[b], to_samples * o.placement * pose.bones[b], largest_voxel), name);
  }
  return painter.finish();
}

Result<Volume> scan(const Subject& subject, const PosedTruth& pose, const ScanOptions& o, const Progress& progress) {
  if (auto checked = check(subject, pose, o); !checked) return checked.error();
  const std::vector<Vec3f> placed = placed_skin(pose, o);
  Result<Volume> volume = lattice_around(placed, o);
  if (!volume) return volume;
  volume->name = pose.name;

  const Affined to_samples = inverse(volume->to_world);
  const double largest_voxel = std::max({o.voxel.x, o.voxel.y, o.voxel.z});
  const auto stop = [&](double fraction) { return !report(progress, "scanning " + pose.name, fraction); };
  const Error stopped{"scan", "was stopped", ""};
  if (stop(0)) return stopped;
  const Resonance* mr = o.resonance ? &*o.resonance : nullptr;
  std::vector<float> image(volume->count(), static_cast<float>(mr != nullptr ? mr->air : o.air));
  const auto tissue = static_cast<float>(mr != nullptr ? mr->tissue : o.tissue);
  const auto bone = static_cast<float>(mr != nullptr ? mr->cortex : o.bone);
  mix(skin_shape(placed, subject.character.parts[0].mesh.triangles, to_samples), tissue, volume->size, image);
  if (o.table) {
    // Palm down, and the back of the body, where the table is, along +y: see placement_of().
    const double palm = to_samples.point(Vec3d(bounds(placed).high)).y;
    const auto density = static_cast<float>(o.table->density);
    for (const double under : {o.table->gap, o.table->gap + o.table->sheet + o.table->between})
      mix(sheet_shape(palm, under, o, volume->size), density, volume->size, image);
  }
  if (o.missing_patch > 0) {
    const auto contact = nearest_fingers(subject, pose);
    if (!contact) return Error{"missing patch", "needs fingers that are named as a hand's", "leave it out"};
    const Solid between = bridge(*contact, o.missing_patch);
    mix(bone_shape(between, to_samples * o.placement, largest_voxel), tissue, volume->size, image);
  }
  for (std::size_t b = 0; b < subject.bones.size(); ++b) {
    if (stop(0.4 + 0.3 * static_cast<double>(b) / static_cast<double>(subject.bones.size()))) return stopped;
    const Affined moved = to_samples * o.placement * pose.bones[b];
    LatticeShape shape = bone_shape(subject.bones[b], moved, largest_voxel);
    mix(shape, bone, volume->size, image);
    if (mr == nullptr) continue;
    shape.distance = [outer = shape.distance, shell = mr->shell](Vec3d p) { return outer(p) + shell; };
    mix(shape, static_cast<float>(mr->marrow), volume->size, image);
  }
  if (mr != nullptr) vary(*mr, volume->size, image);
  if (stop(0.7)) return stopped;
  blur(image, volume->size, o.blur);
  if (stop(0.85)) return stopped;
  volume->samples.resize(image.size());
  to_integers(image, o, volume->samples);
  return volume;
}

}  // namespace supple::phantom
