// What NVRTC's program log says: places of errors and warnings, and ptxas's resource lines.
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/exec/backend.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace aicf {

/// `program` is the name given to NVRTC (it stands before each place), `shown` the file name for the diagnostics.
[[nodiscard]] std::vector<Diagnostic> diagnostics_of(std::string_view log, std::string_view program,
                                                     const std::string& shown);

/// Registers, static shared bytes and spill bytes (stores plus loads) of `entry`; false when the log says nothing of
/// it.
bool read_resources(std::string_view log, std::string_view entry, Compiled& out);

/// The log without ptxas's compile times: equal inputs then have equal logs.
[[nodiscard]] std::string without_times(std::string_view log);

} // namespace aicf
