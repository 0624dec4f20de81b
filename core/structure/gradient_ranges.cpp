#include "core/structure/gradient_ranges.hpp"

#include "core/expr/check_extent.hpp"
#include "core/expr/free_vars.hpp"
#include "core/expr/normal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace aicf {
namespace {

constexpr std::size_t most_steps = 4096; ///< of a linear form; what is larger is an atom

bool small_integer(const Arena& arena, ExprId id) {
  constexpr double limit = 1e15;
  return arena[id].op == Op::number && arena[id].kind == Kind::integer && arena.value(id) > -limit &&
         arena.value(id) < limit;
}

bool has_variable(const Arena& arena, ExprId e) {
  for (ExprId id : nodes_below(arena, std::array{e}))
    if (arena[id].op == Op::index) return true;
  return false;
}

} // namespace

void Linear::add(const Linear& other, std::int64_t factor) {
  constant += factor * other.constant;
  for (const auto& [atom, k] : other.terms) {
    auto it = terms.try_emplace(atom, 0).first;
    it->second += factor * k;
    if (it->second == 0) terms.erase(it);
  }
}

Ranges::Ranges(Arena& arena) : arena_(&arena), extents_(std::make_unique<Extents>(arena)) {}
Ranges::~Ranges() = default;

void Ranges::bind(VarId var, ExprId lo, ExprId hi) {
  extents_->bind(var, lo, hi);
  auto least = extreme(lo, false, 0), most = extreme(hi, true, 0);
  if (least && most)
    boxes_[var] = {*least, *most};
  else
    boxes_.erase(var);
}

std::optional<Ranges::Bounds> Ranges::box(VarId var) const {
  auto found = boxes_.find(var);
  return found == boxes_.end() ? std::nullopt : std::optional(found->second);
}

bool Ranges::at_most(ExprId a, ExprId b) {
  if (extents_->at_most(a, b)) return true;
  auto least = extreme(minus(b, a), false, 0); // knows quotients and remainders
  if (!least) return false;
  Linear gap = linear(*least);
  return gap.terms.empty() && gap.constant >= 0;
}

Linear Ranges::linear(ExprId e) const {
  const Arena& arena = *arena_;
  Linear form;
  std::vector<std::pair<ExprId, std::int64_t>> stack{{e, 1}};
  for (std::size_t steps = 0; !stack.empty(); ++steps) {
    if (steps > most_steps) return {{{e, 1}}, 0};
    auto [id, factor] = stack.back();
    stack.pop_back();
    const Node& n = arena[id];
    bool whole = n.kind == Kind::integer;
    if (small_integer(arena, id)) {
      form.constant += factor * static_cast<std::int64_t>(arena.value(id));
    } else if (whole && n.op == Op::add) {
      for (ExprId o : arena.operands(id)) stack.emplace_back(o, factor);
    } else if (whole && n.op == Op::sub) {
      stack.emplace_back(arena.operand(id, 0), factor);
      stack.emplace_back(arena.operand(id, 1), -factor);
    } else if (whole && n.op == Op::neg) {
      stack.emplace_back(arena.operand(id, 0), -factor);
    } else if (whole && n.op == Op::mul && n.count == 2 &&
               (small_integer(arena, arena.operand(id, 0)) || small_integer(arena, arena.operand(id, 1)))) {
      bool first = small_integer(arena, arena.operand(id, 0));
      auto k = static_cast<std::int64_t>(arena.value(arena.operand(id, first ? 0 : 1)));
      std::int64_t product = 0;
      if (__builtin_mul_overflow(factor, k, &product)) return {{{e, 1}}, 0};
      stack.emplace_back(arena.operand(id, first ? 1 : 0), product);
    } else {
      form.add({{{id, 1}}, 0}, factor);
    }
  }
  return form;
}

ExprId Ranges::node(const Linear& form) {
  Arena& arena = *arena_;
  auto term = [&](ExprId atom, std::int64_t k) {
    return k == 1 ? atom : arena.make(Op::mul, Kind::integer, {arena.integer(k), atom});
  };
  std::vector<ExprId> plus;
  for (const auto& [atom, k] : form.terms)
    if (k > 0) plus.push_back(term(atom, k));
  std::int64_t constant = form.constant;
  if (plus.empty()) plus.push_back(arena.integer(std::exchange(constant, 0)));
  ExprId sum = plus.size() == 1 ? plus[0] : arena.make(Op::add, Kind::integer, 0, plus);
  for (const auto& [atom, k] : form.terms) {
    if (k > 0) continue;
    sum = arena.is_number(sum, 0) ? arena.make(Op::neg, Kind::integer, {term(atom, -k)})
                                  : arena.make(Op::sub, Kind::integer, {sum, term(atom, -k)});
  }
  if (constant > 0) sum = arena.make(Op::add, Kind::integer, {sum, arena.integer(constant)});
  if (constant < 0) sum = arena.make(Op::sub, Kind::integer, {sum, arena.integer(-constant)});
  return sum;
}

ExprId Ranges::index(VarId var) { return arena_->make(Op::index, Kind::integer, {}, var); }

ExprId Ranges::plus(ExprId e, std::int64_t constant) {
  Linear form = linear(e);
  form.constant += constant;
  return node(form);
}

ExprId Ranges::minus(ExprId a, ExprId b) {
  Linear form = linear(a);
  form.add(linear(b), -1);
  return node(form);
}

std::optional<ExprId> Ranges::extreme(ExprId e, bool upper, int depth) {
  constexpr int deepest = 8;
  if (!has_variable(*arena_, e)) return e;
  if (depth > deepest) return std::nullopt;
  Linear form = linear(e), sum;
  sum.constant = form.constant;
  for (const auto& [atom, k] : form.terms) {
    const Node n = (*arena_)[atom];
    const bool high = upper == (k > 0);
    std::optional<ExprId> value;
    if (!has_variable(*arena_, atom)) {
      value = atom;
    } else if (n.op == Op::index) {
      if (auto found = box(n.payload)) value = high ? plus(found->second, -1) : found->first;
    } else if ((n.op == Op::min && high) || (n.op == Op::max && !high)) {
      for (std::size_t i = 0; i < 2 && !value; ++i) {
        ExprId o = arena_->operand(atom, i);
        if (!has_variable(*arena_, o)) value = o;
      }
      for (std::size_t i = 0; i < 2 && !value; ++i) value = extreme(arena_->operand(atom, i), high, depth + 1);
    } else if ((n.op == Op::floordiv || n.op == Op::mod) && small_integer(*arena_, arena_->operand(atom, 1)) &&
               arena_->value(arena_->operand(atom, 1)) > 0) {
      ExprId by = arena_->operand(atom, 1);
      if (n.op == Op::mod) {
        value = high ? plus(by, -1) : arena_->integer(0);
      } else if (auto inner = extreme(arena_->operand(atom, 0), high, depth + 1)) {
        const double n = arena_->value(by);
        value = small_integer(*arena_, *inner)
                    ? arena_->integer(static_cast<std::int64_t>(std::floor(arena_->value(*inner) / n)))
                    : arena_->make(Op::floordiv, Kind::integer, {*inner, by});
      }
    }
    if (!value) return std::nullopt;
    sum.add(linear(*value), k);
  }
  return node(sum);
}

ExprId Ranges::replace(ExprId root, const Map& with) {
  if (with.empty()) return root;
  std::unordered_map<ExprId, ExprId> made;
  std::vector<ExprId> args;
  for (ExprId id : nodes_below(*arena_, std::array{root})) {
    ExprId& out = made[id];
    out = id;
    const Node n = (*arena_)[id];
    if (n.op == Op::index) {
      if (auto found = with.find(n.payload); found != with.end()) out = found->second;
      continue;
    }
    args.clear();
    bool same = true;
    for (ExprId o : arena_->operands(id)) {
      args.push_back(made.at(o));
      same = same && args.back() == o;
    }
    if (same) continue;
    out = arena_->make(n.op, n.kind, n.payload, args);
    if (n.kind == Kind::integer && (n.op == Op::add || n.op == Op::sub || n.op == Op::neg || n.op == Op::mul))
      out = node(linear(out));
  }
  return made.at(root);
}

} // namespace aicf
