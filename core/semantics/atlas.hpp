// The texts of transformations, from atlas/transformations.json: what people read. The procedures are code.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include <string>

namespace aicf {

struct TransformationText {
  std::string title, before, after, law, premises, why;
};

/// Texts by id; when the atlas is not installed or holds no such id, the title is the id itself.
[[nodiscard]] TransformationText transformation_text(const std::string& id);

} // namespace aicf
