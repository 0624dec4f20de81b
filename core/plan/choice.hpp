// Reading a plan's choices. A plan that is still being put together lacks some: `has` says so; the others throw.
#pragma once
#include "core/plan/plan.hpp"

#include <string>
#include <string_view>

namespace aicf {

[[nodiscard]] bool has(const Plan& plan, std::string_view param);
[[nodiscard]] std::int64_t number(const Plan& plan, std::string_view param);
[[nodiscard]] const std::string& word(const Plan& plan, std::string_view param);
[[nodiscard]] bool flag(const Plan& plan, std::string_view param);
/// has() and equal.
[[nodiscard]] bool chosen(const Plan& plan, std::string_view param, std::string_view value);

/// The family and the values of the parameters that count: plans that agree in these are one form.
[[nodiscard]] std::string form_of(const Plan& plan, bool (*counts)(const Param&), std::string_view between);
/// Plans of one form by the coarse parameters are settings of one algorithm.
[[nodiscard]] std::string coarse_form(const Plan& plan);

/// state_form: the row stays on chip; a mergeable state stands for the levels.
[[nodiscard]] bool keeps_row(const Plan& plan);
[[nodiscard]] bool keeps_state(const Plan& plan);

/// Rows that a block works through: the choice `turns`, 1 without one.
[[nodiscard]] std::int64_t turns_of(const Plan& plan);
/// Warps that a multiprocessor must have room for: the choice `resident_warps`, 0 without one; and the blocks of them.
[[nodiscard]] std::int64_t resident_warps_of(const Plan& plan);
[[nodiscard]] std::int64_t resident_blocks_of(const Plan& plan);

/// Threads that share a row: of one block, or of all blocks that have a part of it; slices of the axis where rows lie
/// next to each other.
[[nodiscard]] std::int64_t row_lanes(const Plan& plan);

} // namespace aicf
