// Integer expressions over dims: their text for launches and shapes, their value once dims and scalars are bound.
#pragma once
#include "core/expr/definition.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace aicf {

/// What binds the leaves. Integer scalars take the override or their default.
struct DimBinding {
  const Definition* definition = nullptr;
  const std::map<std::string, std::int64_t>* dims = nullptr; ///< nullptr: dims stay symbolic (text only)
  const std::map<std::string, double>* scalars = nullptr;    ///< overrides; nullptr: none
};

[[nodiscard]] double scalar_value(const DimBinding& binding, std::size_t scalar);

/// In the language of DimExpr; nullopt when it reads anything but dims, integer scalars and numbers, or is longer than
/// any launch would take.
[[nodiscard]] std::optional<std::string> dim_text(const Arena& arena, ExprId root, const DimBinding& binding);

/// nullopt: an unbound name, a division by zero, or a leaf that is no dim.
[[nodiscard]] std::optional<std::int64_t> dim_value(const Arena& arena, ExprId root, const DimBinding& binding);

} // namespace aicf
