#include "core/expr/expr.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace aicf {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) { // splitmix64's finalizer over a running sum
  std::uint64_t z = hash + 0x9e3779b97f4a7c15U + value;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

} // namespace

ExprId Arena::make(Op op, Kind kind, std::uint32_t payload, std::span<const ExprId> operands) {
  std::uint64_t hash = mix(mix(static_cast<std::uint64_t>(op), static_cast<std::uint64_t>(kind)), payload);
  for (ExprId id : operands) hash = mix(hash, id);
  if (2 * (nodes_.size() + 1) > table_.size()) grow();
  std::size_t slot = hash & (table_.size() - 1);
  for (; table_[slot] != no_expr; slot = (slot + 1) & (table_.size() - 1)) {
    const Node& n = nodes_[table_[slot]];
    if (hashes_[table_[slot]] == hash && n.op == op && n.kind == kind && n.payload == payload &&
        std::ranges::equal(this->operands(table_[slot]), operands))
      return table_[slot];
  }
  for (ExprId id : operands)
    if (id >= nodes_.size()) throw std::logic_error("operand of another arena");
  Node node{op, kind, payload, static_cast<std::uint32_t>(pool_.size()), static_cast<std::uint32_t>(operands.size())};
  std::vector<ExprId> copy(operands.begin(), operands.end()); // `operands` may point into the pool
  pool_.insert(pool_.end(), copy.begin(), copy.end());
  auto id = static_cast<ExprId>(nodes_.size());
  nodes_.push_back(node);
  hashes_.push_back(hash);
  table_[slot] = id;
  return id;
}

ExprId Arena::with_operands(ExprId id, std::span<const ExprId> operands) {
  if (std::ranges::equal(operands, this->operands(id))) return id;
  const Node n = (*this)[id];
  return make(n.op, n.kind, n.payload, operands);
}

void Arena::grow() {
  constexpr std::size_t smallest = 64;
  table_.assign(std::max(smallest, 2 * table_.size()), no_expr);
  for (ExprId id = 0; id < nodes_.size(); ++id) {
    std::size_t slot = hashes_[id] & (table_.size() - 1);
    while (table_[slot] != no_expr) slot = (slot + 1) & (table_.size() - 1);
    table_[slot] = id;
  }
}

ExprId Arena::number(double value, Kind kind) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  auto [it, fresh] =
      number_ids_.try_emplace(std::bit_cast<std::uint64_t>(value), static_cast<std::uint32_t>(numbers_.size()));
  if (fresh) numbers_.push_back(value);
  return make(Op::number, kind, it->second, {});
}

ExprId Arena::reduce(const Reduce& what, std::span<const ExprId> operands) {
  if (operands.size() != 2 * what.vars.size() + 2)
    throw std::logic_error("a reduction takes two bounds a variable, a predicate and a body");
  std::uint64_t hash = what.reducer;
  for (VarId var : what.vars) hash = mix(hash, var);
  std::uint32_t id = 0;
  auto [begin, end] = reduce_ids_.equal_range(hash);
  auto found = std::find_if(begin, end, [&](const auto& entry) { return reduces_[entry.second] == what; });
  if (found != end) {
    id = found->second;
  } else {
    id = static_cast<std::uint32_t>(reduces_.size());
    reduces_.push_back(what);
    reduce_ids_.emplace(hash, id);
  }
  bool arg = what.reducer == static_cast<ReducerId>(Builtin::argmax) ||
             what.reducer == static_cast<ReducerId>(Builtin::argmin);
  Kind kind = what.reducer >= first_user_reducer ? Kind::real : arg ? Kind::integer : nodes_[operands.back()].kind;
  return make(Op::reduce, kind, id, operands);
}

std::string_view name_of(Op op) {
  switch (op) {
  case Op::neg:
  case Op::sub: return "-";
  case Op::add: return "+";
  case Op::mul: return "*";
  case Op::div: return "/";
  case Op::floordiv: return "//";
  case Op::mod: return "%";
  case Op::pow: return "^";
  case Op::exp: return "exp";
  case Op::exp2: return "exp2";
  case Op::expm1: return "expm1";
  case Op::log: return "log";
  case Op::log2: return "log2";
  case Op::log1p: return "log1p";
  case Op::sqrt: return "sqrt";
  case Op::rsqrt: return "rsqrt";
  case Op::tanh: return "tanh";
  case Op::erf: return "erf";
  case Op::sigmoid: return "sigmoid";
  case Op::sin: return "sin";
  case Op::cos: return "cos";
  case Op::atan: return "atan";
  case Op::abs: return "abs";
  case Op::sign: return "sign";
  case Op::floor: return "floor";
  case Op::ceil: return "ceil";
  case Op::round: return "round";
  case Op::isnan: return "isnan";
  case Op::min: return "min";
  case Op::max: return "max";
  case Op::lt: return "<";
  case Op::le: return "<=";
  case Op::eq: return "==";
  case Op::ne: return "!=";
  case Op::and_: return "and";
  case Op::or_: return "or";
  case Op::not_: return "not";
  case Op::select: return "where";
  default: return {};
  }
}

bool is_transcendental(Op op) {
  return (op >= Op::exp && op <= Op::cos && op != Op::sqrt && op != Op::rsqrt) || op == Op::atan;
}

std::string_view name_of(Builtin reducer) {
  static constexpr std::array<std::string_view, 8> names{"sum", "prod", "max", "min", "argmax", "argmin", "any", "all"};
  return names.at(static_cast<std::size_t>(reducer));
}

std::vector<ExprId> reachable(const Arena& arena, std::span<const ExprId> roots) {
  std::vector<char> seen(arena.size(), 0);
  std::vector<ExprId> stack(roots.begin(), roots.end()), found;
  while (!stack.empty()) {
    ExprId id = stack.back();
    stack.pop_back();
    if (seen[id] != 0) continue;
    seen[id] = 1;
    found.push_back(id);
    for (ExprId operand : arena.operands(id)) stack.push_back(operand);
  }
  std::sort(found.begin(), found.end());
  return found;
}

} // namespace aicf
