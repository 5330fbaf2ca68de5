// Signs of determinants of float coordinates: in double where rounding cannot matter, as exact sums of exact products
// where it can (after Shewchuk 1997, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
// Predicates"). Products of three floats stay within the range of a double down to their last bit.
#include "supple/geometry/orientation.h"

#include <array>
#include <span>

namespace supple {
namespace {

constexpr double half_ulp = 1.0 / 9007199254740992.0;  // 2^-53

/// Sign of the sum of up to 48 numbers without any rounding: the sum is kept as an expansion, numbers of rising size
/// that do not overlap, so that the last one has the sign of them all.
int sign_of_sum(std::span<const double> terms) {
  std::array<double, 48> expansion{};
  std::size_t size = 0;
  for (double carry : terms) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size; ++i) {
      // carry + expansion[i] = sum + lost, both exact (Knuth's two-sum).
      const double other = expansion[i], sum = carry + other, part = sum - carry;
      const double lost = (carry - (sum - part)) + (other - part);
      carry = sum;
      if (lost != 0) expansion[kept++] = lost;
    }
    if (carry != 0) expansion[kept++] = carry;
    size = kept;
  }
  if (size == 0) return 0;
  return expansion[size - 1] > 0 ? 1 : -1;
}

/// Sums up products of three floats exactly.
class Products {
 public:
  /// Adds x y z. The product of two floats is exact in double; of its halves (Dekker's splitting, 26 bits each) times a
  /// third float, too.
  void add(double x, double y, double z) {
    const double xy = x * y, scaled = xy * 134217729.0;  // 2^27 + 1
    const double high = scaled - (scaled - xy), low = xy - high;
    terms_[count_++] = high * z;
    terms_[count_++] = low * z;
  }
  /// Adds sign * det(u, v, w): six products.
  void add_determinant(Vec3d u, Vec3d v, Vec3d w, double sign) {
    add(u.x * sign, v.y, w.z);
    add(-u.x * sign, v.z, w.y);
    add(u.y * sign, v.z, w.x);
    add(-u.y * sign, v.x, w.z);
    add(u.z * sign, v.x, w.y);
    add(-u.z * sign, v.y, w.x);
  }
  int sign() const { return sign_of_sum(std::span(terms_).first(count_)); }

 private:
  std::array<double, 48> terms_{};
  std::size_t count_ = 0;
};

int sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

}  // namespace

int orientation(Vec3f a, Vec3f b, Vec3f c, Vec3f d) {
  const Vec3d o(d), u = Vec3d(a) - o, v = Vec3d(b) - o, w = Vec3d(c) - o;
  const double yz = v.y * w.z, zy = v.z * w.y, zx = v.z * w.x, xz = v.x * w.z, xy = v.x * w.y, yx = v.y * w.x;
  const double volume = u.x * (yz - zy) + u.y * (zx - xz) + u.z * (xy - yx);
  const double size = std::abs(u.x) * (std::abs(yz) + std::abs(zy)) + std::abs(u.y) * (std::abs(zx) + std::abs(xz)) +
                      std::abs(u.z) * (std::abs(xy) + std::abs(yx));
  // Seen from the side from which a, b, c turn counter-clockwise, det(a - d, b - d, c - d) is negative.
  if (size == 0) return 0;  // every single product vanishes, none by rounding
  if (std::abs(volume) > (7 + 56 * half_ulp) * half_ulp * size) return -sign_of(volume);
  if (a == b || b == c || c == a) return 0;
  Products products;
  const Vec3d p(a), q(b), r(c);
  products.add_determinant(p, q, r, -1);
  products.add_determinant(o, q, r, 1);
  products.add_determinant(p, o, r, 1);
  products.add_determinant(p, q, o, 1);
  return products.sign();
}

int orientation(Vec3f a, Vec3f b, Vec3f c, std::size_t along) {
  const std::size_t i = (along + 1) % 3, j = (along + 2) % 3;
  const Vec3d p(a), q(b), r(c);
  const double left = (p[i] - r[i]) * (q[j] - r[j]), right = (p[j] - r[j]) * (q[i] - r[i]), area = left - right;
  const double size = std::abs(left) + std::abs(right);
  if (size == 0) return 0;
  if (std::abs(area) > (3 + 16 * half_ulp) * half_ulp * size) return sign_of(area);
  return sign_of_sum(std::array{p[i] * q[j], -p[j] * q[i], q[i] * r[j], -q[j] * r[i], r[i] * p[j], -r[j] * p[i]});
}

}  // namespace supple
