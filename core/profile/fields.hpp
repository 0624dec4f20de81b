// The settings of a compiler profile, once: JSON, text form, JSON Schema and diff all read this table.
#pragma once
#include "core/profile/profile.hpp"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace aicf {

struct ProfileField {
  enum class Type { word, text, real, integer, boolean, texts, integers } type;
  std::string_view path;               ///< "strictness.order"
  std::string_view meaning;            ///< for the schema, tool tips and error texts
  std::vector<std::string_view> words; ///< allowed words of a `word`, or of the elements of `texts` when not empty
  double lo, hi;                       ///< allowed range of numbers
  nlohmann::json (*get)(const CompilerProfile&);
  void (*set)(CompilerProfile&, const nlohmann::json&); ///< the value has passed `problem`
};

[[nodiscard]] std::span<const ProfileField> profile_fields();

/// Why `value` cannot be the value of `field`; empty when it can.
[[nodiscard]] std::string problem(const ProfileField& field, const nlohmann::json& value);

} // namespace aicf
