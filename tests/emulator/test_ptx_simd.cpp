// CUDA's integer intrinsics on pairs and quadruples of a register, and its minima and maxima with .relu: what NVRTC
// makes of each, against its definition in the CUDA Math API, part by part.
#include "core/exec/nvrtc.hpp"
#include "tests/emulator/ptx_fixture.hpp"

#include <QtTest>

#include <algorithm>
#include <functional>
#include <map>

using namespace aicf;
using aicf::test::compiled;
using aicf::test::Kernel;

namespace {

using I = std::int64_t;
using Part = std::function<I(I, I, I)>;

/// A part of `bits` of x, from bit `at` on.
I part(std::uint32_t x, unsigned at, unsigned bits, bool sign) {
  const I v = (x >> at) & ((I{1} << bits) - 1);
  return sign && v >= I{1} << (bits - 1) ? v - (I{1} << bits) : v;
}
I saturated(I v, unsigned bits, bool sign) {
  const I low = sign ? -(I{1} << (bits - 1)) : 0, high = sign ? (I{1} << (bits - 1)) - 1 : (I{1} << bits) - 1;
  return std::clamp(v, low, high);
}
I floor_half(I v) { return v >= 0 ? v / 2 : -((1 - v) / 2); }
/// A half is rounded away from zero (PTX ISA, vavrg: (t + (t >= 0)) >> 1).
I rounded_half(I v) { return floor_half(v + (v >= 0 ? 1 : 0)); }

struct Intrinsic {
  std::string name;
  unsigned arity = 2, bits = 32;
  bool sign = false, sums = false; ///< sums: the parts' values are added
  Part value;
};

std::vector<Intrinsic> intrinsics() {
  std::vector<Intrinsic> all;
  for (const unsigned bits : {16u, 8u}) {
    const std::string n = bits == 16 ? "2" : "4";
    const auto one = [&](const std::string& name, unsigned arity, bool sign, Part f) {
      all.push_back({"__v" + name + n, arity, bits, sign, false, std::move(f)});
    };
    const auto limited = [bits](bool sign, Part f) {
      return [bits, sign, f](I a, I b, I c) { return saturated(f(a, b, c), bits, sign); };
    };
    const Part add = [](I a, I b, I) { return a + b; }, sub = [](I a, I b, I) { return a - b; };
    const Part neg = [](I a, I, I) { return -a; }, abs = [](I a, I, I) { return std::abs(a); };
    const Part distance = [](I a, I b, I) { return std::abs(a - b); };
    one("add", 2, false, add);
    one("addss", 2, true, limited(true, add));
    one("addus", 2, false, limited(false, add));
    one("sub", 2, false, sub);
    one("subss", 2, true, limited(true, sub));
    one("subus", 2, false, limited(false, sub));
    one("neg", 1, true, neg);
    one("negss", 1, true, limited(true, neg));
    one("abs", 1, true, abs);
    one("absss", 1, true, limited(true, abs));
    one("absdiffu", 2, false, distance);
    one("absdiffs", 2, true, distance);
    one("avgu", 2, false, [](I a, I b, I) { return rounded_half(a + b); });
    one("avgs", 2, true, [](I a, I b, I) { return rounded_half(a + b); });
    one("haddu", 2, false, [](I a, I b, I) { return floor_half(a + b); });
    for (const bool sign : {true, false}) {
      const std::string s = sign ? "s" : "u";
      one("max" + s, 2, sign, [](I a, I b, I) { return std::max(a, b); });
      one("min" + s, 2, sign, [](I a, I b, I) { return std::min(a, b); });
      all.push_back({"__vsad" + s + n, 2, bits, sign, true, distance});
      const std::map<std::string, bool (*)(I, I)> tests{
          {"ge", [](I a, I b) { return a >= b; }}, {"gt", [](I a, I b) { return a > b; }},
          {"le", [](I a, I b) { return a <= b; }}, {"lt", [](I a, I b) { return a < b; }},
          {"eq", [](I a, I b) { return a == b; }}, {"ne", [](I a, I b) { return a != b; }}};
      for (const auto& [name, test] : tests) {
        if (!sign && (name == "eq" || name == "ne")) continue;
        const std::string of = name == "eq" || name == "ne" ? name : name + s;
        one("cmp" + of, 2, sign, [test = test](I a, I b, I) { return test(a, b) ? I{-1} : 0; });
        one("set" + of, 2, sign, [test = test](I a, I b, I) { return test(a, b) ? I{1} : 0; });
      }
    }
  }
  for (const bool pair : {true, false})
    for (const bool sign : {true, false})
      for (const bool relu : {false, true})
        for (const bool most : {true, false}) {
          if (relu && !sign) continue;
          const unsigned bits = pair ? 16 : 32;
          const std::string type =
              std::string("_") + (sign ? "s" : "u") + (pair ? "16x2" : "32") + (relu ? "_relu" : "");
          const auto pick = [most](I a, I b) { return most ? std::max(a, b) : std::min(a, b); };
          const auto cut = [relu](I a) { return relu ? std::max<I>(a, 0) : a; };
          const std::string of = most ? "max" : "min";
          if (relu)
            all.push_back({"__vi" + of + type, 2, bits, sign, false, [=](I a, I b, I) { return cut(pick(a, b)); }});
          all.push_back({"__vi" + of + "3" + type, 3, bits, sign, false,
                         [=](I a, I b, I c) { return cut(pick(pick(a, b), c)); }});
          all.push_back({"__viadd" + of + type, 3, bits, sign, false, [=](I a, I b, I c) {
                           const I sum = part(static_cast<std::uint32_t>(a + b), 0, bits, sign); // wraps
                           return cut(pick(sum, c));
                         }});
        }
  return all;
}

std::uint32_t expected(const Intrinsic& f, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  I out = 0;
  for (unsigned at = 0; at < 32; at += f.bits) {
    const I v = f.value(part(a, at, f.bits, f.sign), part(b, at, f.bits, f.sign), part(c, at, f.bits, f.sign));
    out += f.sums ? v : (v & ((I{1} << f.bits) - 1)) << at;
  }
  return static_cast<std::uint32_t>(out);
}

/// Words whose parts lie at the ends of their ranges, near each other, and anywhere.
std::vector<std::uint32_t> words(unsigned seed) {
  const std::vector<std::uint32_t> ends{0x00000000, 0xffffffff, 0x80008000, 0x7fff7fff, 0x80808080,
                                        0x7f7f7f7f, 0x00010001, 0x80000000, 0x7fffffff, 0x8000ffff,
                                        0x01ff807f, 0x00ff00ff, 0xff00ff00};
  std::vector<std::uint32_t> all;
  std::uint32_t x = seed;
  for (unsigned n = 0; n < 1024; ++n) {
    x = x * 1664525u + 1013904223u;
    const std::uint32_t high = x >> 8;
    all.push_back(n % 3 == 0 ? ends[high % ends.size()] : n % 3 == 1 ? x ^ high : ends[high % ends.size()] + (x >> 28));
  }
  return all;
}

} // namespace

class TestPtxSimd : public QObject {
  Q_OBJECT
 private slots:
  void intrinsic_data() {
    QTest::addColumn<int>("index");
    int n = 0;
    for (const Intrinsic& f : intrinsics()) QTest::newRow(f.name.c_str()) << n++;
  }

  /// All in one kernel, compiled once.
  void initTestCase() {
    if (!nvrtc_info()) QSKIP("NVRTC is not on this machine");
    const auto all = intrinsics();
    std::string source = "extern \"C\" __global__ void k(const unsigned* a, const unsigned* b, const unsigned* c, "
                         "unsigned* x) {\n  int t = threadIdx.x;\n";
    for (std::size_t n = 0; n < all.size(); ++n)
      source += "  x[" + std::to_string(n) + " * 1024 + t] = " + all[n].name + "(a[t]" +
                (all[n].arity > 1 ? ", b[t]" : "") + (all[n].arity > 2 ? ", c[t]" : "") + ");\n";
    Kernel k{compiled(source + "}\n")};
    QVERIFY(!k.ptx.empty());
    k.block = 1024;
    k.with(a_).with(b_).with(c_).with(std::vector<std::uint32_t>(1024 * all.size()));
    QCOMPARE(k.problem(), std::string());
    got_ = k.values<std::uint32_t>(3);
  }

  void intrinsic() {
    QFETCH(int, index);
    const auto n = static_cast<std::size_t>(index);
    const Intrinsic f = intrinsics()[n];
    for (std::size_t t = 0; t < 1024; ++t) {
      const std::uint32_t want = expected(f, a_[t], b_[t], c_[t]), is = got_[n * 1024 + t];
      QVERIFY2(is == want, qPrintable(QString("%1, not %2, of %3 %4 %5")
                                          .arg(is, 8, 16)
                                          .arg(want, 8, 16)
                                          .arg(a_[t], 8, 16)
                                          .arg(b_[t], 8, 16)
                                          .arg(c_[t], 8, 16)));
    }
  }

 private:
  std::vector<std::uint32_t> a_ = words(1), b_ = words(77), c_ = words(4242), got_;
};

QTEST_MAIN(TestPtxSimd)
#include "test_ptx_simd.moc"
