#include "core/structure/properties/probe.hpp"

namespace aicf {
namespace {

/// Adding one number to all elements of some input changes no result.
PropertyVerdict decide(const Subject& subject) { return decide_action(subject, "y(x + c) = y(x)", 1, shifted); }

const RegisterProperty register_shift_invariant{{"shift_invariant", 1, decide}};

} // namespace
} // namespace aicf
