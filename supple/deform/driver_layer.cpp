#include "supple/deform/driver_layer.h"

#include <algorithm>
#include <array>

#include "supple/base/elementary.h"
#include "supple/base/wide.h"
#include "supple/deform/drive.h"

namespace supple {
namespace {

/// kappa of a joint for all centres that turn it: g(s, c) - g(s, 1) g(1, c). The arithmetic is that of drive.cpp,
/// component by component.
SUPPLE_WIDE void joint_values(const PoseDriverTable& t, std::size_t begin, std::size_t count, Quatd s, double scale,
                              double* __restrict kappa) {
  const Quatd c = conjugate(s);
  const double from_rest = decay(scale * squared_length(s.xyz()));
  const double *x = &t.x[begin], *y = &t.y[begin], *z = &t.z[begin], *w = &t.w[begin], *rest = &t.from_rest[begin];
  for (std::size_t e = 0; e < count; ++e) {
    const double vx = c.w * x[e] + c.x * w[e] + c.y * z[e] - c.z * y[e];
    const double vy = c.w * y[e] - c.x * z[e] + c.y * w[e] + c.z * x[e];
    const double vz = c.w * z[e] + c.x * y[e] - c.y * x[e] + c.z * w[e];
    kappa[e] = decay(scale * (vx * vx + vy * vy + vz * vz)) - from_rest * rest[e];
  }
}

SUPPLE_WIDE void add(double* __restrict to, const double* __restrict from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] += from[i];
}

SUPPLE_WIDE void add_products(double* __restrict to, double factor, const double* __restrict a,
                              const double* __restrict b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] += factor * a[i] * b[i];
}

SUPPLE_WIDE void add_scaled(double* __restrict to, double factor, const double* __restrict from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] += factor * from[i];
}

/// Whether two drivers of the pose kernel see the same in every pose, as those of several parts that were learnt as one
/// surface do: then they differ in what they make of it alone.
bool see_the_same(const MorphDriver& a, const MorphDriver& b) {
  return a.joints == b.joints && a.reference == b.reference && a.radii == b.radii && a.pairs == b.pairs &&
         a.pair_weight == b.pair_weight && a.centres == b.centres;
}

}  // namespace

PoseDriverTable::PoseDriverTable(const MorphDriver& d) : driver(&d), centres(d.joints.empty() ? 0 : d.centre_count()) {
  const std::size_t joints = d.joints.size();
  first_entry.push_back(0);
  for (std::size_t k = 0; k < joints; ++k) {
    for (std::uint32_t c = 0; c < centres; ++c) {
      const Quatf turned = d.centres[c * joints + k];
      if (is_none(turned)) continue;
      const Quatd q(turned);
      x.push_back(q.x);
      y.push_back(q.y);
      z.push_back(q.z);
      w.push_back(q.w);
      from_rest.push_back(decay(chord_scale(double{d.radii[k]}) * squared_length(q.xyz())));
      centre.push_back(c);
    }
    first_entry.push_back(static_cast<std::uint32_t>(centre.size()));
  }
}

PoseDriverTable::Room::Room(const PoseDriverTable& table)
    : kappa(table.driver->joints.size() * table.centres), values(table.centres) {}

void PoseDriverTable::add_kernel(std::span<const Quatf> setting, double pair_weight, std::span<double> joint_rows,
                                 std::span<double> pair_rows, Room& room) const {
  std::array<bool, MorphDriver::most_joints> acts{};
  for (std::size_t k = 0; k < setting.size(); ++k) {
    const std::size_t begin = first_entry[k], count = first_entry[k + 1] - begin;
    acts[k] = count > 0 && !is_none(setting[k]);
    if (!acts[k]) continue;
    joint_values(*this, begin, count, Quatd(setting[k]), chord_scale(double{driver->radii[k]}), room.values.data());
    double* kappa = &room.kappa[k * centres];
    for (std::size_t e = 0; e < count; ++e) kappa[centre[begin + e]] = room.values[e];
    add(joint_rows.data(), kappa, centres);
  }
  for (const auto& [a, b] : driver->pairs)
    if (acts[a] && acts[b])
      add_products(pair_rows.data(), pair_weight, &room.kappa[a * centres], &room.kappa[b * centres], centres);
}

DriverLayer::DriverLayer(std::span<const MorphDriver> drivers) : drivers_(drivers) {
  for (const MorphDriver& d : drivers) {
    if (JointDriverTable::takes(d)) joint_drivers_.add(d);
    if (d.kernel != RbfKernel::pose) continue;
    const auto same =
        std::find_if(tables_.begin(), tables_.end(), [&](const auto& t) { return see_the_same(*t.driver, d); });
    table_of_.push_back(static_cast<std::size_t>(same - tables_.begin()));
    if (same == tables_.end()) rooms_.emplace_back(tables_.emplace_back(d));
    rows_.resize(std::max(rows_.size(), d.centre_count()));
    sums_.resize(std::max(sums_.size(), d.targets()));
  }
}

void DriverLayer::drive(std::span<const Transformf> local, std::span<float> morph_weights) {
  auto table = table_of_.begin();
  std::size_t in_rows = tables_.size();  // the table whose values the rows hold: none yet
  std::size_t joint_driver = 0;
  joint_drivers_.evaluate(local);
  for (const MorphDriver& d : drivers_) {
    if (JointDriverTable::takes(d)) {
      joint_drivers_.write(joint_driver++, morph_weights);
      continue;
    }
    if (d.kernel != RbfKernel::pose) {
      supple::drive(std::span(&d, 1), local, morph_weights);
      continue;
    }
    const std::size_t targets = d.targets(), centres = d.centre_count();
    if (*table != in_rows) {
      std::array<Quatf, MorphDriver::most_joints> setting;
      for (std::size_t k = 0; k < d.joints.size(); ++k)
        setting[k] = conjugate(d.reference[k]) * local[d.joints[k]].rotation;
      std::fill(rows_.begin(), rows_.end(), 0.0);
      tables_[*table].add_kernel(std::span(setting).first(d.joints.size()), double{d.pair_weight}, rows_, rows_,
                                 rooms_[*table]);
      in_rows = *table;
    }
    ++table;
    double* sums = sums_.data();
    std::fill_n(sums, targets, 0.0);
    for (std::size_t c = 0; c < centres; ++c) {
      const double value = rows_[c], *coefficients = &d.coefficients[c * targets];
      if (value == 0) continue;
      add_scaled(sums, value, coefficients, targets);
    }
    for (std::size_t m = 0; m < targets; ++m)
      morph_weights[d.first_weight + m] = d.limited(m, static_cast<float>(double{d.rest_weights[m]} + sums[m]));
  }
}

}  // namespace supple
