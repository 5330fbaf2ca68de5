#include "supple/deform/palette.h"

#include <optional>

namespace supple {

JointMatrix pack(const Affinef& m) {
  const auto column = [](float* out, Vec3f v) { out[0] = v.x, out[1] = v.y, out[2] = v.z, out[3] = 0; };
  JointMatrix packed;
  column(packed.columns[0], m.linear.c0);
  column(packed.columns[1], m.linear.c1);
  column(packed.columns[2], m.linear.c2);
  column(packed.columns[3], m.translation);
  return packed;
}

Affinef unpack(const JointMatrix& m) {
  const auto column = [&](int c) { return Vec3f{m.columns[c][0], m.columns[c][1], m.columns[c][2]}; };
  return {{column(0), column(1), column(2)}, column(3)};
}

void make_palette(const SkinBinding& binding, std::span<const Affinef> world, std::span<JointMatrix> palette) {
  for (std::size_t k = 0; k < binding.joints.size(); ++k) {
    palette[k] = pack(world[binding.joints[k]] * binding.inverse_bind[k]);
  }
}

bool is_rotation(const Mat3f& m, float tolerance) {
  const auto differs = [&](float value, float wanted) { return !(std::abs(value - wanted) <= tolerance); };
  return !(differs(dot(m.c0, m.c0), 1) || differs(dot(m.c1, m.c1), 1) || differs(dot(m.c2, m.c2), 1) ||
           differs(dot(m.c0, m.c1), 0) || differs(dot(m.c1, m.c2), 0) || differs(dot(m.c2, m.c0), 0) ||
           determinant(m) < 0);
}

bool has_scale(std::span<const JointMatrix> palette, float tolerance) {
  for (const JointMatrix& m : palette) {
    if (!is_rotation(unpack(m).linear, tolerance)) return true;
  }
  return false;
}

Result<void> make_dual_palette(std::span<const JointMatrix> palette, std::span<JointDualQuat> motion,
                               std::span<JointMatrix> stretch, bool& stretched) {
  stretched = false;
  // Of q and -q the one nearer to the first joint's: then joints of one vertex rarely differ in sign.
  std::optional<Quatf> first;
  const auto near_first = [&](Quatf q) {
    if (!first) first = q;
    return dot(*first, q) < 0 ? -q : q;
  };
  for (std::size_t k = 0; k < palette.size(); ++k) {
    const Affinef m = unpack(palette[k]);
    if (is_rotation(m.linear, 1e-5f)) {
      motion[k].motion = make_dual_quat(near_first(from_matrix(m.linear)), m.translation);
      stretch[k] = pack({});
      continue;
    }
    if (!(determinant(m.linear) > 0)) {
      return Error{"joint " + std::to_string(k) + " of the skin",
                   "mirrors or flattens, which dual quaternions cannot follow",
                   "use linear blending, or remove the negative or zero scale"};
    }
    const Polar<double> split = polar(Mat3d(m.linear));
    motion[k].motion = make_dual_quat(near_first(Quatf(from_matrix(split.rotation))), m.translation);
    stretch[k] = pack({Mat3f(split.stretch), {}});
    stretched = true;
  }
  return {};
}

}  // namespace supple
