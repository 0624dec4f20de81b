// PTX text to a Program for one entry.
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/exec/emulator/program.hpp"

#include <string_view>

namespace aicf::emulator {

/// Errors: syntax, no such entry, operands that do not fit (code "ptx.…", the line of the text). An
/// instruction that is not covered decodes to Code::unsupported, which is a fault when it is executed.
[[nodiscard]] Result<Program> decode(std::string_view ptx, std::string_view entry);

} // namespace aicf::emulator
