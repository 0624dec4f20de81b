#include "views/ops/definition_pane.hpp"

#include "views/engine/text.hpp"
#include "views/formula/formula_view.hpp"

#include <QScrollBar>
#include <QSplitter>
#include <QVBoxLayout>

#include <utility>

namespace aicf::views {
namespace {
QString severityText(Diagnostic::Severity s) {
  return s == Diagnostic::Severity::error     ? DefinitionPane::tr("error")
         : s == Diagnostic::Severity::warning ? DefinitionPane::tr("warning")
                                              : DefinitionPane::tr("note");
}
} // namespace

RecordModel<Diagnostic>* makeMessagesModel(QObject* parent) {
  using C = Column<Diagnostic>;
  const auto whole = [](const Diagnostic& d) { return qs(d.hint.empty() ? d.message : d.message + "\n" + d.hint); };
  return new RecordModel<Diagnostic>(
      {C{{DefinitionPane::tr("Kind"), DefinitionPane::tr("error: it does not check; warning and note: it does"),
          CellKind::chip, 74},
         [](const auto& d) { return severityText(d.severity); },
         {},
         [](const auto& d) {
           return d.severity == Diagnostic::Severity::error     ? Tone::bad
                  : d.severity == Diagnostic::Severity::warning ? Tone::warn
                                                                : Tone::info;
         }},
       C{{DefinitionPane::tr("Place"), DefinitionPane::tr("Line:column"), CellKind::number, 58},
         [](const auto& d) { return d.at.line * 100000 + d.at.column; },
         [](const auto& d) {
           return d.at.line > 0 ? QStringLiteral("%1:%2").arg(d.at.line).arg(d.at.column) : QString();
         }},
       C{{DefinitionPane::tr("Message"),
          DefinitionPane::tr("What the checker found, with what to do; a click goes to the place"), CellKind::text,
          300},
         [](const auto& d) { return qs(d.hint.empty() ? d.message : d.message + "  —  " + d.hint); },
         {},
         {},
         whole}},
      parent);
}

DefinitionPane::DefinitionPane(Workbench& workbench)
    : workbench_(workbench), editor_(new CodeEditor(CodeEditor::Language::op, tr("Definition of the operator"))),
      model_(makeMessagesModel(this)), messages_(new Table(model_, tr("Messages of the checker"), {})),
      formula_(new FormulaView(tr("Formula of the operator"))) {
  editorPane_ = new Pane(tr("Definition"), editor_);
  messagesPane_ = new Pane(tr("Messages"), messages_);
  formulaPane_ = new Pane(tr("Formula"), formula_);
  auto* text = button(tr("Copy text"), tr("The definition in the operator language"));
  auto* latex = button(tr("Copy LaTeX"), tr("The formula as an aligned block of LaTeX"));
  for (QPushButton* b : {text, latex}) formulaPane_->addCorner(b);
  connect(text, &QPushButton::clicked, formula_, &FormulaView::copyText);
  connect(latex, &QPushButton::clicked, formula_, &FormulaView::copyLatex);
  connect(formula_, &FormulaView::chosen, this, [this](const QString& name) {
    goToValue(name);
    Q_EMIT valueChosen(name);
  });
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(splitter(Qt::Vertical, {{editorPane_, 270}, {formulaPane_, 270}, {messagesPane_, 110}}));

  for (QObject* part : {static_cast<QObject*>(editor_), static_cast<QObject*>(editor_->viewport())})
    part->installEventFilter(this);
  connect(editor_->verticalScrollBar(), &QAbstractSlider::actionTriggered, this, [this] { top_ = -1; });
  connect(editor_, &QsciScintilla::textChanged, this, [this] {
    if (loading_) return;
    top_ = -1;
    workbench_.subject().edit(editor_->text());
  });
  connect(&workbench.subject(), &Subject::opened, this, &DefinitionPane::load);
  connect(&workbench.subject(), &Subject::checked, this, &DefinitionPane::showMessages);
  connect(&workbench.subject(), &Subject::checked, this, &DefinitionPane::showFormula);
  connect(&workbench.subject(), &Subject::checked, this, &DefinitionPane::goToOperator);
  connect(&workbench.subject(), &Subject::opened, this, &DefinitionPane::showFormula);
  connect(&workbench.subject(), &Subject::modifiedChanged, this, &DefinitionPane::updateTitle);
  connect(messages_, &QAbstractItemView::activated, this, [this] {
    if (const int row = messages_->sourceRow(); row >= 0)
      editor_->goTo(model_->at(row).at.line, model_->at(row).at.column);
  });
  connect(messages_, &QAbstractItemView::clicked, this, [this] {
    if (const int row = messages_->sourceRow(); row >= 0)
      editor_->goTo(model_->at(row).at.line, model_->at(row).at.column);
  });
  load();
  showFormula();
  if (workbench.subject().definition()) goToOperator(); // it was checked before this pane was made
}

void DefinitionPane::showFormula() {
  const Subject& s = workbench_.subject();
  if (const auto definition = s.definition()) {
    formula_->setFormula(mathOf(*definition), s.text());
    formulaPane_->setNote({});
  } else if (s.isEmpty()) {
    formula_->setNothing(tr("Choose an operator to see its formula."));
  } else if (s.isChecking()) {
    formulaPane_->setNote(tr("reading…"));
  } else if (formula_->formula().empty()) {
    formula_->setNothing(tr("The definition has errors: see the messages."));
  } else {
    formulaPane_->setNote(tr("of the last text without errors"));
  }
}

void DefinitionPane::selectValue(const QString& name) { formula_->select(name.section('#', 0, 0)); }

void DefinitionPane::goToValue(const QString& name) {
  const auto definition = workbench_.subject().definition();
  if (!definition) return;
  for (const Statement& s : definition->statements)
    if (qs(definition->tensors[s.target].name) == name && s.at.line > 0) editor_->goTo(s.at.line, s.at.column);
}

/// A file may define several: the one that is meant stands first in sight, with its comment.
void DefinitionPane::goToOperator() {
  const auto definition = workbench_.subject().definition();
  if (!std::exchange(arriving_, false) || !definition) return;
  const TensorId first = definition->inputs > 0 || definition->outputs.empty() ? 0 : definition->outputs.front();
  int line = definition->tensors[first].at.line - 1;
  while (line > 0 && !editor_->text(line).trimmed().startsWith(QLatin1String("op "))) --line;
  if (line <= 0) return;
  editor_->setCursorPosition(line, 0);
  top_ = line;
  while (top_ > 0 && editor_->text(top_ - 1).startsWith('#')) --top_;
  showTop();
}

/// The editor scrolls no further than its height lets it, and gets its height later than its text: the operator is
/// brought to the top again until somebody goes elsewhere.
void DefinitionPane::showTop() {
  if (top_ >= 0) editor_->setFirstVisibleLine(top_);
}

void DefinitionPane::showLine(int line) {
  top_ = -1;
  editor_->setFirstVisibleLine(line);
}

bool DefinitionPane::eventFilter(QObject* watched, QEvent* event) {
  switch (event->type()) {
  case QEvent::Resize: QMetaObject::invokeMethod(this, &DefinitionPane::showTop, Qt::QueuedConnection); break;
  case QEvent::Wheel:
  case QEvent::KeyPress:
  case QEvent::MouseButtonPress: top_ = -1; break;
  default: break;
  }
  return QWidget::eventFilter(watched, event);
}

void DefinitionPane::load() {
  loading_ = true;
  arriving_ = true;
  top_ = -1;
  const Subject& s = workbench_.subject();
  editor_->setText(s.text());
  editor_->setReadOnly(s.isEmpty());
  editor_->setModified(false);
  loading_ = false;
  updateTitle();
  showMessages();
  // A draft is put back right after the saved text.
  QMetaObject::invokeMethod(
      this,
      [this] {
        loading_ = true;
        editor_->setTextKeepingPlace(workbench_.subject().text());
        loading_ = false;
      },
      Qt::QueuedConnection);
}

void DefinitionPane::updateTitle() {
  const Subject& s = workbench_.subject();
  editorPane_->setNote(s.isEmpty()          ? tr("choose an operator, or make one of your own (Ctrl+N)")
                       : s.isModified()     ? tr("changed, not saved")
                       : s.path().isEmpty() ? tr("not saved yet")
                                            : s.path());
}

void DefinitionPane::showMessages() {
  const auto& diagnostics = workbench_.subject().diagnostics();
  model_->setRows(diagnostics);
  editor_->setDiagnostics(diagnostics);
  std::size_t errors = 0;
  for (const Diagnostic& d : diagnostics) errors += d.severity == Diagnostic::Severity::error ? 1 : 0;
  messages_->setExplanation(workbench_.subject().isEmpty() ? tr("What the checker says of a definition stands here.")
                                                           : tr("No messages: the definition checks."));
  messagesPane_->setNote(errors > 0 ? tr("errors: %1").arg(errors) : diagnostics.empty() ? QString() : tr("no errors"));
}

} // namespace aicf::views
