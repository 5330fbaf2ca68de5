// Edges, neighbours and gaps are found once at rest; a frame is a few passes over flat arrays.
#include "supple/measure/skin_damage.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <queue>
#include <tuple>
#include <utility>

#include "supple/geometry/point_grid.h"
#include "supple/geometry/topology.h"

namespace supple {
namespace {

// Shares of the size.
constexpr double one_place = 1e-5;
constexpr double torn_by = 0.02;
constexpr double stretched_by = 0.005;
constexpr double close_at_rest = 0.005, close_before = 0.01, parted_by = 0.02;
constexpr double nearly = 0.9;
constexpr double together_before = 0.001, opened_by = 0.002;
constexpr double shortest_strained = 1e-6;
constexpr double tolerated_at_rest = 0.001;

constexpr double farthest_reach = 1e9;  // all values are 1 there, and no product is infinite

constexpr double folded_cosine = 0.866;  // 150 degrees
constexpr double tolerated_folds = 0.0005;
constexpr std::size_t most_close_pairs = 20000;
/// A vertex is compared with so many of its copies: all of them nearly everywhere, and no square of their number where
/// a mesh has collapsed into a point.
constexpr std::size_t copies_compared = 8;

double distance_between(Vec3f a, Vec3f b) { return length(Vec3d(a) - Vec3d(b)); }

void raise_blame(std::span<float> blame, std::uint32_t v) {
  if (!blame.empty() && !(blame[v] >= 1)) blame[v] = 1;
}

double diagonal_of_finite(std::span<const Vec3f> points) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  Vec3d low{infinite, infinite, infinite}, high = -low;
  for (const Vec3f& p : points) {
    if (!is_finite(p)) continue;
    low = min(low, Vec3d(p));
    high = max(high, Vec3d(p));
  }
  return low.x <= high.x ? length(high - low) : 0;
}

/// The cross product of two sides. Products of floats neither overflow nor vanish in double.
Vec3d scaled_normal(std::span<const Vec3f> positions, const Triangle& t) {
  const Vec3d a(positions[t[0]]);
  return cross(Vec3d(positions[t[1]]) - a, Vec3d(positions[t[2]]) - a);
}

/// Normals of all triangles, not of unit length.
class ScaledNormals {
 public:
  ScaledNormals(std::span<const Vec3f> positions, std::span<const Triangle> triangles)
      : values_(std::make_unique_for_overwrite<double[]>(3 * triangles.size())) {
    double* out = values_.get();
    for (const Triangle& t : triangles) {
      const Vec3d n = scaled_normal(positions, t);
      *out++ = n.x, *out++ = n.y, *out++ = n.z;
    }
  }
  Vec3d operator[](std::size_t t) const { return {values_[3 * t], values_[3 * t + 1], values_[3 * t + 2]}; }
  bool folded(std::uint32_t s, std::uint32_t t) const {
    const Vec3d a = (*this)[s], b = (*this)[t];
    const double product = dot(a, b);
    return product < 0 && product * product > folded_cosine * folded_cosine * (squared_length(a) * squared_length(b));
  }

 private:
  std::unique_ptr<double[]> values_;
};

std::size_t count_places(std::span<const std::uint32_t> place_of) {
  return place_of.empty() ? 0 : *std::max_element(place_of.begin(), place_of.end()) + std::size_t{1};
}

/// The falloff of spread() by distance / reach: smoothstep, from 1 at 0 to 0 at 1.
double blame_falloff(double x) { return x >= 1 ? 0 : 1 - x * x * (3 - 2 * x); }
/// Where the falloff has the value `y`, 0 < y <= 1.
double inverse_falloff(double y) { return y >= 1 ? 0 : 0.5 - std::sin(std::asin(2 * y - 1) / 3); }

}  // namespace

SkinDamageTest::SkinDamageTest(std::span<const Vec3f> rest, std::span<const Triangle> triangles)
    : size_(diagonal_of_finite(rest)),
      rest_(rest.begin(), rest.end()),
      place_of_(weld(rest, static_cast<float>(one_place * size_)).to_point) {
  for (const Triangle& t : triangles) {
    if (std::max({t[0], t[1], t[2]}) < rest.size()) triangles_.push_back(t);
  }
  find_edges();
  find_neighbours();
  find_seams();
  find_links(find_close_pairs());
}

void SkinDamageTest::find_edges() {
  std::vector<Pair> pairs;
  pairs.reserve(3 * triangles_.size());
  for (const Triangle& t : triangles_) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [a, b] = std::minmax(t[k], t[(k + 1) % 3]);
      if (a != b && is_finite(rest_[a]) && is_finite(rest_[b])) pairs.push_back({a, b});
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  const double shortest = shortest_strained * size_;
  std::vector<Edge> short_ones;
  edges_.reserve(pairs.size());
  for (const auto& [a, b] : pairs) {
    const Edge edge{a, b, distance_between(rest_[a], rest_[b])};
    (edge.rest > 0 && edge.rest >= shortest ? edges_ : short_ones).push_back(edge);
  }
  strained_ = edges_.size();
  edges_.insert(edges_.end(), short_ones.begin(), short_ones.end());
}

void SkinDamageTest::find_neighbours() {
  struct Side {
    Pair places;
    std::uint32_t corner, triangle;
  };
  std::vector<Side> sides;
  sides.reserve(3 * triangles_.size());
  for (std::uint32_t t = 0; t < triangles_.size(); ++t) {
    for (std::uint32_t k = 0; k < 3; ++k) {
      const auto [a, b] = std::minmax(place_of_[triangles_[t][k]], place_of_[triangles_[t][(k + 1) % 3]]);
      if (a != b) sides.push_back({{a, b}, k, t});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return std::tie(a.places, a.corner, a.triangle) < std::tie(b.places, b.corner, b.triangle);
  });
  for (std::size_t i = 1; i < sides.size(); ++i) {
    const std::uint32_t s = sides[i - 1].triangle, t = sides[i].triangle;
    if (s == t || sides[i - 1].places != sides[i].places) continue;
    if (dot(scaled_normal(rest_, triangles_[s]), scaled_normal(rest_, triangles_[t])) > 0)
      neighbours_.push_back({s, t});
  }
  std::sort(neighbours_.begin(), neighbours_.end());  // in the order of the triangles' normals
}

void SkinDamageTest::find_seams() {
  std::vector<bool> used(vertices());
  for (const Triangle& t : triangles_) used[t[0]] = used[t[1]] = used[t[2]] = true;
  std::vector<Pair> at;  // place and vertex
  for (std::uint32_t v = 0; v < vertices(); ++v) {
    if (used[v]) at.push_back({place_of_[v], v});
  }
  std::sort(at.begin(), at.end());
  for (std::size_t begin = 0, end = 0; begin < at.size(); begin = end) {
    while (end < at.size() && at[end][0] == at[begin][0]) ++end;
    if (end - begin < 2) continue;
    seam_first_.push_back(static_cast<std::uint32_t>(seam_.size()));
    for (std::size_t i = begin; i < end; ++i) seam_.push_back(at[i][1]);
  }
  seam_first_.push_back(static_cast<std::uint32_t>(seam_.size()));
}

std::vector<SkinDamageTest::Pair> SkinDamageTest::find_close_pairs() {
  std::vector<Triangle> welded(triangles_);
  for (Triangle& t : welded) t = {place_of_[t[0]], place_of_[t[1]], place_of_[t[2]]};
  const Parts pieces = connected_parts(count_places(place_of_), welded);
  if (pieces.count < 2) return {};
  const auto piece = [&](std::uint32_t v) { return pieces.of_vertex[place_of_[v]]; };

  std::vector<Vec3f> points;
  std::vector<std::uint32_t> vertex_of;
  for (std::uint32_t v = 0; v < vertices(); ++v) {
    if (!is_finite(rest_[v])) continue;
    points.push_back(rest_[v]);
    vertex_of.push_back(v);
  }
  const PointGrid grid(points);
  const double radius = close_at_rest * size_;
  const auto searched = static_cast<float>(1.001 * radius);  // what rounds away is within
  const auto each_close = [&](std::size_t i, auto&& visit) {
    grid.each_near(points[i], searched, [&](std::uint32_t j) {
      if (piece(vertex_of[i]) == piece(vertex_of[j])) return;
      const double distance = distance_between(points[i], points[j]);
      if (distance <= radius) visit(vertex_of[j], distance);
    });
  };

  std::vector<Pair> nearest;
  std::size_t count = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::pair<double, std::uint32_t> best{std::numeric_limits<double>::infinity(), 0};
    each_close(i, [&](std::uint32_t other, double distance) {
      if (other > vertex_of[i]) ++count;
      best = std::min(best, {distance, other});
    });
    if (best.first <= radius) nearest.push_back({vertex_of[i], best.second});
  }

  // There may be too many pairs to keep, so the chosen ones are found in a second pass, by their places in the list.
  const std::size_t chosen = std::min(count, most_close_pairs);
  std::vector<std::uint32_t> others;
  std::size_t passed = 0;
  for (std::size_t i = 0; i < points.size() && close_.size() < chosen; ++i) {
    others.clear();
    each_close(i, [&](std::uint32_t other, double) {
      if (other > vertex_of[i]) others.push_back(other);
    });
    std::sort(others.begin(), others.end());
    for (const std::uint32_t other : others) {
      const std::size_t next = chosen < 2 ? 0 : close_.size() * (count - 1) / (chosen - 1);
      if (passed++ == next && close_.size() < chosen) close_.push_back({vertex_of[i], other});
    }
  }
  return nearest;
}

void SkinDamageTest::find_links(std::span<const Pair> nearest) {
  const std::size_t places = count_places(place_of_);
  const auto each = [&](auto&& visit) {
    const auto both_ways = [&](std::uint32_t a, std::uint32_t b, double length) {
      const std::uint32_t p = place_of_[a], q = place_of_[b];
      if (p == q) return;
      visit(p, Link{q, static_cast<float>(length)});
      visit(q, Link{p, static_cast<float>(length)});
    };
    for (const Edge& e : edges_) both_ways(e.a, e.b, e.rest);
    for (const auto& [a, b] : close_) both_ways(a, b, distance_between(rest_[a], rest_[b]));
    for (const auto& [a, b] : nearest) both_ways(a, b, distance_between(rest_[a], rest_[b]));
  };
  link_first_.assign(places + 1, 0);
  each([&](std::uint32_t from, Link) { ++link_first_[from + 1]; });
  for (std::size_t p = 0; p < places; ++p) link_first_[p + 1] += link_first_[p];
  links_.resize(link_first_.back());
  std::vector<std::uint32_t> next(link_first_.begin(), link_first_.end() - 1);
  each([&](std::uint32_t from, Link link) { links_[next[from]++] = link; });
}

SkinDamage SkinDamageTest::measure(std::span<const Vec3f> before, std::span<const Vec3f> after, std::span<float> blame,
                                   bool blame_folds, bool blame_nearly) const {
  assert(before.size() == vertices() && after.size() == vertices());
  assert(blame.empty() || blame.size() == vertices());
  SkinDamage damage;
  measure_edges(before, after, blame, damage);
  measure_folds(before, after, blame_folds ? blame : std::span<float>(), damage);
  measure_gaps(before, after, blame, blame_nearly, damage);
  measure_distance(before, after, damage);
  return damage;
}

void SkinDamageTest::measure_edges(std::span<const Vec3f> before, std::span<const Vec3f> after, std::span<float> blame,
                                   SkinDamage& damage) const {
  struct Strain {
    double squares = 0;
    std::size_t edges = 0;
    void add(double length, double rest) {
      if (!std::isfinite(length)) return;
      const double strain = length / rest - 1;
      squares += strain * strain;
      ++edges;
    }
    double rms() const { return edges == 0 ? 0 : std::sqrt(squares / static_cast<double>(edges)); }
  };
  Strain strain, strain_before;
  const double beyond = stretched_by * size_, longer = torn_by * size_;
  const auto stretched = [&](double length, double rest) {
    return std::isfinite(length) && length > 2 * rest + beyond ? 1u : 0u;
  };
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    const Edge& e = edges_[i];
    const double was = distance_between(before[e.a], before[e.b]), is = distance_between(after[e.a], after[e.b]);
    if (i < strained_) {
      strain_before.add(was, e.rest);
      strain.add(is, e.rest);
    }
    damage.stretched_before += stretched(was, e.rest);
    damage.stretched += stretched(is, e.rest);
    if (is <= 2 * std::max(was, e.rest) || !std::isfinite(was)) continue;
    if (std::isfinite(is) && is - was <= longer) continue;
    ++damage.torn;
    raise_blame(blame, e.a);
    raise_blame(blame, e.b);
  }
  damage.strain = strain.rms();
  damage.strain_before = strain_before.rms();
}

void SkinDamageTest::measure_folds(std::span<const Vec3f> before, std::span<const Vec3f> after, std::span<float> blame,
                                   SkinDamage& damage) const {
  const ScaledNormals normals_before(before, triangles_), normals(after, triangles_);
  for (const auto& [s, t] : neighbours_) {
    const bool was = normals_before.folded(s, t), is = normals.folded(s, t);
    damage.folded_before += was ? 1 : 0;
    damage.folded += is ? 1 : 0;
    if (!is || was) continue;
    for (const std::uint32_t v : triangles_[s]) raise_blame(blame, v);
    for (const std::uint32_t v : triangles_[t]) raise_blame(blame, v);
  }
}

void SkinDamageTest::measure_gaps(std::span<const Vec3f> before, std::span<const Vec3f> after, std::span<float> blame,
                                  bool blame_nearly, SkinDamage& damage) const {
  // Distances that are not numbers are never below a limit.
  const auto within = [](std::span<const Vec3f> positions, std::uint32_t a, std::uint32_t b, double limit) {
    return squared_length(Vec3d(positions[a]) - Vec3d(positions[b])) <= limit * limit;
  };
  const double kept = close_before * size_, parted = parted_by * size_;
  for (const auto& [a, b] : close_) {
    if (within(after, a, b, nearly * parted) || !within(before, a, b, kept / nearly)) continue;
    ++damage.nearly_parted;
    const bool is_parted = !within(after, a, b, parted) && within(before, a, b, kept);
    damage.parted += is_parted;
    if (!is_parted && !blame_nearly) continue;
    raise_blame(blame, a);
    raise_blame(blame, b);
  }
  const double together = together_before * size_, opened = opened_by * size_;
  for (std::size_t s = 0; s + 1 < seam_first_.size(); ++s) {
    const std::span<const std::uint32_t> copies(seam_.data() + seam_first_[s], seam_first_[s + 1] - seam_first_[s]);
    // Two that are this near to the first are near each other; nearly every place ends here.
    const auto near_first = [&](std::uint32_t v) { return within(after, copies[0], v, 0.499 * opened); };
    if (std::all_of(copies.begin(), copies.end(), near_first)) continue;
    for (std::size_t i = 0; i < copies.size(); ++i) {
      bool open = false;
      for (std::size_t k = 1; k <= std::min(copies_compared, copies.size() - 1); ++k) {
        const std::uint32_t other = copies[(i + k) % copies.size()];
        if (within(after, copies[i], other, opened) || !within(before, copies[i], other, together)) continue;
        open = true;
        raise_blame(blame, other);
      }
      if (!open) continue;
      ++damage.opened;
      raise_blame(blame, copies[i]);
    }
  }
}

void SkinDamageTest::measure_distance(std::span<const Vec3f> before, std::span<const Vec3f> after,
                                      SkinDamage& damage) const {
  double farthest = 0;  // squared
  for (std::uint32_t v = 0; v < vertices(); ++v) {
    double distance = squared_length(Vec3d(after[v]) - Vec3d(before[v]));
    if (distance <= farthest || !is_finite(before[v])) continue;
    if (std::isnan(distance)) distance = std::numeric_limits<double>::infinity();
    if (!(distance > farthest)) continue;
    farthest = distance;
    damage.far_vertex = v;
  }
  damage.far = farthest > 0 ? std::sqrt(farthest) / size_ : 0;
}

double SkinDamageTest::moved_at_rest(std::span<const Vec3f> after) const {
  assert(after.size() == vertices());
  double farthest = 0;
  for (std::size_t v = 0; v < vertices(); ++v) {
    if (!is_finite(rest_[v])) continue;
    if (!is_finite(after[v])) return std::numeric_limits<double>::infinity();
    const Vec3d step = Vec3d(after[v]) - Vec3d(rest_[v]);
    farthest = std::max({farthest, std::abs(step.x), std::abs(step.y), std::abs(step.z)});
  }
  return farthest > 0 ? farthest / size_ : 0;
}

std::vector<float> SkinDamageTest::spread(std::span<const float> blame, double reach) const {
  assert(blame.size() == vertices());
  const std::size_t places = link_first_.size() - 1;
  std::vector<float> blame_of(places, 0.0f);
  for (std::size_t v = 0; v < blame.size(); ++v) {
    float& most = blame_of[place_of_[v]];
    if (blame[v] > most) most = std::min(blame[v], 1.0f);
  }
  const double absolute = reach > 0 ? std::min(reach, farthest_reach) * size_ : 0;
  std::vector<float> smooth = blame_of;
  if (absolute > 0) {
    using Reached = std::pair<double, std::uint32_t>;  // distance and place
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue;
    std::vector<double> distance(places, absolute);
    const auto offer = [&](double d, std::uint32_t place) {
      if (!(d < distance[place])) return;
      distance[place] = d;
      queue.push({d, place});
    };
    for (std::uint32_t p = 0; p < places; ++p) {
      if (blame_of[p] > 0) offer(inverse_falloff(double{blame_of[p]}) * absolute, p);
    }
    while (!queue.empty()) {
      const auto [d, p] = queue.top();
      queue.pop();
      if (d > distance[p]) continue;
      smooth[p] = std::max(smooth[p], static_cast<float>(blame_falloff(d / absolute)));
      for (std::uint32_t i = link_first_[p]; i < link_first_[p + 1]; ++i)
        offer(d + double{links_[i].length}, links_[i].to);
    }
  }
  std::vector<float> result(blame.size());
  for (std::size_t v = 0; v < blame.size(); ++v) result[v] = smooth[place_of_[v]];
  return result;
}

void DamageTotals::add(const SkinDamage& frame) {
  const auto severity = [](const SkinDamage& d) {
    return std::tuple{d.torn + d.parted + d.opened, d.new_folds(), d.far};
  };
  if (frames == 0 || severity(frame) > severity(worst)) {
    worst = frame;
    worst_frame = frames;
  }
  ++frames;
  if (frame.torn + frame.parted + frame.opened > 0) ++damaged_frames;
  torn += frame.torn;
  parted += frame.parted;
  opened += frame.opened;
  folded += frame.folded;
  folded_before += frame.folded_before;
  stretched += frame.stretched;
  stretched_before += frame.stretched_before;
  strain_squares += frame.strain * frame.strain;
  strain_before_squares += frame.strain_before * frame.strain_before;
  far = std::max(far, frame.far);
}

double DamageTotals::strain() const {
  return frames == 0 ? 0 : std::sqrt(strain_squares / static_cast<double>(frames));
}

double DamageTotals::strain_before() const {
  return frames == 0 ? 0 : std::sqrt(strain_before_squares / static_cast<double>(frames));
}

bool DamageTotals::bad(std::size_t pairs_of_triangles) const {
  const double new_folds = static_cast<double>(folded) - static_cast<double>(folded_before);
  const double tolerated = tolerated_folds * static_cast<double>(pairs_of_triangles * std::max<std::size_t>(frames, 1));
  return torn > 0 || parted > 0 || moved_at_rest > tolerated_at_rest || new_folds > tolerated;
}

}  // namespace supple
