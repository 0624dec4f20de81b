// Priors for code generation, each by a stated rule from figures of a hardware profile; and how one stands today.
//
// A prior exists only where every figure that its rule needs has a value. From exact counts it speaks of an
// architecture ("sm_90"), of no driver, and does not expire; from a device's measurements it speaks of that device
// under that driver, and expires.
#pragma once
#include "core/evidence/hardware_profile.hpp"
#include "core/profile/profile.hpp"

#include <span>

namespace aicf {

struct PriorRule {
  std::string id, unit, rule;
  std::vector<std::string> figures; ///< ids; "PREFIX*" means all that begin so, of which two are needed at least
  int expires_days = 0;             ///< 0: from exact counts
  /// lo <= value <= hi from the figures, which all have values; NaN when they decide nothing.
  struct Answer {
    double value = unknown_number, lo = unknown_number, hi = unknown_number;
  };
  Answer (*derive)(const HardwareProfile& profile, const std::vector<const HardwareFigure*>& figures) = nullptr;
};

[[nodiscard]] std::span<const PriorRule> prior_rules();
[[nodiscard]] std::vector<Prior> derive_priors(const HardwareProfile& profile);

/// How a prior stands on a device at a time (UTC, ISO 8601), and whether a compiler profile's `priors.foreign` and
/// `priors.max_age_days` let it be used.
struct PriorState {
  Prior prior;
  bool foreign = false; ///< of another device, architecture or driver
  bool expired = false, usable = false;
  double age_days = unknown_number; ///< NaN where the prior's own time cannot be read; then it is not used
  std::string why_not;              ///< empty when it may be used
};
/// `here`: the device that is asked for; without one, its architecture alone.
[[nodiscard]] std::vector<PriorState> judge_priors(const std::vector<Prior>& priors, const HardwareDevice& here,
                                                   const std::string& now, const CompilerProfile& rules);

} // namespace aicf
