// Every table model and its proxy under QAbstractItemModelTester; sorting, filtering, export.
#include "tests/views/fake_worker.hpp"
#include "views/atlas/matrix_model.hpp"
#include "views/builder/builder_view.hpp"
#include "views/builder/ledger_pane.hpp"
#include "views/charts/chart.hpp"
#include "views/compare/compare_view.hpp"
#include "views/guide/guide_view.hpp"
#include "views/hardware/hardware_view.hpp"
#include "views/jobs/jobs_pane.hpp"
#include "views/ops/certificate_pane.hpp"
#include "views/ops/definition_pane.hpp"
#include "views/ops/operator_list.hpp"
#include "views/ops/structure_pane.hpp"
#include "views/primitives/primitives_view.hpp"
#include "views/runs/runs_view.hpp"
#include "views/start/start_view.hpp"
#include "views/synthesis/synthesis_view.hpp"
#include "views/synthesis/variant_detail.hpp"

#include <QAbstractItemModelTester>
#include <QTemporaryDir>
#include <QTest>

using namespace aicf;
using namespace aicf::views;

class TestModels : public QObject {
  Q_OBJECT

  /// Empty, filled, appended, changed, sorted, filtered, emptied.
  template <class Row> void exercise(RecordModel<Row>* model, bool explained = true, Row row = {}) {
    QAbstractItemModelTester tester(model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    RecordProxy proxy;
    proxy.setSourceModel(model);
    QAbstractItemModelTester proxyTester(&proxy, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model->setRows(std::vector<Row>(3, row));
    model->append(row);
    model->setRow(1, row);
    QCOMPARE(model->rowCount(), 4);
    for (int c = 0; c < model->columnCount(); ++c) {
      const QString heading = model->headerData(c, Qt::Horizontal, Qt::DisplayRole).toString();
      QVERIFY(!heading.isEmpty());
      if (explained)
        QVERIFY2(!model->headerData(c, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty(),
                 qPrintable(heading + " is explained nowhere"));
      for (const int role : {int(Qt::DisplayRole), int(Qt::ToolTipRole), int(SortRole), int(ToneRole), int(KindRole),
                             int(Qt::TextAlignmentRole)})
        (void)model->index(0, c).data(role);
      proxy.sort(c, Qt::AscendingOrder);
      proxy.sort(c, Qt::DescendingOrder);
    }
    proxy.setFilterFixedString("no cell says this");
    QCOMPARE(proxy.rowCount(), 0);
    proxy.setFilterFixedString({});
    model->setRows({});
    QCOMPARE(proxy.rowCount(), 0);
    QVERIFY(!model->index(0, 0).data().isValid());
  }

 private Q_SLOTS:
  void all() {
    exercise(makeOperatorModel(this));
    exercise(makeMessagesModel(this));
    exercise(makeReductionsModel(this));
    exercise(makeCertificatesModel(this));
    exercise(makeLedgerModel(this));
    exercise(makeRefusalsModel(this));
    exercise(makeVariantsModel(this));
    exercise(makeChecksModel(this));
    exercise(makeMetricsModel(this));
    exercise(makeChoicesModel(this));
    exercise(makeFaultsModel(this));
    exercise(makeComparedMetricsModel(this));
    exercise(makeComparedChoicesModel(this));
    exercise(makeJobsModel(this));
    exercise(makeMachineModel(this));
    const Evidence evidence; // the rows of Runs are the view's
    exercise(makeRunsModel(this), true, &evidence);
    exercise(makeEvidenceMetricsModel(this));
    exercise(makeHardwareModel(this));
    exercise(makeGuideModel(this));
    exercise(makeRealizationsModel(this));
    exercise(makeBreakEvensModel(this));
    exercise(makeFamiliesModel(this));
    exercise(makeRewritingsModel(this));
    exercise(makePriorsModel(this));
    // A chart's table twin; its headings are the names of the axes.
    HeatMap map{{"x", {}, false}, {"y", {}, false}, {"z", {}, false}, {1, 2}, {1}, {{1, notKnown}}};
    exercise(makeChartModel(tableOf({"m", "m", {}, map, {}}), this), false);
    exercise(
        makeChartModel(
            tableOf({"c", "c", {}, Curves{{"x", {}, false}, {"y", {}, false}, {{"a", {{1, 2}}, {}, true}}}, {}}), this),
        false);
    exercise(
        makeChartModel(tableOf({"r", "r", {}, Roofline{"FLOP/s", {{"c", "p", true, 1}}, {{"k", 1, 1}}}, {}}), this),
        false);
  }

  /// Every heading explained: no word of the field stands there alone.
  void theMatrixOfProperties() {
    QTemporaryDir folder;
    WorkbenchOptions options;
    options.targets = noTargets();
    options.settingsFile = folder.filePath("settings.ini");
    Workbench w(options);
    PropertyMatrix matrix(w);
    MatrixModel model(matrix);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QTRY_VERIFY_WITH_TIMEOUT(w.library().isLoaded(), 20'000);
    for (const auto grouping : {MatrixGrouping::none, MatrixGrouping::stages, MatrixGrouping::structure}) {
      MatrixArrangement a;
      a.grouping = grouping;
      a.text = "norm";
      model.setArrangement(a);
      a.text.clear();
      model.setArrangement(a);
    }
    QVERIFY(model.columnCount() > 1);
  }

  void emptyCellsSortLast() {
    auto* model = makeMetricsModel(this);
    model->setRows({{"a", {}, {}, {}, 2.0}, {"b", {}, {}, {}, std::nullopt}, {"c", {}, {}, {}, 1.0}});
    RecordProxy proxy;
    proxy.setSourceModel(model);
    const auto order = [&] {
      return proxy.index(0, 0).data().toString() + proxy.index(1, 0).data().toString() +
             proxy.index(2, 0).data().toString();
    };
    proxy.sort(1, Qt::AscendingOrder);
    QCOMPARE(order(), QStringLiteral("cab"));
    proxy.sort(1, Qt::DescendingOrder);
    QCOMPARE(order(), QStringLiteral("acb"));
  }

  void exportsAsSeen() {
    auto* model = makeComparedChoicesModel(this);
    model->setRows({{"thr,eads", "1", "2"}, {"state", "a|b", "say \"x\""}});
    const std::vector<int> rows{1, 0}, columns{0, 2};
    QCOMPARE(exportTable(*model, rows, columns, TableFormat::tsv),
             QStringLiteral("Choice\tB\nstate\tsay \"x\"\nthr,eads\t2\n"));
    QCOMPARE(exportTable(*model, rows, columns, TableFormat::csv),
             QStringLiteral("Choice,B\nstate,\"say \"\"x\"\"\"\n\"thr,eads\",2\n"));
    QCOMPARE(exportTable(*model, {1}, {0, 1}, TableFormat::markdown),
             QStringLiteral("| Choice | A |\n| --- | --- |\n| state | a\\|b |\n"));
    const auto json = nlohmann::json::parse(exportTable(*model, rows, columns, TableFormat::json).toStdString());
    QCOMPARE(json.size(), std::size_t(2));
    QCOMPARE(json[1]["B"].get<std::string>(), std::string("2"));
  }

  void machineOfADoctor() {
    const auto rows = machineRows(nlohmann::json::parse(
        R"({"os":{"available":true,"name":"Debian","cores":2},"nvrtc":{"available":false,"what":"NVRTC is absent","how_to_get":"get it"},"devices":[]})"));
    QCOMPARE(rows.size(), std::size_t(3));
    QVERIFY(!rows[1].available);
    QCOMPARE(rows[1].advice, QStringLiteral("get it"));
    QVERIFY(machineRows(nlohmann::json()).empty());
  }
};

QTEST_MAIN(TestModels)
#include "test_models.moc"
