// Plans of row kernels by hand, and running them: shared by the tests of this folder.
#pragma once
#include "core/exec/backend.hpp"
#include "core/kernel/lower.hpp"
#include "core/validate/validate.hpp"

#include <map>
#include <string>

namespace aicf::test {

[[nodiscard]] StructureProfile profile_of(const std::string& text);
[[nodiscard]] StructureProfile profile_of_file(const std::string& op); ///< of atlas/ops

/// The plainest plan of a state form on the given cooperation, changed by `choices`.
[[nodiscard]] Plan row_plan(const StructureProfile& profile, const std::string& state_form,
                            const std::string& cooperation, const std::map<std::string, Value>& choices = {});

/// Lowered and compiled. `available` is false where NVRTC is missing; anything else that fails throws.
struct Built {
  bool available = true;
  std::string missing;
  Variant variant;
};
/// The plain choices of `column_cascade` but for those given.
[[nodiscard]] Plan column_plan(const StructureProfile& profile, const std::string& state_form,
                               const std::map<std::string, Value>& choices = {});
[[nodiscard]] Built build(const StructureProfile& profile, const Plan& plan, const Problem& problem);

struct Ran {
  std::map<std::string, HostTensor> outputs;
  RunResult result;
};
/// On the emulator, with all checks; diagnostics throw, faults are in the result.
[[nodiscard]] Ran run(const StructureProfile& profile, const Built& built, const Problem& problem,
                      const std::map<std::string, HostTensor>& inputs);

[[nodiscard]] double metric(const RunResult& result, const std::string& id);

} // namespace aicf::test
