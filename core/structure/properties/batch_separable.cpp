#include "core/structure/properties/probe.hpp"

#include <algorithm>

namespace aicf {
namespace {

/// Coordinates of an element along the axes whose extent is `dim`.
std::vector<std::int64_t> along(const std::vector<std::int64_t>& shape, const std::vector<int>& axis_dim,
                                std::size_t element, int dim) {
  std::vector<std::int64_t> all = coordinates(shape, element), out;
  for (std::size_t k = 0; k < shape.size(); ++k)
    if (axis_dim[k] == dim) out.push_back(all[k]);
  return out;
}

/// Some dim is an axis of every result, and position b of the results reads only position b of the inputs along it.
PropertyVerdict decide(const Subject& subject) {
  Instance* instance = subject.instance();
  if (instance == nullptr) return not_known(subject.why_no_instance());
  const std::vector<std::string>& names = subject.canonical().source->dims;
  const std::vector<ExprId> results = flat(instance->results());
  std::vector<std::vector<bool>> reads;
  for (ExprId root : results) reads.push_back(instance->reads(root));
  std::optional<PropertyVerdict> mixed;
  for (int dim = 0; dim < static_cast<int>(names.size()); ++dim) {
    auto has = [dim](const auto& t) { return std::count(t.axis_dim.begin(), t.axis_dim.end(), dim) == 1; };
    if (!std::all_of(instance->outputs().begin(), instance->outputs().end(), has) ||
        std::none_of(instance->inputs().begin(), instance->inputs().end(), has) ||
        instance->dims().at(names[static_cast<std::size_t>(dim)]) < 2)
      continue;
    bool separable = true;
    for (std::size_t p = 0; p < results.size() && separable; ++p) {
      auto [o, e] = result_at(*instance, p);
      auto mine = along(instance->outputs()[o].shape, instance->outputs()[o].axis_dim, e, dim);
      for (std::size_t s = 0; s < instance->symbols() && separable; ++s) {
        if (!reads[p][s]) continue;
        auto [i, element] = input_at(*instance, s);
        auto its = along(instance->inputs()[i].shape, instance->inputs()[i].axis_dim, element, dim);
        if (its.empty() || (its.size() == 1 && its == mine)) continue;
        separable = false;
        if (mixed) continue;
        if (auto at = change(subject, p, s))
          mixed = fails("a result that another position changes", "along " + names[static_cast<std::size_t>(dim)], at);
      }
    }
    if (separable)
      return holds("the elements that each result reads, at " + instance->sizes(),
                   "along " + names[static_cast<std::size_t>(dim)]);
  }
  if (mixed) return *mixed;
  return not_applicable("no dim is an axis of every result");
}

const RegisterProperty register_batch{{"batch_separable", 1, decide}};

} // namespace
} // namespace aicf
