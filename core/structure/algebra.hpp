// Exponential polynomials: sums of c * product of atoms^k * exp(polynomial in atoms), with exact rational c. Atoms are
// leaves and functions that do not expand. An atom belongs to the elements (x), to the dependencies (d), to neither (a
// symbol, fixed within a trial) or to both; a form in which no atom and no monomial of an exponent mixes x and d is
// separated. exp and log laws, powers of products, angle sums and the signs that follow from reachability (an element
// is at most the max that was taken over it) are applied on the way in, so that equal operators meet in one form.
#pragma once
#include "core/expr/canonical.hpp"

#include <gmpxx.h>

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace aicf {

using AtomId = std::uint32_t;
inline constexpr unsigned part_x = 1, part_d = 2, part_mixed = 3;

struct Power {
  AtomId atom = 0;
  int num = 1, den = 1;
  auto operator<=>(const Power&) const = default; // NOLINT(modernize-use-nullptr): the check misreads <=>
};
using Monomial = std::vector<Power>; ///< atoms ascending
using Polynomial = std::map<Monomial, mpq_class>;
struct TermKey {
  Monomial factors;
  Polynomial exponent;
  bool operator<(const TermKey& o) const { return factors != o.factors ? factors < o.factors : exponent < o.exponent; }
  bool operator==(const TermKey& o) const = default;
};
using Form = std::map<TermKey, mpq_class>;

struct Atom {
  enum class Type { leaf, call, sum, tie } type = Type::leaf;
  ExprId node = no_expr; ///< of a leaf
  Op op = Op::number;    ///< of a call
  std::uint32_t payload = 0;
  std::vector<Form> args; ///< of a call; a sum has itself as its one argument; a tie has b and d
  unsigned part = 0;
  bool nonnegative = false, boolean = false;
};

/// d bounds every element that reads it: body <= d (sense 1, a max) or body >= d (sense -1, a min).
struct Fact {
  AtomId d = 0;
  int sense = 1;
  Form body;
};

class Algebra {
 public:
  /// `part_of` says which part a leaf belongs to, or nothing for a node to be looked into.
  Algebra(Arena& arena, std::function<std::optional<unsigned>(ExprId)> part_of);

  const Form& of(ExprId root);
  void learn(Fact fact);
  AtomId leaf(ExprId node);
  [[nodiscard]] const Atom& atom(AtomId id) const { return atoms_[id]; }
  [[nodiscard]] std::size_t atom_count() const { return atoms_.size(); }
  [[nodiscard]] const std::vector<Fact>& facts() const { return facts_; }
  [[nodiscard]] const Arena& arena() const { return *arena_; }

  static Form number(const mpq_class& value);
  Form power_of(AtomId atom, int num = 1, int den = 1) const;
  static Form add(const Form& a, const Form& b);
  static Form scale(const Form& a, const mpq_class& factor);
  /// In place: `add` in a loop would copy what is there each time.
  static void add_to(Form& sum, const Form& b);
  static Form negate(const Form& a) { return scale(a, -1); }
  Form multiply(const Form& a, const Form& b);
  Form raise(const Form& base, int num, int den = 1);
  Form exp(const Form& a);
  Form log(const Form& a);
  Form call(Op op, std::uint32_t payload, std::vector<Form> args);
  /// `form` with atoms replaced, also inside functions; laws are applied again.
  Form replace(const Form& form, const std::map<AtomId, Form>& with);
  /// Sums that were kept whole written out.
  Form expand(const Form& form);
  [[nodiscard]] unsigned part(const Form& form) const;
  [[nodiscard]] unsigned part(const Monomial& factors) const;
  [[nodiscard]] unsigned part(const TermKey& term) const;
  static std::optional<mpq_class> constant(const Form& form);
  [[nodiscard]] bool nonnegative(const Form& form) const;

  /// What reachability says of a value: its sign where that is certain; `tie` is set when it is 0 exactly at a tie.
  struct Sign {
    int weak = 0;        ///< 1: >= 0, -1: <= 0, 0: not known
    bool strict = false; ///< never 0
    const Fact* tie = nullptr;
  };
  Sign sign(const Form& form);

  /// Every atom that `form` is made of, also inside functions, ascending: arguments before their atoms.
  [[nodiscard]] std::vector<AtomId> below(const Form& form) const;
  /// Back to an expression; `leaf_node` may give another node for an atom.
  ExprId express(const Form& form, const std::map<AtomId, ExprId>& with = {});

 private:
  AtomId intern(Atom atom);
  Form convert(ExprId node);
  Form convert_call(Op op, std::uint32_t payload, Kind kind, std::vector<Form> args);
  Form comparison(Op op, const Form& a, const Form& b);
  Form trigonometric(Op op, const Form& a);
  Form kept_whole(const Form& sum);
  Form signed_magnitude(Monomial& factors) const;
  Form gather_elements(Form sum);
  void add_to(Form& form, const TermKey& key, const mpq_class& c) const;
  Form opaque(Op op, std::uint32_t payload, std::vector<Form> args);
  ExprId express_sum(const Form& form, const std::map<AtomId, ExprId>& of_atom);

  Arena* arena_;
  std::function<std::optional<unsigned>(ExprId)> part_of_;
  std::vector<Atom> atoms_;
  std::map<std::tuple<int, ExprId, int, std::uint32_t, std::vector<Form>>, AtomId> known_;
  std::map<ExprId, Form> memo_;
  std::vector<Fact> facts_;
};

/// Certainly never negative. Looks through the bodies of reductions.
[[nodiscard]] bool nonnegative_node(const Arena& arena, ExprId node);

/// Makes legible nodes (a - b, a / b) and folds 0 and 1.
class Build {
 public:
  explicit Build(Arena& arena) : arena_(&arena) {}
  ExprId num(double v) { return arena_->number(v); }
  ExprId symbol(std::uint32_t id) { return arena_->make(Op::symbol, Kind::real, {}, id); }
  ExprId add(std::vector<ExprId> terms);
  ExprId mul(std::vector<ExprId> factors);
  ExprId sub(ExprId a, ExprId b);
  ExprId div(ExprId a, ExprId b);
  ExprId pow(ExprId a, int n);
  ExprId call(Op op, std::initializer_list<ExprId> args);
  ExprId where(ExprId condition, ExprId a, ExprId b);

 private:
  Arena* arena_;
};

} // namespace aicf
