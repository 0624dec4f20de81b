#include "core/expr/definition.hpp"

#include <algorithm>

namespace aicf {

std::string reducer_name(const Definition& definition, ReducerId reducer) {
  if (reducer < first_user_reducer) return std::string(name_of(static_cast<Builtin>(reducer)));
  return definition.reducers.at(reducer - first_user_reducer).name;
}

const Statement* statement_of(const Definition& definition, TensorId tensor) {
  auto found = std::find_if(definition.statements.begin(), definition.statements.end(),
                            [&](const Statement& s) { return s.target == tensor; });
  return found == definition.statements.end() ? nullptr : &*found;
}

} // namespace aicf
