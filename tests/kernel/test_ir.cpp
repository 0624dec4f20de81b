// Kernel IR: layouts, what the verifier catches, and what row kernels do not need yet: a pipeline of roles with
// barriers, bulk copies, fragments and a swizzled ring.
#include "core/exec/nvrtc.hpp"
#include "core/kernel/assign_names.hpp"
#include "core/kernel/builder.hpp"
#include "core/kernel/cuda_printer.hpp"
#include "core/kernel/print_ir.hpp"
#include "core/kernel/simplify.hpp"
#include "core/kernel/verify.hpp"

#include <QtTest>

using namespace aicf;
using namespace aicf::ir;

namespace {

ir::Buffer global(std::string name, DType type, Arg::Role role) {
  ir::Buffer b;
  b.name = std::move(name), b.space = Space::global, b.dtype = type, b.type = type_of(type), b.role = role;
  return b;
}

ir::Buffer tile(std::string name, Space space, DType type, std::vector<std::int64_t> shape) {
  ir::Buffer b;
  b.name = std::move(name), b.space = space, b.dtype = type, b.type = type_of(type);
  b.layout.shape = std::move(shape);
  return b;
}

ir::Buffer fragment(std::string name, DType type, Fragment layout) {
  ir::Buffer b = tile(std::move(name), Space::fragment, type, {std::int64_t{1} << layout.register_bits.size()});
  b.computed = type == DType::f32;
  b.fragment = std::move(layout);
  return b;
}

bool says(const Kernel& k, const std::string& what) {
  for (const std::string& problem : verify(k))
    if (problem.find(what) != std::string::npos) return true;
  return false;
}

/// Tiles of A (16 × 16) and B (16 × 8) go by bulk copies through a ring of two stages; the producer warp fills it, the
/// consumer warp multiplies and adds up C.
struct Pipeline {
  Kernel k;
  Builder b{k};
  BufferId x, w, y, a_ring, b_ring, a, w_fragment, c;
  NodeId steps = none;

  Pipeline() {
    k.name = "pipeline", k.threads = 64;
    x = b.buffer(global("x", DType::bf16, Arg::Role::input));
    w = b.buffer(global("w", DType::bf16, Arg::Role::input));
    y = b.buffer(global("y", DType::f32, Arg::Role::output));
    k.params.push_back({"steps", Type::i64, true});
    k.barriers = {{"full", 2, 1}, {"empty", 2, 32}};
    ir::Buffer ring = tile("x_ring", Space::shared, DType::bf16, {16, 16});
    ring.stages = 2;
    a_ring = b.buffer(ring);
    ring.name = "w_ring", ring.layout.shape = {16, 8};
    b_ring = b.buffer(ring);
    b.alloc(a_ring);
    b.alloc(b_ring);
    steps = b.convert(b.param("steps"), Type::i32);
    b.role("producer", 0, 1, 0, [&] { producer(); });
    b.role("consumer", 1, 1, 0, [&] { consumer(); });
  }

  NodeId stage_of(NodeId step) { return b.remainder(step, b.integer(2)); }
  NodeId phase_of(NodeId step) { return b.remainder(b.quotient(step, b.integer(2)), b.integer(2)); }

  void producer() {
    b.loop(Binding::lane, "lane", b.integer(0), b.integer(32), [&](NodeId lane) {
      b.branch(b.apply(Op::eq, {lane, b.integer(0)}), [&] {
        b.loop(Binding::sequential, "step", b.integer(0), steps, [&](NodeId step) {
          NodeId stage = stage_of(step), zero = b.integer(0), origin = b.constant(Type::i64, 0);
          b.wait(1, stage, b.apply(Op::sub, {b.integer(1), phase_of(step)}));
          b.expect(0, stage, b.integer(512 + 256));
          b.bulk_copy(a_ring, {stage, zero, zero}, x, {b.view(x, origin), b.apply(Op::mul, {step, b.integer(256)})},
                      256, 0, stage);
          b.bulk_copy(b_ring, {stage, zero, zero}, w, {b.view(w, origin), b.apply(Op::mul, {step, b.integer(128)})},
                      128, 0, stage);
        });
      });
    });
  }

  void consumer() {
    b.loop(Binding::lane, "lane", b.integer(0), b.integer(32), [&](NodeId lane) {
      c = b.buffer(fragment("c", DType::f32, mma_m16n8k16_c()));
      b.alloc(c);
      for (std::uint32_t r = 0; r < 4; ++r) b.store(c, {b.integer(r)}, b.constant(Type::f32, 0));
      b.loop(Binding::sequential, "step", b.integer(0), steps, [&](NodeId step) {
        NodeId stage = stage_of(step);
        b.wait(0, stage, phase_of(step));
        a = b.buffer(fragment("a", DType::bf16, mma_m16n8k16_a()));
        w_fragment = b.buffer(fragment("b", DType::bf16, mma_m16n8k16_b()));
        b.alloc(a);
        b.alloc(w_fragment);
        fill(a, a_ring, stage, lane);
        fill(w_fragment, b_ring, stage, lane);
        b.mma(c, a, w_fragment);
        b.arrive(1, stage);
      });
      for (std::uint32_t r = 0; r < 4; ++r) {
        auto [row, column] = b.place(k.buffers[c].fragment, lane, r);
        NodeId at = b.apply(Op::add, {b.apply(Op::mul, {row, b.integer(8)}), column});
        b.store(y, {b.view(y, b.constant(Type::i64, 0)), at}, b.load(c, {b.integer(r)}));
      }
    });
  }

  void fill(BufferId to, BufferId ring, NodeId stage, NodeId lane) {
    Fragment layout = k.buffers[to].fragment;
    for (std::uint32_t r = 0; r < 1U << layout.register_bits.size(); ++r) {
      auto [row, column] = b.place(layout, lane, r);
      b.copy(to, {b.integer(r)}, ring, {stage, row, column}, 1);
    }
  }
};

} // namespace

class TestIr : public QObject {
  Q_OBJECT

 private slots:
  void fragmentsAreThoseOfThePtxManual() {
    // PTX ISA, "Matrix fragments for mma.m16n8k16": group = lane / 4, t = lane % 4.
    Fragment a = mma_m16n8k16_a(), b = mma_m16n8k16_b(), c = mma_m16n8k16_c();
    QVERIFY(is_bijective(a) && is_bijective(b) && is_bijective(c));
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      int group = static_cast<int>(lane / 4), t = static_cast<int>(lane % 4);
      for (int i = 0; i < 8; ++i) {
        int row = i < 2 || (i >= 4 && i < 6) ? group : group + 8, column = t * 2 + (i & 1) + (i >= 4 ? 8 : 0);
        QCOMPARE(place_of(a, lane, static_cast<std::uint32_t>(i)), (Fragment::Place{row, column}));
      }
      for (int i = 0; i < 4; ++i) {
        auto reg = static_cast<std::uint32_t>(i);
        QCOMPARE(place_of(b, lane, reg), (Fragment::Place{t * 2 + (i & 1) + (i >= 2 ? 8 : 0), group}));
        QCOMPARE(place_of(c, lane, reg), (Fragment::Place{i < 2 ? group : group + 8, t * 2 + (i & 1)}));
      }
    }
    a.lane_bits[0] = {0, 1}; // two lanes with one element
    QVERIFY(!is_bijective(a));
  }

  void layoutsAndSwizzles() {
    Layout packed{{3, 4}, {}, {}}, padded{{3, 4}, {5, 1}, {}};
    QCOMPARE(offset_of(packed, {2, 1}), 9);
    QCOMPARE(offset_of(padded, {2, 1}), 11);
    QCOMPARE(extent_of(padded), 14);
    // 64 × 64 elements of 16 bits: the 16-byte chunk is XORed with the row modulo 8 (the 128-byte swizzle).
    Layout swizzled{{64, 64}, {}, {3, 3, 3}};
    for (std::int64_t row = 0; row < 64; ++row)
      for (std::int64_t chunk = 0; chunk < 8; ++chunk)
        QCOMPARE(offset_of(swizzled, {row, chunk * 8}), row * 64 + (chunk ^ (row % 8)) * 8);
  }

  void valuesAreDefinedBeforeAndAroundTheirUses() {
    Kernel k;
    Builder b(k);
    NodeId inner = none, n = b.convert(b.integer(4), Type::i64);
    b.loop(Binding::sequential, "i", b.integer(0), n, [&](NodeId i) { inner = b.apply(Op::add, {i, i}); });
    QCOMPARE(verify(k), std::vector<std::string>{});
    b.apply(Op::add, {inner, n});
    QVERIFY(says(k, "not defined before it"));
    QVERIFY_THROWS_EXCEPTION(std::logic_error, verify_or_throw(k, "a test"));
  }

  void typesAgree() {
    Kernel k;
    k.params = {{"p", Type::f32, false}, {"q", Type::f32, false}};
    Builder b(k);
    NodeId q = b.param("q"), i = b.integer(1), sum = b.apply(Op::add, {b.param("p"), q});
    QCOMPARE(verify(k), std::vector<std::string>{});
    k.nodes[sum].args[1] = i;
    QVERIFY(says(k, "different types"));
    k.nodes[sum].args[1] = q;
    k.nodes[sum].type = Type::f64;
    QVERIFY(says(k, "not that of its operands"));
    k.params.pop_back();
    QVERIFY(says(k, "no such parameter"));
  }

  void buffersAreUsedWhileTheyLive() {
    Kernel k;
    Builder b(k);
    BufferId inner = b.buffer(tile("t", Space::reg, DType::f32, {4}));
    b.loop(Binding::sequential, "i", b.integer(0), b.integer(2), [&](NodeId) { b.alloc(inner); });
    QCOMPARE(verify(k), std::vector<std::string>{});
    b.load(inner, {b.integer(0)});
    QVERIFY(says(k, "outside of its lifetime"));
  }

  void indicesAreInsideAndOfTheRank() {
    Kernel k;
    Builder b(k);
    BufferId t = b.buffer(tile("t", Space::reg, DType::f32, {4}));
    b.alloc(t);
    NodeId load = b.load(t, {b.integer(3)});
    QCOMPARE(verify(k), std::vector<std::string>{});
    k.nodes[k.nodes[load].args[0]].number = 4;
    QVERIFY(says(k, "index 4 of t is outside of it"));
    k.nodes[load].args.clear();
    QVERIFY(says(k, "too few indices"));
  }

  void inputsAreNotWritten() {
    Kernel k;
    Builder b(k);
    BufferId x = b.buffer(global("x", DType::f32, Arg::Role::input));
    NodeId v = b.constant(Type::f32, 1), p = b.view(x, b.constant(Type::i64, 0)), zero = b.integer(0);
    b.store(x, {p, zero}, v);
    QVERIFY(says(k, "writes an input"));
  }

  void loopsNestFromTheGridDown() {
    Kernel k;
    Builder b(k);
    b.loop(Binding::warp, "w", b.integer(0), b.integer(2),
           [&](NodeId) { b.loop(Binding::grid, "g", b.integer(0), b.integer(2), [](NodeId) {}); });
    QVERIFY(says(k, "grid inside warp"));
  }

  void barriersStandWhereAllThreadsComeBy() {
    Kernel k;
    k.threads = 64;
    Builder b(k);
    b.loop(Binding::block, "t", b.integer(0), b.integer(64), [&](NodeId t) {
      b.sync(Scope::block);
      b.branch(b.apply(Op::lt, {t, b.integer(7)}), [&] { b.sync(Scope::block); });
    });
    QVERIFY(says(k, "a barrier of the block where not all"));
    QCOMPARE(verify(k).size(), std::size_t{1});
  }

  void collectivesStandWhereTheirScopeComesBy() {
    auto kernel = [](Scope scope, bool by_lane) {
      Kernel k;
      k.threads = 64;
      Builder b(k);
      b.loop(Binding::warp, "w", b.integer(0), b.integer(2), [&](NodeId w) {
        b.loop(Binding::lane, "l", b.integer(0), b.integer(32), [&](NodeId l) {
          b.branch(b.apply(Op::lt, {by_lane ? l : w, b.integer(1)}), [&] {
            b.reduce(scope, {b.constant(Type::f32, 1)}, {0}, true, [&](const auto& x, const auto& y) {
              return std::vector{b.apply(Op::add, {x[0], y[0]})};
            });
          });
        });
      });
      return verify(k).empty();
    };
    QVERIFY(kernel(Scope::warp, false));
    QVERIFY(!kernel(Scope::warp, true));
    QVERIFY(!kernel(Scope::block, false));
  }

  void aPipelineOfRoles() {
    Pipeline p;
    QCOMPARE(verify(p.k), std::vector<std::string>{});
    std::string text = print_ir(p.k);
    QVERIFY(text.find("role producer warps 0 … 1 {") != std::string::npos);
    QVERIFY(text.find("mma c += a * b") != std::string::npos);
    QVERIFY(text.find("copy 256 x_ring <- x bulk") != std::string::npos);
    QVERIFY(text.find("barrier full stages 2 arrivals 1") != std::string::npos);
    simplify(p.k);
    assign_names(p.k);
    QCOMPARE(verify(p.k), std::vector<std::string>{});
    CudaText cuda = print_cuda(p.k);
    for (const char* words :
         {"mma.sync.aligned.m16n8k16", "cp.async.bulk", "mbarrier.try_wait.parity", "threadIdx.x / 32 < 1"})
      QVERIFY2(cuda.source.find(words) != std::string::npos, words);
    KernelModule m;
    m.entry = p.k.name, m.cuda_source = cuda.source, m.arch = "sm_90";
    auto compiled = compile(m);
    if (!compiled && compiled.missing) QSKIP(compiled.missing->what.c_str());
    QVERIFY2(compiled && compiled.diagnostics.empty(),
             (compiled.diagnostics.empty() ? "" : format(compiled.diagnostics[0], cuda.source)).c_str());
    QCOMPARE(compiled->spill_bytes, 0);
  }

  void aBrokenPipelineIsCaught() {
    auto broken = [](const std::function<void(Pipeline&)>& breaks, const char* what) {
      Pipeline p;
      breaks(p);
      return says(p.k, what);
    };
    auto node = [](Pipeline& p, Code code) -> ir::Node& {
      for (ir::Node& n : p.k.nodes)
        if (n.code == code) return n;
      throw std::logic_error("no such node");
    };
    QVERIFY(broken([](Pipeline& p) { p.k.buffers[p.c].fragment.lane_bits[0] = {0, 1}; }, "not one to one"));
    QVERIFY(broken([](Pipeline& p) { p.k.threads = 32; }, "warps that the block has not"));
    QVERIFY(broken([&](Pipeline& p) { node(p, Code::role).count = 2; }, "shares a warp"));
    QVERIFY(broken([&](Pipeline& p) { node(p, Code::wait).barrier = 7; }, "no such barrier"));
    QVERIFY(broken([&](Pipeline& p) { node(p, Code::mma).source2 = p.a; }, "do not multiply"));
    QVERIFY(broken([&](Pipeline& p) { node(p, Code::mma).source2 = p.a_ring; }, "no fragment"));
    QVERIFY(broken([](Pipeline& p) { p.k.barriers[0].stages = 0; }, "has no stage"));
    QVERIFY(broken([](Pipeline& p) { p.k.buffers[p.a_ring].space = Space::reg; }, "from global to shared"));
    QVERIFY(broken([](Pipeline& p) { p.b.role("late", 1, 1, 0, [&] { p.b.sync(Scope::block); }); },
                   "not all of its threads"));
  }

  void asynchronousCopiesInGroups() {
    Kernel k;
    k.name = "staged", k.threads = 32;
    Builder b(k);
    BufferId x = b.buffer(global("x", DType::f32, Arg::Role::input)),
             y = b.buffer(global("y", DType::f32, Arg::Role::output));
    ir::Buffer room = tile("room", Space::shared, DType::f32, {32, 4});
    room.layout.swizzle = {2, 2, 2};
    BufferId shared = b.buffer(room);
    b.alloc(shared);
    b.loop(Binding::block, "t", b.integer(0), b.integer(32), [&](NodeId t) {
      NodeId at = b.apply(Op::mul, {t, b.integer(4)}), zero = b.integer(0), origin = b.constant(Type::i64, 0);
      b.copy(shared, {t, zero}, x, {b.view(x, origin), at}, 4, Transfer::async);
      ir::Node commit, drain;
      commit.code = Code::commit, drain.code = Code::wait_group;
      b.statement(commit);
      b.statement(drain);
      b.sync(Scope::block);
      NodeId other = b.apply(Op::sub, {b.integer(31), t});
      b.store(y, {b.view(y, origin), t}, b.load(shared, {other, zero}));
    });
    QCOMPARE(verify(k), std::vector<std::string>{});
    assign_names(k);
    CudaText cuda = print_cuda(k);
    QVERIFY(cuda.source.find("cp.async.ca.shared.global") != std::string::npos);
    KernelModule m;
    m.entry = k.name, m.cuda_source = cuda.source, m.arch = "sm_90";
    auto compiled = compile(m);
    if (!compiled && compiled.missing) QSKIP(compiled.missing->what.c_str());
    QVERIFY(compiled && compiled.diagnostics.empty());
  }
};

QTEST_GUILESS_MAIN(TestIr)
#include "test_ir.moc"
