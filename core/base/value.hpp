// The small values that choices, parameters and options take.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <variant>

namespace aicf {

using Value = std::variant<bool, std::int64_t, double, std::string>;

[[nodiscard]] nlohmann::json to_json(const Value& value);
[[nodiscard]] std::string to_text(const Value& value);

} // namespace aicf
