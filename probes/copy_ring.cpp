#include "probes/copy_ring.hpp"

#include "probes/kernels.hpp"

namespace aicf::probes {

std::string ring_kernel(const CopyRing& ring) {
  return ring.prologue + filled(R"(extern "C" __global__ void __launch_bounds__(128) probe(@PARAMETERS@) {
  constexpr int size = @SIZE@, depth = @DEPTH@;
  __shared__ unsigned long long full[depth];
  @RING@
  const unsigned bars = static_cast<unsigned>(__cvta_generic_to_shared(full));
  if (threadIdx.x == 0) {
    for (int d = 0; d < depth; ++d) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bars + 8 * d) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  auto copy = [&](long long index, int slot) {
    if (threadIdx.x != 0 || index >= pieces) return;
    const unsigned to = base + slot * size, bar = bars + 8 * slot;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(bar), "r"(size) : "memory");
    @COPY@
  };
  for (int d = 0; d < depth; ++d) copy(blockIdx.x + static_cast<long long>(d) * gridDim.x, d);
  unsigned all = 0;
  int slot = 0, phase = 0;
  for (long long index = blockIdx.x; index < pieces; index += gridDim.x) {
    unsigned done;
    do asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(bars + 8 * slot), "r"(phase) : "memory");
    while (done == 0);
    all ^= *reinterpret_cast<const unsigned*>(ring + slot * size + threadIdx.x * 4);
    __syncthreads(); // read before the next copy may write
    copy(index + static_cast<long long>(depth) * gridDim.x, slot);
    if (++slot == depth) slot = 0, phase ^= 1;
  }
  sink[blockIdx.x * blockDim.x + threadIdx.x] = all;
}
)",
                                {{"PARAMETERS", ring.parameters},
                                 {"SIZE", std::to_string(ring.size)},
                                 {"DEPTH", std::to_string(ring.depth)},
                                 {"RING", ring.ring},
                                 {"COPY", ring.copy}});
}

} // namespace aicf::probes
