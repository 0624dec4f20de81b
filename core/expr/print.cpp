#include "core/expr/print.hpp"

#include "core/expr/print_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

namespace aicf {
namespace {

enum Strength : int { any = 0, disjunction, conjunction, negation, comparison, sum, product, unary, power, atom };

constexpr std::string_view function_open = "(";

} // namespace

std::string print_number(double value, Kind kind) {
  if (kind == Kind::boolean) return value != 0 ? "0 == 0" : "0 != 0";
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (kind == Kind::real && std::fabs(value) == std::numbers::pi) return value < 0 ? "-pi" : "pi";
  std::array<char, 400> buffer{};
  auto end = kind == Kind::integer
                 ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed).ptr
                 : std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  if (kind == Kind::real && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

/// Pieces of text still to be written, the next one last: what replaces recursion.
void Printer::run(ExprId root, int strength) {
  pieces_.clear();
  root_ = root;
  expr(root, strength);
  while (!pieces_.empty() && !full()) {
    Piece piece = std::move(pieces_.back());
    pieces_.pop_back();
    if (piece.id == no_expr) {
      out_ += piece.text;
      continue;
    }
    std::string name = piece.id != root_ && names_->node ? names_->node(piece.id) : std::string();
    if (!name.empty()) {
      out_ += name;
      continue;
    }
    batch_.clear();
    int own = node(piece.id);
    bool brackets = own < piece.strength;
    if (brackets) pieces_.push_back({no_expr, 0, ")"});
    pieces_.insert(pieces_.end(), std::make_move_iterator(batch_.rbegin()), std::make_move_iterator(batch_.rend()));
    if (brackets) pieces_.push_back({no_expr, 0, "("});
  }
  if (full()) {
    out_.resize(start_ + limit_);
    out_ += "…";
  }
}

void Printer::list(std::span<const ExprId> ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i > 0) put(", ");
    put(ids[i], any);
  }
}

void Printer::call(std::string_view function, std::span<const ExprId> operands) {
  put(std::string(function));
  put(std::string(function_open));
  list(operands);
  put(")");
}

int Printer::infix(ExprId id, std::string_view sign, int own, int left, int right) {
  put(arena_->operand(id, 0), left);
  put(std::string(sign));
  put(arena_->operand(id, 1), right);
  return own;
}

/// Writes a node's pieces into the batch; gives its strength.
int Printer::node(ExprId id) {
  const Node& n = (*arena_)[id];
  std::span<const ExprId> operands = arena_->operands(id);
  switch (n.op) {
  case Op::number: {
    double value = arena_->value(id);
    if (n.kind == Kind::boolean && pretty_) {
      put(value != 0 ? "true" : "false");
      return atom;
    }
    put(literal(value, n.kind));
    if (n.kind == Kind::boolean) return comparison;
    return std::signbit(value) && !std::isnan(value) ? unary : atom;
  }
  case Op::index: put(names_->var(n.payload)); return atom;
  case Op::scalar: put(names_->scalar(n.payload)); return atom;
  case Op::dim: put(names_->dim(n.payload)); return atom;
  case Op::symbol: put(names_->symbol(n.payload)); return atom;
  case Op::load: access(n.payload, operands); return atom;
  case Op::padded_load:
    put("pad(");
    access(n.payload, operands.first(operands.size() - 1));
    put(", ");
    put(operands.back(), any);
    put(")");
    return atom;
  case Op::neg:
    put("-");
    put(operands[0], unary);
    return unary;
  case Op::add: return addition(operands);
  case Op::sub: return infix(id, " - ", sum, sum, product);
  case Op::mul: return pretty_ ? quotient(operands) : multiplication(operands);
  case Op::div: return infix(id, " / ", product, product, unary);
  case Op::floordiv: return infix(id, " // ", product, product, unary);
  case Op::mod: return infix(id, " % ", product, product, unary);
  case Op::pow: return pretty_ ? quotient(std::span(&id, 1)) : infix(id, "^", power, atom, unary);
  case Op::lt: return infix(id, " < ", comparison, sum, sum);
  case Op::le: return infix(id, " <= ", comparison, sum, sum);
  case Op::eq: return infix(id, " == ", comparison, sum, sum);
  case Op::ne: return infix(id, " != ", comparison, sum, sum);
  case Op::and_: return infix(id, " and ", conjunction, conjunction, negation);
  case Op::or_: return infix(id, " or ", disjunction, disjunction, conjunction);
  case Op::not_:
    put("not ");
    put(operands[0], negation);
    return negation;
  case Op::round_to: call(name_of(static_cast<DType>(n.payload)), operands); return atom;
  case Op::reduce: reduction(id); return any;
  default: call(name_of(n.op), operands); return atom;
  }
}

void Printer::access(TensorId tensor, std::span<const ExprId> indices) {
  put(names_->tensor(tensor));
  if (indices.empty()) return;
  put("[");
  list(indices);
  put("]");
}

/// Signs are pulled out of the terms when pretty: a + (-1)*b is a - b.
int Printer::addition(std::span<const ExprId> operands) {
  std::size_t shown = limit_ > 0 ? std::min(operands.size(), limit_) : operands.size();
  for (std::size_t i = 0; i < shown; ++i) {
    ExprId term = operands[i];
    const Node& n = (*arena_)[term];
    bool flat_sum = n.op == Op::add; // brackets keep it a term of its own
    int strength = i == 0 && !flat_sum ? sum : product;
    if (pretty_ && i > 0 && n.op == Op::number && arena_->value(term) < 0) {
      put(" - ");
      put(literal(-arena_->value(term), n.kind));
      continue;
    }
    bool minus = pretty_ && i > 0 && n.op == Op::mul && (*arena_)[arena_->operand(term, 0)].op == Op::number &&
                 arena_->value(arena_->operand(term, 0)) < 0;
    if (minus) {
      put(" - ");
      quotient(arena_->operands(term), true);
      continue;
    }
    if (i > 0) put(" + ");
    put(term, strength);
  }
  return sum;
}

int Printer::multiplication(std::span<const ExprId> operands) {
  std::size_t shown = limit_ > 0 ? std::min(operands.size(), limit_) : operands.size();
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) put(" * ");
    bool flat_product = (*arena_)[operands[i]].op == Op::mul;
    put(operands[i], i == 0 && !flat_product ? product : unary);
  }
  return product;
}

/// Factors with negative exponents go below the line; a half exponent is a square root. With `negate`, the first
/// factor is a negative number, printed without its sign.
int Printer::quotient(std::span<const ExprId> factors, bool negate) {
  struct Factor {
    ExprId base = no_expr;
    double exponent = 1;
    std::string text; // instead of a base
  };
  std::vector<Factor> above, below;
  bool minus = false;
  for (std::size_t i = 0; i < factors.size() && (limit_ == 0 || i < limit_); ++i) {
    ExprId f = factors[i];
    const Node& n = (*arena_)[f];
    if (i == 0 && factors.size() > 1 && n.op == Op::number && arena_->value(f) < 0) {
      minus = !negate;
      if (arena_->value(f) != -1) {
        above.push_back({no_expr, 1, literal(-arena_->value(f), n.kind)});
      }
      continue;
    }
    bool literal = n.op == Op::pow && (*arena_)[arena_->operand(f, 1)].op == Op::number;
    double exponent = literal ? arena_->value(arena_->operand(f, 1)) : 1;
    ExprId base = literal ? arena_->operand(f, 0) : f;
    if (exponent < 0) {
      below.push_back({base, -exponent, {}});
    } else {
      above.push_back({base, exponent, {}});
    }
  }
  auto write = [&](const Factor& f, int strength) {
    if (f.base == no_expr) {
      put(f.text);
    } else if (f.exponent == 1) {
      bool power_node = (*arena_)[f.base].op == Op::pow;
      if (power_node && symbolic_power(f.base)) {
        put(arena_->operand(f.base, 0), atom);
        put("^");
        put(arena_->operand(f.base, 1), unary);
      } else {
        put(f.base, strength);
      }
    } else if (f.exponent == 0.5) {
      put("sqrt(");
      put(f.base, any);
      put(")");
    } else {
      put(f.base, atom);
      put("^" + literal(f.exponent, Kind::real));
    }
  };
  auto strength_of = [&](const Factor& f) {
    bool operand = f.exponent == 0.5 || (f.exponent == 1 && !symbolic_power(f.base));
    return operand ? int{atom} : int{power};
  };
  if (minus) put("-");
  if (above.empty()) put("1");
  for (std::size_t i = 0; i < above.size(); ++i) {
    if (i > 0) put(" * ");
    write(above[i], i == 0 && !minus && above.size() > 1 && (*arena_)[factors[0]].op != Op::mul ? product : unary);
  }
  if (!below.empty()) put(below.size() > 1 ? " / (" : " / ");
  for (std::size_t i = 0; i < below.size(); ++i) {
    if (i > 0) put(" * ");
    write(below[i], below.size() == 1 ? power : unary);
  }
  if (below.size() > 1) put(")");
  if (!below.empty() || above.size() > 1) return product;
  if (minus) return unary;
  return above.size() == 1 ? strength_of(above[0]) : int{atom};
}

/// For people a whole number needs no point.
std::string Printer::literal(double value, Kind kind) const {
  constexpr double longest = 1e15;
  bool whole = pretty_ && kind == Kind::real && std::floor(value) == value && std::fabs(value) < longest;
  return print_number(value, whole ? Kind::integer : kind);
}

bool Printer::symbolic_power(ExprId id) const {
  const Node& n = (*arena_)[id];
  return n.op == Op::pow && (*arena_)[arena_->operand(id, 1)].op != Op::number;
}

void Printer::reduction(ExprId id) {
  const Reduce& what = arena_->reduction(id);
  put(names_->reducer(what.reducer));
  put("[");
  for (std::size_t i = 0; i < what.vars.size(); ++i) {
    if (i > 0) put(", ");
    ExprId lo = arena_->operand(id, 2 * i), hi = arena_->operand(id, 2 * i + 1);
    put(names_->var(what.vars[i]));
    if (binders_ != nullptr) {
      Binder shown = binders_->shown(what.vars[i], lo, hi);
      if (shown.sign.empty() && shown.bound == no_expr) continue;
      if (!shown.sign.empty()) {
        put(" " + shown.sign + " ");
        put(shown.bound, sum);
        continue;
      }
    }
    put(" in ");
    if (!arena_->is_number(lo, 0)) {
      put(lo, sum);
      put(" .. ");
    }
    put(hi, sum);
  }
  ExprId predicate = arena_->predicate(id), body = arena_->body(id);
  bool always = (*arena_)[predicate].op == Op::number && arena_->value(predicate) != 0;
  if (!always) {
    put(" where ");
    put(predicate, any);
  }
  put("] ");
  put(body, (*arena_)[body].op == Op::reduce ? any : product);
}

Names names_of(const Definition& definition) {
  const Definition* d = &definition;
  Names names;
  names.var = [d](VarId v) { return d->vars[v]; };
  names.tensor = [d](TensorId t) { return d->tensors[t].name; };
  names.scalar = [d](std::uint32_t s) { return d->scalars[s].name; };
  names.dim = [d](std::uint32_t k) { return d->dims[k]; };
  names.symbol = [](std::uint32_t s) { return "s" + std::to_string(s); };
  names.reducer = [d](ReducerId r) { return reducer_name(*d, r); };
  return names;
}

Names names_of(const Canonical& canonical) {
  const Canonical* c = &canonical;
  const Definition* d = canonical.source.get();
  std::map<VarId, std::string> vars;
  std::set<std::string> used(d->dims.begin(), d->dims.end());
  for (const TensorDecl& decl : d->tensors) used.insert(decl.name);
  for (const ScalarDecl& decl : d->scalars) used.insert(decl.name);
  auto offer = [&](VarId var, const std::string& name) {
    if (!vars.contains(var) && used.insert(name).second) vars[var] = name;
  };
  for (const auto* list : {&canonical.outputs, &canonical.values})
    for (const CanonicalValue& value : *list)
      for (std::size_t i = 0; i < value.axis_names.size(); ++i) offer(static_cast<VarId>(i), value.axis_names[i]);
  std::map<ExprId, std::string> nodes;
  for (const NamedReduction& reduction : canonical.reductions) {
    nodes.emplace(reduction.node, reduction.name);
    if (canonical.arena[reduction.node].op != Op::reduce) continue;
    const std::vector<VarId>& bound = canonical.arena.reduction(reduction.node).vars;
    for (std::size_t i = 0; i < bound.size() && i < reduction.axes.size(); ++i) offer(bound[i], reduction.axes[i]);
  }
  Names names = names_of(*d);
  names.var = [vars](VarId v) {
    auto found = vars.find(v);
    if (found != vars.end()) return found->second;
    return v < bound_base ? "i" + std::to_string(v) : "j" + std::to_string(v - bound_base);
  };
  names.tensor = [c, d](TensorId t) {
    return t < d->inputs ? d->tensors[t].name : d->tensors[c->values[t - d->inputs].source].name;
  };
  names.node = [nodes](ExprId id) {
    auto found = nodes.find(id);
    return found == nodes.end() ? std::string() : found->second;
  };
  return names;
}

std::string print(const Arena& arena, ExprId root, const Names& names, std::size_t limit) {
  std::string out;
  Printer printer(arena, names, out);
  printer.pretty(limit);
  printer.run(root, any);
  return out;
}

} // namespace aicf
