// Synthesis: propose -> compile -> validate -> profile, inside the closed space of a compiler profile.
#pragma once
#include "core/plan/plan_order.hpp"
#include "core/validate/validate.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace aicf {

struct SynthesizedVariant;

struct SynthesisRequest {
  std::shared_ptr<const StructureProfile> structure;
  CompilerProfile rules;
  Problem problem;
  std::string backend = "emulator";           ///< "emulator" | "cuda"
  std::map<std::string, std::string> choices; ///< only plans that made these, by param id
  std::size_t budget = 6;                     ///< variants to build: each state form before any comes twice; on a
                                              ///< device each form of coarse choices, then around the fastest
  std::uint64_t seed = 1;
  bool validate = true;
  bool counters = false;       ///< on a device: the hardware's own, at the problem's sizes, after the times were taken
  std::int64_t row_limit = 64; ///< rows that the judge recomputes at the problem's sizes; 0: all
  bool resume = false; ///< take what was validated before: the search goes the way that it went, and only what is new
                       ///< costs time
  /// Where to take it from: fills in validation with all counters, timings and `resumed` of a built variant; false
  /// where that is not to be had whole.
  std::function<bool(SynthesizedVariant&)> recall = {};
};

struct SynthesizedVariant {
  std::string id; ///< short hash of plan, sizes and types; kept in the evidence store
  Variant variant;
  PlanOrder order; ///< derived; the validation's runs confirm its first two verdicts
  Validation validation;
  std::vector<Metric> timings;         ///< time_us.* where a device measured them
  std::vector<Metric> estimates;       ///< time_us.estimate where none did (estimate.hpp)
  std::vector<Diagnostic> diagnostics; ///< why it did not compile or could not be judged
  std::string status;                  ///< "validated" "failed" "not_compiled" "not_judged"
  std::string resumed;                 ///< evidence row of an earlier run that its results are from; empty: made now
  std::string started;                 ///< UTC, ISO 8601: when work on it began
  double seconds = 0;                  ///< from then until it was finished: built, judged, timed
};

struct SynthesisResult {
  std::vector<SynthesizedVariant> variants; ///< validated ones first, best first
  PlanSpace space;
  MachineModel machine; ///< that plans were ordered for
  std::string refusal;  ///< when nothing was legal or no family fits: why
  bool cancelled = false;
};

struct SynthesisEvents {
  std::function<void(std::size_t done, std::size_t total, const std::string& text)> progress;
  std::function<void(const SynthesizedVariant&)> variant; ///< each as soon as it is finished
};

/// What stops the whole (no NVRTC, no such backend) is Unavailable; what stops one variant stands with that variant.
[[nodiscard]] Result<SynthesisResult> synthesize(const SynthesisRequest& request, const SynthesisEvents& events = {},
                                                 std::stop_token stop = {});

[[nodiscard]] nlohmann::json to_json(const SynthesizedVariant& variant);
/// Counters of each line, with their place: what to_json(variant) has under `lines`, and what is read of it again.
[[nodiscard]] nlohmann::json lines_json(const std::vector<LineCounters>& lines);
[[nodiscard]] std::optional<std::vector<LineCounters>> lines_from_json(const nlohmann::json& document);
/// "aicf.synthesis/1": `variants`, `refused`, `space`.
[[nodiscard]] nlohmann::json to_json(const SynthesisResult& result, const SynthesisRequest& request);

} // namespace aicf
