#include "core/structure/properties/probe.hpp"
#include "core/structure/properties/ranges.hpp"

#include <cmath>
#include <limits>

namespace aicf {
namespace {

/// Values at which raising one element of the input moves a result up (or, with `down`, down).
std::optional<Counterexample> moving(const Subject& subject, const std::vector<ExprId>& results, std::size_t input,
                                     bool down) {
  Instance& instance = *subject.instance();
  const Instance::Input& in = instance.inputs()[input];
  Values values(instance, results);
  Random random(mix(subject.seed(), 900 + input));
  for (int t = 0; t < 24; ++t) {
    std::vector<double> x = sample(instance, 0, random, t), raised = x;
    const std::size_t symbol = in.first + random.below(in.count());
    raised[symbol] += t % 2 == 0 ? 1.5 : 0.25;
    const std::vector<double> before = values.run(x), after = values.run(raised);
    for (std::size_t p = 0; p < results.size(); ++p) {
      double step = after[p] - before[p];
      if (!std::isfinite(step) ||
          !(down ? step < -1e-6 * (1 + std::fabs(before[p])) : step > 1e-6 * (1 + std::fabs(before[p]))))
        continue;
      auto load = [&](std::size_t i, std::size_t e) {
        const bool mine = i == input && in.first + e == symbol;
        return mine ? instance.arena().number(raised[symbol]) : instance.element(i, e);
      };
      return example(instance, x, load, p, before[p], after[p]);
    }
  }
  return std::nullopt;
}

/// In some input: raising its elements never lowers a result, or never raises one.
PropertyVerdict decide(const Subject& subject) {
  Instance* instance = subject.instance();
  if (instance == nullptr) return not_known(subject.why_no_instance());
  const std::vector<ExprId> results = flat(instance->results());
  std::optional<PropertyVerdict> failed, unsure;
  for (std::size_t i = 0; i < instance->inputs().size(); ++i) {
    const Instance::Input& in = instance->inputs()[i];
    if (!in.real) continue;
    Ranges ranges(instance->arena(), std::numeric_limits<double>::infinity(),
                  [&](std::uint32_t s) { return s >= in.first && s < in.first + in.count(); });
    bool rises = false, falls = false;
    for (ExprId root : results) {
      Range r = ranges.of(root);
      rises = rises || r.rises, falls = falls || r.falls;
    }
    if (!rises || !falls)
      return holds("the direction of every operation, at " + instance->sizes(),
                   (falls ? "falling in " : "rising in ") + in.name);
    auto up = moving(subject, results, i, false), down = moving(subject, results, i, true);
    if (up && down) {
      if (failed) continue;
      down->text += "; and one that rises: " + up->text;
      failed = fails("results that move both ways", "raising " + in.name, down);
    } else if (!unsure) {
      unsure = not_known("no values show " + in.name + " moving results both ways, and the operations do not prove it");
    }
  }
  if (unsure) return *unsure;
  if (failed) return *failed;
  return not_applicable("it has no real input");
}

const RegisterProperty register_monotone{{"monotone", 1, decide}};

} // namespace
} // namespace aicf
