#include "core/structure/properties/probe.hpp"

namespace aicf {
namespace {

/// Multiplying all elements of some input by one positive number multiplies every result by it.
PropertyVerdict decide(const Subject& subject) {
  return decide_action(subject, "y(c*x) = c*y(x) for c > 0", 1, scaled, scaled);
}

const RegisterProperty register_scale_equivariant{{"scale_equivariant", 1, decide}};

} // namespace
} // namespace aicf
