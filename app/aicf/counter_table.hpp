// Counters for people.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include <string>

namespace aicf::cli {

/// A row a metric of a JSON list. One without a value says which state it is in; below, once, why.
[[nodiscard]] std::string counter_table(const nlohmann::json& metrics);

} // namespace aicf::cli
