#include "supple/deform/field/thinness.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "supple/deform/field/shape.h"
#include "supple/geometry/topology.h"

namespace supple {
namespace {

constexpr double usual_taper = 0.3;  // of the depth: thinner than that is another kind of skin
constexpr double least_thinness = 0.05;
constexpr double piece_of_note = 0.05;  // of a limb's vertices
constexpr std::size_t stretches = 8;    // of a bone that are judged each by itself
constexpr std::size_t few = 6;          // vertices: a stretch with fewer goes by the whole piece
constexpr int smoothing_rounds = 12;    // over edges, so that weights have no step where a piece changes

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct BonePlace {
  std::size_t segment = 0;
  double along = 0, distance = 0;  // 0 to 1; metres
};

BonePlace place_on(const Limb& limb, Vec3d p) {
  BonePlace best;
  best.distance = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < limb.segments.size(); ++i) {
    const BoneSegment& s = limb.segments[i];
    const double distance = std::sqrt(distance_to_segment(p, s.a, s.b).squared);
    if (!(distance < best.distance)) continue;
    const double squared = squared_length(s.b - s.a);
    best = {i, squared > 0 ? std::clamp(dot(p - s.a, s.b - s.a) / squared, 0.0, 1.0) : 0.0, distance};
  }
  return best;
}

/// Usual distances from a bone along it, of one connected piece of skin.
class DepthProfile {
 public:
  void add(const BonePlace& place) {
    all_.push_back(place.distance);
    by_stretch_[{place.segment, stretch_of(place.along)}].push_back(place.distance);
  }
  void finish() {
    whole_ = median_of(all_);
    for (auto& [key, distances] : by_stretch_)
      if (distances.size() >= few) usual_[key] = median_of(distances);
  }
  double size() const { return static_cast<double>(all_.size()); }
  double whole() const { return whole_; }
  /// Straight between the middles of stretches.
  double at(const BonePlace& place) const {
    const double t = place.along * double{stretches} - 0.5;
    const auto low = static_cast<std::ptrdiff_t>(std::floor(t));
    const double share = t - static_cast<double>(low);
    return (1 - share) * of_stretch(place.segment, low) + share * of_stretch(place.segment, low + 1);
  }

 private:
  static std::size_t stretch_of(double along) {
    return std::min(static_cast<std::size_t>(along * double{stretches}), stretches - 1);
  }
  double of_stretch(std::size_t segment, std::ptrdiff_t i) const {
    const auto k = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(i, 0, std::ptrdiff_t{stretches} - 1));
    const auto found = usual_.find({segment, k});
    return found != usual_.end() ? found->second : whole_;
  }

  std::vector<double> all_;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> by_stretch_;
  std::map<std::pair<std::size_t, std::size_t>, double> usual_;
  double whole_ = 0;
};

/// Means over neighbouring points, again and again.
void smooth_over(const FleshBody& body, std::vector<float>& values) {
  const Weld points = weld(body.positions);
  const Adjacency near = vertex_neighbours(points.points(), welded_triangles(body.triangles, points));
  std::vector<float> at(points.points()), next(points.points());
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = values[points.to_vertex[i]];
  for (int round = 0; round < smoothing_rounds; ++round) {
    for (std::size_t i = 0; i < at.size(); ++i) {
      float sum = at[i];
      for (const std::uint32_t k : near.of(i)) sum += at[k];
      next[i] = sum / static_cast<float>(near.of(i).size() + 1);
    }
    at.swap(next);
  }
  for (std::size_t v = 0; v < values.size(); ++v) values[v] = at[points.to_point[v]];
}

/// A limb's skin, piece by piece.
struct LimbPieces {
  std::vector<BonePlace> places;  // #vertices of the limb
  std::map<std::uint32_t, DepthProfile> profiles;

  LimbPieces(const FleshBody& body, const Limb& limb, std::span<const std::uint32_t> piece) {
    for (const std::uint32_t v : limb.vertices) {
      places.push_back(place_on(limb, Vec3d(body.positions[v])));
      profiles[piece[v]].add(places.back());
    }
    for (auto& [number, profile] : profiles) profile.finish();
  }
};

double smooth_step_of(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

}  // namespace

std::vector<float> thinness_of_skin(const FleshBody& body, std::span<const Limb> limbs,
                                    std::span<const double> depths) {
  std::vector<float> thinness(body.positions.size(), 1.0f);
  const std::vector<std::uint32_t> piece = pieces_of(body);
  bool any = false;
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    const LimbPieces pieces(body, limbs[i], piece);
    for (std::size_t k = 0; k < pieces.places.size(); ++k) {
      const std::uint32_t v = limbs[i].vertices[k];
      const double depth = pieces.profiles.at(piece[v]).at(pieces.places[k]);
      const double share = std::clamp(depth / (usual_taper * depths[i]), least_thinness, 1.0);
      thinness[v] = static_cast<float>(share);
      any = any || share < 1;
    }
  }
  if (!any) return {};
  smooth_over(body, thinness);
  return thinness;
}

std::vector<float> looseness_of_skin(const FleshBody& body, std::span<const Limb> limbs,
                                     std::span<const double> depths) {
  std::vector<float> looseness(body.positions.size(), 0.0f);
  const std::vector<std::uint32_t> piece = pieces_of(body);
  bool any = false;
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    const LimbPieces pieces(body, limbs[i], piece);
    double thin = usual_taper * depths[i];
    bool has_thin = false;
    for (const auto& [number, profile] : pieces.profiles) {
      const bool counts = piece_of_note * static_cast<double>(limbs[i].vertices.size()) <= profile.size();
      if (!counts || !(profile.whole() < thin)) continue;
      thin = profile.whole();
      has_thin = true;
    }
    for (std::size_t k = 0; has_thin && k < pieces.places.size(); ++k) {
      const std::uint32_t v = limbs[i].vertices[k];
      const double times = pieces.profiles.at(piece[v]).at(pieces.places[k]) / thin;
      looseness[v] = static_cast<float>(smooth_step_of((times - 2) / (1 / usual_taper - 2)));
      any = any || looseness[v] > 0;
    }
  }
  if (!any) return {};
  smooth_over(body, looseness);
  return looseness;
}

}  // namespace supple
