// From a plan to kernels: build the kernel IR, run the passes over it, print CUDA C++. The list of passes is
// `passes()`.
#pragma once
#include "core/kernel/module.hpp"
#include "core/plan/plan.hpp"

#include <string>
#include <vector>

namespace aicf {

/// The kernels that realize `plan` for `problem`, to be launched in order. The sources take sizes at run time wherever
/// the plan does not fix them. `dump_after`: when not empty, the printed IR after that pass is appended to `dump`.
[[nodiscard]] Result<std::vector<KernelModule>> lower(const StructureProfile& profile, const Plan& plan,
                                                      const Problem& problem, const std::string& dump_after = {},
                                                      std::string* dump = nullptr);

[[nodiscard]] std::vector<std::string> pass_names();

} // namespace aicf
