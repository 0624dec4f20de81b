// Canonical JSON: keys sorted, no blanks, shortest round-trip numbers. What is hashed is hashed in this form.
#pragma once
#include "core/base/hash.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace aicf {

struct Diagnostic;

[[nodiscard]] std::string canonical(const nlohmann::json& document);
[[nodiscard]] Hash hash_of(const nlohmann::json& document);
/// A JSON number, or the strings "inf", "-inf", "nan": JSON has no other way to say them.
[[nodiscard]] nlohmann::json json_number(double value);

/// As jobs and results carry it: severity, code, file, line, column, length, message, hint.
[[nodiscard]] nlohmann::json to_json(const Diagnostic& diagnostic);

} // namespace aicf
