// The single bones of one compound bone laid over its pieces.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "supple/author/scan/naming_bodies.h"
#include "supple/author/scan/naming_match.h"
#include "supple/author/scan/naming_shapes.h"
#include "supple/author/scan/rigid_fit.h"
#include "supple/geometry/bvh.h"

namespace supple::scan {

/// One or several single bones that are looked for as one.
struct BodySlot {
  std::vector<std::uint32_t> bodies;
  Vec3d centre{};  // in the space of the template's marks
  double volume = 0;
};
inline BodySlot merged(const BodySlot& a, const BodySlot& b) {
  BodySlot both = a;
  both.bodies.insert(both.bodies.end(), b.bodies.begin(), b.bodies.end());
  std::sort(both.bodies.begin(), both.bodies.end());
  both.volume = a.volume + b.volume;
  const double share = both.volume > 0 ? b.volume / both.volume : 0.5;
  both.centre = lerp(a.centre, b.centre, share);
  return both;
}

struct PointPairs {
  std::vector<Vec3d> from, to;
};

struct SlotAssignment {
  std::vector<std::size_t> piece;  // #slots: place among the pieces, or their number
  std::vector<double> doubt;       // #slots
  Similarity place;
  double cost = 0;
};

/// The single bones of one compound bone.
class CompoundNames {
 public:
  CompoundNames(std::span<const BonePart> parts, const BoneTemplate& skeleton, std::span<const std::uint32_t> pieces,
                std::uint32_t bone, PointPairs marks, GivenPieces given)
      : parts_(parts), skeleton_(skeleton), pieces_(pieces), marks_(std::move(marks)), given_(given) {
    for (std::uint32_t i = 0; i < skeleton.bodies.size(); ++i) {
      const TemplateBody& body = skeleton.bodies[i];
      if (body.bone == bone) slots_.push_back({{i}, body.centre, body.volume});
    }
    const Similarity place = fit_similarity(marks_.from, marks_.to);
    const bool root = skeleton.bones[bone].parent == TemplateBone::none;
    for (const std::uint32_t p : pieces) {
      centres_.push_back(root ? far_end(parts[p].surface, -(place.turn * Vec3d{0, 1, 0})) : parts[p].centre);
      volume_ += parts[p].volume;
    }
  }

  std::vector<NamedBody> run() {
    const std::size_t all = slots_.size();
    SlotAssignment best = assigned(slots_);
    for (bool better = true; better && slots_.size() > 1;) {
      better = false;
      std::vector<BodySlot> kept;
      for (std::size_t a = 0; a < slots_.size(); ++a) {
        for (std::size_t b = a + 1; b < slots_.size(); ++b) {
          if (!are_neighbours(slots_[a], slots_[b])) continue;
          std::vector<BodySlot> fewer = slots_;
          fewer[a] = merged(slots_[a], slots_[b]);
          fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(b));
          SlotAssignment next = assigned(fewer);
          next.cost += merge_cost * static_cast<double>(all - fewer.size());
          if (next.cost >= best.cost) continue;
          best = std::move(next);
          kept = std::move(fewer);
          better = true;
        }
      }
      if (better) slots_ = std::move(kept);
    }
    return named(best);
  }

  /// Places of single bones as far as they are named, for the next compound bone.
  const PointPairs& marks() const { return marks_; }

 private:
  // Usual deviations between a template and somebody's wrist, each squared and added up as costs.
  static constexpr double body_distance = 0.005;       // metres, of a bone's middle
  static constexpr double body_log_volume = 0.5;       // of the logarithm of a ratio of volumes
  static constexpr double unnamed_piece_cost = 9;      // a piece that is nobody's
  static constexpr double merge_cost = 1;              // bones that hang together, where nothing says that they do
  static constexpr double pinned = -1e3, never = 1e6;  // what was given is so, whatever it costs
  static constexpr double neighbours_within = 0.0175;  // metres between middles, in the template
  static constexpr double root_end = 0.015;            // metres of a root's far end, see TemplateBody::centre
  static constexpr int passes = 3;                     // names and place improve each other

  static double square(double x) { return x * x; }

  /// The middle of the last few millimetres along a direction.
  static Vec3d far_end(const Mesh& surface, Vec3d along) {
    double end = -std::numeric_limits<double>::infinity();
    for (const Vec3f& p : surface.positions) end = std::max(end, dot(Vec3d(p), along));
    Vec3d sum{};
    std::size_t count = 0;
    for (const Vec3f& p : surface.positions) {
      if (dot(Vec3d(p), along) < end - root_end) continue;
      sum += Vec3d(p);
      ++count;
    }
    return sum / static_cast<double>(std::max<std::size_t>(count, 1));
  }

  bool are_neighbours(const BodySlot& a, const BodySlot& b) const {
    for (const std::uint32_t i : a.bodies)
      for (const std::uint32_t j : b.bodies)
        if (length(skeleton_.bodies[i].centre - skeleton_.bodies[j].centre) < neighbours_within) return true;
    return false;
  }

  /// What somebody said: yes, no, or nothing.
  double given_cost(const BodySlot& slot, std::uint32_t piece) const {
    bool elsewhere = false;
    for (std::uint32_t i = 0; i < given_.size(); ++i) {
      if (!given_[i]) continue;
      const bool holds = std::find(given_[i]->begin(), given_[i]->end(), piece) != given_[i]->end();
      const bool own = std::find(slot.bodies.begin(), slot.bodies.end(), i) != slot.bodies.end();
      if (holds && own) return pinned;
      elsewhere = elsewhere || holds || own;
    }
    return elsewhere ? never : 0;
  }

  SlotAssignment assigned(std::span<const BodySlot> slots) const {
    SlotAssignment result;
    result.place = fit_similarity(marks_.from, marks_.to);
    double expected = 0;
    for (const BodySlot& slot : slots) expected += slot.volume;
    const std::size_t columns = pieces_.size() + slots.size();  // the last ones: no piece
    std::vector<double> costs(slots.size() * columns);
    for (int pass = 0; pass < passes; ++pass) {
      std::fill(costs.begin(), costs.end(), missing_cost);
      for (std::size_t s = 0; s < slots.size(); ++s) {
        const Vec3d centre = result.place.point(slots[s].centre);
        for (std::size_t p = 0; p < pieces_.size(); ++p) {
          double cost = square(length(centre - centres_[p]) / (body_distance * result.place.scale));
          const double volume = slots[s].volume / std::max(expected, 1e-15) * volume_;
          if (volume > 0) cost += square(std::log(parts_[pieces_[p]].volume / volume) / body_log_volume);
          costs[s * columns + p] = std::min(cost, never) + given_cost(slots[s], pieces_[p]);
        }
      }
      result.piece = assign(costs, slots.size(), columns);
      PointPairs all = marks_;
      for (std::size_t s = 0; s < slots.size(); ++s) {
        if (result.piece[s] >= pieces_.size()) continue;
        all.from.push_back(slots[s].centre);
        all.to.push_back(centres_[result.piece[s]]);
      }
      result.place = fit_similarity(all.from, all.to);
    }
    const auto total = [&](const std::vector<std::size_t>& chosen) {
      double sum = 0;
      for (std::size_t s = 0; s < slots.size(); ++s) sum += costs[s * columns + chosen[s]];
      return sum;
    };
    result.cost = total(result.piece);
    std::size_t used = 0;
    for (std::size_t s = 0; s < slots.size(); ++s) {
      result.doubt.push_back(0);
      if (result.piece[s] >= pieces_.size()) continue;
      ++used;
      // All names again without this one: what it would cost if the piece were another bone.
      const double own = std::exchange(costs[s * columns + result.piece[s]], never);
      const double other = total(assign(costs, slots.size(), columns));
      costs[s * columns + result.piece[s]] = own;
      result.doubt.back() = own < 0 ? 0 : std::clamp((result.cost + 1) / (other + 1), 0.0, 1.0);
    }
    result.cost += unnamed_piece_cost * static_cast<double>(pieces_.size() - used);
    return result;
  }

  std::vector<NamedBody> named(const SlotAssignment& assignment) {
    std::vector<NamedBody> bodies;
    std::vector<std::size_t> owner(pieces_.size(), slots_.size());
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      const std::size_t p = assignment.piece[s];
      if (p >= pieces_.size()) continue;
      owner[p] = bodies.size();
      bodies.push_back({slots_[s].bodies, {pieces_[p]}, assignment.doubt[s]});
      marks_.from.push_back(slots_[s].centre);
      marks_.to.push_back(centres_[p]);
    }
    // A piece that is nobody's was cut off from its neighbour, by noise or by a fracture.
    for (std::size_t p = 0; p < pieces_.size() && !bodies.empty(); ++p) {
      if (owner[p] == slots_.size()) bodies[nearest(bodies, p)].pieces.push_back(pieces_[p]);
    }
    std::stable_sort(bodies.begin(), bodies.end(), [&](const NamedBody& a, const NamedBody& b) {
      return leads(a, skeleton_) && !leads(b, skeleton_);
    });
    return bodies;
  }

  /// The body that a piece is nearest to, of those that somebody gave it to where somebody did.
  std::size_t nearest(std::span<const NamedBody> bodies, std::size_t piece) const {
    const Mesh& surface = parts_[pieces_[piece]].surface;
    const Bvh tree(surface.positions, surface.triangles);
    double least = std::numeric_limits<double>::infinity();
    std::size_t best = 0;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      const double said = given_cost({bodies[b].bodies, {}, 0}, pieces_[piece]);
      double distance = std::numeric_limits<double>::infinity();
      for (const Vec3f& p : parts_[bodies[b].pieces.front()].surface.positions)
        distance = std::min(distance, double{tree.closest(p, static_cast<float>(distance)).distance});
      if (distance + said < least) least = distance + said, best = b;
    }
    return best;
  }

  std::span<const BonePart> parts_;
  const BoneTemplate& skeleton_;
  std::span<const std::uint32_t> pieces_;
  PointPairs marks_;
  GivenPieces given_;
  std::vector<BodySlot> slots_;
  std::vector<Vec3d> centres_;  // #pieces
  double volume_ = 0;           // of all pieces
};

}  // namespace supple::scan
