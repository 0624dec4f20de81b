#include "core/structure/properties/probe.hpp"

#include <algorithm>

namespace aicf {
namespace {

/// Along every dim whose positions meet in a result that has that dim as an axis, position t reads positions up to t.
PropertyVerdict decide(const Subject& subject) {
  Instance* instance = subject.instance();
  if (instance == nullptr) return not_known(subject.why_no_instance());
  const std::vector<std::string>& names = subject.canonical().source->dims;
  const std::vector<ExprId> results = flat(instance->results());
  std::string dims;
  std::vector<bool> mixes(names.size(), false);
  std::optional<std::pair<std::size_t, std::size_t>> later;
  for (std::size_t p = 0; p < results.size(); ++p) {
    std::vector<bool> reads = instance->reads(results[p]);
    auto [o, e] = result_at(*instance, p);
    const Instance::Output& out = instance->outputs()[o];
    auto mine = coordinates(out.shape, e);
    for (std::size_t s = 0; s < instance->symbols(); ++s) {
      if (!reads[s]) continue;
      auto [i, element] = input_at(*instance, s);
      const Instance::Input& in = instance->inputs()[i];
      auto its = coordinates(in.shape, element);
      // one axis of the dim on either side: a matrix over one dim has no single order
      for (std::size_t dim = 0; dim < names.size(); ++dim) {
        auto axis = [dim](const std::vector<int>& axes) {
          return std::count(axes.begin(), axes.end(), static_cast<int>(dim)) == 1
                     ? std::find(axes.begin(), axes.end(), static_cast<int>(dim)) - axes.begin()
                     : -1;
        };
        auto a = axis(out.axis_dim), b = axis(in.axis_dim);
        if (a < 0 || b < 0 || mine[static_cast<std::size_t>(a)] == its[static_cast<std::size_t>(b)]) continue;
        mixes[dim] = true;
        if (its[static_cast<std::size_t>(b)] > mine[static_cast<std::size_t>(a)] && !later) later = {p, s};
      }
    }
  }
  for (std::size_t dim = 0; dim < names.size(); ++dim)
    if (mixes[dim]) dims += (dims.empty() ? "" : ", ") + names[dim];
  if (dims.empty()) return not_applicable("no result along a dim reads several positions of it");
  if (!later) return holds("the elements that each result reads, at " + instance->sizes(), "along " + dims);
  if (auto at = change(subject, later->first, later->second))
    return fails("a result that a later element changes", "along " + dims, at);
  return not_known("a result reads a later element, and no values show that it matters");
}

const RegisterProperty register_causal{{"causal", 1, decide}};

} // namespace
} // namespace aicf
