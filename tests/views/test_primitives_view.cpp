// The Primitive Lab: break-evens and grids from power laws whose crossings are known, and the shipped profile, whose
// JSON is read here by other means.
#include "core/base/atlas_path.hpp"
#include "tests/support/paths.hpp"
#include "tests/views/fake_worker.hpp"
#include "views/charts/chart_pane.hpp"
#include "views/frame/main_window.hpp"
#include "views/guide/page.hpp"
#include "views/hardware/hardware_profiles.hpp"
#include "views/primitives/export_charts.hpp"
#include "views/primitives/forms.hpp"
#include "views/primitives/primitives_view.hpp"

#include <nlohmann/json.hpp>

#include <QComboBox>
#include <QImage>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <fstream>

using namespace aicf;
using namespace aicf::views;
using aicf::test::sourceFile;

namespace {
constexpr int patience = 30'000;

void addFigure(HardwareProfile& p, const std::string& id, double value, double spread) {
  HardwareFigure f;
  f.id = id, f.probe = "made", f.name = id, f.unit = "us", f.method = "made up for the test";
  f.run = "run-" + id, f.source = "device";
  f.status = std::isfinite(value) ? "measured" : "not_measured";
  f.reason = std::isfinite(value) ? "" : "it needs a device";
  f.value = value, f.lo = value * (1 - spread), f.hi = value * (1 + spread);
  p.figures.push_back(f);
}

/// Forms by their costs at lengths.
HardwareProfile madeProfile(const std::map<std::string, std::map<int, double>>& costs, double spread = 0) {
  HardwareProfile p;
  for (const auto& [form, byLength] : costs)
    for (const auto& [length, cost] : byLength) {
      const std::string id = form + "." + std::to_string(length);
      addFigure(p, "made." + id + ".time", cost, spread);
      addFigure(p, "made." + id + ".drift", 1e-7 * length, 0);
      p.realizations.push_back({"made", id, "made." + id + ".time", "made." + id + ".drift", "", {"row_cascade"}});
    }
  return p;
}

std::filesystem::path shipped() { return atlas_dir() / "hardware" / "emulator-sm90.json"; }

nlohmann::json figuresOfShipped() {
  std::ifstream in(shipped());
  nlohmann::json byId;
  const nlohmann::json document = nlohmann::json::parse(in);
  for (const auto& f : document["figures"]) byId[f["id"].get<std::string>()] = f;
  return byId;
}
} // namespace

class TestPrimitivesView : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { theme().install(false); }

  void powerLawsCrossWhereTheyMust() {
    // N and 100 sqrt(N) are straight lines between logarithms; they meet at 100 sqrt(N) = N, that is N = 10 000.
    const auto p = madeProfile({{"linear", {{256, 256}, {65536, 65536}}}, {"root", {{256, 1600}, {65536, 25600}}}});
    const auto found = breakEvens(realizationsOf(p), "made", Quantity::cost);
    QCOMPARE(found.size(), std::size_t(1));
    QVERIFY(found[0].crosses());
    QCOMPARE(found[0].below, QStringLiteral("linear"));
    QCOMPARE(found[0].above, QStringLiteral("root"));
    QVERIFY(std::abs(found[0].at - 10000) < 1e-6);
    QCOMPARE(found[0].from, 256.0);
    QCOMPARE(found[0].to, 65536.0);
    QVERIFY(!found[0].noise);
  }

  void orderThroughoutNoiseAndTies() {
    const auto dear = madeProfile({{"a", {{1, 2}, {4, 3}, {16, 5}}}, {"b", {{1, 3}, {4, 4}, {16, 9}}}});
    const auto throughout = breakEvens(realizationsOf(dear), "made", Quantity::cost);
    QCOMPARE(throughout.size(), std::size_t(1));
    QVERIFY(!throughout[0].crosses());
    QCOMPARE(throughout[0].below, QStringLiteral("a"));
    QCOMPARE(throughout[0].other, QStringLiteral("b"));
    QVERIFY(!std::isfinite(throughout[0].at));
    // Spreads of 30 % meet at 2 against 3.
    QVERIFY(breakEvens(realizationsOf(madeProfile({{"a", {{1, 2}, {4, 30}}}, {"b", {{1, 3}, {4, 3}}}}, 0.3)), "made",
                       Quantity::cost)
                .front()
                .noise);
    // Two crossings; one length in common says nothing; a tie on the way is no crossing.
    QCOMPARE(breakEvens(realizationsOf(madeProfile({{"a", {{1, 1}, {2, 4}, {4, 1}}}, {"b", {{1, 2}, {2, 2}, {4, 2}}}})),
                        "made", Quantity::cost)
                 .size(),
             std::size_t(2));
    QVERIFY(breakEvens(realizationsOf(madeProfile({{"a", {{1, 1}, {2, 4}}}, {"b", {{1, 2}, {3, 2}}}})), "made",
                       Quantity::cost)
                .empty());
    const auto tie =
        breakEvens(realizationsOf(madeProfile({{"a", {{1, 1}, {2, 2}, {4, 1}}}, {"b", {{1, 2}, {2, 2}, {4, 2}}}})),
                   "made", Quantity::cost);
    QCOMPARE(tie.size(), std::size_t(1));
    QVERIFY(!tie[0].crosses());
  }

  void theGridIsRelativeAndHonest() {
    const auto p = madeProfile({{"a", {{1, 2}, {4, 8}}}, {"b", {{1, 4}, {4, notKnown}}}});
    const LabChart grid = viabilityGrid(realizationsOf(p), "made", Quantity::cost);
    const auto& m = std::get<HeatMap>(grid.chart.what);
    QCOMPARE(m.yNames, QStringList({"a", "b"}));
    QCOMPARE(m.xs, std::vector<double>({1, 4}));
    QCOMPARE(m.cells[0], std::vector<double>({1, 1}));
    QCOMPARE(m.cells[1][0], 2.0);
    QVERIFY2(std::isnan(m.cells[1][1]), "what is not measured is no number");
    QCOMPARE(grid.figures, QStringList({"made.a.1.time", "made.a.4.time", "made.b.1.time", "made.b.4.time"}));
    const ChartTable twin = tableOf(grid.chart);
    QCOMPARE(twin.rows.size(), std::size_t(4));
    QCOMPARE(twin.rows[2][0].toString(), QStringLiteral("b"));
    QVERIFY(!twin.rows[3][2].isValid());
    QVERIFY(readout(grid.chart, 3).contains("not measured"));
    QCOMPARE(csvOf(grid.chart).split('\n')[3], QStringLiteral("b,1,2"));
  }

  void everyNumberOfTheShippedProfileIsItsFigures() {
    const auto profile = load_hardware_profile(shipped());
    QVERIFY(profile);
    const nlohmann::json figures = figuresOfShipped();
    const auto all = realizationsOf(*profile);
    QVERIFY(all.size() > 100);
    const auto check = [&](const LabNumber& n) {
      if (!n.isKnown()) return !n.why.isEmpty();
      const auto& f = figures[n.figure.toStdString()];
      return f["value"].get<double>() == n.value && f["run"].get<std::string>() == n.run.toStdString() &&
             !n.run.isEmpty();
    };
    int untimed = 0;
    QStringList probes;
    for (const Realization& r : all) {
      QVERIFY2(check(r.cost) && check(r.drift) && check(r.traffic) && check(r.time), qPrintable(r.probe + r.form));
      QVERIFY2(probedForms().contains(r.probe + '.' + r.form + '.' + QString::number(r.length)), qPrintable(r.form));
      untimed += r.time.isKnown() ? 0 : 1;
      if (!probes.contains(r.probe)) probes << r.probe;
    }
    QCOMPARE(untimed, int(all.size())); // it holds no time
    for (const QString& probe : probes)
      for (const LabChart& chart : {costAgainstDrift(all, probe), byLength(all, probe, Quantity::cost)}) {
        const ChartTable twin = tableOf(chart.chart);
        QCOMPARE(twin.rows.size(), std::size_t(chart.figures.size()));
        for (std::size_t i = 0; i < twin.rows.size(); ++i) {
          const auto& f = figures[chart.figures[qsizetype(i)].toStdString()];
          QCOMPARE(twin.rows[i][2].toDouble(), f["value"].get<double>());
        }
      }
    for (const RewritingCost& c : rewritingCosts(*profile))
      QVERIFY(std::abs(c.ratio - c.with.value / c.without.value) < 1e-12);
  }

  void formsNameThePrimitivesOfTheirChoices() {
    // atlas/primitives.json: ex2_approx is the choice `exp`, rcp_approx is `divide`; online_summary is `state_form`.
    QVERIFY(probedForms()["exp_forms.fast.4096"].primitives.contains("ex2_approx"));
    QVERIFY(!probedForms()["exp_forms.precise.4096"].primitives.contains("ex2_approx"));
    QVERIFY(probedForms()["division_forms.fast.4096"].primitives.contains("rcp_approx"));
    QVERIFY(probedForms()["online_forms.online.4096"].primitives.contains("online_summary"));
    QVERIFY(probedForms()["online_forms.online.4096"].transformations.contains("online_state"));
  }

  void theViewLeadsToTheRuns() {
    QTemporaryDir folder;
    WorkbenchOptions options;
    options.targets = noTargets();
    options.settingsFile = folder.filePath("settings.ini");
    qputenv("AICF_STORE", folder.filePath("evidence.sqlite").toUtf8());
    Workbench w(options);
    MainWindow window(w);
    window.show();
    auto* view = dynamic_cast<PrimitivesView*>(w.navigator().view("primitives"));
    QVERIFY(view);
    w.navigator().goTo("primitives");
    QTRY_VERIFY_WITH_TIMEOUT(view->isReady() && !view->probe().isEmpty(), patience);
    const nlohmann::json figures = figuresOfShipped();
    const KnownProfile* known = HardwareProfiles::of(w).current();
    QVERIFY(known && !known->sample);
    QVERIFY(view->table()->proxy()->rowCount() > 100);
    // What no device measured says so, in words.
    QVERIFY(view->table()->text(TableFormat::tsv, false).contains("not measured"));
    for (int tab = 0; tab < view->tabs()->count(); ++tab) {
      view->tabs()->setCurrentIndex(tab);
      QCoreApplication::processEvents();
    }
    QVERIFY(hasNumbers(view->scatter()->chart()));
    QVERIFY(hasNumbers(view->curves()->chart()));
    QVERIFY(hasNumbers(view->viability()->chart()));
    // A datum leads to its figure, and that to its run.
    Q_EMIT view->scatter()->chosen(0);
    QVERIFY(view->page()->toHtml().contains("aicf://run/"));
    // A primitive of the atlas: its text, and the forms that are built of it.
    QVERIFY(w.open({"primitive", "ex2_approx"}));
    QCOMPARE(w.navigator().current(), view);
    // A form that stands on it: erf by an exponential is one as well.
    const QString chosen = view->probe();
    QVERIFY(QStringList({"exp_forms", "erf_forms"}).contains(chosen));
    QVERIFY(view->page()->toPlainText().contains("ex2.approx"));
    QVERIFY(view->table()->currentIndex().siblingAtColumn(0).data(LitRole).toBool());
    // A cell's origin links to the evidence row.
    const QModelIndex drift = view->table()->currentIndex().siblingAtColumn(6);
    QVERIFY(drift.data(OriginLinkRole).toString().startsWith("aicf://run/"));
    const QJsonObject state = view->state();
    QVERIFY(w.open({"primitive", "online_summary"}));
    QVERIFY(view->probe() != chosen);
    view->restore(state);
    QCOMPARE(view->probe(), chosen);
    // Another profile: one that knows nothing of primitives explains itself.
    HardwareProfiles::of(w).open(sourceFile("tests/data/hardware-sample.json"));
    QTRY_VERIFY_WITH_TIMEOUT(
        HardwareProfiles::of(w).isLoaded() && HardwareProfiles::of(w).current()->path.contains("sample"), patience);
    QCOMPARE(view->table()->proxy()->rowCount(), 1);
    Q_UNUSED(figures);
  }

  /// Texts beside change points that lie close together stand on rows of their own, and within the picture.
  void changesDoNotOverlap() {
    if (!plotsAreBuilt()) QSKIP("SKIPPED: built without QCustomPlot");
    Curves curves{{"x", {}, false}, {"y", {}, false}, {{"a", {}, {}, true}}};
    for (int i = 0; i <= 100; ++i) curves.curves[0].points.push_back({double(i), double(i), double(i), double(i)});
    for (const double x : {0., 1., 2., 3., 50., 51., 100.}) curves.curves[0].changes.push_back({x, 1234, 5678});
    const QTemporaryDir folder;
    const QString file = folder.filePath("c.svg");
    QCOMPARE(exportChart({"c", "c", {}, curves, {}}, file, {640, 400}), QString());
    QFile picture(file);
    QVERIFY(picture.open(QIODevice::ReadOnly));
    static const QRegularExpression text(
        QStringLiteral("matrix\\(1 0 0 1 ([-0-9.]+) ([-0-9.]+)\\)\"><text x=\"([-0-9.]+)\" y=\"([-0-9.]+)\" "
                       "textLength=\"([-0-9.]+)\"[^>]*>[^<]*→"));
    std::vector<QRectF> boxes;
    for (auto it = text.globalMatch(QString::fromUtf8(picture.readAll())); it.hasNext();) {
      const auto m = it.next();
      const auto number = [&](int group) { return m.captured(group).toDouble(); };
      boxes.emplace_back(number(1) + number(3), number(2) + number(4) - 8, number(5), 8);
    }
    QCOMPARE(boxes.size(), std::size_t{7});
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      QVERIFY(QRectF(0, 0, 640, 400).contains(boxes[i]));
      for (std::size_t j = 0; j < i; ++j) QVERIFY(!boxes[i].intersects(boxes[j]));
    }
  }

  /// A PDF keeps the colours of a map's cells: none of its pictures is compressed with a loss.
  void mapsKeepTheirColours() {
    if (!plotsAreBuilt()) QSKIP("SKIPPED: built without QCustomPlot");
    HeatMap map{{"x", {}, false}, {"y", {}, false}, {"z", {}, false}, {1, 2, 3}, {1, 2}, {{1, 5, 2}, {4, 3, 6}}};
    const QTemporaryDir folder;
    QCOMPARE(exportChart({"m", "m", {}, map, {}}, folder.filePath("m.pdf"), {640, 400}), QString());
    QFile picture(folder.filePath("m.pdf"));
    QVERIFY(picture.open(QIODevice::ReadOnly));
    const QByteArray bytes = picture.readAll();
    QVERIFY(bytes.contains("/Subtype /Image"));
    QVERIFY(!bytes.contains("DCTDecode"));
  }

  void chartsFromTheCommandLine() {
    QTemporaryDir folder;
    if (!plotsAreBuilt()) QSKIP("SKIPPED: built without QCustomPlot");
    for (const char* suffix : {"svg", "pdf", "png"}) {
      const QString file = folder.filePath(QStringLiteral("chart.%1").arg(QLatin1String(suffix)));
      QCOMPARE(writeChart("emulator-sm90", "by-length.online_forms.cost", file), 0);
      QFile picture(file);
      QVERIFY(picture.open(QIODevice::ReadOnly));
      const QByteArray bytes = picture.readAll();
      if (*suffix == 's') QVERIFY(bytes.contains("<svg") && bytes.contains("resident"));
      if (suffix == QByteArray("pdf")) QVERIFY(bytes.startsWith("%PDF") && bytes.count("/Type /Page\n") == 1);
      if (suffix == QByteArray("png")) QCOMPARE(QImage::fromData(bytes).size(), QSize(1920, 1200));
      QFile twin(folder.filePath("chart.csv"));
      QVERIFY(twin.open(QIODevice::ReadOnly));
      const QStringList lines = QString::fromUtf8(twin.readAll()).trimmed().split('\n');
      QCOMPARE(lines.size(), 1 + 20); // four forms at five lengths
      const nlohmann::json figures = figuresOfShipped();
      const double first = figures["online_forms.two_pass.256.instructions"]["value"].get<double>();
      QCOMPARE(lines[1].split(',')[2].toDouble(), first);
    }
    QCOMPARE(writeChart("emulator-sm90", "no such chart", folder.filePath("x.svg")), 2);
    QCOMPARE(writeChart("emulator-sm90", "roofline", folder.filePath("x.svg")), 1);
    QCOMPARE(writeChart("emulator-sm90", "roofline", folder.filePath("x.gif")), 2);
    QCOMPARE(writeChart("/nonexistent.json", "roofline", folder.filePath("x.svg")), 2);
  }
};

QTEST_MAIN(TestPrimitivesView)
#include "test_primitives_view.moc"
