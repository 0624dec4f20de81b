#include "views/builder/builder_view.hpp"

#include "views/builder/ledger_pane.hpp"
#include "views/builder/rules_form.hpp"
#include "views/engine/text.hpp"

#include <nlohmann/json.hpp>

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSaveFile>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

namespace aicf::views {

static const RegisterView registration{30, [](Workbench& w) { return std::make_unique<BuilderView>(w); }};

RecordModel<RefusalRow>* makeRefusalsModel(QObject* parent) {
  using C = Column<RefusalRow>;
  return new RecordModel<RefusalRow>(
      {C{{BuilderView::tr("Plans"), BuilderView::tr("How many generated plans this reason refused"), CellKind::number,
          116},
         [](const auto& r) { return qulonglong(r.count); },
         [](const auto& r) { return number(double(r.count)); }},
       C{{BuilderView::tr("Refused because"), BuilderView::tr("Legality, the rules, or a limit of the hardware"),
          CellKind::text, 120},
         [](const auto& r) { return r.reason; },
         {},
         {},
         [](const auto& r) {
           return r.reason + (r.example.isEmpty() ? QString() : BuilderView::tr("\nfor example: %1").arg(r.example));
         }}},
      parent);
}

BuilderView::BuilderView(Workbench& workbench) : workbench_(workbench) { addActions(); }

void BuilderView::addActions() {
  Actions& a = workbench_.actions();
  QUndoStack& stack = workbench_.rules().undoStack();
  a.add({"profile.undo", tr("&Undo Tick"), tr("Takes the last change of the rules back"), "undo", QKeySequence::Undo,
         [&stack] { return stack.canUndo(); }, [&stack] { stack.undo(); }});
  a.add({"profile.redo", tr("&Redo Tick"), tr("The change of the rules again"), "redo",
         QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), [&stack] { return stack.canRedo(); },
         [&stack] { stack.redo(); }});
  a.add({"profile.export",
         tr("&Export Profile…"),
         tr("The rules as JSON (aicf.profile/1) or text, for aicf --profile"),
         "export",
         QKeySequence(Qt::CTRL | Qt::Key_E),
         {},
         [this] { exportProfile(); }});
  a.add({"profile.reset",
         tr("De&fault Rules"),
         tr("Every setting as in a new profile; Undo takes it back"),
         {},
         {},
         [this] { return workbench_.rules().profile() != CompilerProfile(); },
         [this] { workbench_.rules().change(tr("default rules"), CompilerProfile()); }});
}

QWidget* BuilderView::widget() {
  if (widget_) return widget_;
  form_ = new RulesForm(workbench_);
  ledger_ = new LedgerPane(workbench_);
  json_ = new ProfilePane(workbench_, ProfilePane::Form::json);
  text_ = new ProfilePane(workbench_, ProfilePane::Form::text);
  count_ = label({}, "count");
  of_ = label({}, "muted");
  change_ = label({}, "muted");
  subject_ = new ElidedLabel({}, "muted");
  refusals_ = makeRefusalsModel(this);
  refusalsTable_ = new Table(refusals_, tr("Refusals"), tr("Nothing refused."));
  tabs_ = new QTabWidget;
  tabs_->addTab(refusalsTable_, tr("Refusals"));
  tabs_->addTab(json_, tr("JSON"));
  tabs_->addTab(text_, tr("Text"));
  tabs_->setTabToolTip(1, tr("aicf.profile/1; edit it here and the ticks follow"));
  tabs_->setTabToolTip(2, tr("The same as one setting a line (*.acp)"));

  auto* strip = new QWidget;
  auto* stripLayout = new QHBoxLayout(strip);
  stripLayout->setContentsMargins(2, 0, 2, 2);
  stripLayout->setSpacing(8);
  for (QLabel* l : {count_, of_, change_}) stripLayout->addWidget(l);
  stripLayout->addWidget(subject_, 1);
  subject_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);

  widget_ = new QWidget;
  auto* outer = new QVBoxLayout(widget_);
  outer->setContentsMargins(8, 6, 8, 8);
  outer->setSpacing(4);
  outer->addWidget(strip);
  auto* ledger = new Pane(tr("Transformations of this operator"), ledger_);
  ledger->addCorner(ledger_->table().filterLine());
  outer->addWidget(splitter(Qt::Horizontal, {{new Pane(tr("Rules"), form_), 246}, {ledger, 700}, {tabs_, 226}}), 1);
  connect(&workbench_.legality(), &Legality::changed, this, &BuilderView::update);
  connect(&workbench_.subject(), &Subject::opened, this, [this] {
    before_.reset();
    update();
  });
  connect(&workbench_.rules(), &Rules::changed, this, [this] {
    if (const auto space = workbench_.legality().space(); space && workbench_.legality().isCurrent())
      before_ = space->space.plans.size();
  });
  update();
  return widget_;
}

void BuilderView::update() {
  const auto space = workbench_.legality().space();
  const Subject& s = workbench_.subject();
  subject_->setFullText(s.isEmpty() ? tr("no operator chosen")
                                    : tr("%1 under “%2”").arg(s.name(), qs(workbench_.rules().profile().name)));
  std::vector<RefusalRow> rows;
  if (!space) {
    count_->setText(QStringLiteral("–"));
    of_->setText(s.isEmpty() ? tr("legal plans: choose an operator first") : tr("legal plans: counting…"));
    change_->clear();
    refusals_->setRows({});
    refusalsTable_->setExplanation(s.isEmpty() ? tr("Choose an operator first.") : tr("Counting…"));
    return;
  }
  const std::size_t legal = space->space.plans.size();
  count_->setText(number(double(legal)));
  setTone(count_, legal == 0 ? Tone::bad : Tone::good);
  of_->setText(tr("legal plans of %1 generated").arg(number(double(space->space.generated))));
  const auto delta = before_ ? qint64(legal) - qint64(*before_) : 0;
  change_->setText(
      delta == 0 ? QString()
                 : tr("(%1 by the last change)")
                       .arg((delta > 0 ? QStringLiteral("+") : QStringLiteral("−")) + number(double(std::abs(delta)))));
  for (const auto& [reason, n] : space->space.refused) {
    RefusalRow row{qs(reason), {}, n};
    if (const auto it = space->space.example.find(reason); it != space->space.example.end()) {
      QStringList choices;
      for (const auto& [id, value] : it->second.choices) choices << qs(id + "=" + to_text(value));
      row.example = choices.join(QStringLiteral(", "));
    }
    rows.push_back(std::move(row));
  }
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  refusals_->setRows(std::move(rows));
  refusalsTable_->setExplanation(tr("Nothing refused: every plan that the grammar generates is legal."));
}

void BuilderView::exportProfile() {
  QWidget* parent = widget_ ? widget_.data() : QApplication::activeWindow(); // the view may not have been looked at yet
  auto* dialog = new QFileDialog(parent, tr("Export profile"), {}, tr("JSON (*.json);;Text (*.acp)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix("json");
  dialog->selectFile(qs(workbench_.rules().profile().name) + ".json");
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
    const CompilerProfile& profile = workbench_.rules().profile();
    const std::string text = path.endsWith(QLatin1String(".acp")) ? to_text(profile) : to_json(profile).dump(2) + "\n";
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), qint64(text.size())) < 0 || !file.commit()) {
      Q_EMIT workbench_.failed(tr("Export profile"), tr("%1 could not be written: %2").arg(path, file.errorString()));
      return;
    }
    workbench_.rules().exported(path);
    workbench_.say(tr("Exported %1.").arg(path));
    tellUse(path);
  });
  dialog->open();
}

/// What the file is for: the command that makes the kernels of the open operator from it.
void BuilderView::tellUse(const QString& path) {
  const Subject& subject = workbench_.subject();
  if (subject.isEmpty() || !subject.definition()) return;
  QStringList shape;
  for (const auto& [dim, size] : subject.problem().dims) shape << qs(dim) + '=' + QString::number(size);
  const auto quoted = [](QString text) { return '\'' + text.replace('\'', QLatin1String("'\\''")) + '\''; };
  // The atlas's operators go by their names; a file's may be of several.
  const bool own = !subject.path().isEmpty() && !subject.path().startsWith(workbench_.library().folder());
  QString command = "aicf synth " + quoted(own ? subject.path() : subject.name());
  if (!shape.isEmpty()) command += " --shape " + shape.join(',');
  command += " --profile " + quoted(path) + " --out kernels";
  workbench_.notify({QStringLiteral("exported"),
                     tr("Exported %1. On the command line it makes the kernels of %2 as files: %3")
                         .arg(path, subject.name(), command),
                     {{tr("Copy the command"), tr("To be pasted into a terminal"),
                       [command] { QApplication::clipboard()->setText(command); }, true}}});
}

void BuilderView::show(const Entity& entity) {
  if (entity.kind == QLatin1String("transformation"))
    ledger_->select(entity.id);
  else
    form_->showRule(entity.id);
}

void BuilderView::follow(const Entity& active) {
  if (widget_ && active.kind == QLatin1String("transformation")) ledger_->select(active.id);
}

bool BuilderView::find() {
  if (!widget_) return false;
  ledger_->table().filterLine()->setFocus();
  ledger_->table().filterLine()->selectAll();
  return true;
}

bool BuilderView::isReady() const {
  return workbench_.subject().isEmpty() || !workbench_.subject().definition() || workbench_.legality().isCurrent();
}

QJsonObject BuilderView::state() const {
  if (!widget_) return {};
  return {{"table", ledger_->table().state()},
          {"transformation", ledger_->selected()},
          {"rules", form_->scroll()},
          {"tab", tabs_->currentIndex()}};
}

void BuilderView::restore(const QJsonObject& state) {
  if (!widget_) return;
  ledger_->restore(state.value("table").toObject(), state.value("transformation").toString());
  form_->setScroll(state.value("rules").toInt());
  tabs_->setCurrentIndex(state.value("tab").toInt());
}

} // namespace aicf::views
