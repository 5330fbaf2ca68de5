// Products of small matrices by the tensor cores, whose factors have 11 bits: each of our numbers is two of theirs, and
// products are exact to some 22 bits. With g = lane / 4 and t = lane % 4 a lane has of a product of 16 rows and 8
// columns those at (g, 2 t), (g, 2 t + 1), (g + 8, 2 t) and (g + 8, 2 t + 1).
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

namespace supple::gpu {

/// A number as the sum of two of 16 bits: to 3e-8 where it is below 1, to 2^-23 of itself up to 65504.
__host__ __device__ inline std::uint32_t two_parts(float x) {
  const __half high = __float2half_rn(x), low = __float2half_rn(x - __half2float(high));
  return std::uint32_t{__half_as_ushort(high)} | std::uint32_t{__half_as_ushort(low)} << 16;
}
__device__ inline std::uint32_t high_twice(std::uint32_t parts) { return __byte_perm(parts, 0, 0x1010); }
__device__ inline std::uint32_t low_twice(std::uint32_t parts) { return __byte_perm(parts, 0, 0x3232); }

/// a b + c, a of 16 rows and b of 8 columns and eight terms: a lane has of a the terms t and t + 4 in rows g and g + 8,
/// (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4), and of b those in column g. Each term is a pair of numbers of 16
/// bits.
__device__ __forceinline__ void multiply(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                                         float c0, float c1, float c2, float c3) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c0), "f"(c1), "f"(c2), "f"(c3));
}
/// The same of four terms.
__device__ __forceinline__ void multiply(float (&d)[4], const std::uint32_t (&a)[2], const std::uint32_t (&b)[1],
                                         float c0, float c1, float c2, float c3) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]), "f"(c0), "f"(c1), "f"(c2), "f"(c3));
}
template <unsigned Two, unsigned One>
__device__ __forceinline__ void multiply_add(float (&d)[4], const std::uint32_t (&a)[Two],
                                             const std::uint32_t (&b)[One]) {
  multiply(d, a, b, d[0], d[1], d[2], d[3]);
}

/// `Count` numbers of a lane in two parts of 11 bits and as large an exponent as the number has: for slopes, which may
/// be of any size.
template <unsigned Count>
struct Split {
  float high[Count], low[Count];
  __device__ explicit Split(const float (&x)[Count]) {
#pragma unroll
    for (unsigned i = 0; i < Count; ++i) {
      high[i] = __uint_as_float(__float_as_uint(x[i]) & 0xffffe000u);
      low[i] = x[i] - high[i];
    }
  }
  /// Of numbers that are in two parts.
  __device__ explicit Split(const std::uint32_t (&x)[Count]) {
#pragma unroll
    for (unsigned i = 0; i < Count; ++i) {
      high[i] = __half2float(__ushort_as_half(static_cast<unsigned short>(x[i])));
      low[i] = __half2float(__ushort_as_half(static_cast<unsigned short>(x[i] >> 16)));
    }
  }
};

/// d += a b of numbers with 11 bits, with the terms of multiply().
__device__ __forceinline__ void multiply_add(float (&d)[4], const float (&a)[4], const float (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])),
        "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}
/// The same of whole numbers; what the small parts of both would add is below their rounding.
__device__ __forceinline__ void multiply_add(float (&d)[4], const Split<4>& a, const Split<2>& b) {
  multiply_add(d, a.low, b.high);
  multiply_add(d, a.high, b.low);
  multiply_add(d, a.high, b.high);
}

}  // namespace supple::gpu
