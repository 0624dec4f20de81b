// The inverse-map route. Where the elements are f(x; d) = F_d(g(x)) with an invertible F_d, an element's value follows
// a new d' with no look at x: by phi = F_d' after the inverse of F_d. Where phi distributes over the reducer, phi(a +
// b) = phi(a) + phi(b), a whole state follows d in the same way. (Running reductions are repaired by such expressions
// in Y. Zhao et al., Neptune, arXiv:2510.08726, 2025.) Internal to core/structure.
#pragma once
#include "core/structure/summary_builder.hpp"

namespace aicf {

/// What a reducer makes of two values, over symbols 0 and 1.
struct Combination {
  const Arena* arena = nullptr;
  ExprId root = no_expr;
  double identity = 0;
};
/// Of prod. The nodes are of `arena`.
[[nodiscard]] Combination product_of(Arena& arena);

/// F_d as steps: g(x) + h, perhaps its exp, times a factor, plus an offset, then functions with an inverse.
class InvertibleForm {
 public:
  /// Nothing where the element is no such function of one value of x.
  static std::optional<InvertibleForm> of(const Model& model, Algebra& algebra, ExprId element, const Form& f);

  /// Of the forms that F_d reads of d and of symbols, each at one state of d.
  using At = std::function<Form(const Form&)>;
  /// F_d at `after` of the inverse at `before` of y. Nothing where a step has no inverse here.
  std::optional<Form> moved(const Form& y, const At& before, const At& after) const;

 private:
  InvertibleForm(Algebra& algebra, ExtremumForm how) : algebra_(&algebra), how_(std::move(how)) {}
  std::optional<Form> undone(const Monotone& step, const Form& y, const At& at) const;
  Form applied(const Monotone& step, const Form& v, const At& at) const;

  Algebra* algebra_;
  ExtremumForm how_;
};

/// Whether phi(a + b) is phi(a) + phi(b) for all a, b and all that phi reads besides: `phi` is an expression of `arena`
/// in which `y` stands for its argument.
struct Distributes {
  bool holds = false;
  double bound = 0;    ///< that it was accepted although it does not
  std::string against; ///< values on which it fails, or why it is not known
};
[[nodiscard]] Distributes distributes(const Arena& arena, ExprId phi, ExprId y, const Combination& combine,
                                      std::uint64_t seed);

} // namespace aicf
