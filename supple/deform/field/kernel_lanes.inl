// As many floats at a time as a register holds, one for each vertex, and threes of them. Included by kernel.inl only.

constexpr std::size_t width = SUPPLE_KERNEL_WIDTH;
typedef float Lanes __attribute__((vector_size(4 * SUPPLE_KERNEL_WIDTH)));
typedef int Mask __attribute__((vector_size(4 * SUPPLE_KERNEL_WIDTH)));

struct Lanes3 {
  Lanes x, y, z;
};

SUPPLE_INLINE Lanes splat(float s) { return Lanes{} + s; }
SUPPLE_INLINE Lanes3 splat3(const float* p) { return {splat(p[0]), splat(p[1]), splat(p[2])}; }
SUPPLE_INLINE Lanes3 zero3() { return {Lanes{}, Lanes{}, Lanes{}}; }

SUPPLE_INLINE Lanes load(const float* p) {
  Lanes v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
SUPPLE_INLINE Lanes3 load(const float (*p)[block_size], std::size_t i) {
  return {load(p[0] + i), load(p[1] + i), load(p[2] + i)};
}
SUPPLE_INLINE void store(float (*p)[block_size], std::size_t i, Lanes3 v) {
  __builtin_memcpy(p[0] + i, &v.x, sizeof v.x);
  __builtin_memcpy(p[1] + i, &v.y, sizeof v.y);
  __builtin_memcpy(p[2] + i, &v.z, sizeof v.z);
}

SUPPLE_INLINE Lanes3 operator+(Lanes3 a, Lanes3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
SUPPLE_INLINE Lanes3 operator-(Lanes3 a, Lanes3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
SUPPLE_INLINE Lanes3 operator*(Lanes3 a, Lanes s) { return {a.x * s, a.y * s, a.z * s}; }
SUPPLE_INLINE Lanes3 operator*(Lanes3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
SUPPLE_INLINE Lanes dot(Lanes3 a, Lanes3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
SUPPLE_INLINE Lanes3 cross(Lanes3 a, Lanes3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

SUPPLE_INLINE Lanes select(Mask mask, Lanes a, Lanes b) { return (Lanes)(((Mask)a & mask) | ((Mask)b & ~mask)); }
SUPPLE_INLINE bool any(Mask mask) {
  std::uint64_t bits[sizeof mask / 8], all = 0;
  __builtin_memcpy(bits, &mask, sizeof mask);
  for (std::size_t i = 0; i < sizeof mask / 8; ++i) all |= bits[i];
  return all != 0;
}
SUPPLE_INLINE Lanes least(Lanes a, Lanes b) { return select(a < b, a, b); }
SUPPLE_INLINE Lanes most(Lanes a, Lanes b) { return select(a > b, a, b); }
SUPPLE_INLINE Lanes square_root(Lanes v) {
  for (std::size_t i = 0; i < width; ++i) v[i] = __builtin_sqrtf(v[i]);
  return v;
}

/// m (rows) times v.
SUPPLE_INLINE Lanes3 turned(const float* m, Lanes3 v) {
  return {v.x * m[0] + v.y * m[1] + v.z * m[2], v.x * m[3] + v.y * m[4] + v.z * m[5],
          v.x * m[6] + v.y * m[7] + v.z * m[8]};
}
SUPPLE_INLINE Lanes3 turned_back(const float* m, Lanes3 v) {
  return {v.x * m[0] + v.y * m[3] + v.z * m[6], v.x * m[1] + v.y * m[4] + v.z * m[7],
          v.x * m[2] + v.y * m[5] + v.z * m[8]};
}
SUPPLE_INLINE Lanes3 moved(const Frame& f, Lanes3 v) { return turned(f.linear, v) + splat3(f.shift); }
SUPPLE_INLINE Lanes3 moved_back(const Frame& f, Lanes3 v) { return turned_back(f.linear, v - splat3(f.shift)); }

/// exp(-x) to about 3e-7 of the value, for x from -20 to 80; beyond, as at those.
SUPPLE_INLINE Lanes decay(Lanes x) {
  const Lanes limited = most(least(x, splat(80.0f)), splat(-20.0f));
  // exp(-x) = 2^n exp(r): adding and subtracting 1.5 * 2^23 rounds to the nearest whole number.
  const Lanes shifted = splat(12582912.0f) - limited * 1.44269504f;
  const Lanes n = shifted - 12582912.0f;
  const Lanes r = (-limited - n * 0.693359375f) + n * 2.12194440e-4f;
  Lanes p = r * (1.0f / 720) + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  // The last bits of `shifted` are n itself: put where the exponent is, they multiply by 2^n.
  const Mask power = ((Mask)shifted - 0x4b400000 + 127) << 23;
  return p * (Lanes)power;
}
