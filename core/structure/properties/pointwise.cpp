#include "core/structure/properties/probe.hpp"

namespace aicf {
namespace {

/// No result reads two elements of one input.
PropertyVerdict decide(const Subject& subject) {
  Instance* instance = subject.instance();
  if (instance == nullptr) return not_known(subject.why_no_instance());
  if (instance->symbols() == 0) return not_applicable("it has no real input");
  const std::vector<ExprId> results = flat(instance->results());
  bool dead = false;
  for (std::size_t p = 0; p < results.size(); ++p) {
    std::vector<bool> reads = instance->reads(results[p]);
    for (const Instance::Input& in : instance->inputs()) {
      std::vector<std::size_t> mine;
      for (std::size_t s = in.first; in.real && s < in.first + in.count(); ++s)
        if (reads[s]) mine.push_back(s);
      if (mine.size() < 2) continue;
      auto first = change(subject, p, mine[0]), second = change(subject, p, mine[1]);
      if (first && second)
        return fails("a result that two elements of an input change",
                     "elements " + std::to_string(mine[0] - in.first) + " and " + std::to_string(mine[1] - in.first) +
                         " of " + in.name,
                     second);
      dead = true;
    }
  }
  if (dead) return not_known("a result reads several elements, and no values show that all of them matter");
  return holds("the elements that each result reads, at " + instance->sizes(), "at most one element of each input");
}

const RegisterProperty register_pointwise{{"pointwise", 1, decide}};

} // namespace
} // namespace aicf
