#include "core/structure/real_sample.hpp"

#include "core/structure/field.hpp"
#include "core/structure/interval.hpp"
#include "core/structure/node_program.hpp"
#include "core/structure/verify.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace aicf {
namespace {

constexpr std::array sizes{4, 8, 16, 32};
/// How the elements lie: each layout suits another kind of dependency, so that its values fall between the elements, or
/// (the hits) on them.
enum class Layout {
  mean,
  fraction,
  maximum,
  minimum,
  sum,
  log_mean,
  scattered,
  positive,
  sum_hits,
  mean_hits,
  rising,
  far_maximum,
  far_minimum,
  steps,
  median,
  count
};
/// Where n elements and n values of d as they lie do not suffice, n are chosen among this many times more.
constexpr int candidates = 3;
constexpr int far = 3; ///< how far apart elements and d lie where they do not lie within 1

struct Points {
  std::vector<mpq_class> inside, common, beyond; ///< x_i; elements of the chunk besides; the one more of d_j
};

mpq_class near(double v) { return {static_cast<long>(std::lround(v * 1e6)), 1000000}; }

Points lay_out(Layout layout, int n, Random& random) {
  Points p;
  auto scattered = [&] { return mpq_class(static_cast<long>(random.below(4001)) - 2000, 777); };
  auto positive = [&](std::uint64_t range) { return mpq_class(static_cast<long>(random.below(range)) + 1, 777); };
  mpq_class total = 0;
  double weight = 0;
  auto keep = [&](std::vector<mpq_class>& list, mpq_class v) {
    v.canonicalize();
    total += v;
    weight += std::exp(v.get_d());
    list.push_back(v);
  };
  for (int i = 1; i <= n; ++i) switch (layout) {
    case Layout::maximum: keep(p.inside, mpq_class(-i, n + 1)); break;
    case Layout::far_maximum: keep(p.inside, mpq_class(-far * i, n + 1)); break;
    case Layout::far_minimum: keep(p.inside, mpq_class(far * i, n + 1)); break;
    case Layout::rising:
    case Layout::fraction:
    case Layout::minimum: keep(p.inside, mpq_class(i, n + 1)); break;
    case Layout::log_mean: keep(p.inside, mpq_class(i, n)); break;
    case Layout::positive: keep(p.inside, positive(4000)); break;
    case Layout::steps: keep(p.inside, 1); break;
    case Layout::median: keep(p.inside, mpq_class(2 * i, n) - 3); break;
    case Layout::scattered: keep(p.inside, scattered()); break;
    default: keep(p.inside, i); break;
    }
  for (int i = 1; i <= n; ++i) switch (layout) { // none of them may be an extremum that hides d_j
    case Layout::rising:
    case Layout::maximum: keep(p.common, mpq_class(-i - n, n + 1)); break;
    case Layout::far_maximum: keep(p.common, -far - i); break;
    case Layout::far_minimum: keep(p.common, far + i); break;
    case Layout::minimum: keep(p.common, mpq_class(i + n, n + 1)); break;
    case Layout::median: keep(p.common, 3 + mpq_class(i - 1, n)); break; // d_j stands between them and the elements
    case Layout::log_mean: keep(p.common, -8 - i); break;
    case Layout::positive: keep(p.common, positive(4000)); break;
    default: keep(p.common, scattered()); break;
    }
  for (int j = 1; j <= n; ++j) {
    mpq_class z, between(2 * j - 1, 2); // d falls between x_{j-1} and x_j
    switch (layout) {
    case Layout::maximum: z = mpq_class(2 * j - 1, 2 * (n + 1)); break;
    case Layout::far_maximum: z = mpq_class(far * (2 * j - 1), 2 * (n + 1)); break;
    case Layout::far_minimum: z = mpq_class(-far * (2 * j - 1), 2 * (n + 1)); break;
    case Layout::rising: z = 1 + mpq_class(2 * j - 1, 2 * (n + 1)); break;
    case Layout::minimum: z = mpq_class(-(2 * j - 1), 2 * (n + 1)); break;
    case Layout::median: z = mpq_class(2 * j - 1, 2 * n); break;
    case Layout::mean: z = (2 * n + 1) * between - total; break;
    case Layout::fraction: z = (2 * n + 1) * mpq_class(2 * j + 1, 2 * (n + 1)) - total; break;
    case Layout::steps:
    case Layout::sum: z = between - total; break;
    case Layout::sum_hits: z = j - total; break;
    case Layout::mean_hits: z = (2 * n + 1) * j - total; break;
    case Layout::log_mean: z = near(std::log((2 * n + 1) * std::exp((j - 0.5) / n) - weight)); break;
    case Layout::positive: z = positive(40000); break;
    default: z = 3 * scattered(); break;
    }
    z.canonicalize();
    p.beyond.push_back(z);
  }
  return p;
}

/// Rows and columns of the matrix among those that were laid out.
struct Choice {
  std::vector<std::size_t> rows, columns;
};

Choice all_of(int n) {
  Choice c;
  for (int i = 0; i < n; ++i) c.rows.push_back(static_cast<std::size_t>(i));
  c.columns = c.rows;
  return c;
}

/// Doubles, only to choose by.
struct RoughMath {
  using Value = double;
  bool failed = false;
  static double number(const mpq_class& v) { return v.get_d(); }
  static double add(double a, double b) { return a + b; }
  static double mul(double a, double b) { return a * b; }
  static int compare(double a, double b) { return a < b ? -1 : a > b ? 1 : 0; }
  static double apply(Op op, std::uint32_t payload, std::span<const double> args) {
    return DoubleMath::apply(op, payload, args);
  }
};

template <class Math> class Sample {
 public:
  using Value = typename Math::Value;

  Sample(const RealProblem& p, Math math, const std::set<ExprId>& primary)
      : p_(p), math_(std::move(math)), primary_(primary),
        f_(*p.arena, {p.f, p.predicate}, [&](ExprId id) { return is_dependency(id); }) {
    for (const Dependency& d : p.dependencies)
      bodies_.emplace_back(*p.arena, std::vector{d.predicate, d.body}, [&](ExprId id) { return is_dependency(id); });
    for (const Inner& in : p.inner)
      inner_.emplace_back(*p.arena, std::vector{in.lo, in.hi, in.predicate, in.body},
                          [&](ExprId id) { return is_dependency(id); });
  }

  /// f(x_i; d_j) at the chosen places of a layout of `laid` elements, or nothing when a value was not certain.
  std::optional<std::vector<std::vector<Value>>> matrix(int laid, const Choice& choice, Layout layout,
                                                        std::uint64_t seed) {
    Random random(mix(seed, static_cast<std::uint64_t>(laid) * 16 + static_cast<std::uint64_t>(layout)));
    draw(laid, layout, random);
    std::vector<std::vector<Value>> m(choice.rows.size());
    std::vector<std::optional<Value>> shared(p_.dependencies.size());
    for (std::size_t j = 0; j < choice.columns.size() && !math_.failed; ++j) {
      std::map<ExprId, Value> d;
      own_.clear();
      beyond_ = 2 * static_cast<std::size_t>(laid) + choice.columns[j];
      for (std::size_t k = 0; k < p_.dependencies.size(); ++k) {
        const ExprId node = p_.dependencies[k].node;
        d.insert_or_assign(node, reduce(k, static_cast<std::size_t>(laid), choice.columns[j], d, shared[k]));
        if (j < 8) inputs[p_.name(node)].push_back(approximate(d.at(node)));
      }
      for (std::size_t i = 0; i < choice.rows.size() && !math_.failed; ++i) {
        std::vector<Value> values = evaluate(f_, choice.rows[i], d, true);
        if (math_.compare(values[f_.place(p_.predicate)], math_.number(0)) != 0)
          m[i].push_back(values[f_.place(p_.f)]);
        else if constexpr (std::is_same_v<Value, double>)
          m[i].push_back(NAN); // not an element: not to be chosen
        else
          return std::nullopt;
      }
    }
    if (math_.failed) return std::nullopt;
    return m;
  }

  Math& math() { return math_; }
  std::map<std::string, std::vector<double>> inputs;

 private:
  static double approximate(double v) { return v; }
  static double approximate(const mpq_class& v) { return v.get_d(); }
  static double approximate(const Interval& v) { return mpfr_get_d(v.lo(), MPFR_RNDN); }

  bool is_dependency(ExprId id) const {
    return std::any_of(p_.dependencies.begin(), p_.dependencies.end(),
                       [&](const Dependency& d) { return d.node == id; });
  }
  std::set<ExprId> leaves() const {
    std::set<ExprId> all(f_.leaves().begin(), f_.leaves().end());
    for (const NodeProgram& b : bodies_) all.insert(b.leaves().begin(), b.leaves().end());
    for (std::size_t k = 0; k < inner_.size(); ++k)
      for (ExprId leaf : inner_[k].leaves()) {
        auto own = p_.inner[k].own.find(leaf);
        all.insert(own == p_.inner[k].own.end() ? leaf : own->second);
      }
    for (const Inner& in : p_.inner) all.erase(in.node);
    return all;
  }

  void draw(int n, Layout layout, Random& random) {
    with_fixed_.clear();
    elements_.assign(3 * static_cast<std::size_t>(n), {});
    bool first = true;
    for (ExprId leaf : leaves()) {
      const Node& node = (*p_.arena)[leaf];
      if (is_dependency(leaf)) continue;
      if (node.op == Op::number) {
        double v = p_.arena->value(leaf);
        if (!std::isfinite(v)) math_.failed = true;
        fixed_.insert_or_assign(leaf, math_.number(std::isfinite(v) ? mpq_class(v) : mpq_class(0)));
      } else if (!p_.along_axis(leaf)) {
        const bool small = layout == Layout::far_maximum || layout == Layout::far_minimum;
        mpq_class v(static_cast<long>(random.below(small ? 75 : 300)) + (small ? 25 : 100), 277);
        if (layout == Layout::median) v = 3; // an element as well
        if (node.kind == Kind::integer) v = static_cast<long>(random.below(300)) + 1000;
        if (node.kind == Kind::boolean) v = 1;
        if (auto at = std::find(p_.extents.begin(), p_.extents.end(), leaf); at != p_.extents.end())
          v = at == p_.extents.begin() ? 2 * n + 1 : 1;
        v.canonicalize();
        fixed_.insert_or_assign(leaf, math_.number(v));
      } else {
        bool main = primary_.empty() ? first : primary_.contains(leaf);
        first = false;
        Points points = lay_out(main ? layout : Layout::positive, n, random);
        std::vector<mpq_class> all = points.inside;
        all.insert(all.end(), points.common.begin(), points.common.end());
        all.insert(all.end(), points.beyond.begin(), points.beyond.end());
        auto& record = inputs[p_.name(leaf)];
        for (std::size_t k = 0; k < all.size(); ++k) {
          mpq_class v = all[k];
          if (node.op == Op::index)
            v = std::min(static_cast<int>(k), 2 * n);
          else if (node.kind == Kind::boolean)
            v = static_cast<int>(random.below(2));
          else if (node.kind == Kind::integer)
            v = static_cast<int>(random.below(64));
          record.push_back(v.get_d());
          elements_[k].emplace_back(leaf, math_.number(v));
        }
      }
    }
  }

  /// `alone`: what the element is must not change with the elements after it.
  std::vector<Value> evaluate(const NodeProgram& program, std::size_t element, const std::map<ExprId, Value>& d,
                              bool alone) {
    std::vector<Value>& fixed = with_fixed_[&program];
    if (fixed.empty()) {
      fixed.assign(program.size(), math_.number(0));
      for (const auto& [leaf, v] : fixed_)
        if (program.contains(leaf)) fixed[program.place(leaf)] = v;
    }
    std::vector<Value> values = fixed;
    for (const auto& [node, v] : d)
      if (program.contains(node)) values[program.place(node)] = v;
    for (const auto& [leaf, v] : elements_[element])
      if (program.contains(leaf)) values[program.place(leaf)] = v;
    for (std::size_t k = 0; k < inner_.size() && !math_.failed; ++k)
      if (program.contains(p_.inner[k].node)) values[program.place(p_.inner[k].node)] = inner(k, element, d, alone);
    program.run(math_, values);
    return values;
  }

  /// What the element has of the others; `alone`: of those up to it, so that a range that goes further fails.
  Value inner(std::size_t k, std::size_t element, const std::map<ExprId, Value>& d, bool alone) {
    if (auto known = own_.find({k, element}); known != own_.end()) {
      math_.failed = math_.failed || (alone && known->second.further);
      return known->second.value;
    }
    bool further = false;
    const Inner& what = p_.inner[k];
    const NodeProgram& program = inner_[k];
    const std::size_t last = elements_.size() / 3 * 2, place = std::min(element, last);
    std::optional<Value> total;
    for (std::size_t other = 0; other <= last && !math_.failed; ++other) {
      std::vector<Value> values(program.size(), math_.number(0));
      for (const auto& [leaf, v] : fixed_)
        if (program.contains(leaf)) values[program.place(leaf)] = v;
      for (const auto& [node, v] : d)
        if (program.contains(node)) values[program.place(node)] = v;
      for (const auto& [leaf, v] : elements_[element])
        if (program.contains(leaf)) values[program.place(leaf)] = v;
      for (const auto& [leaf, v] : elements_[other < last ? other : beyond_])
        for (const auto& [at_var, at_axis] : what.own)
          if (at_axis == leaf && program.contains(at_var)) values[program.place(at_var)] = v;
      program.run(math_, values);
      const Value at = math_.number(static_cast<long>(other));
      if (math_.compare(at, values[program.place(what.lo)]) < 0 ||
          math_.compare(at, values[program.place(what.hi)]) >= 0 ||
          math_.compare(values[program.place(what.predicate)], math_.number(0)) == 0)
        continue;
      further = further || other > place;
      const Value& v = values[program.place(what.body)];
      total = total ? combined(what.reducer, *total, v) : v;
    }
    if (!total) total = empty(what.reducer);
    math_.failed = math_.failed || (alone && further);
    own_.insert_or_assign({k, element}, Own{*total, further});
    return *total;
  }
  Value empty(ReducerId reducer) {
    if (reducer == static_cast<ReducerId>(Builtin::prod)) return math_.number(1);
    if (reducer != static_cast<ReducerId>(Builtin::sum)) math_.failed = true;
    return math_.number(0);
  }
  Value combined(ReducerId reducer, const Value& total, const Value& v) {
    switch (static_cast<Builtin>(reducer)) {
    case Builtin::sum: return math_.add(total, v);
    case Builtin::prod: return math_.mul(total, v);
    case Builtin::max: return math_.compare(total, v) < 0 ? v : total;
    case Builtin::min: return math_.compare(total, v) > 0 ? v : total;
    default: math_.failed = true; return total;
    }
  }

  /// Over the chunk and the element that is d_j's own. What does not read another d is folded over the chunk once.
  Value reduce(std::size_t dependency, std::size_t n, std::size_t j, const std::map<ExprId, Value>& d,
               std::optional<Value>& shared) {
    const Dependency& what = p_.dependencies[dependency];
    const NodeProgram& program = bodies_[dependency];
    const bool alone =
        std::none_of(d.begin(), d.end(), [&](const auto& e) { return program.contains(e.first); }) &&
        std::none_of(p_.inner.begin(), p_.inner.end(), [&](const Inner& in) { return program.contains(in.node); });
    std::optional<Value> total = shared;
    for (std::size_t k = shared ? 2 * n : 0; k <= 2 * n && !math_.failed; ++k) {
      if (k == 2 * n && alone && !shared) shared = total;
      std::vector<Value> values = evaluate(program, k < 2 * n ? k : 2 * n + j, d, false);
      if (math_.compare(values[program.place(what.predicate)], math_.number(0)) == 0) continue;
      const Value& v = values[program.place(what.body)];
      total = total ? combined(what.reducer, *total, v) : v;
    }
    if (!total) math_.failed = true;
    return total ? *total : math_.number(0);
  }

  const RealProblem& p_;
  Math math_;
  const std::set<ExprId>& primary_;
  NodeProgram f_;
  std::vector<NodeProgram> bodies_;
  std::vector<NodeProgram> inner_;
  struct Own {
    Value value;
    bool further;
  };
  std::map<std::pair<std::size_t, std::size_t>, Own> own_;      ///< of an inner reduction and an element, at this d
  std::size_t beyond_ = 0;                                      ///< the element that is this d's own
  std::map<ExprId, Value> fixed_;                               ///< numbers and symbols
  std::map<const NodeProgram*, std::vector<Value>> with_fixed_; ///< where an evaluation begins
  std::vector<std::vector<std::pair<ExprId, Value>>> elements_;
};

/// n rows and columns on which elimination with complete pivoting finds pivots well away from 0.
std::optional<Choice> independent(std::vector<std::vector<double>> m, int n) {
  Choice c;
  std::vector<std::size_t> rows, columns;
  for (std::size_t i = 0; i < m.size(); ++i)
    if (std::all_of(m[i].begin(), m[i].end(), [](double v) { return std::isfinite(v); })) rows.push_back(i);
  for (std::size_t j = 0; j < m.size(); ++j) columns.push_back(j);
  double largest = 0;
  while (c.rows.size() < static_cast<std::size_t>(n)) {
    std::size_t at_row = 0, at_column = 0;
    double pivot = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = 0; j < columns.size(); ++j)
        if (double v = std::fabs(m[rows[i]][columns[j]]); v > pivot) pivot = v, at_row = i, at_column = j;
    largest = std::max(largest, pivot);
    if (!(pivot > 1e-9 * largest)) return std::nullopt;
    const std::size_t row = rows[at_row], column = columns[at_column];
    c.rows.push_back(row);
    c.columns.push_back(column);
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(at_row));
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(at_column));
    for (std::size_t i : rows) {
      const double factor = m[i][column] / m[row][column];
      if (factor != 0)
        for (std::size_t j : columns) m[i][j] -= factor * m[row][j];
    }
  }
  std::sort(c.rows.begin(), c.rows.end());
  std::sort(c.columns.begin(), c.columns.end());
  return c;
}

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

double rough(const mpq_class& v) { return v.get_d(); }
double rough(const Interval& v) { return mpfr_get_d(v.lo(), MPFR_RNDN); }

/// The row of the extremum of each column.
std::vector<std::size_t> winners(const std::vector<std::vector<double>>& m, bool maximum) {
  std::vector<std::size_t> best(m.front().size(), 0);
  for (std::size_t j = 0; j < best.size(); ++j)
    for (std::size_t i = 1; i < m.size(); ++i)
      if (maximum ? m[i][j] > m[best[j]][j] : m[i][j] < m[best[j]][j]) best[j] = i;
  return best;
}

/// n rows and columns such that each row is the extremum of one of the columns.
std::optional<Choice> deciding(std::vector<std::vector<double>> m, int n, bool maximum) {
  for (std::vector<double>& row : m) // one that is no element never wins
    for (double& v : row)
      if (std::isnan(v)) v = maximum ? -HUGE_VAL : HUGE_VAL;
  std::set<std::size_t> seen;
  Choice c;
  const std::vector<std::size_t> best = winners(m, maximum);
  for (std::size_t j = 0; j < best.size() && seen.size() < static_cast<std::size_t>(n); ++j)
    if (seen.insert(best[j]).second) c.columns.push_back(j);
  c.rows.assign(seen.begin(), seen.end());
  return c.rows.size() == static_cast<std::size_t>(n) ? std::optional(std::move(c)) : std::nullopt;
}

/// Each row is strictly the extremum of a column of its own.
template <class Math>
std::optional<std::string> each_decides(const std::vector<std::vector<typename Math::Value>>& m, Math& math,
                                        bool maximum) {
  std::vector<std::vector<double>> near(m.size());
  for (std::size_t i = 0; i < m.size(); ++i)
    for (const auto& v : m[i]) near[i].push_back(rough(v));
  const std::vector<std::size_t> best = winners(near, maximum);
  if (std::set(best.begin(), best.end()).size() != m.size()) return std::nullopt;
  for (std::size_t j = 0; j < best.size(); ++j)
    for (std::size_t i = 0; i < m.size(); ++i)
      if (i != best[j] && math.compare(m[best[j]][j], m[i][j]) != (maximum ? 1 : -1)) return std::nullopt;
  if (math.failed) return std::nullopt;
  return "each element alone is the " + std::string(maximum ? "greatest" : "least") + " at one d";
}

bool rational(const RealProblem& p) {
  std::vector<ExprId> roots{p.f, p.predicate};
  for (const Dependency& d : p.dependencies) roots.insert(roots.end(), {d.predicate, d.body});
  for (const Inner& in : p.inner) roots.insert(roots.end(), {in.lo, in.hi, in.predicate, in.body});
  NodeProgram program(*p.arena, roots);
  for (ExprId id : reachable(*p.arena, roots)) {
    if (!program.contains(id)) continue;
    const Op op = (*p.arena)[id].op;
    if (is_transcendental(op)) return false;
    switch (op) {
    case Op::sqrt:
    case Op::rsqrt: return false;
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

constexpr std::size_t max_work = 4000000; ///< nodes evaluated for one sample: seconds

std::size_t work(const RealProblem& p) {
  std::size_t nodes = NodeProgram(*p.arena, {p.f, p.predicate}).size();
  for (const Dependency& d : p.dependencies) nodes += 2 * NodeProgram(*p.arena, {d.predicate, d.body}).size();
  for (const Inner& in : p.inner) // once for each pair of elements
    nodes += static_cast<std::size_t>(sizes.back()) * NodeProgram(*p.arena, {in.predicate, in.body}).size();
  return nodes;
}

template <class Math>
std::optional<std::string> regular(std::vector<std::vector<typename Math::Value>> m, Math& math,
                                   RealProblem::Action action) {
  if (action == RealProblem::Action::sum) return nonzero(std::move(m), math);
  return each_decides(m, math, action == RealProblem::Action::max);
}

/// One size in one layout, at the precisions that may decide it.
template <class Math>
std::optional<std::string> certified(const RealProblem& p, const std::set<ExprId>& primary, std::uint64_t seed, int n,
                                     Layout layout, const std::vector<Math>& precisions,
                                     std::map<std::string, std::vector<double>>& inputs) {
  auto with = [&](int laid, const Choice& choice) -> std::optional<std::string> {
    for (const Math& math : precisions) {
      Sample<Math> sample(p, math, primary);
      auto m = sample.matrix(laid, choice, layout, seed);
      if (!m) continue;
      auto found = regular(std::move(*m), sample.math(), p.action);
      if (!found) continue;
      inputs = std::move(sample.inputs);
      return found;
    }
    return std::nullopt;
  };
  const bool sum = p.action == RealProblem::Action::sum;
  auto chosen = [&](int laid) -> std::optional<Choice> {
    Sample<RoughMath> rough(p, {}, primary);
    auto m = rough.matrix(laid, all_of(laid), layout, seed);
    if (!m) return std::nullopt;
    return sum ? independent(std::move(*m), n) : deciding(std::move(*m), n, p.action == RealProblem::Action::max);
  };
  for (int laid : {n, candidates * n}) // what doubles tell apart is cheap to prove
    if (auto choice = chosen(laid))
      if (auto found = with(laid, *choice)) return found;
  return sum ? with(n, all_of(n)) : std::nullopt;
}

template <class Math>
std::optional<RealUnbounded> search(const RealProblem& p, const std::set<ExprId>& primary, std::uint64_t seed,
                                    const std::stop_token& stop,
                                    const std::function<std::vector<Math>(int)>& precisions, std::string name) {
  if (work(p) * static_cast<std::size_t>(sizes.back() * sizes.back()) > max_work) return std::nullopt;
  const bool sum = p.action == RealProblem::Action::sum;
  std::vector<int> layouts; // the last two suit prefixes and order statistics
  if (!p.inner.empty()) layouts = {static_cast<int>(Layout::steps), static_cast<int>(Layout::median)};
  for (int layout = 0; layout < static_cast<int>(Layout::steps); ++layout) layouts.push_back(layout);
  for (int layout : layouts) {
    RealUnbounded found;
    found.arithmetic = name;
    for (int n : sizes) {
      if (stop.stop_requested()) return std::nullopt;
      std::map<std::string, std::vector<double>> inputs;
      auto reason = certified(p, primary, seed, n, static_cast<Layout>(layout), precisions(n), inputs);
      if (!reason) break;
      if (n == sizes.front()) {
        found.witness.inputs = std::move(inputs);
        found.witness.expected = sum ? "a zero determinant of (f(x_i; d_j)), as any state of fewer than 4 sums needs"
                                     : "an element that decides at no d_j, as any state of fewer than 4 extrema needs";
        found.witness.observed = (sum ? "determinant " : "") + *reason;
      }
      found.sizes.push_back(n);
      found.determinants.push_back(std::move(*reason));
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
  for (const Inner& in : problem.inner) { // what it runs over lies as the elements do, and it is no element itself
    primary.erase(in.node);
    for (const auto& [at_var, at_axis] : in.own)
      if ((*problem.arena)[at_axis].op != Op::index) primary.insert(at_axis);
  }
  if (rational(problem))
    return search<RationalMath>(
        problem, primary, seed, stop, [](int) { return std::vector<RationalMath>(1); }, "exact rationals");
  auto rising = [](int n) {
    std::vector<IntervalMath> all;
    if (n == sizes.front()) return std::vector{IntervalMath{.precision = 96 + 16 * n}}; // most layouts end here
    for (int bits : {64 + 4 * n, 96 + 16 * n, 128 + 64 * n}) all.push_back({.precision = bits});
    return all;
  };
  return search<IntervalMath>(problem, primary, seed, stop, rising, "MPFR intervals");
}

} // namespace aicf
