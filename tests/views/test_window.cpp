// The whole window without a display: actions in every state, live diagnostics, ticks and their count, theme switch,
// history, links, synthesis through a worker.
#include "core/evidence/store.hpp"
#include "tests/views/fake_worker.hpp"
#include "views/builder/builder_view.hpp"
#include "views/builder/ledger_pane.hpp"
#include "views/compare/compare_view.hpp"
#include "views/editors/lexers.hpp"
#include "views/frame/locator.hpp"
#include "views/frame/main_window.hpp"
#include "views/guide/guide_view.hpp"
#include "views/ops/certificate_pane.hpp"
#include "views/ops/definition_pane.hpp"
#include "views/ops/ops_view.hpp"
#include "views/ops/structure_pane.hpp"
#include "views/runs/runs_view.hpp"
#include "views/synthesis/synthesis_view.hpp"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QDropEvent>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMimeData>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStatusBar>
#include <QStatusTipEvent>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace aicf;
using namespace aicf::views;

namespace {
constexpr int patience = 60'000;
}

class TestWindow : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::unique_ptr<Workbench> w_;
  std::unique_ptr<MainWindow> window_;

  template <class V> V* viewOf(const char* id) { return dynamic_cast<V*>(w_->navigator().view(QLatin1String(id))); }
  bool settled() const { return w_->subject().structureIsCurrent() && w_->legality().isCurrent(); }
  void openSoftmax() {
    QTRY_VERIFY_WITH_TIMEOUT(w_->library().isLoaded(), patience);
    QVERIFY(w_->open({"op", "softmax"}));
    QTRY_VERIFY_WITH_TIMEOUT(settled(), patience);
  }
  void closeDialogs() {
    for (QWidget* top : QApplication::topLevelWidgets())
      if (auto* dialog = qobject_cast<QDialog*>(top); dialog && dialog->isVisible()) dialog->reject();
    if (QWidget* popup = QApplication::activePopupWidget()) popup->close();
    window_->locator().hide();
  }

 private Q_SLOTS:
  void initTestCase() {
    qputenv("AICF_STORE", folder_.filePath("evidence.sqlite").toUtf8());
    theme().install(false);
  }

  void init() {
    WorkbenchOptions options;
    options.targets = fakeTargets("good");
    options.settingsFile = folder_.filePath("settings.ini");
    QFile::remove(options.settingsFile);
    w_ = std::make_unique<Workbench>(options);
    window_ = std::make_unique<MainWindow>(*w_);
    window_->show();
  }
  void cleanup() {
    closeDialogs();
    window_.reset();
    w_.reset();
    theme().setDark(false);
  }

  void viewsStandInTheOrderOfWork() {
    QStringList ids;
    for (View* v : w_->navigator().views()) ids << v->id();
    QCOMPARE(ids, QStringList({"start", "atlas", "ops", "guide", "builder", "synthesis", "compare", "hardware",
                               "primitives", "runs", "documents"}));
    QCOMPARE(w_->navigator().current()->id(), QStringLiteral("start"));
  }

  void everyActionInEveryState() {
    window_->resize(1000, 640); // what is painted after each action is the same, on fewer pixels
    QStringList ids;
    for (const Action& a : w_->actions().all()) {
      const QAction* action = w_->actions().find(a.id);
      QVERIFY2(!action->text().isEmpty() && !action->toolTip().isEmpty(), qPrintable(a.id));
      if (a.id != QLatin1String("file.quit")) ids << a.id;
    }
    const auto triggerAll = [&](const QString& view) {
      for (const QString& id : ids) {
        w_->navigator().goTo(view); // what an action before it did is not this one's state
        w_->actions().refresh();
        const bool enabled = w_->actions().find(id)->isEnabled();
        QVERIFY2(w_->actions().trigger(id) == enabled, qPrintable(view + ": " + id));
        if (!enabled) continue; // nothing happened
        QCoreApplication::processEvents();
        closeDialogs();
      }
    };
    triggerAll(QStringLiteral("start")); // nothing open
    openSoftmax();
    for (View* v : w_->navigator().views()) triggerAll(v->id());
  }

  /// Of a file that defines several operators the one that is meant stands in sight.
  void aFileOfSeveralOpensAtItsOperator() {
    QTRY_VERIFY_WITH_TIMEOUT(w_->library().isLoaded(), patience);
    QString text;
    for (int n = 0; n < 30; ++n)
      text += QStringLiteral("# Number %1.\nop f%1(x: float[N]) -> y: float[N]\n  y[i] = %1 * x[i]\n\n").arg(n);
    text += "# What the file is about:\n# it is the last.\nop several(x: float[N],\n    z: float[N]) -> y: float[N]\n"
            "  y[i] = x[i] + z[i]\n";
    QFile file(folder_.filePath("several.op"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text.toUtf8());
    file.close();
    w_->openFile(file.fileName());
    QTRY_VERIFY_WITH_TIMEOUT(w_->subject().name() == "several" && settled(), patience);
    QCOMPARE(w_->subject().definition()->name, std::string("several"));
    auto* ops = viewOf<OpsView>("ops");
    const int header = int(text.left(text.indexOf("op several")).count('\n'));
    int line = -1, column = -1;
    const auto& editor = ops->definition()->editor();
    editor.getCursorPosition(&line, &column);
    QCOMPARE(line, header);
    const int top = editor.firstVisibleLine(), shown = int(editor.SendScintilla(QsciScintilla::SCI_LINESONSCREEN));
    QVERIFY2(top > 0 && top <= header - 2 && header + 2 < top + shown, "with its comment and its formula");
    // The reader's own place is his when the text is checked again.
    w_->subject().edit(text + "# more\n");
    ops->definition()->editor().setFirstVisibleLine(3);
    QTRY_VERIFY_WITH_TIMEOUT(settled(), patience);
    QCOMPARE(editor.firstVisibleLine(), 3);
  }

  void aDroppedFileIsOpened() {
    QTRY_VERIFY_WITH_TIMEOUT(w_->library().isLoaded(), patience);
    QFile file(folder_.filePath("dropped.op"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("op dropped(x: float[N]) -> y: float[N]\n  y[i] = 3 * x[i]\n");
    file.close();
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(file.fileName())});
    QDragEnterEvent enter({400, 300}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(window_.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop({400, 300}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(window_.get(), &drop);
    QTRY_COMPARE_WITH_TIMEOUT(w_->subject().name(), QStringLiteral("dropped"), patience);
    // What is no file is not for the window.
    QMimeData words;
    words.setText("softmax");
    QDragEnterEvent other({400, 300}, Qt::CopyAction, &words, Qt::LeftButton, Qt::NoModifier);
    other.ignore();
    QApplication::sendEvent(window_.get(), &other);
    QVERIFY(!other.isAccepted());
  }

  void fromASearchToWhatItFinds() {
    openSoftmax();
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    auto* list = viewOf<OpsView>("ops")->widget()->findChild<QListView*>();
    QVERIFY(w_->actions().trigger("edit.find"));
    auto* search = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    QVERIFY(search);
    QTest::keyClicks(search, "layernorm");
    QCOMPARE(w_->subject().name(), QStringLiteral("softmax"));
    QTest::keyClick(search, Qt::Key_Return);
    QCOMPARE(w_->subject().name(), QStringLiteral("layernorm")); // not adaptive_layernorm, which stands before it
    search->clear();
    QTest::keyClicks(search, "rms"); // absmax_quantize is none, though its structure is a normalization
    QTest::keyClick(search, Qt::Key_Return);
    QVERIFY(w_->subject().name().startsWith("rms"));
    QTest::keyClick(search, Qt::Key_Down);
    QVERIFY(list->hasFocus());
    // The same of every table with a filter.
    w_->navigator().goTo("guide");
    auto* guide = viewOf<GuideView>("guide");
    QLineEdit* filter = guide->table()->filterLine();
    for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Down}) {
      filter->setFocus();
      filter->setText("tree");
      QTest::keyClick(filter, key);
      QVERIFY(guide->table()->hasFocus() && guide->table()->sourceRow() >= 0);
    }
  }

  void liveDiagnosticsWhileTyping() {
    openSoftmax();
    auto* ops = viewOf<OpsView>("ops");
    CodeEditor& editor = ops->definition()->editor();
    QTRY_VERIFY(editor.text().contains("softmax"));
    const QString good = editor.text();
    // The name that nobody defined stands in the last line, where it is used.
    const QString bad = QString(good).replace("- m[i]) / l[i]", "- nobody[i]) / l[i]");
    editor.setText(bad);
    QTRY_VERIFY_WITH_TIMEOUT(!w_->subject().diagnostics().empty(), patience);
    const Diagnostic d = w_->subject().diagnostics().front();
    const QStringList lines = bad.split('\n');
    QCOMPARE(d.severity, Diagnostic::Severity::error);
    QVERIFY(lines[d.at.line - 1].mid(d.at.column - 1).startsWith("nobody"));
    QVERIFY(!w_->subject().definition());
    QVERIFY2(w_->subject().structure(), "the last structure stays");
    QCOMPARE(ops->definition()->messages().proxy()->rowCount(), int(w_->subject().diagnostics().size()));
    // A click on the message goes to the place.
    const QModelIndex first = ops->definition()->messages().proxy()->index(0, 0);
    Q_EMIT ops->definition()->messages().clicked(first);
    ops->definition()->messages().selectSourceRow(0);
    Q_EMIT ops->definition()->messages().clicked(first);
    int line = 0, column = 0;
    editor.getCursorPosition(&line, &column);
    QCOMPARE(line + 1, d.at.line);
    editor.setText(good);
    QTRY_VERIFY_WITH_TIMEOUT(w_->subject().diagnostics().empty() && settled(), patience);
    QVERIFY(!w_->subject().isModified());
  }

  void typingNeverShowsAnOlderResult() {
    openSoftmax();
    auto* ops = viewOf<OpsView>("ops");
    for (int i = 0; i < 30; ++i) {
      w_->subject().edit(QStringLiteral("op broken%1(").arg(i));
      QTest::qWait(5);
    }
    w_->subject().edit(QStringLiteral("op last(x: float[N]) -> y: float[N]\n  y[i] = 2 * x[i]\n"));
    QTRY_VERIFY_WITH_TIMEOUT(w_->subject().structureIsCurrent(), patience);
    QCOMPARE(w_->subject().definition()->name, std::string("last"));
    QVERIFY(w_->subject().diagnostics().empty());
    Q_UNUSED(ops);
  }

  void ticksChangeTheCountAndUndo() {
    openSoftmax();
    w_->navigator().goTo("builder");
    auto* builder = viewOf<BuilderView>("builder");
    const std::size_t all = w_->legality().space()->space.plans.size();
    QVERIFY(all > 0);
    QVERIFY(w_->rules().apply("transformations.forbid+=online_state"));
    QTRY_VERIFY_WITH_TIMEOUT(w_->legality().isCurrent(), patience);
    const std::size_t fewer = w_->legality().space()->space.plans.size();
    QVERIFY(fewer < all);
    const LegalityRow* row = w_->legality().space()->ledger.find("online_state");
    QVERIFY(row && row->applicable && !row->allowed && !row->reason.empty());
    builder->ledger()->select("online_state");
    QVERIFY(builder->ledger()->tickButton()->isVisibleTo(builder->ledger()));
    builder->ledger()->tickButton()->click();
    QTRY_VERIFY_WITH_TIMEOUT(w_->legality().isCurrent(), patience);
    QCOMPARE(w_->legality().space()->space.plans.size(), all);
    QVERIFY(w_->legality().space()->ledger.find("online_state")->allowed);
    w_->actions().trigger("profile.undo");
    w_->actions().trigger("profile.undo");
    QVERIFY(w_->rules().profile() == CompilerProfile());
    QVERIFY(!w_->rules().apply("no.such=tick"));
    QVERIFY(!w_->rules().apply("strictness.order=sideways"));
  }

  void profileTextIsTwoWay() {
    openSoftmax();
    w_->navigator().goTo("builder");
    auto* builder = viewOf<BuilderView>("builder");
    CodeEditor& editor = builder->json()->editor();
    QVERIFY(w_->rules().apply("limits.registers=128"));
    QVERIFY(editor.text().contains("128"));
    editor.setText(QString(editor.text()).replace("128", "96"));
    QTRY_COMPARE(w_->rules().profile().registers, std::int64_t(96));
    editor.setText("{ \"schema\": 3 ");
    QTRY_VERIFY(!builder->json()->problem().isEmpty());
    QCOMPARE(w_->rules().profile().registers, std::int64_t(96));
    const QString path = folder_.filePath("profile.json");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    CompilerProfile other;
    other.name = "mine";
    other.spills = 8;
    file.write(QByteArray::fromStdString(to_json(other).dump()));
    file.close();
    w_->openFile(path);
    QVERIFY(w_->rules().profile() == other);
  }

  void themeReachesEveryPane() {
    openSoftmax();
    auto* ops = viewOf<OpsView>("ops");
    w_->actions().trigger("window.theme");
    QVERIFY(theme().isDark());
    const QColor dark = theme().color("editor");
    QCOMPARE(ops->definition()->editor().lexer()->paper(0), dark);
    QCOMPARE(QApplication::palette().color(QPalette::Base), theme().color("surface"));
    const QImage picture = window_->grab().toImage();
    QVERIFY(picture.pixelColor(picture.width() / 2, picture.height() / 3).lightness() < 120);
    // Words with a meaning are in the theme's ink, too, and stay so.
    const std::unique_ptr<QLabel> word(label("no"));
    setTone(word.get(), Tone::bad);
    const auto ink = [&] { return word->palette().color(word->foregroundRole()); };
    QCOMPARE(ink(), theme().text(Tone::bad));
    const QColor before = ink();
    // A link is words alone: the ground shows through.
    const std::unique_ptr<QPushButton> link(button(" ", {}, "link"));
    const QImage ground = link->grab().toImage();
    QCOMPARE(ground.pixelColor(ground.width() / 2, ground.height() / 2), theme().color("window"));
    // No style sheet: one would be applied anew to every widget at each switch.
    QVERIFY(qApp->styleSheet().isEmpty());
    for (const QWidget* widget : QApplication::allWidgets()) QVERIFY(widget->styleSheet().isEmpty());
    w_->actions().trigger("window.theme");
    QCOMPARE(ink(), theme().text(Tone::bad));
    QVERIFY(ink() != before);
    QVERIFY(ops->definition()->editor().lexer()->paper(0) != dark);
  }

  /// Of a file of several the operator that is meant stands whole in sight, whatever was laid out after it was opened.
  void operatorOfManyIsInSight() {
    window_->resize(1280, 800);
    // The pane is made when its view is first shown: after the operator was read.
    QTRY_VERIFY_WITH_TIMEOUT(w_->library().isLoaded(), patience);
    w_->navigator().goTo("builder");
    w_->openOperator("softmax");
    QTRY_VERIFY_WITH_TIMEOUT(settled(), patience);
    w_->navigator().goTo("ops");
    const CodeEditor& editor = viewOf<OpsView>("ops")->definition()->editor();
    const QStringList lines = w_->subject().text().split('\n');
    const auto from = lines.indexOf(QRegularExpression("^op softmax\\(.*"));
    QVERIFY2(from > 1 && lines[from - 1].startsWith('#'), "the file begins with another operator");
    qsizetype to = from;
    while (to + 1 < lines.size() && lines[to + 1].startsWith("  ")) ++to;
    const auto whole = [&] {
      const qsizetype top = editor.firstVisibleLine(), shown = editor.SendScintilla(QsciScintilla::SCI_LINESONSCREEN);
      return top <= from - 1 && to < top + shown;
    };
    QTRY_VERIFY(whole());
    for (const QSize size : {QSize(1280, 640), QSize(1280, 800), QSize(1500, 1100), QSize(1280, 800)}) {
      window_->resize(size);
      QTRY_VERIFY(whole());
    }
    // Whoever has scrolled is left where he is.
    editor.verticalScrollBar()->triggerAction(QAbstractSlider::SliderToMinimum);
    QCOMPARE(editor.firstVisibleLine(), 0);
    window_->resize(1280, 700);
    QTest::qWait(50);
    QCOMPARE(editor.firstVisibleLine(), 0);
  }

  void historyOfTwentyHops() {
    openSoftmax();
    const QStringList names{"layernorm", "variance", "rmsnorm", "logsumexp", "softmax"};
    const QStringList views{"ops", "builder", "synthesis", "runs"};
    std::vector<std::pair<QString, QString>> went;
    const auto here = [this] { return std::pair{w_->navigator().current()->id(), w_->navigator().active().id}; };
    went.push_back(here());
    for (int hop = 0; hop < 20; ++hop) {
      if (hop % 2 == 0)
        QVERIFY(w_->open({"op", names[hop / 2 % names.size()]}));
      else
        w_->navigator().goTo(views[hop % views.size()]);
      if (went.back() != here()) went.push_back(here());
    }
    QVERIFY(went.size() >= 15);
    for (std::size_t i = went.size() - 1; i-- > 0;) {
      QVERIFY(w_->navigator().canGoBack());
      w_->navigator().goBack();
      QCOMPARE(here(), went[i]);
      QCOMPARE(w_->subject().name(), went[i].second);
    }
    for (std::size_t i = 1; i < went.size(); ++i) {
      w_->navigator().goForward();
      QCOMPARE(here(), went[i]);
    }
  }

  void backRestoresFilterAndTab() {
    openSoftmax();
    auto* ops = viewOf<OpsView>("ops");
    QVERIFY(w_->open({"op", "variance"}));
    ops->structure()->tabs().setCurrentIndex(2);
    w_->navigator().goTo("builder");
    ops->structure()->tabs().setCurrentIndex(0);
    w_->navigator().goBack();
    QCOMPARE(w_->navigator().current()->id(), QStringLiteral("ops"));
    QCOMPARE(ops->structure()->tabs().currentIndex(), 2);
  }

  void linksAndLocator() {
    const Entity odd{"op", "a b/ü%"};
    QVERIFY(Entity::fromUri(odd.uri()) == odd);
    for (const char* bad : {"", "http://op/x", "aicf://", "aicf://op", "aicf://op/", "aicf://Op/x"})
      QVERIFY(!Entity::fromUri(bad));
    openSoftmax();
    w_->actions().trigger("edit.copy-link");
    QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("aicf://op/softmax"));
    const auto filters = locatorFilters(*w_);
    QCOMPARE(locate(filters, "softmax", 10).front().text, QStringLiteral("softmax"));
    QCOMPARE(locate(filters, "o layern", 10).front().text, QStringLiteral("layernorm"));
    QCOMPARE(locate(filters, "v compil", 10).front().text, QStringLiteral("Compiler"));
    QVERIFY(!locate(filters, "r workspace", 10).empty());
    QVERIFY(!locate(filters, "t online", 10).empty());
    QVERIFY(locate(filters, "zzzzqqq", 10).empty());
    QVERIFY(matchScore("soft", "softmax") > matchScore("soft", "log_softmax"));
    QVERIFY(matchScore("max", "log_max") > matchScore("max", "softmax"));
    w_->actions().trigger("go.palette");
    QVERIFY(window_->locator().isVisible());
    auto* input = window_->locator().findChild<QLineEdit*>();
    input->setText("> dark");
    QTest::keyClick(input, Qt::Key_Return);
    QVERIFY(theme().isDark());
    QVERIFY(!window_->locator().isVisible());
  }

  void synthesisThroughAWorker() {
    openSoftmax();
    auto* synthesis = viewOf<SynthesisView>("synthesis");
    QVERIFY(w_->actions().trigger("synthesis.start"));
    QTRY_VERIFY_WITH_TIMEOUT(w_->jobs().find(synthesis->job())->isOver(), patience);
    QCOMPARE(w_->navigator().current()->id(), QStringLiteral("synthesis"));
    QCOMPARE(w_->variants().all().size(), std::size_t(2));
    QCOMPARE(synthesis->table()->proxy()->rowCount(), 2);
    QVERIFY(w_->open({"variant", "v1"}));
    w_->actions().trigger("compare.as-a");
    w_->navigator().goTo("synthesis");
    QVERIFY(w_->open({"variant", "v0"}));
    w_->actions().trigger("compare.as-b");
    auto* compare = viewOf<CompareView>("compare");
    QCOMPARE(w_->navigator().current()->id(), QStringLiteral("compare"));
    QCOMPARE(compare->differingLines(), 1);
    QVERIFY(!w_->open({"op", "nobody"}));
  }

  void saveAndReopenOwnOperator() {
    openSoftmax();
    w_->actions().trigger("file.new");
    QTRY_VERIFY_WITH_TIMEOUT(w_->subject().structureIsCurrent(), patience);
    QCOMPARE(w_->subject().name(), QStringLiteral("untitled"));
    const QString path = folder_.filePath("mine.op");
    QVERIFY(w_->saveOperator(path));
    QTRY_VERIFY_WITH_TIMEOUT(w_->library().find("mine"), patience);
    QVERIFY(!w_->subject().isModified());
    QVERIFY(w_->open({"op", "softmax"}));
    w_->subject().edit(w_->subject().text() + "# a draft\n");
    QVERIFY(w_->open({"op", "mine"}));
    QVERIFY(w_->open({"op", "softmax"}));
    QVERIFY2(w_->subject().text().endsWith("# a draft\n"), "an unsaved text is kept");
    QVERIFY(!w_->saveOperator("/nonexistent/x.op"));
  }

  void highlightingByTheEnginesLexer() {
    const std::string text = "# c\nop f(x: float[N]) -> y: f32[]\n  y = sum[i] exp(x[i]) * 2.5\n";
    const auto ranges = styleOperatorText(text);
    const auto kindAt = [&](const char* word) {
      const std::size_t at = text.find(word);
      for (const StyledRange& r : ranges)
        if (r.offset == at) return r.kind;
      return StyledRange::Kind::plain;
    };
    using K = StyledRange::Kind;
    QCOMPARE(kindAt("# c"), K::comment);
    QCOMPARE(kindAt("op "), K::keyword);
    QCOMPARE(kindAt("float"), K::type);
    QCOMPARE(kindAt("sum"), K::reducer);
    QCOMPARE(kindAt("exp"), K::function);
    QCOMPARE(kindAt("2.5"), K::number);
    for (std::size_t i = 1; i < ranges.size(); ++i)
      QVERIFY(ranges[i].offset >= ranges[i - 1].offset + ranges[i - 1].length);
    (void)styleOperatorText(std::string("\xff\x00# \xc3", 5));
  }

  void anExportSaysWhatItIsFor() {
    openSoftmax();
    w_->navigator().goTo(QStringLiteral("builder"));
    QVERIFY(w_->actions().trigger(QStringLiteral("profile.export")));
    QTRY_VERIFY(window_->findChild<QFileDialog*>());
    auto* dialog = window_->findChild<QFileDialog*>();
    const QString path = folder_.filePath("it's mine.json");
    Q_EMIT dialog->fileSelected(path);
    dialog->reject();
    QVERIFY(QFile::exists(path));
    const auto buttons = window_->findChildren<QAbstractButton*>();
    const auto copy = std::find_if(buttons.begin(), buttons.end(),
                                   [](const auto* b) { return b->text() == QLatin1String("Copy the command"); });
    QVERIFY(copy != buttons.end());
    (*copy)->click();
    const auto& dims = w_->subject().problem().dims;
    QCOMPARE(QApplication::clipboard()->text(),
             QStringLiteral("aicf synth 'softmax' --shape M=%1,N=%2 --profile '%3' --out kernels")
                 .arg(dims.at("M"))
                 .arg(dims.at("N"))
                 .arg(QString(path).replace('\'', QLatin1String("'\\''"))));
  }

  void tipsDoNotTakeAwayWhatWasSaid() {
    QStatusTipEvent tip(QStringLiteral("the tip of a button"));
    QApplication::sendEvent(window_.get(), &tip);
    QCOMPARE(window_->statusBar()->currentMessage(), QStringLiteral("the tip of a button"));
    w_->say(QStringLiteral("Exported it."));
    QApplication::sendEvent(window_.get(), &tip);
    QCOMPARE(window_->statusBar()->currentMessage(), QStringLiteral("Exported it."));
  }

  /// The newest rows are listed before all are read, and then all; a row that is chosen stays chosen and in its place.
  void evidenceIsListedInTwoSteps() {
    constexpr int many = 20'000, first = 200;
    const QByteArray before = qgetenv("AICF_STORE");
    const QTemporaryDir folder;
    const QString path = folder.filePath("evidence.sqlite");
    qputenv("AICF_STORE", path.toUtf8());
    {
      auto store = Store::open(path.toStdString());
      QVERIFY(store);
      std::vector<Store::Row> rows(many);
      for (int i = 0; i < many; ++i) {
        Evidence& e = rows[std::size_t(i)].evidence;
        e.key.kind = i % 2 == 0 ? "check" : "synth";
        e.key.shape = "M=" + std::to_string(i);
        e.started = QStringLiteral("2026-01-01T%1").arg(i, 5, 10, QChar('0')).toStdString();
        e.status = "ok";
      }
      QVERIFY(store->put_all(rows));
    }
    auto* runs = dynamic_cast<RunsView*>(w_->navigator().view(QStringLiteral("runs")));
    QVERIFY(runs);
    QVERIFY(w_->actions().trigger(QStringLiteral("go.view-runs")));
    auto* model = runs->table()->model();
    std::vector<int> counts;
    const QObject context; // the connection ends before what it counts into
    connect(model, &QAbstractItemModel::modelReset, &context, [&] { counts.push_back(model->rowCount()); });
    QVERIFY(w_->actions().trigger(QStringLiteral("window.reload-runs")));
    QTRY_COMPARE_WITH_TIMEOUT(model->rowCount(), many, patience);
    QTRY_VERIFY_WITH_TIMEOUT(runs->isReady(), patience);
    QVERIFY(std::find(counts.begin(), counts.end(), first) != counts.end());
    QCOMPARE(model->index(0, 3).data().toString(), QStringLiteral("M=19999"));
    runs->table()->selectSourceRow(1500);
    QCOMPARE(model->index(1500, 3).data().toString(), QStringLiteral("M=18499"));
    QVERIFY(w_->actions().trigger(QStringLiteral("window.reload-runs")));
    QTRY_VERIFY_WITH_TIMEOUT(runs->isReady(), patience);
    QCOMPARE(runs->table()->sourceRow(), 1500);
    // Sorted and filtered, of all of them: M=0, 2, 4 … are checks.
    runs->table()->setFilter(QStringLiteral("check"));
    QTRY_COMPARE_WITH_TIMEOUT(model->rowCount(), many / 2, patience);
    runs->table()->horizontalHeader()->setSortIndicator(0, Qt::AscendingOrder);
    QTRY_COMPARE_WITH_TIMEOUT(model->index(0, 3).data().toString(), QStringLiteral("M=0"), patience);
    QCOMPARE(model->index(1, 3).data().toString(), QStringLiteral("M=2"));
    qputenv("AICF_STORE", before);
  }

  void everyControlHasAName() {
    openSoftmax();
    for (View* view : w_->navigator().views()) {
      w_->navigator().goTo(view->id());
      for (QWidget* widget : window_->findChildren<QWidget*>()) {
        if (!widget->isVisible() || !(widget->focusPolicy() & Qt::TabFocus) ||
            widget->parentWidget()->inherits("QAbstractSpinBox") || widget->parentWidget()->inherits("QComboBox") ||
            widget->parentWidget()->inherits("QTabWidget") || widget->inherits("QScrollArea") ||
            widget->inherits("QHeaderView") || widget->inherits("QTabWidget"))
          continue;
        const auto* button = qobject_cast<QAbstractButton*>(widget);
        const bool named = !widget->accessibleName().isEmpty() || (button && !button->text().isEmpty()) ||
                           !widget->toolTip().isEmpty();
        QVERIFY2(named, qPrintable(view->id() + ": a " + QString::fromLatin1(widget->metaObject()->className()) +
                                   " has no name"));
      }
    }
  }
};

QTEST_MAIN(TestWindow)
#include "test_window.moc"
