// Counters of a line as they were kept: what to_json wrote of them, read again.
#pragma once
#include "core/exec/line_counters.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>

namespace aicf {

/// The same counts, without the place; nothing from other documents.
[[nodiscard]] std::optional<LineCounters> line_counters_from_json(const nlohmann::json& document);

} // namespace aicf
