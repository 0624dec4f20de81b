// What `aicf check` shows, from the document "aicf.check/1" and the author's text: made here, or on another machine.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include <string>

namespace aicf::cli {

/// `occupancies`: {"arch", "registers", …} each, or none.
void print_check(const nlohmann::json& document, const std::string& source, const nlohmann::json& occupancies);

} // namespace aicf::cli
