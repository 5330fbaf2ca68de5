#include "supple/geometry/inner_paths.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include "supple/base/parallel.h"
#include "supple/geometry/ray_triangle.h"
#include "supple/geometry/topology.h"

namespace supple {
namespace {

constexpr std::uint32_t no_node = 0xffffffffu;
constexpr double most_places = 400'000;  // of the lattice, inside or not: bodies that fill their box get larger cells
constexpr double link_reach = 1.75;  // cells: how far a point of the skin looks for places inside; sqrt(3) and a little

/// Turns parts that enclose a negative volume the right way round.
std::vector<Triangle> turned_outwards(std::span<const Vec3f> points, std::span<const Triangle> triangles) {
  const Parts parts = connected_parts(points.size(), triangles);
  std::vector<std::vector<Triangle>> of_part(parts.count);
  for (const Triangle& t : triangles) of_part[parts.of_vertex[t[0]]].push_back(t);
  std::vector<Triangle> turned;
  for (const std::vector<Triangle>& part : of_part) {
    const bool inside_out = !part.empty() && enclosed_volume(points, part) < 0;
    for (const Triangle& t : part) turned.push_back(inside_out ? Triangle{t[0], t[2], t[1]} : t);
  }
  return turned;
}

}  // namespace

InnerPaths::InnerPaths(std::span<const Vec3f> points, std::span<const Triangle> triangles, std::size_t cells)
    : points_(points.begin(), points.end()),
      triangles_(turned_outwards(points, triangles)),
      surface_(points_, triangles_),
      winding_(points_, triangles_) {
  const Box box = bounds(points_);
  const Vec3d size = Vec3d(box.high) - Vec3d(box.low);
  cell_ = std::max({size.x, size.y, size.z, 1e-12}) / static_cast<double>(std::max<std::size_t>(cells, 1));
  cell_ = std::max(cell_, std::cbrt(size.x * size.y * size.z / most_places));
  low_ = Vec3d(box.low);
  for (std::size_t r = 0; r < 3; ++r) {
    size_[r] = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(size[r] / cell_ - 1e-9)));
    low_[r] -= 0.5 * (static_cast<double>(size_[r]) * cell_ - size[r]);  // so that mirror images stay mirror images
  }
  fill_lattice();
  connect();
}

Vec3f InnerPaths::centre(std::size_t x, std::size_t y, std::size_t z) const {
  const Vec3d steps{static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5, static_cast<double>(z) + 0.5};
  return Vec3f(low_ + steps * cell_);
}

int InnerPaths::surrounded(Vec3f place) const { return static_cast<int>(std::lround(winding_.at(place))); }

bool InnerPaths::leaves(Vec3f from, int depth, Vec3f to, std::uint32_t end_point) const {
  struct Crossing {
    double at;
    int side;  // 1: out of a part, -1: into one
  };
  const RayFrame ray(from, to - from);
  std::vector<Crossing> crossings;
  surface_.each_in_box(min(from, to), max(from, to), [&](std::uint32_t t) {
    const Triangle& corners = triangles_[t];
    if (corners[0] == end_point || corners[1] == end_point || corners[2] == end_point) return;
    const Vec3f a = points_[corners[0]], b = points_[corners[1]], c = points_[corners[2]];
    const int side = ray.crossing(a, b, c);
    if (side == 0) return;
    const std::optional<double> at = ray.hit(a, b, c);
    if (at && *at < 1) crossings.push_back({*at, side});
  });
  std::sort(crossings.begin(), crossings.end(),
            [](const Crossing& a, const Crossing& b) { return a.at != b.at ? a.at < b.at : a.side < b.side; });
  for (const Crossing& c : crossings) {
    depth -= c.side;
    if (depth <= 0) return true;
  }
  return false;
}

float InnerPaths::skin_along(Vec3f place, Vec3f direction) const {
  const std::optional<RayHit> hit = surface_.first_hit(place, direction);
  return hit ? hit->distance : std::numeric_limits<float>::infinity();
}

void InnerPaths::fill_lattice() {
  const std::size_t count = size_[0] * size_[1] * size_[2];
  near_skin_.assign(count, 0);
  for (const Triangle& t : triangles_) {
    const Vec3d low = Vec3d(min(points_[t[0]], min(points_[t[1]], points_[t[2]]))) - low_;
    const Vec3d high = Vec3d(max(points_[t[0]], max(points_[t[1]], points_[t[2]]))) - low_;
    std::size_t from[3], to[3];
    for (std::size_t r = 0; r < 3; ++r) {  // half a cell more on each side, for lines between the centres of cells
      from[r] = static_cast<std::size_t>(std::clamp(low[r] / cell_ - 1, 0.0, static_cast<double>(size_[r] - 1)));
      to[r] = static_cast<std::size_t>(std::clamp(high[r] / cell_ + 1, 0.0, static_cast<double>(size_[r] - 1)));
    }
    for (std::size_t z = from[2]; z <= to[2]; ++z)
      for (std::size_t y = from[1]; y <= to[1]; ++y)
        for (std::size_t x = from[0]; x <= to[0]; ++x) near_skin_[x + size_[0] * (y + size_[1] * z)] = 1;
  }
  std::vector<std::int8_t> depth(count);
  parallel_for(size_[1] * size_[2], 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const auto at = [&](std::size_t x) {
        const int around = surrounded(centre(x, row % size_[1], row / size_[1]));
        return static_cast<std::int8_t>(std::clamp(around, 0, 100));
      };
      const auto apart = [&](std::size_t x) { return near_skin_[row * size_[0] + x] == 0; };
      std::int8_t* const depths = &depth[row * size_[0]];
      for (std::size_t x = 0; x < size_[0];) {
        // Away from the skin the number of parts around changes only near holes, and gradually.
        constexpr std::size_t stride = 4;
        std::size_t last = x;
        while (last + 1 < size_[0] && last < x + stride && apart(x) && apart(last + 1)) ++last;
        depths[x] = at(x);
        depths[last] = at(last);
        for (std::size_t i = x + 1; i < last; ++i) depths[i] = depths[x] == depths[last] ? depths[x] : at(i);
        x = last + 1;
      }
    }
  });
  node_.assign(count, no_node);
  for (std::size_t i = 0; i < count; ++i) {
    if (depth[i] == 0) continue;
    node_[i] = static_cast<std::uint32_t>(points_.size() + place_.size());
    place_.push_back(centre(i % size_[0], i / size_[0] % size_[1], i / size_[0] / size_[1]));
    depth_.push_back(depth[i]);
  }
}

template <class Visit>
void InnerPaths::each_inside_near(Vec3f place, double reach, Visit&& visit) const {
  const Vec3d at = (Vec3d(place) - low_) / cell_;
  std::size_t from[3], to[3];
  for (std::size_t r = 0; r < 3; ++r) {
    if (at[r] < -reach || at[r] > static_cast<double>(size_[r]) + reach) return;
    from[r] = static_cast<std::size_t>(std::clamp(at[r] - reach, 0.0, static_cast<double>(size_[r] - 1)));
    to[r] = static_cast<std::size_t>(std::clamp(at[r] + reach, 0.0, static_cast<double>(size_[r] - 1)));
  }
  for (std::size_t z = from[2]; z <= to[2]; ++z)
    for (std::size_t y = from[1]; y <= to[1]; ++y)
      for (std::size_t x = from[0]; x <= to[0]; ++x) {
        const std::uint32_t node = node_[x + size_[0] * (y + size_[1] * z)];
        if (node == no_node) continue;
        const std::size_t inner = node - points_.size();
        if (double{length(place_[inner] - place)} <= reach * cell_) visit(node, place_[inner], depth_[inner]);
      }
}

void InnerPaths::connect() {
  const std::size_t nodes = points_.size() + place_.size();
  std::vector<std::vector<Step>> found(nodes);  // each way once, from the node that looked for it
  const auto join = [&](std::uint32_t a, std::uint32_t b, Vec3f from, Vec3f to) {
    found[a].push_back({b, length(to - from)});
  };
  const Adjacency edges = vertex_neighbours(points_.size(), triangles_);
  parallel_for(points_.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const auto point = static_cast<std::uint32_t>(v);
      for (const std::uint32_t u : edges.of(v))
        if (u > point) join(point, u, points_[v], points_[u]);
      each_inside_near(points_[v], link_reach, [&](std::uint32_t node, Vec3f place, int depth) {
        if (!leaves(place, depth, points_[v], point)) join(point, node, points_[v], place);
      });
    }
  });
  parallel_for(size_[1] * size_[2], 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      for (std::size_t x = 0; x < size_[0]; ++x) {
        const std::size_t here = row * size_[0] + x, y = row % size_[1], z = row / size_[1];
        if (node_[here] == no_node) continue;
        const std::size_t inner = node_[here] - points_.size();
        for (int k = 14; k < 27; ++k) {  // the half of the 26 neighbours that comes after (0, 0, 0)
          const std::size_t nx = x + static_cast<std::size_t>(k % 3) - 1,
                            ny = y + static_cast<std::size_t>(k / 3 % 3) - 1,
                            nz = z + static_cast<std::size_t>(k / 9) - 1;  // before the first wraps around
          if (nx >= size_[0] || ny >= size_[1] || nz >= size_[2]) continue;
          const std::size_t there = nx + size_[0] * (ny + size_[1] * nz);
          if (node_[there] == no_node) continue;
          const Vec3f to = place_[node_[there] - points_.size()];
          const bool open = near_skin_[here] == 0 || near_skin_[there] == 0;
          if (open || !leaves(place_[inner], depth_[inner], to, no_node))
            join(node_[here], node_[there], place_[inner], to);
        }
      }
    }
  });
  first_.assign(nodes + 1, 0);
  for (std::uint32_t a = 0; a < nodes; ++a)
    for (const Step& s : found[a]) ++first_[a + 1], ++first_[s.to + 1];
  for (std::size_t a = 0; a < nodes; ++a) first_[a + 1] += first_[a];
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  steps_.resize(first_.back());
  for (std::uint32_t a = 0; a < nodes; ++a)
    for (const Step& s : found[a]) {
      steps_[next[a]++] = s;
      steps_[next[s.to]++] = {a, s.length};
    }
}

std::vector<float> InnerPaths::distances(std::span<const Vec3f> sources, float farthest) const {
  constexpr float never = std::numeric_limits<float>::infinity();
  std::vector<float> distance(points_.size() + place_.size(), never);
  using Entry = std::pair<float, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> waiting;
  const auto reach = [&](std::uint32_t node, float length) {
    if (!(length < distance[node]) || length > farthest) return;
    distance[node] = length;
    waiting.push({length, node});
  };
  for (const Vec3f source : sources) {
    const int depth = surrounded(source);
    const ClosestPoint skin = surface_.closest(source);
    if (std::isfinite(skin.distance))  // the nearest triangle is always in sight
      for (const std::uint32_t p : triangles_[skin.triangle]) reach(p, length(points_[p] - source));
    if (depth <= 0) continue;
    each_inside_near(source, link_reach, [&](std::uint32_t node, Vec3f place, int) {
      if (!leaves(source, depth, place, no_node)) reach(node, length(place - source));
    });
    // Around a source in a part thinner than a few cells, all of the skin is near.
    const auto around = static_cast<float>(2 * cell_);
    if (skin.distance > around) continue;
    surface_.each_in_box(source - Vec3f{around, around, around}, source + Vec3f{around, around, around},
                         [&](std::uint32_t t) {
                           for (const std::uint32_t p : triangles_[t]) {
                             const float way = length(points_[p] - source);
                             if (way < distance[p] && !leaves(source, depth, points_[p], p)) reach(p, way);
                           }
                         });
  }
  while (!waiting.empty()) {
    const auto [length, node] = waiting.top();
    waiting.pop();
    if (length > distance[node]) continue;
    for (std::uint32_t i = first_[node]; i < first_[node + 1]; ++i) reach(steps_[i].to, length + steps_[i].length);
  }
  distance.resize(points_.size());
  return distance;
}

}  // namespace supple
