#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

/// Arithmetic rate by independent instructions of a thread and warps of a multiprocessor.
class IssueHiding final : public RateProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return rate_text("issue_hiding", "Latency hiding of arithmetic",
                     "fma a clock and multiprocessor, by independent ones a thread and warps");
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    std::vector<Entry> out;
    for (int streams : {1, 2, 4, 8})
      for (std::int64_t warps : {4, 8, 16, 32})
        out.push_back(
            {"streams_" + std::to_string(streams) + "_warps_" + std::to_string(warps),
             "fma, " + std::to_string(streams) + " independent, " + std::to_string(warps) + " warps",
             "op/clk/SM",
             {.state = filled("float a[@N@]; for (int j = 0; j < @N@; ++j) a[j] = 1.0f + j; float b = "
                              "__uint_as_float(sink[threadIdx.x]);",
                              {{"N", std::to_string(streams)}}),
              .body = filled(
                  R"(for (int j = 0; j < @N@; ++j) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[j]) : "f"(b));)",
                  {{"N", std::to_string(streams)}}),
              .result = "sum_of(a)",
              .per_body = static_cast<double>(streams),
              .block = 32 * warps,
              .iterations = 64,
              .expects = {{"fma.rn.f32", 16 * streams}}}});
    return out;
  }
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override {
    std::vector<Trial> out = RateProbe::trials(setting);
    std::size_t i = 1; // after the control
    for (double streams : {1, 2, 4, 8})
      for (double warps : {4, 8, 16, 32}) out[i].x = warps, out[i].y = streams, ++i;
    return out;
  }
  void conclude(const Setting& setting, const Observations& seen, Findings& findings) const override {
    RateProbe::conclude(setting, seen, findings);
    fill_map(findings.map("hiding", "fma rate by independent instructions and warps", "throughput",
                          {"warps a multiprocessor", "", true}, {"independent instructions a thread", "", true},
                          {"fma", "op/clk/SM", false}, true),
             seen, trials_of(seen, "streams_"), [](const Trial&, const Observation& o) { return 1 / o.spread.value; });
  }
};
const RegisterProbe issue_hiding{"issue_hiding", make_probe<IssueHiding>};

} // namespace
} // namespace aicf::probes
