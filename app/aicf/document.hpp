// Reading JSON documents that may come from another machine: what is not there, or of another type, reads as nothing.
#pragma once
#include <nlohmann/json.hpp>

#include <string>

namespace aicf::cli {

/// The member; null when there is none.
[[nodiscard]] const nlohmann::json& member(const nlohmann::json& object, const char* key);
/// A text without control characters; empty when it is none.
[[nodiscard]] std::string text_in(const nlohmann::json& value);
/// A number in three digits; texts ("inf", "nan") as they are.
[[nodiscard]] std::string number_in(const nlohmann::json& value);
/// A number without its fraction; "-" when it is none.
[[nodiscard]] std::string whole_in(const nlohmann::json& value);

} // namespace aicf::cli
