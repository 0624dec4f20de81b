#include "probes/findings.hpp"
#include "probes/kernels.hpp"

namespace aicf::probes {
namespace {

/// Every thread of a full grid adds to one of `addresses` words, a line apart or next to each other.
class AtomicGlobalRate final : public Probe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return {.id = "atomic_global_rate",
            .lab = "hardware",
            .name = "Throughput of global atomics by contention",
            .measures = "lanes' atomic adds a second over the device, by different words",
            .method = "CUDA events around a launch of 8 adds a thread, median and quartiles",
            .control = "a kernel that waits 20 microseconds must take 20 to 30",
            .inputs = "ones",
            .quick = true};
  }
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override {
    std::vector<Trial> out{wait_control()};
    for (std::int64_t words : {1, 32, 1024, 65536, 1048576}) {
      KernelText k;
      k.source = R"(extern "C" __global__ void __launch_bounds__(256) probe(unsigned* cells, long long words) {
  const unsigned at = (blockIdx.x * 256u + threadIdx.x) % static_cast<unsigned>(words);
#pragma unroll
  for (int i = 0; i < 8; ++i) asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" :: "l"(cells + at) : "memory");
}
)";
      k.grid = grid(setting);
      k.block = 256;
      k.buffers = {{"cells", DType::i32, words}};
      k.values = {{"words", words}};
      k.expects = {{"red.relaxed.gpu.global.add.u32", 8}};
      out.push_back(trial("words_" + std::to_string(words), Trial::Reads::time, k));
      out.back().x = static_cast<double>(words);
    }
    return out;
  }
  void conclude(const Setting& setting, const Observations& seen, Findings& findings) const override {
    check_wait(seen, findings);
    const double adds = 8.0 * 256 * static_cast<double>(grid(setting));
    for (const std::string& id : trials_of(seen, "words_"))
      findings.rate(id, "Global atomic adds to " + id.substr(6) + " words", "op/s", seen.at(id), 1e6 * adds);
    fill_curve(findings.curve("by_words", "Global atomic adds by different words", {"words", "", true},
                              {"adds", "op/s", true}, true),
               seen, trials_of(seen, "words_"),
               [&](const Trial&, const Observation& o) { return over(1e6 * adds, o.spread); });
  }

 private:
  static std::int64_t grid(const Setting& setting) { return setting.device ? 8 * setting.hardware.sm_count : 1; }
};
const RegisterProbe atomic_global_rate{"atomic_global_rate", make_probe<AtomicGlobalRate>};

} // namespace
} // namespace aicf::probes
