// The order of what reads what.
#pragma once
#include <cstdint>
#include <vector>

namespace aicf::check {

/// The strongly connected components of a graph, each after those that it reaches; both in ascending order where that
/// leaves a choice. `edges` are ascending.
[[nodiscard]] std::vector<std::vector<std::uint32_t>>
strong_components(const std::vector<std::vector<std::uint32_t>>& edges);

} // namespace aicf::check
