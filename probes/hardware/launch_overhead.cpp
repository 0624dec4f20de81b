#include "probes/findings.hpp"
#include "probes/kernels.hpp"

namespace aicf::probes {
namespace {

/// Empty kernels one after another on a stream that the host filled before.
class LaunchOverhead final : public Probe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return {.id = "launch_overhead",
            .lab = "hardware",
            .name = "Cost of launches",
            .measures = "microseconds that each further kernel of a queued stream adds, by blocks of the grid",
            .method = "CUDA events around 24 and around 8 launches of an empty kernel; a sixteenth of the difference, "
                      "spread from both quartiles",
            .control = "a kernel that waits 20 microseconds must take 20 to 30",
            .inputs = "none",
            .quick = true};
  }
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override {
    std::vector<Trial> out{wait_control()};
    for (std::int64_t grid : {1, 132, 2112})
      for (int launches : {8, 24}) {
        KernelText k;
        k.source =
            "extern \"C\" __global__ void probe(unsigned* sink) {\n  if (blockIdx.x == 0xffffffffu) sink[0] = 1;\n}\n";
        k.grid = setting.device ? grid : 1;
        k.block = 128;
        k.buffers = {{"sink", DType::i32, 1, Arg::Role::output}};
        Trial t =
            trial("grid_" + std::to_string(grid) + "_launches_" + std::to_string(launches), Trial::Reads::time, k);
        const Call call = t.calls.front();
        t.calls.assign(static_cast<std::size_t>(launches), call);
        out.push_back(std::move(t));
      }
    return out;
  }
  void conclude(const Setting&, const Observations& seen, Findings& findings) const override {
    check_wait(seen, findings);
    for (const char* grid : {"1", "132", "2112"}) {
      const std::string id = std::string("grid_") + grid;
      const Observation &few = seen.at(id + "_launches_8"), &many = seen.at(id + "_launches_24");
      const Spread each{(many.spread.value - few.spread.value) / 16, (many.spread.lo - few.spread.hi) / 16,
                        (many.spread.hi - few.spread.lo) / 16, few.spread.samples};
      findings.derived(id, "A further launch of " + std::string(grid) + " blocks", "us", {&few, &many}, each, "");
    }
  }
};
const RegisterProbe launch_overhead{"launch_overhead", make_probe<LaunchOverhead>};

} // namespace
} // namespace aicf::probes
