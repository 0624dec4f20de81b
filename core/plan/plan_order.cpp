#include "core/plan/plan_order.hpp"

#include <algorithm>

namespace aicf {
namespace {

void weaken(Verdict& total, const Verdict& one) {
  if (total.answer == "kept" && one.answer != "kept") total = one;
}

} // namespace

PlanOrder order_of(const Plan& plan, const Ledger& ledger) {
  PlanOrder out;
  out.run_to_run.answer = out.batch_invariant.answer = out.device_to_device.answer = "kept";
  auto assume = [&](const std::string& text) {
    if (std::find(out.assumptions.begin(), out.assumptions.end(), text) == out.assumptions.end())
      out.assumptions.push_back(text);
  };
  assume("every batch and every device is served by this same plan");
  for (const Param& p : params()) {
    auto made = plan.choices.find(p.id);
    if (p.family != plan.family || made == plan.choices.end() || !p.uses) continue;
    for (const std::string& id : p.uses(made->second)) {
      const LegalityRow* row = ledger.find(id);
      if (row == nullptr || !row->applicable) continue;
      weaken(out.run_to_run, row->run_to_run);
      weaken(out.batch_invariant, row->batch_invariant);
      weaken(out.device_to_device, row->cross_device);
      for (const std::string& text : row->assumptions) assume(text);
    }
  }
  out.keeps = out.run_to_run.answer != "kept"         ? Order::any
              : out.batch_invariant.answer != "kept"  ? Order::run_to_run
              : out.device_to_device.answer != "kept" ? Order::batch_invariant
                                                      : Order::device_to_device;
  return out;
}

} // namespace aicf
