// Which tensors the results need, and after which statement each is read no more.
#pragma once
#include "core/expr/definition.hpp"

namespace aicf::reference {

struct Liveness {
  std::vector<bool> needed;                      ///< by tensor
  std::vector<std::vector<TensorId>> dies_after; ///< by position of a statement; results and inputs never do
};

[[nodiscard]] Liveness liveness(const Definition& definition);

} // namespace aicf::reference
