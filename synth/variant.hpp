// From a plan to something that runs, and its name.
#pragma once
#include "core/validate/validate.hpp"

#include <string>

namespace aicf {

/// Lowered and compiled. Diagnostics say which kernel did not compile and where.
[[nodiscard]] Result<Variant> build_variant(const StructureProfile& structure, const Plan& plan,
                                            const Problem& problem);

/// The same, refused with the family's reason where the plan is not legal at these sizes: what a judgement rebuilds.
[[nodiscard]] Result<Variant> build_legal_variant(const StructureProfile& structure, const CompilerProfile& rules,
                                                  const Plan& plan, const Problem& problem);

/// The same from its modules on.
[[nodiscard]] Result<Variant> compiled(Variant variant);

/// Short hash of the plan, the sizes by position, the scalars, the type and the target: names do not count.
[[nodiscard]] std::string variant_id(const StructureProfile& structure, const Plan& plan, const Problem& problem);

} // namespace aicf
