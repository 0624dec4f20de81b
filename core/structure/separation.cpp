#include "core/structure/separation.hpp"

#include "core/structure/field_program.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace aicf {
namespace {

using Matrix = std::vector<std::vector<FieldValue>>;

using Pivots = std::pair<std::vector<std::size_t>, std::vector<std::size_t>>;

constexpr std::size_t max_work = 3000000; ///< terms evaluated for one sample: about a second
constexpr int fresh_points = 32;

/// `pivots` gets the rows and columns of a minor of that size that is not 0.
int rank_of(Matrix m, Field& field, Pivots* pivots = nullptr) {
  std::size_t rank = 0;
  const std::size_t columns = m.empty() ? 0 : m[0].size();
  std::vector<std::size_t> row_of(m.size());
  std::iota(row_of.begin(), row_of.end(), 0);
  for (std::size_t col = 0; col < columns && rank < m.size(); ++col) {
    std::size_t pivot = rank;
    while (pivot < m.size() && m[pivot][col].zero()) ++pivot;
    if (pivot == m.size()) continue;
    std::swap(m[pivot], m[rank]);
    std::swap(row_of[pivot], row_of[rank]);
    if (pivots != nullptr) pivots->first.push_back(row_of[rank]), pivots->second.push_back(col);
    for (FieldValue& v : m[rank]) v.has_q = false; // the rank is one over F_p[i]
    FieldValue inverse = field.inv(m[rank][col]);
    for (std::size_t row = rank + 1; row < m.size(); ++row) {
      if (m[row][col].zero()) continue;
      FieldValue factor = Field::mul(m[row][col], inverse);
      for (std::size_t k = col; k < columns; ++k) m[row][k] = Field::sub(m[row][k], Field::mul(factor, m[rank][k]));
    }
    ++rank;
  }
  return static_cast<int>(rank);
}

/// The sample grows by whole rows and columns; what was evaluated stays.
class Sampler {
 public:
  Sampler(Algebra& algebra, const Form& f, std::uint64_t seed)
      : algebra_(algebra), field_(seed), random_(mix(seed, 1)), program_(algebra, field_, std::array{f}),
        symbols_(program_.blank()) {
    program_.draw(0, symbols_, random_);
    program_.run(0, symbols_);
    program_.toss_rare_truths();
  }

  FieldRank grow() {
    FieldRank r;
    r.full = true;
    for (int n : {4, 8, 16, rank_cap}) {
      if (program_.weight() * static_cast<std::size_t>(n * n) > max_work) break;
      while (rows_.size() < static_cast<std::size_t>(n)) {
        rows_.push_back(line(part_x));
        columns_.push_back(line(part_d));
      }
      Matrix m(rows_.size());
      for (std::size_t i = 0; i < rows_.size(); ++i)
        for (std::size_t j = 0; j < columns_.size(); ++j) m[i].push_back(entry(rows_[i], columns_[j]));
      r.size = n;
      Pivots pivots;
      r.rank = rank_of(m, field_, &pivots);
      r.above = n / 2;
      if (2 * r.rank > n) continue;
      r.full = !confirmed(m, pivots);
      if (!r.full) break;
      r.above = r.rank;
    }
    r.blind = std::ranges::any_of(program_.atoms(), [&](AtomId id) {
      const Atom& a = algebra_.atom(id);
      return a.type == Atom::Type::call && a.part == part_mixed && (a.op == Op::eq || a.op == Op::isnan);
    });
    r.opaque = field_.opaque;
    r.nested_exp = field_.nested_exp;
    return r;
  }

 private:
  FieldProgram::Values line(unsigned part) {
    FieldProgram::Values v = symbols_;
    for (int attempt = 0; attempt < 64; ++attempt) {
      field_.divided_by_zero = field_.odd_root = false;
      program_.draw(part, v, random_);
      program_.run(part, v);
      if (!field_.divided_by_zero && !field_.odd_root) break;
    }
    return v;
  }
  FieldValue entry(FieldProgram::Values& row, const FieldProgram::Values& column) {
    for (AtomId id : program_.atoms())
      if (algebra_.atom(id).part == part_d) row[id] = column[id];
    program_.run(part_mixed, row);
    return program_.root(0, row);
  }
  /// No fresh x and d makes the minor larger: where f is 0 on most pairs, a sample shows less than there is.
  bool confirmed(const Matrix& sample, const Pivots& pivots) {
    const std::size_t r = pivots.first.size();
    Matrix bordered(r + 1, std::vector<FieldValue>(r + 1));
    for (std::size_t i = 0; i < r; ++i)
      for (std::size_t j = 0; j < r; ++j) bordered[i][j] = sample[pivots.first[i]][pivots.second[j]];
    for (int trial = 0; trial < fresh_points; ++trial) {
      FieldProgram::Values x = line(part_x), d = line(part_d);
      for (std::size_t k = 0; k < r; ++k) {
        bordered[r][k] = entry(x, columns_[pivots.second[k]]);
        bordered[k][r] = entry(rows_[pivots.first[k]], d);
      }
      bordered[r][r] = entry(x, d);
      if (rank_of(bordered, field_) > static_cast<int>(r)) return false;
    }
    return true;
  }

  Algebra& algebra_;
  Field field_;
  Random random_;
  FieldProgram program_;
  FieldProgram::Values symbols_;
  std::vector<FieldProgram::Values> rows_, columns_;
};

} // namespace

FieldRank field_rank(Algebra& algebra, const Form& f, std::uint64_t seed) {
  std::map<AtomId, Form> generic;
  for (AtomId id : algebra.below(f))
    if (algebra.atom(id).type == Atom::Type::tie) generic[id] = {};
  FieldRank r = Sampler(algebra, generic.empty() ? f : algebra.replace(f, generic), seed).grow();
  r.seed = seed;
  if (generic.empty()) return r;
  for (auto& [id, value] : generic) { // at a tie d is the element's own value
    Form at_tie = algebra.replace(f, {{id, Algebra::number(1)}});
    Form off_tie = algebra.replace(f, {{id, {}}});
    Form only = Algebra::add(at_tie, Algebra::negate(off_tie));
    const Atom tie = algebra.atom(id);
    for (const auto& [key, c] : tie.args[1])
      for (const Power& p : key.factors) only = algebra.replace(only, {{p.atom, tie.args[0]}});
    if (only.empty()) continue;
    FieldRank extra = Sampler(algebra, only, mix(seed, id + 2)).grow();
    r.rank += extra.rank;
    r.full = r.full || extra.full;
    r.above = std::max(r.above, extra.above);
    r.blind = r.blind || extra.blind;
    r.opaque = r.opaque || extra.opaque;
  }
  return r;
}

namespace {

/// A tie belongs to the element: a state keeps the elements that are at it.
unsigned side_of(const Atom& a) { return a.type == Atom::Type::tie ? part_x : a.part; }

} // namespace

Form settle_ties(Algebra& algebra, const Form& f) {
  Form settled;
  for (const auto& [key, c] : f) {
    Form term;
    term.emplace(key, c);
    for (const Power& p : key.factors) {
      if (algebra.atom(p.atom).type != Atom::Type::tie) continue;
      const Atom a = algebra.atom(p.atom);
      TermKey rest = key;
      std::erase(rest.factors, p);
      term.clear();
      term.emplace(rest, c);
      for (const auto& [d, one] : a.args[1]) term = algebra.replace(term, {{d.factors[0].atom, a.args[0]}});
      term = algebra.multiply(term, algebra.power_of(p.atom));
      break;
    }
    Algebra::add_to(settled, term);
  }
  return settled;
}

int coefficient_rank(Algebra& algebra, const Split& split, std::uint64_t seed) {
  std::vector<Form> entries;
  for (const auto& row : split.coefficient) entries.insert(entries.end(), row.begin(), row.end());
  Field field(seed);
  Random random(mix(seed, 3));
  FieldProgram program(algebra, field, entries);
  FieldProgram::Values values = program.blank();
  program.draw(0, values, random);
  program.run(0, values);
  Matrix m(split.x_parts.size(), std::vector<FieldValue>(split.d_parts.size()));
  for (std::size_t i = 0; i < split.x_parts.size(); ++i)
    for (std::size_t k = 0; k < split.d_parts.size(); ++k) m[i][k] = program.root(i * split.d_parts.size() + k, values);
  return rank_of(std::move(m), field);
}

TermKey part_of(const Algebra& algebra, const TermKey& term, unsigned mask) {
  TermKey r;
  for (const Power& p : term.factors)
    if (side_of(algebra.atom(p.atom)) == mask) r.factors.push_back(p);
  for (const auto& [m, c] : term.exponent)
    if (algebra.part(m) == mask) r.exponent.emplace(m, c);
  return r;
}

std::optional<Split> split(const Algebra& algebra, const Form& f) {
  constexpr std::size_t max_entries = 100000; // a larger state is no use to anyone
  Split s;
  std::map<TermKey, std::size_t> x_at, d_at;
  struct Entry {
    std::size_t x, d;
    TermKey symbols;
    mpq_class c;
  };
  std::vector<Entry> entries;
  for (const auto& [key, c] : f) {
    for (const Power& p : key.factors)
      if (side_of(algebra.atom(p.atom)) == part_mixed) return std::nullopt;
    for (const auto& [m, k] : key.exponent)
      if (algebra.part(m) == part_mixed) return std::nullopt;
    TermKey x = part_of(algebra, key, part_x), d = part_of(algebra, key, part_d);
    std::size_t i = x_at.try_emplace(x, x_at.size()).first->second;
    std::size_t k = d_at.try_emplace(d, d_at.size()).first->second;
    if (i == s.x_parts.size()) s.x_parts.push_back(x);
    if (k == s.d_parts.size()) s.d_parts.push_back(d);
    entries.push_back({i, k, part_of(algebra, key, 0), c});
  }
  if (s.x_parts.size() * s.d_parts.size() > max_entries) return std::nullopt;
  s.coefficient.assign(s.x_parts.size(), std::vector<Form>(s.d_parts.size()));
  for (Entry& e : entries) s.coefficient[e.x][e.d][e.symbols] += e.c;
  return s;
}

std::optional<Logs> split_of_logs(Algebra& algebra, const Form& f) {
  if (f.size() != 1) return std::nullopt;
  const auto& [key, c] = *f.begin();
  Logs out;
  TermKey rest;
  for (const auto& [m, k] : key.exponent) out.exponent.emplace(TermKey{m, {}}, k);
  for (const Power& p : key.factors) {
    const Atom a = algebra.atom(p.atom);
    if (side_of(a) != part_mixed) {
      rest.factors.push_back(p);
      continue;
    }
    if (a.type != Atom::Type::call || a.op != Op::pow || !algebra.nonnegative(a.args[0])) return std::nullopt;
    const Form log = algebra.multiply(a.args[1], algebra.log(a.args[0]));
    Algebra::add_to(out.exponent, Algebra::scale(log, mpq_class(p.num, p.den)));
  }
  if (algebra.part(out.exponent) != part_mixed) return std::nullopt;
  out.outside.emplace(std::move(rest), c);
  std::optional<Split> s = split(algebra, out.exponent);
  if (!s) return std::nullopt;
  out.of_exponent = std::move(*s);
  return out;
}

double false_accept(double degree, double exponentials) {
  const double q = 4611686018427385619.0, k = std::max(1.0, exponentials);
  return std::min(1.0, 8 * degree * k * k * k * k / q + std::pow(q, -1 / (k * k)));
}

} // namespace aicf
