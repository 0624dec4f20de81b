#include "core/structure/properties/probe.hpp"
#include "core/structure/properties/ranges.hpp"

#include <cmath>
#include <limits>

namespace aicf {
namespace {

/// No result is below zero, whatever the inputs.
PropertyVerdict decide(const Subject& subject) {
  Instance* instance = subject.instance();
  if (instance == nullptr) return not_known(subject.why_no_instance());
  const std::vector<ExprId> results = flat(instance->results());
  Ranges ranges(instance->arena(), std::numeric_limits<double>::infinity(), [](std::uint32_t) { return false; });
  bool sure = true;
  for (ExprId root : results) sure = sure && ranges.of(root).lo >= 0;
  if (sure) return holds("intervals of every operation, at " + instance->sizes(), "results are at least 0");
  Values values(*instance, results);
  Random random(mix(subject.seed(), 1100));
  for (int t = 0; t < 40; ++t) {
    std::vector<double> x = sample(*instance, 0, random, t);
    const std::vector<double>& y = values.run(x);
    for (std::size_t p = 0; p < results.size(); ++p)
      if (y[p] < -1e-6 && std::isfinite(y[p]))
        return fails(
            "a result below zero", "its results",
            example(
                *instance, x, [&](std::size_t i, std::size_t e) { return instance->element(i, e); }, p, 0, y[p]));
  }
  return not_known("no bound follows from the operations, and no inputs were found that pass zero");
}

const RegisterProperty register_nonnegative{{"nonnegative", 1, decide}};

} // namespace
} // namespace aicf
