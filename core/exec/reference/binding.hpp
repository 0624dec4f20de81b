// Numbers for names: dims from the shapes of the inputs, scalars from their defaults and what overrides them.
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/exec/reference/integer_code.hpp"

#include <map>
#include <span>

namespace aicf::reference {

/// Scalars by position; unknown names and fractions for integers are diagnostics.
[[nodiscard]] std::vector<double> bind_scalars(const Definition& definition,
                                               const std::map<std::string, double>& overrides,
                                               std::vector<Diagnostic>& problems);

/// The extents of a tensor once all is bound; negative ones are diagnostics.
[[nodiscard]] std::vector<std::int64_t> shape_of(const Definition& definition, const BoundNames& names,
                                                 const TensorDecl& tensor, std::vector<Diagnostic>& problems);

} // namespace aicf::reference
