// Inclusive scan of a row, a block at a time (Hillis and Steele), the running total carried on.
extern "C" __global__ void scan(const float* x, float* y, int N) {
  __shared__ float buffer[2][128];
  const float* in = x + (long long)blockIdx.x * N;
  float* out = y + (long long)blockIdx.x * N;
  float carry = 0;
  for (int base = 0; base < N; base += blockDim.x) {
    int j = base + threadIdx.x, from = 0;
    buffer[0][threadIdx.x] = j < N ? in[j] : 0.0f;
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
      float value = buffer[from][threadIdx.x];
      if (threadIdx.x >= step) value += buffer[from][threadIdx.x - step];
      from = 1 - from;
      buffer[from][threadIdx.x] = value;
      __syncthreads();
    }
    if (j < N) out[j] = carry + buffer[from][threadIdx.x];
    carry += buffer[from][blockDim.x - 1];
    __syncthreads();
  }
}
