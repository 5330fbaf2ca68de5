#include "supple/author/scan/motion_covariance.h"

namespace supple::scan {
namespace {

using Matrix6 = MotionCovariance::Matrix;

/// j c j^T.
Matrix6 transformed(const Matrix6& j, const Matrix6& c) {
  Matrix6 half{}, result{};
  for (std::size_t r = 0; r < 6; ++r)
    for (std::size_t k = 0; k < 6; ++k)
      for (std::size_t s = 0; s < 6; ++s) half[r][s] += j[r][k] * c[k][s];
  for (std::size_t r = 0; r < 6; ++r)
    for (std::size_t s = 0; s < 6; ++s)
      for (std::size_t k = 0; k < 6; ++k) result[r][s] += half[r][k] * j[s][k];
  return result;
}

void put_block(Matrix6& m, std::size_t row, std::size_t column, const Mat3d& block) {
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t r = 0; r < 3; ++r) m[row + r][column + c] = block[c][r];
}

}  // namespace

MotionCovariance about_point(const MotionCovariance& c, Vec3d point) {
  // The point moves by shift + turn x (point - about).
  Matrix6 j{};
  put_block(j, 0, 0, Mat3d{});
  put_block(j, 3, 3, Mat3d{});
  put_block(j, 3, 0, cross_matrix(point - c.about) * -1.0);
  return {transformed(j, c.matrix), point};
}

MotionCovariance carried(const MotionCovariance& c, const Affined& rigid) {
  Matrix6 j{};
  put_block(j, 0, 0, rigid.linear);
  put_block(j, 3, 3, rigid.linear);
  return {transformed(j, c.matrix), rigid.point(c.about)};
}

MotionCovariance operator+(const MotionCovariance& a, const MotionCovariance& b) {
  MotionCovariance sum = a;
  for (std::size_t r = 0; r < 6; ++r)
    for (std::size_t c = 0; c < 6; ++c) sum.matrix[r][c] += b.matrix[r][c];
  return sum;
}

}  // namespace supple::scan
