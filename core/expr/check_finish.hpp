// A definition without what checking left over: only reachable expressions, tensors in the order of the statements,
// variables and reducers that are used.
#pragma once
#include "core/expr/definition.hpp"

namespace aicf::check {

[[nodiscard]] Definition compact(const Definition& definition);

} // namespace aicf::check
