#include "core/structure/properties/probe.hpp"

namespace aicf {
namespace {

/// Multiplying all elements of some input by one positive number multiplies every result by it.
PropertyVerdict decide(const Subject& subject) {
  return for_some_input(subject, [](Instance& instance, std::size_t input) {
    Relation r;
    r.text = "y(c*x) = c*y(x) for c > 0";
    r.extras = 1;
    r.load = [&instance, input](std::size_t i, std::size_t e) {
      const ExprId x = instance.element(i, e);
      Arena& arena = instance.arena();
      return i == input ? arena.make(Op::mul, Kind::real, {x, instance.extra(0)}) : x;
    };
    r.expected = [&instance](const Instance::Elements& y, std::size_t o, std::size_t e) {
      return instance.arena().make(Op::mul, Kind::real, {y[o][e], instance.extra(0)});
    };
    return r;
  });
}

const RegisterProperty register_scale_equivariant{{"scale_equivariant", 1, decide}};

} // namespace
} // namespace aicf
