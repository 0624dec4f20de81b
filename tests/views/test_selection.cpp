// One selection for all: a property lights its operators, the transformations that it permits, the primitives that
// realize them and the metrics that price them; and back, a test a direction. What must be lit is taken from the engine
// and the atlas's own files, not from the window.
#include "core/base/atlas_path.hpp"
#include "core/expr/check.hpp"
#include "core/structure/properties/property.hpp"
#include "tests/views/fake_worker.hpp"
#include "views/atlas/atlas_view.hpp"
#include "views/atlas/matrix_table.hpp"
#include "views/atlas/property_matrix.hpp"
#include "views/builder/builder_view.hpp"
#include "views/builder/ledger_pane.hpp"
#include "views/frame/main_window.hpp"
#include "views/guide/guide_view.hpp"
#include "views/hardware/hardware_profiles.hpp"
#include "views/hardware/hardware_view.hpp"
#include "views/ops/ops_view.hpp"
#include "views/primitives/primitives_view.hpp"

#include <nlohmann/json.hpp>

#include <QComboBox>
#include <QLineEdit>
#include <QListView>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace aicf;
using namespace aicf::views;

namespace {
constexpr int patience = 240'000;
Entity propertyOf(const char* id) { return {"property", id}; }
Entity transformation(const char* id) { return {"transformation", id}; }
Entity primitive(const char* id) { return {"primitive", id}; }
Entity op(const char* id) { return {"op", id}; }

/// Ids of a file of the atlas whose field contains a word.
QStringList naming(const char* file, const char* list, const char* field, const QString& word) {
  std::ifstream in(atlas_dir() / file);
  QStringList out;
  const nlohmann::json document = nlohmann::json::parse(in);
  for (const auto& e : document[list]) {
    const auto& f = e[field];
    if (QString::fromStdString(f.is_string() ? f.get<std::string>() : f.dump()).contains(word))
      out << QString::fromStdString(e["id"].get<std::string>());
  }
  return out;
}

/// Rows that the view marks, by what `name` says of a source row.
template <class Model, class Name> QStringList marked(const Table& table, Model* model, Name name) {
  QStringList out;
  for (int r = 0; r < model->rowCount(); ++r)
    if (model->index(r, 0).data(LitRole).toBool()) out << name(model->at(r));
  (void)table;
  return out;
}
} // namespace

class TestSelection : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::unique_ptr<Workbench> w_;
  std::unique_ptr<MainWindow> window_;
  template <class V> V* viewOf(const char* id) { return dynamic_cast<V*>(w_->navigator().view(QLatin1String(id))); }
  bool lit(const Entity& e) const { return w_->lit().contains(e); }
  QStringList litOf(const char* kind) const { return w_->related().lit(w_->navigator().active(), QLatin1String(kind)); }

  /// Rows of a table whose first column is marked.
  static int marks(const Table* table) {
    int count = 0;
    for (int r = 0; r < table->proxy()->rowCount(); ++r)
      count += table->proxy()->index(r, 0).data(LitRole).toBool() ? 1 : 0;
    return count;
  }

 private Q_SLOTS:
  void initTestCase() {
    qputenv("AICF_STORE", folder_.filePath("evidence.sqlite").toUtf8());
    theme().install(false);
    WorkbenchOptions options;
    options.targets = noTargets();
    options.settingsFile = folder_.filePath("settings.ini");
    w_ = std::make_unique<Workbench>(options);
    window_ = std::make_unique<MainWindow>(*w_);
    window_->show();
    QTRY_VERIFY_WITH_TIMEOUT(w_->library().isLoaded(), patience);
    QVERIFY(w_->open(op("softmax")));
    QTRY_VERIFY_WITH_TIMEOUT(w_->subject().structureIsCurrent() && w_->legality().isCurrent(), patience);
    for (View* v : w_->navigator().views()) {
      w_->navigator().goTo(v->id());
      QTRY_VERIFY_WITH_TIMEOUT(v->isReady(), patience);
    }
    QTRY_VERIFY_WITH_TIMEOUT(w_->library().isAnalysed() && HardwareProfiles::of(*w_).isLoaded(), patience);
  }
  void cleanupTestCase() {
    window_.reset();
    w_.reset();
  }

  void aPropertyLightsItsOperators() {
    w_->navigator().activate(propertyOf("associative_carrier"));
    QVERIFY(!litOf("op").isEmpty());
    for (const char* name : {"softmax", "mean_absolute_deviation"}) {
      const OperatorEntry* e = w_->library().find(name);
      QVERIFY(e);
      const auto d = load_definition(e->path.toStdString());
      const auto verdicts = properties_of(analyze(canonicalize(std::make_shared<const Definition>(*d))));
      for (const PropertyVerdict& v : verdicts) {
        w_->navigator().activate({"property", QString::fromStdString(v.property)});
        QCOMPARE(lit(op(name)), v.answer == PropertyVerdict::Answer::holds);
      }
    }
    // And the list of operators shows it.
    w_->navigator().activate(propertyOf("associative_carrier"));
    const QStringList operators = litOf("op");
    auto* list = viewOf<OpsView>("ops")->widget()->findChild<QListView*>();
    int shown = 0;
    for (int r = 0; r < list->model()->rowCount(); ++r)
      shown += list->model()->index(r, 0).data(LitRole).toBool() ? 1 : 0;
    QCOMPARE(shown, int(operators.size()));
  }

  void aPropertyLightsTheTransformationsThatItPermits() {
    w_->navigator().activate(propertyOf("associative_carrier"));
    const QStringList premised = naming("transformations.json", "transformations", "premises", "associative");
    QVERIFY(!premised.isEmpty());
    for (const QString& id : premised) QVERIFY2(lit({"transformation", id}), qPrintable(id));
    QVERIFY(marks(viewOf<GuideView>("guide")->table()) > 0);
    QVERIFY(marks(&viewOf<BuilderView>("builder")->ledger()->table()) > 0);
  }

  void aPropertyLightsThePrimitivesThatRealizeThem() {
    w_->navigator().activate(propertyOf("associative_carrier"));
    const QStringList needing = naming("primitives.json", "primitives", "needs", "\"associative\"");
    QVERIFY(needing.contains("warp_reduce"));
    for (const QString& id : needing) QVERIFY2(lit({"primitive", id}), qPrintable(id));
    QVERIFY(marks(viewOf<PrimitivesView>("primitives")->table()) > 0);
  }

  void aPropertyLightsTheMetricsThatPriceThem() {
    w_->navigator().activate(propertyOf("associative_carrier"));
    const QStringList metrics = litOf("metric");
    QVERIFY(!metrics.isEmpty());
    // reduction_topology's probes run the lanes' and the block's reduction.
    QVERIFY(lit({"metric", "reduction_topology.block.4096.instructions"}));
    QVERIFY(marks(viewOf<HardwareView>("hardware")->table()) > 0);
  }

  void aMetricLightsWhatItPrices() {
    w_->navigator().activate({"metric", "exp_forms.fast.4096.instructions"});
    QVERIFY(lit(primitive("ex2_approx")));
    QVERIFY(lit(transformation("fast_exp")));
    QVERIFY(!litOf("property").isEmpty() ||
            !naming("transformations.json", "transformations", "id", "fast_exp").isEmpty());
    w_->navigator().activate({"metric", "reduction_topology.block.4096.drift"});
    QVERIFY(lit(primitive("block_reduce")) && lit(transformation("tree_reduction")));
    QVERIFY2(lit(propertyOf("associative_carrier")), "back to the property");
    QVERIFY2(lit(op("softmax")), "and to the operators that have it");
  }

  void aPrimitiveLightsTransformationsAndProperties() {
    QVERIFY(w_->open(primitive("warp_reduce")));
    QVERIFY(lit(transformation("tree_reduction")));
    QVERIFY(lit(propertyOf("associative_carrier")));
    QVERIFY(lit(op("softmax")));
    QVERIFY(!litOf("metric").isEmpty());
  }

  void aTransformationLightsBothSides() {
    w_->navigator().activate(transformation("tree_reduction"));
    QVERIFY(lit(propertyOf("associative_carrier")) && lit(op("softmax")) && lit(primitive("block_reduce")));
    QVERIFY(lit({"metric", "reduction_topology.block.4096.drift"}));
  }

  /// Of Properties: the cell of the active operator, in sight whatever moves the rows.
  void theChosenOperatorStaysInView() {
    auto* atlas = viewOf<AtlasView>("atlas");
    MatrixTable* table = atlas->table();
    auto* search = atlas->widget()->findChild<QLineEdit*>();
    const auto boxes = atlas->widget()->findChildren<QComboBox*>();
    QCOMPARE(boxes.size(), 2); // groups, answers
    const auto inView = [&](const char* name) {
      const QRect cell = table->visualRect(table->currentIndex());
      return table->currentOperator() == QLatin1String(name) && table->viewport()->rect().contains(cell);
    };
    w_->navigator().goTo("atlas");
    // Elsewhere: the first and the last row of the table, whichever they are.
    for (const int row : {int(atlas->model()->rows().size()) - 1, 1}) {
      const QByteArray name = atlas->model()->index(row, 0).data(OperatorRole).toString().toUtf8();
      w_->navigator().goTo("ops");
      QVERIFY(w_->open({"op", QString::fromUtf8(name)}));
      w_->navigator().goTo("atlas");
      QVERIFY2(inView(name), name);
    }
    w_->navigator().activate(op("softmax"));
    QVERIFY(inView("softmax"));
    search->setText("m");
    QVERIFY(inView("softmax"));
    search->setText("there is no such operator");
    QVERIFY(!table->currentIndex().isValid());
    // Chosen while it is filtered away: there once it is not.
    w_->navigator().activate(op("variance"));
    search->clear();
    QVERIFY(inView("variance"));
    for (const int grouping : {1, 2, 3, 0}) {
      boxes[0]->setCurrentIndex(grouping);
      QVERIFY(inView("variance"));
    }
    // Rows that move below the reader, as when verdicts arrive: what was seen stays where it is.
    MatrixArrangement other = atlas->model()->arrangement();
    const MatrixArrangement usual = other;
    other.grouping = MatrixGrouping::none;
    const int row = table->currentIndex().row(), top = table->visualRect(table->currentIndex()).top();
    atlas->model()->setArrangement(other);
    QVERIFY(table->currentIndex().row() != row);
    QVERIFY(inView("variance"));
    QCOMPARE(table->visualRect(table->currentIndex()).top(), top);
    table->verticalScrollBar()->setValue(0); // nothing chosen is seen: the reader stays
    QVERIFY(!inView("variance"));
    atlas->model()->setArrangement(usual);
    QCOMPARE(table->verticalScrollBar()->value(), 0);
    table->showChosen();
    // A property that has it, chosen elsewhere, sorts the rows.
    const MatrixOperator* known = PropertyMatrix::of(*w_).find("variance");
    for (const auto& [property, verdict] : known->verdicts) {
      if (verdict.answer != PropertyVerdict::Answer::holds) continue;
      w_->navigator().activate({"property", QString::fromStdString(property)});
      QVERIFY2(inView("variance"), property.c_str());
      QCOMPARE(table->currentProperty(), QString::fromStdString(property));
      boxes[1]->setCurrentIndex(1); // those for which it holds
      QVERIFY2(inView("variance"), property.c_str());
      boxes[1]->setCurrentIndex(2); // those for which it fails: not among them
      QVERIFY(!table->currentIndex().isValid());
      boxes[1]->setCurrentIndex(0);
      QVERIFY2(inView("variance"), property.c_str());
    }
  }

  void anOperatorLightsItsPropertiesAndOnward() {
    QVERIFY(w_->open(op("softmax")));
    QVERIFY(lit(propertyOf("associative_carrier")) && lit(transformation("tree_reduction")) &&
            lit(primitive("warp_reduce")));
    QVERIFY2(!lit(op("mean_absolute_deviation")), "not what merely shares a property");
  }
};

QTEST_MAIN(TestSelection)
#include "test_selection.moc"
