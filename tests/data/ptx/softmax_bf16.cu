// Softmax of rows of bf16, 128 threads a row, 16-byte loads, three sweeps, shuffles and shared memory.
#include <cuda_bf16.h>

__device__ float block_max(float v, float* shared) {
  for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
  if ((threadIdx.x & 31) == 0) shared[threadIdx.x >> 5] = v;
  __syncthreads();
  return fmaxf(fmaxf(shared[0], shared[1]), fmaxf(shared[2], shared[3]));
}

__device__ float block_sum(float v, float* shared) {
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  if ((threadIdx.x & 31) == 0) shared[threadIdx.x >> 5] = v;
  __syncthreads();
  return (shared[0] + shared[1]) + (shared[2] + shared[3]);
}

extern "C" __global__ void __launch_bounds__(128)
softmax(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ y, long long M, long long N) {
  __shared__ float maxima[4], sums[4];
  const long long row = blockIdx.x;
  const uint4* in = reinterpret_cast<const uint4*>(x + row * N);
  uint4* out = reinterpret_cast<uint4*>(y + row * N);
  const int vectors = int(N / 8);
  float m = __int_as_float(0xff800000);
  for (int i = threadIdx.x; i < vectors; i += 128) {
    uint4 v = in[i];
    const __nv_bfloat162* p = reinterpret_cast<const __nv_bfloat162*>(&v);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      float2 f = __bfloat1622float2(p[k]);
      m = fmaxf(m, fmaxf(f.x, f.y));
    }
  }
  m = block_max(m, maxima);
  float l = 0;
  for (int i = threadIdx.x; i < vectors; i += 128) {
    uint4 v = in[i];
    const __nv_bfloat162* p = reinterpret_cast<const __nv_bfloat162*>(&v);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      float2 f = __bfloat1622float2(p[k]);
      l += expf(f.x - m) + expf(f.y - m);
    }
  }
  const float r = 1.0f / block_sum(l, sums);
  for (int i = threadIdx.x; i < vectors; i += 128) {
    uint4 v = in[i], w;
    const __nv_bfloat162* p = reinterpret_cast<const __nv_bfloat162*>(&v);
    __nv_bfloat162* q = reinterpret_cast<__nv_bfloat162*>(&w);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      float2 f = __bfloat1622float2(p[k]);
      q[k] = __floats2bfloat162_rn(expf(f.x - m) * r, expf(f.y - m) * r);
    }
    out[i] = w;
  }
}
