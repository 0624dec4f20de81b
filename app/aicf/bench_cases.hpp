// Operators and sizes that a device is timed with, and the timing of their variants.
#pragma once
#include "core/exec/backend.hpp"
#include "synth/variant.hpp"

#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace aicf::cli {

struct BenchDeviceCase {
  std::string op, shape; ///< a name of the atlas or a path; "M=8192,N=4096"
};
/// [{"op": a name of the atlas or a file beside FILE, "shape": "M=8192,N=4096"}, …]
[[nodiscard]] Result<std::vector<BenchDeviceCase>> read_bench_cases(const std::string& file);

/// Metric `time_us.cold` of a run where it was measured, or nullptr.
[[nodiscard]] const Metric* cold_time(const RunResult& run);

/// Variants of one operator at one problem, compiled several at once and timed one after the other on the same random
/// inputs. What it is given outlives it.
class VariantTimer {
 public:
  VariantTimer(const StructureProfile& structure, const Problem& problem, Backend& device, std::stop_token stop)
      : structure_(structure), problem_(problem), device_(device), stop_(std::move(stop)) {}
  static constexpr std::size_t at_once = 8;

  [[nodiscard]] Result<bool> make_inputs(); ///< first of all
  [[nodiscard]] const std::map<std::string, HostTensor>& inputs() const { return inputs_; }
  [[nodiscard]] const VariantMemory& memory() const { return memory_; } ///< as the last run left it
  /// In the order of the plans, side by side.
  [[nodiscard]] std::vector<Result<Variant>> build(const std::vector<const Plan*>& plans) const;
  [[nodiscard]] Result<Metric> cold(const Variant& variant, int repetitions);

 private:
  const StructureProfile& structure_;
  const Problem& problem_;
  Backend& device_;
  std::stop_token stop_;
  std::map<std::string, HostTensor> inputs_;
  VariantMemory memory_; // one for all variants: nothing is copied twice
};

} // namespace aicf::cli
