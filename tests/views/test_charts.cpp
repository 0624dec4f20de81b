// Charts: colours at places that follow from the data, what is not measured never drawn as a number, the table twin in
// step with the picture, the arithmetic of rooflines.
#include "views/charts/chart_pane.hpp"
#include "views/frame/theme.hpp"

#include <QAbstractItemModelTester>
#include <QImage>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <cmath>
#include <memory>

using namespace aicf::views;

namespace {

Chart map(std::vector<std::vector<double>> cells) {
  HeatMap m{{"column", {}, false}, {"row", {}, false}, {"value", "cycles", false}, {}, {}, std::move(cells)};
  for (std::size_t i = 0; i < m.cells.size(); ++i) m.ys.push_back(double(i));
  for (std::size_t i = 0; i < m.cells[0].size(); ++i) m.xs.push_back(double(i));
  return {"map", "A map", "made", std::move(m), {}};
}

QImage pictureOf(const Chart& chart) {
  QTemporaryDir folder;
  const QString file = folder.filePath("chart.png");
  return exportChart(chart, file, {600, 400}).isEmpty() ? QImage(file) : QImage();
}

int distance(const QColor& a, const QColor& b) {
  return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue());
}
/// How many pixels of a colour there are, and where they begin.
struct Patch {
  int count = 0, left = 1 << 20, right = -1, top = 1 << 20, bottom = -1;
};
Patch patchOf(const QImage& image, const QColor& color, const QRect& within) {
  Patch out;
  for (int y = within.top(); y <= within.bottom(); ++y)
    for (int x = within.left(); x <= within.right(); ++x)
      if (distance(image.pixelColor(x, y), color) < 6) {
        ++out.count;
        out.left = std::min(out.left, x), out.right = std::max(out.right, x);
        out.top = std::min(out.top, y), out.bottom = std::max(out.bottom, y);
      }
  return out;
}
} // namespace

class TestCharts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// A chart that was set, and a theme that was changed, while nobody looked are there once somebody does.
  void builtWhenLookedAt() {
    if (!plotsAreBuilt()) QSKIP("SKIPPED: built without QCustomPlot");
    const Chart chart{
        "c", "c", {}, Curves{{"x", {}, false}, {"y", {}, false}, {{"a", {{1, 2}, {2, 5}}, {}, true}}}, {}};
    std::array<QImage, 2> pictures;
    for (const bool hidden : {true, false}) {
      const std::unique_ptr<Plot> plot(makePlot(nullptr));
      plot->resize(320, 240);
      if (!hidden) plot->show();
      plot->setChart(chart);
      theme().setDark(true);
      plot->show();
      QCoreApplication::processEvents();
      pictures.at(hidden ? 0 : 1) = plot->grab().toImage();
      theme().setDark(false);
    }
    QVERIFY(pictures[0] == pictures[1]);
    QVERIFY(pictures[0].pixelColor(160, 3).lightness() < 128); // dark ground
    const std::unique_ptr<Plot> empty(makePlot(nullptr));
    empty->resize(320, 240);
    empty->show();
    QVERIFY(empty->grab().toImage() != pictures[0]);
  }

  void initTestCase() {
    theme().install(false);
    if (!plotsAreBuilt()) QSKIP("SKIPPED: built without QCustomPlot");
  }
  void cleanup() { theme().setDark(false); }

  /// One row, low and high: the left half has the darkest colour of the scale, the right half the lightest.
  void aMapHasTheColoursOfItsValues() {
    const QImage image = pictureOf(map({{1, 9}}));
    QVERIFY(!image.isNull());
    const QRect left(0, 0, int(image.width() * 0.85), image.height()); // without the scale on the right
    const Patch low = patchOf(image, cividis().front(), left), high = patchOf(image, cividis().back(), left);
    QVERIFY(low.count > 10000 && high.count > 10000);
    QVERIFY2(low.right < high.left, "the smaller value is in the left column");
    QVERIFY(std::abs((low.bottom - low.top) - (high.bottom - high.top)) < 6);
    QVERIFY(std::abs(low.count - high.count) < low.count / 10);
  }

  /// Lightness grows along the scale, so that the order is seen without colour.
  void theScaleIsMonotone() {
    double last = -1;
    for (const QColor& c : cividis()) {
      // Relative luminance of sRGB (IEC 61966-2-1).
      const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
      const double luminance = 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
      QVERIFY(luminance > last);
      last = luminance;
    }
  }

  void whatIsNotMeasuredIsHatched() {
    const QImage image = pictureOf(map({{1, notKnown, 9}}));
    const QRect left(0, 0, int(image.width() * 0.85), image.height());
    const Patch low = patchOf(image, cividis().front(), left), high = patchOf(image, cividis().back(), left);
    QVERIFY(low.count > 5000 && high.count > 5000);
    // Between them: the hatch's colour and the ground, and none of the scale's.
    const QRect gap(low.right + 12, low.top + 12, high.left - low.right - 24, low.bottom - low.top - 24);
    QVERIFY(gap.width() > 50);
    const int hatch = patchOf(image, theme().color("strong"), gap).count;
    const int ground = patchOf(image, theme().color("surface"), gap).count;
    QVERIFY2(hatch > 100 && ground > 100, qPrintable(QStringLiteral("%1 %2").arg(hatch).arg(ground)));
    for (const QColor& c : cividis()) QVERIFY(patchOf(image, c, gap).count < gap.width() * gap.height() / 100);
  }

  /// A flat curve is a horizontal line; a rising one goes from bottom left to top right.
  void aCurveGoesWhereItsPointsAre() {
    Chart chart{"c",
                "A curve",
                "",
                Curves{{"x", {}, false},
                       {"y", {}, false},
                       {{"one", {{0, 0, notKnown, notKnown}, {1, 1, notKnown, notKnown}}, {}, true}}},
                {}};
    const QImage image = pictureOf(chart);
    const QColor ink = curveColor(0, false);
    const auto half = [&](bool right) {
      return patchOf(image, ink, {right ? image.width() / 2 : 0, 0, image.width() / 2, image.height()});
    };
    QVERIFY(half(false).count > 50 && half(true).count > 50);
    QVERIFY2(half(true).top < half(false).top && half(true).bottom < half(false).bottom, "it rises to the right");
    // A gap in the data is a gap in the line.
    std::get<Curves>(chart.what).curves[0].points = {{0, 1, notKnown, notKnown},
                                                     {1, 1, notKnown, notKnown},
                                                     {2, notKnown, notKnown, notKnown},
                                                     {3, 1, notKnown, notKnown},
                                                     {4, 1, notKnown, notKnown}};
    const QImage gap = pictureOf(chart);
    const int middle = gap.width() * 57 / 100; // x = 2 of 0 … 4, right of the axis labels
    QCOMPARE(patchOf(gap, ink, {middle - 4, 0, 8, gap.height()}).count, 0);
  }

  void darkIsDark() {
    theme().setDark(true);
    const QImage image = pictureOf(map({{1, 2}, {3, 4}}));
    QVERIFY(image.pixelColor(3, 3).lightness() < 80);
  }

  void theTwinIsInStepWithTheChart() {
    const Chart chart = map({{1, 2, 3}, {4, notKnown, 6}});
    const ChartTable twin = tableOf(chart);
    QCOMPARE(twin.rows.size(), std::size_t(6));
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 3; ++x) {
        const auto& row = twin.rows[std::size_t(3 * y + x)];
        QCOMPARE(row[0].toDouble(), double(y));
        QCOMPARE(row[1].toDouble(), double(x));
      }
    QVERIFY(!twin.rows[4][2].isValid());
    QVERIFY(readout(chart, 4).contains("not measured"));
    QVERIFY(readout(chart, 5).contains("6 cycles"));
    QCOMPARE(readout(chart, 6), QString());
    QCOMPARE(csvOf(chart), QStringLiteral("row,column,value (cycles)\n0,0,1\n0,1,2\n0,2,3\n1,0,4\n1,1,\n1,2,6\n"));
    auto* model = makeChartModel(twin, this);
    QAbstractItemModelTester tester(model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    RecordProxy proxy;
    proxy.setSourceModel(model);
    QAbstractItemModelTester proxyTester(&proxy, QAbstractItemModelTester::FailureReportingMode::QtTest);
    proxy.sort(2, Qt::DescendingOrder);
    QCOMPARE(proxy.index(0, 2).data(SortRole).toDouble(), 6.0);
    QCOMPARE(proxy.index(5, 2).data().toString(), QStringLiteral("not measured"));
    model->setRows({});
    QCOMPARE(proxy.rowCount(), 0);
  }

  void rooflineArithmetic() {
    // 4 TB/s under 1000 TFLOP/s: the ridge is at 250 operations a byte.
    QCOMPARE(ridge(4e12, 1e15), 250.0);
    QCOMPARE(attainable(100, 4e12, 1e15), 4e14);
    QCOMPARE(attainable(1000, 4e12, 1e15), 1e15);
    const Span2 span = intensities({"FLOP/s", {{"dram", "", true, 4e12}, {"tensor", "", false, 1e15}}, {}});
    QVERIFY(span.from < 250 && span.to > 250);
  }

  void aPaneSaysWhyItIsEmpty() {
    ChartPane pane("A chart");
    pane.setNothing("because");
    pane.resize(500, 300);
    pane.show();
    bool said = false;
    for (const auto* l : pane.findChildren<QLabel*>()) said = said || (l->isVisible() && l->text() == "because");
    QVERIFY(said);
    pane.setChart(map({{notKnown, notKnown}}));
    said = false;
    for (const auto* l : pane.findChildren<QLabel*>())
      said = said || (l->isVisible() && l->text().contains("measured"));
    QVERIFY(said);
    pane.setChart(map({{1, 2}}));
    pane.showTable(true);
    QVERIFY(pane.table()->isVisible());
    QCOMPARE(pane.table()->proxy()->rowCount(), 2);
  }

  void logarithmsNeedPositiveNumbers() {
    QVERIFY(canBeLogarithmic(map({{1, 2}})));
    QVERIFY(!canBeLogarithmic(map({{0, 2}})));
    QVERIFY(!canBeLogarithmic(map({{notKnown, notKnown}})));
    QVERIFY(!hasNumbers(map({{notKnown}})));
  }
};

QTEST_MAIN(TestCharts)
#include "test_charts.moc"
