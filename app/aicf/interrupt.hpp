// What Ctrl-C means to a command.
#pragma once
#include "core/structure/structure.hpp"

#include <memory>
#include <stop_token>
#include <string>

namespace aicf::cli {

/// The command has nothing to keep: from now on Ctrl-C ends the program 50 milliseconds later, whatever it is at.
void end_at_once();
[[nodiscard]] bool ends_at_once();

/// Says so on standard error; the exit status.
int stopped();

/// As analysed() of command.hpp; null, and the status of a stop, when it was stopped.
[[nodiscard]] std::shared_ptr<const StructureProfile> analysed(const std::string& file_or_name, const std::string& op,
                                                               int& status, const std::stop_token& stop);

} // namespace aicf::cli
