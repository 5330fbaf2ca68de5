// Blended dual quaternions as rigid motions of several vertices side by side. Included by kernel.inl only.

/// x, y, z, w of the real and of the dual parts.
template <class Numbers>
struct Duals {
  Numbers real[4], dual[4];
};

/// The rotation's unit quaternion and the translation.
template <class Numbers>
struct RigidMotions {
  Coordinates<Numbers> axis;
  Numbers real;
  Coordinates<Numbers> translation;
};

template <class Numbers>
SUPPLE_INLINE RigidMotions<Numbers> motions(const Duals<Numbers>& q) {
  Numbers squares = q.real[0] * q.real[0];
  for (int i = 1; i < 4; ++i) squares = multiply_add(q.real[i], q.real[i], squares);
  const Numbers scale = inverse_square_root(squares);
  const Coordinates<Numbers> real{q.real[0] * scale, q.real[1] * scale, q.real[2] * scale},
      dual{q.dual[0] * scale, q.dual[1] * scale, q.dual[2] * scale};
  const Numbers real_w = q.real[3] * scale, dual_w = q.dual[3] * scale;
  // translation = 2 dual conjugate(real)
  const Coordinates<Numbers> c = moved(cross(real, dual), real_w, dual);
  const Coordinates<Numbers> t{subtract_product(c.x, dual_w, real.x), subtract_product(c.y, dual_w, real.y),
                               subtract_product(c.z, dual_w, real.z)};
  return {real, real_w, {t.x + t.x, t.y + t.y, t.z + t.z}};
}

/// v + 2 r x (r x v + w v), r = axis of the unit quaternion, w its real part
template <class Numbers>
SUPPLE_INLINE Coordinates<Numbers> apply_vector(const RigidMotions<Numbers>& m, const Coordinates<Numbers>& v) {
  const Coordinates<Numbers> d = cross(m.axis, moved(cross(m.axis, v), m.real, v));
  return {v.x + (d.x + d.x), v.y + (d.y + d.y), v.z + (d.z + d.z)};
}
template <class Numbers>
SUPPLE_INLINE Coordinates<Numbers> apply_point(const RigidMotions<Numbers>& m, const Coordinates<Numbers>& v) {
  const Coordinates<Numbers> r = apply_vector(m, v);
  return {r.x + m.translation.x, r.y + m.translation.y, r.z + m.translation.z};
}
