#include "probes/occupancy_probe.hpp"

namespace aicf::probes {
namespace {

class OccupancyRegisters final : public OccupancyProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return occupancy_text("occupancy_registers", "Occupancy by registers",
                          "blocks that a multiprocessor holds at once, by values that a thread keeps");
  }
  [[nodiscard]] Resource resource() const override {
    return {.axis = {"values that a thread keeps", "registers of 32 bits", false},
            .of_amount = " values kept a thread",
            .body = R"(  unsigned v[@LIVE@];
#pragma unroll
  for (int i = 0; i < @LIVE@; ++i) asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[i]) : "l"(sink + (threadIdx.x + i) % 256) : "memory");)",
            .end = R"(  unsigned all = 0;
#pragma unroll
  for (int i = 0; i < @LIVE@; ++i) {
    asm volatile("" : "+r"(v[i])); // still there
    all = all * 3 + v[i];
  }
  sink[threadIdx.x] = all;)",
            .amounts = {1, 16, 24, 32, 40, 48, 56, 64, 80, 104, 136, 176, 216}};
  }
};
const RegisterProbe occupancy_registers{"occupancy_registers", make_probe<OccupancyRegisters>};

} // namespace
} // namespace aicf::probes
