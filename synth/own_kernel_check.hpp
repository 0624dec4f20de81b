// The judge of a person's own kernel: memory and races on the emulator, values against the definition within its bound
// for an unknown order of summation, at the sizes asked for and at edge sizes that the launch allows; where a device is
// asked for, values and times there. Each finding names a line of the author's text.
#pragma once
#include "synth/own_kernel.hpp"
#include "synth/synthesis.hpp"

#include <stop_token>

namespace aicf {

struct Finding {
  std::string kind; ///< a fault's kind, "not-written", "wrong-value", "run-to-run", "batch-invariant", "ids"
  std::string kernel, message;
  Span at; ///< in the author's file; line 0: not known
  int ptx_line = 0;
  std::array<unsigned, 3> block{}, thread{};
  bool by_thread = false; ///< block and thread are known
};

struct OwnKernelReport {
  SynthesizedVariant variant; ///< "validated" or "failed"; counters are the author's kernel's own
  std::vector<Finding> findings;
  std::vector<LineCounters> lines; ///< by line of the author's file, in order; of the run at the sizes asked for
  MachineModel machine;            ///< whose roofline the kernel is set under
  std::vector<std::string> notes;  ///< what could not be looked at, and why
};

struct OwnKernelJudging {
  CompilerProfile rules;
  std::string backend = "emulator";
  std::uint64_t seed = 1;
  std::int64_t row_limit = 0; ///< as in ValidationOptions
  bool counters = false;      ///< on a device: the hardware's own as well
};

/// What is wrong with the kernel is a finding, not an error. Sizes that the launch does not allow are a diagnostic.
[[nodiscard]] Result<OwnKernelReport> check_own_kernel(const OwnKernel& kernel, const OwnKernelRequest& request,
                                                       const OwnKernelJudging& how, std::stop_token stop = {});

/// "aicf.check/1": the variant as synthesis gives it, how parameters were read, findings, counters by line.
[[nodiscard]] nlohmann::json to_json(const OwnKernelReport& report, const OwnKernel& kernel,
                                     const OwnKernelRequest& request);

} // namespace aicf
