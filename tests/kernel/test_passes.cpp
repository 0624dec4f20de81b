// Each pass on a kernel small enough to see through.
#include "core/kernel/assign_names.hpp"
#include "core/kernel/builder.hpp"
#include "core/kernel/cuda_printer.hpp"
#include "core/kernel/hoist_invariants.hpp"
#include "core/kernel/lower_collectives.hpp"
#include "core/kernel/monoid.hpp"
#include "core/kernel/pack_extremes.hpp"
#include "core/kernel/select_functions.hpp"
#include "core/kernel/simplify.hpp"
#include "core/kernel/vectorise.hpp"
#include "core/kernel/verify.hpp"
#include "core/kernel/walk.hpp"

#include <QtTest>

using namespace aicf;
using namespace aicf::ir;

namespace {

int count(const Kernel& k, const std::function<bool(const ir::Node&)>& of) {
  int n = 0;
  for_each_node(k, [&](NodeId id) { n += of(k.nodes[id]) ? 1 : 0; });
  return n;
}
int count(const Kernel& k, Code code) {
  return count(k, [=](const ir::Node& n) { return n.code == code; });
}
int count(const Kernel& k, Op op) {
  return count(k, [=](const ir::Node& n) { return n.code == Code::apply && n.op == op; });
}

/// for v in 0 … n: y[v] = f(v), with the values that `body` makes of v and two parameters.
Kernel loop_of(const std::function<NodeId(Builder&, NodeId v, NodeId p, NodeId q)>& body) {
  Kernel k;
  k.name = "loop_of";
  k.params = {{"p", Type::f32, false}, {"q", Type::f32, false}, {"n", Type::i64, true}};
  Builder b(k);
  ir::Buffer y;
  y.name = "y", y.space = Space::global, y.role = Arg::Role::output;
  BufferId out = b.buffer(y);
  NodeId p = b.param("p"), q = b.param("q"), to = b.view(out, b.constant(Type::i64, 0));
  b.loop(Binding::sequential, "v", b.integer(0), b.convert(b.param("n"), Type::i32), [&](NodeId v) {
    NodeId value = body(b, v, p, q);
    b.store(out, {to, v}, value);
  });
  return k;
}

/// Operations of that kind inside of iterating loops.
int in_loops(const Kernel& k, Op op) {
  auto depth = loop_depths(k);
  int n = 0;
  for_each_node(k, [&](NodeId id) { n += k.nodes[id].code == Code::apply && k.nodes[id].op == op && depth[id] > 0; });
  return n;
}

} // namespace

class TestPasses : public QObject {
  Q_OBJECT

 private slots:
  void buildersFold() {
    Kernel k;
    k.params = {{"n", Type::i64, true}, {"r", Type::f32, false}};
    Builder b(k);
    NodeId n = b.param("n"), r = b.param("r");
    QCOMPARE(b.known(b.apply(Op::mul, {b.integer(6), b.integer(7)})), std::optional<double>(42));
    QCOMPARE(b.apply(Op::add, {n, b.integer(0)}), n);
    QCOMPARE(b.known(b.apply(Op::mul, {n, b.integer(0)})), std::optional<double>(0));
    QVERIFY(!b.known(b.apply(Op::mul, {r, b.constant(Type::f32, 0)}))); // 0 * NaN is NaN
    QVERIFY(b.apply(Op::add, {r, b.constant(Type::f32, 0)}) != r);      // -0 + 0 is 0
    QCOMPARE(b.known(b.apply(Op::floordiv, {b.integer(-7), b.integer(2)})), std::optional<double>(-4));
    QVERIFY(!b.known(b.apply(Op::floordiv, {b.integer(1), b.integer(0)})));
  }

  void invariantsLeaveTheLoop() {
    Kernel k = loop_of([](Builder& b, NodeId v, NodeId p, NodeId q) {
      NodeId root = b.apply(Op::sqrt, {b.apply(Op::mul, {p, q})});
      return b.apply(Op::mul, {b.convert(v, Type::f32), root});
    });
    QCOMPARE(in_loops(k, Op::sqrt), 1);
    hoist_invariants(k);
    QCOMPARE(verify(k), std::vector<std::string>{});
    QCOMPARE(in_loops(k, Op::sqrt), 0);
    QCOMPARE(in_loops(k, Op::mul), 1);
    QCOMPARE(count(k, Op::sqrt), 1);
  }

  void unguardedLoadsStay() { // the loop may run zero times
    Kernel k;
    k.params = {{"n", Type::i64, true}};
    Builder b(k);
    ir::Buffer x;
    x.name = "x", x.space = Space::global;
    BufferId in = b.buffer(x);
    BufferId sum = b.variable("sum", b.constant(Type::f32, 0));
    b.loop(Binding::sequential, "v", b.integer(0), b.convert(b.param("n"), Type::i32), [&](NodeId) {
      NodeId p = b.view(in, b.constant(Type::i64, 0)), zero = b.integer(0);
      NodeId guarded = b.guarded_load(in, {p, zero}, b.apply(Op::lt, {zero, b.param("n")}), b.constant(Type::f32, 0));
      b.store(sum, {}, b.apply(Op::add, {b.load(sum), b.apply(Op::add, {b.load(in, {p, zero}), guarded})}));
    });
    hoist_invariants(k);
    QCOMPARE(verify(k), std::vector<std::string>{});
    auto depth = loop_depths(k);
    int outside = 0, inside = 0;
    for_each_node(k, [&](NodeId id) {
      if (k.nodes[id].code == Code::load && k.nodes[id].buffer == in) (depth[id] == 0 ? outside : inside)++;
    });
    QCOMPARE(outside, 1);
    QCOMPARE(inside, 1);
  }

  void equalValuesAreOne() {
    Kernel k = loop_of([](Builder& b, NodeId, NodeId p, NodeId q) {
      return b.apply(Op::add,
                     {b.apply(Op::exp, {b.apply(Op::sub, {p, q})}), b.apply(Op::exp, {b.apply(Op::sub, {p, q})})});
    });
    simplify(k);
    QCOMPARE(verify(k), std::vector<std::string>{});
    QCOMPARE(count(k, Op::exp), 1);
    QCOMPARE(count(k, Op::sub), 1);
  }

  void deadChainsGoAtOnce() {
    Kernel k = loop_of([](Builder& b, NodeId, NodeId p, NodeId q) {
      NodeId v = p;
      for (int i = 0; i < 50000; ++i) v = b.apply(Op::add, {v, q});
      return p;
    });
    QElapsedTimer timer;
    timer.start();
    simplify(k);
    QCOMPARE(count(k, Op::add), 0);
    QVERIFY(timer.elapsed() < 5000);
  }

  void longSumsPrintAsStatements() {
    Kernel k = loop_of([](Builder& b, NodeId, NodeId p, NodeId q) {
      NodeId v = p;
      for (int i = 0; i < 20000; ++i) v = b.apply(Op::add, {v, i % 2 == 0 ? q : p});
      return v;
    });
    assign_names(k);
    std::string source = print_cuda(k).source;
    std::size_t longest = 0, from = 0;
    while (from < source.size()) {
      std::size_t to = source.find('\n', from);
      longest = std::max(longest, to - from);
      from = to + 1;
    }
    QVERIFY(longest < 200);
  }

  void variablesAreNotReadAfterTheyChange() { // t = v; v = 2; y = t
    Kernel k = loop_of([](Builder& b, NodeId, NodeId p, NodeId q) {
      BufferId v = b.variable("var", p);
      NodeId before = b.load(v);
      b.store(v, {}, q);
      return b.apply(Op::sub, {before, b.load(v)});
    });
    assign_names(k);
    std::string source = print_cuda(k).source;
    QVERIFY(source.find("const float var_value = var;\n    var = q;\n") != std::string::npos);
    QVERIFY(source.find("= var_value - var;") != std::string::npos);
  }

  void functionsByChoice() {
    auto make = [] {
      return loop_of([](Builder& b, NodeId v, NodeId p, NodeId q) {
        NodeId x = b.convert(v, Type::f32);
        NodeId e = b.apply(Op::exp, {b.apply(Op::sub, {x, p})});
        return b.apply(Op::add, {b.apply(Op::div, {e, q}), b.apply(Op::div, {p, x})});
      });
    };
    Kernel plain = make(), reciprocal = make(), fast = make();
    select_functions(plain, {});
    QCOMPARE(count(plain, Op::exp), 1);
    QCOMPARE(count(plain, Op::div), 2);
    select_functions(reciprocal, {.divide = Divide::reciprocal});
    hoist_invariants(reciprocal);
    QCOMPARE(verify(reciprocal), std::vector<std::string>{});
    QCOMPARE(count(reciprocal, Op::div), 2); // 1 / q, once; p / x as it was
    QCOMPARE(in_loops(reciprocal, Op::div), 1);
    select_functions(fast, {.fast_exp = true, .divide = Divide::fast});
    QCOMPARE(verify(fast), std::vector<std::string>{});
    QCOMPARE(count(fast, Op::exp), 0);
    QCOMPARE(count(fast, [](const ir::Node& n) { return n.code == Code::apply && n.accuracy == Accuracy::fast; }), 3);
  }

  void neighboursMoveTogether() {
    Kernel k;
    Builder b(k);
    ir::Buffer x, t;
    x.name = "x", x.space = Space::global, x.dtype = DType::bf16;
    t.name = "t", t.dtype = DType::bf16, t.layout.shape = {2, 8};
    BufferId in = b.buffer(x), regs = b.buffer(t);
    b.alloc(regs);
    NodeId p = b.view(in, b.constant(Type::i64, 0)), eight = b.integer(8), zero = b.integer(0);
    b.loop(Binding::sequential, "u", zero, b.integer(2), [&](NodeId u) {
      NodeId first = b.apply(Op::mul, {u, eight});
      b.loop(Binding::vector, "e", zero, eight, [&](NodeId e) {
        b.copy(regs, {u, e}, in, {p, b.apply(Op::add, {first, e})}, 1);
      });
      b.loop(Binding::vector, "e", zero, eight, [&](NodeId e) { // a stride of two is no packed access
        b.copy(regs, {u, e}, in, {p, b.apply(Op::mul, {e, b.integer(2)})}, 1);
      });
    });
    vectorise(k);
    QCOMPARE(verify(k), std::vector<std::string>{});
    QCOMPARE(count(k, [](const ir::Node& n) { return n.code == Code::copy && n.width == 8; }), 1);
    QCOMPARE(count(k, [](const ir::Node& n) { return n.code == Code::loop && n.binding == Binding::vector; }), 1);
  }

  /// The maximum of a packed group of halves leaves the loop, a sum in the same loop stays; anything else stays whole.
  void extremesOfHalvesArePacked_data() {
    QTest::addColumn<DType>("dtype");
    QTest::addColumn<int>("width");
    QTest::addColumn<bool>("guarded");
    QTest::addColumn<bool>("packs");
    QTest::newRow("bf16") << DType::bf16 << 8 << false << true;
    QTest::newRow("f16") << DType::f16 << 4 << false << true;
    QTest::newRow("two elements") << DType::bf16 << 2 << false << false;
    QTest::newRow("f32") << DType::f32 << 4 << false << false;
    QTest::newRow("some lanes alone") << DType::bf16 << 8 << true << false;
  }
  void extremesOfHalvesArePacked() {
    QFETCH(DType, dtype);
    QFETCH(int, width);
    QFETCH(bool, guarded);
    QFETCH(bool, packs);
    Kernel k;
    k.threads = 32;
    Builder b(k);
    ir::Buffer tile;
    tile.name = "tile", tile.space = Space::reg, tile.dtype = dtype, tile.layout.shape = {2, width};
    BufferId t = b.buffer(tile);
    b.loop(Binding::lane, "lane", b.integer(0), b.integer(32), [&](NodeId lane) {
      b.alloc(t);
      BufferId most = b.variable("most", b.constant(Type::f32, -1)), sum = b.variable("sum", b.constant(Type::f32, 0));
      b.loop(Binding::sequential, "v", b.integer(0), b.integer(2), [&](NodeId v) {
        b.loop(Binding::vector, "e", b.integer(0), b.integer(width), [&](NodeId e) {
          auto enters = [&] {
            NodeId x = b.load(t, {v, e});
            b.store(most, {}, b.apply(Op::max, {b.load(most), x}));
            b.store(sum, {}, b.apply(Op::add, {b.load(sum), x}));
          };
          if (guarded) return void(b.branch(b.apply(Op::lt, {lane, b.integer(7)}), enters));
          enters();
        });
      });
      BufferId keep = b.variable("keep", b.apply(Op::add, {b.load(most), b.load(sum)}));
      b.load(keep);
    });
    QCOMPARE(verify(k), std::vector<std::string>{});
    pack_extremes(k);
    QCOMPARE(verify(k), std::vector<std::string>{});
    QCOMPARE(count(k, Code::extreme), packs ? 1 : 0);
    QCOMPARE(count(k, [](const ir::Node& n) { return n.code == Code::loop && n.binding == Binding::vector; }), 1);
    int in_loop = 0; // maxima of single elements
    for_each_node(k, [&](NodeId id) {
      const ir::Node& n = k.nodes[id];
      if (n.code != Code::loop || n.binding != Binding::vector) return;
      for (NodeId inner : n.regions[0].body) in_loop += k.nodes[inner].op == Op::max ? 1 : 0;
    });
    QCOMPARE(in_loop, packs || guarded ? 0 : 1);
  }

  /// Parts are sent, counted and awaited; in a loop over rows every other turn has places and a barrier of its own.
  void clustersMeetByMessages() {
    for (bool turns : {false, true}) {
      Kernel k;
      k.threads = 64, k.cluster = 4;
      Builder b(k);
      Monoid m = monoid_of(Builtin::sum, Type::f64);
      auto meet = [&](NodeId t) {
        auto result = b.reduce(Scope::cluster, {b.convert(t, Type::f64)}, m.identity, m.symmetric,
                               [&](const auto& l, const auto& r) { return m.merge(b, l, r); });
        b.load(b.variable("keep", result[0]));
      };
      b.loop(Binding::cluster, "rank", b.integer(0), b.integer(4), [&](NodeId) {
        b.loop(Binding::block, "t", b.integer(0), b.integer(64), [&](NodeId t) {
          if (!turns) return meet(t);
          b.loop(Binding::sequential, "turn", b.integer(0), b.integer(5), [&](NodeId) { meet(t); });
        });
      });
      lower_collectives(k);
      QCOMPARE(verify(k), std::vector<std::string>{});
      QCOMPARE(count(k, Code::sync), 0);
      QCOMPARE(count(k, Code::send_peer), 1);
      QCOMPARE(count(k, Code::wait), 1);
      QCOMPARE(k.barriers.size(), std::size_t{1});
      QCOMPARE(k.barriers[0].stages, turns ? 2U : 1U);
      QCOMPARE(k.barriers[0].arrivals, 1U);
      double bytes = 0; // 4 blocks of 2 warps send 8 bytes each
      for_each_node(k, [&](NodeId id) {
        if (k.nodes[id].code == Code::arrive) bytes = k.nodes[k.nodes[id].args[1]].number;
      });
      QCOMPARE(bytes, 64.0);
    }
  }

  void collectivesBecomeShuffles() {
    for (std::uint32_t threads : {32U, 128U, 1024U}) {
      Kernel k;
      k.threads = threads;
      Builder b(k);
      Monoid m = monoid_of(Builtin::argmax, Type::f32);
      b.loop(Binding::block, "t", b.integer(0), b.integer(threads), [&](NodeId t) {
        auto values = m.lift(b, b.convert(t, Type::f32), t);
        auto result = b.reduce(Scope::block, values, m.identity, m.symmetric,
                               [&](const auto& l, const auto& r) { return m.merge(b, l, r); });
        BufferId keep = b.variable("keep", result[1]);
        b.load(keep);
      });
      QCOMPARE(verify(k), std::vector<std::string>{});
      lower_collectives(k);
      QCOMPARE(verify(k), std::vector<std::string>{});
      QCOMPARE(count(k, Code::reduce), 0);
      QCOMPARE(count(k, Code::result), 0);
      QCOMPARE(count(k, Code::sync), threads == 32 ? 0 : 1);
      QCOMPARE(count(k, Code::shuffle), threads == 1024 ? 4 : 2); // two components, one tree or two
    }
  }
};

QTEST_GUILESS_MAIN(TestPasses)
#include "test_passes.moc"
