#include "supple/deform/delta_mush/table.h"

#include <algorithm>
#include <map>

#include "supple/base/parallel.h"

namespace supple {
namespace {

constexpr std::size_t points_at_once = 512;

/// Points on edges that one triangle has alone.
std::vector<bool> border_points(std::size_t points, std::span<const Triangle> triangles) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> uses;
  for (const Triangle& t : triangles)
    for (std::size_t i = 0; i < 3; ++i) ++uses[std::minmax(t[i], t[(i + 1) % 3])];
  std::vector<bool> result(points);
  for (const auto& [edge, count] : uses)
    if (count == 1) result[edge.first] = result[edge.second] = true;
  return result;
}

void find_fans(std::size_t points, std::span<const Triangle> triangles, DeltaMushTable& table) {
  std::vector<std::vector<std::array<std::uint32_t, 2>>> around(points);
  for (const Triangle& t : triangles)
    for (std::size_t i = 0; i < 3; ++i) around[t[i]].push_back({t[(i + 1) % 3], t[(i + 2) % 3]});
  table.first_fan.push_back(0);
  for (const auto& fan : around) {
    table.fans.insert(table.fans.end(), fan.begin(), fan.end());
    table.first_fan.push_back(static_cast<std::uint32_t>(table.fans.size()));
  }
}

Vec3f outward(const DeltaMushTable& table, std::span<const Vec3f> points, std::size_t point) {
  Vec3f sum{};
  for (std::uint32_t f = table.first_fan[point]; f < table.first_fan[point + 1]; ++f)
    sum += cross(points[table.fans[f][0]] - points[point], points[table.fans[f][1]] - points[point]);
  return sum;
}

/// The neighbour that lies farthest along the surface: the steadiest direction there is.
std::uint32_t direction_of(const DeltaMushTable& table, std::span<const Vec3f> smooth, std::uint32_t point) {
  const Vec3f out = outward(table, smooth, point);
  if (!(squared_length(out) > 0)) return point;
  const Vec3f normal = normalized(out);
  std::uint32_t best = point;
  float farthest = 0;
  for (const std::uint32_t n : table.neighbours.of(point)) {
    const Vec3f edge = smooth[n] - smooth[point];
    const float along = squared_length(edge - normal * dot(normal, edge));
    if (along > farthest) {
      farthest = along;
      best = n;
    }
  }
  return best;
}

Vec3f seen_from(const Mat3f& frame, Vec3f v) { return {dot(frame.c0, v), dot(frame.c1, v), dot(frame.c2, v)}; }

}  // namespace

Mat3f delta_mush_frame(const DeltaMushTable& table, std::span<const Vec3f> smooth, std::size_t point) {
  const Vec3f normal = normalized(outward(table, smooth, point), {0, 1, 0});
  const Vec3f edge = smooth[table.ahead[point]] - smooth[point];
  const Vec3f along = normalized(edge - normal * dot(normal, edge), {1, 0, 0});
  return {along, cross(normal, along), normal};
}

void smooth_points(const DeltaMushTable& table, std::vector<Vec3f>& points, std::vector<Vec3f>& other,
                   unsigned threads) {
  for (std::uint32_t i = 0; i < table.iterations; ++i) {
    parallel_for(
        points.size(), points_at_once,
        [&](std::size_t begin, std::size_t end) {
          for (std::size_t p = begin; p < end; ++p) {
            const auto neighbours = table.neighbours.of(p);
            Vec3f sum{};
            for (const std::uint32_t n : neighbours) sum += points[n];
            const float share = neighbours.empty() ? 0 : 1 / static_cast<float>(neighbours.size());
            other[p] = table.rate[p] > 0 ? points[p] + (sum * share - points[p]) * table.rate[p] : points[p];
          }
        },
        threads);
    std::swap(points, other);
  }
}

DeltaMushTable build_delta_mush_table(const DeltaMush& mush, std::span<const Vec3f> positions,
                                      std::span<const Vec3f> normals, std::span<const Triangle> triangles) {
  DeltaMushTable table;
  table.iterations = mush.iterations;
  table.weld = weld(positions);
  const std::vector<Triangle> welded = welded_triangles(triangles, table.weld);
  const std::size_t points = table.weld.points();
  table.neighbours = vertex_neighbours(points, welded);
  find_fans(points, welded, table);
  table.rate.assign(points, mush.strength);
  if (mush.keep_borders) {
    const std::vector<bool> border = border_points(points, welded);
    for (std::size_t p = 0; p < points; ++p)
      if (border[p]) table.rate[p] = 0;
  }
  std::vector<Vec3f> rest, smooth, room(points);
  for (const std::uint32_t v : table.weld.to_vertex) rest.push_back(positions[v]);
  smooth = rest;
  smooth_points(table, smooth, room, 1);
  std::vector<Mat3f> frames;
  for (std::uint32_t p = 0; p < points; ++p) {
    table.ahead.push_back(direction_of(table, smooth, p));
    frames.push_back(delta_mush_frame(table, smooth, p));
    table.delta.push_back(seen_from(frames[p], rest[p] - smooth[p]));
  }
  for (std::size_t v = 0; v < positions.size(); ++v)
    table.normals.push_back(seen_from(frames[table.weld.to_point[v]], normals[v]));
  return table;
}

}  // namespace supple
