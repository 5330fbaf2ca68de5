#include "supple/workflow/jobs/compare_skins.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "supple/deform/field/limbs.h"
#include "supple/geometry/topology.h"
#include "supple/measure/intersections.h"
#include "supple/measure/region_volumes.h"
#include "supple/measure/volume.h"
#include "supple/rig/hard_skin.h"

namespace supple::workflow {
namespace {

constexpr std::size_t all_crossings = std::numeric_limits<std::size_t>::max();

std::vector<std::size_t> chosen_parts(const Character& c, const CompareOptions& options) {
  if (!options.parts.empty()) return options.parts;
  std::vector<std::size_t> parts;
  const std::vector<bool> flows = flowing_parts(c);
  for (std::size_t p = 0; p < flows.size(); ++p)
    if (flows[p]) parts.push_back(p);
  return parts;
}

std::vector<Vec3f> surface_of(const Skin& skin, std::span<const std::size_t> parts) {
  std::vector<Vec3f> all;
  for (const std::size_t p : parts) all.insert(all.end(), skin.positions(p).begin(), skin.positions(p).end());
  return all;
}

/// The joint that each vertex of the parts follows most.
std::vector<JointIndex> followed_by_each(const Character& c, std::span<const std::size_t> parts) {
  const std::vector<JointIndex> bone_of = bone_of_each_joint(c);
  std::vector<JointIndex> joints;
  for (const std::size_t p : parts) {
    const Part& part = c.parts[p];
    for (std::size_t v = 0; v < part.mesh.positions.size(); ++v) {
      if (!part.skin) {
        joints.push_back(part.node);
        continue;
      }
      const std::span<const Influence> influences = part.weights.of(v);  // the heaviest first
      joints.push_back(influences.empty() ? no_joint : bone_of[c.skins[*part.skin].joints[influences[0].joint]]);
    }
  }
  return joints;
}

}  // namespace

/// The parts as one surface at rest, and what measures it. A learnt skin comes back to it to rounding, which is enough
/// to part vertices that were split along seams: figures of both skins refer to the rest of the first.
struct SkinJudge::Surface {
  std::vector<std::size_t> parts, first_vertex;  // #parts: of the surface's vertices
  Mesh rest;
  std::optional<measure::SelfIntersectionTest> crossings;
  std::optional<SkinDamageTest> damage;
  bool closed = false;
  std::vector<std::uint32_t> region_of;  // #T
  std::vector<SkinRegion> regions;
  std::optional<measure::RegionVolumes> volumes;
  std::vector<std::uint32_t> piece_of;          // #V: connected pieces
  std::set<std::array<std::uint32_t, 2>> sunk;  // pieces of which one is a hard shell, and which cross at rest

  Result<SkinFigures> figures_of(std::span<const Vec3f> posed) const {
    SkinFigures figures;
    figures.broken = !measure::check_posed(rest, posed).ok();
    if (figures.broken) return figures;
    if (closed) {
      const auto volume = measure::volume_change(rest, posed);
      if (!volume) return volume.error();
      figures.volume_change = volume->relative;
    }
    const std::vector<double> now = volumes->of(posed);
    for (std::size_t r = 0; r < regions.size(); ++r) {
      const double was = regions[r].volume;
      figures.region_changes.push_back(was != 0 ? static_cast<float>(now[r] / was - 1) : 0.0f);
    }
    return with_crossings(posed, std::move(figures));
  }
  Result<SkinFigures> with_crossings(std::span<const Vec3f> posed, SkinFigures figures) const {
    const auto found = crossings->run(posed, all_crossings);
    if (!found) return found.error();
    figures.crossed.resize(regions.size());
    std::vector<std::uint32_t> triangles;
    for (const measure::Crossing& c : found->crossings) {
      if (c.at_rest || sunk.contains(pieces_at(c))) continue;
      triangles.push_back(c.first);
      triangles.push_back(c.second);
      if (c.length <= figures.longest_crossing) continue;
      figures.longest_crossing = c.length;
      figures.crossing_joint = regions[region_of[c.first]].joint;
    }
    std::sort(triangles.begin(), triangles.end());
    triangles.erase(std::unique(triangles.begin(), triangles.end()), triangles.end());
    figures.crossing = triangles.size();
    for (const std::uint32_t t : triangles) ++figures.crossed[region_of[t]];
    return figures;
  }
  void find_damage(std::span<const Vec3f> was, std::span<const Vec3f> is, ComparedPose& pose) const {
    std::vector<float> blame(rest.positions.size());
    pose.damage = damage->measure(was, is, blame, false);
    pose.damaged.assign(regions.size(), 0);
    for (std::size_t t = 0; t < rest.triangles.size(); ++t)
      if (std::ranges::any_of(rest.triangles[t], [&](std::uint32_t v) { return blame[v] > 0; }))
        ++pose.damaged[region_of[t]];
  }
  /// Of two triangles that cross, the smaller number first.
  std::array<std::uint32_t, 2> pieces_at(const measure::Crossing& c) const {
    const std::uint32_t a = piece_of[rest.triangles[c.first][0]], b = piece_of[rest.triangles[c.second][0]];
    return {std::min(a, b), std::max(a, b)};
  }
  /// Finds shells that are sunk into other pieces.
  Result<void> find_sunk(const Character& c) {
    const HardSkin hard = find_hard_skin(c);
    std::set<std::uint32_t> shells;
    for (const HardSkin::Shell& shell : hard.shells) {
      const auto place = std::find(parts.begin(), parts.end(), std::size_t{shell.part});
      if (place == parts.end()) continue;
      shells.insert(piece_of[first_vertex[static_cast<std::size_t>(place - parts.begin())] + shell.vertices[0]]);
    }
    const auto found = crossings->run(rest.positions, all_crossings);
    if (!found) return found.error();
    for (const measure::Crossing& crossing : found->crossings) {
      const std::array<std::uint32_t, 2> pair = pieces_at(crossing);
      if (pair[0] != pair[1] && (shells.contains(pair[0]) || shells.contains(pair[1]))) sunk.insert(pair);
    }
    return {};
  }
};

namespace {

struct Regions {
  std::vector<std::uint32_t> of_triangle, piece_of;  // #T, #V
  std::vector<SkinRegion> all;
};

Regions find_regions(const Character& c, const Mesh& rest, std::span<const std::size_t> parts,
                     std::span<const std::size_t> first_vertex) {
  Regions regions;
  const Weld points = weld(rest.positions);
  std::vector<Triangle> joined = rest.triangles;
  for (Triangle& t : joined)
    for (std::uint32_t& v : t) v = points.to_point[v];
  const Parts pieces = connected_parts(points.points(), joined);
  for (const std::uint32_t point : points.to_point) regions.piece_of.push_back(pieces.of_vertex[point]);
  const std::vector<JointIndex> followed = followed_by_each(c, parts);
  std::map<std::array<std::uint32_t, 2>, std::uint32_t> numbers;
  for (std::size_t i = 0; i < rest.triangles.size(); ++i) {
    const Triangle& t = rest.triangles[i];
    const JointIndex joint = followed[t[1]] == followed[t[2]] ? followed[t[1]] : followed[t[0]];  // of two corners
    const std::array<std::uint32_t, 2> key{pieces.of_vertex[joined[i][0]], joint};
    const auto [place, added] = numbers.try_emplace(key, static_cast<std::uint32_t>(regions.all.size()));
    if (added) {
      const auto after = std::upper_bound(first_vertex.begin(), first_vertex.end(), std::size_t{t[0]});
      regions.all.push_back({joint, parts[static_cast<std::size_t>(after - first_vertex.begin()) - 1], 0});
    }
    regions.of_triangle.push_back(place->second);
  }
  return regions;
}

Result<void> show(Skin& skin, const Pose& pose, const ComparedMoment& moment, bool second) {
  if (second && !moment.muscles.empty()) {
    if (auto ok = skin.set_muscles(moment.muscles); !ok) return ok;
    return skin.evaluate(pose);
  }
  if (moment.plays) return skin.evaluate(pose);
  if (auto ok = skin.set_flesh({}); !ok) return ok;  // forgets the pose before
  return skin.animate(pose, 0);                      // flesh hangs as this one lets it
}

}  // namespace

SkinJudge::SkinJudge() = default;
SkinJudge::SkinJudge(SkinJudge&&) noexcept = default;
SkinJudge& SkinJudge::operator=(SkinJudge&&) noexcept = default;
SkinJudge::~SkinJudge() = default;

std::span<const std::size_t> SkinJudge::parts() const { return surface_->parts; }

Result<SkinJudge> SkinJudge::make(const Character& before, const ComparisonPoses& poses, const CompareOptions& options,
                                  Work& work) {
  auto skin = Skin::make(before, options.before);  // what is to be said about the character was said when it was read
  if (!skin) return skin.error();
  SkinJudge judge;
  judge.options_ = options;
  judge.surface_ = std::make_unique<Surface>();
  Surface& s = *judge.surface_;
  s.parts = chosen_parts(before, options);
  if (s.parts.empty()) return Error{before.name, "has no skin that follows joints", "bind it first: supple bind"};
  s.rest.positions = surface_of(*skin, s.parts);
  std::size_t first = 0;
  for (const std::size_t p : s.parts) {
    s.first_vertex.push_back(first);
    const auto shift = static_cast<std::uint32_t>(first);
    for (const Triangle& t : before.parts[p].mesh.triangles)
      s.rest.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
    first += before.parts[p].mesh.positions.size();
  }
  auto crossings = measure::SelfIntersectionTest::make(s.rest);
  if (!crossings) return crossings.error();
  s.crossings = std::move(*crossings);
  s.damage.emplace(s.rest.positions, s.rest.triangles);
  s.closed = measure::closed_volume(s.rest).ok();
  Regions regions = find_regions(before, s.rest, s.parts, s.first_vertex);
  s.region_of = std::move(regions.of_triangle);
  s.piece_of = std::move(regions.piece_of);
  if (auto ok = s.find_sunk(before); !ok) return ok.error();
  s.regions = std::move(regions.all);
  s.volumes.emplace(s.rest, s.region_of, s.regions.size());
  const std::vector<double> volumes = s.volumes->of(s.rest.positions);
  for (std::size_t r = 0; r < volumes.size(); ++r) s.regions[r].volume = volumes[r];

  judge.figures_.source = poses.source;
  judge.figures_.closed = s.closed;
  judge.figures_.pairs_of_triangles = s.damage->pairs_of_triangles();
  judge.figures_.unit = before.unit.value_or(1);
  judge.figures_.region_slack = options.region_slack;
  judge.figures_.regions = s.regions;
  for (std::size_t i = 0; i < poses.moments.size(); ++i) {
    const ComparedMoment& moment = poses.moments[i];
    if (!report(work.progress, "comparing", static_cast<double>(i) / static_cast<double>(poses.moments.size())))
      return Error{"the comparison", "was stopped", ""};
    if (auto ok = show(*skin, moment.before, moment, false); !ok) return ok.error();
    ComparedPose pose;
    pose.name = moment.name;
    pose.local = moment.before.local;
    judge.positions_.push_back(surface_of(*skin, s.parts));
    auto figures = s.figures_of(judge.positions_.back());
    if (!figures) return figures.error();
    pose.before = std::move(*figures);
    judge.figures_.poses.push_back(std::move(pose));
  }
  return judge;
}

Result<SkinComparison> SkinJudge::compare(const Character& after, const ComparisonPoses& poses, Work& work) const {
  auto skin = Skin::make(after, options_.after);
  if (!skin) return skin.error();
  SkinComparison comparison = figures_;
  const Surface& s = *surface_;
  for (std::size_t i = 0; i < comparison.poses.size(); ++i) {
    ComparedPose& pose = comparison.poses[i];
    if (!report(work.progress, "comparing", static_cast<double>(i) / static_cast<double>(comparison.poses.size())))
      return Error{"the comparison", "was stopped", ""};
    if (auto ok = show(*skin, poses.moments[i].after, poses.moments[i], true); !ok) return ok.error();
    const std::vector<Vec3f> is = surface_of(*skin, s.parts);
    auto figures = s.figures_of(is);
    if (!figures) return figures.error();
    pose.after = std::move(*figures);
    if (!pose.before.broken && !pose.after.broken) s.find_damage(positions_[i], is, pose);
    for (std::size_t v = 0; v < is.size(); ++v) {
      const double moved = double{length(is[v] - positions_[i][v])};
      if (!(moved > pose.moved)) continue;
      pose.moved = moved;
      const auto place = std::upper_bound(s.first_vertex.begin(), s.first_vertex.end(), v) - 1;
      pose.moved_part = s.parts[static_cast<std::size_t>(place - s.first_vertex.begin())];
      pose.moved_vertex = static_cast<std::uint32_t>(v - *place);
    }
  }
  return comparison;
}

Result<SkinComparison> compare_skins(const Character& before, const Character& after, const ComparisonPoses& poses,
                                     const CompareOptions& options, Work& work) {
  Work first, second;
  first.progress = within(work.progress, 0, 0.5);
  second.progress = within(work.progress, 0.5, 1);
  const auto judge = SkinJudge::make(before, poses, options, first);
  if (!judge) return judge.error();
  return judge->compare(after, poses, second);
}

}  // namespace supple::workflow
