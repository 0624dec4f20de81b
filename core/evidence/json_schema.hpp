// Documents against a JSON Schema (draft 2020-12), as far as the atlas's own schemas need it: type, const, enum,
// required, properties, additionalProperties (a boolean), items, minItems, minimum, $ref to "#/$defs/…".
// Source: json-schema.org, "JSON Schema Validation", 2020-12. Another keyword that asserts something is a broken
// invariant: a schema never says what nothing checks.
#pragma once
#include "core/base/diagnostic.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace aicf {

/// All violations, code "json.schema", in the order of the document; `file` and a JSON pointer are their place.
[[nodiscard]] std::vector<Diagnostic> check_schema(const nlohmann::json& document, const nlohmann::json& schema,
                                                   const std::string& file);

} // namespace aicf
