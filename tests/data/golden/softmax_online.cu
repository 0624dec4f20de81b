// softmax: one warp a row, one sweep keeps a mergeable state of the reductions.
template <int n> struct alignas(n < 4 ? 4 * n : 16) Words { unsigned w[n]; }; // what one packed access moves
template <int n> __device__ __forceinline__ Words<n> load_words(const void* from) { return *static_cast<const Words<n>*>(from); }
__device__ __forceinline__ float max_nan(float a, float b) { // NaN wins
  float m;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(m) : "f"(a), "f"(b));
  return m;
}
__device__ __forceinline__ double max_nan(double a, double b) { return a > b || a != a ? a : b; }
__device__ __forceinline__ float f32_in(const unsigned* words, int e) { return __uint_as_float(words[e]); }
__device__ __forceinline__ float exp2_fast(float v) { // 2 ulp; below 2^-126 it is 0
  float e;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(v));
  return e;
}
template <class T> __device__ __forceinline__ const T* read_again(const T* from) { // a sweep of its own: the compiler does not keep what an earlier one read
  asm volatile("" : "+l"(from));
  return from;
}
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
__device__ __forceinline__ Words<4> pack_f32x4(const float (&v)[4]) {
  Words<4> out{};
#pragma unroll
  for (int i = 0; i < 4; ++i) put_element(out.w, i, static_cast<float>(v[i]));
  return out;
}
template <int n> __device__ __forceinline__ void store_words(void* to, const Words<n>& words) {
  *static_cast<Words<n>*>(to) = words;
}

extern "C" __global__ void __launch_bounds__(32) softmax_online(
    const float* __restrict__ x,
    float* __restrict__ y,
    long long M) {
  const long long row_block = static_cast<long long>(blockIdx.x);
  const int warp = static_cast<int>(threadIdx.x / 32);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const long long row = row_block + static_cast<long long>(warp);
  if (!(row < M)) return;
  float m = -__int_as_float(0x7f800000);
  float l = 0.0f;
  Words<4> x_tile[4];
  // one sweep: the state of each chunk merges into the running state [online_state]
  const int lane_start = lane * 4;
  const long long row_start = row * 4096LL;
  const float* const x_row = x + row_start;
  for (int tile = 0; tile < 8; ++tile) {
    const int i = tile * 512;
    // all loads of the tile are issued before the first is used [vector_access]
#pragma unroll
    for (int v = 0; v < 4; ++v) {
      x_tile[v] = load_words<4>(x_row + i + v * 128 + lane_start);
    }
    float chunk_m = -__int_as_float(0x7f800000);
#pragma unroll
    for (int v = 0; v < 4; ++v) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        chunk_m = max_nan(chunk_m, f32_in(x_tile[v].w, e));
      }
    }
    float chunk_l = 0.0f;
#pragma unroll
    for (int v = 0; v < 4; ++v) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        chunk_l = chunk_l + exp2_fast((f32_in(x_tile[v].w, e) - chunk_m) * 1.442695f);
      }
    }
    const float m_value = m;
    const float t = max_nan(m_value, chunk_m);
    const float t_2 = m_value == t ? l : m_value == -__int_as_float(0x7f800000) ? 0.0f : l * exp2_fast((m_value - t) * 1.442695f);
    const float t_3 = chunk_m == -__int_as_float(0x7f800000) ? 0.0f : chunk_l * exp2_fast((chunk_m - t) * 1.442695f);
    m = t;
    l = t_2 + (chunk_m == t ? chunk_l : t_3);
  }
  // the lanes of the row merge their parts in a fixed tree [tree_reduction]
  float m_warp = m;
  float l_warp = l;
#pragma unroll
  for (int offset = 16; offset >= 1; offset /= 2) {
    const float m_warp_value = m_warp;
    const float m_warp_other = __shfl_down_sync(0xffffffffu, m_warp_value, offset);
    const float l_warp_other = __shfl_down_sync(0xffffffffu, l_warp, offset);
    const float t = max_nan(m_warp_value, m_warp_other);
    const float t_2 = m_warp_value == t ? l_warp : m_warp_value == -__int_as_float(0x7f800000) ? 0.0f : l_warp * exp2_fast((m_warp_value - t) * 1.442695f);
    const float t_3 = t_2 + (m_warp_other == t ? l_warp_other : m_warp_other == -__int_as_float(0x7f800000) ? 0.0f : l_warp_other * exp2_fast((m_warp_other - t) * 1.442695f));
    m_warp = t;
    l_warp = t_3;
  }
  const float m_warp_other = __shfl_sync(0xffffffffu, m_warp, 0);
  const float l_warp_other = __shfl_sync(0xffffffffu, l_warp, 0);
  Words<4> x_tile_2[4];
  const float* const x_row_2 = read_again(x + row_start);
  float* const y_row = y + row_start;
  const float t = 1.0f / l_warp_other;
  // the results along the axis [multi_sweep]
  for (int tile = 0; tile < 8; ++tile) {
    const int i = tile * 512;
    // all loads of the tile are issued before the first is used [vector_access]
#pragma unroll
    for (int v = 0; v < 4; ++v) {
      x_tile_2[v] = load_words<4>(x_row_2 + i + v * 128 + lane_start);
    }
#pragma unroll
    for (int v = 0; v < 4; ++v) {
      float y_group[4];
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        y_group[e] = exp2_fast((f32_in(x_tile_2[v].w, e) - m_warp_other) * 1.442695f) * t;
      }
      store_words(y_row + i + v * 128 + lane_start, pack_f32x4(y_group));
    }
  }
}
