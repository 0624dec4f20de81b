#include "core/semantics/claims.hpp"

namespace aicf {

Claim identical_claim(std::string reason) {
  Claim c;
  c.applicable = true;
  c.reason = std::move(reason);
  c.value = {"proven", {}, {}};
  c.rounding = {"bit-identical", {}, {}};
  c.special = {"same", {}, {}};
  c.run_to_run = c.batch_invariant = c.cross_device = {"kept", {}, {}};
  return c;
}

Claim inapplicable_claim(std::string reason) {
  Claim c;
  c.reason = std::move(reason);
  for (Verdict* v : {&c.value, &c.rounding, &c.special, &c.run_to_run, &c.batch_invariant, &c.cross_device})
    v->answer = "not applicable";
  return c;
}

} // namespace aicf
