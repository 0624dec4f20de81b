// Which orders a plan keeps, derived from its topology: those that every transformation keeps that its choices stand
// on.
#pragma once
#include "core/plan/plan.hpp"

namespace aicf {

struct PlanOrder {
  Verdict run_to_run, batch_invariant, device_to_device; ///< "kept", or "lost (why)" of the first that loses it
  std::vector<std::string> assumptions;                  ///< each once: what the verdicts rest on
  Order keeps = Order::device_to_device;                 ///< the strictest
};

/// `ledger`: of the plan's operator, under any profile.
[[nodiscard]] PlanOrder order_of(const Plan& plan, const Ledger& ledger);

} // namespace aicf
