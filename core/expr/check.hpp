// From text to a checked definition: parse, resolve names, infer ranges and kinds, inline calls, order statements.
#pragma once
#include "core/expr/definition.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace aicf {

/// The last operator of `text`, or the one named `op`. All errors are reported, in order of their places.
[[nodiscard]] Result<Definition> parse_definition(std::string_view text, std::string_view file,
                                                  const std::optional<std::string>& op = std::nullopt);

/// Reads a file; errors say what could not be read.
[[nodiscard]] Result<Definition> load_definition(const std::string& path,
                                                 const std::optional<std::string>& op = std::nullopt);

} // namespace aicf
