// softmax: a cluster of 2 blocks a row, the row stays on chip, and one meeting merges the state of all levels.
// It works through 32 rows and reads each one ahead.
__device__ __forceinline__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ __forceinline__ void barrier_init(unsigned long long* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}
__device__ __forceinline__ unsigned cluster_rank() { // of this block in its cluster
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ __forceinline__ void cluster_arrive() { // this block has started
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
using bf16 = unsigned short; // the upper half of an f32
template <int n> struct alignas(n < 4 ? 4 * n : 16) Words { unsigned w[n]; }; // what one packed access moves
template <int n> __device__ __forceinline__ Words<n> load_words(const void* from) { return *static_cast<const Words<n>*>(from); }
__device__ __forceinline__ void cluster_wait() { // for all threads of the cluster to have arrived
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
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
__device__ __forceinline__ void barrier_expect(unsigned long long* barrier, unsigned bytes) { // arrives, and awaits so many bytes
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(bytes)
               : "memory");
}
__device__ __forceinline__ unsigned peer_address(const void* p, int rank) { // the same place in the block of that rank
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(p)), "r"(rank));
  return there;
}
__device__ __forceinline__ void send_peer(float* to, int rank, float v, const unsigned long long* barrier) { // which counts its bytes there
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];" ::"r"(
                   peer_address(to, rank)), "f"(v), "r"(peer_address(barrier, rank)) : "memory");
}
__device__ __forceinline__ void send_peer(double* to, int rank, double v, const unsigned long long* barrier) {
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.f64 [%0], %1, [%2];" ::"r"(
                   peer_address(to, rank)), "d"(v), "r"(peer_address(barrier, rank)) : "memory");
}
__device__ __forceinline__ void send_peer(int* to, int rank, int v, const unsigned long long* barrier) {
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.s32 [%0], %1, [%2];" ::"r"(
                   peer_address(to, rank)), "r"(v), "r"(peer_address(barrier, rank)) : "memory");
}
__device__ __forceinline__ void send_peer(long long* to, int rank, long long v, const unsigned long long* barrier) {
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.s64 [%0], %1, [%2];" ::"r"(
                   peer_address(to, rank)), "l"(v), "r"(peer_address(barrier, rank)) : "memory");
}
__device__ __forceinline__ void cluster_barrier_wait(unsigned long long* barrier, unsigned parity) { // and for what peers sent
  asm volatile(
      "{\n.reg .pred done;\nPOLL:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], "
      "%1;\n@done bra DONE;\nbra POLL;\nDONE:\n}" ::"r"(shared_address(barrier)), "r"(parity)
      : "memory");
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

extern "C" __global__ void __launch_bounds__(512) softmax_resident_online(
    const bf16* __restrict__ x,
    bf16* __restrict__ y,
    long long M) {
  __shared__ unsigned long long m_met[2];
  if (threadIdx.x == 0) {
    for (int s = 0; s < 2; ++s) barrier_init(&m_met[s], 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  const long long row_step = (M + 31LL) / 32LL;
  const long long row_block = static_cast<long long>(blockIdx.x);
  const long long first_row = row_block / 2LL;
  const int rank = static_cast<int>(cluster_rank());
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = rank * 512 + thread;
  cluster_arrive();
  Words<4> x_tile[8];
  Words<4> next_x_tile[8];
  // each row is read from global memory once and stays in registers [resident_row]
  if (first_row < M) {
    const int lane_start = lane * 8;
    const bf16* const x_row = x + first_row * 65536LL;
    // all loads of the tile are issued before the first is used [vector_access]
#pragma unroll
    for (int v = 0; v < 8; ++v) {
      x_tile[v] = load_words<4>(x_row + v * 8192 + lane_start);
    }
  }
  // a block writes into another's shared memory only once that has started [cluster_reduce]
  cluster_wait();
  const int lane_start = lane * 8;
  const int lane_of_warp = thread % 32;
  const bool counts = thread == 0;
  const bool hands_on = lane_of_warp < 2;
  const int place_of_warp = rank * 16 + thread / 32;
  for (int turn = 0; turn < 32; ++turn) {
    const long long row = first_row + static_cast<long long>(turn) * row_step;
    if (row < M) {
      const long long next_row = row + row_step;
      // the next row is under way while this one is worked on [row_ahead]
      if (next_row < M) {
        const bf16* const x_row = x + next_row * 65536LL;
#pragma unroll
        for (int v = 0; v < 8; ++v) {
          next_x_tile[v] = load_words<4>(x_row + v * 8192 + lane_start);
        }
      }
      float m = -__int_as_float(0x7f800000);
      float l = 0.0f;
      // one sweep: the state of each chunk merges into the running state [online_state]
      float chunk_m = -__int_as_float(0x7f800000);
#pragma unroll
      for (int v = 0; v < 8; ++v) {
        chunk_m = max_nan(chunk_m, max_of_bf16(x_tile[v]));
      }
      float chunk_l = 0.0f;
#pragma unroll
      for (int v = 0; v < 8; ++v) {
#pragma unroll
        for (int e = 0; e < 8; ++e) {
          chunk_l = chunk_l + exp2_fast((bf16_in(x_tile[v].w, e) - chunk_m) * 1.442695f);
        }
      }
      m = chunk_m;
      l = chunk_l;
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
      __shared__ float m_of_warp[64];
      __shared__ float l_of_warp[64];
      const int stage = turn % 2;
      // each block counts the bytes of the parts that come to it [cluster_reduce]
      if (counts) {
        barrier_expect(&m_met[stage], 256);
      }
      if (hands_on) {
        send_peer(m_of_warp + stage * 32 + place_of_warp, lane_of_warp, m_warp_other, &m_met[stage]);
        send_peer(l_of_warp + stage * 32 + place_of_warp, lane_of_warp, l_warp_other, &m_met[stage]);
      }
      cluster_barrier_wait(&m_met[stage], turn / 2 % 2);
      float m_warp_2 = m_of_warp[stage * 32 + lane_of_warp];
      float l_warp_2 = l_of_warp[stage * 32 + lane_of_warp];
#pragma unroll
      for (int offset = 16; offset >= 1; offset /= 2) {
        const float m_warp_2_value = m_warp_2;
        const float m_warp_2_other = __shfl_down_sync(0xffffffffu, m_warp_2_value, offset);
        const float l_warp_2_other = __shfl_down_sync(0xffffffffu, l_warp_2, offset);
        const float t = max_nan(m_warp_2_value, m_warp_2_other);
        const float t_2 = m_warp_2_value == t ? l_warp_2 : m_warp_2_value == -__int_as_float(0x7f800000) ? 0.0f : l_warp_2 * exp2_fast((m_warp_2_value - t) * 1.442695f);
        const float t_3 = t_2 + (m_warp_2_other == t ? l_warp_2_other : m_warp_2_other == -__int_as_float(0x7f800000) ? 0.0f : l_warp_2_other * exp2_fast((m_warp_2_other - t) * 1.442695f));
        m_warp_2 = t;
        l_warp_2 = t_3;
      }
      const float m_warp_2_other = __shfl_sync(0xffffffffu, m_warp_2, 0);
      const float l_warp_2_other = __shfl_sync(0xffffffffu, l_warp_2, 0);
      bf16* const y_row = y + row * 65536LL;
      const float t = 1.0f / l_warp_2_other;
      // the results along the axis [resident_row]
#pragma unroll
      for (int v = 0; v < 8; ++v) {
        float y_group[8];
#pragma unroll
        for (int e = 0; e < 8; ++e) {
          y_group[e] = exp2_fast((bf16_in(x_tile[v].w, e) - m_warp_2_other) * 1.442695f) * t;
        }
        store_words(y_row + v * 8192 + lane_start, pack_bf16x8(y_group));
      }
#pragma unroll
      for (int v = 0; v < 8; ++v) {
        x_tile[v] = next_x_tile[v];
      }
    }
  }
}
