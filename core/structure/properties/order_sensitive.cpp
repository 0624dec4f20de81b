#include "core/structure/properties/profile_facts.hpp"
#include "core/structure/verify.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace aicf {
namespace {

/// Every operation rounded to f32. (A double holds the exact sum and product of two f32 closely enough that rounding it
/// again is rounding once; Figueroa, "When is double rounding innocuous?", SIGNUM 30 (1995).)
struct FloatMath {
  using Value = double;
  [[nodiscard]] static double number(const mpq_class& v) { return static_cast<float>(v.get_d()); }
  [[nodiscard]] static double apply(Op op, std::uint32_t payload, std::span<const double> args) {
    return static_cast<float>(DoubleMath::apply(op, payload, args));
  }
};

/// Three f32 numbers whose combination in f32 depends on the brackets.
std::optional<Counterexample> brackets(const Subject& subject, ReducerId reducer) {
  const Definition& d = *subject.canonical().source;
  std::vector<double> values;
  std::optional<NodeProgram> program;
  ExprId root = no_expr;
  if (reducer >= first_user_reducer) {
    root = d.reducers[reducer - first_user_reducer].combine;
    program.emplace(d.arena, std::vector{root});
    FloatMath math;
    program->literals<FloatMath>(math, values, [](double v) { return v; });
  }
  auto combine = [&](double a, double b) -> double {
    if (!program) return static_cast<float>(fold(reducer, a, b));
    for (ExprId leaf : program->leaves())
      if (d.arena[leaf].op == Op::symbol) values[program->place(leaf)] = d.arena[leaf].payload == 0 ? a : b;
    FloatMath math;
    program->run(math, values);
    return values[program->place(root)];
  };
  Random random(mix(subject.seed(), 1400));
  for (int t = 0; t < 200; ++t) {
    std::array<double, 3> v{};
    for (double& x : v) x = static_cast<float>(0.1 + random.uniform() * (t % 2 == 0 ? 1 : 8));
    double l = combine(combine(v[0], v[1]), v[2]), r = combine(v[0], combine(v[1], v[2]));
    if (l == r || std::isnan(l) || std::isnan(r)) continue;
    Counterexample c;
    c.inputs = {{"a", {v[0]}}, {"b", {v[1]}}, {"c", {v[2]}}};
    c.expected = l, c.observed = r;
    c.text = "in f32 (a + b) + c = " + nlohmann::json(l).dump() + ", a + (b + c) = " + nlohmann::json(r).dump();
    return c;
  }
  return std::nullopt;
}

/// The bits of a result depend on the order in which a reduction combines its elements.
PropertyVerdict decide(const Subject& subject) {
  const StructureProfile& p = subject.profile();
  if (p.reductions.empty()) return not_applicable("it has no reduction");
  bool unsure = false;
  for (const Reduction& r : p.reductions) {
    const ReducerLaws& laws = subject.laws(r);
    if (laws.reorders() && laws.holds(Law::selective)) continue; // nothing is computed
    if (auto at = brackets(subject, subject.canonical().arena.reduction(r.node).reducer)) {
      PropertyVerdict v = holds("f32 numbers whose brackets matter", r.name);
      v.counterexample = std::move(at);
      return v;
    }
    unsure = true;
  }
  if (unsure) return not_known("no f32 numbers were found whose brackets matter");
  return fails("every reducer in use selects one of its operands, in any order", "the same bits in every order");
}

const RegisterProperty register_order{{"order_sensitive", 1, decide}};

} // namespace
} // namespace aicf
