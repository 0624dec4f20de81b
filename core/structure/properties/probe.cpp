#include "core/structure/properties/probe.hpp"

#include "core/structure/interval.hpp"
#include "core/structure/separation.hpp"
#include "core/structure/verify.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>

namespace aicf {
namespace {

constexpr int samples = 24;
constexpr std::size_t max_work = 3000000; ///< nodes evaluated in doubles for one relation

/// Apart by more than rounding explains; a smaller difference still wants an interval's word.
bool differ(double a, double b, double relative = 1e-4) {
  if (!std::isfinite(a) || !std::isfinite(b)) return false; // outside the reals: the ledger's matter
  return std::fabs(a - b) > relative * (1 + std::fabs(a) + std::fabs(b));
}

std::string number(double v) { return nlohmann::json(v).dump(); }

/// -1, 1: the intervals do or do not meet; 0: not certain.
int certified(Instance& instance, ExprId a, ExprId b, const std::vector<double>& symbols) {
  NodeProgram program(instance.arena(), {a, b});
  IntervalMath math{.precision = 160};
  std::vector<Interval> values;
  program.literals<IntervalMath>(math, values, [&](double) {
    math.failed = true;
    return math.number(0);
  });
  for (ExprId leaf : program.leaves())
    if (instance.arena()[leaf].op == Op::symbol)
      values[program.place(leaf)] = math.number(mpq_class(symbols[instance.arena()[leaf].payload]));
  if (!math.failed) program.run(math, values);
  if (math.failed) return 0;
  return math.sub(values[program.place(a)], values[program.place(b)]).excludes_zero() ? 1 : -1;
}

struct Tested {
  bool equal = false, opaque = false;
  int trials = 0;
  double bound = 1;
};

/// Whether pairs of elements agree over the field.
Tested over_the_field(Instance& instance, const std::vector<std::pair<ExprId, ExprId>>& pairs, std::uint64_t seed) {
  std::vector<ExprId> roots;
  for (const auto& [a, b] : pairs) roots.insert(roots.end(), {a, b});
  NodeProgram program(instance.arena(), roots);
  double k = 1; // exponential terms of the largest identity
  for (const auto& [l, r] : pairs) {
    const std::array sides{l, r};
    double mine = 1;
    for (ExprId id : reachable(instance.arena(), sides)) {
      Op op = instance.arena()[id].op;
      if (op == Op::exp || op == Op::tanh || op == Op::sigmoid || op == Op::sin || op == Op::cos) mine += 1;
    }
    k = std::max(k, mine);
  }
  Tested out;
  double log_bound = 0;
  const auto degree = static_cast<double>(4 + program.size());
  for (int t = 0, poles = 0; t < 400 && (out.trials < 2 || log_bound > std::log(1e-9)); ++t) {
    if (static_cast<std::size_t>(t) * program.size() > 600000) break;
    Field field(mix(seed, static_cast<std::uint64_t>(t)));
    Random random(mix(seed, 200 + static_cast<std::uint64_t>(t)));
    std::vector<FieldValue> values;
    program.literals<Field>(field, values, [&](double) { return field.random(random); });
    for (ExprId leaf : program.leaves()) {
      const Node& n = instance.arena()[leaf];
      if (n.op == Op::symbol)
        values[program.place(leaf)] = n.payload >= instance.symbols() ? field.positive(random) : field.random(random);
    }
    program.run(field, values);
    if (field.divided_by_zero) {
      if (++poles > 20) break;
      continue;
    }
    out.opaque = out.opaque || field.opaque;
    for (const auto& [a, b] : pairs)
      if (!(values[program.place(a)] == values[program.place(b)])) return out;
    ++out.trials;
    log_bound += std::log(std::min(0.999, false_accept(degree, k)));
  }
  out.equal = out.trials > 0;
  out.bound = std::exp(log_bound);
  return out;
}

} // namespace

Values::Values(Instance& instance, std::vector<ExprId> roots)
    : instance_(instance), roots_(std::move(roots)), program_(instance.arena(), roots_) {
  DoubleMath math;
  program_.literals<DoubleMath>(math, values_, [](double v) { return v; });
  for (ExprId leaf : program_.leaves())
    if (instance.arena()[leaf].op == Op::symbol)
      symbols_.emplace_back(program_.place(leaf), instance.arena()[leaf].payload);
  out_.resize(roots_.size());
}

const std::vector<double>& Values::run(const std::vector<double>& symbols) {
  for (auto [place, symbol] : symbols_) values_[place] = symbols.at(symbol);
  DoubleMath math;
  program_.run(math, values_);
  for (std::size_t i = 0; i < roots_.size(); ++i) out_[i] = values_[program_.place(roots_[i])];
  return out_;
}

std::vector<double> sample(const Instance& instance, std::size_t extras, Random& random, int number) {
  std::vector<double> x(instance.symbols() + extras);
  for (std::size_t i = 0; i < x.size(); ++i) {
    auto positive = [&] { return (1 + static_cast<double>(random.below(128))) / 32; };
    x[i] = positive();
    if (i < instance.symbols() && number % 2 == 0) x[i] -= 2;
    if (number % 6 == 4) x[i] *= 8;
  }
  return x;
}

std::vector<ExprId> flat(const Instance::Elements& elements) {
  std::vector<ExprId> all;
  for (const auto& list : elements) all.insert(all.end(), list.begin(), list.end());
  return all;
}

std::pair<std::size_t, std::size_t> result_at(const Instance& instance, std::size_t flat_place) {
  std::size_t output = 0;
  while (flat_place >= instance.outputs()[output].count()) flat_place -= instance.outputs()[output++].count();
  return {output, flat_place};
}

std::pair<std::size_t, std::size_t> input_at(const Instance& instance, std::size_t symbol) {
  for (std::size_t i = 0; i < instance.inputs().size(); ++i) {
    const Instance::Input& in = instance.inputs()[i];
    if (in.real && symbol >= in.first && symbol < in.first + in.count()) return {i, symbol - in.first};
  }
  throw std::logic_error("a symbol of no input");
}

std::vector<std::int64_t> coordinates(const std::vector<std::int64_t>& shape, std::size_t element) {
  std::vector<std::int64_t> at(shape.size());
  for (std::size_t k = shape.size(); k-- > 0;) {
    at[k] = static_cast<std::int64_t>(element) % shape[k];
    element /= static_cast<std::size_t>(shape[k]);
  }
  return at;
}

Counterexample example(Instance& instance, const std::vector<double>& symbols, const Instance::Load& load,
                       std::size_t flat_place, double expected, double observed) {
  Counterexample c;
  c.dims = instance.dims();
  c.inputs = instance.named(symbols);
  for (std::size_t i = 0; i < instance.inputs().size(); ++i) {
    const Instance::Input& in = instance.inputs()[i];
    std::vector<ExprId> roots;
    for (std::size_t e = 0; e < in.count(); ++e) roots.push_back(load(i, e));
    std::vector<double> now = Values(instance, roots).run(symbols);
    if (now != c.inputs.at(in.name)) c.changed[in.name] = std::move(now);
  }
  auto [output, element] = result_at(instance, flat_place);
  c.result = instance.outputs()[output].name;
  c.element = element;
  c.expected = expected, c.observed = observed;
  c.text =
      c.result + ", element " + std::to_string(element) + ": " + number(expected) + " expected, " + number(observed);
  return c;
}

std::optional<Counterexample> change(const Subject& subject, std::size_t flat_place, std::size_t symbol) {
  Instance& instance = *subject.instance();
  const ExprId root = flat(instance.results())[flat_place];
  Values values(instance, {root});
  Random random(mix(subject.seed(), 500 + symbol));
  for (int t = 0; t < samples; ++t) {
    std::vector<double> x = sample(instance, 0, random, t), changed = x;
    changed[symbol] += t % 3 == 0 ? 8 : -1.25;
    double before = values.run(x)[0], after = values.run(changed)[0];
    if (!differ(before, after)) continue;
    auto load = [&, symbol](std::size_t input, std::size_t e) {
      ExprId id = instance.element(input, e);
      bool mine = instance.inputs()[input].real && instance.inputs()[input].first + e == symbol;
      return mine ? instance.arena().number(changed[symbol]) : id;
    };
    return example(instance, x, load, flat_place, before, after);
  }
  return std::nullopt;
}

PropertyVerdict decide_relation(const Subject& subject, const Relation& relation) {
  Instance* instance = subject.instance();
  if (instance == nullptr) return not_known(subject.why_no_instance());
  auto changed = instance->written_out(relation.load);
  if (!changed) return not_known("too large with changed inputs");
  std::vector<ExprId> observed = flat(*changed), wanted;
  for (std::size_t o = 0; o < instance->outputs().size(); ++o)
    for (std::size_t e = 0; e < instance->outputs()[o].count(); ++e)
      wanted.push_back(relation.expected(instance->results(), o, e));
  const std::size_t n = observed.size();
  if (observed == wanted) return holds("one expression, element by element, at " + instance->sizes(), relation.text);
  std::vector<ExprId> roots = wanted;
  roots.insert(roots.end(), observed.begin(), observed.end());
  Values values(*instance, roots);
  Random random(mix(subject.seed(), 300));
  int finite = 0;
  for (int t = 0; t < samples && static_cast<std::size_t>(t) * values.size() < max_work; ++t) {
    std::vector<double> x = sample(*instance, relation.extras, random, t);
    const std::vector<double> v = values.run(x);
    for (std::size_t i = 0; i < n; ++i) {
      finite += std::isfinite(v[i]) && std::isfinite(v[n + i]) ? 1 : 0;
      if (!differ(v[i], v[n + i], 1e-9)) continue;
      int sure = certified(*instance, wanted[i], observed[i], x);
      if (sure < 0 || (sure == 0 && !differ(v[i], v[n + i]))) continue;
      return fails(sure > 0 ? "values that differ, in intervals of 160 bits" : "values that differ, in doubles",
                   relation.text, example(*instance, x, relation.load, i, v[i], v[n + i]));
    }
  }
  std::vector<std::pair<ExprId, ExprId>> pairs;
  for (std::size_t i = 0; i < n; ++i)
    if (wanted[i] != observed[i]) pairs.emplace_back(wanted[i], observed[i]);
  Tested field = over_the_field(*instance, pairs, mix(subject.seed(), 301));
  if (field.equal)
    return holds("identity over the field at " + instance->sizes(), relation.text, field.bound, field.trials);
  return not_known(relation.text + ": " + std::to_string(finite) +
                   " values agree in doubles, but the field cannot tell (an order or a function without laws)");
}

PropertyVerdict for_some_input(const Subject& subject,
                               const std::function<Relation(Instance& instance, std::size_t input)>& relation) {
  Instance* instance = subject.instance();
  if (instance == nullptr) return not_known(subject.why_no_instance());
  std::optional<PropertyVerdict> failed, unsure;
  for (std::size_t i = 0; i < instance->inputs().size(); ++i) {
    if (!instance->inputs()[i].real) continue;
    PropertyVerdict v = decide_relation(subject, relation(*instance, i));
    v.text += " in " + instance->inputs()[i].name;
    if (v.answer == PropertyVerdict::Answer::holds) return v;
    auto& slot = v.answer == PropertyVerdict::Answer::fails ? failed : unsure;
    if (!slot) slot = std::move(v);
  }
  if (unsure) return *unsure;
  if (failed) return *failed;
  return not_applicable("it has no real input");
}

ExprId shifted(Instance& instance, ExprId element) {
  return instance.arena().make(Op::add, Kind::real, {element, instance.extra(0)});
}
ExprId scaled(Instance& instance, ExprId element) {
  return instance.arena().make(Op::mul, Kind::real, {element, instance.extra(0)});
}

PropertyVerdict decide_action(const Subject& subject, const std::string& law, std::size_t extras,
                              const Action& on_input, const Action& on_result) {
  return for_some_input(subject, [&](Instance& instance, std::size_t input) {
    Relation r;
    r.text = law;
    r.extras = extras;
    r.load = [&instance, &on_input, input](std::size_t i, std::size_t e) {
      const ExprId x = instance.element(i, e);
      return i == input ? on_input(instance, x) : x;
    };
    r.expected = [&instance, &on_result](const Instance::Elements& y, std::size_t o, std::size_t e) {
      return on_result ? on_result(instance, y[o][e]) : y[o][e];
    };
    return r;
  });
}

PropertyVerdict decide_law(const Subject& subject, Law law) {
  const std::vector<Reduction>& reductions = subject.profile().reductions;
  if (reductions.empty()) return not_applicable("it has no reduction");
  std::optional<PropertyVerdict> unsure;
  PropertyVerdict good = holds("laws of each reducer", {});
  for (const Reduction& r : reductions) {
    const Certificate& c = subject.laws(r).of(law);
    if (c.verdict == Certificate::Verdict::refuted) {
      Counterexample at;
      at.inputs = c.witness->inputs;
      at.text = c.witness->expected + "; " + c.witness->observed;
      return fails(c.method, r.name + ": " + c.claim, std::move(at));
    }
    if (c.verdict == Certificate::Verdict::unknown && !unsure)
      unsure = not_known(r.name + ": " + c.claim + "? " + c.method);
    if (good.text.find(c.claim) == std::string::npos) good.text += (good.text.empty() ? "" : "; ") + c.claim;
    if (c.bound > good.bound && c.verdict == Certificate::Verdict::probably)
      good.bound = c.bound, good.trials = c.trials;
    good.method = c.method;
  }
  return unsure ? *unsure : good;
}

} // namespace aicf
