// A probe: what it measures, its trials, and what follows from their results. One class in one file, registered in one
// line; the laboratory (lab.hpp) compiles and runs the trials, and knows nothing of what they mean.
//
// A trial reads one of: exact counts, from the emulator; cycles, which its kernel writes; the time of its launches, by
// events; the board's power under them. All but counts need a device. Every probe has a control for each source that it
// has figures of: a measurement whose result is known beforehand. When it does not come out, the figures of that source
// are withheld.
#pragma once
#include "core/base/tensor.hpp"
#include "core/evidence/hardware_profile.hpp"
#include "core/exec/backend.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace aicf::probes {

class Findings;

struct ProbeText {
  std::string id;       ///< "dram_read"
  std::string lab;      ///< "hardware" "primitive"
  std::string name;     ///< what a list shows
  std::string measures; ///< the quantity, with its unit
  std::string method, control, inputs;
  bool quick = false; ///< belongs to the quick set
};

/// For whom trials are made: sizes fit a device, or are small.
struct Setting {
  bool device = false, quick = false;
  HardwareDevice hardware; ///< of the device; sm_count 1 without one
};

struct Expected {
  std::string instruction; ///< as it stands in PTX
  int at_least = 1;
};

struct Trial {
  /// cycles: numbers, of clocks mostly, that its kernel writes into the first buffer; those above zero count
  /// power: watts of the board while its launches, milliseconds long, run for seconds
  enum class Reads { exact, cycles, time, power } reads = Reads::exact;
  std::string id;          ///< unique in the probe
  double x = 0, y = 0;     ///< its place in a sweep
  std::vector<Call> calls; ///< launched in order; not compiled; `buffers` index what `memory` makes
  std::function<std::vector<HostTensor>()> memory;
  std::vector<Expected> expects; ///< the emitted code must have them, or the trial has no result
  double per = 1;                ///< cycles: operations in a sample
  bool cold = false;             ///< time: with L2 full of other data
  bool graph = false;            ///< time: of one graph of all launches
  /// exact: numbers from the memory after the run.
  std::function<std::map<std::string, double>(const std::vector<HostTensor>&)> judge;
  std::string no_emulator; ///< why it cannot be rehearsed there; empty: it can
};

/// A median with its spread: the 5 % and 95 % quantiles of the samples of all rounds, and a cycle of the clock; of
/// times the median round, from the least first quartile of a round to the greatest third.
struct Spread {
  double value = unknown_number, lo = unknown_number, hi = unknown_number;
  int samples = 0;
};

struct Observation {
  std::string why;                                      ///< why there is nothing; empty: there is
  int rounds = 1;                                       ///< each with its buffers elsewhere in memory
  Spread spread;                                        ///< cycles an operation, microseconds of all launches, or watts
  std::vector<double> samples;                          ///< cycles an operation
  std::map<std::string, double> counters;               ///< of the emulator
  std::map<std::string, double> numbers;                ///< of `judge`
  int registers = 0, shared_bytes = 0, spill_bytes = 0; ///< the largest of its kernels
  [[nodiscard]] double counter(const std::string& id) const; ///< NaN when there is none
  [[nodiscard]] double number(const std::string& id) const;
};

class Observations {
 public:
  Observations(std::vector<Trial> trials, std::map<std::string, Observation> results)
      : trials_(std::move(trials)), results_(std::move(results)) {}
  [[nodiscard]] const Observation& at(const std::string& trial) const; ///< throws std::logic_error
  [[nodiscard]] bool has(const std::string& trial) const { return results_.contains(trial); }
  [[nodiscard]] const std::vector<Trial>& trials() const { return trials_; }

 private:
  std::vector<Trial> trials_;
  std::map<std::string, Observation> results_;
};

class Probe {
 public:
  virtual ~Probe() = default;
  [[nodiscard]] virtual ProbeText text() const = 0;
  [[nodiscard]] virtual std::vector<Trial> trials(const Setting& setting) const = 0;
  virtual void conclude(const Setting& setting, const Observations& seen, Findings& findings) const = 0;
};

struct RegisterProbe {
  using Make = const Probe* (*)();
  RegisterProbe(const char* id, Make make);
};
/// `const RegisterProbe name{"id", make_probe<T>};`
template <class T> const Probe* make_probe() {
  static const T probe;
  return &probe;
}
[[nodiscard]] const std::vector<const Probe*>& registered(); ///< by laboratory, then id
[[nodiscard]] const Probe* find(const std::string& id);      ///< nullptr when there is none

} // namespace aicf::probes
