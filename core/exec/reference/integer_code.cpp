#include "core/exec/reference/integer_code.hpp"

#include <algorithm>
#include <cmath>

namespace aicf {
namespace {

constexpr std::size_t few = 16; ///< variables of an affine form; longer ones are evaluated step by step

std::optional<std::int64_t> integer_leaf(const Definition& d, const BoundNames& names, ExprId id) {
  const Node& n = d.arena[id];
  double v = 0;
  if (n.op == Op::number && n.kind != Kind::boolean)
    v = d.arena.value(id);
  else if (n.op == Op::dim)
    return names.dims[n.payload];
  else if (n.op == Op::scalar && n.kind == Kind::integer)
    v = names.scalars[n.payload];
  else
    return std::nullopt;
  if (v != std::floor(v) || !(std::fabs(v) < 0x1p62)) return std::nullopt;
  return static_cast<std::int64_t>(v);
}

/// Far outside any tensor, and far from overflow.
std::int64_t saturated(__int128 v) {
  constexpr std::int64_t limit = std::int64_t{1} << 62U;
  return v > limit ? limit : v < -limit ? -limit : static_cast<std::int64_t>(v);
}

std::int64_t combine(Op op, __int128 x, __int128 y) {
  auto a = static_cast<std::int64_t>(x), b = static_cast<std::int64_t>(y);
  switch (op) {
  case Op::add: return saturated(x + y);
  case Op::sub: return saturated(x - y);
  case Op::mul: return saturated(x * y);
  case Op::floordiv: return floor_quotient(a, b);
  case Op::mod: return a - floor_quotient(a, b) * b;
  case Op::min: return std::min(a, b);
  default: return std::max(a, b);
  }
}

} // namespace

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  std::int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

const Affine* AffineForms::of(ExprId id) {
  while (known_.size() <= id) known_.push_back(compute(static_cast<ExprId>(known_.size())));
  return known_[id] ? &*known_[id] : nullptr;
}

std::optional<Affine> AffineForms::compute(ExprId id) const {
  const Node& n = d_->arena[id];
  if (n.kind != Kind::integer) return std::nullopt;
  if (n.op == Op::index) return Affine{0, {{n.payload, 1}}};
  if (auto leaf = integer_leaf(*d_, *names_, id)) return Affine{*leaf, {}};
  if (n.op != Op::add && n.op != Op::sub && n.op != Op::mul && n.op != Op::neg) return std::nullopt;
  Affine sum;
  if (n.op == Op::mul) sum.constant = 1;
  auto accumulate = [&](const Affine& part, std::int64_t factor) {
    sum.constant = saturated(sum.constant + static_cast<__int128>(part.constant) * factor);
    for (auto [v, c] : part.terms) {
      auto at = std::lower_bound(sum.terms.begin(), sum.terms.end(), std::pair(v, INT64_MIN));
      if (at != sum.terms.end() && at->first == v)
        at->second = saturated(at->second + static_cast<__int128>(c) * factor);
      else
        sum.terms.insert(at, {v, saturated(static_cast<__int128>(c) * factor)});
    }
    std::erase_if(sum.terms, [](const auto& t) { return t.second == 0; });
  };
  std::size_t position = 0;
  for (ExprId operand : d_->arena.operands(id)) {
    const auto& part = known_[operand];
    if (!part) return std::nullopt;
    if (n.op == Op::mul) {
      if (!sum.terms.empty() && !part->terms.empty()) return std::nullopt;
      Affine factor = sum;
      sum = {};
      if (factor.terms.empty())
        accumulate(*part, factor.constant);
      else
        accumulate(factor, part->constant);
    } else {
      bool minus = n.op == Op::neg || (n.op == Op::sub && position > 0);
      accumulate(*part, minus ? -1 : 1);
    }
    // So that an index over the variables of any tensor that fits in memory stays far from overflow.
    bool large = std::any_of(sum.terms.begin(), sum.terms.end(),
                             [](const auto& t) { return t.second > (1 << 24) || t.second < -(1 << 24); });
    if (large || sum.terms.size() > few) return std::nullopt;
    ++position;
  }
  return sum;
}

std::optional<IntegerCode> IntegerCode::compile(const Definition& d, const BoundNames& names, ExprId root) {
  // Post-order by two stacks; shared parts are repeated, so long code gives up and is evaluated as a program.
  constexpr std::size_t longest = 256;
  IntegerCode code;
  std::vector<std::pair<ExprId, std::uint32_t>> stack{{root, 0}};
  while (!stack.empty()) {
    auto& [id, next] = stack.back();
    const Node& n = d.arena[id];
    if (code.steps_.size() + stack.size() > longest) return std::nullopt;
    if (n.op == Op::index) {
      code.steps_.push_back({Op::index, n.payload});
      stack.pop_back();
      continue;
    }
    if (auto leaf = integer_leaf(d, names, id)) {
      code.steps_.push_back({Op::number, *leaf});
      stack.pop_back();
      continue;
    }
    bool known = n.op == Op::neg || n.op == Op::add || n.op == Op::sub || n.op == Op::mul || n.op == Op::floordiv ||
                 n.op == Op::mod || n.op == Op::min || n.op == Op::max;
    if (n.kind != Kind::integer || !known) return std::nullopt;
    if (next < n.count) {
      ExprId operand = d.arena.operand(id, next++);
      stack.emplace_back(operand, 0);
      continue;
    }
    if (n.op == Op::neg) {
      code.steps_.push_back({Op::number, -1});
      code.steps_.push_back({Op::mul, 0});
    } else {
      for (std::uint32_t i = 1; i < n.count; ++i) code.steps_.push_back({n.op, 0});
    }
    stack.pop_back();
  }
  // n-ary operations were emitted as n operands and n - 1 steps: right for associative ones only, which they are.
  std::vector<Step> folded;
  for (const Step& s : code.steps_) {
    std::size_t size = folded.size();
    bool binary = s.op != Op::number && s.op != Op::index;
    if (binary && (s.op == Op::floordiv || s.op == Op::mod))
      if (folded[size - 1].op != Op::number || folded[size - 1].value == 0) return std::nullopt;
    if (binary && folded[size - 1].op == Op::number && folded[size - 2].op == Op::number) {
      folded[size - 2].value = combine(s.op, folded[size - 2].value, folded[size - 1].value);
      folded.pop_back();
    } else {
      folded.push_back(s);
    }
  }
  code.steps_ = std::move(folded);
  return code;
}

std::int64_t IntegerCode::run(const std::vector<std::int64_t>& env) const {
  if (steps_.size() == 1)
    return steps_[0].op == Op::number ? steps_[0].value : env[static_cast<VarId>(steps_[0].value)];
  stack_.clear();
  for (const Step& s : steps_) {
    if (s.op == Op::number) {
      stack_.push_back(s.value);
    } else if (s.op == Op::index) {
      stack_.push_back(env[static_cast<VarId>(s.value)]);
    } else {
      std::int64_t b = stack_.back();
      stack_.pop_back();
      stack_.back() = combine(s.op, stack_.back(), b);
    }
  }
  return stack_.back();
}

std::optional<Interval> IntegerCode::range(const std::unordered_map<VarId, Interval>& vars) const {
  std::vector<Interval> stack;
  for (const Step& s : steps_) {
    if (s.op == Op::number) {
      stack.push_back({s.value, s.value});
      continue;
    }
    if (s.op == Op::index) {
      auto found = vars.find(static_cast<VarId>(s.value));
      if (found == vars.end()) return std::nullopt;
      stack.push_back(found->second);
      continue;
    }
    Interval b = stack.back();
    stack.pop_back();
    Interval& a = stack.back();
    if (s.op == Op::mod) { // by a constant: floor remainders
      a = b.lo > 0 ? Interval{0, b.lo - 1} : Interval{b.lo + 1, 0};
      continue;
    }
    std::int64_t corners[] = {combine(s.op, a.lo, b.lo), combine(s.op, a.lo, b.hi), combine(s.op, a.hi, b.lo),
                              combine(s.op, a.hi, b.hi)};
    a = {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
  }
  return stack.back();
}

} // namespace aicf
