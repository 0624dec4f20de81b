// The frame: what a session keeps through a kill, layouts, views beside and unlinked, files that change outside, arrays
// and links, the tour, a table's own behaviour, and the main job with no mouse.
#include "core/base/npy.hpp"
#include "tests/views/fake_worker.hpp"
#include "views/builder/builder_view.hpp"
#include "views/builder/ledger_pane.hpp"
#include "views/compare/compare_view.hpp"
#include "views/documents/documents_view.hpp"
#include "views/formula/formula_view.hpp"
#include "views/frame/layouts.hpp"
#include "views/frame/locator.hpp"
#include "views/frame/main_window.hpp"
#include "views/frame/related_pane.hpp"
#include "views/frame/session.hpp"
#include "views/guide/page.hpp"
#include "views/ops/certificate_pane.hpp"
#include "views/ops/definition_pane.hpp"
#include "views/ops/ops_view.hpp"
#include "views/ops/structure_pane.hpp"
#include "views/primitives/primitives_view.hpp"
#include "views/start/start_view.hpp"
#include "views/synthesis/synthesis_view.hpp"

#include <QAction>
#include <QClipboard>
#include <QDialog>
#include <QDockWidget>
#include <QFileDialog>
#include <QHeaderView>
#include <QJsonDocument>
#include <QLineEdit>
#include <QMessageBox>
#include <QMimeData>
#include <QProcess>
#include <QPushButton>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QTreeWidget>

#include <csignal>

using namespace aicf;
using namespace aicf::views;

namespace {
constexpr int patience = 60'000;
const auto draftLine = QStringLiteral("# typed before the kill\n");

WorkbenchOptions optionsIn(const QTemporaryDir& folder) { // NOLINT(readability-identifier-naming)
  WorkbenchOptions options;
  options.targets = fakeTargets("good");
  options.settingsFile = folder.filePath("settings.ini");
  options.sessionFile = folder.filePath("session.json");
  return options;
}

/// The program that is killed: it works a little, says so, and waits for the end.
int victim(const QString& folder) {
  WorkbenchOptions options;
  options.targets = fakeTargets("good");
  options.settingsFile = folder + "/settings.ini";
  options.sessionFile = folder + "/session.json";
  theme().install(false);
  Workbench w(options);
  MainWindow window(w);
  window.show();
  (void)QTest::qWaitFor([&] { return w.library().isLoaded(); }, patience);
  w.open({"op", "softmax"});
  (void)QTest::qWaitFor([&] { return w.subject().structureIsCurrent() && w.legality().isCurrent(); }, patience);
  w.rules().apply("limits.registers=96");
  w.actions().trigger("synthesis.start");
  (void)QTest::qWaitFor([&] { return w.variants().all().size() == 2; }, patience);
  w.subject().edit(w.subject().text() + draftLine);
  w.navigator().goTo("builder");
  (void)QTest::qWaitFor([&] { return w.subject().structureIsCurrent() && w.legality().isCurrent(); }, patience);
  // No orderly end: the session must have been written by the moment that its timer promises.
  QTest::qWait(1500);
  std::puts("ready");
  std::fflush(stdout);
  return QApplication::exec();
}
} // namespace

class TestFrame : public QObject {
  Q_OBJECT

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<Workbench> w_;
  std::unique_ptr<MainWindow> window_;

  void begin(bool restore = false) {
    window_.reset();
    w_.reset();
    w_ = std::make_unique<Workbench>(optionsIn(*folder_));
    window_ = std::make_unique<MainWindow>(*w_);
    if (restore) QVERIFY(window_->session().restore());
    window_->show();
    QTRY_VERIFY_WITH_TIMEOUT(w_->library().isLoaded(), patience);
  }
  bool settled() const { return w_->subject().structureIsCurrent() && w_->legality().isCurrent(); }
  void open(const char* op) {
    QVERIFY(w_->open({"op", QString::fromLatin1(op)}));
    QTRY_VERIFY_WITH_TIMEOUT(settled(), patience);
  }
  View* view(const char* id) { return w_->navigator().view(QLatin1String(id)); }
  QString write(const QString& name, const QByteArray& bytes) {
    QFile file(folder_->filePath(name));
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write(bytes);
    return file.fileName();
  }
  /// What a person does with keys: one key to whatever has the focus.
  void key(Qt::Key key, Qt::KeyboardModifiers with = Qt::NoModifier) {
    QWidget* to = QApplication::focusWidget() ? QApplication::focusWidget() : window_.get();
    QTest::keyClick(to, key, with);
    QCoreApplication::processEvents();
  }
  void type(const QString& text) { QTest::keyClicks(QApplication::focusWidget(), text); }

 private Q_SLOTS:
  void initTestCase() { theme().install(false); }
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    qputenv("AICF_STORE", folder_->filePath("evidence.sqlite").toUtf8());
    begin();
  }
  void cleanup() {
    for (QWidget* top : QApplication::topLevelWidgets())
      if (auto* dialog = qobject_cast<QDialog*>(top); dialog && dialog->isVisible()) dialog->reject();
    window_.reset();
    w_.reset();
    theme().setDark(false);
  }

  void killedAndBack() {
    window_.reset();
    w_.reset();
    QProcess process;
    process.start(QCoreApplication::applicationFilePath(), {"--victim", folder_->path()});
    QVERIFY(process.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(process.waitForReadyRead(100) || process.bytesAvailable() > 0 ||
                                 process.state() == QProcess::NotRunning,
                             patience);
    QCOMPARE(process.readAllStandardOutput().trimmed(), QByteArray("ready"));
    ::kill(pid_t(process.processId()), SIGKILL);
    QVERIFY(process.waitForFinished());
    begin(true);
    QTRY_COMPARE_WITH_TIMEOUT(w_->navigator().current()->id(), QStringLiteral("builder"), patience);
    QCOMPARE(w_->subject().name(), QStringLiteral("softmax"));
    QVERIFY2(w_->subject().text().endsWith(draftLine), "what was typed and not saved");
    QVERIFY(w_->subject().isModified());
    QCOMPARE(w_->rules().profile().registers, std::int64_t(96));
    QVERIFY2(w_->rules().undoStack().canUndo(), "ticks that were not exported can be undone");
    QCOMPARE(w_->variants().all().size(), std::size_t(2));
    QCOMPARE(w_->variants().find("v1")->op, QStringLiteral("softmax"));
  }

  void sessionKeepsPlacesAndIsSafe() {
    open("softmax");
    w_->actions().trigger("go.view-builder");
    auto* builder = dynamic_cast<BuilderView*>(view("builder"));
    builder->ledger()->table().setFilter("online");
    w_->navigator().setLinked(builder, false);
    window_->layouts().setBeside(view("documents"), true);
    Problem p = w_->subject().problem();
    p.dims["N"] = 77;
    w_->subject().setProblem(p);
    window_->session().save();
    begin(true);
    QTRY_VERIFY_WITH_TIMEOUT(w_->subject().name() == "softmax" && settled(), patience);
    builder = dynamic_cast<BuilderView*>(view("builder"));
    QCOMPARE(w_->navigator().current(), view("builder"));
    QCOMPARE(builder->ledger()->table().filter(), QStringLiteral("online"));
    QVERIFY(!builder->isLinked());
    QVERIFY(window_->layouts().isBeside(view("documents")));
    QTRY_COMPARE(w_->subject().problem().dims.at("N"), std::int64_t(77));
    window_.reset();
    w_.reset();
    for (const QByteArray& broken :
         {QByteArray(), QByteArray("{"), QByteArray("[]"), QByteArray("{\"schema\":\"x\"}")}) {
      write("session.json", broken);
      w_ = std::make_unique<Workbench>(optionsIn(*folder_));
      window_ = std::make_unique<MainWindow>(*w_);
      QVERIFY(!window_->session().restore());
      window_.reset();
      w_.reset();
    }
  }

  void layoutsByName() {
    open("softmax");
    Layouts& layouts = window_->layouts();
    QVERIFY(layouts.names().size() >= 4);
    for (const QString& name : layouts.names()) layouts.apply(name);
    layouts.apply(layouts.names().at(1));
    QVERIFY(layouts.isBeside(view("builder")));
    QTRY_VERIFY(view("builder")->widget()->isVisible() && view("ops")->widget()->isVisible());
    layouts.save("mine");
    layouts.reset();
    QVERIFY(!layouts.isBeside(view("builder")));
    layouts.apply("mine");
    QVERIFY(layouts.isBeside(view("builder")));
    // Its close button puts it back in the middle.
    window_->findChild<QDockWidget*>("view-builder")->close();
    QTRY_VERIFY(!layouts.isBeside(view("builder")));
    w_->navigator().goTo("builder");
    QVERIFY(view("builder")->widget()->isVisible());
    layouts.remove("mine");
    QVERIFY(!layouts.names().contains("mine"));
  }

  void everyViewBesideLeavesOneInTheMiddle() {
    for (View* v : w_->navigator().views()) window_->layouts().setBeside(v, true);
    int beside = 0;
    for (View* v : w_->navigator().views()) beside += window_->layouts().isBeside(v) ? 1 : 0;
    QCOMPARE(beside, int(w_->navigator().views().size()) - 1);
    window_->layouts().reset();
  }

  /// What a user sees of a view that he came back to: texts of filters, chosen rows, what a page is about, scroll.
  QStringList seen(View* v) {
    QStringList out{v->id(), w_->navigator().active().uri()};
    for (QWidget* widget : v->widget()->findChildren<QWidget*>()) {
      if (!widget->isVisible() || widget->accessibleName().isEmpty()) continue;
      QString what;
      if (const auto* line = qobject_cast<QLineEdit*>(widget)) what = line->text();
      if (const auto* area = qobject_cast<QAbstractScrollArea*>(widget))
        what =
            QStringLiteral("%1, %2").arg(area->verticalScrollBar()->value()).arg(area->horizontalScrollBar()->value());
      if (const auto* page = qobject_cast<QTextBrowser*>(widget)) what += ' ' + page->toPlainText().section('\n', 0, 0);
      if (const auto* table = qobject_cast<QAbstractItemView*>(widget))
        what += ' ' + table->currentIndex().siblingAtColumn(0).data().toString();
      if (!what.isEmpty()) out << widget->accessibleName() + " = " + what;
    }
    return out;
  }

  void backOverTwentyHopsRestoresWhatWasSeen() {
    open("softmax");
    QVERIFY(w_->actions().trigger("synthesis.start"));
    QTRY_COMPARE_WITH_TIMEOUT(w_->variants().all().size(), std::size_t(2), patience);
    window_->resize(1100, 620); // little room: there is something to scroll
    const QStringList ops{"layernorm", "variance", "logsumexp", "softmax"};
    const QStringList words{"e", "a", "", "o"};
    std::vector<QStringList> went;
    std::vector<View*> where;
    const auto& views = w_->navigator().views();
    const auto quiet = [this](View* v) {
      QTRY_VERIFY_WITH_TIMEOUT(settled() && v->isReady(), patience);
      QCoreApplication::processEvents();
    };
    for (int hop = 0; hop < 20; ++hop) {
      if (hop % 5 == 3) {
        QVERIFY(w_->open({"op", ops[hop / 5]}));
      } else {
        std::size_t next = std::size_t(hop * 4 + 1) % views.size();
        if (views[next] == w_->navigator().current()) next = (next + 1) % views.size(); // each hop leads elsewhere
        w_->navigator().goTo(views[next]->id());
      }
      View* v = w_->navigator().current();
      quiet(v);
      // The first filter gets a word, one of the last rows of every table is chosen, the view's own last, and then
      // whatever scrolls is scrolled.
      if (auto* filter = v->widget()->findChild<QLineEdit*>();
          filter && filter->isVisible() && !filter->isReadOnly() && filter->accessibleName().startsWith("F"))
        filter->setText(words[hop % 4]);
      quiet(v);
      Table* table = nullptr; // the view's own: it has a filter
      for (auto* t : v->widget()->findChildren<Table*>())
        if (const int rows = t->proxy()->rowCount(); t->isVisible() && rows > 1)
          t->setCurrentIndex(t->proxy()->index(rows - 1 - hop % 2, 0));
      for (auto* t : v->widget()->findChildren<Table*>())
        for (auto* line : v->widget()->findChildren<QLineEdit*>())
          if (t->isVisible() && t->proxy()->rowCount() > 1 && line->accessibleName() == "Filter " + t->accessibleName())
            table = t;
      if (table) table->setCurrentIndex(table->proxy()->index(table->proxy()->rowCount() - 1 - hop % 2, 0));
      quiet(v);
      for (auto* area : v->widget()->findChildren<QAbstractScrollArea*>())
        if (area->isVisible())
          area->verticalScrollBar()->setValue(area->verticalScrollBar()->maximum() * (1 + hop % 3) / 4);
      went.push_back(seen(v));
      where.push_back(v);
    }
    for (std::size_t i = went.size() - 1; i-- > 0;) {
      w_->navigator().goBack();
      quiet(where[i]);
      QCOMPARE(seen(w_->navigator().current()).join('\n'), went[i].join('\n'));
    }
    for (std::size_t i = 1; i < went.size(); ++i) {
      w_->navigator().goForward();
      quiet(where[i]);
      QCOMPARE(seen(w_->navigator().current()).join('\n'), went[i].join('\n'));
    }
  }

  /// Beside a table a page may show something else than its row: what was read is there again.
  void backToAPageOfAPrimitive() {
    open("softmax");
    w_->navigator().goTo("primitives");
    QTRY_VERIFY_WITH_TIMEOUT(view("primitives")->isReady(), patience);
    window_->resize(1100, 620);
    auto* primitives = dynamic_cast<PrimitivesView*>(view("primitives"));
    primitives->tabs()->setCurrentIndex(3);
    QVERIFY(w_->open({"primitive", "warp_reduce"}));
    Page* page = primitives->page();
    const QString title = page->toPlainText().section('\n', 0, 0);
    auto* bar = page->verticalScrollBar();
    QTRY_VERIFY(bar->maximum() > 20);
    bar->setValue(bar->maximum() / 2);
    const int place = bar->value();
    w_->navigator().goTo("ops");
    w_->navigator().goTo("primitives");
    primitives->table()->selectSourceRow(0);
    QVERIFY(page->toPlainText().section('\n', 0, 0) != title);
    w_->navigator().goBack();
    w_->navigator().goBack();
    QCOMPARE(page->toPlainText().section('\n', 0, 0), title);
    QCOMPARE(bar->value(), place);
  }

  /// The formula, the chosen reduction and its certificate's step are known only after an analysis.
  void backToAnOperatorOnceItIsAnalysed() {
    window_->resize(1000, 600);
    open("layernorm");
    w_->navigator().goTo("ops");
    auto* ops = dynamic_cast<OpsView*>(view("ops"));
    StructurePane& structure = *ops->structure();
    structure.tabs().setCurrentIndex(StructurePane::CertificatesTab);
    QVERIFY(structure.reductions().proxy()->rowCount() > 1);
    structure.reductions().selectSourceRow(0); // the last is chosen by itself
    auto* claims = structure.certificates().findChild<Table*>();
    int claim = -1;
    for (int row = claims->proxy()->rowCount() - 1; row >= 0 && claim < 0; --row) {
      claims->selectSourceRow(row);
      structure.certificates().showStep(1);
      if (structure.certificates().step() == 1) claim = row;
    }
    QVERIFY2(claim >= 0, "some derivation has two steps");
    FormulaView& formula = ops->definition()->formula();
    formula.setZoom(2.5);
    QTRY_VERIFY(formula.verticalScrollBar()->maximum() > 10 && formula.horizontalScrollBar()->maximum() > 10);
    formula.verticalScrollBar()->setValue(9);
    formula.horizontalScrollBar()->setValue(7);
    open("variance");
    formula.setZoom(1);
    w_->navigator().goBack();
    QTRY_COMPARE_WITH_TIMEOUT(structure.reductions().sourceRow(), 0, patience);
    QTRY_COMPARE(claims->sourceRow(), claim);
    QCOMPARE(structure.certificates().step(), 1);
    QCOMPARE(formula.zoom(), 2.5);
    QCOMPARE(formula.verticalScrollBar()->value(), 9);
    QCOMPARE(formula.horizontalScrollBar()->value(), 7);
  }

  /// What the user does while a view that he went back to is still being filled stays done.
  void whoActsIsNotTakenBack() {
    open("layernorm");
    w_->navigator().goTo("ops");
    auto* ops = dynamic_cast<OpsView*>(view("ops"));
    ops->structure()->tabs().setCurrentIndex(StructurePane::CascadesTab);
    open("variance");
    w_->navigator().goBack();
    QVERIFY(!view("ops")->isReady());
    QTest::keyClick(window_.get(), Qt::Key_Shift);
    ops->structure()->tabs().setCurrentIndex(StructurePane::StateTab);
    QTRY_VERIFY_WITH_TIMEOUT(settled(), patience);
    QTest::qWait(200);
    QCOMPARE(ops->structure()->tabs().currentIndex(), int(StructurePane::StateTab));
  }

  void slackGoesToTheColumnThatHasMostToSay() {
    const std::unique_ptr<RecordModelBase> model(makeVariantsModel(nullptr));
    Table table(model.get(), "Variants", {});
    table.resize(2000, 200);
    table.show();
    QHeaderView* header = table.horizontalHeader();
    int plan = -1;
    for (int c = 0; c < table.proxy()->columnCount(); ++c)
      if (table.proxy()->headerData(c, Qt::Horizontal).toString() == "Plan") plan = c;
    QVERIFY(plan > 0);
    const int last = header->count() - 1, others = header->length() - header->sectionSize(plan);
    QCOMPARE(header->length(), table.viewport()->width());
    QVERIFY2(header->sectionSize(plan) > 1000, "all of it to the words");
    QVERIFY2(header->sectionSize(last) < 120, "none to a number");
    // A column that the user draws stays as it was drawn.
    header->resizeSection(last, 200);
    QCOMPARE(header->length(), table.viewport()->width());
    table.resize(1500, 200);
    QCOMPARE(header->sectionSize(last), 200);
    QCOMPARE(header->length(), table.viewport()->width());
    // Where there is no room it scrolls, as before.
    table.resize(300, 200);
    QVERIFY(header->sectionSize(plan) >= 166 && header->length() > others);
    table.resize(2000, 200);
    table.setColumnHidden(plan, true);
    QCOMPARE(header->length(), table.viewport()->width());
    table.setColumnHidden(plan, false);
    QVERIFY(header->sectionSize(plan) > 900);
    QCOMPARE(header->sectionSize(last), 200);
  }

  void aReasonKeepsNamesAsTheyAreWritten() {
    open("softmax");
    const auto definition = w_->subject().definition();
    QCOMPARE(sentence("l depends on another reduction", definition.get()),
             QStringLiteral("l depends on another reduction"));
    QCOMPARE(sentence("m#1 depends on it", definition.get()), QStringLiteral("m#1 depends on it"));
    QCOMPARE(sentence("less is known", definition.get()), QStringLiteral("Less is known"));
    QCOMPARE(sentence({}, nullptr), QString());
  }

  void anUnlinkedViewStays() {
    open("softmax");
    w_->navigator().goTo("builder");
    auto* builder = dynamic_cast<BuilderView*>(view("builder"));
    w_->navigator().activate({"transformation", "online_state"});
    QCOMPARE(builder->ledger()->selected(), QStringLiteral("online_state"));
    w_->navigator().setLinked(builder, false);
    w_->navigator().activate({"transformation", "tree_reduction"});
    QCOMPARE(builder->ledger()->selected(), QStringLiteral("online_state"));
    w_->navigator().setLinked(builder, true);
    QCOMPARE(builder->ledger()->selected(), QStringLiteral("tree_reduction"));
  }

  void whatGoesTogether() {
    Related related;
    const Entity op{"op", "a"}, other{"op", "b"}, property{"property", "p"}, second{"property", "q"},
        transformation{"transformation", "t"}, primitive{"primitive", "g"}, metric{"metric", "m"};
    related.tell("one", {{op, property}, {other, property}, {other, second}, {property, transformation}});
    related.tell("two", {{transformation, primitive}, {primitive, metric}});
    QCOMPARE(related.lit(property), QSet<Entity>({op, other, property, transformation, primitive, metric}));
    QCOMPARE(related.lit(metric), QSet<Entity>({op, other, property, transformation, primitive, metric}));
    // Not the operators that merely share a property, nor the other property of those.
    QCOMPARE(related.lit(op), QSet<Entity>({op, property, transformation, primitive, metric}));
    related.tell("two", {});
    QCOMPARE(related.lit(property, "primitive"), QStringList());
    w_->actions().trigger("window.related");
    open("softmax");
    auto* pane = window_->findChild<RelatedPane*>();
    QTRY_VERIFY_WITH_TIMEOUT(w_->library().isAnalysed() && pane->tree().topLevelItem(0)->childCount() > 0, patience);
  }

  void filesThatChangeOutside() {
    const QByteArray one = "op mine(x: float[N]) -> y: float[N]\n  y[i] = 2 * x[i]\n";
    const QString path = write("mine.op", one);
    w_->openFile(path);
    QTRY_COMPARE_WITH_TIMEOUT(w_->subject().name(), QStringLiteral("mine"), patience);
    QTRY_VERIFY_WITH_TIMEOUT(settled(), patience);
    write("mine.op", QByteArray(one).replace('2', '3'));
    QTRY_VERIFY_WITH_TIMEOUT(w_->subject().text().contains("3 * x"), patience);
    // Changed on both sides: asked, and only then read.
    QTRY_VERIFY_WITH_TIMEOUT(settled(), patience);
    w_->subject().edit(w_->subject().text() + "# here\n");
    write("mine.op", QByteArray(one).replace('2', '5'));
    QTRY_VERIFY_WITH_TIMEOUT(window_->notices().has("outside-op"), patience);
    QVERIFY(w_->subject().text().contains("# here"));
    for (auto* b : window_->notices().findChildren<QPushButton*>())
      if (b->text() == "Read the file") b->click();
    QVERIFY(w_->subject().text().contains("5 * x"));
    QVERIFY(!window_->notices().has("outside-op"));
  }

  void anArrayGivesItsSizes() {
    QStringList said;
    connect(w_.get(), &Workbench::said, w_.get(), [&](const QString& text) { said << text; });
    const HostTensor tensor(DType::f32, {12, 34});
    QVERIFY(write_npy(folder_->filePath("x.npy").toStdString(), tensor).empty());
    w_->openFile(folder_->filePath("x.npy"));
    QTRY_VERIFY_WITH_TIMEOUT(!said.isEmpty(), patience);
    QVERIFY(said.last().contains("choose an operator"));
    open("softmax");
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(folder_->filePath("x.npy"))});
    QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(window_.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(window_.get(), &drop);
    QTRY_VERIFY_WITH_TIMEOUT(said.size() > 1, patience);
    QVERIFY2(said.last().contains("softmax"), qPrintable(said.last()));
    QTRY_COMPARE_WITH_TIMEOUT(w_->subject().problem().dims.at("M"), std::int64_t(12), patience);
    QCOMPARE(w_->subject().problem().dims.at("N"), std::int64_t(34));
  }

  void locatorFindsEveryKind() {
    open("softmax");
    const auto filters = locatorFilters(*w_);
    const auto kindOf = [&](const QString& query) {
      const auto found = locate(filters, query, 5);
      return found.empty() ? QString() : found.front().kind;
    };
    QCOMPARE(kindOf("s rescaled"), QStringLiteral("structure"));
    QCOMPARE(kindOf("p commutative"), QStringLiteral("property"));
    QCOMPARE(kindOf("t copy ahead"), QStringLiteral("transformation"));
    QCOMPARE(kindOf("g warp"), QStringLiteral("primitive"));
    QCOMPARE(kindOf("d words"), QStringLiteral("document"));
    QCOMPARE(kindOf("l one view"), QStringLiteral("layout"));
    // Whoever looks for a norm means an operator, though metrics' ids begin with the word; an id typed whole is meant.
    const auto metrics = locate(filters, "m norm", 5);
    QVERIFY(!metrics.empty());
    for (const LocatorEntry& e : locate(filters, "norm", 5)) QVERIFY2(e.kind != "metric", qPrintable(e.text));
    QCOMPARE(locate(filters, metrics.front().text, 5).front().text, metrics.front().text);
    // An exact name before what merely contains it, whatever its kind.
    QCOMPARE(locate(filters, "softmax", 5).front().text, QStringLiteral("softmax"));
    QStringList prefixes;
    for (const LocatorFilter& f : filters) {
      QVERIFY2(!prefixes.contains(f.prefix), qPrintable(f.id));
      prefixes << f.prefix;
    }
    for (const LocatorFilter& f : filters)
      for (const LocatorEntry& e : f.entries()) {
        QVERIFY2(!e.text.isEmpty() && !e.kind.isEmpty() && e.accept, qPrintable(f.id));
      }
  }

  void everyLocatorAnswerGoesSomewhere() {
    open("softmax");
    QStringList failed;
    connect(w_.get(), &Workbench::failed, w_.get(), [&](const QString&, const QString& text) { failed << text; });
    for (const LocatorFilter& f : locatorFilters(*w_)) {
      if (f.id == QLatin1String("commands")) continue;
      const auto entries = f.entries();
      for (std::size_t i = 0; i < entries.size(); i += std::max<std::size_t>(1, entries.size() / 3))
        entries[i].accept();
    }
    QVERIFY2(failed.isEmpty(), qPrintable(failed.join('\n')));
  }

  void documentsAndTheirLinks() {
    w_->actions().trigger("help.keys");
    auto* documentsView = dynamic_cast<DocumentsView*>(view("documents"));
    QCOMPARE(w_->navigator().current(), documentsView);
    const QString page = documentsView->page()->toPlainText();
    for (const Action& a : w_->actions().all())
      QVERIFY2(page.contains(QString(a.text).remove('&').remove(QStringLiteral("…"))), qPrintable(a.id));
    static const QRegularExpression link(QStringLiteral("\\]\\((aicf://[^)]+)\\)"));
    for (const Document& d : documents())
      for (auto it = link.globalMatch(d.markdown); it.hasNext();) {
        const auto entity = Entity::fromUri(it.next().captured(1));
        QVERIFY2(entity && w_->open(*entity), qPrintable(d.id));
      }
    QVERIFY(w_->open({"document", "words"}));
    QVERIFY(documentsView->page()->toPlainText().contains("Separation rank"));
  }

  void aTableSaysWhereANumberComesFrom() {
    open("softmax");
    QVERIFY(w_->actions().trigger("synthesis.start"));
    auto* synthesis = dynamic_cast<SynthesisView*>(view("synthesis"));
    QTRY_COMPARE_WITH_TIMEOUT(w_->variants().all().size(), std::size_t(2), patience);
    Table* table = synthesis->table();
    QTRY_COMPARE_WITH_TIMEOUT(table->proxy()->rowCount(), 2, patience);
    int counted = 0;
    while (counted < table->proxy()->columnCount() &&
           !table->proxy()->index(0, counted).data(OriginRole).toString().contains("global_load_sectors"))
      ++counted;
    QVERIFY(counted < table->proxy()->columnCount());
    table->showOrigin(table->proxy()->index(0, counted));
    auto* box = table->findChild<QMessageBox*>();
    QVERIFY(box && box->text().contains("exact") && box->text().contains("global_load_sectors"));
    for (QAbstractButton* b : box->buttons())
      if (box->buttonRole(b) == QMessageBox::AcceptRole) b->click();
    QTRY_COMPARE(w_->navigator().active().kind + w_->navigator().active().id,
                 "job" + QString::number(w_->variants().all().front().job));
    // State: filter, sorting, hidden columns, row.
    table->sortByColumn(3, Qt::DescendingOrder);
    table->setColumnHidden(4, true);
    table->setFilter("v1");
    table->selectSourceRow(1);
    const QJsonObject state = table->state();
    QCOMPARE(table->proxy()->rowCount(), 1);
    table->restore({{"filter", ""}, {"sort", -1}});
    QCOMPARE(table->proxy()->rowCount(), 2);
    QVERIFY(!table->isColumnHidden(4));
    table->restore(state);
    QCOMPARE(table->state(), state);
    QVERIFY(table->isColumnHidden(4));
    QCOMPARE(table->text(TableFormat::tsv, false).count('\n'), 2);
  }

  void theTourEndsWithAnExportedProfile() {
    auto& tour = dynamic_cast<StartView*>(view("start"))->tour();
    const auto press = [this] {
      for (auto* b : window_->notices().findChildren<QPushButton*>())
        if (b->isVisible() && b->property("role").toString() == "primary") {
          b->click();
          return;
        }
    };
    w_->actions().trigger("help.tour");
    QCOMPARE(tour.current(), 0);
    press();
    QVERIFY(!w_->subject().isEmpty());
    QTRY_COMPARE_WITH_TIMEOUT(tour.current(), 1, patience);
    QTRY_VERIFY_WITH_TIMEOUT(settled(), patience);
    press(); // goes to the rules
    QCOMPARE(w_->navigator().current()->id(), QStringLiteral("builder"));
    QCOMPARE(tour.current(), 1);
    press(); // and there it does what it says
    QCOMPARE(w_->rules().profile().arithmetic, Arithmetic::reassociated);
    QTRY_VERIFY_WITH_TIMEOUT(tour.current() >= 2, patience);
    for (int step = 2; step < 4; ++step) { // what an earlier job has done is done
      if (tour.current() != step) continue;
      press();
      QTRY_VERIFY_WITH_TIMEOUT(tour.current() > step, patience);
    }
    QCOMPARE(tour.current(), 4);
    press();
    QTRY_VERIFY(QApplication::activeModalWidget());
    auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
    QVERIFY(dialog);
    const QString path = folder_->filePath("mine.json");
    dialog->selectFile(path);
    Q_EMIT dialog->fileSelected(path);
    dialog->reject();
    QCOMPARE(tour.current(), -1);
    QCOMPARE(load_profile(path.toStdString()).value->arithmetic, Arithmetic::reassociated);
  }

  /// No mouse: from nothing to an exported profile with two validated variants compared.
  void theMainJobByKeyboardAlone() {
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    key(Qt::Key_K, Qt::ControlModifier);
    QTRY_VERIFY(window_->locator().isVisible());
    type("softmax");
    key(Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(settled(), patience);
    QCOMPARE(w_->subject().name(), QStringLiteral("softmax"));
    key(Qt::Key_K, Qt::ControlModifier);
    type("r strictness.arithmetic");
    key(Qt::Key_Return);
    QCOMPARE(w_->navigator().current()->id(), QStringLiteral("builder"));
    key(Qt::Key_Home);
    key(Qt::Key_Down); // from the first word to the second
    QTRY_VERIFY_WITH_TIMEOUT(w_->rules().profile() != CompilerProfile() && settled(), patience);
    key(Qt::Key_F5);
    QTRY_COMPARE_WITH_TIMEOUT(w_->variants().all().size(), std::size_t(2), patience);
    QTRY_VERIFY_WITH_TIMEOUT(w_->jobs().all().back().isOver(), patience);
    key(Qt::Key_K, Qt::ControlModifier);
    type("x v0");
    key(Qt::Key_Return);
    key(Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
    key(Qt::Key_K, Qt::ControlModifier);
    type("x v1");
    key(Qt::Key_Return);
    key(Qt::Key_B, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(dynamic_cast<CompareView*>(view("compare"))->differingLines(), 1);
    key(Qt::Key_E, Qt::ControlModifier);
    QTRY_VERIFY(qobject_cast<QFileDialog*>(QApplication::activeModalWidget()));
    auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
    const QString path = folder_->filePath("keys.json");
    auto* name = dialog->findChild<QLineEdit*>("fileNameEdit");
    if (name) { // Qt's own dialog, which the offscreen platform has
      name->setFocus();
      name->selectAll();
      QTest::keyClicks(name, path);
      QTest::keyClick(name, Qt::Key_Return);
    } else {
      Q_EMIT dialog->fileSelected(path);
      dialog->reject();
    }
    QTRY_VERIFY(QFile::exists(path));
    QVERIFY(load_profile(path.toStdString()));
  }
};

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  if (argc == 3 && QByteArray(argv[1]) == "--victim") return victim(QString::fromLocal8Bit(argv[2]));
  TestFrame test;
  return QTest::qExec(&test, argc, argv);
}
#include "test_frame.moc"
