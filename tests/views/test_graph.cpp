// The structure graph: its edges against what the definitions say, dot in a child process that may be absent, hang or
// be cancelled, places that do not overlap, selection by click and key.
#include "core/expr/check.hpp"
#include "views/frame/theme.hpp"
#include "views/graph/graph_view.hpp"

#include <QElapsedTimer>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace aicf;
using namespace aicf::views;

namespace {
constexpr int patience = 20'000, cancelMs = 200;

Definition parsed(const std::string& text) {
  auto d = parse_definition(text, "test");
  if (!d) throw std::logic_error(format(d.diagnostics.front()));
  return std::move(*d);
}
StructureGraph graphOf(const std::string& text) {
  const auto d = std::make_shared<const Definition>(parsed(text));
  const StructureProfile profile = analyze(canonicalize(d));
  return structureGraph(*d, &profile);
}
QStringList edgesOf(const StructureGraph& g) {
  QStringList out;
  for (const GraphEdge& e : g.edges)
    out << g.nodes[std::size_t(e.from)].name + (e.step ? "~>" : "->") + g.nodes[std::size_t(e.to)].name;
  out.sort();
  return out;
}
constexpr auto softmaxText = "op softmax(x: float[M, N]) -> y: float[M, N]\n  m[i] = max[j] x[i, j]\n"
                             "  l[i] = sum[j] exp(x[i, j] - m[i])\n  y[i, j] = exp(x[i, j] - m[i]) / l[i]\n";
bool hasDot() { return !QStandardPaths::findExecutable("dot").isEmpty(); }
} // namespace

class TestGraph : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { theme().install(false); }

  void whatReadsWhat() {
    const StructureGraph g = graphOf(softmaxText);
    QCOMPARE(edgesOf(g), QStringList({"l->y", "m->l", "m->y", "x->l", "x->m", "x->y"}));
    for (const GraphNode& n : g.nodes) {
      if (n.name == "x") QCOMPARE(n.kind, GraphNode::Kind::input);
      if (n.name == "m") QVERIFY(n.kind == GraphNode::Kind::reduction && n.detail.startsWith("max over j"));
      if (n.name == "l") QVERIFY(n.detail.contains("rank 1") && n.cascade == 0);
      if (n.name == "y") QCOMPARE(n.kind, GraphNode::Kind::result);
    }
  }

  void reductionsInsideAndRecurrences() {
    QCOMPARE(edgesOf(graphOf("op f(x: float[N]) -> y: float[]\n  y = log(sum[j] exp(x[j] - (max[k] x[k])))\n")),
             QStringList({"x->y#1", "x->y#2", "y#1->y#2", "y#2->y"}));
    QVERIFY(edgesOf(graphOf("op f(a: float[T], b: float[T]) -> h: float[T]\n"
                            "  h[t] = a[t] * h[t - 1] + b[t] from h[-1] = 0\n"))
                .contains("h~>h"));
    std::string many = "op f(x: float[N]) -> y: float[N]\n";
    for (int i = 0; i < 2000; ++i)
      many += "  v" + std::to_string(i) + "[i] = " + (i == 0 ? "x[i]" : "v" + std::to_string(i - 1) + "[i]") + " + 1\n";
    const Definition d = parsed(many + "  y[i] = v1999[i]\n");
    const StructureGraph large = structureGraph(d, nullptr);
    QCOMPARE(large.nodes.size(), mostGraphNodes);
    QVERIFY(large.leftOut > 0);
  }

  void placesOfDot() {
    if (!hasDot()) QSKIP("SKIPPED: no Graphviz");
    GraphView view;
    view.resize(500, 400);
    view.show();
    const StructureGraph g = graphOf(softmaxText);
    view.setGraph(g);
    QTRY_VERIFY_WITH_TIMEOUT(view.isDrawn(), patience);
    for (const GraphNode& a : g.nodes) {
      QVERIFY(view.canvas()->rect().contains(view.placeOf(a.name)));
      for (const GraphNode& b : g.nodes)
        if (a.name != b.name) QVERIFY(!view.placeOf(a.name).intersects(view.placeOf(b.name)));
    }
    // Downwards: what is read stands above what reads it.
    QVERIFY(view.placeOf("x").center().y() < view.placeOf("m").center().y());
    QVERIFY(view.placeOf("m").center().y() < view.placeOf("l").center().y());
    QVERIFY(view.placeOf("l").center().y() < view.placeOf("y").center().y());
    // Click, keys, zoom, theme.
    QSignalSpy chosen(&view, &GraphView::chosen);
    QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, view.placeOf("l").center());
    QCOMPARE(view.selected(), QStringLiteral("l"));
    QTest::keyClick(view.canvas(), Qt::Key_Up);
    QCOMPARE(chosen.size(), 2);
    QVERIFY(view.selected() != "l");
    const int before = view.placeOf("m").width();
    view.setZoom(view.zoom() * 2);
    QVERIFY(std::abs(view.placeOf("m").width() - 2 * before) <= 2);
    QTest::mousePress(view.canvas(), Qt::LeftButton, {}, {10, 10});
    const QPoint was = view.placeOf("m").center();
    QMouseEvent drag(QEvent::MouseMove, QPointF(60, 40), view.canvas()->mapToGlobal(QPointF(60, 40)), Qt::LeftButton,
                     Qt::LeftButton, {});
    QApplication::sendEvent(view.canvas(), &drag);
    QTest::mouseRelease(view.canvas(), Qt::LeftButton, {}, {60, 40});
    QCOMPARE(view.placeOf("m").center() - was, QPoint(50, 30));
    QTemporaryDir folder;
    for (const char* suffix : {"svg", "pdf", "png"})
      QCOMPARE(view.exportTo(folder.filePath(QStringLiteral("g.%1").arg(QLatin1String(suffix)))), QString());
    QFile svg(folder.filePath("g.svg"));
    QVERIFY(svg.open(QIODevice::ReadOnly) && svg.readAll().contains("max over j"));
  }

  void absentDotIsExplained() {
    GraphView view;
    view.dot().setProgram("/nonexistent/dot");
    view.show();
    view.setGraph(graphOf(softmaxText));
    QTRY_VERIFY_WITH_TIMEOUT(!view.problem().isEmpty(), patience);
    QVERIFY2(view.problem().contains("apt install graphviz"), qPrintable(view.problem()));
    QVERIFY(!view.isDrawn() && !view.dot().isRunning());
  }

  void aHangingDotIsCancelledAndLimited() {
    QTemporaryDir folder;
    QFile script(folder.filePath("dot"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("#!/bin/sh\nexec sleep 60\n");
    script.close();
    script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    GraphView view;
    view.dot().setProgram(script.fileName());
    view.show();
    view.setGraph(graphOf(softmaxText));
    QTRY_VERIFY_WITH_TIMEOUT(view.dot().isRunning(), patience);
    QElapsedTimer timer;
    timer.start();
    for (auto* b : view.findChildren<QPushButton*>())
      if (b->text() == "Cancel") b->click();
    QVERIFY(!view.dot().isRunning());
    QVERIFY(timer.elapsed() < cancelMs);
    view.dot().setTimeLimit(50);
    view.setGraph(graphOf(softmaxText));
    QTRY_VERIFY_WITH_TIMEOUT(view.problem().contains("was stopped"), patience);
    // A newer graph ends the older, and nonsense is said to be nonsense.
    view.dot().setTimeLimit(5000);
    view.dot().setProgram("/bin/echo");
    view.setGraph(graphOf(softmaxText));
    QTRY_VERIFY_WITH_TIMEOUT(view.problem().contains("cannot be read"), patience);
  }

  void brokenAnswersAreRefused() {
    const StructureGraph g = graphOf(softmaxText);
    for (const char* bad :
         {"", "graph 1 2 3\nstop\n", "graph 1 2 3\nnode n9 1 1 1 1 x solid box black lightgrey\nstop\n",
          "graph 1 2 3\nedge n0 n1 400 1 1\nstop\n"})
      QVERIFY(!layoutOf(bad, g));
  }
};

QTEST_MAIN(TestGraph)
#include "test_graph.moc"
