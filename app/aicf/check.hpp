// A check of a person's own kernel, as the command line and the worker ask for it.
#pragma once
#include "synth/own_kernel_check.hpp"

#include <nlohmann/json_fwd.hpp>

namespace aicf {

struct CheckJob {
  OwnKernelRequest request;
  OwnKernelJudging how;
  bool any_type = false; ///< what `float` is, the kernel's pointers say
};

/// Body: source, file, entry, text or op, op_name, dims, scalars, dtype (empty: what the pointers of the kernel say),
/// target, profile, backend, seed, row_limit, counters, grid, block, cluster, shared, arguments[], multiples{},
/// zeroed[], approximate[], options[]. Every wrong field is a diagnostic.
[[nodiscard]] Result<CheckJob> check_from(const nlohmann::json& body, std::stop_token stop = {});

struct Checked {
  OwnKernel kernel;
  OwnKernelReport report;
  std::vector<Diagnostic> warnings; ///< of the compiler
};

/// Where the job leaves the type open, the float types are tried in turn, and the job then says which one it is.
[[nodiscard]] Result<Checked> perform(CheckJob& job, std::stop_token stop);
/// The job as the evidence store keeps it: of the same form as a synthesis.
[[nodiscard]] SynthesisRequest kept_as(const CheckJob& job);

} // namespace aicf
