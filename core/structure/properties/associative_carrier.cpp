#include "core/structure/properties/probe.hpp"

namespace aicf {
namespace {

/// Every reducer in use is associative: parts of an axis may be reduced on their own.
PropertyVerdict decide(const Subject& subject) { return decide_law(subject, Law::associative); }

const RegisterProperty register_associative_carrier{{"associative_carrier", 1, decide}};

} // namespace
} // namespace aicf
