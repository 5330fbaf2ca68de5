// Coordinates of modes as functions of the pose: radial basis functions through a joint's examples.
#pragma once

#include <span>
#include <vector>

#include "supple/base/result.h"
#include "supple/deform/corrective/table.h"
#include "supple/learn/dense.h"

namespace supple::learn {

/// One example of a driver: where its joints are, and the coordinates wanted there.
struct RbfSample {
  std::string name;            // for messages
  std::vector<Quatf> setting;  // one rotation per joint, relative to rest
};

struct RbfFit {
  std::vector<Quatf> centres;  // the rest setting first, then the samples'
  DenseMatrix coefficients;    // rows of the driver by modes
};

/// Interpolates: the basis functions reproduce `coordinates` (#samples by #modes) at the samples and 0 at rest. Sets
/// the driver's number of centres, and its radius where that is 0: ten times the mean distance from a centre to its
/// nearest. Two samples at one setting, or one at rest, are an error that names them.
Result<RbfFit> fit_rbf(CorrectiveDriver& driver, std::span<const RbfSample> samples, const DenseMatrix& coordinates);

}  // namespace supple::learn
