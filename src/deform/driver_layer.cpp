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
SUPPLE_WIDE void joint_values(const PoseDriverTable& t, std::size_t begin, std::size_t end, Quatd s, double scale,
                              double* __restrict kappa) {
  const Quatd c = conjugate(s);
  const double from_rest = decay(scale * squared_length(s.xyz()));
  const double *x = t.x.data(), *y = t.y.data(), *z = t.z.data(), *w = t.w.data(), *rest = t.from_rest.data();
  for (std::size_t e = begin; e < end; ++e) {
    const double vx = c.w * x[e] + c.x * w[e] + c.y * z[e] - c.z * y[e];
    const double vy = c.w * y[e] - c.x * z[e] + c.y * w[e] + c.z * x[e];
    const double vz = c.w * z[e] + c.x * y[e] - c.y * x[e] + c.z * w[e];
    kappa[e] = decay(scale * (vx * vx + vy * vy + vz * vz)) - from_rest * rest[e];
  }
}

}  // namespace

PoseDriverTable::PoseDriverTable(const MorphDriver& d) : driver(&d) {
  const std::size_t joints = d.joints.size(), centres = d.centre_count();
  constexpr std::uint32_t none = 0xffffffffu;
  std::vector<std::uint32_t> entry_of(joints * centres, none);
  first_entry.push_back(0);
  for (std::size_t k = 0; k < joints; ++k) {
    for (std::uint32_t c = 0; c < centres; ++c) {
      const Quatf turned = d.centres[c * joints + k];
      if (is_none(turned)) continue;
      entry_of[k * centres + c] = static_cast<std::uint32_t>(centre.size());
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
  for (const auto& [a, b] : d.pairs)
    for (std::uint32_t c = 0; c < centres; ++c) {
      const std::uint32_t first = entry_of[a * centres + c], second = entry_of[b * centres + c];
      if (first == none || second == none) continue;
      pair_a.push_back(first);
      pair_b.push_back(second);
      pair_row.push_back(c);
    }
}

void PoseDriverTable::add_kernel(std::span<const Quatf> setting, double pair_weight, std::span<double> joint_rows,
                                 std::span<double> pair_rows, std::span<double> kappa) const {
  for (std::size_t k = 0; k < setting.size(); ++k) {
    const std::size_t begin = first_entry[k], end = first_entry[k + 1];
    if (is_none(setting[k])) {
      std::fill(kappa.begin() + static_cast<std::ptrdiff_t>(begin), kappa.begin() + static_cast<std::ptrdiff_t>(end),
                0.0);
      continue;
    }
    joint_values(*this, begin, end, Quatd(setting[k]), chord_scale(double{driver->radii[k]}), kappa.data());
    for (std::size_t e = begin; e < end; ++e) joint_rows[centre[e]] += kappa[e];
  }
  for (std::size_t p = 0; p < pair_row.size(); ++p)
    pair_rows[pair_row[p]] += pair_weight * kappa[pair_a[p]] * kappa[pair_b[p]];
}

DriverLayer::DriverLayer(std::span<const MorphDriver> drivers) : drivers_(drivers) {
  for (const MorphDriver& d : drivers) {
    if (d.kernel != RbfKernel::pose) continue;
    const PoseDriverTable& t = tables_.emplace_back(d);
    kappa_.resize(std::max(kappa_.size(), t.centre.size()));
    rows_.resize(std::max(rows_.size(), d.centre_count()));
    sums_.resize(std::max(sums_.size(), d.targets()));
  }
}

void DriverLayer::drive(std::span<const Transformf> local, std::span<float> morph_weights) {
  auto table = tables_.begin();
  for (const MorphDriver& d : drivers_) {
    if (d.kernel != RbfKernel::pose) {
      supple::drive(std::span(&d, 1), local, morph_weights);
      continue;
    }
    const PoseDriverTable& t = *table++;
    const std::size_t targets = d.targets(), centres = d.centre_count();
    std::array<Quatf, MorphDriver::most_joints> setting;
    for (std::size_t k = 0; k < d.joints.size(); ++k)
      setting[k] = conjugate(d.reference[k]) * local[d.joints[k]].rotation;
    std::fill(rows_.begin(), rows_.end(), 0.0);
    t.add_kernel(std::span(setting).first(d.joints.size()), double{d.pair_weight}, rows_, rows_, kappa_);
    double* sums = sums_.data();
    std::fill_n(sums, targets, 0.0);
    for (std::size_t c = 0; c < centres; ++c) {
      const double value = rows_[c], *coefficients = &d.coefficients[c * targets];
      if (value == 0) continue;
      for (std::size_t m = 0; m < targets; ++m) sums[m] += value * coefficients[m];
    }
    for (std::size_t m = 0; m < targets; ++m)
      morph_weights[d.first_weight + m] = static_cast<float>(double{d.rest_weights[m]} + sums[m]);
  }
}

}  // namespace supple
