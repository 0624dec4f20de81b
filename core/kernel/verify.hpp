// Whether kernel IR is well formed. Run after every pass: a pass that breaks an invariant is caught there, not in the
// compiler or on the device.
//
// Values are defined before their uses, in a region around them, and have the types that their users need; loops over
// hardware coordinates nest from the grid down; buffers are used while they live, at their own rank; collectives and
// block barriers stand where all threads of their scope come by; roles are disjoint and cover the block; barriers,
// stages and fragments are what their users say.
#pragma once
#include "core/kernel/ir.hpp"

#include <string>
#include <vector>

namespace aicf::ir {

[[nodiscard]] std::vector<std::string> verify(const Kernel& kernel);
void verify_or_throw(const Kernel& kernel, const std::string& pass); ///< std::logic_error with all violations

} // namespace aicf::ir
