#include "supple/author/scan/rigid_fit.h"

#include "supple/base/decompose.h"

namespace supple::scan {
namespace {

struct Moments {
  Vec3d mean_from{}, mean_to{};
  Mat3d covariance = Mat3d::diagonal({});
  double variance = 0;  // of `from`
};

Moments moments(std::span<const Vec3d> from, std::span<const Vec3d> to) {
  Moments m;
  const auto n = static_cast<double>(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    m.mean_from += from[i] / n;
    m.mean_to += to[i] / n;
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    m.covariance = m.covariance + outer(to[i] - m.mean_to, from[i] - m.mean_from);
    m.variance += squared_length(from[i] - m.mean_from);
  }
  return m;
}

}  // namespace

Similarity fit_similarity(std::span<const Vec3d> from, std::span<const Vec3d> to) {
  const Moments m = moments(from, to);
  // The last singular value carries the sign of the determinant: u v^T is the best rotation, mirrored data or not.
  const RotationSvd svd = rotation_svd(m.covariance);
  Similarity result;
  result.turn = svd.u * transpose(svd.v);
  result.scale = m.variance > 0 ? (svd.values.x + svd.values.y + svd.values.z) / m.variance : 1;
  result.shift = m.mean_to - result.turn * m.mean_from * result.scale;
  return result;
}

Affined fit_rigid(std::span<const Vec3d> from, std::span<const Vec3d> to) {
  const Moments m = moments(from, to);
  const RotationSvd svd = rotation_svd(m.covariance);
  const Mat3d turn = svd.u * transpose(svd.v);
  return {turn, m.mean_to - turn * m.mean_from};
}

}  // namespace supple::scan
