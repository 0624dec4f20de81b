#include "core/exec/selftest/kernels.hpp"

namespace aicf::selftest {
namespace {

const SourceKernel table[] = {
    {"copy_16_bytes", R"((const int4* a, const int4* b, int4* c) {
  long long i = blockIdx.x * 256LL + threadIdx.x;
  c[i] = a[i];
})",
     4096, 256, 1, 4194304, true},
    {"copy_4_bytes", R"((const int* a, const int* b, int* c) {
  long long i = blockIdx.x * 256LL + threadIdx.x;
  c[i] = a[i];
})",
     16384, 256, 1, 4194304, true},
    {"sum_of_two", R"((const float4* a, const float4* b, float4* c) {
  for (int i = blockIdx.x * 256 + threadIdx.x; i < 1048576; i += gridDim.x * 256) {
    float4 x = a[i], y = b[i];
    c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
  }
})",
     528, 256, 1, 4194304, false},
    {"load_stride_2", R"((const int* a, const int* b, int* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  c[i] = a[i * 2 & 1048575];
})",
     1024, 128, 1, 1048576, true},
    {"load_stride_8", R"((const int* a, const int* b, int* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  c[i] = a[i * 8 & 1048575];
})",
     1024, 128, 1, 1048576, true},
    {"load_stride_33", R"((const int* a, const int* b, int* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  c[i] = a[i * 33 & 1048575];
})",
     1024, 128, 1, 1048576, true},
    {"load_off_by_one", R"((const int* a, const int* b, int* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  c[i] = a[i + 1];
})",
     127, 128, 1, 16384, true},
    {"load_odd_lanes", R"((const int* a, const int* b, int* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  if (lane & 1) c[i] = a[i];
})",
     128, 128, 1, 16384, true},
    {"load_bytes", R"((const signed char* a, const int* b, signed char* c) {
  int i = blockIdx.x * 128 + threadIdx.x;
  c[i] = a[i];
})",
     512, 128, 1, 16384, true},
    {"load_8_bytes_apart", R"((const int2* a, const int* b, int2* c) {
  int i = blockIdx.x * 128 + threadIdx.x;
  c[i] = a[(i * 3) & 8191];
})",
     64, 128, 1, 16384, true},
    {"transpose_conflicts", R"((const int* a, const int* b, int* c) {
  __shared__ int s[32][32];
  int x = threadIdx.x & 31, y = threadIdx.x >> 5, bx = blockIdx.x & 31, by = blockIdx.x >> 5;
  for (int k = y; k < 32; k += 4) s[k][x] = a[(by * 32 + k) * 1024 + bx * 32 + x];
  __syncthreads();
  for (int k = y; k < 32; k += 4) c[(bx * 32 + k) * 1024 + by * 32 + x] = s[x][k];
})",
     1024, 128, 1, 1048576, true},
    {"transpose_naive", R"((const int* a, const int* b, int* c) {
  int x = threadIdx.x & 31, y = threadIdx.x >> 5, bx = blockIdx.x & 31, by = blockIdx.x >> 5;
  for (int k = y; k < 32; k += 4) c[(bx * 32 + x) * 1024 + by * 32 + k] = a[(by * 32 + k) * 1024 + bx * 32 + x];
})",
     1024, 128, 1, 1048576, true},
    {"shared_4_stride_2", R"((const int* a, const int* b, int* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ int s[512];
  s[t] = a[i];
  __syncthreads();
  c[i] = s[(t * 2) & 127];
})",
     16, 128, 1, 16384, true},
    {"shared_4_stride_32", R"((const int* a, const int* b, int* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ int s[512];
  s[(t * 32 + (t >> 4)) & 511] = a[i];
  __syncthreads();
  c[i] = s[t];
})",
     16, 128, 1, 16384, true},
    {"shared_4_one_word", R"((const int* a, const int* b, int* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ int s[512];
  s[t] = a[i];
  __syncthreads();
  c[i] = s[t >> 5];
})",
     16, 128, 1, 16384, true},
    {"shared_8", R"((const int2* a, const int2* b, int2* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ int2 s[512];
  s[t] = a[i];
  __syncthreads();
  c[i] = s[127 - t];
})",
     16, 128, 1, 16384, true},
    {"shared_8_stride_2", R"((const int2* a, const int2* b, int2* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ int2 s[512];
  s[t] = a[i];
  __syncthreads();
  c[i] = s[(t * 2) & 127];
})",
     16, 128, 1, 16384, true},
    {"shared_8_one_word", R"((const int2* a, const int2* b, int2* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ int2 s[512];
  s[t] = a[i];
  __syncthreads();
  c[i] = s[t >> 5];
})",
     16, 128, 1, 16384, true},
    {"shared_8_pairs", R"((const int2* a, const int2* b, int2* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ int2 s[512];
  s[t] = a[i];
  __syncthreads();
  c[i] = s[t >> 1];
})",
     16, 128, 1, 16384, true},
    {"shared_8_two_rows", R"((const int2* a, const int2* b, int2* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ int2 s[512];
  s[t] = a[i];
  __syncthreads();
  c[i] = s[(lane & 15) + (lane >> 4) * 16 * 3];
})",
     16, 128, 1, 16384, true},
    {"shared_8_same_halves", R"((const int2* a, const int2* b, int2* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ int2 s[512];
  s[t] = a[i];
  __syncthreads();
  c[i] = s[lane & 15];
})",
     16, 128, 1, 16384, true},
    {"shared_8_few_lanes", R"((const int2* a, const int2* b, int2* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ int2 s[512];
  s[t] = a[i];
  __syncthreads();
  if (lane < 5 || lane > 28) c[i] = s[t];
})",
     16, 128, 1, 16384, true},
    {"shared_16", R"((const int4* a, const int4* b, int4* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ int4 s[512];
  s[t] = a[i];
  __syncthreads();
  c[i] = s[127 - t];
})",
     16, 128, 1, 16384, true},
    {"shared_16_stride_2", R"((const int4* a, const int4* b, int4* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ int4 s[512];
  s[t] = a[i];
  __syncthreads();
  c[i] = s[(t * 2) & 127];
})",
     16, 128, 1, 16384, true},
    {"shared_16_stride_8", R"((const int4* a, const int4* b, int4* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ int4 s[512];
  s[t] = a[i];
  __syncthreads();
  c[i] = s[(lane * 8) & 127];
})",
     16, 128, 1, 16384, true},
    {"shared_16_one_word", R"((const int4* a, const int4* b, int4* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ int4 s[512];
  s[t] = a[i];
  __syncthreads();
  c[i] = s[t >> 5];
})",
     16, 128, 1, 16384, true},
    {"shared_16_same_quarters", R"((const int4* a, const int4* b, int4* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ int4 s[512];
  s[t] = a[i];
  __syncthreads();
  c[i] = s[lane & 7];
})",
     16, 128, 1, 16384, true},
    {"shared_16_pairs", R"((const int4* a, const int4* b, int4* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ int4 s[512];
  s[t] = a[i];
  __syncthreads();
  c[i] = s[t >> 1];
})",
     16, 128, 1, 16384, true},
    {"shared_16_few_lanes", R"((const int4* a, const int4* b, int4* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ int4 s[512];
  s[t] = a[i];
  __syncthreads();
  if (lane % 9 == 0) c[i] = s[t];
})",
     16, 128, 1, 16384, true},
    {"shared_2", R"((const short* a, const short* b, short* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ short s[512];
  s[t] = a[i];
  __syncthreads();
  c[i] = s[127 - t];
})",
     16, 128, 1, 16384, true},
    {"shared_1_stride_4", R"((const signed char* a, const signed char* b, signed char* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ signed char s[512];
  s[t] = a[i];
  __syncthreads();
  c[i] = s[(t * 4) & 127];
})",
     16, 128, 1, 16384, true},
    {"shared_atomics_apart", R"((const int* a, const int* b, int* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ int s[128];
  s[t] = 0;
  __syncthreads();
  atomicAdd(&s[(t * 5) & 127], a[i]);
  __syncthreads();
  c[i] = s[t];
})",
     16, 128, 1, 16384, true},
    {"shared_atomics_one_word", R"((const int* a, const int* b, int* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ int s[4];
  if (t < 4) s[t] = 0;
  __syncthreads();
  atomicAdd(&s[t >> 5], a[i]);
  __syncthreads();
  if (lane == 0) c[i] = s[t >> 5];
})",
     16, 128, 1, 16384, true},
    {"shared_atomics_one_bank", R"((const int* a, const int* b, int* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ int s[1024];
  for (int k = t; k < 1024; k += 128) s[k] = 0;
  __syncthreads();
  atomicMax(&s[lane * 32], a[i]);
  __syncthreads();
  c[i] = s[t * 8];
})",
     16, 128, 1, 16384, true},
    {"global_atomics_apart", R"((const int* a, const int* b, int* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  atomicAdd(&c[i], a[i]);
})",
     128, 128, 1, 16384, true},
    {"global_atomics_one_word", R"((const int* a, const int* b, int* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  atomicAdd(&c[t >> 5], a[i]);
})",
     128, 128, 1, 16384, true},
    {"global_atomics_result", R"((const int* a, const int* b, int* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  int old = atomicAdd(&c[i & 8191], a[i]);
  if (old == 0x12345678) c[i] = 1;
})",
     64, 128, 1, 16384, true},
    {"global_atomics_strided", R"((const int* a, const int* b, int* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  atomicMax(&c[(i * 8) & 16383], a[i]);
})",
     16, 128, 1, 16384, true},
    {"global_atomics_float", R"((const float* a, const float* b, float* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  atomicAdd(&c[(i * 3) & 16383], a[i]);
})",
     128, 128, 1, 16384, false},
    {"copy_async_4_ca", R"((const int* a, const int* b, int* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ __align__(16) int s[128];
  unsigned to = (unsigned)__cvta_generic_to_shared(&s[t]);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(a + i) : "memory");
  asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  c[i] = s[127 - t];
})",
     16, 128, 1, 16384, true},
    {"copy_async_8_ca", R"((const int2* a, const int2* b, int2* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ __align__(16) int2 s[128];
  unsigned to = (unsigned)__cvta_generic_to_shared(&s[t]);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" :: "r"(to), "l"(a + i) : "memory");
  asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  c[i] = s[127 - t];
})",
     16, 128, 1, 16384, true},
    {"copy_async_16_ca", R"((const int4* a, const int4* b, int4* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ __align__(16) int4 s[128];
  unsigned to = (unsigned)__cvta_generic_to_shared(&s[t]);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(to), "l"(a + i) : "memory");
  asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  c[i] = s[127 - t];
})",
     16, 128, 1, 16384, true},
    {"copy_async_16_cg", R"((const int4* a, const int4* b, int4* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ __align__(16) int4 s[128];
  unsigned to = (unsigned)__cvta_generic_to_shared(&s[t]);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(a + i) : "memory");
  asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  c[i] = s[127 - t];
})",
     16, 128, 1, 16384, true},
    {"copy_async_conflicts", R"((const int* a, const int* b, int* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  __shared__ __align__(16) int s[4096];
  unsigned to = (unsigned)__cvta_generic_to_shared(&s[lane * 32 + (t >> 5)]);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(a + i) : "memory");
  asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  c[i] = s[lane * 32 + (t >> 5)];
})",
     16, 128, 1, 16384, true},
    {"ldmatrix_conflicts", R"((const unsigned* a, const unsigned* b, unsigned* c) {
  __shared__ __align__(16) unsigned s[4096];
  for (int i = threadIdx.x; i < 4096; i += 128) s[i] = a[i];
  __syncthreads();
  unsigned at = (unsigned)__cvta_generic_to_shared(s) + (threadIdx.x & 31) * 128 + (threadIdx.x >> 5) * 16, r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
  for (int i = 0; i < 4; ++i) c[blockIdx.x * 512 + i * 128 + threadIdx.x] = r[i];
})",
     16, 128, 1, 16384, true},
    {"divergence", R"((const int* a, const int* b, int* c) {
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 128 + t;
  int x = a[i];
  if (lane < 8) for (int k = 0; k < 5; ++k) x = x * 7 + b[(i + k) & 16383];
  else if (lane < 20) for (int k = 0; k < 3; ++k) x ^= b[(i * 3 + k) & 16383];
  c[i] = x;
})",
     64, 128, 1, 16384, true},
};

} // namespace

std::span<const SourceKernel> pattern_kernels() { return table; }

} // namespace aicf::selftest
