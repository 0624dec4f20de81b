// A derived summary is not trusted: its merge is tested as an identity in the field and by numbers at partial states.
#pragma once
#include "core/structure/summary_builder.hpp"

#include <stop_token>
#include <string>

namespace aicf {

struct Verified {
  bool holds = false;
  bool by_law = false; ///< no slot reads another: each merges by its own, associative reducer
  int trials = 0;
  double bound = 1;               ///< that a false merge passed every trial in the field
  std::string failure;            ///< what differed, and where
  std::vector<std::string> notes; ///< special values on which the merged state and the definition differ
};

/// `forms` gives f of each reduction of the cascade, by item. A stopped call says that it does not hold.
[[nodiscard]] Verified verify(const Model& model, const std::vector<std::size_t>& cascade, Algebra& algebra,
                              const Summary& summary, const std::map<std::size_t, Form>& forms,
                              const std::map<std::size_t, Form>& finals, std::uint64_t seed,
                              const std::stop_token& stop = {});

/// IEEE doubles, with the operator language's max and min (NaN propagates).
struct DoubleMath {
  using Value = double;
  [[nodiscard]] static double number(const mpq_class& v) { return v.get_d(); }
  [[nodiscard]] static double apply(Op op, std::uint32_t payload, std::span<const double> args);
};

/// What a reducer of a definition makes of two values, in doubles. Positions (argmax, argmin) are no such values.
class NumericReducer {
 public:
  NumericReducer(const Definition& definition, ReducerId reducer);
  [[nodiscard]] double identity() const { return identity_; }
  [[nodiscard]] double operator()(double a, double b);

 private:
  ReducerId reducer_;
  double identity_ = 0;
  const Definition* definition_;
  std::shared_ptr<const class NodeProgram> combine_; ///< of a user reducer
  std::vector<double> values_;
};

/// States of chunks of elements in doubles: what a kernel that follows the summary computes.
class NumericSummary {
 public:
  using Element = std::map<ExprId, double>; ///< values of the leaves along the axis
  NumericSummary(const Arena& arena, const Summary& summary, std::vector<ExprId> more = {});
  /// Leaves that are the same for every element.
  void set(ExprId leaf, double value);
  /// Of elements first, first + 1, … of the axis.
  [[nodiscard]] std::vector<double> state(std::span<const Element> chunk, std::size_t first = 0);
  [[nodiscard]] std::vector<double> merge(std::span<const double> a, std::span<const double> b);
  [[nodiscard]] std::vector<double> finalize(std::span<const double> state);
  /// A node of `more` at one element.
  [[nodiscard]] double value(ExprId node, const Element& element);
  [[nodiscard]] const std::vector<ExprId>& leaves() const;
  [[nodiscard]] std::size_t size() const; ///< nodes evaluated for one value

 private:
  void put(std::uint32_t symbol, double v);

  const Arena* arena_;
  const Summary* summary_;
  std::shared_ptr<const class NodeProgram> program_;
  std::vector<double> values_;
  std::map<ExprId, std::vector<std::size_t>> needed_; ///< places to compute, by node
};

[[nodiscard]] double fold(ReducerId reducer, double a, double b);

} // namespace aicf
