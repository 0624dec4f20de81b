// Damaged PTX, the same at every run: pieces of the instruction tests, of random programs and of compiled kernels
// changed, dropped, doubled and mixed. Each gives an answer within its step limit: nothing may crash, hang or take
// memory without bound. tests/fuzz does the same with libFuzzer.
#include "core/exec/emulator/decode.hpp"
#include "core/exec/selftest/instruction_cases.hpp"
#include "core/exec/selftest/random_program.hpp"
#include "tests/emulator/ptx_fixture.hpp"
#include "tests/support/paths.hpp"

#include <QDir>
#include <QFile>
#include <QtTest>

#include <array>
#include <random>

using namespace aicf;
using aicf::test::Kernel;

Q_DECLARE_METATYPE(std::string)

namespace {

/// One entry `k` each, whatever it was called.
std::vector<std::string> texts() {
  std::vector<std::string> all;
  auto cases = selftest::instruction_cases();
  for (const auto& c : selftest::collective_cases()) cases.push_back(c);
  for (std::size_t i = 0; i < cases.size(); i += 3)
    all.push_back(
        selftest::instruction_program(std::span(cases).subspan(i, std::min<std::size_t>(3, cases.size() - i))));
  for (std::uint64_t seed = 1; seed <= 20; ++seed) all.push_back(selftest::random_program(seed).ptx());
  for (const char* name : {"control.ptx", "softmax_bf16.ptx", "math.ptx"}) {
    std::string text = test::sample(name);
    const auto entry = text.find(".entry ") + 7;
    all.push_back(text.replace(entry, text.find_first_of(" (\n", entry) - entry, "k"));
  }
  return all;
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  /// Where a word, number or mark of the text starts, and its length.
  std::pair<std::size_t, std::size_t> token(const std::string& text) {
    if (text.empty()) return {0, 0};
    static constexpr const char* inside = "%$_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const std::size_t at = text.find_first_of(inside, below(text.size()));
    if (at == std::string::npos) return {0, 1};
    const std::size_t end = std::min(text.find_first_not_of(inside, at), text.size());
    return {at, end - at};
  }
  void mutate(std::string& text, const std::string& other) {
    static constexpr std::array words{"%r0",
                                      "%l1",
                                      "%q1",
                                      "-1",
                                      "0xffffffffffffffff",
                                      "[%l1]",
                                      "{%r1, %r2}",
                                      "0",
                                      "1000000",
                                      ".u64",
                                      ".f16x2",
                                      ".b128",
                                      ".shared",
                                      ".v4",
                                      "bra ",
                                      "exit",
                                      "bar.sync 0",
                                      "ret",
                                      "0f7F800000",
                                      "_",
                                      "4096",
                                      ".param .align 8 .b8 p[99999999999]",
                                      ".reg .b32 %r<4294967295>;",
                                      ";",
                                      "}"};
    const auto [at, size] = token(text);
    switch (below(7)) {
    case 0: text.erase(at, size); break;
    case 1: text.replace(at, size, words[below(words.size())]); break;
    case 2: { // a word from elsewhere
      const auto [from, length] = token(other);
      text.replace(at, size, other.substr(from, length));
      break;
    }
    case 3: // lines of the other text
      text.insert(text.find('\n', at) == std::string::npos ? text.size() : text.find('\n', at),
                  other.substr(below(other.size()), below(200)));
      break;
    case 4: text.erase(at, below(120)); break;
    case 5:
      if (!text.empty()) text[below(text.size())] = static_cast<char>(random_());
      break;
    default: text.insert(at, text.substr(below(text.size()), below(100))); break;
    }
  }

 private:
  std::mt19937_64 random_;
};

} // namespace

class TestPtxMutations : public QObject {
  Q_OBJECT
 private slots:
  void everyDamageIsAnswered() {
    const auto all = texts();
    Mutator m(20261130);
    int ran = 0, refused = 0;
    for (int round = 0; round < 6000; ++round) {
      std::string text = all[m.below(all.size())];
      for (std::size_t n = 1 + m.below(2); n > 0; --n) m.mutate(text, all[m.below(all.size())]);
      Kernel k{std::move(text)};
      k.block = 64;
      k.options.step_limit = 20'000;
      k.options.counters = true;
      k.with(std::vector<std::uint64_t>(192, 3)).with(std::vector<std::uint64_t>(64 * 24));
      const auto result = k.run();
      if (result)
        ++ran;
      else
        ++refused;
      QVERIFY2(result || !result.diagnostics.empty(), k.ptx.c_str());
      QVERIFY(!result || result->faults.size() <= 20);
    }
    // Both happen, or the damage is of no use.
    QVERIFY2(ran > 500 && refused > 500, qPrintable(QString("%1 ran, %2 refused").arg(ran).arg(refused)));
  }
  /// Inputs that libFuzzer kept because they reached something new (tests/fuzz), run as it runs them.
  void whatTheFuzzerKeptIsAnswered() {
    QDir folder(QString::fromStdString(test::source_path("tests/data/fuzz")));
    int decoded = 0, refused = 0;
    for (const QString& name : folder.entryList({"*.ptx"}, QDir::Files)) {
      QFile file(folder.filePath(name));
      QVERIFY(file.open(QIODevice::ReadOnly));
      Kernel k{file.readAll().toStdString()};
      const auto program = emulator::decode(k.ptx, k.entry);
      QVERIFY2(program || has_errors(program.diagnostics), qPrintable(name));
      (program ? decoded : refused) += 1;
      if (!program) continue;
      for (std::size_t i = 0; i < program->parameters.size(); ++i) k.with(std::vector<std::uint32_t>(1024));
      k.grid = 2;
      k.block = 128;
      k.shared = 1024;
      k.options.step_limit = 20'000;
      k.options.counters = true;
      const auto result = k.run();
      QVERIFY2(result || !result.diagnostics.empty(), qPrintable(name));
      QVERIFY2(!result || result->faults.size() <= 20, qPrintable(name));
    }
    QVERIFY2(decoded >= 10 && refused >= 10, qPrintable(QString("%1 decoded, %2 refused").arg(decoded).arg(refused)));
  }
  /// What a text may ask for is bounded, and the bound is told.
  void memoryIsBounded_data() {
    QTest::addColumn<std::string>("body");
    QTest::addColumn<std::string>("declarations");
    QTest::addColumn<QString>("said");
    QTest::newRow("private") << std::string("st.local.u32 [a], %t;") << std::string(".local .align 8 .b8 a[60000000];")
                             << "MiB";
    QTest::newRow("shared") << std::string("st.shared.u32 [a], %t;") << std::string(".shared .align 8 .b8 a[300000];")
                            << "shared";
    QTest::newRow("variable") << std::string("") << std::string(".shared .align 8 .b8 a[99999999999];") << "too large";
  }
  void memoryIsBounded() {
    QFETCH(std::string, body);
    QFETCH(std::string, declarations);
    QFETCH(QString, said);
    Kernel k{test::entry(1, body, {}, declarations)};
    k.block = 1024;
    k.with(std::vector<std::uint32_t>(4));
    const std::string problem = k.problem();
    QVERIFY2(QString::fromStdString(problem).contains(said), problem.c_str());
  }
};

QTEST_GUILESS_MAIN(TestPtxMutations)
#include "test_ptx_mutations.moc"
