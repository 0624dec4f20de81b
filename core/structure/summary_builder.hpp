// Derives the mergeable state of a cascade: slots, guarded merges and finalize, in a stable basis. Internal to
// core/structure.
//
// The basis is f and its d-derivatives at the running d: with f = sum of coefficient(d) * x_part(x), powers of an
// element are taken about a running centre (the max or min that f reads, else the chunk's own mean) and exponentials
// relative to a running maximum that bounds their argument. A new d then rebases the state: (x - c')^k by the binomial
// law with c - c', exp(L - B') by the factor exp(B - B') <= 1.
#pragma once
#include "core/structure/model.hpp"
#include "core/structure/reducer_laws.hpp"
#include "core/structure/separation.hpp"

#include <map>
#include <optional>
#include <string>

namespace aicf {

/// How one reduction of a cascade is kept.
struct Derivation {
  bool possible = false, stable = true;
  std::string why;                     ///< when it is not possible
  int sums = 0;                        ///< slots that this reduction needs for itself
  double bound = 0;                    ///< that a law it rests on was accepted although it is false
  std::vector<std::size_t> own, reads; ///< slots it introduced; all slots that its value depends on
  std::vector<Step> steps;
};

struct ExtremumForm;

/// The laws of a user reducer in use; null where they are not known.
using LawsOf = std::function<const ReducerLaws*(ReducerId)>;

class SummaryBuilder {
 public:
  SummaryBuilder(const Model& model, const std::vector<std::size_t>& cascade, Algebra& algebra, LawsOf laws = {});

  /// The next reduction of the cascade (levels ascending). `split` for a sum that reads a dependency.
  Derivation add(std::size_t item, const Form& f, const std::optional<Split>& split);

  [[nodiscard]] Summary summary() const;
  [[nodiscard]] const std::vector<ExprId>& plain_merges() const { return plain_; } ///< without guards: the law itself
  [[nodiscard]] const std::map<std::size_t, Form>& final_forms() const {
    return final_;
  } ///< by item, over slot symbols
  [[nodiscard]] const Slot& slot(std::size_t k) const { return slots_[k]; }
  [[nodiscard]] std::size_t size() const { return slots_.size(); }
  /// Slots that the value of `form`, over slot symbols, depends on through merges and bodies.
  [[nodiscard]] std::vector<std::size_t> closure(ExprId form) const;
  [[nodiscard]] ExprId final_expression(std::size_t item) const { return final_expr_.at(item); }

 private:
  enum class Side { self, left, right };
  struct Centre {
    bool mean = false;
    std::size_t sum = 0, count = 0; ///< slots of a mean
    Form value;                     ///< over slot symbols
  };
  struct Bound {
    Form value;                      ///< over slot symbols; empty where the exponential needs none
    std::optional<std::size_t> slot; ///< the slot that it is a multiple of
    bool minimum = false;
  };
  struct Basis {
    std::map<AtomId, int> powers; ///< of centred atoms
    Monomial rest;
    Polynomial exponent;
    bool operator<(const Basis& o) const {
      return std::tie(powers, rest, exponent) < std::tie(o.powers, o.rest, o.exponent);
    }
  };
  struct Kept {
    std::optional<std::size_t> slot; ///< nothing: identically zero
  };

  /// A slot whose merge is the reducer itself.
  std::size_t simple(Builtin reducer, ExprId mask, const Form& form, ExprId body, const std::string& name);
  std::size_t count(ExprId mask);
  std::size_t place(Slot slot, ExprId plain, std::tuple<ReducerId, ExprId, Form> key);
  std::string fresh_name(std::string wanted) const;
  ExprId symbol(std::size_t k, Side side);
  Form slot_form(std::size_t k);
  ExprId express(const Form& form, Side side);
  ExprId masked(ExprId mask, ExprId body, ExprId identity);
  ExprId identity_of(ReducerId reducer);

  void add_sum(std::size_t item, const Split& split, Derivation& out);
  void add_by_dependency(std::size_t item, const Split& split, Derivation& out);
  void add_product(std::size_t item, const Form& f, Derivation& out);
  void add_product_of_powers(std::size_t item, const struct Logs& logs, Derivation& out);
  void add_user(std::size_t item, const Form& f, Derivation& out);
  std::string by_inverse(std::size_t item, const Form& f, const struct Combination& combine, Derivation& out);
  Form seen_from(const Form& form, Side side);
  ExprId zero_if_empty(std::size_t item, ExprId value);
  void add_extremum(std::size_t item, const Form& f, Derivation& out);
  ExprId outside(const ExtremumForm& how, ExprId value);
  ExprId empty_chunk(std::size_t item);
  void add_truth(std::size_t item, const Form& f, Derivation& out);
  void add_position(std::size_t item, const Form& f, Derivation& out);
  void finish(std::size_t item, const Form& final, Derivation& out);
  [[nodiscard]] bool zero_when_empty(ExprId value) const;

  void choose_centres(std::size_t item, const Split& split, Derivation& out);
  std::optional<Form> multiple_of(const Form& l, const Form& body, int sense);
  Bound choose_bound(std::size_t item, const Polynomial& exponent, Derivation& out);
  void ensure(std::size_t item, const Basis& basis, std::map<Basis, Kept>& kept, const std::string& name);
  ExprId basis_body(const Basis& basis);
  std::optional<std::size_t> tie_of(const Basis& basis);
  struct Merge {
    ExprId plain, guarded;
  };
  Merge merge_of(const Basis& basis, const std::map<Basis, Kept>& kept, std::size_t self, ExprId mask);
  ExprId rebased(const Basis& basis, const std::map<Basis, Kept>& kept, std::size_t self, Side side, bool still,
                 std::optional<std::size_t> without);
  ExprId shift(AtomId atom, Side side, int power, bool still);
  Form replace_dependencies(const Form& form, bool whole_chunk);

  const Model& model_;
  const std::vector<std::size_t>& cascade_;
  Algebra& algebra_;
  LawsOf laws_;
  Arena& arena_;
  Build build_;
  std::vector<Slot> slots_;
  std::vector<ExprId> plain_;
  std::map<std::tuple<ReducerId, ExprId, Form>, std::size_t> known_;
  std::map<std::size_t, Form> final_;
  std::map<std::size_t, ExprId> final_expr_;
  std::map<AtomId, Centre> centres_;   ///< of the reduction at hand
  std::map<Polynomial, Bound> bounds_; ///< likewise
  int highest_ = 0;                    ///< degree in centred atoms of the slot that carries the reduction's name
};

/// f as a max over alternatives, each g(x) + h(d): rank over (max, +).
struct Alternative {
  Form x, d;                ///< g and h
  bool exponential = false; ///< exp of the sum
  Form factor;              ///< times a factor free of x
  int sign = 1;
  Form offset;           ///< plus a term free of x
  bool opposite = false; ///< the other extremum: what a factor of unknown sign may turn into this one
};
/// A monotone function that the extremum passes through; `other` is the operand of + and * that is free of x.
struct Monotone {
  Op op = Op::neg;
  std::uint32_t payload = 0;
  ExprId other = no_expr;
};
struct ExtremumForm {
  std::vector<Alternative> of; ///< empty when f has no such form
  std::vector<Monotone> outer; ///< applied to it, the first one first
  bool rising = true;          ///< whether all of `outer` together rise
  bool strict = true;          ///< and whether they keep different values apart
};
[[nodiscard]] ExtremumForm extremum_form(const Model& model, Algebra& algebra, ExprId element, const Form& f,
                                         bool maximum);

} // namespace aicf
