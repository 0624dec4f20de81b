#include "core/structure/properties/probe.hpp"

namespace aicf {
namespace {

/// Every reducer in use can take an element out again: a window slides by one element in, one out.
PropertyVerdict decide(const Subject& subject) { return decide_law(subject, Law::cancellative); }

const RegisterProperty register_invertible_update{{"invertible_update", 1, decide}};

} // namespace
} // namespace aicf
