#include "core/expr/check_extent.hpp"
#include "core/expr/print_text.hpp"

#include <algorithm>

namespace aicf {
namespace {

constexpr int sum_strength = 5; // of a bound, a shape: comparisons need brackets

/// What the checker would infer for each variable if its range were not written, so that it need not be.
class Inference final : public Binders {
 public:
  explicit Inference(const Definition& d) : d_(&d), extents_(d.arena), vars_(d.vars.size()) {
    std::vector<ExprId> roots;
    std::vector<std::uint32_t> group(d.tensors.size(), no_group);
    for (const Statement& s : d.statements) {
      group[s.target] = s.group;
      for (std::size_t i = 0; i < s.vars.size(); ++i) bind(s.vars[i], s.lo[i], s.hi[i], s.group);
      roots.push_back(s.body);
      for (const Initial& initial : s.initial) roots.push_back(initial.value);
    }
    for (TensorId output : d.outputs) group[output] = no_group; // its shape is declared
    std::vector<ExprId> nodes = reachable(d.arena, roots);
    for (ExprId id : nodes) {
      if (d.arena[id].op != Op::reduce) continue;
      const Reduce& what = d.arena.reduction(id);
      for (std::size_t i = 0; i < what.vars.size(); ++i)
        bind(what.vars[i], d.arena.operand(id, 2 * i), d.arena.operand(id, 2 * i + 1), no_group);
    }
    std::vector<const Statement*> definitions(d.tensors.size(), nullptr);
    for (const Statement& s : d.statements) definitions[s.target] = &s;
    for (ExprId id : nodes) {
      if (d.arena[id].op != Op::load) continue;
      TensorId tensor = d.arena[id].payload;
      for (std::size_t axis = 0; axis < d.arena[id].count; ++axis) {
        const Node& index = d.arena[d.arena.operand(id, axis)];
        if (index.op != Op::index) continue;
        Var& var = vars_[index.payload];
        const Statement* s = definitions[tensor];
        ExprId lo = s != nullptr ? s->lo[axis] : no_expr;
        ExprId hi = s != nullptr ? s->hi[axis] : d.tensors[tensor].shape[axis];
        bool own_group = var.group != no_group && group[tensor] == var.group;
        use(var, lo, hi, !own_group);
      }
    }
  }

  Binder shown(VarId v, ExprId lo, ExprId hi) override {
    const Var& var = vars_[v];
    Binder written{{}, hi};
    if (var.bindings != 1 || !var.inferred || var.conflict) return written;
    bool same_lo = same_lower(var.lo, lo), same_hi = extents_.equal(var.hi, hi);
    if (same_lo && same_hi) return {};
    const Arena& arena = d_->arena;
    if (same_lo) {
      if (arena[hi].op == Op::min && extents_.equal(arena.operand(hi, 0), var.hi))
        return relation(arena.operand(hi, 1), "<");
      if (extents_.at_most(hi, var.hi)) return relation(hi, "<");
    } else if (same_hi && var.lo != no_expr) {
      if (arena[lo].op == Op::max && extents_.equal(arena.operand(lo, 0), var.lo))
        return relation(arena.operand(lo, 1), ">=");
      if (extents_.at_most(var.lo, lo)) return relation(lo, ">=");
    } else if (same_hi && nonnegative(lo)) {
      return relation(lo, ">=");
    } else if (same_hi && arena[lo].op == Op::max && arena.is_number(arena.operand(lo, 0), 0)) {
      return relation(arena.operand(lo, 1), ">=");
    }
    return written;
  }

  /// Whether what is read at the variable of a result agrees with the range that the result gives it.
  bool agrees(VarId v, ExprId lo, ExprId hi) {
    const Var& var = vars_[v];
    return var.hi == no_expr || (!var.conflict && same_lower(var.lo, lo) && extents_.equal(var.hi, hi));
  }

  /// Whether a statement's variable may be written without its range.
  bool bare(VarId v, ExprId lo, ExprId hi) {
    Binder binder = shown(v, lo, hi);
    return binder.sign.empty() && binder.bound == no_expr;
  }

 private:
  static constexpr std::uint32_t no_group = 0xffffffff;
  struct Var {
    ExprId lo = no_expr, hi = no_expr; ///< inferred; lo == no_expr: 0
    bool inferred = false, conflict = false;
    unsigned bindings = 0;
    std::uint32_t group = no_group; ///< of the statement whose variable it is
  };

  void bind(VarId v, ExprId lo, ExprId hi, std::uint32_t group) {
    ++vars_[v].bindings;
    vars_[v].group = group;
    extents_.bind(v, lo, hi);
  }

  bool same_lower(ExprId inferred, ExprId lo) {
    return inferred == no_expr ? d_->arena.is_number(lo, 0) : extents_.equal(inferred, lo);
  }

  bool nonnegative(ExprId e) { return extents_.at_least_zero(e); }

  void use(Var& var, ExprId lo, ExprId hi, bool source) {
    if (lo != no_expr && d_->arena.is_number(lo, 0)) lo = no_expr;
    if (var.hi == no_expr) {
      var.lo = lo;
      var.hi = hi;
    }
    bool same = var.hi == hi || extents_.equal(var.hi, hi);
    bool same_lo = var.lo == lo || (var.lo != no_expr && lo != no_expr && extents_.equal(var.lo, lo));
    var.conflict = var.conflict || !same || !same_lo;
    var.inferred = var.inferred || source;
  }

  /// j < e + 1 is j <= e, and j >= e + 1 is j > e, where the checker makes the same bound of it.
  Binder relation(ExprId bound, std::string sign) const {
    const Arena& arena = d_->arena;
    const Node& n = arena[bound];
    if (n.op != Op::add || n.count != 2 || !arena.is_number(arena.operand(bound, 1), 1)) return {sign, bound};
    ExprId e = arena.operand(bound, 0);
    bool folded = arena[e].op == Op::number || arena[e].op == Op::add ||
                  (arena[e].op == Op::sub && arena.is_number(arena.operand(e, 1), 1));
    if (folded) return {sign, bound};
    return {sign == "<" ? "<=" : ">", e};
  }

  const Definition* d_;
  Extents extents_;
  std::vector<Var> vars_;
};

class DefinitionPrinter {
 public:
  explicit DefinitionPrinter(const Definition& d) : d_(&d), names_(names_of(d)), inference_(d) {}

  std::string run() {
    for (const UserReducer& reducer : d_->reducers) print_reducer(reducer);
    out_ += "op " + d_->name + "(";
    for (TensorId t = 0; t < d_->inputs; ++t) tensor(t, t == 0);
    for (std::size_t i = 0; i < d_->scalars.size(); ++i) scalar(d_->scalars[i], i == 0);
    out_ += ") -> ";
    for (std::size_t i = 0; i < d_->outputs.size(); ++i) tensor(d_->outputs[i], i == 0);
    out_ += '\n';
    for (const Statement& s : d_->statements) statement(s);
    return std::move(out_);
  }

 private:
  void expression(ExprId e, int strength) {
    Printer printer(d_->arena, names_, out_);
    printer.binders(inference_);
    printer.run(e, strength);
  }

  void list(const std::vector<ExprId>& expressions) {
    for (std::size_t i = 0; i < expressions.size(); ++i) {
      if (i > 0) out_ += ", ";
      expression(expressions[i], sum_strength);
    }
  }

  static std::string type(const ElementType& type) { return type.generic ? "float" : std::string(name_of(type.fixed)); }

  void tensor(TensorId t, bool first) {
    const TensorDecl& decl = d_->tensors[t];
    out_ += (first ? "" : ", ") + decl.name + ": " + type(decl.type) + "[";
    list(decl.shape);
    out_ += "]";
  }

  void scalar(const ScalarDecl& decl, bool first) {
    out_ += (first ? "; " : ", ") + decl.name;
    if (!decl.type.generic) out_ += ": " + type(decl.type);
    bool integral = !decl.type.generic && !is_float(decl.type.fixed);
    out_ += " = " + print_number(decl.value, integral ? Kind::integer : Kind::real);
  }

  void print_reducer(const UserReducer& reducer) {
    Names names = names_;
    names.symbol = [&](std::uint32_t s) { return s == 0 ? reducer.first : reducer.second; };
    out_ += "reducer " + reducer.name + "(" + reducer.first + ", " + reducer.second + ") = ";
    Printer(d_->arena, names, out_).run(reducer.combine, 0);
    out_ += " identity ";
    Printer(d_->arena, names, out_).run(reducer.identity, 0);
    out_ += "\n\n";
  }

  void statement(const Statement& s) {
    const std::string& name = d_->tensors[s.target].name;
    bool result = std::find(d_->outputs.begin(), d_->outputs.end(), s.target) != d_->outputs.end();
    out_ += "  " + name;
    for (std::size_t i = 0; i < s.vars.size(); ++i) {
      out_ += (i == 0 ? "[" : ", ") + d_->vars[s.vars[i]];
      if (result && inference_.agrees(s.vars[i], s.lo[i], s.hi[i])) continue;
      if (!result && inference_.bare(s.vars[i], s.lo[i], s.hi[i])) continue;
      out_ += " in ";
      if (!d_->arena.is_number(s.lo[i], 0)) {
        expression(s.lo[i], sum_strength);
        out_ += " .. ";
      }
      expression(s.hi[i], sum_strength);
    }
    out_ += s.vars.empty() ? " = " : "] = ";
    expression(s.body, 0);
    for (std::size_t k = 0; k < s.initial.size(); ++k) {
      out_ += (k == 0 ? " from " : ", ") + name + "[";
      list(s.initial[k].indices);
      out_ += "] = ";
      expression(s.initial[k].value, 0);
    }
    out_ += '\n';
  }

  const Definition* d_;
  Names names_;
  Inference inference_;
  std::string out_;
};

} // namespace

std::string print(const Definition& definition) { return DefinitionPrinter(definition).run(); }

} // namespace aicf
