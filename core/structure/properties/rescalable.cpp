#include "core/expr/print.hpp"
#include "core/structure/properties/profile_facts.hpp"
#include "core/structure/verify.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace aicf {
namespace {

/// A 2 x 2 minor of f(x; d) that is not zero, at dependencies above every element: no one factor carries a state over.
std::optional<Counterexample> minor(const Subject& subject, const Reduction& r) {
  const StructureProfile& p = subject.profile();
  const Canonical& c = subject.canonical();
  ExprId f = no_expr;
  for (const Cascade& cascade : p.cascades)
    for (std::size_t k = 0; k < cascade.reductions.size(); ++k)
      if (&p.reductions[cascade.reductions[k]] == &r) f = cascade.elements[k];
  std::vector<ExprId> dependencies;
  for (const std::string& name : r.depends_on)
    if (const Reduction* d = reduction_named(p, name)) dependencies.push_back(d->node);
  NodeProgram program(c.arena, {f});
  std::vector<double> values;
  DoubleMath math;
  program.literals<DoubleMath>(math, values, [](double v) { return v; });
  Random random(mix(subject.seed(), 1300));
  Counterexample out;
  for (int t = 0; t < 20; ++t) {
    std::array<std::array<double, 2>, 2> m{};
    std::vector<std::array<double, 2>> drawn;
    std::vector<int> side; // 0: x, 1: d, 2: neither
    for (ExprId leaf : program.leaves()) {
      const Node& n = c.arena[leaf];
      const std::vector<VarId> vars = free_vars(c.arena, leaf);
      const bool d = std::find(dependencies.begin(), dependencies.end(), leaf) != dependencies.end();
      const bool x =
          !d && std::any_of(vars.begin(), vars.end(), [](VarId v) { return v <= axis_var && v + 16 > axis_var; });
      side.push_back(n.op == Op::number ? 3 : d ? 1 : x ? 0 : 2);
      auto draw = [&] { return static_cast<double>(random.below(256)) / 128 - (d ? -3 : 1); };
      double first = draw(), second = draw();
      if (n.kind == Kind::integer) first = 3, second = 4;
      drawn.push_back({first, side.back() == 2 ? first : second});
    }
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 2; ++j) {
        for (std::size_t k = 0; k < side.size(); ++k)
          if (side[k] != 3) values[program.place(program.leaves()[k])] = drawn[k][side[k] == 0 ? i : j];
        program.run(math, values);
        m[i][j] = values[program.place(f)];
      }
    double l = m[0][0] * m[1][1], rhs = m[0][1] * m[1][0];
    if (!std::isfinite(l) || !std::isfinite(rhs) || std::fabs(l - rhs) < 1e-6 * (1 + std::fabs(l) + std::fabs(rhs)))
      continue;
    Names names = names_of(c);
    for (std::size_t k = 0; k < side.size(); ++k)
      if (side[k] != 3) out.inputs[print(c.arena, program.leaves()[k], names, 80)] = {drawn[k][0], drawn[k][1]};
    out.expected = l, out.observed = rhs;
    out.text =
        "f(x1; d1)*f(x2; d2) = " + nlohmann::json(l).dump() + ", f(x1; d2)*f(x2; d1) = " + nlohmann::json(rhs).dump();
    return out;
  }
  return std::nullopt;
}

/// A new running value multiplies the state of each dependent reduction by one factor (or, of an extremum, adds one).
PropertyVerdict decide(const Subject& subject) {
  const StructureProfile& p = subject.profile();
  std::string names;
  for (const Reduction& r : p.reductions) {
    if (r.depends_on.empty() || r.rank.kind == Rank::Kind::none) continue;
    const Certificate* c = certificate_in(p, r.certificate);
    if (r.rank.kind == Rank::Kind::unbounded) return fails("samples of full rank", r.name, from_witness(c));
    if (r.rank.kind == Rank::Kind::unknown) return not_known(r.name + ": " + (c != nullptr ? c->method : "no rank"));
    if (r.rank.value > 1) {
      auto at = minor(subject, r);
      return fails("a 2 x 2 minor that is not zero", r.name + " has rank " + std::to_string(r.rank.value), at);
    }
    names += (names.empty() ? "" : ", ") + r.name;
  }
  if (names.empty()) return not_applicable("no reduction depends on another over its axis");
  return holds("rank 1 of each dependent reduction", names);
}

const RegisterProperty register_rescalable{{"rescalable", 1, decide}};

} // namespace
} // namespace aicf
