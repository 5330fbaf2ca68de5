#include "supple/deform/skinning/reference.h"

#include "supple/base/dual_quat.h"

namespace supple::reference {

Vertex linear(std::span<const Influence> influences, std::span<const Affined> palette, const Vertex& rest,
              bool inverse_transpose) {
  Affined m{{{}, {}, {}}, {}};
  for (const Influence& i : influences) {
    m.linear = m.linear + palette[i.joint].linear * double{i.weight};
    m.translation += palette[i.joint].translation * double{i.weight};
  }
  const Mat3d n = inverse_transpose ? cofactor(m.linear) * (determinant(m.linear) < 0 ? -1.0 : 1.0) : m.linear;
  return {m.point(rest.position), normalized(n * rest.normal), normalized(m.vector(rest.tangent))};
}

Vertex dual_quaternion(std::span<const Influence> influences, std::span<const Affined> palette, const Vertex& rest) {
  Mat3d stretch{{}, {}, {}};
  DualQuatd sum{{0, 0, 0, 0}, {0, 0, 0, 0}};
  Quatd pivot;
  for (std::size_t i = 0; i < influences.size(); ++i) {
    const Affined& m = palette[influences[i].joint];
    const double w = influences[i].weight;
    const Polar<double> split = polar(m.linear);
    const DualQuatd q = make_dual_quat(from_matrix(split.rotation), m.translation);
    if (i == 0) pivot = q.real;
    sum = sum + q * (dot(pivot, q.real) < 0 ? -w : w);
    stretch = stretch + split.stretch * w;
  }
  const DualQuatd q = normalized(sum);
  return {q.point(stretch * rest.position), normalized(rotate(q.real, normalized(cofactor(stretch) * rest.normal))),
          normalized(rotate(q.real, normalized(stretch * rest.tangent)))};
}

}  // namespace supple::reference
