#include "core/structure/properties/probe.hpp"

#include <set>

namespace aicf {
namespace {

std::size_t moved(const std::vector<std::int64_t>& shape, const std::vector<int>& axis_dim, std::size_t element,
                  int dim, bool swap) {
  std::vector<std::int64_t> at = coordinates(shape, element);
  std::size_t place = 0;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    std::int64_t i = at[k];
    if (axis_dim[k] == dim) i = swap ? (i < 2 ? 1 - i : i) : (i + 1) % shape[k];
    place = place * static_cast<std::size_t>(shape[k]) + static_cast<std::size_t>(i);
  }
  return place;
}

/// Renumbering the positions of any dim, in all inputs at once, renumbers the results and changes nothing else. The
/// swap of two positions and the rotation by one generate every renumbering.
PropertyVerdict decide(const Subject& subject) {
  Instance* instance = subject.instance();
  if (instance == nullptr) return not_known(subject.why_no_instance());
  const std::vector<std::string>& names = subject.canonical().source->dims;
  PropertyVerdict good = holds("one expression, element by element, at " + instance->sizes(), "any dim renumbered");
  std::optional<PropertyVerdict> unsure;
  bool any = false;
  for (int dim = 0; dim < static_cast<int>(names.size()); ++dim) {
    if (instance->dims().at(names[static_cast<std::size_t>(dim)]) < 2) continue;
    for (bool swap : {true, false}) {
      any = true;
      Relation r;
      r.text = "renumbering " + names[static_cast<std::size_t>(dim)];
      r.load = [=](std::size_t i, std::size_t e) {
        const Instance::Input& in = instance->inputs()[i];
        return instance->element(i, moved(in.shape, in.axis_dim, e, dim, swap));
      };
      r.expected = [=](const Instance::Elements& y, std::size_t o, std::size_t e) {
        const Instance::Output& out = instance->outputs()[o];
        return y[o][moved(out.shape, out.axis_dim, e, dim, swap)];
      };
      PropertyVerdict v = decide_relation(subject, r);
      if (v.answer == PropertyVerdict::Answer::fails) return v;
      if (v.answer == PropertyVerdict::Answer::unknown && !unsure)
        unsure = std::move(v);
      else if (v.bound > good.bound)
        good.bound = v.bound, good.trials = v.trials, good.method = v.method;
    }
  }
  if (!any) return not_applicable("it has no dim");
  return unsure ? *unsure : good;
}

const RegisterProperty register_permutation{{"permutation_equivariant", 1, decide}};

} // namespace
} // namespace aicf
