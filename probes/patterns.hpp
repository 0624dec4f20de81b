// Three forms that most probes of the hardware have: latencies of dependent chains, rates of full multiprocessors, and
// times of whole launches.
#pragma once
#include "probes/findings.hpp"
#include "probes/kernels.hpp"

namespace aicf::probes {

/// Figures in cycles, one a chain, each held against the chain of fma.
class LatencyProbe : public Probe {
 public:
  struct Entry {
    std::string id, name;
    Chain chain;
  };
  /// An instruction, or a pair of them in turn, on the state `a` (and `b`).
  struct Step {
    const char *id, *name, *state, *body, *result, *instruction;
    int operations; ///< in the body
  };
  [[nodiscard]] static std::vector<Entry> chains(const std::vector<Step>& steps);
  [[nodiscard]] virtual std::vector<Entry> entries(const Setting& setting) const = 0;
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override;
  void conclude(const Setting& setting, const Observations& seen, Findings& findings) const override;
};

/// Figures in `unit` a clock and multiprocessor, one a flood, each held against the rate of fma.
class RateProbe : public Probe {
 public:
  struct Entry {
    std::string id, name, unit;
    Flood flood;
    double scale = 1; ///< from operations to the unit
    double most = 0;  ///< in the unit, what the hardware has; 0: not known. More is no figure: work was left out
  };
  /// A step on a[j], one of four independent states of a type, and b: figures in operations of lanes.
  struct LaneStep {
    const char *id, *name, *type, *step, *instruction;
    double operations; ///< of a lane in a step
  };
  [[nodiscard]] static std::vector<Entry> lane_rates(const std::vector<LaneStep>& steps);
  /// A step on a[j], one of four independent 32-bit states, that a warp takes as one: figures in warp instructions.
  struct WarpStep {
    const char *id, *name, *step, *instruction;
  };
  [[nodiscard]] static std::vector<Entry> warp_rates(const std::vector<WarpStep>& steps);
  [[nodiscard]] virtual std::vector<Entry> entries(const Setting& setting) const = 0;
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override;
  void conclude(const Setting& setting, const Observations& seen, Findings& findings) const override;
};

/// Bytes a second of whole launches, held against a copy.
class StreamProbe : public Probe {
 public:
  struct Entry {
    std::string id, name;
    KernelText kernel;
    double bytes = 0; ///< that a launch must move
    double x = 0, y = 0;
  };
  [[nodiscard]] virtual std::vector<Entry> entries(const Setting& setting) const = 0;
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override;
  void conclude(const Setting& setting, const Observations& seen, Findings& findings) const override;

 protected:
  static constexpr std::int64_t control_bytes = std::int64_t{128} << 20U;
};

/// The texts of methods that the three forms share.
[[nodiscard]] ProbeText latency_text(const std::string& id, const std::string& name, const std::string& measures);
[[nodiscard]] ProbeText rate_text(const std::string& id, const std::string& name, const std::string& measures);
[[nodiscard]] ProbeText stream_text(const std::string& id, const std::string& name, const std::string& measures);

} // namespace aicf::probes
