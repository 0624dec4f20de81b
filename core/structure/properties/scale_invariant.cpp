#include "core/structure/properties/probe.hpp"

namespace aicf {
namespace {

/// Multiplying all elements of some input by one positive number changes no result.
PropertyVerdict decide(const Subject& subject) {
  return for_some_input(subject, [](Instance& instance, std::size_t input) {
    Relation r;
    r.text = "y(c*x) = y(x) for c > 0";
    r.extras = 1;
    r.load = [&instance, input](std::size_t i, std::size_t e) {
      const ExprId x = instance.element(i, e);
      Arena& arena = instance.arena();
      return i == input ? arena.make(Op::mul, Kind::real, {x, instance.extra(0)}) : x;
    };
    r.expected = [&instance](const Instance::Elements& y, std::size_t o, std::size_t e) {
      (void)instance;
      return y[o][e];
    };
    return r;
  });
}

const RegisterProperty register_scale_invariant{{"scale_invariant", 1, decide}};

} // namespace
} // namespace aicf
