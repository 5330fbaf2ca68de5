// Where lattice edges meet the surface, which lattice points move there, and the table of cut tetrahedra.
#include "supple/geometry/stuffing_cuts.h"

#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"

namespace supple::detail {
namespace {

// A point moves onto the surface where it is nearer than this part of an edge: with these values of Labelle and
// Shewchuk (section 3) no element inside or at the surface gets an angle near 0 or 180 degrees.
constexpr double long_reach = 0.24999, short_reach = 0.41189;
constexpr double clearance = 0.001;  // crossings stay this far from the ends of their edges

/// Fraction of the way from a (value fa) to b (value fb), of different signs, where the field vanishes: linear, then
/// two secant steps that keep the change of sign between their ends (the Illinois rule).
double find_crossing(const Field& field, Vec3d a, double fa, Vec3d b, double fb) {
  double low = 0, high = 1, f_low = fa, f_high = fb;
  const auto secant = [&] {
    const double t = low + (high - low) * f_low / (f_low - f_high);
    return std::isfinite(t) ? t : 0.5 * (low + high);
  };
  double t = secant();
  const double good_enough = 1e-6 * length(b - a);
  int last = 0;
  for (int i = 0; i < 2; ++i) {
    const double f = field(lerp(a, b, t));
    if (!(std::abs(f) > good_enough)) break;
    if ((f < 0) == (fa < 0)) {
      low = t;
      f_low = f;
      if (last == 1) f_high *= 0.5;
      last = 1;
    } else {
      high = t;
      f_high = f;
      if (last == -1) f_low *= 0.5;
      last = -1;
    }
    t = secant();
  }
  return std::clamp(t, clearance, 1 - clearance);
}

/// Three tetrahedra in the prism over triangles 012 and 345, positively oriented where (0, 1, 2, 3) is. The diagonal of
/// each side starts at its smallest number: both elements at that side cut it alike.
void fill_prism(const std::array<std::uint32_t, 6>& prism, std::vector<std::uint32_t>& out) {
  static constexpr std::uint8_t turned[6][6] = {{0, 1, 2, 3, 4, 5}, {1, 2, 0, 4, 5, 3}, {2, 0, 1, 5, 3, 4},
                                                {3, 5, 4, 0, 2, 1}, {4, 3, 5, 1, 0, 2}, {5, 4, 3, 2, 1, 0}};
  const auto smallest = std::min_element(prism.begin(), prism.end()) - prism.begin();
  std::array<std::uint32_t, 6> v;
  for (std::size_t i = 0; i < 6; ++i) v[i] = prism[turned[smallest][i]];
  if (std::min(v[1], v[5]) < std::min(v[2], v[4])) {
    out.insert(out.end(), {v[0], v[1], v[2], v[5], v[0], v[1], v[5], v[4], v[0], v[4], v[5], v[3]});
  } else {
    out.insert(out.end(), {v[0], v[1], v[2], v[4], v[0], v[4], v[2], v[5], v[0], v[4], v[5], v[3]});
  }
}

}  // namespace

CutLattice::CutLattice(const Field& field, const BccLattice& lattice, std::span<const double> values)
    : lattice_(lattice) {
  find_near_points(values);
  find_crossings(field, values);
  move_points();
  number_cuts();
}

void CutLattice::find_near_points(std::span<const double> values) {
  side_.resize(values.size());
  near_number_.assign(values.size(), none);
  parallel_for(values.size(), 1 << 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      side_[n] = values[n] < 0 ? Side::inside : Side::outside;
    }
  });
  // All ends of crossed edges are found from their inner ends, which have all their neighbours in the lattice.
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (side_[n] != Side::inside) continue;
    const BccPoint p = lattice_.point(n);
    for (const BccPoint& step : bcc_steps) {
      const std::size_t other = lattice_.number(p + step);
      if (side_[other] == Side::inside) continue;
      near_number_[n] = near_number_[other] = 0;
    }
  }
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (near_number_[n] == none) continue;
    near_number_[n] = static_cast<std::uint32_t>(near_.size());
    near_.push_back({static_cast<std::uint32_t>(n), {}, {}, lattice_.position(lattice_.point(n))});
  }
}

void CutLattice::find_crossings(const Field& field, std::span<const double> values) {
  parallel_for(near_.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      Near& near = near_[n];
      const BccPoint p = lattice_.point(near.point);
      near.crossing.fill(-1);
      near.cut.fill(none);
      for (std::size_t step = 0; step < bcc_owned_steps; ++step) {
        const BccPoint q = p + bcc_steps[step];
        if (!lattice_.contains(q)) continue;
        const std::size_t other = lattice_.number(q);
        if (side_[other] == side_[near.point]) continue;
        near.crossing[step] = static_cast<float>(
            find_crossing(field, near.position, values[near.point], lattice_.position(q), values[other]));
      }
    }
  });
}

double CutLattice::crossing(const Near& near, BccPoint point, std::size_t step) const {
  if (step < bcc_owned_steps) return near.crossing[step];
  const BccPoint q = point + bcc_steps[step];
  if (!lattice_.contains(q)) return -1;
  const std::uint32_t other = near_number_[lattice_.number(q)];
  if (other == none) return -1;
  const double t = near_[other].crossing[13 - step];
  return t < 0 ? t : 1 - t;
}

void CutLattice::move_points() {
  std::vector<Vec3d> moved(near_.size());
  parallel_for(near_.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      const Near& near = near_[n];
      const BccPoint p = lattice_.point(near.point);
      moved[n] = near.position;
      double nearest = 2;  // lattice constants
      for (std::size_t step = 0; step < bcc_steps.size(); ++step) {
        const bool is_long = is_long_step(step);
        const double t = crossing(near, p, step), distance = t * (is_long ? 1.0 : 0.86602540378443865);
        if (t < 0 || t >= (is_long ? long_reach : short_reach) || distance >= nearest) continue;
        nearest = distance;
        moved[n] = lerp(near.position, lattice_.position(p + bcc_steps[step]), t);
        side_[near.point] = Side::on;
      }
    }
  });
  // Positions are kept until now: cuts lie on the edges of the regular lattice.
  parallel_for(near_.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) near_[n].position = moved[n];
  });
}

void CutLattice::number_cuts() {
  for (Near& near : near_) {
    if (side_[near.point] == Side::on) continue;
    const BccPoint p = lattice_.point(near.point);
    for (std::size_t step = 0; step < bcc_owned_steps; ++step) {
      if (near.crossing[step] < 0) continue;
      const BccPoint q = p + bcc_steps[step];
      if (side_[lattice_.number(q)] == Side::on) continue;
      near.cut[step] = static_cast<std::uint32_t>(lattice_.points() + cuts_.size());
      cuts_.push_back(lerp(near.position, lattice_.position(q), double{near.crossing[step]}));
    }
  }
}

Vec3d CutLattice::position(std::size_t node) const {
  if (node >= lattice_.points()) return cuts_[node - lattice_.points()];
  return near_number_[node] == none ? lattice_.position(lattice_.point(node)) : near_[near_number_[node]].position;
}

std::uint32_t CutLattice::cut_node(BccPoint a, BccPoint b) const {
  const std::size_t step = bcc_step(a, b);
  return step < bcc_owned_steps ? near_[near_number_[lattice_.number(a)]].cut[step]
                                : near_[near_number_[lattice_.number(b)]].cut[13 - step];
}

void CutLattice::fill(const std::array<BccPoint, 4>& corners, std::vector<std::uint32_t>& out) const {
  struct Corner {
    BccPoint point;
    std::uint32_t node;
    Side side;
  };
  std::array<Corner, 4> c;
  std::size_t inside = 0, outside = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t node = lattice_.number(corners[i]);
    c[i] = {corners[i], static_cast<std::uint32_t>(node), side_[node]};
    inside += c[i].side == Side::inside;
    outside += c[i].side == Side::outside;
  }
  if (inside == 0) return;
  if (outside == 0) {
    out.insert(out.end(), {c[0].node, c[1].node, c[2].node, c[3].node});
    return;
  }
  // Inside first, outside last; an odd number of exchanges turns the element inside out, so two equals are exchanged.
  bool odd = false;
  for (std::size_t round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (c[i].side >= c[i + 1].side) continue;
      std::swap(c[i], c[i + 1]);
      odd = !odd;
    }
  }
  if (odd) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (c[i].side != c[i + 1].side) continue;
      std::swap(c[i], c[i + 1]);
      break;
    }
  }
  const auto cut = [&](std::size_t from, std::size_t to) { return cut_node(c[from].point, c[to].point); };
  if (inside == 1) {
    std::array<std::uint32_t, 4> v;
    for (std::size_t i = 0; i < 4; ++i) v[i] = c[i].side == Side::outside ? cut(0, i) : c[i].node;
    out.insert(out.end(), v.begin(), v.end());
  } else if (inside == 3) {
    fill_prism({c[0].node, c[1].node, c[2].node, cut(0, 3), cut(1, 3), cut(2, 3)}, out);
  } else if (outside == 2) {
    fill_prism({c[0].node, cut(0, 2), cut(0, 3), c[1].node, cut(1, 2), cut(1, 3)}, out);
  } else {  // a pyramid over the side a, b, cut b, cut a with the moved point as its tip
    const std::uint32_t a = c[0].node, b = c[1].node, tip = c[2].node, cut_a = cut(0, 3), cut_b = cut(1, 3);
    if (std::min(a, cut_b) < std::min(b, cut_a)) {
      out.insert(out.end(), {a, b, tip, cut_b, a, cut_b, tip, cut_a});
    } else {
      out.insert(out.end(), {a, b, tip, cut_a, cut_a, b, tip, cut_b});
    }
  }
}

std::vector<std::uint32_t> CutLattice::elements() const {
  std::vector<std::vector<std::uint32_t>> layers(lattice_.size[2]);
  parallel_for(layers.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      for_each_bcc_tetrahedron(lattice_, k, [&](const std::array<BccPoint, 4>& corners) { fill(corners, layers[k]); });
    }
  });
  std::vector<std::uint32_t> all;
  std::size_t total = 0;
  for (const auto& layer : layers) total += layer.size();
  all.reserve(total);
  for (const auto& layer : layers) all.insert(all.end(), layer.begin(), layer.end());
  return all;
}

}  // namespace supple::detail
