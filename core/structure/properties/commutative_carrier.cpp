#include "core/structure/properties/probe.hpp"

namespace aicf {
namespace {

/// Every reducer in use is commutative: lanes may take elements in any order.
PropertyVerdict decide(const Subject& subject) { return decide_law(subject, Law::commutative); }

const RegisterProperty register_commutative_carrier{{"commutative_carrier", 1, decide}};

} // namespace
} // namespace aicf
