#include "core/structure/properties/probe.hpp"

namespace aicf {
namespace {

/// Negating some input negates every result.
PropertyVerdict decide(const Subject& subject) {
  return for_some_input(subject, [](Instance& instance, std::size_t input) {
    Relation r;
    r.text = "y(-x) = -y(x)";
    r.extras = 0;
    r.load = [&instance, input](std::size_t i, std::size_t e) {
      const ExprId x = instance.element(i, e);
      Arena& arena = instance.arena();
      return i == input ? arena.make(Op::neg, Kind::real, {x}) : x;
    };
    r.expected = [&instance](const Instance::Elements& y, std::size_t o, std::size_t e) {
      return instance.arena().make(Op::neg, Kind::real, {y[o][e]});
    };
    return r;
  });
}

const RegisterProperty register_odd{{"odd", 1, decide}};

} // namespace
} // namespace aicf
