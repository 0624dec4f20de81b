#include "core/structure/properties/probe.hpp"

namespace aicf {
namespace {

/// Linear in some input, the others fixed: y(x + c*z) = y(x) + c*y(z).
PropertyVerdict decide(const Subject& subject) {
  Instance* instance = subject.instance();
  if (instance == nullptr) return not_known(subject.why_no_instance());
  bool too_large = false;
  PropertyVerdict v = for_some_input(subject, [&too_large](Instance& at, std::size_t input) {
    // symbols beyond those of the inputs: c, then z
    auto other = [&at, input](std::size_t i, std::size_t e) { return i == input ? at.extra(1 + e) : at.element(i, e); };
    auto of_other = at.written_out(other);
    too_large = too_large || !of_other;
    Relation r;
    r.text = "y(x + c*z) = y(x) + c*y(z)";
    r.extras = 1 + at.inputs()[input].count();
    r.load = [&at, input](std::size_t i, std::size_t e) {
      Arena& arena = at.arena();
      const ExprId x = at.element(i, e);
      if (i != input) return x;
      return arena.make(Op::add, Kind::real, {x, arena.make(Op::mul, Kind::real, {at.extra(0), at.extra(1 + e)})});
    };
    r.expected = [&at, of_other](const Instance::Elements& y, std::size_t o, std::size_t e) {
      if (!of_other) return y[o][e];
      Arena& arena = at.arena();
      const ExprId scaled = arena.make(Op::mul, Kind::real, {at.extra(0), (*of_other)[o][e]});
      return arena.make(Op::add, Kind::real, {y[o][e], scaled});
    };
    return r;
  });
  return too_large ? not_known("too large with changed inputs") : v;
}

const RegisterProperty register_linear{{"linear", 1, decide}};

} // namespace
} // namespace aicf
