// A block sums a row: each thread its share, then a tree in shared memory.
extern "C" __global__ void reduce_tree(const float* x, float* y, int N) {
  __shared__ float partial[256];
  const float* row = x + (long long)blockIdx.x * N;
  float sum = 0;
  for (int j = threadIdx.x; j < N; j += blockDim.x) sum += row[j];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = partial[0];
}
