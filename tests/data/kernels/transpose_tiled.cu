// A tile goes through shared memory, so that both global accesses are of consecutive elements.
#define TILE 32
__global__ void transpose(float* out, const float* in, int M, int N) {
  __shared__ float tile[TILE][TILE + 1];
  int column = blockIdx.x * TILE + threadIdx.x;
  int row = blockIdx.y * TILE + threadIdx.y;
  for (int k = 0; k < TILE; k += 8)
    if (column < N && row + k < M) tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * N + column];
  __syncthreads();
  column = blockIdx.y * TILE + threadIdx.x;
  row = blockIdx.x * TILE + threadIdx.y;
  for (int k = 0; k < TILE; k += 8)
    if (column < M && row + k < N) out[(row + k) * M + column] = tile[threadIdx.x][threadIdx.y + k];
}
