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
  };
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
