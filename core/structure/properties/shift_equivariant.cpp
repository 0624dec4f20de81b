#include "core/structure/properties/probe.hpp"

namespace aicf {
namespace {

/// Adding one number to all elements of some input adds it to every result.
PropertyVerdict decide(const Subject& subject) {
  return decide_action(subject, "y(x + c) = y(x) + c", 1, shifted, shifted);
}

const RegisterProperty register_shift_equivariant{{"shift_equivariant", 1, decide}};

} // namespace
} // namespace aicf
