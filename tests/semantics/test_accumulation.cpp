// The a priori bounds of sums hold, and are not far above what can happen: each is within 32 times the worst error that
// a search finds, in at least nine cases of ten. The sums themselves are added here, rounding by rounding, and the
// tensor cores' by the emulator's model of them.
#include "core/exec/emulator/tensor_math.hpp"
#include "core/semantics/accumulation.hpp"

#include <QTest>

#include <bit>
#include <cmath>
#include <map>
#include <random>
#include <set>

using namespace aicf;

namespace {

/// A number of twice the precision of long double, for exact sums: T. Dekker 1971.
struct Wide {
  long double high = 0, low = 0;
  void add(long double v) {
    const long double s = high + v, back = s - high;
    low += (high - (s - back)) + (v - back);
    high = s;
  }
  [[nodiscard]] double minus(double v) const {
    Wide w = *this;
    w.add(-static_cast<long double>(v));
    return static_cast<double>(w.high + w.low);
  }
};

/// One addition of two numbers of the type: f64 has more than twice the digits of the others, so rounding there first
/// changes nothing.
double plus(DType type, double a, double b) { return type == DType::f64 ? a + b : round_to(type, a + b); }

using Terms = std::vector<double>;

double in_sequence(DType type, std::span<const double> x) {
  double s = x.front();
  for (double v : x.subspan(1)) s = plus(type, s, v);
  return s;
}

double in_pairs(DType type, Terms x) {
  while (x.size() > 1) {
    for (std::size_t i = 0; 2 * i < x.size(); ++i)
      x[i] = 2 * i + 1 < x.size() ? plus(type, x[2 * i], x[2 * i + 1]) : x[2 * i];
    x.resize((x.size() + 1) / 2);
  }
  return x.front();
}

double compensated(DType type, const Terms& x) {
  double s = x.front(), lost = 0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    const double t = plus(type, s, x[i]), right = plus(type, t, -s), left = plus(type, t, -right);
    lost = plus(type, lost, plus(type, plus(type, s, -left), plus(type, x[i], -right)));
    s = t;
  }
  return plus(type, s, lost);
}

/// Strides of `parts` in sequence, then their sums pairwise.
double in_blocks(DType type, const Terms& x, int parts) {
  Terms sums;
  for (std::size_t p = 0; p < std::min<std::size_t>(static_cast<std::size_t>(parts), x.size()); ++p) {
    double s = x[p];
    for (std::size_t i = p + static_cast<std::size_t>(parts); i < x.size(); i += static_cast<std::size_t>(parts))
      s = plus(type, s, x[i]);
    sums.push_back(s);
  }
  return in_pairs(type, sums);
}

ptx::Type tensor_type(const std::string& name) {
  if (name == "f16") return ptx::Type::f16;
  if (name == "bf16") return ptx::Type::bf16;
  if (name == "tf32") return ptx::Type::tf32;
  return name == "e4m3" ? ptx::Type::e4m3 : ptx::Type::e5m2;
}

/// Digits of a factor and the least and greatest exponents of its normal numbers (those of f32 are narrowed: no product
/// leaves its range).
struct Factor {
  int digits, least, largest;
};
Factor factor(const std::string& name) {
  if (name == "f16") return {11, -14, 15};
  if (name == "bf16") return {8, -60, 60};
  if (name == "tf32") return {11, -60, 60};
  return name == "e4m3" ? Factor{4, -6, 7} : Factor{3, -14, 14};
}
/// The nearest number of the type that is normal, or zero.
double as_factor(const Factor& f, double v) {
  if (v == 0 || std::fabs(v) < std::ldexp(1, f.least)) return 0;
  const int e = std::ilogb(v);
  const double r = std::ldexp(std::nearbyint(std::ldexp(v, f.digits - 1 - e)), e - f.digits + 1);
  return std::ilogb(r) > f.largest ? std::copysign(std::ldexp(1, f.largest), v) : r;
}
std::uint32_t bits_of(const std::string& name, double v) {
  if (name == "f16") return f64_to_f16(v);
  if (name == "bf16") return f32_to_bf16(static_cast<float>(v));
  if (name == "tf32") return std::bit_cast<std::uint32_t>(static_cast<float>(v));
  const int digits = name == "e4m3" ? 3 : 2, bias = name == "e4m3" ? 7 : 15;
  if (v == 0) return 0;
  const int e = std::ilogb(v);
  const auto fraction = static_cast<std::uint32_t>(std::ldexp(std::fabs(v), digits - e)) & ((1U << digits) - 1);
  return (v < 0 ? 0x80U : 0U) | static_cast<std::uint32_t>(e + bias) << digits | fraction;
}

/// x: the factors of each product, in pairs.
double on_tensor_core(const SumBound& b, const Terms& x) {
  const ptx::Type type = tensor_type(b.operands), to = b.type == DType::f16 ? ptx::Type::f16 : ptx::Type::f32;
  std::uint32_t sum = 0;
  const std::size_t n = x.size() / 2;
  for (std::size_t first = 0; first < n; first += static_cast<std::size_t>(b.parts)) {
    std::vector<emulator::TensorValue> left, right;
    for (std::size_t i = first; i < std::min(n, first + static_cast<std::size_t>(b.parts)); ++i) {
      left.push_back(emulator::tensor_value(type, bits_of(b.operands, x[2 * i])));
      right.push_back(emulator::tensor_value(type, bits_of(b.operands, x[2 * i + 1])));
    }
    sum = emulator::tensor_sum(left, right, to, sum, b.fraction);
  }
  return b.type == DType::f16 ? f16_to_f32(static_cast<std::uint16_t>(sum)) : std::bit_cast<float>(sum);
}

double computed(const SumBound& b, const Terms& x) {
  switch (b.how) {
  case Summation::sequential: return in_sequence(b.type, x);
  case Summation::pairwise: return in_pairs(b.type, x);
  case Summation::blocked: return in_blocks(b.type, x, b.parts);
  case Summation::compensated: return compensated(b.type, x);
  case Summation::tensor_core: return on_tensor_core(b, x);
  }
  return 0;
}

/// |computed - exact| of the sum of magnitudes.
double error_of(const SumBound& b, const Terms& x) {
  Wide exact, magnitudes;
  if (b.how == Summation::tensor_core) {
    for (std::size_t i = 0; i + 1 < x.size(); i += 2)
      exact.add(x[i] * x[i + 1]), magnitudes.add(std::fabs(x[i] * x[i + 1]));
  } else {
    for (double v : x) exact.add(v), magnitudes.add(std::fabs(v));
  }
  const double scale = magnitudes.minus(0), value = computed(b, x);
  if (scale == 0 || !std::isfinite(value)) return 0;
  const auto n = static_cast<double>(b.how == Summation::tensor_core ? x.size() / 2 : x.size());
  return std::max(0.0, std::fabs(exact.minus(value)) - b.underflow(n)) / scale;
}

/// A search for the terms that lose most: starts that are known to lose (small terms beside a large one, just above and
/// just below the half of its last place; alternating magnitudes; random ones), then changes kept where more is lost.
class Search {
 public:
  Search(const SumBound& bound, std::size_t n) : b_(bound), n_(n), random_(static_cast<unsigned>(n) + 7) {}

  double worst() {
    const double u = cut();
    for (double share : {0.5, 0.75, 1.0, 1.25, 1.5, 1.9}) {
      consider([&](std::size_t i) { return i == 0 ? 1 : share * u; });
      consider([&](std::size_t i) { return i == 0 ? 1.0 : (i % 2 == 0 ? -share : share) * u; });
      consider(
          [&](std::size_t i) { return i == 0 ? 1 + 2 * u : share * u * (1 + 4 * u * static_cast<double>(i % 5)); });
    }
    consider([&](std::size_t i) { return std::ldexp(i % 2 == 0 ? 1.0 : -0.999, static_cast<int>(i / 2 % 6)); });
    for (int k = 0; k < 8; ++k) consider([&](std::size_t) { return uniform() - (k % 2 == 0 ? 0.5 : 0); });
    for (int k = 0; k < 8; ++k) consider([&](std::size_t i) { return i == 0 ? 1 : u * (0.5 + 1.5 * uniform()); });
    // as much work for every length: few steps on long sums
    for (std::size_t step = 0; step < std::max<std::size_t>(40, 60000 / n_); ++step) climb();
    return worst_;
  }

 private:
  /// What an addition to 1 loses at most.
  [[nodiscard]] double cut() const {
    return b_.how == Summation::tensor_core ? std::ldexp(1, -std::min(b_.fraction, b_.type == DType::f16 ? 11 : 24))
                                            : unit_roundoff(b_.type);
  }
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  /// The nearest term that the type has; of tensor cores two factors, the second about the root.
  void put(Terms& x, std::size_t i, double v) const {
    if (b_.how != Summation::tensor_core) {
      x[i] = round_to(b_.type, v);
      return;
    }
    const Factor f = factor(b_.operands);
    const double root = v == 0 ? 0 : std::ldexp(1, static_cast<int>(std::floor(std::log2(std::fabs(v)) / 2)));
    x[2 * i] = as_factor(f, root), x[2 * i + 1] = root == 0 ? 0 : as_factor(f, v / root);
  }
  [[nodiscard]] double term(const Terms& x, std::size_t i) const {
    return b_.how == Summation::tensor_core ? x[2 * i] * x[2 * i + 1] : x[i];
  }

  /// Such that the smallest terms of interest are normal, and the largest in range.
  [[nodiscard]] double unit() const { return b_.operands == "e4m3" ? 0x1p14 : b_.type == DType::f16 ? 8 : 1; }

  template <class F> void consider(const F& term_at) {
    Terms x(b_.how == Summation::tensor_core ? 2 * n_ : n_);
    for (std::size_t i = 0; i < n_; ++i) put(x, i, unit() * term_at(i));
    accept(std::move(x));
  }
  void accept(Terms x) {
    const double error = error_of(b_, x);
    if (error > worst_ || best_.empty()) worst_ = std::max(worst_, error), best_ = std::move(x);
  }
  void climb() {
    Terms x = best_;
    std::size_t changes = 1 + random_() % 3;
    for (std::size_t c = 0; c < changes; ++c) {
      const std::size_t i = random_() % n_, count = random_() % 4 == 0 ? 1 + random_() % n_ : 1;
      const double v = term(x, i);
      const unsigned kind = random_() % 5;
      const double next = kind == 0   ? 2 * v
                          : kind == 1 ? v / 2
                          : kind == 2 ? -v
                          : kind == 3 ? v * (1 + 4 * unit_roundoff(b_.type) * (uniform() - 0.5))
                                      : unit() * cut() * 2 * uniform();
      for (std::size_t k = i; k < std::min(n_, i + count); ++k) put(x, k, next);
    }
    accept(std::move(x));
  }

  SumBound b_;
  std::size_t n_;
  std::mt19937 random_;
  Terms best_;
  double worst_ = 0;
};

std::vector<SumBound> all_bounds() {
  std::vector<SumBound> all;
  for (Summation how :
       {Summation::sequential, Summation::pairwise, Summation::blocked, Summation::compensated, Summation::tensor_core})
    for (int parts : {8, 256}) {
      if (parts == 8 && how != Summation::blocked) continue;
      for (const SumBound& b : sum_bounds(how, parts)) all.push_back(b);
    }
  return all;
}

} // namespace

class TestAccumulation : public QObject {
  Q_OBJECT
 private slots:
  void every_type_has_a_published_bound() {
    std::map<Summation, std::set<DType>> types;
    for (const SumBound& b : all_bounds()) {
      QVERIFY(!b.formula().empty() && !b.source().empty());
      types[b.how].insert(b.type);
    }
    for (Summation how : {Summation::sequential, Summation::pairwise, Summation::blocked, Summation::compensated})
      QCOMPARE(types[how].size(), std::size_t{4});
    std::set<std::string> factors;
    for (const SumBound& b : sum_bounds(Summation::tensor_core)) factors.insert(b.operands);
    QVERIFY((factors == std::set<std::string>{"f16", "bf16", "tf32", "e4m3", "e5m2"}));
  }

  /// By hand: gamma_2 of four terms in pairs; 3u in sequence.
  void small_ones_by_hand() {
    const double u = 0x1p-24;
    QCOMPARE(sum_bounds(Summation::pairwise)[2].at(4), 2 * u / (1 - 2 * u));
    QCOMPARE(sum_bounds(Summation::sequential)[2].at(4), 3 * u);
    QCOMPARE(sum_bounds(Summation::sequential)[0].at(1e6), 1.0);
    QCOMPARE(gamma_of(0x1p24, u), std::numeric_limits<double>::infinity());
    for (const SumBound& b : all_bounds()) QVERIFY(b.at(0) == 0);
  }

  void bounds_hold_and_are_close() {
    int cases = 0, close = 0;
    for (const SumBound& b : all_bounds())
      for (std::size_t n :
           {std::size_t{2}, std::size_t{7}, std::size_t{32}, std::size_t{257}, std::size_t{1024}, std::size_t{4096}}) {
        Search search(b, n);
        const double worst = search.worst(), bound = b.at(static_cast<double>(n));
        const std::string what = std::string(name_of(b.how)) + " " + b.operands + " " + std::string(name_of(b.type)) +
                                 " n = " + std::to_string(n) + ": worst found " + std::to_string(worst / bound) +
                                 " of the bound " + std::to_string(bound);
        QVERIFY2(worst <= bound, what.c_str());
        ++cases;
        if (32 * worst >= bound)
          ++close;
        else
          qInfo("%s", what.c_str());
      }
    qInfo("%d of %d bounds are within 32 times the worst error found", close, cases);
    QVERIFY(cases >= 150);
    QVERIFY(10 * close >= 9 * cases);
  }
};

QTEST_GUILESS_MAIN(TestAccumulation)
#include "test_accumulation.moc"
