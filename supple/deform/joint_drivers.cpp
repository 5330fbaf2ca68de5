#include "supple/deform/joint_drivers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "supple/base/elementary.h"
#include "supple/base/wide.h"
#include "supple/deform/drive.h"

namespace supple {
namespace {

constexpr double no_angle_of_joint = 1e-6;  // as in drive.cpp, whose arithmetic this is, component by component

/// What there is of each entry.
struct EntryRotations {
  const double *x, *y, *z, *w;
};

SUPPLE_WIDE void basis_values(const EntryRotations& at, const EntryRotations& centres, const double* __restrict scale,
                              const double* __restrict gaussian, std::size_t count, double* __restrict values) {
  const double *ax = at.x, *ay = at.y, *az = at.z, *aw = at.w;
  const double *cx = centres.x, *cy = centres.y, *cz = centres.z, *cw = centres.w;
  for (std::size_t e = 0; e < count; ++e) {
    const double cosine = ax[e] * cx[e] + ay[e] * cy[e] + az[e] * cz[e] + aw[e] * cw[e];
    const double sign = cosine < 0 ? 1.0 : -1.0;
    const double x = ax[e] + cx[e] * sign, y = ay[e] + cy[e] * sign, z = az[e] + cz[e] * sign, w = aw[e] + cw[e] * sign;
    const double angle = angle_of_chord(x * x + y * y + z * z + w * w), felt = angle < no_angle_of_joint ? 0.0 : angle;
    const double r = std::sqrt(felt * felt) * scale[e];
    values[e] = decay(r * (gaussian[e] != 0 ? r : 1.0));
  }
}

}  // namespace

bool JointDriverTable::takes(const MorphDriver& driver) {
  return driver.joints.size() == 1 && driver.twist_axes.empty() &&
         (driver.kernel == RbfKernel::exponential || driver.kernel == RbfKernel::gaussian);
}

void JointDriverTable::add(const MorphDriver& driver) {
  drivers_.push_back({&driver, x_.size(), false});
  for (const Quatf& centre : driver.centres) {
    const Quatd q(centre);
    x_.push_back(q.x);
    y_.push_back(q.y);
    z_.push_back(q.z);
    w_.push_back(q.w);
    scale_.push_back(1 / double{driver.radius});
    gaussian_.push_back(driver.kernel == RbfKernel::gaussian ? 1 : 0);
  }
  for (std::vector<double>* room : {&at_x_, &at_y_, &at_z_, &at_w_, &values_}) room->resize(x_.size());
}

void JointDriverTable::evaluate(std::span<const Transformf> local) {
  for (Driver& d : drivers_) {
    const Quatf turned = conjugate(d.driver->reference[0]) * local[d.driver->joints[0]].rotation;
    d.at_rest = is_none(turned);
    const Quatd q(turned);
    const std::size_t end = d.first_entry + d.driver->centres.size();
    for (std::size_t e = d.first_entry; e < end; ++e) at_x_[e] = q.x, at_y_[e] = q.y, at_z_[e] = q.z, at_w_[e] = q.w;
  }
  basis_values({at_x_.data(), at_y_.data(), at_z_.data(), at_w_.data()}, {x_.data(), y_.data(), z_.data(), w_.data()},
               scale_.data(), gaussian_.data(), values_.size(), values_.data());
}

void JointDriverTable::write(std::size_t number, std::span<float> morph_weights) const {
  constexpr std::size_t at_once = 8;  // sums that stay in registers
  const Driver& d = drivers_[number];
  const std::size_t targets = d.driver->targets(), centres = d.driver->centres.size();
  const float* rest = d.driver->rest_weights.data();
  float* out = morph_weights.data() + d.driver->first_weight;
  if (d.at_rest) {
    std::copy_n(rest, targets, out);
    return;
  }
  const double* values = values_.data() + d.first_entry;
  for (std::size_t begin = 0; begin < targets; begin += at_once) {
    const std::size_t count = std::min(at_once, targets - begin);
    const double* coefficients = d.driver->coefficients.data() + begin;
    double sums[at_once] = {};
    for (std::size_t c = 0; c < centres; ++c, coefficients += targets)
      for (std::size_t m = 0; m < count; ++m) sums[m] += values[c] * coefficients[m];
    for (std::size_t m = 0; m < count; ++m)
      out[begin + m] = d.driver->limited(begin + m, static_cast<float>(double{rest[begin + m]} + sums[m]));
  }
}

}  // namespace supple
