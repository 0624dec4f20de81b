#include "core/structure/properties/probe.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

namespace aicf {
namespace {

bool has_kink(Op op) {
  switch (op) {
  case Op::abs:
  case Op::sign:
  case Op::min:
  case Op::max:
  case Op::floor:
  case Op::ceil:
  case Op::round:
  case Op::floordiv:
  case Op::mod:
  case Op::select:
  case Op::round_to: return true;
  default: return false;
  }
}

bool extremum(Op op) { return op == Op::max || op == Op::min; }

/// Results with every extremum replaced by a free symbol.
std::vector<ExprId> with_free_extrema(Instance& instance, const std::vector<ExprId>& results, std::size_t first_extra) {
  Arena& arena = instance.arena();
  std::unordered_map<ExprId, ExprId> now;
  for (ExprId id : reachable(arena, results)) {
    const Node n = arena[id];
    if (extremum(n.op)) {
      now[id] = instance.extra(first_extra++);
      continue;
    }
    std::vector<ExprId> args;
    for (ExprId o : arena.operands(id)) args.push_back(now.at(o));
    now[id] = arena.with_operands(id, args);
  }
  std::vector<ExprId> out;
  for (ExprId r : results) out.push_back(now.at(r));
  return out;
}

/// A point of a line on which the slopes of a result from its two sides differ.
std::optional<PropertyVerdict> kink(const Subject& subject, const std::vector<ExprId>& results,
                                    const std::vector<ExprId>& kinks) {
  Instance& instance = *subject.instance();
  Arena& arena = instance.arena();
  std::vector<ExprId> gaps; // zero where a side is changed
  for (ExprId id : kinks) {
    ExprId a = arena.operand(id, 0), b = arena.number(0);
    if (extremum(arena[id].op)) b = arena.operand(id, 1);
    if (arena[id].op == Op::select) {
      const ExprId c = a;
      if (arena[c].op != Op::lt && arena[c].op != Op::le) continue;
      a = arena.operand(c, 0), b = arena.operand(c, 1);
    }
    if (arena[id].op == Op::round) b = arena.number(0.5);
    if (arena[id].op == Op::round_to || arena[id].op == Op::floordiv || arena[id].op == Op::mod) b = arena.number(0.5);
    gaps.push_back(arena.make(Op::sub, Kind::real, {a, b}));
  }
  if (gaps.empty()) return std::nullopt;
  Values gap(instance, gaps), value(instance, results);
  Random random(mix(subject.seed(), 1200));
  for (int line = 0; line < 10; ++line) {
    std::vector<double> p = sample(instance, 0, random, line), q = sample(instance, 0, random, 2 * line);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = (q[i] - p[i]) / 4 + (i % 2 == 0 ? 0.25 : -0.125);
    auto at = [&](double t) {
      std::vector<double> x = p;
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += t * q[i];
      return x;
    };
    constexpr int steps = 16, half = steps / 2;
    std::vector<std::vector<double>> grid;
    for (int k = 0; k <= steps; ++k) grid.push_back(gap.run(at(k - half)));
    for (std::size_t g = 0; g < gaps.size() && g < 12; ++g)
      for (int k = 0; k < steps; ++k) {
        double l = grid[static_cast<std::size_t>(k)][g], r = grid[static_cast<std::size_t>(k) + 1][g];
        if (!(l * r < 0)) continue;
        double lo = k - half, hi = lo + 1;
        for (int i = 0; i < 60; ++i) {
          double mid = (lo + hi) / 2;
          (gap.run(at(mid))[g] * l > 0 ? lo : hi) = mid;
        }
        const double h = 0x1p-16;
        const std::vector<double> here = value.run(at(hi)), before = value.run(at(hi - h)),
                                  after = value.run(at(hi + h)), wide_before = value.run(at(hi - 2 * h)),
                                  wide_after = value.run(at(hi + 2 * h));
        for (std::size_t e = 0; e < results.size(); ++e) {
          double left = (here[e] - before[e]) / h, right = (after[e] - here[e]) / h;
          double scale = 1e-2 * (1 + std::fabs(left) + std::fabs(right));
          // the slopes must be slopes: those over twice the step agree, or jump
          double left2 = (here[e] - wide_before[e]) / (2 * h), right2 = (wide_after[e] - here[e]) / (2 * h);
          if (!std::isfinite(left) || !std::isfinite(right) || std::fabs(left - right) <= scale) continue;
          if (std::fabs(left2 - right2) <= scale / 4) continue;
          Counterexample c = example(
              instance, at(hi),
              [&](std::size_t i, std::size_t x) {
                const Instance::Input& in = instance.inputs()[i];
                return in.real ? instance.arena().number(at(hi + h)[in.first + x]) : instance.element(i, x);
              },
              e, left, right);
          c.text = "slope of " + c.result + ", element " + std::to_string(c.element) +
                   ", towards the changed inputs: " + std::to_string(left) + " before, " + std::to_string(right) +
                   " after (a step is 2^-16)";
          return fails("one-sided slopes that differ", "along a line through the inputs", c);
        }
      }
  }
  return std::nullopt;
}

/// Differentiable in its real inputs wherever it is defined.
PropertyVerdict decide(const Subject& subject) {
  Instance* instance = subject.instance();
  if (instance == nullptr) return not_known(subject.why_no_instance());
  const Instance::Elements& y = instance->results();
  bool real = std::any_of(instance->outputs().begin(), instance->outputs().end(),
                          [](const auto& o) { return o.kind == Kind::real; });
  if (!real || instance->symbols() == 0) return not_applicable("it has no real result of a real input");
  std::vector<ExprId> results;
  for (std::size_t o = 0; o < y.size(); ++o) results.insert(results.end(), y[o].begin(), y[o].end());
  std::vector<ExprId> kinks;
  bool only_extrema = true;
  for (ExprId id : reachable(instance->arena(), results)) {
    const Op op = instance->arena()[id].op;
    if (!has_kink(op)) continue;
    std::vector<bool> reads = instance->reads(id);
    if (std::find(reads.begin(), reads.end(), true) == reads.end()) continue;
    kinks.push_back(id);
    only_extrema = only_extrema && extremum(op);
  }
  if (kinks.empty()) return holds("every operation is differentiable where it is defined", "at " + instance->sizes());
  if (auto found = kink(subject, results, kinks)) return *found;
  if (only_extrema) { // a running maximum that cancels: the results are the same for any value in its place
    std::vector<ExprId> one = with_free_extrema(*instance, results, 0);
    Relation r;
    r.text = "the extrema cancel: any value in their place gives the same results";
    r.extras = kinks.size();
    r.load = [&](std::size_t i, std::size_t e) { return instance->element(i, e); };
    std::size_t next = 0;
    r.expected = [&](const Instance::Elements&, std::size_t, std::size_t) { return one[next++]; };
    PropertyVerdict v = decide_relation(subject, r);
    if (v.answer == PropertyVerdict::Answer::holds) return v;
  }
  return not_known(std::to_string(kinks.size()) + " operations with a kink, and no point where one shows");
}

const RegisterProperty register_differentiable{{"differentiable", 1, decide}};

} // namespace
} // namespace aicf
