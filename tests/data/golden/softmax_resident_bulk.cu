// softmax: one block a row, the row stays on chip between its sweeps.
__device__ __forceinline__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ __forceinline__ void barrier_init(unsigned long long* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}
using bf16 = unsigned short; // the upper half of an f32
__device__ __forceinline__ void barrier_expect(unsigned long long* barrier, unsigned bytes) { // arrives, and awaits so many bytes
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void copy_bulk(void* to, const void* from, unsigned bytes, const unsigned long long* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
}
__device__ __forceinline__ void barrier_wait(unsigned long long* barrier, unsigned parity) { // until that phase is complete
  asm volatile(
      "{\n.reg .pred done;\nPOLL:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], "
      "%1;\n@done bra DONE;\nbra POLL;\nDONE:\n}" ::"r"(shared_address(barrier)), "r"(parity)
      : "memory");
}
template <int n> struct alignas(n < 4 ? 4 * n : 16) Words { unsigned w[n]; }; // what one packed access moves
template <int n> __device__ __forceinline__ Words<n> load_words(const void* from) { return *static_cast<const Words<n>*>(from); }
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
template <int n> __device__ __forceinline__ void store_words(void* to, const Words<n>& words) {
  *static_cast<Words<n>*>(to) = words;
}

extern "C" __global__ void __launch_bounds__(256) softmax_resident(
    const bf16* __restrict__ x,
    bf16* __restrict__ y,
    long long M) {
  __shared__ unsigned long long row_arrived[1];
  if (threadIdx.x == 0) {
    barrier_init(&row_arrived[0], 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  const long long row = static_cast<long long>(blockIdx.x);
  const int lane = static_cast<int>(threadIdx.x);
  if (!(row < M)) return;
  // the row is read from global memory once, into shared memory, by the copy engine [resident_row]
  extern __shared__ __align__(16) unsigned char dynamic_shared[];
  bf16* const x_row = reinterpret_cast<bf16*>(dynamic_shared);
  if (lane == 0) {
    barrier_expect(&row_arrived[0], 8192);
    const bf16* const x_row_2 = x + row * 4096LL;
    copy_bulk(x_row, x_row_2, 8192, &row_arrived[0]);
  }
  barrier_wait(&row_arrived[0], 0);
  float m = -__int_as_float(0x7f800000);
  Words<4> x_tile[2];
  // all loads of the tile are issued before the first is used [vector_access]
  const int lane_start = lane * 8;
#pragma unroll
  for (int v = 0; v < 2; ++v) {
    x_tile[v] = load_words<4>(x_row + v * 2048 + lane_start);
  }
#pragma unroll
  for (int v = 0; v < 2; ++v) {
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
  __shared__ float m_of_warp[8];
  const bool is = lane % 32 == 0;
  if (is) {
    m_of_warp[i] = m_warp;
  }
  __syncthreads();
  float m_row = m_of_warp[0];
#pragma unroll
  for (int w = 1; w < 8; ++w) {
    m_row = max_nan(m_row, m_of_warp[w]);
  }
  float l = 0.0f;
  Words<4> x_tile_2[2];
  // level 2: l [resident_row]
  // all loads of the tile are issued before the first is used [vector_access]
#pragma unroll
  for (int v = 0; v < 2; ++v) {
    x_tile_2[v] = load_words<4>(x_row + v * 2048 + lane_start);
  }
#pragma unroll
  for (int v = 0; v < 2; ++v) {
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      l = l + exp2_fast((bf16_in(x_tile_2[v].w, e) - m_row) * 1.442695f);
    }
  }
  // the lanes of the row merge their parts in a fixed tree [tree_reduction]
  float l_warp = l;
#pragma unroll
  for (int offset = 16; offset >= 1; offset /= 2) {
    const float l_warp_other = __shfl_xor_sync(0xffffffffu, l_warp, offset);
    l_warp = l_warp + l_warp_other;
  }
  __shared__ float l_of_warp[8];
  if (is) {
    l_of_warp[i] = l_warp;
  }
  __syncthreads();
  float l_row = l_of_warp[0];
#pragma unroll
  for (int w = 1; w < 8; ++w) {
    l_row = l_row + l_of_warp[w];
  }
  Words<4> x_tile_3[2];
  // the results along the axis [resident_row]
  // all loads of the tile are issued before the first is used [vector_access]
#pragma unroll
  for (int v = 0; v < 2; ++v) {
    x_tile_3[v] = load_words<4>(x_row + v * 2048 + lane_start);
  }
  bf16* const y_row = y + row * 4096LL;
  const float t = 1.0f / l_row;
#pragma unroll
  for (int v = 0; v < 2; ++v) {
    float y_group[8];
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      y_group[e] = exp2_fast((bf16_in(x_tile_3[v].w, e) - m_row) * 1.442695f) * t;
    }
    store_words(y_row + v * 2048 + lane_start, pack_bf16x8(y_group));
  }
}
