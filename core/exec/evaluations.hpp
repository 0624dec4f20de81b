// How much there is to compute, from a definition and its sizes alone.
#pragma once
#include "core/expr/definition.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace aicf {

/// How often the bodies of its statements and reductions are evaluated, each once for every value of the variables that
/// it reads; ranges at their longest: a prefix of a row counts as the row. A range that only data know counts as the
/// longest axis. No count of instructions, and no less than what a kernel goes through that keeps nothing.
[[nodiscard]] double evaluations(const Definition& definition, const std::map<std::string, std::int64_t>& dims,
                                 const std::map<std::string, double>& scalars = {});

} // namespace aicf
