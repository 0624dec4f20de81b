#include "core/structure/decide.hpp"

#include "core/structure/field.hpp"
#include "core/structure/real_sample.hpp"
#include "core/structure/summary_builder.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace aicf {
namespace {

constexpr std::size_t text_limit = 400;

std::string join(const std::vector<std::string>& parts, const char* between) {
  std::string out;
  for (const std::string& p : parts) out += (out.empty() ? "" : between) + p;
  return out;
}

class Decider {
 public:
  Decider(const Model& model, const std::vector<std::size_t>& cascade, std::size_t index, Algebra& algebra,
          const Names& names, std::uint64_t seed, std::stop_token stop)
      : m_(model), cascade_(cascade), index_(index), item_(model.items[index]), a_(algebra), names_(names),
        seed_(mix(seed, index)), stop_(std::move(stop)) {}

  Decision run() {
    Certificate& c = out_.certificate;
    c.id = "rank:" + item_.name;
    c.seed = seed_;
    out_.form = a_.of(item_.element);
    std::vector<std::string> d;
    for (std::size_t i : item_.dependencies) d.push_back(m_.items[i].name);
    std::string reducer = reducer_name(*m_.canonical->source, item_.reducer);
    step("reads", reducer + "[" + join(item_.axes, ", ") + "] " + text(item_.body),
         d.empty() ? "no reduction over the same axis" : "d: " + join(d, ", "));
    Form settled = settle_ties(a_, out_.form);
    if (!item_.dependencies.empty()) step("normal-form", text(item_.element), text(settled));
    if (item_.is(Builtin::sum))
      sum(std::move(settled));
    else if (item_.is(Builtin::max) || item_.is(Builtin::min))
      extremum();
    else if (item_.is(Builtin::prod))
      product();
    else
      other(reducer);
    return std::move(out_);
  }

 private:
  void step(std::string rule, std::string before, std::string after) {
    out_.certificate.steps.push_back({std::move(rule), std::move(before), std::move(after)});
  }
  std::string text(ExprId id) { return print(m_.arena(), id, names_, text_limit); }
  std::string text(const Form& f) { return text(a_.express(f)); }
  void settle(Certificate::Verdict verdict, std::string claim, std::string method, double bound) {
    Certificate& c = out_.certificate;
    c.verdict = verdict;
    c.claim = std::move(claim);
    c.method = std::move(method);
    c.bound = bound;
  }
  void finite(int rank, Certificate::Verdict verdict, const std::string& method, double bound) {
    out_.rank = {Rank::Kind::finite, rank};
    settle(verdict, item_.name + " has separation rank " + std::to_string(rank), method, bound);
  }
  void unknown(const std::string& why) {
    out_.rank = {Rank::Kind::unknown, 0};
    settle(Certificate::Verdict::unknown, "the rank of " + item_.name + " is not known", why, 1);
  }

  void sum(Form f) {
    if (item_.dependencies.empty()) {
      step("independent", "f(x; d) reads no d", "f(x)*1");
      return finite(f.empty() ? 0 : 1, Certificate::Verdict::proven, "no dependence over the axis", 0);
    }
    if (f.empty()) {
      step("reachability", text(item_.element), "0 on every pair that occurs");
      out_.form.clear();
      out_.split.emplace();
      return finite(0, Certificate::Verdict::proven, "exact normal form under reachability", 0);
    }
    for (AtomId id : a_.below(f))
      if (a_.atom(id).type == Atom::Type::leaf && a_.atom(id).part == part_mixed)
        return unknown("a dependency is read inside a reduction over another axis: " + text(a_.atom(id).node));
    out_.split = split(a_, f);
    if (!out_.split) { // max(a, b) = (a + b + |a - b|)/2, which may cancel
      Form open = without_extrema(f);
      out_.split = split(a_, open);
      if (out_.split) step("open-extrema", text(f), text(open)), f = std::move(open);
    }
    out_.form = f;
    FieldRank field = field_rank(a_, f, mix(seed_, 5));
    Certificate& c = out_.certificate;
    c.trials = 1;
    step("field-matrix", "f(x_i; d_j) over F_p, p = " + std::to_string(field_p),
         field.full ? "rank " + std::to_string(field.rank) + " of a " + std::to_string(field.size) + " x " +
                          std::to_string(field.size) + " sample: > " + std::to_string(field.above)
                    : "rank " + std::to_string(field.rank) + " in a sample of " + std::to_string(field.size));
    if (out_.split) return separated(field);
    if (!field.full && !field.blind) {
      double k = std::max<double>(1, static_cast<double>(f.size()));
      return finite(field.rank, Certificate::Verdict::probably, "rank over the field; no separated form was derived",
                    false_accept(1000, k * (field.rank + 1)));
    }
    real(field);
  }

  Form without_extrema(const Form& f) {
    std::map<AtomId, Form> with;
    for (AtomId id : a_.below(f)) {
      const Atom a = a_.atom(id);
      if (a.type != Atom::Type::call || a.part != part_mixed || (a.op != Op::max && a.op != Op::min)) continue;
      const Form distance = a_.call(Op::abs, 0, {Algebra::add(a.args[0], Algebra::negate(a.args[1]))});
      const Form total = Algebra::add(a.args[0], a.args[1]);
      with[id] = Algebra::scale(Algebra::add(total, a.op == Op::max ? distance : Algebra::negate(distance)), {1, 2});
    }
    return with.empty() ? f : a_.expand(a_.replace(f, with));
  }

  void separated(const FieldRank& field) {
    const Split& s = *out_.split;
    for (std::size_t i = 0; i < s.x_parts.size() && i < 16; ++i) {
      Form g, h;
      g.emplace(s.x_parts[i], 1);
      for (std::size_t k = 0; k < s.d_parts.size(); ++k) {
        Form d;
        d.emplace(s.d_parts[k], 1);
        Algebra::add_to(h, a_.multiply(s.coefficient[i][k], d));
      }
      step("separate", "g" + std::to_string(i + 1) + "(x) = " + text(g),
           "h" + std::to_string(i + 1) + "(d) = " + text(h));
    }
    int upper = coefficient_rank(a_, s, mix(seed_, 6));
    int rank = field.full ? upper : std::min(upper, field.rank);
    // the form is exact, so its rank bounds from above; a nonzero minor in the field bounds from below
    bool proven = upper == rank && (field.rank >= rank);
    finite(rank, proven ? Certificate::Verdict::proven : Certificate::Verdict::probably,
           proven ? "exact exponential polynomial; a nonzero minor of this size over the field"
                  : "rank over the field, below the number of derived terms",
           proven ? 0 : false_accept(1000, std::max<double>(1, static_cast<double>(s.x_parts.size()))));
  }

  /// Whether a reduction inside an element runs over elements of the same axis.
  bool reads_axis_again(ExprId reduce) const {
    const Arena& arena = m_.arena();
    Loads axis = item_.loads;
    for (std::size_t d : item_.dependencies) axis.insert(m_.items[d].loads.begin(), m_.items[d].loads.end());
    std::array inner{arena.body(reduce), arena.predicate(reduce)};
    for (ExprId load : reachable(arena, inner)) {
      if (!is_load(arena[load].op)) continue;
      for (std::uint32_t k = 0; k < arena[load].count; ++k)
        for (VarId v : arena.reduction(reduce).vars)
          if (axis.contains({arena[load].payload, k}) && mentions(arena, arena.operand(load, k), v)) return true;
    }
    return false;
  }

  /// Elements that are made of others of the same axis (prefix sums) are computed from those, not sampled on their own.
  /// False where one is of another kind.
  bool find_inner(RealProblem& p) {
    Arena& arena = m_.arena();
    std::vector<ExprId> roots{item_.element, item_.mask};
    for (const Dependency& d : p.dependencies) roots.insert(roots.end(), {d.body, d.predicate});
    for (ExprId id : reachable(arena, roots)) {
      if (arena[id].op != Op::reduce || !m_.along(id) || !reads_axis_again(id)) continue;
      const Reduce what = arena.reduction(id);
      if (what.vars.size() != 1) return false;
      Inner in{id,
               what.reducer,
               what.vars[0],
               arena.operand(id, 0),
               arena.operand(id, 1),
               arena.predicate(id),
               arena.body(id),
               {}};
      const ExprId var = arena.make(Op::index, Kind::integer, {}, in.var),
                   axis = arena.make(Op::index, Kind::integer, {}, axis_var);
      std::array inside{in.body, in.predicate};
      for (ExprId leaf : reachable(arena, inside)) {
        if (!mentions(arena, leaf, in.var)) continue;
        const Op op = arena[leaf].op;
        if (op == Op::reduce) return false;
        if (op == Op::index || is_load(op)) in.own[leaf] = substitute(arena, leaf, {{var, axis}});
      }
      p.inner.push_back(std::move(in));
    }
    return true;
  }

  std::optional<RealUnbounded> sampled(RealProblem::Action action) {
    RealProblem p = problem();
    if (!find_inner(p)) return std::nullopt;
    p.action = action;
    return real_unbounded(p, mix(seed_, 7), stop_);
  }

  RealProblem problem() {
    RealProblem p;
    p.arena = &m_.arena();
    p.f = item_.element;
    p.predicate = item_.mask;
    std::set<std::size_t> needed(item_.dependencies.begin(), item_.dependencies.end());
    for (auto it = cascade_.rbegin(); it != cascade_.rend(); ++it)
      if (needed.contains(*it)) needed.insert(m_.items[*it].dependencies.begin(), m_.items[*it].dependencies.end());
    for (std::size_t i : cascade_)
      if (needed.contains(i))
        p.dependencies.push_back({m_.items[i].node, m_.items[i].reducer, m_.items[i].mask, m_.items[i].element});
    p.along_axis = [this](ExprId id) { return m_.along(id); };
    p.extents = extent_dims(m_, item_);
    p.name = [this](ExprId id) { return text(id); };
    return p;
  }

  void real(const FieldRank& field) {
    if (field.size == 0) return unknown("too large an expression to be sampled");
    auto found = sampled(RealProblem::Action::sum);
    std::string cap = field.full ? "rank > " + std::to_string(field.above) + " in the field" +
                                       (field.opaque ? " (through an opaque function)" : "")
                                 : "an equality of x and d, which the field does not see";
    if (!found) return unknown(cap + "; no real sample decided it");
    unbounded(std::move(*found), "nonzero determinants of (f(x_i; d_j)) on reachable real samples");
  }

  void unbounded(RealUnbounded found, const std::string& what) {
    out_.rank = {Rank::Kind::unbounded, 0};
    settle(Certificate::Verdict::proven, item_.name + " has no bounded separation rank", found.arithmetic + ": " + what,
           0);
    for (std::size_t i = 0; i < found.sizes.size(); ++i)
      step("determinant",
           std::to_string(found.sizes[i]) + " elements, " + std::to_string(found.sizes[i]) + " values of d",
           found.determinants[i]);
    out_.certificate.trials = static_cast<int>(found.sizes.size());
    out_.certificate.witness = std::move(found.witness);
  }

  void extremum() {
    if (item_.dependencies.empty()) {
      step("independent", "f(x; d) reads no d", "f(x) + 0");
      return finite(1, Certificate::Verdict::proven, "no dependence over the axis", 0);
    }
    const ExtremumForm how = extremum_form(m_, a_, item_.element, out_.form, item_.is(Builtin::max));
    if (how.of.empty()) {
      auto found = sampled(item_.is(Builtin::max) ? RealProblem::Action::max : RealProblem::Action::min);
      if (!found) return unknown("no form over (max, +) was derived, and no real sample decided it");
      return unbounded(std::move(*found), "reachable real samples in which every element decides at one d");
    }
    if (!how.outer.empty())
      step("monotone", text(item_.element), how.rising ? "a rising function of what follows" : "a falling one");
    for (const Alternative& x : how.of)
      step("max-plus", text(out_.form), (x.exponential ? "exp of " : "") + text(x.x) + " and " + text(x.d));
    finite(static_cast<int>(how.of.size()), Certificate::Verdict::proven,
           "factor rank over (max, +), from the normal form", 0);
  }

  void product() {
    if (item_.dependencies.empty()) {
      step("independent", "f(x; d) reads no d", "f(x)*1");
      return finite(1, Certificate::Verdict::proven, "no dependence over the axis", 0);
    }
    std::optional<Split> s = split(a_, out_.form);
    if (s && s->x_parts.size() == 1 && s->d_parts.size() == 1)
      return finite(1, Certificate::Verdict::proven, "a product g(x)*h(d): h enters with the number of elements", 0);
    if (const std::optional<Logs> logs = split_of_logs(a_, out_.form)) {
      Form of_x; // what is free of x enters with the number of elements
      for (const auto& [key, c] : logs->exponent)
        if ((a_.part(key) & part_x) != 0) of_x.emplace(key, c);
      TermKey alone = part_of(a_, logs->outside.begin()->first, part_x);
      if (!(alone == TermKey{})) Algebra::add_to(of_x, a_.log(Form{{alone, 1}}));
      step("logarithm", text(out_.form), "factors g(x)^h(d): exp of " + text(of_x));
      s = split(a_, of_x);
      const int rank = s ? coefficient_rank(a_, *s, mix(seed_, 6)) : 0;
      if (rank > 0)
        return finite(rank, Certificate::Verdict::proven, "factors g(x)^h(d), from the normal form of the logarithm",
                      0);
    }
    auto found = sampled_logs();
    if (!found) return unknown("a factor in which x and d meet, and no real sample decided its logarithm");
    found->witness.expected = "of the logs of the factors, " + found->witness.expected;
    unbounded(std::move(*found), "nonzero determinants of (log |f(x_i; d_j)|) on reachable real samples");
  }

  std::optional<RealUnbounded> sampled_logs() {
    RealProblem p = problem();
    if (!find_inner(p)) return std::nullopt;
    const std::array element{item_.element};
    const std::array magnitude{make_canonical(m_.arena(), Op::abs, Kind::real, element)};
    p.f = make_canonical(m_.arena(), Op::log, Kind::real, magnitude);
    p.action = RealProblem::Action::sum;
    return real_unbounded(p, mix(seed_, 7), stop_);
  }

  void other(const std::string& reducer) {
    out_.rank = {Rank::Kind::none, 0};
    settle(Certificate::Verdict::proven, "separation rank does not apply to " + reducer, "definition of the rank", 0);
  }

  const Model& m_;
  const std::vector<std::size_t>& cascade_;
  std::size_t index_;
  const Item& item_;
  Algebra& a_;
  const Names& names_;
  std::uint64_t seed_;
  std::stop_token stop_;
  Decision out_;
};

} // namespace

Decision decide(const Model& model, const std::vector<std::size_t>& cascade, std::size_t item, Algebra& algebra,
                const Names& names, std::uint64_t seed, std::stop_token stop) {
  return Decider(model, cascade, item, algebra, names, seed, std::move(stop)).run();
}

Names names_for(const Model& model, const std::vector<std::size_t>& cascade) {
  Names names = names_of(*model.canonical);
  std::vector<std::string> axes = model.items[cascade.front()].axes;
  names.var = [base = names.var, axes](VarId v) {
    if (v <= axis_var && axis_var - v < axes.size()) return axes[axis_var - v];
    return base(v);
  };
  return names;
}

void learn_facts(const Model& model, const std::vector<std::size_t>& cascade, Algebra& algebra) {
  for (std::size_t d : cascade) {
    const Item& item = model.items[d];
    if (model.along(item.node) || (!item.is(Builtin::max) && !item.is(Builtin::min))) continue;
    std::set<ExprId> mine = conjuncts(model.arena(), item.mask);
    bool covers = std::all_of(cascade.begin(), cascade.end(), [&](std::size_t r) {
      const auto& reads = model.items[r].dependencies;
      if (std::find(reads.begin(), reads.end(), d) == reads.end()) return true;
      return std::ranges::includes(conjuncts(model.arena(), model.items[r].mask), mine);
    });
    if (covers) algebra.learn({algebra.leaf(item.node), item.is(Builtin::max) ? 1 : -1, algebra.of(item.element)});
  }
}

} // namespace aicf
