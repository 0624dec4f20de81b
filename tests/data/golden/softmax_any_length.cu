// softmax: one warp a row, the row stays on chip between its sweeps.
using bf16 = unsigned short; // the upper half of an f32
template <int n> struct alignas(n < 4 ? 4 * n : 16) Words { unsigned w[n]; }; // what one packed access moves
template <int n> __device__ __forceinline__ Words<n> load_words(const void* from) { return *static_cast<const Words<n>*>(from); }
template <class T> __device__ __forceinline__ void put_element(unsigned* words, int e, T bits) { // one element of packed words
  constexpr int in_word = 4 / static_cast<int>(sizeof(T));
  const unsigned mask = (1u << 8 * sizeof(T)) - 1u, shift = 8 * sizeof(T) * (e % in_word);
  words[e / in_word] = (words[e / in_word] & ~(mask << shift)) | (static_cast<unsigned>(bits) & mask) << shift;
}
__device__ __forceinline__ void put_element(unsigned* words, int e, float v) { words[e] = __float_as_uint(v); }
__device__ __forceinline__ void put_element(unsigned* words, int e, int v) { words[e] = static_cast<unsigned>(v); }
__device__ __forceinline__ void put_element(unsigned* words, int e, long long v) {
  words[2 * e] = static_cast<unsigned>(v);
  words[2 * e + 1] = static_cast<unsigned>(static_cast<unsigned long long>(v) >> 32);
}
__device__ __forceinline__ void put_element(unsigned* words, int e, double v) { put_element(words, e, __double_as_longlong(v)); }
__device__ __forceinline__ float max_nan(float a, float b) { // NaN wins
  float m;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(m) : "f"(a), "f"(b));
  return m;
}
__device__ __forceinline__ double max_nan(double a, double b) { return a > b || a != a ? a : b; }
__device__ __forceinline__ float bf16_in(const unsigned* words, int e) { // the even one of a word is its lower half
  return __uint_as_float(e % 2 == 0 ? words[e / 2] << 16 : words[e / 2] & 0xffff0000u);
}
__device__ __forceinline__ unsigned pack_bf16(float low, float high) { // two roundings half to even
  unsigned bits;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  return bits;
}
__device__ __forceinline__ Words<2> pack_bf16x4(const float (&v)[4]) {
  Words<2> out{};
#pragma unroll
  for (int i = 0; i < 4; i += 2) out.w[i / 2] = pack_bf16(v[i], v[i + 1]);
  return out;
}
template <int n> __device__ __forceinline__ void store_words(void* to, const Words<n>& words) {
  *static_cast<Words<n>*>(to) = words;
}
__device__ __forceinline__ bf16 to_bf16(float v) { // round half to even
  bf16 bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(v));
  return bits;
}

extern "C" __global__ void __launch_bounds__(32) softmax_resident(
    const bf16* __restrict__ x,
    bf16* __restrict__ y,
    long long M,
    long long N) {
  const long long row_block = static_cast<long long>(blockIdx.x);
  const int warp = static_cast<int>(threadIdx.x / 32);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const long long row = row_block + static_cast<long long>(warp);
  if (!(row < M)) return;
  const int length = static_cast<int>(N);
  const bool aligned = length % 4 == 0;
  Words<2> x_tile[8] = {};
  // the row is read from global memory once and stays in registers [resident_row]
  // all loads of the tile are issued before the first is used [vector_access]
  const int lane_start = lane * 4;
  const long long row_start = row * N;
  const bf16* const x_row = x + row_start;
#pragma unroll
  for (int v = 0; v < 8; ++v) {
    const int j_first = v * 128 + lane_start;
    if (aligned && j_first + 4 <= length) {
      x_tile[v] = load_words<2>(x_row + j_first);
    } else {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int i = j_first + e;
        if (i < length) {
          put_element(x_tile[v].w, e, x_row[i]);
        }
      }
    }
  }
  float m = -__int_as_float(0x7f800000);
#pragma unroll
  for (int v = 0; v < 8; ++v) {
    const int j_first = v * 128 + lane_start;
    if (j_first < length) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        if (j_first + e < length) {
          m = max_nan(m, bf16_in(x_tile[v].w, e));
        }
      }
    }
  }
  // the lanes of the row merge their parts in a fixed tree [tree_reduction]
  float m_warp = m;
#pragma unroll
  for (int offset = 16; offset >= 1; offset /= 2) {
    const float m_warp_other = __shfl_xor_sync(0xffffffffu, m_warp, offset);
    m_warp = max_nan(m_warp, m_warp_other);
  }
  float l = 0.0f;
  float kept[8][4];
  // level 2: l [resident_row]
#pragma unroll
  for (int v = 0; v < 8; ++v) {
    const int j_first = v * 128 + lane_start;
    if (j_first < length) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        if (j_first + e < length) {
          const float t = expf(bf16_in(x_tile[v].w, e) - m_warp);
          kept[v][e] = t;
          l = l + t;
        }
      }
    }
  }
  // the lanes of the row merge their parts in a fixed tree [tree_reduction]
  float l_warp = l;
#pragma unroll
  for (int offset = 16; offset >= 1; offset /= 2) {
    const float l_warp_other = __shfl_xor_sync(0xffffffffu, l_warp, offset);
    l_warp = l_warp + l_warp_other;
  }
  bf16* const y_row = y + row_start;
  // the results along the axis [resident_row]
#pragma unroll
  for (int v = 0; v < 8; ++v) {
    const int j_first = v * 128 + lane_start;
    if (j_first < length) {
      float y_group[4];
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        if (j_first + e < length) {
          y_group[e] = kept[v][e] / l_warp;
        }
      }
      if (aligned && j_first + 4 <= length) {
        store_words(y_row + j_first, pack_bf16x4(y_group));
      } else {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const int i = j_first + e;
          if (i < length) {
            y_row[i] = to_bf16(y_group[e]);
          }
        }
      }
    }
  }
}
