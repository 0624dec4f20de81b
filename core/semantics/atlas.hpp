// The texts of transformations, from atlas/transformations.json: what people read. The procedures are code.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace aicf {

/// One use of a transformation: two operators in the operator language, inputs, and how far their results may lie
/// apart.
struct WorkedExample {
  std::string before, after;
  std::vector<std::string> inputs; ///< "x[8] = 0.5, -1.25, …"
  double tolerance = 0;            ///< of the largest magnitude among the results of `before`
};

struct TransformationText {
  std::string title, before, after, law, premises, why;
  std::vector<std::string> references;
  WorkedExample example;
};

/// Texts by id; when the atlas is not installed or holds no such id, the title is the id itself.
[[nodiscard]] TransformationText transformation_text(const std::string& id);

} // namespace aicf
