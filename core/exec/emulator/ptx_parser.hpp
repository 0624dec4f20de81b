// PTX ISA 7.0-9.x text to a Module. Errors carry the line of the PTX text; parsing goes on after one, at most 20 are
// reported. The module's views point into `text`.
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/exec/emulator/ptx_ast.hpp"

#include <string_view>

namespace aicf::ptx {

[[nodiscard]] Result<Module> parse(std::string_view text);

} // namespace aicf::ptx
