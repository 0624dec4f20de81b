// The rank of one reduction: from the field, from the exact form, or from real samples, with its certificate. Internal
// to core/structure.
#pragma once
#include "core/expr/print.hpp"
#include "core/structure/model.hpp"
#include "core/structure/separation.hpp"

#include <optional>
#include <stop_token>

namespace aicf {

struct Decision {
  Rank rank;
  Form form;
  std::optional<Split> split; ///< of a sum that reads a dependency
  Certificate certificate;
};

[[nodiscard]] Decision decide(const Model& model, const std::vector<std::size_t>& cascade, std::size_t item,
                              Algebra& algebra, const Names& names, std::uint64_t seed, std::stop_token stop);

/// Names of a canonical form's leaves, with axis variables by the names of the reduction's own.
[[nodiscard]] Names names_for(const Model& model, const std::vector<std::size_t>& cascade);

/// What reachability says: the reductions of the cascade that bound the elements of every reader.
void learn_facts(const Model& model, const std::vector<std::size_t>& cascade, Algebra& algebra);

} // namespace aicf
