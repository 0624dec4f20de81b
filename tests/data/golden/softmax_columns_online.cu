// softmax: 128 neighbouring rows a cluster of 2 blocks, 32 slices of the axis, one sweep keeps a mergeable state of the reductions.
__device__ __forceinline__ unsigned cluster_rank() { // of this block in its cluster
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
using bf16 = unsigned short; // the upper half of an f32
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
__device__ __forceinline__ float exp2_fast(float v) { // 2 ulp; below 2^-126 it is 0
  float e;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(v));
  return e;
}
__device__ __forceinline__ void cluster_sync() { // all threads of all blocks of the cluster; what they wrote is seen
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ __forceinline__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ __forceinline__ unsigned peer_address(const void* p, int rank) { // the same place in the block of that rank
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(p)), "r"(rank));
  return there;
}
__device__ __forceinline__ void store_peer(float* to, int rank, float v) {
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(peer_address(to, rank)), "f"(v) : "memory");
}
__device__ __forceinline__ void store_peer(double* to, int rank, double v) {
  asm volatile("st.shared::cluster.f64 [%0], %1;" ::"r"(peer_address(to, rank)), "d"(v) : "memory");
}
__device__ __forceinline__ void store_peer(int* to, int rank, int v) {
  asm volatile("st.shared::cluster.s32 [%0], %1;" ::"r"(peer_address(to, rank)), "r"(v) : "memory");
}
__device__ __forceinline__ void store_peer(long long* to, int rank, long long v) {
  asm volatile("st.shared::cluster.s64 [%0], %1;" ::"r"(peer_address(to, rank)), "l"(v) : "memory");
}
template <class T> __device__ __forceinline__ const T* read_again(const T* from) { // a sweep of its own: the compiler does not keep what an earlier one read
  asm volatile("" : "+l"(from));
  return from;
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

extern "C" __global__ void __launch_bounds__(256) softmax_columns_online(
    const bf16* __restrict__ x,
    bf16* __restrict__ y,
    long long M,
    long long N) {
  const long long block = static_cast<long long>(blockIdx.x);
  const int rank = static_cast<int>(cluster_rank());
  const int thread = static_cast<int>(threadIdx.x);
  const int slice_in_block = thread / 16;
  const int slice = slice_in_block + rank * 16;
  const int lane_start = thread % 16 * 8;
  const long long i = block / 2LL * 128LL;
  const long long first_row = static_cast<long long>(lane_start) + i;
  if (N % 8LL != 0LL) __trap(); // the rows are a multiple of a packed group, or the plan is another
  const bool inside = first_row < N;
  const int length = static_cast<int>(M);
  float m[8];
#pragma unroll
  for (int e = 0; e < 8; ++e) {
    m[e] = -__int_as_float(0x7f800000);
  }
  float l[8];
#pragma unroll
  for (int e = 0; e < 8; ++e) {
    l[e] = 0.0f;
  }
  // one sweep: the state of each chunk merges into the running state [online_state]
  Words<4> x_tile[2];
  const int i_2 = (length + 63) / 64;
  const bf16* const x_row = x + first_row;
  for (int tile = 0; tile < i_2; ++tile) {
    const int i_3 = tile * 2;
    // all loads of the tile are issued before the first is used [vector_access]
#pragma unroll
    for (int v = 0; v < 2; ++v) {
      const int i_4 = (i_3 + v) * 32 + slice;
      if (inside && i_4 < length) {
        x_tile[v] = load_words<4>(x_row + static_cast<long long>(i_4) * N);
      }
    }
    float chunk_m[8];
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      chunk_m[e] = -__int_as_float(0x7f800000);
    }
#pragma unroll
    for (int v = 0; v < 2; ++v) {
      if (inside && (i_3 + v) * 32 + slice < length) {
#pragma unroll
        for (int e = 0; e < 8; ++e) {
          chunk_m[e] = max_nan(chunk_m[e], bf16_in(x_tile[v].w, e));
        }
      }
    }
    float chunk_l[8];
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      chunk_l[e] = 0.0f;
    }
#pragma unroll
    for (int v = 0; v < 2; ++v) {
      if (inside && (i_3 + v) * 32 + slice < length) {
#pragma unroll
        for (int e = 0; e < 8; ++e) {
          chunk_l[e] = chunk_l[e] + exp2_fast((bf16_in(x_tile[v].w, e) - chunk_m[e]) * 1.442695f);
        }
      }
    }
    if (inside) {
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        const float chunk_m_value = chunk_m[e];
        const float chunk_l_value = chunk_l[e];
        const float m_value = m[e];
        const float l_value = l[e];
        const float t = max_nan(m_value, chunk_m_value);
        const float t_2 = (m_value == t ? l_value : m_value == -__int_as_float(0x7f800000) ? 0.0f : l_value * exp2_fast((m_value - t) * 1.442695f)) + (chunk_m_value == t ? chunk_l_value : chunk_m_value == -__int_as_float(0x7f800000) ? 0.0f : chunk_l_value * exp2_fast((chunk_m_value - t) * 1.442695f));
        m[e] = t;
        l[e] = t_2;
      }
    }
  }
  // each slice has folded every so many elements; the parts merge slice after slice [slice_reduce]
  __shared__ float m_of_slice[2048];
  __shared__ float l_of_slice[2048];
#pragma unroll
  for (int e = 0; e < 8; ++e) {
    const int i_3 = lane_start + e;
    m_of_slice[slice_in_block * 128 + i_3] = m[e];
    l_of_slice[slice_in_block * 128 + i_3] = l[e];
  }
  cluster_sync();
  __shared__ float m_of_block[256];
  __shared__ float l_of_block[256];
  if (thread < 128) {
    if (i + static_cast<long long>(thread) < N) {
      float m_column = m_of_slice[thread];
      float l_column = l_of_slice[thread];
      for (int s = 1; s < 16; ++s) {
        const float m_of_slice_value = m_of_slice[s * 128 + thread];
        const float l_of_slice_value = l_of_slice[s * 128 + thread];
        const float m_column_value = m_column;
        const float t = max_nan(m_column_value, m_of_slice_value);
        const float t_2 = m_column_value == t ? l_column : m_column_value == -__int_as_float(0x7f800000) ? 0.0f : l_column * exp2_fast((m_column_value - t) * 1.442695f);
        const float t_3 = t_2 + (m_of_slice_value == t ? l_of_slice_value : m_of_slice_value == -__int_as_float(0x7f800000) ? 0.0f : l_of_slice_value * exp2_fast((m_of_slice_value - t) * 1.442695f));
        m_column = t;
        l_column = t_3;
      }
#pragma unroll
      for (int peer = 0; peer < 2; ++peer) {
        store_peer(m_of_block + rank * 128 + thread, peer, m_column);
      }
#pragma unroll
      for (int peer = 0; peer < 2; ++peer) {
        store_peer(l_of_block + rank * 128 + thread, peer, l_column);
      }
    }
  }
  cluster_sync();
  if (inside) {
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      const int i_3 = lane_start + e;
      m[e] = m_of_block[i_3];
      l[e] = l_of_block[i_3];
#pragma unroll
      for (int peer = 1; peer < 2; ++peer) {
        const float m_of_block_value = m_of_block[peer * 128 + i_3];
        const float l_of_block_value = l_of_block[peer * 128 + i_3];
        const float m_value = m[e];
        const float l_value = l[e];
        const float t = max_nan(m_value, m_of_block_value);
        const float t_2 = (m_value == t ? l_value : m_value == -__int_as_float(0x7f800000) ? 0.0f : l_value * exp2_fast((m_value - t) * 1.442695f)) + (m_of_block_value == t ? l_of_block_value : m_of_block_value == -__int_as_float(0x7f800000) ? 0.0f : l_of_block_value * exp2_fast((m_of_block_value - t) * 1.442695f));
        m[e] = t;
        l[e] = t_2;
      }
    }
  }
  float m_value[8];
#pragma unroll
  for (int e = 0; e < 8; ++e) {
    m_value[e] = 0.0f;
  }
  float l_value[8];
#pragma unroll
  for (int e = 0; e < 8; ++e) {
    l_value[e] = 0.0f;
  }
  if (inside) {
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      m_value[e] = m[e];
      l_value[e] = l[e];
    }
  }
  // the results along the axis [multi_sweep]
  Words<4> x_tile_2[2];
  const bf16* const x_row_2 = read_again(x + first_row);
  bf16* const y_row = y + first_row;
  for (int tile = 0; tile < i_2; ++tile) {
    const int i_3 = tile * 2;
    // all loads of the tile are issued before the first is used [vector_access]
#pragma unroll
    for (int v = 0; v < 2; ++v) {
      const int i_4 = (i_3 + v) * 32 + slice;
      if (inside && i_4 < length) {
        x_tile_2[v] = load_words<4>(x_row_2 + static_cast<long long>(i_4) * N);
      }
    }
#pragma unroll
    for (int v = 0; v < 2; ++v) {
      const int i_4 = (i_3 + v) * 32 + slice;
      if (inside && i_4 < length) {
        float y_group[8];
#pragma unroll
        for (int e = 0; e < 8; ++e) {
          y_group[e] = exp2_fast((bf16_in(x_tile_2[v].w, e) - m_value[e]) * 1.442695f) / l_value[e];
        }
        store_words(y_row + static_cast<long long>(i_4) * N, pack_bf16x8(y_group));
      }
    }
  }
}
