#include "core/structure/properties/probe.hpp"

namespace aicf {
namespace {

/// Adding one number to all elements of some input adds it to every result.
PropertyVerdict decide(const Subject& subject) {
  return for_some_input(subject, [](Instance& instance, std::size_t input) {
    Relation r;
    r.text = "y(x + c) = y(x) + c";
    r.extras = 1;
    r.load = [&instance, input](std::size_t i, std::size_t e) {
      const ExprId x = instance.element(i, e);
      Arena& arena = instance.arena();
      return i == input ? arena.make(Op::add, Kind::real, {x, instance.extra(0)}) : x;
    };
    r.expected = [&instance](const Instance::Elements& y, std::size_t o, std::size_t e) {
      return instance.arena().make(Op::add, Kind::real, {y[o][e], instance.extra(0)});
    };
    return r;
  });
}

const RegisterProperty register_shift_equivariant{{"shift_equivariant", 1, decide}};

} // namespace
} // namespace aicf
