#include "core/structure/properties/probe.hpp"
#include "core/structure/properties/ranges.hpp"

#include <algorithm>
#include <cmath>

namespace aicf {
namespace {

constexpr double largest = 65504;               ///< of f16
constexpr double input = 3.4028234663852886e38; ///< of f32

/// |y| <= 65504, the largest f16, for all finite f32 inputs.
PropertyVerdict decide(const Subject& subject) {
  Instance* instance = subject.instance();
  if (instance == nullptr) return not_known(subject.why_no_instance());
  const std::vector<ExprId> results = flat(instance->results());
  Ranges ranges(instance->arena(), input, [](std::uint32_t) { return false; });
  double lo = 0, hi = 0;
  for (ExprId root : results) {
    Range r = ranges.of(root);
    lo = std::min(lo, r.lo), hi = std::max(hi, r.hi);
  }
  if (lo >= -largest && hi <= largest)
    return holds("intervals of every operation, at " + instance->sizes(),
                 "results lie in [" + std::to_string(lo) + ", " + std::to_string(hi) + "]");
  Values values(*instance, results);
  Random random(mix(subject.seed(), 1000));
  for (int t = 0; t < 40; ++t) {
    std::vector<double> x = sample(*instance, 0, random, t);
    // all inputs large, or one of them, or small ones that are divided by
    const int decades = t % 4 == 3 ? -12 : 2 * (1 + t / 4);
    const double factor = std::pow(10.0, decades);
    for (std::size_t s = 0; s < x.size(); ++s) {
      const bool chosen = instance->inputs().size() < 2 || t % 3 != 1 ||
                          input_at(*instance, s).first == static_cast<std::size_t>(t) % instance->inputs().size();
      if (chosen) x[s] = std::clamp(x[s] * factor, -input, input);
    }
    const std::vector<double>& y = values.run(x);
    for (std::size_t p = 0; p < results.size(); ++p)
      if (std::fabs(y[p]) > largest && std::isfinite(y[p]))
        return fails(
            "a result beyond 65504", "for finite f32 inputs",
            example(
                *instance, x, [&](std::size_t i, std::size_t e) { return instance->element(i, e); }, p, largest, y[p]));
  }
  return not_known("no bound follows from the operations, and no inputs were found that pass 65504");
}

const RegisterProperty register_bounded{{"bounded_output", 1, decide}};

} // namespace
} // namespace aicf
