#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class AtomicSharedRate final : public RateProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return rate_text("atomic_shared_rate", "Throughput of shared atomics by contention",
                     "lanes' atomics a clock and multiprocessor, by lanes of a warp that share an address");
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    std::vector<Entry> out;
    for (int sharing : {1, 2, 4, 8, 16, 32})
      out.push_back({"sharing_" + std::to_string(sharing),
                     "red.shared.add, " + std::to_string(sharing) + " lanes to an address",
                     "op/clk/SM",
                     {.state = filled(R"(extern __shared__ unsigned cells[];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) cells[i] = 0;
  __syncthreads();
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(cells + threadIdx.x / 32 * 32 + threadIdx.x % 32 / @N@));)",
                                      {{"N", std::to_string(sharing)}}),
                      .body = R"(asm volatile("red.shared.add.u32 [%0], 1;" :: "r"(at) : "memory");)",
                      .result = "(__syncthreads(), cells[threadIdx.x])",
                      .per_body = 1,
                      .shared = 4096,
                      .iterations = 8,
                      .expects = {{"red.shared.add.u32", 16}}}});
    return out;
  }
};
const RegisterProbe atomic_shared_rate{"atomic_shared_rate", make_probe<AtomicSharedRate>};

} // namespace
} // namespace aicf::probes
