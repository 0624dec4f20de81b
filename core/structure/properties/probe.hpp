// An instance evaluated: in doubles at sampled inputs, in the field, in intervals; and what procedures look for with
// them. Internal to core/structure.
#pragma once
#include "core/structure/field.hpp"
#include "core/structure/node_program.hpp"
#include "core/structure/properties/instance.hpp"
#include "core/structure/properties/property.hpp"

namespace aicf {

/// Values of some elements in doubles.
class Values {
 public:
  Values(Instance& instance, std::vector<ExprId> roots);
  /// `symbols`: of the inputs, then extras. Returned by root.
  const std::vector<double>& run(const std::vector<double>& symbols);
  [[nodiscard]] std::size_t size() const { return program_.size(); }

 private:
  Instance& instance_;
  std::vector<ExprId> roots_;
  NodeProgram program_;
  std::vector<std::pair<std::size_t, std::size_t>> symbols_; ///< place, symbol
  std::vector<double> values_, out_;
};

/// Values of all symbols and `extras` more (positive). Short dyadic numbers, so that sums of few are exact; every other
/// sample is positive, for logarithms and roots.
[[nodiscard]] std::vector<double> sample(const Instance& instance, std::size_t extras, Random& random, int number);

/// All result elements, one after another.
[[nodiscard]] std::vector<ExprId> flat(const Instance::Elements& elements);
/// Result and element of a place in flat().
[[nodiscard]] std::pair<std::size_t, std::size_t> result_at(const Instance& instance, std::size_t flat_place);

/// The inputs at `symbols`, and those that `load` makes of them.
[[nodiscard]] Counterexample example(Instance& instance, const std::vector<double>& symbols, const Instance::Load& load,
                                     std::size_t flat_place, double expected, double observed);
/// Inputs that differ in one element only, and a result that differs: proof that it reads that element.
[[nodiscard]] std::optional<Counterexample> change(const Subject& subject, std::size_t flat_place, std::size_t symbol);

/// The coordinate of an element along each axis.
[[nodiscard]] std::vector<std::int64_t> coordinates(const std::vector<std::int64_t>& shape, std::size_t element);
/// Which input a symbol belongs to, and its element there.
[[nodiscard]] std::pair<std::size_t, std::size_t> input_at(const Instance& instance, std::size_t symbol);

/// A claim that the results for changed inputs follow from the results for the inputs.
struct Relation {
  Instance::Load load; ///< the changed inputs
  /// What result `output`, element `element` should be for them, from the elements for the inputs.
  std::function<ExprId(const Instance::Elements& results, std::size_t output, std::size_t element)> expected;
  std::size_t extras = 0;
  std::string text; ///< of the law, "y(x + c) = y(x)"
};
/// Refuted by values that differ, proven where the elements are one expression, else tested over the field.
[[nodiscard]] PropertyVerdict decide_relation(const Subject& subject, const Relation& relation);
/// decide_relation for each real input in turn; holds when it holds for one of them.
[[nodiscard]] PropertyVerdict
for_some_input(const Subject& subject, const std::function<Relation(Instance& instance, std::size_t input)>& relation);

/// What is done to an element, with instance.extra(0) where a number takes part.
using Action = std::function<ExprId(Instance& instance, ExprId element)>;
[[nodiscard]] ExprId shifted(Instance& instance, ExprId element); ///< x + c
[[nodiscard]] ExprId scaled(Instance& instance, ExprId element);  ///< c * x
/// for_some_input: `on_input` on all of its elements does `on_result` (empty: nothing) to every result.
[[nodiscard]] PropertyVerdict decide_action(const Subject& subject, const std::string& law, std::size_t extras,
                                            const Action& on_input, const Action& on_result = {});

/// For laws of carriers: of every reducer in use.
[[nodiscard]] PropertyVerdict decide_law(const Subject& subject, Law law);

} // namespace aicf
