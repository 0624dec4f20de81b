// softmax: 128 neighbouring rows a block, 16 slices of the axis, one sweep of global memory a level.
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
template <class T> __device__ __forceinline__ const T* read_again(const T* from) { // a sweep of its own: the compiler does not keep what an earlier one read
  asm volatile("" : "+l"(from));
  return from;
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

extern "C" __global__ void __launch_bounds__(256) softmax_columns_two_pass(
    const bf16* __restrict__ x,
    bf16* __restrict__ y,
    long long M,
    long long N) {
  const long long block = static_cast<long long>(blockIdx.x);
  const int thread = static_cast<int>(threadIdx.x);
  const int slice = thread / 16;
  const int lane_start = thread % 16 * 8;
  const long long i = block * 128LL;
  const long long first_row = static_cast<long long>(lane_start) + i;
  if (N % 8LL != 0LL) __trap(); // the rows are a multiple of a packed group, or the plan is another
  const bool inside = first_row < N;
  const int length = static_cast<int>(M);
  float m[8];
#pragma unroll
  for (int e = 0; e < 8; ++e) {
    m[e] = -__int_as_float(0x7f800000);
  }
  // level 1: m [multi_sweep]
  Words<4> x_tile[2];
  const int i_2 = (length + 31) / 32;
  const bf16* const x_row = x + first_row;
  for (int tile = 0; tile < i_2; ++tile) {
    const int i_3 = tile * 2;
    // all loads of the tile are issued before the first is used [vector_access]
#pragma unroll
    for (int v = 0; v < 2; ++v) {
      const int i_4 = (i_3 + v) * 16 + slice;
      if (inside && i_4 < length) {
        x_tile[v] = load_words<4>(x_row + static_cast<long long>(i_4) * N);
      }
    }
#pragma unroll
    for (int v = 0; v < 2; ++v) {
      if (inside && (i_3 + v) * 16 + slice < length) {
#pragma unroll
        for (int e = 0; e < 8; ++e) {
          m[e] = max_nan(m[e], bf16_in(x_tile[v].w, e));
        }
      }
    }
  }
  // each slice has folded every so many elements; the parts merge slice after slice [slice_reduce]
  __shared__ float m_of_slice[2048];
#pragma unroll
  for (int e = 0; e < 8; ++e) {
    m_of_slice[slice * 128 + lane_start + e] = m[e];
  }
  __syncthreads();
  const bool is = thread < 128;
  if (is) {
    if (i + static_cast<long long>(thread) < N) {
      float m_column = m_of_slice[thread];
      for (int s = 1; s < 16; ++s) {
        m_column = max_nan(m_column, m_of_slice[s * 128 + thread]);
      }
      m_of_slice[thread] = m_column;
    }
  }
  __syncthreads();
  if (inside) {
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      m[e] = m_of_slice[lane_start + e];
    }
  }
  float l[8];
#pragma unroll
  for (int e = 0; e < 8; ++e) {
    l[e] = 0.0f;
  }
  // level 2: l [multi_sweep]
  Words<4> x_tile_2[2];
  const bf16* const x_row_2 = read_again(x + first_row);
  for (int tile = 0; tile < i_2; ++tile) {
    const int i_3 = tile * 2;
    // all loads of the tile are issued before the first is used [vector_access]
#pragma unroll
    for (int v = 0; v < 2; ++v) {
      const int i_4 = (i_3 + v) * 16 + slice;
      if (inside && i_4 < length) {
        x_tile_2[v] = load_words<4>(x_row_2 + static_cast<long long>(i_4) * N);
      }
    }
#pragma unroll
    for (int v = 0; v < 2; ++v) {
      if (inside && (i_3 + v) * 16 + slice < length) {
#pragma unroll
        for (int e = 0; e < 8; ++e) {
          l[e] = l[e] + exp2_fast((bf16_in(x_tile_2[v].w, e) - m[e]) * 1.442695f);
        }
      }
    }
  }
  // each slice has folded every so many elements; the parts merge slice after slice [slice_reduce]
  __shared__ float l_of_slice[2048];
#pragma unroll
  for (int e = 0; e < 8; ++e) {
    l_of_slice[slice * 128 + lane_start + e] = l[e];
  }
  __syncthreads();
  if (is) {
    if (i + static_cast<long long>(thread) < N) {
      float l_column = l_of_slice[thread];
      for (int s = 1; s < 16; ++s) {
        l_column = l_column + l_of_slice[s * 128 + thread];
      }
      l_of_slice[thread] = l_column;
    }
  }
  __syncthreads();
  if (inside) {
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      l[e] = l_of_slice[lane_start + e];
    }
  }
  // the results along the axis [multi_sweep]
  Words<4> x_tile_3[2];
  const bf16* const x_row_3 = read_again(x + first_row);
  bf16* const y_row = y + first_row;
  for (int tile = 0; tile < i_2; ++tile) {
    const int i_3 = tile * 2;
    // all loads of the tile are issued before the first is used [vector_access]
#pragma unroll
    for (int v = 0; v < 2; ++v) {
      const int i_4 = (i_3 + v) * 16 + slice;
      if (inside && i_4 < length) {
        x_tile_3[v] = load_words<4>(x_row_3 + static_cast<long long>(i_4) * N);
      }
    }
#pragma unroll
    for (int v = 0; v < 2; ++v) {
      const int i_4 = (i_3 + v) * 16 + slice;
      if (inside && i_4 < length) {
        float y_group[8];
#pragma unroll
        for (int e = 0; e < 8; ++e) {
          y_group[e] = exp2_fast((bf16_in(x_tile_3[v].w, e) - m[e]) * 1.442695f) / l[e];
        }
        store_words(y_row + static_cast<long long>(i_4) * N, pack_bf16x8(y_group));
      }
    }
  }
}
