// softmax: one block a row, the row stays on chip between its sweeps.
using bf16 = unsigned short; // the upper half of an f32
template <int n> struct alignas(n < 4 ? 4 * n : 16) Words { unsigned w[n]; }; // what one packed access moves
template <int n> __device__ __forceinline__ Words<n> load_words_streaming(const void* from) { // evict first: read once
  Words<n> v;
  const unsigned* p = static_cast<const unsigned*>(from);
  if constexpr (n == 1) asm("ld.global.cs.u32 %0, [%1];" : "=r"(v.w[0]) : "l"(p));
  if constexpr (n == 2) asm("ld.global.cs.v2.u32 {%0, %1}, [%2];" : "=r"(v.w[0]), "=r"(v.w[1]) : "l"(p));
  if constexpr (n >= 4) {
#pragma unroll
    for (int i = 0; i < n; i += 4)
      asm("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
          : "=r"(v.w[i]), "=r"(v.w[i + 1]), "=r"(v.w[i + 2]), "=r"(v.w[i + 3])
          : "l"(p + i));
  }
  return v;
}
__device__ __forceinline__ float max_nan(float a, float b) { // NaN wins
  float m;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(m) : "f"(a), "f"(b));
  return m;
}
__device__ __forceinline__ double max_nan(double a, double b) { return a > b || a != a ? a : b; }
__device__ __forceinline__ float bf16_in(const unsigned* words, int e) { // the even one of a word is its lower half
  return __uint_as_float(e % 2 == 0 ? words[e / 2] << 16 : words[e / 2] & 0xffff0000u);
}
template <int n> __device__ __forceinline__ float max_of_bf16(const Words<n>& v) { // two elements at a time; NaN wins
  unsigned m = v.w[0];
#pragma unroll
  for (int i = 1; i < n; ++i) asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(m) : "r"(m), "r"(v.w[i]));
  return max_nan(bf16_in(&m, 0), bf16_in(&m, 1));
}
__device__ __forceinline__ float exp2_fast(float v) { // 2 ulp; below 2^-126 it is 0
  float e;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(v));
  return e;
}
__device__ __forceinline__ unsigned pack_bf16(float low, float high) { // two roundings half to even
  unsigned bits;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  return bits;
}
__device__ __forceinline__ Words<4> pack_bf16x8(const float (&v)[8]) {
  Words<4> out{};
#pragma unroll
  for (int i = 0; i < 8; i += 2) out.w[i / 2] = pack_bf16(v[i], v[i + 1]);
  return out;
}
template <int n> __device__ __forceinline__ void store_words_streaming(void* to, const Words<n>& v) { // evict first
  unsigned* p = static_cast<unsigned*>(to);
  if constexpr (n == 1) asm volatile("st.global.cs.u32 [%0], %1;" ::"l"(p), "r"(v.w[0]) : "memory");
  if constexpr (n == 2)
    asm volatile("st.global.cs.v2.u32 [%0], {%1, %2};" ::"l"(p), "r"(v.w[0]), "r"(v.w[1]) : "memory");
  if constexpr (n >= 4) {
#pragma unroll
    for (int i = 0; i < n; i += 4)
      asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p + i), "r"(v.w[i]), "r"(v.w[i + 1]),
                   "r"(v.w[i + 2]), "r"(v.w[i + 3])
                   : "memory");
  }
}

extern "C" __global__ void __launch_bounds__(128) softmax_resident(
    const bf16* __restrict__ x,
    bf16* __restrict__ y,
    long long M) {
  const long long row = static_cast<long long>(blockIdx.x);
  const int lane = static_cast<int>(threadIdx.x);
  if (!(row < M)) return;
  Words<4> x_tile[4];
  // the row is read from global memory once and stays in registers [resident_row]
  // all loads of the tile are issued before the first is used [vector_access]
  const int lane_start = lane * 8;
  const long long row_start = row * 4096LL;
  const bf16* const x_row = x + row_start;
#pragma unroll
  for (int v = 0; v < 4; ++v) {
    x_tile[v] = load_words_streaming<4>(x_row + v * 1024 + lane_start);
  }
  float m = -__int_as_float(0x7f800000);
#pragma unroll
  for (int v = 0; v < 4; ++v) {
    m = max_nan(m, max_of_bf16(x_tile[v]));
  }
  // the lanes of the row merge their parts in a fixed tree [tree_reduction]
  float m_warp = m;
#pragma unroll
  for (int offset = 16; offset >= 1; offset /= 2) {
    const float m_warp_other = __shfl_xor_sync(0xffffffffu, m_warp, offset);
    m_warp = max_nan(m_warp, m_warp_other);
  }
  const int i = lane / 32;
  __shared__ float m_of_warp[4];
  const bool is = lane % 32 == 0;
  if (is) {
    m_of_warp[i] = m_warp;
  }
  __syncthreads();
  float m_row = m_of_warp[0];
#pragma unroll
  for (int w = 1; w < 4; ++w) {
    m_row = max_nan(m_row, m_of_warp[w]);
  }
  float l = 0.0f;
  float kept[4][8];
  // level 2: l [resident_row]
#pragma unroll
  for (int v = 0; v < 4; ++v) {
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      const float t = exp2_fast((bf16_in(x_tile[v].w, e) - m_row) * 1.442695f);
      kept[v][e] = t;
      l = l + t;
    }
  }
  // the lanes of the row merge their parts in a fixed tree [tree_reduction]
  float l_warp = l;
#pragma unroll
  for (int offset = 16; offset >= 1; offset /= 2) {
    const float l_warp_other = __shfl_xor_sync(0xffffffffu, l_warp, offset);
    l_warp = l_warp + l_warp_other;
  }
  __shared__ float l_of_warp[4];
  if (is) {
    l_of_warp[i] = l_warp;
  }
  __syncthreads();
  float l_row = l_of_warp[0];
#pragma unroll
  for (int w = 1; w < 4; ++w) {
    l_row = l_row + l_of_warp[w];
  }
  bf16* const y_row = y + row_start;
  const float t = 1.0f / l_row;
  // the results along the axis [resident_row]
#pragma unroll
  for (int v = 0; v < 4; ++v) {
    float y_group[8];
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      y_group[e] = kept[v][e] * t;
    }
    store_words_streaming(y_row + v * 1024 + lane_start, pack_bf16x8(y_group));
  }
}
