// The strip's way over the surface, and the shape of a fold about it.
#include "supple/author/propose/build_wrinkle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <queue>

#include "supple/deform/wrinkle/drive.h"
#include "supple/geometry/topology.h"
#include "supple/rig/append_morphs.h"

namespace supple {
namespace {

/// Fewer edges than this to a wave would not look like one.
constexpr double edges_per_wave = 3;
/// Of the height, and of a unit normal: less is not stored.
constexpr double least_offset = 1e-5;

/// The part before it is skinned, as it is at rest, its seams joined.
struct RestShape {
  std::vector<Vec3f> positions, normals;  // #V; normals of the surface, equal on both sides of a seam
  Weld seams;
  Adjacency neighbours;  // of points

  RestShape(const Character& character, const Part& part) : positions(part.mesh.positions), normals(positions.size()) {
    seams = weld(positions);
    neighbours = vertex_neighbours(seams.points(), welded_triangles(part.mesh.triangles, seams));
    for (std::size_t m = 0; m < part.morphs.size(); ++m) {
      const MorphTarget& morph = part.morphs[m];
      const float weight = character.morph_weights[part.first_morph_weight + m];
      for (std::size_t i = 0; i < morph.positions.size(); ++i)
        positions[morph.vertices.empty() ? i : morph.vertices[i]] += morph.positions[i] * weight;
    }
    compute_normals(positions, part.mesh.triangles, normals, seams.to_point);
  }
  Vec3d point(std::uint32_t p) const { return Vec3d(positions[seams.to_vertex[p]]); }
};

/// Points after `from` up to `to` by the shortest way along edges (Dijkstra; of equal ways always the same). Empty:
/// none.
std::vector<std::uint32_t> shortest_way(const RestShape& shape, std::uint32_t from, std::uint32_t to) {
  constexpr std::uint32_t none = 0xffffffffu;
  std::vector<double> distance(shape.seams.points(), std::numeric_limits<double>::infinity());
  std::vector<std::uint32_t> before(shape.seams.points(), none);
  using Reached = std::pair<double, std::uint32_t>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> open;
  distance[from] = 0;
  open.push({0, from});
  while (!open.empty() && open.top().second != to) {
    const auto [so_far, p] = open.top();
    open.pop();
    if (so_far > distance[p]) continue;
    for (const std::uint32_t q : shape.neighbours.of(p)) {
      const double there = so_far + length(shape.point(q) - shape.point(p));
      if (there < distance[q]) {
        distance[q] = there;
        before[q] = p;
        open.push({there, q});
      }
    }
  }
  std::vector<std::uint32_t> way;
  if (before[to] == none) return way;
  for (std::uint32_t p = to; p != from; p = before[p]) way.push_back(p);
  std::reverse(way.begin(), way.end());
  return way;
}

Result<std::vector<std::uint32_t>> find_strip(const RestShape& shape, const std::vector<std::uint32_t>& through) {
  if (through.size() < 2) {
    return Error{"strip", "passes through " + std::to_string(through.size()) + " vertices", "give two or more"};
  }
  for (const std::uint32_t v : through) {
    if (v >= shape.positions.size()) {
      return Error{"strip, vertex " + std::to_string(v),
                   "does not exist among " + std::to_string(shape.positions.size()) + " vertices", ""};
    }
  }
  std::vector<std::uint32_t> strip{through[0]};
  for (std::size_t i = 1; i < through.size(); ++i) {
    const std::uint32_t from = shape.seams.to_point[through[i - 1]], to = shape.seams.to_point[through[i]];
    if (from == to)
      return Error{"strip, vertex " + std::to_string(through[i]), "is where the one before it is", "leave one out"};
    const std::vector<std::uint32_t> way = shortest_way(shape, from, to);
    if (way.empty()) {
      return Error{"strip, vertex " + std::to_string(through[i]),
                   "cannot be reached from vertex " + std::to_string(through[i - 1]) + " along edges",
                   "choose vertices of one connected surface"};
    }
    for (const std::uint32_t p : way) strip.push_back(shape.seams.to_vertex[p]);
  }
  return strip;
}

/// The strip as a polyline with the length of the way to each corner.
class StripLine {
 public:
  StripLine(const RestShape& shape, std::span<const std::uint32_t> strip) {
    for (const std::uint32_t v : strip) {
      corners_.emplace_back(shape.positions[v]);
      normals_.emplace_back(shape.normals[v]);
      way_.push_back(way_.empty() ? 0 : way_.back() + supple::length(corners_.back() - corners_[corners_.size() - 2]));
      longest_edge_ = std::max(longest_edge_, way_.back() - (way_.size() > 1 ? way_[way_.size() - 2] : 0));
    }
  }
  struct Nearest {
    double distance, way;
    Vec3d normal;
  };
  Nearest nearest(Vec3d p) const {
    Nearest best{std::numeric_limits<double>::infinity(), 0, {}};
    for (std::size_t i = 1; i < corners_.size(); ++i) {
      const Vec3d edge = corners_[i] - corners_[i - 1];
      const double squared = squared_length(edge);
      const double t = squared > 0 ? std::clamp(dot(p - corners_[i - 1], edge) / squared, 0.0, 1.0) : 0;
      const double distance = supple::length(p - corners_[i - 1] - edge * t);
      if (distance < best.distance)
        best = {distance, way_[i - 1] + t * (way_[i] - way_[i - 1]), lerp(normals_[i - 1], normals_[i], t)};
    }
    return best;
  }
  double length() const { return way_.back(); }
  double longest_edge() const { return longest_edge_; }

 private:
  std::vector<Vec3d> corners_, normals_;
  std::vector<double> way_;  // #corners
  double longest_edge_ = 0;
};

/// Height of a fold over the rest shape, 1 on its crests: whole waves with a crease in the middle, where joints bend,
/// that rise over the first and last of them and run out across. Smooth everywhere but where the strip has corners.
class Fold {
 public:
  Fold(const StripLine& line, const WrinkleOptions& options)
      : line_(line), width_(options.width), waves_(std::round(line.length() / options.wavelength)) {}

  double at(Vec3d p, Vec3d normal) const {
    const StripLine::Nearest near = line_.nearest(p);
    if (near.distance >= width_) return 0;
    const double across = 1 - near.distance * near.distance / (width_ * width_);
    const double along = near.way / line_.length(), to_end = std::min(along, 1 - along);
    const double rise = std::min(to_end * std::max(waves_, 2.0), 1.0);
    const double facing = std::max(dot(normal, near.normal), 0.0);  // not on the far side of something thin
    return -std::cos(2 * std::numbers::pi * waves_ * (along - 0.5)) * rise * rise * (3 - 2 * rise) * across * across *
           facing;
  }

 private:
  const StripLine& line_;
  double width_, waves_;
};

Result<void> check(const WrinkleOptions& options, const StripLine& line) {
  const auto above_zero = [](double value) { return std::isfinite(value) && value > 0; };
  if (!above_zero(options.wavelength))
    return Error{"wavelength", "is not a positive number", "try a third of the strip"};
  if (!above_zero(options.width)) return Error{"width", "is not a positive number", "try the wavelength"};
  if (!(std::isfinite(options.height) && options.height >= 0))
    return Error{"height", "is negative or not a number", "0 is a quarter of the wavelength"};
  if (options.wavelength > line.length()) {
    return Error{"wavelength", "is longer than the strip, " + std::to_string(line.length()),
                 "choose a longer strip or shorter waves"};
  }
  if (options.wavelength < edges_per_wave * line.longest_edge()) {
    return Error{"wavelength", "is too short for edges of " + std::to_string(line.longest_edge()),
                 "choose waves of three edges or more, or subdivide the mesh"};
  }
  return {};
}

MorphTarget fold_target(const RestShape& shape, const Part& part, const WrinkleOptions& options, const Fold& fold) {
  const double height = options.height > 0 ? options.height : options.wavelength / 4;
  std::vector<Vec3f> offsets, folded = shape.positions, normals(folded.size());
  for (std::size_t v = 0; v < folded.size(); ++v) {
    const double high = fold.at(Vec3d(shape.positions[v]), Vec3d(shape.normals[v]));
    offsets.push_back(std::abs(high) < least_offset ? Vec3f{} : Vec3f(Vec3d(shape.normals[v]) * (high * height)));
    folded[v] += offsets[v];
  }
  compute_normals(folded, part.mesh.triangles, normals, shape.seams.to_point);
  MorphTarget target;
  target.name = options.name;
  for (std::uint32_t v = 0; v < folded.size(); ++v) {
    const Vec3f turned = normals[v] - shape.normals[v];
    if (offsets[v] == Vec3f{} && double{length(turned)} < least_offset) continue;
    target.vertices.push_back(v);
    target.positions.push_back(offsets[v]);
    if (!part.mesh.normals.empty()) target.normals.push_back(turned);
  }
  return target;
}

}  // namespace

Result<void> add_wrinkle(Character& character, std::span<const std::size_t> parts, const WrinkleOptions& options) {
  if (parts.empty() || parts[0] >= character.parts.size()) {
    return Error{"wrinkle '" + options.name + "'", "is on a part that does not exist", ""};
  }
  const auto of_wrinkle = [&](const Error& e) {
    return Error{"wrinkle '" + options.name + "', " + e.item, e.problem, e.remedy};
  };
  const Part& part = character.parts[parts[0]];
  const RestShape shape(character, part);
  auto strip = find_strip(shape, options.strip);
  if (!strip) return of_wrinkle(strip.error());
  const StripLine line(shape, *strip);
  if (auto ok = check(options, line); !ok) return of_wrinkle(ok.error());
  MorphTarget target = fold_target(shape, part, options, Fold(line, options));
  const float flat = 0;
  const std::uint32_t weight = append_morphs(character, parts, {std::move(target)}, std::span(&flat, 1));

  // Measured in the rest pose, not on the mesh, which joints may scale.
  Wrinkle wrinkle{options.name, static_cast<std::uint32_t>(parts[0]), std::move(*strip), 1, weight};
  const auto table = build_wrinkle_table(character, std::span(&wrinkle, 1));
  if (!table) return table.error();
  const Pose rest = character.rest();
  wrinkle.rest_length =
      static_cast<float>(strip_length(*table, 0, to_world(character.skeleton, rest), rest.morph_weights));
  character.wrinkles.push_back(std::move(wrinkle));
  return {};
}

}  // namespace supple
