#include "core/structure/real_sample.hpp"

#include "core/structure/field.hpp"
#include "core/structure/interval.hpp"
#include "core/structure/node_program.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace aicf {
namespace {

constexpr std::array sizes{4, 8, 16, 32};
/// How the elements of the chunk and the elements beyond it lie: each suits another kind of dependency.
enum class Layout { mean, maximum, minimum, sum, scattered, positive, count };

struct Points {
  std::vector<mpq_class> inside, beyond;
};

Points lay_out(Layout layout, int n, Random& random) {
  Points p;
  auto scattered = [&] { return mpq_class(static_cast<long>(random.below(4001)) - 2000, 777); };
  mpq_class total = 0;
  for (int i = 1; i <= n; ++i) {
    mpq_class x;
    switch (layout) {
    case Layout::maximum: x = mpq_class(-i, n + 1); break;
    case Layout::minimum: x = mpq_class(i, n + 1); break;
    case Layout::mean:
    case Layout::sum: x = i; break;
    case Layout::positive: x = mpq_class(static_cast<long>(random.below(4000)) + 1, 777); break;
    default: x = scattered(); break;
    }
    x.canonicalize();
    total += x;
    p.inside.push_back(x);
  }
  for (int j = 1; j <= n; ++j) {
    mpq_class z, between(2 * j - 1, 2); // d falls between x_{j-1} and x_j
    switch (layout) {
    case Layout::maximum: z = mpq_class(2 * j - 1, 2 * (n + 1)); break;
    case Layout::minimum: z = mpq_class(-(2 * j - 1), 2 * (n + 1)); break;
    case Layout::mean: z = (n + 1) * between - total; break;
    case Layout::sum: z = between - total; break;
    case Layout::positive: z = mpq_class(static_cast<long>(random.below(40000)) + 1, 777); break;
    default: z = 3 * scattered(); break;
    }
    z.canonicalize();
    p.beyond.push_back(z);
  }
  return p;
}

template <class Math> class Sample {
 public:
  using Value = typename Math::Value;

  Sample(const RealProblem& p, Math math, const std::set<ExprId>& primary)
      : p_(p), math_(std::move(math)), primary_(primary), program_(*p.arena, roots(p), [&](ExprId id) {
          return std::any_of(p.dependencies.begin(), p.dependencies.end(),
                             [&](const Dependency& d) { return d.node == id; });
        }) {}

  /// f(x_i; d_j), or nothing when a value was not certain.
  std::optional<std::vector<std::vector<Value>>> matrix(int n, Layout layout, std::uint64_t seed) {
    Random random(mix(seed, static_cast<std::uint64_t>(n) * 16 + static_cast<std::uint64_t>(layout)));
    program_.literals<Math>(math_, base_, [&](double) {
      math_.failed = true;
      return math_.number(0);
    });
    std::vector<ExprId> along;
    for (ExprId leaf : program_.leaves()) {
      const Node& node = (*p_.arena)[leaf];
      if (node.op == Op::number) continue;
      bool dependency = std::any_of(p_.dependencies.begin(), p_.dependencies.end(),
                                    [&](const Dependency& d) { return d.node == leaf; });
      if (dependency) continue;
      if (p_.along_axis(leaf)) {
        along.push_back(leaf);
        continue;
      }
      mpq_class v(static_cast<long>(random.below(300)) + 100, 277);
      for (auto [dim, offset] : p_.extents)
        if (dim == leaf) v = n + 1 + offset;
      if (node.kind == Kind::integer && v.get_den() != 1) v = static_cast<long>(random.below(300)) + 1000;
      if (node.kind == Kind::boolean) v = 1;
      v.canonicalize();
      base_[program_.place(leaf)] = math_.number(v);
    }
    elements_.assign(static_cast<std::size_t>(2 * n), {});
    inputs.clear();
    bool first = true;
    for (ExprId leaf : along) {
      Kind kind = (*p_.arena)[leaf].kind;
      bool main = primary_.empty() ? first : primary_.contains(leaf);
      first = false;
      Points points = lay_out(main ? layout : Layout::positive, n, random);
      auto& record = inputs[p_.name(leaf)];
      for (int k = 0; k < 2 * n; ++k) {
        auto i = static_cast<std::size_t>(k % n);
        mpq_class v = k < n ? points.inside[i] : points.beyond[i];
        if ((*p_.arena)[leaf].op == Op::index)
          v = std::min(k, n);
        else if (kind == Kind::boolean)
          v = static_cast<int>(random.below(2));
        else if (kind == Kind::integer)
          v = static_cast<int>(random.below(64));
        record.push_back(v.get_d());
        elements_[static_cast<std::size_t>(k)].emplace_back(program_.place(leaf), math_.number(v));
      }
    }
    auto count = static_cast<std::size_t>(n);
    std::vector<std::vector<Value>> m(count);
    for (std::size_t j = 0; j < count; ++j) {
      std::vector<Value> values = base_;
      for (const Dependency& d : p_.dependencies) reduce(d, count, j, values);
      if (j < 8)
        for (const Dependency& d : p_.dependencies)
          inputs[p_.name(d.node)].push_back(approximate(values[program_.place(d.node)]));
      for (std::size_t i = 0; i < count; ++i) {
        evaluate(elements_[i], values);
        if (math_.compare(values[program_.place(p_.predicate)], math_.number(0)) == 0) return std::nullopt;
        m[i].push_back(values[program_.place(p_.f)]);
      }
      if (math_.failed) return std::nullopt;
    }
    return m;
  }

  Math& math() { return math_; }
  std::map<std::string, std::vector<double>> inputs;

 private:
  static std::vector<ExprId> roots(const RealProblem& p) {
    std::vector<ExprId> r{p.f, p.predicate};
    for (const Dependency& d : p.dependencies) r.insert(r.end(), {d.node, d.predicate, d.body});
    return r;
  }
  static double approximate(const mpq_class& v) { return v.get_d(); }
  static double approximate(const Interval& v) { return mpfr_get_d(v.lo(), MPFR_RNDN); }

  void evaluate(const std::vector<std::pair<std::size_t, Value>>& element, std::vector<Value>& values) {
    for (const auto& [place, v] : element) values[place] = v;
    program_.run(math_, values);
  }
  void reduce(const Dependency& d, std::size_t n, std::size_t j, std::vector<Value>& values) {
    auto reducer = static_cast<Builtin>(d.reducer);
    std::optional<Value> total;
    for (std::size_t k = 0; k <= n; ++k) {
      evaluate(elements_[k < n ? k : n + j], values);
      if (math_.compare(values[program_.place(d.predicate)], math_.number(0)) == 0) continue;
      const Value& v = values[program_.place(d.body)];
      if (!total) {
        total = v;
        continue;
      }
      switch (reducer) {
      case Builtin::sum: total = math_.add(*total, v); break;
      case Builtin::prod: total = math_.mul(*total, v); break;
      case Builtin::max:
        if (math_.compare(*total, v) < 0) total = v;
        break;
      case Builtin::min:
        if (math_.compare(*total, v) > 0) total = v;
        break;
      default: math_.failed = true; break;
      }
    }
    if (!total) math_.failed = true;
    values[program_.place(d.node)] = total ? *total : math_.number(0);
  }

  const RealProblem& p_;
  Math math_;
  const std::set<ExprId>& primary_;
  NodeProgram program_;
  std::vector<Value> base_;
  std::vector<std::vector<std::pair<std::size_t, Value>>> elements_;
};

/// A determinant that is not 0 mod p is not 0.
std::optional<std::string> nonzero(const std::vector<std::vector<mpq_class>>& m, RationalMath&) {
  std::size_t n = m.size();
  if (n <= 4) {
    std::vector<std::vector<mpq_class>> a = m;
    mpq_class det = 1;
    for (std::size_t c = 0; c < n; ++c) {
      std::size_t pivot = c;
      while (pivot < n && a[pivot][c] == 0) ++pivot;
      if (pivot == n) return std::nullopt;
      if (pivot != c) det = -det;
      std::swap(a[pivot], a[c]);
      det *= a[c][c];
      for (std::size_t r = c + 1; r < n; ++r) {
        mpq_class factor = a[r][c] / a[c][c];
        for (std::size_t k = c; k < n; ++k) a[r][k] -= factor * a[c][k];
      }
    }
    std::string exact = det.get_num().get_str() + (det.get_den() == 1 ? "" : "/" + det.get_den().get_str());
    return exact.size() < 60 ? exact : "not 0 (about " + std::to_string(det.get_d()) + ")";
  }
  std::vector<std::vector<std::uint64_t>> a(n);
  for (std::size_t i = 0; i < n; ++i)
    for (const mpq_class& v : m[i]) {
      if (mpz_fdiv_ui(v.get_den_mpz_t(), field_p) == 0) return std::nullopt;
      a[i].push_back(residue(v, field_p));
    }
  std::uint64_t det = 1;
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    while (pivot < n && a[pivot][c] == 0) ++pivot;
    if (pivot == n) return std::nullopt;
    if (pivot != c) det = sub_mod(0, det, field_p);
    std::swap(a[pivot], a[c]);
    det = mul_mod(det, a[c][c], field_p);
    std::uint64_t inverse = inverse_mod(a[c][c], field_p);
    for (std::size_t r = c + 1; r < n; ++r) {
      std::uint64_t factor = mul_mod(a[r][c], inverse, field_p);
      for (std::size_t k = c; k < n; ++k) a[r][k] = sub_mod(a[r][k], mul_mod(factor, a[c][k], field_p), field_p);
    }
  }
  return std::to_string(det) + " mod " + std::to_string(field_p);
}

std::optional<std::string> nonzero(std::vector<std::vector<Interval>> a, IntervalMath& math) {
  std::size_t n = a.size();
  Interval det = math.number(1);
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < n; ++r)
      if (a[r][c].least_magnitude() > a[pivot][c].least_magnitude()) pivot = r;
    if (!a[pivot][c].excludes_zero()) return std::nullopt;
    if (pivot != c) det = math.sub(math.number(0), det);
    std::swap(a[pivot], a[c]);
    det = math.mul(det, a[c][c]);
    Interval inverse = math.inv(a[c][c]);
    for (std::size_t r = c + 1; r < n; ++r) {
      Interval factor = math.mul(a[r][c], inverse);
      for (std::size_t k = c + 1; k < n; ++k) a[r][k] = math.sub(a[r][k], math.mul(factor, a[c][k]));
    }
  }
  if (!det.excludes_zero()) return std::nullopt;
  return det.text();
}

bool rational(const RealProblem& p) {
  std::vector<ExprId> roots{p.f, p.predicate};
  for (const Dependency& d : p.dependencies) roots.insert(roots.end(), {d.predicate, d.body});
  NodeProgram program(*p.arena, roots);
  for (ExprId id : reachable(*p.arena, roots)) {
    if (!program.contains(id)) continue;
    switch ((*p.arena)[id].op) {
    case Op::exp:
    case Op::exp2:
    case Op::expm1:
    case Op::log:
    case Op::log2:
    case Op::log1p:
    case Op::sqrt:
    case Op::rsqrt:
    case Op::tanh:
    case Op::erf:
    case Op::sigmoid:
    case Op::sin:
    case Op::cos: return false;
    case Op::pow: {
      ExprId e = p.arena->operand(id, 1);
      if ((*p.arena)[e].op != Op::number || p.arena->value(e) != std::floor(p.arena->value(e))) return false;
      break;
    }
    default: break;
    }
  }
  return true;
}

template <class Math>
std::optional<RealUnbounded> search(const RealProblem& p, const std::set<ExprId>& primary, std::uint64_t seed,
                                    std::stop_token stop, const std::function<Math(int)>& math_for, std::string name) {
  for (int layout = 0; layout < static_cast<int>(Layout::count); ++layout) {
    RealUnbounded found;
    found.arithmetic = name;
    for (int n : sizes) {
      if (stop.stop_requested()) return std::nullopt;
      Sample<Math> sample(p, math_for(n), primary);
      auto m = sample.matrix(n, static_cast<Layout>(layout), seed);
      if (!m) break;
      auto det = nonzero(std::move(*m), sample.math());
      if (!det) break;
      if (n == sizes.front()) {
        found.witness.inputs = sample.inputs;
        found.witness.expected = "a zero determinant of (f(x_i; d_j)), as any state of fewer than 4 sums needs";
        found.witness.observed = "determinant " + *det;
      }
      found.sizes.push_back(n);
      found.determinants.push_back(std::move(*det));
    }
    if (found.sizes.size() == sizes.size()) return found;
  }
  return std::nullopt;
}

} // namespace

std::optional<RealUnbounded> real_unbounded(const RealProblem& problem, std::uint64_t seed, std::stop_token stop) {
  std::set<ExprId> primary; // elements that the dependencies read
  for (const Dependency& d : problem.dependencies) {
    NodeProgram body(*problem.arena, {d.body});
    for (ExprId leaf : body.leaves())
      if ((*problem.arena)[leaf].op != Op::number && problem.along_axis(leaf)) primary.insert(leaf);
  }
  if (rational(problem))
    return search<RationalMath>(
        problem, primary, seed, stop, [](int) { return RationalMath{}; }, "exact rationals");
  auto precise = [](int n) { return IntervalMath{.precision = 96 + 48 * n}; };
  return search<IntervalMath>(problem, primary, seed, stop, precise, "MPFR intervals");
}

} // namespace aicf
