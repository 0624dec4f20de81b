// What the emulator counts, against counts made by hand: instructions by class, operations, bytes by space, sectors and
// lines of a request, by line and in all.
#include "tests/emulator/ptx_fixture.hpp"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <algorithm>

using namespace aicf;
using aicf::test::Kernel;

Q_DECLARE_METATYPE(std::string)

namespace {

using Words = std::vector<std::uint32_t>;
constexpr auto global = static_cast<std::size_t>(MemorySpace::global),
               shared = static_cast<std::size_t>(MemorySpace::shared);

/// The counts of the line on which `text` stands.
LineCounters counted(const RunResult& result, const std::string& ptx, const std::string& text) {
  const auto at = ptx.find(text);
  if (at == std::string::npos) return {};
  const auto line = 1 + std::count(ptx.begin(), ptx.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  for (const LineCounters& l : result.lines)
    if (l.ptx_line == line) return l;
  return {};
}

const char* const declarations =
    ".reg .f32 %f<8>;\n.reg .f64 %d<8>;\n.reg .b16 %b<4>;\n.local .align 16 .b8 mine[64];\n"
    ".reg .b32 %x<8>;\n";
const char* const module = ".shared .align 128 .b8 s[2048];\n.const .align 4 .b32 table[32] = {7};\n";

} // namespace

class TestPtxCounters : public QObject {
  Q_OBJECT
 private slots:
  void classes_data() {
    QTest::addColumn<std::string>("text");
    QTest::addColumn<QString>("in");
    QTest::addColumn<int>("flops"); // a lane
    const auto row = [](const char* text, const char* in, int flops = 0) {
      QTest::newRow(text) << std::string(text) << QString(in) << flops;
    };
    row("add.s32 %r1, %r2, %r3;", "integer");
    row("mad.lo.s32 %r1, %r2, %r3, %r4;", "integer");
    row("mad.wide.u32 %l1, %r2, %r3, %l4;", "integer");
    row("lop3.b32 %r1, %r2, %r3, %r4, 0xe8;", "integer");
    row("setp.lt.s32 %q1, %r1, %r2;", "integer");
    row("div.u32 %r1, %r2, 7;", "integer");
    row("and.pred %q1, %q2, %q3;", "integer");
    row("cvta.to.global.u64 %l1, %p0;", "integer");
    row("add.rn.f32 %f1, %f2, %f3;", "f32", 1);
    row("mul.f32 %f1, %f2, %f3;", "f32", 1);
    row("fma.rn.f32 %f1, %f2, %f3, %f4;", "f32", 2);
    row("max.f32 %f1, %f2, %f3;", "f32");
    row("setp.gt.f32 %q1, %f1, %f2;", "f32");
    row("sub.f64 %d1, %d2, %d3;", "f64", 1);
    row("fma.rn.f64 %d1, %d2, %d3, %d4;", "f64", 2);
    row("fma.rn.f16x2 %x1, %x2, %x3, %x4;", "half", 4);
    row("mul.rn.bf16x2 %x1, %x2, %x3;", "half", 2);
    row("add.rn.f16 %b1, %b2, %b3;", "half", 1);
    row("cvt.rn.bf16.f32 %b1, %f1;", "conversion");
    row("cvt.u64.u32 %l1, %r1;", "conversion");
    row("ex2.approx.ftz.f32 %f1, %f2;", "special");
    row("rcp.approx.f32 %f1, %f2;", "special");
    row("div.rn.f32 %f1, %f2, %f3;", "special");
    row("sqrt.rn.f64 %d1, %d2;", "special");
    row("mov.u32 %r1, %r2;", "move");
    row("selp.b32 %r1, %r2, %r3, %q1;", "move");
    row("bar.warp.sync 0xff;", "synchronisation");
    row("membar.gl;", "synchronisation");
    row("vote.sync.ballot.b32 %r1, %q1, 0xff;", "warp");
    row("activemask.b32 %r1;", "warp");
    row("ld.global.u32 %r1, [%p0];", "global");
    row("red.global.add.u32 [%p0], 1;", "global");
    row("st.shared.u32 [s], %r1;", "shared");
    row("ld.local.u32 %r1, [mine];", "local");
    row("ld.const.u32 %r1, [table];", "constant");
    row("ld.param.u64 %l1, [k_0];", "parameter");
    row("ld.u32 %r1, [%p0];", "generic");
    row("cp.async.ca.shared.global [s], [%p0], 4;", "copy");
    row("cp.async.commit_group;", "synchronisation");
  }
  /// 64 threads of which 8 lanes of each warp take part, in two blocks: 4 warps, 32 threads.
  void classes() {
    QFETCH(std::string, text);
    QFETCH(QString, in);
    QFETCH(int, flops);
    const std::string body = "and.b32 %r31, %t, 31;\nsetp.ge.u32 %q9, %r31, 8;\n@%q9 bra END;\n" + text + "\nEND:\n";
    for (const unsigned threads : {1U, 2U}) {
      Kernel k{test::entry(1, body, module, declarations)};
      k.with(Words(1024));
      k.grid = 2;
      k.block = 64;
      k.threads = threads;
      k.options.counters = true;
      k.options.checks = false; // blocks and lanes meet in one word
      const auto result = k.run();
      QVERIFY2(result && result->faults.empty(), test::problems(result).c_str());
      const LineCounters l = counted(*result, k.ptx, text + "\nEND");
      QCOMPARE(l.warp_instructions, std::uint64_t{4});
      QCOMPARE(l.thread_instructions, std::uint64_t{32});
      QCOMPARE(to_json(l)["active_lane_efficiency"], 0.25);
      for (std::size_t c = 0; c < instruction_classes; ++c) {
        const bool here = name_of(static_cast<InstructionClass>(c)) == in.toStdString();
        QCOMPARE(l.by_class[c].warps, std::uint64_t{here ? 4U : 0U});
        QCOMPARE(l.by_class[c].threads, std::uint64_t{here ? 32U : 0U});
      }
      const auto operations = static_cast<std::uint64_t>(32 * flops);
      QCOMPARE(l.flops_f32, in == "f32" ? operations : 0);
      QCOMPARE(l.flops_f64, in == "f64" ? operations : 0);
      QCOMPARE(l.flops_half, in == "half" ? operations : 0);
    }
  }

  /// The classes are a partition of the instructions; their sums and those of the lines are the totals.
  void totals() {
    Kernel k{test::entry(1,
                         "mul.wide.u32 %l1, %t, 4;\nadd.s64 %l1, %l1, %p0;\nmov.u32 %r2, 0;\nL:\n"
                         "ld.global.f32 %f1, [%l1];\nfma.rn.f32 %f1, %f1, %f1, %f1;\nex2.approx.f32 %f2, %f1;\n"
                         "st.global.f32 [%l1], %f2;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %q1, %r2, %t;\n@%q1 bra L;\n",
                         module, declarations)};
    k.with(std::vector<float>(96));
    k.block = 96;
    k.options.counters = true;
    const auto result = k.run();
    QVERIFY2(result && result->faults.empty(), test::problems(result).c_str());
    double warps = 0, threads = 0;
    for (const Metric& m : result->metrics) {
      if (m.id.starts_with("warp_instructions.")) warps += m.value;
      if (m.id.starts_with("thread_instructions.")) threads += m.value;
    }
    QCOMPARE(warps, test::metric(*result, "warp_instructions"));
    QCOMPARE(threads, test::metric(*result, "thread_instructions"));
    // Thread t goes through the loop max(t, 1) times, two operations each.
    QCOMPARE(test::metric(*result, "flops_f32"), 2.0 * (1 + 95 * 96 / 2.0));
    QCOMPARE(test::metric(*result, "thread_instructions.special"), 1.0 + 95 * 96 / 2.0);
    LineCounters sum;
    for (const LineCounters& l : result->lines) sum.add(l);
    QCOMPARE(static_cast<double>(sum.thread_instructions), threads);
    QCOMPARE(static_cast<double>(sum.bytes_read[global]), test::metric(*result, "global_load_bytes"));
    QCOMPARE(static_cast<double>(sum.bytes_written[global]), test::metric(*result, "global_store_bytes"));
    QCOMPARE(static_cast<double>(sum.global_lines),
             test::metric(*result, "global_load_lines") + test::metric(*result, "global_store_lines"));
  }

  void requests_data() {
    QTest::addColumn<std::string>("text");
    QTest::addColumn<int>("sectors");
    QTest::addColumn<int>("lines");
    QTest::addColumn<int>("bytes");
    const auto row = [](const char* name, const std::string& text, int sectors, int lines, int bytes) {
      QTest::newRow(name) << text << sectors << lines << bytes;
    };
    const auto strided = [](int stride, const std::string& access) {
      return "mul.wide.u32 %l1, %t, " + std::to_string(stride) + ";\nadd.s64 %l1, %l1, %p0;\n" + access;
    };
    row("words", strided(4, "ld.global.u32 %r1, [%l1];"), 4, 1, 128);
    row("words across a line", strided(4, "ld.global.u32 %r1, [%l1+64];"), 4, 2, 128);
    row("words off by one", strided(4, "ld.global.u32 %r1, [%l1+4];"), 5, 2, 128);
    row("vectors", strided(16, "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%l1];"), 16, 4, 512);
    row("a sector each", strided(32, "st.global.u32 [%l1], %t;"), 32, 8, 128);
    row("a line each", strided(128, "st.global.u32 [%l1], %t;"), 32, 32, 128);
    row("backwards",
        "sub.u32 %r2, 31, %t;\n mul.wide.u32 %l1, %r2, 4;\nadd.s64 %l1, %l1, %p0;\nst.global.u32 [%l1], %t;", 4, 1,
        128);
    row("one word", "ld.global.u32 %r1, [%p0+40];", 1, 1, 128);
    row("half of the lanes", strided(4, "setp.lt.u32 %q1, %t, 16;\n@%q1 ld.global.u32 %r1, [%l1];"), 2, 1, 64);
    row("generic", strided(8, "ld.u16 %r1, [%l1];"), 8, 2, 64);
    row("atomics", strided(4, "red.global.add.u32 [%l1], 1;"), 4, 1, 128);
    row("a vector of atomics", strided(16, "red.global.add.v4.f32 [%l1], {%f1, %f2, %f3, %f4};"), 16, 4, 512);
    row("cp.async, half of it read",
        "mul.lo.u32 %r1, %t, 16;\nmov.u32 %r2, s;\nadd.u32 %r2, %r1, %r2;\n" +
            strided(64, "cp.async.cg.shared.global [%r2], [%l1], 16, 8;"),
        32, 16, 256);
  }
  void requests() {
    QFETCH(std::string, text);
    QFETCH(int, sectors);
    QFETCH(int, lines);
    QFETCH(int, bytes);
    Kernel k{test::entry(1, text, module, declarations)};
    k.with(Words(1024 + 32));
    k.options.counters = true;
    const auto result = k.run();
    QVERIFY2(result && result->faults.empty(), test::problems(result).c_str());
    const auto last = text.rfind('\n');
    const LineCounters l = counted(*result, k.ptx, last == std::string::npos ? text : text.substr(last + 1));
    QCOMPARE(l.global_requests, std::uint64_t{1});
    QCOMPARE(l.global_sectors, static_cast<std::uint64_t>(sectors));
    QCOMPARE(l.global_lines, static_cast<std::uint64_t>(lines));
    QCOMPARE(l.bytes_read[global] + l.bytes_written[global], static_cast<std::uint64_t>(bytes));
    double all = 0, of_lines = 0;
    for (const char* kind : {"load", "store", "atomic"}) {
      all += test::metric(*result, std::string("global_") + kind + "_sectors");
      of_lines += test::metric(*result, std::string("global_") + kind + "_lines");
    }
    QCOMPARE(all, static_cast<double>(sectors));
    QCOMPARE(of_lines, static_cast<double>(lines));
  }

  void spaces() {
    // A warp of 32 lanes and one of 4.
    Kernel k{test::entry(2,
                         "mul.lo.u32 %r1, %t, 16;\nmov.u32 %r2, s;\nadd.u32 %r2, %r1, %r2;\n"
                         "st.shared.v4.u32 [%r2], {%t, %t, %t, %t};\nld.shared.u16 %r3, [%r2];\n"
                         "atom.shared.add.u32 %r4, [%r2], 1;\n"
                         "st.local.v2.u32 [mine], {%t, %t};\nld.local.u32 %r5, [mine+4];\n"
                         "ld.const.u8 %r6, [table];\n"
                         "cvta.shared.u64 %l1, 0;\ncvt.u64.u32 %l2, %r2;\nadd.s64 %l1, %l1, %l2;\n"
                         "ld.u64 %l3, [%l1];\n"
                         "mul.wide.u32 %l4, %t, 4;\nadd.s64 %l4, %l4, %p1;\nst.global.u32 [%l4], %r5;\n",
                         module, declarations)};
    k.with(Words(64)).with(Words(64));
    k.block = 36;
    k.options.counters = true;
    const auto result = k.run();
    QVERIFY2(result && result->faults.empty(), test::problems(result).c_str());
    const auto metric = [&](const char* id) { return test::metric(*result, id); };
    QCOMPARE(metric("shared_store_bytes"), 36.0 * 16);
    QCOMPARE(metric("shared_load_bytes"), 36.0 * (2 + 8)); // the generic one too
    QCOMPARE(metric("shared_atomic_bytes"), 36.0 * 4);
    QCOMPARE(metric("local_store_bytes"), 36.0 * 8);
    QCOMPARE(metric("local_load_bytes"), 36.0 * 4);
    QCOMPARE(metric("constant_load_bytes"), 36.0);
    QCOMPARE(metric("parameter_load_bytes"), 36.0 * 16); // two pointers
    QCOMPARE(metric("global_load_bytes"), 0.0);
    QCOMPARE(metric("global_load_sectors"), 0.0); // constants are no global requests
    QCOMPARE(metric("global_store_bytes"), 36.0 * 4);
    const LineCounters l = counted(*result, k.ptx, "ld.u64 %l3");
    QCOMPARE(l.bytes_read[shared], std::uint64_t{36 * 8});
    QCOMPARE(l.by_class[static_cast<std::size_t>(InstructionClass::generic)].warps, std::uint64_t{2});
  }

  /// 128 bits of a parameter, which are two words at once.
  void parameters() {
    Kernel k{test::entry(2, "{\n.reg .b128 %w;\nld.param.b128 %w, [k_0];\nmov.b128 {%l1, %l2}, %w;\n}\n"
                            "sub.u64 %l1, %l1, %p0;\nsub.u64 %l2, %l2, %p1;\nor.b64 %l1, %l1, %l2;\n"
                            "st.global.u64 [%p0], %l1;\n")};
    k.with(std::vector<std::uint64_t>{1}).with(Words(4));
    k.block = 1;
    k.options.counters = true;
    const auto result = k.run();
    QVERIFY2(result && result->faults.empty(), test::problems(result).c_str());
    QCOMPARE(k.values<std::uint64_t>(0).front(), std::uint64_t{0});
    QCOMPARE(test::metric(*result, "parameter_load_bytes"), 16.0 + 2 * 8);
  }

  void products_data() {
    QTest::addColumn<std::string>("text");
    QTest::addColumn<int>("floats");
    QTest::addColumn<int>("integers");
    QTest::newRow("f16") << std::string("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%x0, %x1, %x2, %x3}, {%r1, "
                                        "%r1, %r1, %r1}, {%r1, %r1}, {%r1, %r1, %r1, %r1};")
                         << 2 * 16 * 8 * 16 << 0;
    QTest::newRow("s8") << std::string("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%x0, %x1, %x2, %x3}, {%r1, "
                                       "%r1, %r1, %r1}, {%r1, %r1}, {%r1, %r1, %r1, %r1};")
                        << 0 << 2 * 16 * 8 * 32;
    QTest::newRow("sparse") << std::string("mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                                           "{%x0, %x1, %x2, %x3}, {%r1, %r1}, {%r1, %r1}, {%r1, %r1, %r1, %r1}, %r2, "
                                           "0;")
                            << 2 * 16 * 8 * 16 << 0;
    QTest::newRow("f64") << std::string("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d0, %d1}, {%d2}, {%d2}, "
                                        "{%d2, %d2};")
                         << 2 * 8 * 8 * 4 << 0;
  }
  void products() {
    QFETCH(std::string, text);
    QFETCH(int, floats);
    QFETCH(int, integers);
    Kernel k{test::entry(0, "mov.u32 %r2, 0x44444444;\n" + text, {}, declarations)};
    k.block = 96;
    k.options.counters = true;
    const auto result = k.run();
    QVERIFY2(result && result->faults.empty(), test::problems(result).c_str());
    QCOMPARE(test::metric(*result, "tensor_flops"), 3.0 * floats);
    QCOMPARE(test::metric(*result, "tensor_integer_operations"), 3.0 * integers);
    QCOMPARE(test::metric(*result, "warp_instructions.tensor"), 3.0);
    QCOMPARE(counted(*result, k.ptx, text).tensor_flops, static_cast<std::uint64_t>(3 * floats));
  }

  /// 80 bytes from offset 16 on: three sectors of one line; and back into two lines.
  void bulkCopies() {
    Kernel k{test::entry(1,
                         "mov.u32 %r30, bar;\nmov.u32 %r31, s;\nsetp.eq.u32 %q7, %t, 0;\n"
                         "@%q7 mbarrier.init.shared.b64 [%r30], 1;\nbar.sync 0;\n"
                         "@%q7 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r30], 80;\nadd.s64 %l1, %p0, 16;\n"
                         "@%q7 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r31], [%l1], 80, "
                         "[%r30];\nW:\nmbarrier.try_wait.parity.shared::cta.b64 %q1, [%r30], 0;\n@!%q1 bra W;\n"
                         "fence.proxy.async;\nadd.s64 %l1, %p0, 224;\n"
                         "@%q7 cp.async.bulk.global.shared::cta.bulk_group [%l1], [%r31], 64;\n"
                         "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n",
                         ".shared .align 128 .b8 s[256];\n.shared .align 8 .b64 bar;")};
    k.with(Words(96));
    k.options.counters = true;
    const auto result = k.run();
    QVERIFY2(result && result->faults.empty(), test::problems(result).c_str());
    const auto metric = [&](const char* id) { return test::metric(*result, id); };
    QCOMPARE(metric("global_load_requests"), 1.0);
    QCOMPARE(metric("global_load_sectors"), 3.0);
    QCOMPARE(metric("global_load_lines"), 1.0);
    QCOMPARE(metric("global_load_bytes"), 80.0);
    QCOMPARE(metric("global_store_sectors"), 2.0); // 224 … 287
    QCOMPARE(metric("global_store_lines"), 2.0);
    QCOMPARE(metric("shared_store_bytes"), 80.0);
    QCOMPARE(metric("shared_load_bytes"), 64.0);
    QCOMPARE(metric("thread_instructions.copy"), 2.0);
  }
};

QTEST_MAIN(TestPtxCounters)
#include "test_ptx_counters.moc"
