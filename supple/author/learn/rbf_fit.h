// Coordinates of modes as functions of the pose: radial basis functions through, or near, a driver's examples.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "supple/author/learn/dense.h"
#include "supple/base/result.h"
#include "supple/rig/morph_driver.h"

namespace supple::learn {

/// One example of a driver: where its joints are.
struct RbfSample {
  std::string name;            // for messages
  std::vector<Quatf> setting;  // one rotation per joint, relative to the reference
};

/// Interpolates: the basis functions reproduce `coordinates` (#samples by #modes) at the samples and 0 at rest. Sets
/// the driver's centres (rest first), coefficients and rest weights (0), and its radius: `radius_factor` times the mean
/// distance from a centre to its nearest. Two samples at one setting, or one at rest, are an error that names them.
Result<void> interpolate(MorphDriver& driver, std::span<const RbfSample> samples, const DenseMatrix& coordinates,
                         double radius_factor = 10);

/// The same with the radius that the driver has.
Result<void> interpolate_within(MorphDriver& driver, std::span<const RbfSample> samples,
                                const DenseMatrix& coordinates);

/// Smooths: for samples whose coordinates also hold what other joints did. Goes through 0 at rest, near 0 at the
/// settings `zeros`, and near the samples; how near, and the radius, are what predicts samples left out one at a time
/// best. The kernel must be exponential or gaussian. Returns the share of the samples' energy that those predictions
/// miss: 1 and above mean that nothing was learnt.
double smooth(MorphDriver& driver, std::span<const RbfSample> samples, std::span<const std::vector<Quatf>> zeros,
              const DenseMatrix& coordinates);

/// How far weights may go beyond those of the training poses. Between examples and shortly beyond them a good fit
/// overshoots a little, which a quarter leaves room for; a kernel of wide reach that extrapolates does so by multiples.
inline constexpr double limit_slack = 1.25;

/// Sets the limits of a driver to `limit_slack` times its smallest and largest weights at the settings of the training
/// poses (one rotation per joint of the driver each), measured from the rest weights, which always lie within.
void set_limits(MorphDriver& driver, std::span<const std::vector<Quatf>> settings);

/// The same driver with some of its modes only.
MorphDriver with_modes(const MorphDriver& driver, std::span<const std::size_t> modes);

}  // namespace supple::learn
