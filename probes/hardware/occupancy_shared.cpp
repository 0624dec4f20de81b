#include "probes/occupancy_probe.hpp"

namespace aicf::probes {
namespace {

class OccupancyShared final : public OccupancyProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = occupancy_text("occupancy_shared", "Occupancy by shared memory",
                                 "blocks that a multiprocessor holds at once, by shared memory of a block");
    t.quick = true;
    return t;
  }
  [[nodiscard]] Resource resource() const override {
    return {.axis = {"shared memory of a block", "KiB", false},
            .of_amount = " KiB of shared memory",
            .body = R"(  extern __shared__ unsigned cells[];
  cells[threadIdx.x % 256] = threadIdx.x;)",
            .end = R"(  sink[threadIdx.x] = cells[threadIdx.x % 256];)",
            .amounts = {1, 16, 27, 28, 31, 32, 37, 44, 45, 56, 57, 75, 76, 112, 113, 227},
            .shared_unit = 1024};
  }
};
const RegisterProbe occupancy_shared{"occupancy_shared", make_probe<OccupancyShared>};

} // namespace
} // namespace aicf::probes
