// Control flow: divergent loops, a switch, calls, local arrays, block and warp reductions.
extern "C" __global__ void collatz(const int* x, int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = x[i];
  int steps = 0;
  while (v != 1) {
    v = v & 1 ? 3 * v + 1 : v / 2;
    ++steps;
  }
  y[i] = steps;
}

__device__ __noinline__ float polynomial(float v, int n) {
  float r = 0;
  for (int i = 0; i < n; ++i) r = r * v + i;
  return r;
}

extern "C" __global__ void calls(const float* x, float* y) {
  const int i = threadIdx.x;
  y[i] = i % 3 == 0 ? polynomial(x[i], 4) : polynomial(x[i] + 1, i % 5);
}

extern "C" __global__ void choose(const int* x, int* y) {
  const int i = threadIdx.x;
  int v = x[i];
  switch (v) {
  case 0: v = 11; break;
  case 1: v = i * 3; break;
  case 2: v = __popc(i); break;
  case 3: v = -i; break;
  case 4: v = i ^ 5; break;
  case 5: v = i + 100; break;
  case 6: v = i / 7; break;
  default: v = 1000; break;
  }
  y[i] = v;
}

extern "C" __global__ void private_array(const int* x, int* y, int k) {
  int a[16];
  const int i = threadIdx.x;
  for (int j = 0; j < 16; ++j) a[j] = x[i] * j;
  for (int j = 0; j < 16; ++j) a[(j * x[i]) & 15] += k;
  y[i] = a[(x[i] + k) & 15];
}

__device__ unsigned int total;
__constant__ int weights[4] = {2, 3, 5, 7};

extern "C" __global__ void histogram(const int* x, int* bins, int n) {
  __shared__ int local[16];
  if (threadIdx.x < 16) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[x[i] & 15], weights[x[i] & 3]);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
  atomicAdd(&total, 1u);
}

extern "C" __global__ void last_block(const float* x, float* partial, float* y, unsigned int* arrived, int n) {
  __shared__ float s[8];
  __shared__ bool last;
  float v = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) v += x[i];
  for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float t = 0;
    for (int k = 0; k < 8; ++k) t += s[k];
    partial[blockIdx.x] = t;
    __threadfence();
    last = atomicAdd(arrived, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float t = 0;
    for (int b = 0; b < gridDim.x; ++b) t += partial[b];
    *y = t;
  }
}
