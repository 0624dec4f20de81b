// Reverse mode, statement by statement. Each reduction that an input reaches is first made a statement of its own; the
// sweep over a statement turns the cotangent of its value into contributions to the tensors that it loads; the
// contributions to a tensor, index equations solved, become the statement of its cotangent. Internal to core/structure.
#pragma once
#include "core/expr/free_vars.hpp"
#include "core/structure/gradient_ranges.hpp"
#include "core/structure/sum_algebra.hpp"

#include <set>
#include <string>
#include <unordered_set>

namespace aicf {

struct Axis {
  VarId var = 0;
  ExprId lo = no_expr, hi = no_expr;
};

/// scale * product of `up` / product of `down` where all conditions hold, else 0.
struct Product {
  double scale = 1;
  std::vector<ExprId> up, down, conditions;
};

/// The sum of `term` over `axes`; the rest of its variables are the axes of the tensor it belongs to.
struct Contribution {
  std::vector<Axis> axes;
  Product term;
};

/// The cotangent of a tensor, or of one first value of a recurrence.
struct Cotangent {
  std::string name;
  std::vector<Axis> axes;
  std::vector<Contribution> parts;
  ExprId value = no_expr; ///< over `axes`; no_expr: zero
};

class GradientBuilder {
 public:
  explicit GradientBuilder(const Definition& source);
  Result<Definition> run();

 private:
  // gradient_lift.cpp
  void find_active();
  [[nodiscard]] std::unordered_map<ExprId, bool> active_nodes(ExprId root) const;
  void lift();
  ExprId lift_below(ExprId root, Statement& parent, bool keep_root);
  ExprId lifted(ExprId node, const Statement& parent);
  ExprId as_recurrence(ExprId node, const Statement& parent);
  Statement& add_statement(const std::string& name, Kind kind, const std::vector<Axis>& axes, ExprId body);
  std::vector<Axis> fresh_axes(const std::vector<VarId>& vars, Ranges::Map& names);
  std::string unique(const std::string& name);

  // gradient_sweep.cpp
  void reverse();
  void reverse_one(const Statement& s);
  void reverse_group(const std::vector<std::size_t>& members);
  void differentiate(const Statement& s);
  void sweep(const std::vector<Axis>& space, ExprId root, const Product& cotangent);
  void step(ExprId id, const Product& c, const std::unordered_map<ExprId, bool>& active);
  void push(ExprId operand, Product c);
  void times(Product& p, ExprId factor, bool inverse = false);
  ExprId node(const Product& p);
  ExprId total(const std::vector<Product>& terms);
  ExprId real(double value);
  ExprId call(Op op, std::initializer_list<ExprId> args);

  // gradient_scatter.cpp
  void scatter(const std::vector<Axis>& space, Cotangent& target, const std::vector<ExprId>& wanted,
               const std::vector<ExprId>& indices, Product term);
  struct Inverse;
  void solve_conditions(Inverse& inverse, std::vector<ExprId>& conditions);
  void load(const std::vector<Axis>& space, ExprId id, const Product& c);
  Cotangent& cotangent(TensorId tensor);
  [[nodiscard]] ExprId cotangent_at(const Cotangent& c, const std::vector<ExprId>& indices);

  // gradient_collect.cpp
  struct Sum {
    std::vector<Axis> axes;
    std::vector<ExprId> conditions;
    ExprId body = no_expr;
    Product outer; ///< what does not depend on the axes
    std::optional<Form> form;
  };
  void finish(Cotangent& c, bool keep);
  ExprId collect(const Cotangent& c);
  Sum separate(const Contribution& part);
  /// The conditions that all have to hold, conjunctions taken apart, in their order.
  [[nodiscard]] std::vector<ExprId> conjuncts(const std::vector<ExprId>& conditions) const;
  void tighten(std::vector<Axis>& axes, std::vector<ExprId>& conditions);
  ExprId reduce_node(const Sum& sum);
  bool merge(Sum& into, const Sum& other);
  ExprId summed(const std::string& name, const Sum& sum);
  std::optional<Product> known_sum(ExprId reduce, const Form& form);
  [[nodiscard]] bool mentions(ExprId e, const std::vector<Axis>& axes);
  void remember(const Form& form, const std::vector<Axis>& axes, TensorId tensor);

  // gradient_emit.cpp
  Result<Definition> emit();
  std::string text();
  void share(Statement& s);
  void guard_first_values(Statement& s);
  [[nodiscard]] bool is_input(TensorId t) const;
  bool reads(TensorId recurrence, TensorId reader);
  std::vector<std::size_t> needed() const;
  std::vector<TensorId> kept_inputs(const std::vector<std::size_t>& statements) const;

  const Definition* source_;
  Definition d_; ///< the source, its reductions lifted, and what is derived
  std::vector<Diagnostic> problems_;
  Ranges ranges_;
  SumAlgebra sums_;
  FreeVars free_;
  std::set<std::string> taken_;
  std::vector<char> active_;                     ///< by tensor: real, and an input reaches it
  std::vector<std::size_t> statement_of_tensor_; ///< by tensor
  std::size_t forward_ = 0;                      ///< statements of the forward part
  std::uint32_t next_group_ = 1U << 30U;         ///< of a statement that is made here
  std::vector<TensorId> cotangent_inputs_, results_;
  std::map<TensorId, Cotangent> cotangents_;
  std::map<std::pair<TensorId, std::size_t>, Cotangent> first_; ///< of the k-th first value
  std::unordered_map<ExprId, std::vector<Product>> pending_;    ///< of the nodes of one sweep
  struct KnownSum {
    TensorId tensor = 0;
    std::vector<Axis> axes;
    mpq_class lead; ///< the factor that was taken out
  };
  std::map<Form, KnownSum> known_;                          ///< variables by position, the first factor 1
  std::unordered_set<TensorId> in_group_;                   ///< tensors of the recurrence at hand
  std::unordered_map<TensorId, TensorId> group_cotangents_; ///< cotangent tensor -> tensor, of that recurrence
  std::map<TensorId, std::set<TensorId>> read_by_;          ///< by recurrence: what it reads on its way
  std::map<std::pair<ExprId, std::vector<ExprId>>, TensorId> shared_; ///< common subexpressions, variables by position
};

} // namespace aicf
