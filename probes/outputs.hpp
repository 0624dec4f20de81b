// What follows from a profile's figures: performance envelope, measured limits, realization profile, legality-to-cost
// mapping, family viability and codegen priors. Each by a rule that its text states; a figure that is not there leaves
// its entry out, or `not_measured`.
#pragma once
#include "core/evidence/hardware_profile.hpp"

namespace aicf::probes {

/// Fills `envelope`, `limits`, `realizations`, `legality_costs`, `viability` and `priors`, in place of what stood
/// there.
void derive_outputs(HardwareProfile& profile);

/// The part that speaks of plans: `realizations`, `viability` and legality costs of the engine's own kernels.
void derive_plan_outputs(HardwareProfile& profile);

} // namespace aicf::probes
