// Exact normal forms of expressions in which sums stand: a sum is linear, so its body is split into products, what does
// not depend on its variables leaves it, sums inside it join it, and variables that no factor couples are sums of their
// own. Bounds that depend on other variables are masks over a box. Statements are looked into; recurrences, and tensors
// that were not defined here, are free symbols, as are max, min and prod. Equal forms are equal over the reals wherever
// no denominator is zero and nothing is infinite or NaN; the converse holds for exponential polynomials.
#pragma once
#include "core/expr/definition.hpp"
#include "core/structure/algebra.hpp"

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace aicf {

class SumAlgebra {
 public:
  /// `box`: bounds of a variable that no other variable enters, where there are any.
  using Box = std::function<std::optional<std::pair<ExprId, ExprId>>(VarId)>;
  SumAlgebra(Definition& definition, Box box);

  /// From here on loads of `tensor` are its body. Tensors are defined in the order in which they are computed.
  void define(TensorId tensor, const std::vector<VarId>& vars, ExprId body);
  /// Nothing where the expression, with what it reads, is too large to be worth it.
  [[nodiscard]] std::optional<Form> of(ExprId root);

  enum class Zero { no, probably, proven };
  /// Whether the form is 0 everywhere: by being empty, or at random points of the field (wrong with probability at most
  /// 1e-9).
  [[nodiscard]] Zero zero(const Form& form);
  /// With variables replaced.
  [[nodiscard]] std::optional<Form> rename(const Form& form, const std::map<VarId, VarId>& names);

 private:
  struct Range {
    VarId var = 0;
    Form lo, hi;
  };
  std::optional<Form> resolve(ExprId node); ///< nothing: the budget is spent
  [[nodiscard]] bool exhausted() const;
  Form renamed_within(const Form& form, const std::map<VarId, VarId>& names);
  Form rebuild(const Form& form, const std::map<AtomId, Form>& with);
  Form law(AtomId id, std::vector<Form> args);
  Form instance(TensorId tensor, const std::vector<Form>& indices);
  Form comparison(Op op, const Form& a, const Form& b);
  Form reduction(ExprId node);
  std::vector<Form> bounds(ExprId bound, Op op);
  Form close(const std::vector<Range>& ranges, const Form& body);
  Form close_term(std::vector<Range> ranges, const TermKey& term);
  Form close_component(const std::vector<Range>& ranges, const Form& body);
  [[nodiscard]] bool integral(const Form& form) const;
  [[nodiscard]] std::vector<VarId> variables(const Form& form) const;
  [[nodiscard]] VarId next_level(const std::vector<const Form*>& forms) const;
  Form without_pieces(const Form& form);
  std::uint32_t reduce_payload(const Reduce& what);
  Form index(VarId var);
  Form times(const Form& a, const Form& b);
  std::size_t weigh(ExprId root);

  struct Body {
    std::vector<VarId> vars;
    Form form;
    bool known = false;
    std::size_t weight = 0;
  };
  Definition* d_;
  Box box_;
  Algebra algebra_;
  std::map<TensorId, Body> bodies_;
  std::map<ExprId, Form> reductions_;         ///< of the reduce nodes met so far
  std::map<std::uint32_t, Reduce> reduce_of_; ///< by payload, those made here
  VarId next_temporary_;
  std::size_t work_ = 0, total_work_ = 0; ///< products of terms, for the expression at hand and for all
};

} // namespace aicf
