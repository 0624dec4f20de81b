#include "core/structure/properties/probe.hpp"

namespace aicf {
namespace {

/// Every reducer in use takes an element twice without harm: overlapping parts are allowed.
PropertyVerdict decide(const Subject& subject) { return decide_law(subject, Law::idempotent); }

const RegisterProperty register_idempotent_carrier{{"idempotent_carrier", 1, decide}};

} // namespace
} // namespace aicf
