// Which machine plans are ordered for: what the hardware profiles of the atlas know of it.
#pragma once
#include "core/plan/machine.hpp"

#include <string>

namespace aicf {

/// Usable priors (core/evidence/priors.hpp) of the profiles in atlas/hardware, in place of the nominal numbers. On
/// "cuda" they are judged against this machine's device, elsewhere against `target`, so that a device's own priors are
/// foreign there and need the compiler profile's leave. Of several profiles the one finished last counts; one that
/// cannot be read counts as absent.
[[nodiscard]] MachineModel planning_machine(const CompilerProfile& rules, const std::string& backend,
                                            const std::string& target);

} // namespace aicf
