#include "core/exec/selftest/kernels.hpp"

namespace aicf::selftest {
namespace {

const SourceKernel table[] = {
    {"add", R"((const float* a, const float* b, float* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] + b[i];
})",
     128},
    {"polynomial", R"((const float* a, const float* b, float* c) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 16384; i += gridDim.x * blockDim.x) {
    float x = a[i], p = 0.125f;
    for (int k = 0; k < 7; ++k) p = fmaf(p, x, b[(i + k) & 16383]);
    c[i] = p;
  }
})",
     16},
    {"relu_vectors", R"((const float4* a, const float4* b, float4* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 x = a[i], y = b[i];
  c[i] = make_float4(fmaxf(x.x, 0.f) + y.x, fmaxf(x.y, 0.f) + y.y, fmaxf(x.z, 0.f) * y.z, fmaxf(x.w, 0.f) - y.w);
})",
     32},
    {"block_sum", R"((const float* a, const float* b, float* c) {
  __shared__ float s[128];
  s[threadIdx.x] = a[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  for (int n = 64; n > 0; n >>= 1) {
    if (threadIdx.x < n) s[threadIdx.x] += s[threadIdx.x + n];
    __syncthreads();
  }
  if (threadIdx.x == 0) c[blockIdx.x] = s[0];
})",
     128},
    {"shuffle_sum", R"((const float* a, const float* b, float* c) {
  int i = blockIdx.x * 128 + threadIdx.x;
  float v = a[i] * b[i];
  for (int n = 16; n > 0; n >>= 1) v += __shfl_xor_sync(0xffffffffu, v, n);
  if ((threadIdx.x & 31) == 0) c[i >> 5] = v;
})",
     128},
    {"layernorm", R"((const float* a, const float* b, float* c) {
  __shared__ float s[8];
  const float* x = a + blockIdx.x * 1024;
  float sum = 0.f;
  for (int i = threadIdx.x; i < 1024; i += 128) sum += x[i];
  for (int n = 16; n > 0; n >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, n);
  if ((threadIdx.x & 31) == 0) s[threadIdx.x >> 5] = sum;
  __syncthreads();
  float mean = (s[0] + s[1] + s[2] + s[3]) / 1024.f, square = 0.f;
  for (int i = threadIdx.x; i < 1024; i += 128) square += (x[i] - mean) * (x[i] - mean);
  for (int n = 16; n > 0; n >>= 1) square += __shfl_down_sync(0xffffffffu, square, n);
  if ((threadIdx.x & 31) == 0) s[4 + (threadIdx.x >> 5)] = square;
  __syncthreads();
  float scale = 1.f / sqrtf((s[4] + s[5] + s[6] + s[7]) / 1024.f + 1e-5f);
  for (int i = threadIdx.x; i < 1024; i += 128) c[blockIdx.x * 1024 + i] = (x[i] - mean) * scale * b[i];
})",
     16},
    {"softmax", R"((const float* a, const float* b, float* c) {
  int row = (blockIdx.x * 128 + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  float x[8], m = -3.4e38f, l = 0.f;
  for (int k = 0; k < 8; ++k) m = fmaxf(m, x[k] = a[row * 256 + k * 32 + lane]);
  for (int n = 16; n > 0; n >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, n));
  for (int k = 0; k < 8; ++k) l += x[k] = expf(x[k] - m);
  for (int n = 16; n > 0; n >>= 1) l += __shfl_xor_sync(0xffffffffu, l, n);
  for (int k = 0; k < 8; ++k) c[row * 256 + k * 32 + lane] = x[k] / l;
})",
     16, 128, 1, 16384, false, false, 1e-5},
    {"online_softmax", R"((const float* a, const float* b, float* c) {
  int i = blockIdx.x * 128 + threadIdx.x;
  float m = -3.4e38f, l = 0.f, o = 0.f;
  for (int k = 0; k < 64; ++k) {
    float x = a[(i * 7 + k * 128) & 16383], n = fmaxf(m, x), r = __expf(m - n), e = __expf(x - n);
    l = l * r + e;
    o = o * r + e * b[(i + k) & 16383];
    m = n;
  }
  c[i] = l;
  c[i + 8192] = o * o / (l * l);
})",
     64, 128, 1, 16384, false, false, 1e-3},
    {"gelu", R"((const float* a, const float* b, float* c) {
  int i = blockIdx.x * 128 + threadIdx.x;
  c[i] = 0.5f * a[i] * (1.f + tanhf(0.79788456f * (a[i] + 0.044715f * a[i] * a[i] * a[i]))) + 4.f * b[i];
})",
     128, 128, 1, 16384, false, false, 1e-4},
    {"double_sine", R"((const float* a, const float* b, float* c) {
  int i = blockIdx.x * 128 + threadIdx.x;
  c[i] = (float)(sin((double)a[i] * 100.0) + exp((double)b[i]));
})",
     32},
    {"scan", R"((const int* a, const int* b, int* c) {
  __shared__ int s[2][128];
  int t = threadIdx.x, from = 0;
  s[0][t] = a[blockIdx.x * 128 + t];
  __syncthreads();
  for (int n = 1; n < 128; n <<= 1) {
    s[1 - from][t] = t >= n ? s[from][t] + s[from][t - n] : s[from][t];
    from = 1 - from;
    __syncthreads();
  }
  c[blockIdx.x * 128 + t] = s[from][t];
})",
     128, 128, 1, 16384, true},
    {"transpose", R"((const int* a, const int* b, int* c) {
  __shared__ int s[32][33];
  int x = threadIdx.x & 31, y = threadIdx.x >> 5, bx = blockIdx.x & 3, by = blockIdx.x >> 2;
  for (int k = y; k < 32; k += 4) s[k][x] = a[(by * 32 + k) * 128 + bx * 32 + x];
  __syncthreads();
  for (int k = y; k < 32; k += 4) c[(bx * 32 + k) * 128 + by * 32 + x] = s[x][k];
})",
     16, 128, 1, 16384, true},
    {"histogram", R"((const int* a, const int* b, int* c) {
  __shared__ int s[256];
  for (int i = threadIdx.x; i < 256; i += 128) s[i] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += 128) atomicAdd(&s[a[blockIdx.x * 1024 + i] & 255], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 128) atomicAdd(&c[i], s[i]);
})",
     16, 128, 1, 16384, true},
    {"matmul", R"((const float* a, const float* b, float* c) {
  int row = blockIdx.x, column = threadIdx.x;
  float sum = 0.f;
  for (int k = 0; k < 128; ++k) sum += a[row * 128 + k] * b[k * 128 + column];
  c[row * 128 + column] = sum;
})",
     128},
    {"matmul_tiled", R"((const float* a, const float* b, float* c) {
  __shared__ float x[16][16], y[16][17];
  int tx = threadIdx.x & 15, ty = threadIdx.x >> 4, row = (blockIdx.x >> 3) * 16, column = (blockIdx.x & 7) * 16;
  float sum = 0.f;
  for (int k = 0; k < 128; k += 16) {
    x[ty][tx] = a[(row + ty) * 128 + k + tx];
    y[ty][tx] = b[(k + ty) * 128 + column + tx];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += x[ty][i] * y[i][tx];
    __syncthreads();
  }
  c[(row + ty) * 128 + column + tx] = sum;
})",
     64, 256},
    {"mma_f16", R"((const unsigned* a, const unsigned* b, float* c) {
  unsigned lane = threadIdx.x & 31, tile = (blockIdx.x * 128 + threadIdx.x) >> 5;
  float d[4] = {};
  for (int k = 0; k < 4; ++k) {
    unsigned x[6];
    for (int i = 0; i < 6; ++i) x[i] = (a[(tile * 131 + k * 192 + i * 32 + lane) & 16383] & 0x83ff83ffu) | 0x3c003c00u;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]));
  }
  for (int i = 0; i < 4; ++i) c[tile * 128 + i * 32 + lane] = d[i];
})",
     32, 128, 1, 16384, true},
    {"mma_bf16", R"((const unsigned* a, const unsigned* b, float* c) {
  unsigned lane = threadIdx.x & 31, tile = (blockIdx.x * 128 + threadIdx.x) >> 5, x[6];
  float d[4] = {1.f, -2.f, 0.5f, 3e-5f};
  for (int i = 0; i < 6; ++i) x[i] = a[(tile * 131 + i * 32 + lane) & 16383] * 2654435761u & 0xbfffbfffu;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]));
  for (int i = 0; i < 4; ++i) c[tile * 128 + i * 32 + lane] = d[i];
})",
     32, 128, 1, 16384, true},
    {"mma_tf32", R"((const unsigned* a, const unsigned* b, float* c) {
  unsigned lane = threadIdx.x & 31, tile = (blockIdx.x * 128 + threadIdx.x) >> 5, x[6];
  float d[4] = {};
  for (int i = 0; i < 6; ++i) x[i] = (a[(tile * 131 + i * 32 + lane) & 16383] * 2654435761u & 0x81ffffffu) | 0x3e000000u;
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]));
  for (int i = 0; i < 4; ++i) c[tile * 128 + i * 32 + lane] = d[i];
})",
     32, 128, 1, 16384, true},
    {"mma_fp8", R"((const unsigned* a, const unsigned* b, float* c) {
  unsigned lane = threadIdx.x & 31, tile = (blockIdx.x * 128 + threadIdx.x) >> 5, x[6];
  float d[4] = {100.f, -0.01f, 7.f, 0.f};
  for (int i = 0; i < 6; ++i) x[i] = a[(tile * 131 + i * 32 + lane) & 16383] * 2654435761u & 0xbfbfbfbfu;
  asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]));
  for (int i = 0; i < 4; ++i) c[tile * 128 + i * 32 + lane] = d[i];
})",
     32, 128, 1, 16384, true},
    {"ldmatrix", R"((const unsigned* a, const unsigned* b, unsigned* c) {
  __shared__ __align__(16) unsigned s[512];
  for (int i = threadIdx.x; i < 512; i += 128) s[i] = a[blockIdx.x * 512 + i];
  __syncthreads();
  unsigned at = (unsigned)__cvta_generic_to_shared(s) + (threadIdx.x >> 5) * 512 + (threadIdx.x & 31) * 16, r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
  for (int i = 0; i < 4; ++i) c[blockIdx.x * 512 + i * 128 + threadIdx.x] = r[i];
})",
     32, 128, 1, 16384, true},
    {"copy_pipeline", R"((const int4* a, const int4* b, int4* c) {
  __shared__ __align__(16) int4 s[2][128];
  unsigned base = (unsigned)__cvta_generic_to_shared(s);
  for (int k = 0; k <= 8; ++k) {
    if (k < 8)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(base + (k & 1) * 2048 + threadIdx.x * 16), "l"(a + blockIdx.x * 1024 + k * 128 + threadIdx.x) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    if (k == 0) continue;
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    int4 v = s[(k - 1) & 1][127 - threadIdx.x];
    v.x += v.w;
    c[blockIdx.x * 1024 + (k - 1) * 128 + threadIdx.x] = v;
    __syncthreads();
  }
})",
     4, 128, 1, 16384, true},
    {"bitonic_sort", R"((const int* a, const int* b, int* c) {
  __shared__ int s[256];
  for (int i = threadIdx.x; i < 256; i += 128) s[i] = a[blockIdx.x * 256 + i];
  for (int size = 2; size <= 256; size <<= 1)
    for (int n = size >> 1; n > 0; n >>= 1) {
      __syncthreads();
      int i = 2 * threadIdx.x - (threadIdx.x & (n - 1)), x = s[i], y = s[i + n];
      if ((x > y) == ((i & size) == 0)) s[i] = y, s[i + n] = x;
    }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 128) c[blockIdx.x * 256 + i] = s[i];
})",
     64, 128, 1, 16384, true},
    {"gather", R"((const int* a, const int* b, int* c) {
  int i = blockIdx.x * 128 + threadIdx.x;
  c[(i * 5 + 3) & 16383] = b[a[i] & 16383];
})",
     128, 128, 1, 16384, true},
    {"stencil", R"((const float* a, const float* b, float* c) {
  __shared__ float s[132];
  int i = blockIdx.x * 128 + threadIdx.x;
  s[threadIdx.x + 2] = a[i];
  if (threadIdx.x < 2) s[threadIdx.x] = a[(i + 16382) & 16383], s[threadIdx.x + 130] = a[(i + 128) & 16383];
  __syncthreads();
  float* p = s + threadIdx.x;
  c[i] = 0.0625f * (p[0] + p[4]) + 0.25f * (p[1] + p[3]) + 0.375f * p[2];
})",
     128},
    {"compaction", R"((const int* a, const int* b, int* c) {
  int i = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x & 31;
  bool keep = (a[i] & 3) == 0;
  unsigned kept = __ballot_sync(0xffffffffu, keep);
  if (keep) c[i - lane + __popc(kept & ((1u << lane) - 1))] = a[i];
})",
     128, 128, 1, 16384, true},
    {"int8_dot", R"((const int* a, const int* b, int* c) {
  int i = blockIdx.x * 128 + threadIdx.x, sum = 0;
  for (int k = 0; k < 16; ++k) sum = __dp4a(a[(i + k * 37) & 16383], b[(i * 3 + k) & 16383], sum);
  c[i] = __vadd4(sum, a[i]) ^ __brev(b[i]);
})",
     128, 128, 1, 16384, true},
    {"collatz", R"((const int* a, const int* b, int* c) {
  int i = blockIdx.x * 128 + threadIdx.x, n = (a[i] & 1023) + 1, steps = 0;
  while (n != 1) {
    n = n & 1 ? 3 * n + 1 : n >> 1;
    ++steps;
  }
  c[i] = steps;
})",
     32, 128, 1, 16384, true},
    {"switch", R"((const int* a, const int* b, int* c) {
  int i = blockIdx.x * 128 + threadIdx.x, x = a[i];
  switch (b[i] & 7) {
  case 0: x += 3; break;
  case 1: x *= 5;
  case 2: x ^= 0x55; break;
  case 3: x = x / 7; break;
  case 4: x = x % 11; break;
  case 5: x = __clz(x); break;
  case 6: x = (int)(0x100000000ll * x / 3); break;
  default: x = -x;
  }
  c[i] = x;
})",
     64, 128, 1, 16384, true},
    {"half_arithmetic", R"((const unsigned* a, const unsigned* b, unsigned* c) {
  int i = blockIdx.x * 128 + threadIdx.x;
  unsigned x = a[i] * 40503u & 0xbfffbfffu, y = b[i] * 2654435761u & 0xbfffbfffu, r;
  asm("fma.rn.f16x2 %0, %1, %2, %1;" : "=r"(r) : "r"(x), "r"(y));
  asm("max.f16x2 %0, %0, %1;" : "+r"(r) : "r"(y));
  c[i] = r;
})",
     128, 128, 1, 16384, true},
    {"bulk_copy", R"((const int* a, const int* b, int* c) {
  __shared__ __align__(128) int s[1024];
  __shared__ __align__(8) unsigned long long barrier;
  unsigned bar = (unsigned)__cvta_generic_to_shared(&barrier), to = (unsigned)__cvta_generic_to_shared(s);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.mbarrier_init.release.cluster;" :: "r"(bar) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4096;" :: "r"(bar) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];" :: "r"(to), "l"(a + blockIdx.x * 1024), "r"(bar) : "memory");
  }
  __syncthreads();
  asm volatile("{\n.reg .pred p;\nWAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra WAIT;\n}" :: "r"(bar) : "memory");
  for (int i = threadIdx.x; i < 1024; i += 128) c[blockIdx.x * 1024 + i] = s[1023 - i] + b[i];
})",
     16, 128, 1, 16384, true},
    {"cluster_sum", R"((const int* a, const int* b, int* c) {
  __shared__ int s[128];
  unsigned rank, mine = (unsigned)__cvta_generic_to_shared(s + threadIdx.x);
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  s[threadIdx.x] = a[blockIdx.x * 128 + threadIdx.x];
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
  int sum = 0;
  for (unsigned k = 0; k < 4; ++k) {
    unsigned at;
    int v;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(mine), "r"(k));
    asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(v) : "r"(at) : "memory");
    sum = sum * 3 + v;
  }
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
  c[blockIdx.x * 128 + threadIdx.x] = sum + (int)rank;
})",
     128, 128, 4, 16384, true},
    {"tensor_tiles", R"((const __grid_constant__ CUtensorMap a, const float* b, float* c) {
  __shared__ __align__(128) float tile[128];
  __shared__ __align__(8) unsigned long long bar;
  unsigned at = (unsigned)__cvta_generic_to_shared(&bar), to = (unsigned)__cvta_generic_to_shared(tile);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.proxy.async;" :: "r"(at) : "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" :: "r"(at) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 :: "r"(to), "l"(&a), "r"((int)blockIdx.x % 9 * 16 - 8), "r"((int)blockIdx.x / 9 * 8), "r"(at) : "memory");
  }
  asm volatile("{\n.reg .pred p;\nW:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra W;\n}" :: "r"(at) : "memory");
  c[blockIdx.x * 128 + threadIdx.x] = tile[threadIdx.x] + b[threadIdx.x];
})",
     128, 128, 1, 16384, false, true, 0, true},
    {"wgmma_bf16", R"((const unsigned* a, const unsigned* b, float* c) {
  __shared__ __align__(1024) unsigned s[1024];
  for (int i = threadIdx.x; i < 1024; i += 128) s[i] = a[blockIdx.x * 1024 + i] * 2654435761u & 0xbfffbfffu;
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  unsigned base = (unsigned)__cvta_generic_to_shared(s) >> 4;
  unsigned long long strides = 8ull << 16 | 16ull << 32, x = base | strides, y = (base + 128) | strides;
  float d[4] = {};
  for (int k = 0; k < 2; ++k)
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\nwgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0;\n"
        "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(x), "l"(y + 16 * k) : "memory");
  for (int i = 0; i < 4; ++i) c[blockIdx.x * 512 + i * 128 + threadIdx.x] = d[i];
})",
     16, 128, 1, 16384, true, true},
    {"wgmma_f16", R"((const unsigned* a, const unsigned* b, unsigned* c) {
  __shared__ __align__(1024) unsigned s[1024];
  for (int i = threadIdx.x; i < 1024; i += 128) s[i] = (a[blockIdx.x * 1024 + i] * 2654435761u & 0x83ff83ffu) | 0x34003800u;
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  unsigned base = (unsigned)__cvta_generic_to_shared(s) >> 4;
  unsigned long long strides = 8ull << 16 | 16ull << 32, x = base | strides, y = (base + 128) | strides;
  unsigned d[2] = {};
  for (int k = 0; k < 2; ++k)
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\nwgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%0, %1}, %2, %3, p, 1, 1, 0, 0;\n"
        "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}"
        : "+r"(d[0]), "+r"(d[1]) : "l"(x), "l"(y + 16 * k) : "memory");
  for (int i = 0; i < 2; ++i) c[blockIdx.x * 256 + i * 128 + threadIdx.x] = d[i];
})",
     16, 128, 1, 16384, true, true},
    {"wgmma_fp8", R"((const unsigned* a, const unsigned* b, float* c) {
  __shared__ __align__(1024) unsigned s[1024];
  for (int i = threadIdx.x; i < 1024; i += 128) s[i] = a[blockIdx.x * 1024 + i] * 2654435761u & 0xbfbfbfbfu;
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  unsigned base = (unsigned)__cvta_generic_to_shared(s) >> 4;
  unsigned long long strides = 8ull << 16 | 16ull << 32, x = base | strides, y = (base + 128) | strides;
  float d[4] = {};
  for (int k = 0; k < 2; ++k)
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\nwgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {%0, %1, %2, %3}, %4, %5, p, 1, 1;\n"
        "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(x), "l"(y + 16 * k) : "memory");
  for (int i = 0; i < 4; ++i) c[blockIdx.x * 512 + i * 128 + threadIdx.x] = d[i];
})",
     16, 128, 1, 16384, true, true},
    {"wgmma_tf32", R"((const unsigned* a, const unsigned* b, float* c) {
  __shared__ __align__(1024) unsigned s[1024];
  for (int i = threadIdx.x; i < 1024; i += 128) s[i] = (a[blockIdx.x * 1024 + i] * 2654435761u & 0x81ffffffu) | 0x3e000000u;
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  unsigned base = (unsigned)__cvta_generic_to_shared(s) >> 4;
  unsigned long long strides = 8ull << 16 | 16ull << 32, x = base | strides, y = (base + 128) | strides;
  float d[4] = {};
  for (int k = 0; k < 2; ++k)
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\nwgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%0, %1, %2, %3}, %4, %5, p, 1, 1;\n"
        "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(x), "l"(y + 16 * k) : "memory");
  for (int i = 0; i < 4; ++i) c[blockIdx.x * 512 + i * 128 + threadIdx.x] = d[i];
})",
     16, 128, 1, 16384, true, true},
    {"recursion", R"((const int* a, const int* b, int* c) {
  struct Tree {
    static __device__ __noinline__ int walk(int n, int s) {
      return n < 2 ? s : walk(n - 1, 3 * s + 1) ^ walk(n - 2, s + n);
    }
    static __device__ __noinline__ void sort(int* v, int n) {
      if (n < 2) return;
      int p = v[n / 2], i = 0, j = n - 1;
      while (i <= j) {
        while (v[i] < p) ++i;
        while (v[j] > p) --j;
        if (i <= j) { int x = v[i]; v[i++] = v[j]; v[j--] = x; }
      }
      sort(v, j + 1);
      sort(v + i, n - i);
    }
  };
  int i = blockIdx.x * 128 + threadIdx.x, own[9];
  c[i] = Tree::walk((a[i] & 7) + 2, b[i]);
  for (int k = 0; k < 9; ++k) own[k] = (a[i + 2048 * (k % 7)] + k) * 0x9e3779b9 >> 20;
  Tree::sort(own, 9 - (b[i] & 3));
  for (int k = 0; k < 7; ++k) c[i + 2048 * (k + 1)] = own[k + (k > 3)];
})",
     16, 128, 1, 16384, true},
    {"calls_by_address", R"((const int* a, const int* b, int* c) {
  struct One {
    static __device__ __noinline__ int add(int x, int y) { return x + y; }
    static __device__ __noinline__ int mix(int x, int y) { return (x ^ y) * 31; }
    static __device__ __noinline__ int far(int x, int y) { return x > y ? x - y : 2 * (y - x); }
  };
  int (*const table[])(int, int) = {One::add, One::mix, One::far};
  int i = blockIdx.x * 128 + threadIdx.x, x = b[i];
  for (int k = 0; k < 4; ++k) x = table[(unsigned)(a[i] + x + k) % 3](x, a[i]);
  c[i] = x;
})",
     128, 128, 1, 16384, true},
    {"simd_integers", R"((const unsigned* a, const unsigned* b, unsigned* c) {
  int i = blockIdx.x * 128 + threadIdx.x;
  unsigned x = a[i] * 2654435761u + 12345u, y = b[i] * 2246822519u ^ x >> 7, z = x * 31u + y;
  bool p, q;
  c[i] = __vadd2(x, y) + 3 * __vaddss4(x, y) + 5 * __vsubus2(x, y) + 7 * __vabsdiffu4(x, y) + 11 * __vsads2(x, y) +
         13 * __vavgs4(x, y) + 17 * __vmaxs2(x, y) + 19 * __vminu4(x, y) + 23 * __vcmpgts2(x, y) + 29 * __vseteq4(x, y);
  c[i] ^= __vimax3_s16x2_relu(x, y, z) + 3 * __vimin3_u16x2(x, y, z) + 5 * __viaddmax_s16x2_relu(x, y, z) +
          7 * __vimax_s32_relu(x, y) + 11 * __viaddmin_s32_relu(x, y, z) + 13 * __vibmax_s16x2(x, y, &p, &q) + p + 2 * q;
})",
     128, 128, 1, 16384, true},
};

} // namespace

std::span<const SourceKernel> source_kernels() { return table; }

} // namespace aicf::selftest
