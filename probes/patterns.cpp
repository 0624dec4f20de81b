#include "probes/patterns.hpp"

namespace aicf::probes {

std::vector<LatencyProbe::Entry> LatencyProbe::chains(const std::vector<Step>& steps) {
  std::vector<Entry> out;
  for (const Step& s : steps)
    out.push_back({s.id,
                   s.name,
                   {.state = s.state,
                    .body = s.body,
                    .result = s.result,
                    .per_body = s.operations,
                    .expects = {{s.instruction, 16}}}});
  return out;
}

std::vector<Trial> LatencyProbe::trials(const Setting& setting) const {
  std::vector<Trial> out{alu_chain_control(setting)};
  for (const Entry& e : entries(setting)) out.push_back(chain_trial(e.id, e.chain, setting));
  return out;
}

void LatencyProbe::conclude(const Setting& setting, const Observations& seen, Findings& findings) const {
  check_alu_chain(seen, findings);
  for (const Entry& e : entries(setting)) findings.measured(e.id, e.name, "cycles", seen.at(e.id));
}

std::vector<RateProbe::Entry> RateProbe::lane_rates(const std::vector<LaneStep>& steps) {
  std::vector<Entry> out;
  for (const LaneStep& s : steps)
    out.push_back({s.id,
                   s.name,
                   "op/clk/SM",
                   {.state = filled("@T@ a[4]; for (int j = 0; j < 4; ++j) a[j] = static_cast<@T@>(threadIdx.x + j + "
                                    "sink[0]); @T@ b = a[0];",
                                    {{"T", s.type}}),
                    .body = filled("for (int j = 0; j < 4; ++j) @STEP@", {{"STEP", s.step}}),
                    .result = "static_cast<unsigned>(a[0] + a[1] + a[2] + a[3])",
                    .per_body = 4 * s.operations,
                    .expects = {{s.instruction, 16 * 4}}},
                   1,
                   128 * s.operations}); // four schedulers of 32 lanes
  return out;
}

std::vector<RateProbe::Entry> RateProbe::warp_rates(const std::vector<WarpStep>& steps) {
  std::vector<Entry> out;
  for (const WarpStep& s : steps)
    out.push_back({s.id,
                   s.name,
                   "warp instructions/clk/SM",
                   {.state = "unsigned a[4]; for (int j = 0; j < 4; ++j) a[j] = threadIdx.x + j + sink[0];",
                    .body = filled("for (int j = 0; j < 4; ++j) @STEP@", {{"STEP", s.step}}),
                    .result = "a[0] + a[1] + a[2] + a[3]",
                    .per_body = 4,
                    .per_warp = true,
                    .expects = {{s.instruction, 16 * 4}}},
                   1,
                   4}); // schedulers
  return out;
}

std::vector<Trial> RateProbe::trials(const Setting& setting) const {
  std::vector<Trial> out{fma_rate_control(setting)};
  for (const Entry& e : entries(setting)) out.push_back(flood_trial(e.id, e.flood, setting));
  return out;
}

void RateProbe::conclude(const Setting& setting, const Observations& seen, Findings& findings) const {
  check_fma_rate(seen, findings);
  for (const Entry& e : entries(setting)) {
    Observation o = seen.at(e.id);
    const double rate = e.scale / o.spread.value;
    if (o.why.empty() && e.most > 0 && rate > 1.03 * e.most)
      o.why = "came out at " + std::to_string(rate) + " where the hardware has " + std::to_string(e.most) +
              ": not all of the work was done";
    findings.rate(e.id, e.name, e.unit, o, e.scale);
  }
}

std::vector<Trial> StreamProbe::trials(const Setting& setting) const {
  std::vector<Trial> out{copy_trial("control.copy", control_bytes, setting)};
  for (const Entry& e : entries(setting)) {
    out.push_back(trial(e.id, Trial::Reads::time, e.kernel));
    out.back().x = e.x;
    out.back().y = e.y;
  }
  return out;
}

void StreamProbe::conclude(const Setting& setting, const Observations& seen, Findings& findings) const {
  check_copy(setting, seen, findings, "control.copy", control_bytes);
  for (const Entry& e : entries(setting))
    findings.rate(e.id, e.name, "B/s", seen.at(e.id), e.bytes * 1e6, "bytes that a launch must move over its time");
}

ProbeText latency_text(const std::string& id, const std::string& name, const std::string& measures) {
  return {.id = id,
          .lab = "hardware",
          .name = name,
          .measures = measures,
          .method =
              "clock64 in one thread around turns of 96 dependent operations, less that around as many turns of 32; "
              "median, 5 % and 95 % quantiles over samples and launches",
          .control = "a chain of dependent fma must take 4 cycles an operation",
          .inputs = "zeros"};
}

ProbeText rate_text(const std::string& id, const std::string& name, const std::string& measures) {
  return {.id = id,
          .lab = "hardware",
          .name = name,
          .measures = measures,
          .method =
              "clock64 from a block's first warp to its last, all multiprocessors busy with independent operations; "
              "median, 5 % and 95 % quantiles over blocks, rounds and launches",
          .control = "fma must come out at 128 a clock and multiprocessor",
          .inputs = "small numbers"};
}

ProbeText stream_text(const std::string& id, const std::string& name, const std::string& measures) {
  return {.id = id,
          .lab = "hardware",
          .name = name,
          .measures = measures,
          .method =
              "CUDA events around launches queued back to back, buffers beyond twice the L2; median and quartiles",
          .control = "a copy of 128 MiB must reach 60 to 100 % of bus width times memory clock",
          .inputs = "uniform in [-1, 1)"};
}

} // namespace aicf::probes
