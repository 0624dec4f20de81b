// Cycles of statements. One is legal exactly if every read that closes it is at one index plus a constant of a fixed
// sign, and what is read at the same step can be put in order.
#pragma once
#include "core/expr/check_state.hpp"

namespace aicf::check {

/// The members in the order of their values within a step, with axis and step of each set; empty: reported.
[[nodiscard]] std::vector<std::uint32_t> order_recurrence(State& state, const std::vector<std::uint32_t>& members,
                                                          const std::vector<GroupRead>& reads);

} // namespace aicf::check
