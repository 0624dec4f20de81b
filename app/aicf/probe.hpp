// What the command line and the worker share of probing.
#pragma once
#include "probes/lab.hpp"

#include <nlohmann/json_fwd.hpp>

namespace aicf {

/// Body: ids[] (none: the full set, or the quick one), backend, quick. Every wrong field is a diagnostic.
[[nodiscard]] Result<probes::LabRequest> lab_request_from(const nlohmann::json& body);

} // namespace aicf
