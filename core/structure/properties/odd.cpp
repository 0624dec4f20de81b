#include "core/structure/properties/probe.hpp"

namespace aicf {
namespace {

ExprId negated(Instance& instance, ExprId x) { return instance.arena().make(Op::neg, Kind::real, {x}); }

/// Negating some input negates every result.
PropertyVerdict decide(const Subject& subject) { return decide_action(subject, "y(-x) = -y(x)", 0, negated, negated); }

const RegisterProperty register_odd{{"odd", 1, decide}};

} // namespace
} // namespace aicf
