// Kernel IR as text, one node a line, for people and golden files: `%5: f32 = apply exp (%3)`.
#pragma once
#include "core/kernel/ir.hpp"

#include <string>

namespace aicf::ir {

[[nodiscard]] std::string print_ir(const Kernel& kernel);

} // namespace aicf::ir
