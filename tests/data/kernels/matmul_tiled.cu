// Tiles of both operands in shared memory, zeros beyond the edges.
constexpr int T = 16;
extern "C" __global__ void __launch_bounds__(T * T)
matmul_tiled(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int M, int N, int K) {
  __shared__ float As[T][T], Bs[T][T];
  int i = blockIdx.y * T + threadIdx.y, j = blockIdx.x * T + threadIdx.x;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += T) {
    As[threadIdx.y][threadIdx.x] = i < M && k0 + threadIdx.x < K ? a[i * K + k0 + threadIdx.x] : 0.0f;
    Bs[threadIdx.y][threadIdx.x] = k0 + threadIdx.y < K && j < N ? b[(k0 + threadIdx.y) * N + j] : 0.0f;
    __syncthreads();
    for (int k = 0; k < T; ++k) sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
    __syncthreads();
  }
  if (i < M && j < N) c[i * N + j] = sum;
}
