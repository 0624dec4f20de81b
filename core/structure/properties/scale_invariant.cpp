#include "core/structure/properties/probe.hpp"

namespace aicf {
namespace {

/// Multiplying all elements of some input by one positive number changes no result.
PropertyVerdict decide(const Subject& subject) { return decide_action(subject, "y(c*x) = y(x) for c > 0", 1, scaled); }

const RegisterProperty register_scale_invariant{{"scale_invariant", 1, decide}};

} // namespace
} // namespace aicf
