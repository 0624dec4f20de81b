// Building blocks of claims, so that a transformation's file says only what is its own.
#pragma once
#include "core/semantics/legality.hpp"

namespace aicf {

/// Same value, same bits, same special values, every order kept: a change of representation alone.
[[nodiscard]] Claim identical_claim(std::string reason);
/// The premises do not hold.
[[nodiscard]] Claim inapplicable_claim(std::string reason);

} // namespace aicf
