#include "core/structure/node_program.hpp"
#include "core/structure/verify.hpp"

#include <cfenv>
#include <cmath>
#include <limits>

namespace aicf {

double DoubleMath::apply(Op op, std::uint32_t payload, std::span<const double> a) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  auto either_nan = [&] { return std::isnan(a[0]) || std::isnan(a[1]); };
  double r = 0;
  switch (op) {
  case Op::neg: return -a[0];
  case Op::add:
    for (double v : a) r += v;
    return r;
  case Op::sub: return a[0] - a[1];
  case Op::mul:
    r = 1;
    for (double v : a) r *= v;
    return r;
  case Op::div: return a[0] / a[1];
  case Op::floordiv: return std::floor(a[0] / a[1]);
  case Op::mod: return a[0] - std::floor(a[0] / a[1]) * a[1];
  case Op::pow: return std::pow(a[0], a[1]);
  case Op::exp: return std::exp(a[0]);
  case Op::exp2: return std::exp2(a[0]);
  case Op::expm1: return std::expm1(a[0]);
  case Op::log: return std::log(a[0]);
  case Op::log2: return std::log2(a[0]);
  case Op::log1p: return std::log1p(a[0]);
  case Op::sqrt: return std::sqrt(a[0]);
  case Op::rsqrt: return 1 / std::sqrt(a[0]);
  case Op::tanh: return std::tanh(a[0]);
  case Op::erf: return std::erf(a[0]);
  case Op::sigmoid: return 1 / (1 + std::exp(-a[0]));
  case Op::sin: return std::sin(a[0]);
  case Op::cos: return std::cos(a[0]);
  case Op::atan: return std::atan(a[0]);
  case Op::abs: return std::fabs(a[0]);
  case Op::sign: return std::isnan(a[0]) ? nan : a[0] > 0 ? 1 : a[0] < 0 ? -1 : 0;
  case Op::floor: return std::floor(a[0]);
  case Op::ceil: return std::ceil(a[0]);
  case Op::round: return std::nearbyint(a[0]);
  case Op::isnan: return std::isnan(a[0]) ? 1 : 0;
  case Op::min: return either_nan() ? nan : std::fmin(a[0], a[1]);
  case Op::max: return either_nan() ? nan : std::fmax(a[0], a[1]);
  case Op::lt: return a[0] < a[1] ? 1 : 0;
  case Op::le: return a[0] <= a[1] ? 1 : 0;
  case Op::eq: return a[0] == a[1] ? 1 : 0;
  case Op::ne: return a[0] != a[1] ? 1 : 0;
  case Op::and_: return a[0] != 0 && a[1] != 0 ? 1 : 0;
  case Op::or_: return a[0] != 0 || a[1] != 0 ? 1 : 0;
  case Op::not_: return a[0] == 0 ? 1 : 0;
  case Op::select: return a[0] != 0 ? a[1] : a[2];
  case Op::round_to: return round_to(static_cast<DType>(payload), a[0]);
  default: return nan;
  }
}

double fold(ReducerId reducer, double a, double b) {
  const std::array<double, 2> args{a, b};
  switch (static_cast<Builtin>(reducer)) {
  case Builtin::sum: return a + b;
  case Builtin::prod: return a * b;
  case Builtin::max: return DoubleMath::apply(Op::max, 0, args);
  case Builtin::min: return DoubleMath::apply(Op::min, 0, args);
  case Builtin::any: return DoubleMath::apply(Op::or_, 0, args);
  case Builtin::all: return DoubleMath::apply(Op::and_, 0, args);
  default: return std::numeric_limits<double>::quiet_NaN();
  }
}

NumericReducer::NumericReducer(const Definition& definition, ReducerId reducer)
    : reducer_(reducer), definition_(&definition) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (reducer < first_user_reducer) {
    const auto b = static_cast<Builtin>(reducer);
    identity_ = b == Builtin::prod || b == Builtin::all ? 1
                : b == Builtin::max                     ? -infinity
                : b == Builtin::min                     ? infinity
                                                        : 0;
    return;
  }
  const UserReducer& user = definition.reducers.at(reducer - first_user_reducer);
  DoubleMath math;
  const NodeProgram identity(definition.arena, {user.identity});
  std::vector<double> values;
  identity.literals<DoubleMath>(math, values, [](double v) { return v; });
  identity.run(math, values);
  identity_ = values[identity.place(user.identity)];
  combine_ = std::make_shared<NodeProgram>(definition.arena, std::vector{user.combine});
  combine_->literals<DoubleMath>(math, values_, [](double v) { return v; });
}

double NumericReducer::operator()(double a, double b) {
  if (combine_ == nullptr) return fold(reducer_, a, b);
  const Arena& arena = definition_->arena;
  for (ExprId leaf : combine_->leaves())
    if (arena[leaf].op == Op::symbol) values_[combine_->place(leaf)] = arena[leaf].payload == 0 ? a : b;
  DoubleMath math;
  combine_->run(math, values_);
  return values_[combine_->place(definition_->reducers.at(reducer_ - first_user_reducer).combine)];
}

namespace {

std::vector<ExprId> roots_of(const Summary& summary, std::vector<ExprId> more) {
  for (const Slot& s : summary.slots) {
    more.insert(more.end(), {s.body, s.merge, s.identity});
    if (s.fold != no_expr) more.push_back(s.fold);
  }
  more.insert(more.end(), summary.finalize.begin(), summary.finalize.end());
  return more;
}

} // namespace

NumericSummary::NumericSummary(const Arena& arena, const Summary& summary, std::vector<ExprId> more)
    : arena_(&arena), summary_(&summary),
      program_(std::make_shared<NodeProgram>(arena, roots_of(summary, std::move(more)))) {
  DoubleMath math;
  program_->literals<DoubleMath>(math, values_, [](double v) { return v; });
}

const std::vector<ExprId>& NumericSummary::leaves() const { return program_->leaves(); }

std::size_t NumericSummary::size() const { return program_->size(); }

void NumericSummary::set(ExprId leaf, double value) {
  if (program_->contains(leaf)) values_[program_->place(leaf)] = value;
}

void NumericSummary::put(std::uint32_t symbol, double v) {
  for (ExprId leaf : program_->leaves())
    if ((*arena_)[leaf].op == Op::symbol && (*arena_)[leaf].payload == symbol) values_[program_->place(leaf)] = v;
}

double NumericSummary::value(ExprId node, const Element& element) {
  for (const auto& [leaf, v] : element) set(leaf, v);
  auto [it, fresh] = needed_.try_emplace(node);
  if (fresh) it->second = program_->needed(node);
  DoubleMath math;
  program_->run(math, values_, it->second);
  return values_[program_->place(node)];
}

std::vector<double> NumericSummary::state(std::span<const Element> chunk, std::size_t first) {
  std::vector<double> out;
  for (std::size_t k = 0; k < summary_->slots.size(); ++k) {
    const Slot& s = summary_->slots[k];
    double total = arena_->value(s.identity);
    const bool position =
        s.reducer == static_cast<ReducerId>(Builtin::argmax) || s.reducer == static_cast<ReducerId>(Builtin::argmin);
    double best = 0;
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      double v = value(s.body, chunk[i]);
      if (s.fold != no_expr) {
        put(left_symbol(k), total), put(right_symbol(k), v);
        total = value(s.fold, {});
        continue;
      }
      if (!position) {
        total = fold(s.reducer, total, v);
        continue;
      }
      auto at = static_cast<double>(first + i);
      bool up = s.reducer == static_cast<ReducerId>(Builtin::argmax);
      if (i == 0 || (std::isnan(v) && !std::isnan(best)) || (up ? v > best : v < best)) best = v, total = at;
    }
    out.push_back(total);
    put(slot_symbol(k), total);
  }
  return out;
}

std::vector<double> NumericSummary::merge(std::span<const double> a, std::span<const double> b) {
  std::vector<double> out;
  for (std::size_t k = 0; k < a.size(); ++k) put(left_symbol(k), a[k]), put(right_symbol(k), b[k]);
  for (std::size_t k = 0; k < a.size(); ++k) {
    double v = value(summary_->slots[k].merge, {});
    out.push_back(v);
    put(slot_symbol(k), v);
  }
  return out;
}

std::vector<double> NumericSummary::finalize(std::span<const double> state) {
  for (std::size_t k = 0; k < state.size(); ++k) put(slot_symbol(k), state[k]);
  std::vector<double> out;
  for (ExprId f : summary_->finalize) out.push_back(value(f, {}));
  return out;
}

} // namespace aicf
