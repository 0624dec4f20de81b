#include "views/builder/ledger_pane.hpp"

#include "core/semantics/atlas.hpp"
#include "views/engine/text.hpp"

#include <QScrollArea>
#include <QSplitter>
#include <QUndoStack>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace aicf::views {
namespace {

bool startsWithAny(const QString& text, std::initializer_list<const char*> words) {
  for (const char* w : words)
    if (text.startsWith(QLatin1String(w))) return true;
  return false;
}

/// The strictest order that is kept, from three verdicts.
QString orderText(const LegalityRow& r) {
  if (r.cross_device.answer.starts_with("kept")) return LedgerPane::tr("device");
  if (r.batch_invariant.answer.starts_with("kept")) return LedgerPane::tr("batch");
  if (r.run_to_run.answer.starts_with("kept")) return LedgerPane::tr("run");
  return r.applicable ? LedgerPane::tr("lost") : QString();
}
QString orderTip(const LegalityRow& r) {
  return LedgerPane::tr("From run to run: %1\nFor any batch size: %2\nOn any device: %3")
      .arg(qs(r.run_to_run.answer), qs(r.batch_invariant.answer), qs(r.cross_device.answer));
}

QString memoryText(const LegalityRow& r) {
  QStringList parts;
  for (const Metric& m : r.memory)
    if (m.unit != "bytes") parts << qs(m.id).section('.', -1) + ' ' + number(m.value);
  return parts.join(QStringLiteral(", "));
}
QString memoryTip(const LegalityRow& r) {
  QStringList parts;
  for (const Metric& m : r.memory)
    parts << qs(m.id).replace('_', ' ') + QStringLiteral(": ") +
                 (m.unit == "bytes" ? qs(m.method) : number(m.value) + QStringLiteral(" (") + qs(m.method) + ')');
  return parts.join('\n');
}

QString legalText(const LegalityRow& r) {
  return !r.applicable ? LedgerPane::tr("n/a") : r.allowed ? LedgerPane::tr("legal") : LedgerPane::tr("refused");
}
Tone legalTone(const LegalityRow& r) { return !r.applicable ? Tone::muted : r.allowed ? Tone::good : Tone::bad; }

Column<LegalityRow> verdictColumn(const QString& title, const QString& tip, int width, Verdict LegalityRow::*member) {
  return {{title, tip, CellKind::text, width},
          [member](const LegalityRow& r) { return r.applicable ? verdictText(r.*member) : QString(); },
          {},
          [member](const LegalityRow& r) { return r.applicable ? verdictTone(r.*member) : Tone::muted; },
          [member](const LegalityRow& r) { return verdictText(r.*member); }};
}

} // namespace

Tone verdictTone(const Verdict& v) {
  const QString a = qs(v.answer);
  if (startsWithAny(a, {"proven", "bit-identical", "same", "kept"})) return Tone::good;
  if (startsWithAny(a, {"probably", "reassociated"})) return Tone::info;
  if (startsWithAny(a, {"refuted", "lost", "differs"})) return Tone::bad;
  return Tone::warn;
}

QString verdictText(const Verdict& v) {
  return v.bound ? qs(v.answer) + QStringLiteral(" ≤ ") + number(*v.bound, 2) : qs(v.answer);
}

RecordModel<LegalityRow>* makeLedgerModel(QObject* parent) {
  using C = Column<LegalityRow>;
  const auto muted = [](const auto& r) { return r.applicable ? Tone::plain : Tone::muted; };
  return new RecordModel<LegalityRow>(
      {C{{LedgerPane::tr("Transformation"), LedgerPane::tr("What would be done to the computation"), CellKind::text,
          206},
         [](const auto& r) { return qs(r.title); },
         {},
         muted,
         [](const auto& r) { return qs(r.title + "\n" + r.reason); }},
       C{{LedgerPane::tr("Rules"),
          LedgerPane::tr("Whether the ticked rules allow it for this operator; n/a: its premises do not hold"),
          CellKind::chip, 76},
         legalText,
         {},
         legalTone,
         [](const auto& r) { return qs(r.reason); }},
       verdictColumn(LedgerPane::tr("Value"),
                     LedgerPane::tr("Over the reals: proven, probably equal, refuted, unknown"), 70,
                     &LegalityRow::value),
       verdictColumn(LedgerPane::tr("Rounding"),
                     LedgerPane::tr("Bit-identical, reassociated within a bound, or approximate within a bound"), 98,
                     &LegalityRow::rounding),
       verdictColumn(LedgerPane::tr("Special"), LedgerPane::tr("NaN, infinities, empty and fully masked rows"), 64,
                     &LegalityRow::special),
       C{{LedgerPane::tr("Order"),
          LedgerPane::tr("Bit for bit the same from run to run, for any batch size, on any device: the farthest of "
                         "these that is kept"),
          CellKind::text, 62},
         orderText,
         {},
         [](const auto& r) { return orderText(r) == LedgerPane::tr("lost") ? Tone::bad : Tone::plain; },
         orderTip},
       C{{LedgerPane::tr("Memory"), LedgerPane::tr("Workspace, sweeps, traffic"), CellKind::text, 76},
         memoryText,
         {},
         muted,
         memoryTip}},
      parent);
}

LedgerPane::LedgerPane(Workbench& workbench)
    : workbench_(workbench), model_(makeLedgerModel(this)),
      table_(new Table(model_, tr("Ledger of transformations"), {})), title_(label({}, "heading")),
      law_(label({}, "mono")), reason_(label({})), witness_(label({}, "mono")),
      ticks_(button({}, tr("The smallest change of the rules that allows it; Undo takes it back"), "tick")) {
  auto* detail = new QWidget;
  auto* column = new QVBoxLayout(detail);
  column->setContentsMargins(2, 8, 8, 8);
  column->setSpacing(6);
  for (QLabel* l : {title_, reason_, law_, witness_}) {
    l->setWordWrap(true);
    l->setTextInteractionFlags(Qt::TextSelectableByMouse);
    l->setTextFormat(Qt::PlainText);
    column->addWidget(l);
    if (l == reason_) column->addWidget(ticks_, 0, Qt::AlignLeft);
  }
  column->addStretch(1);
  auto* area = new QScrollArea;
  area->setWidget(detail);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(splitter(Qt::Vertical, {{table_, 400}, {area, 190}}));
  connect(&workbench.legality(), &Legality::changed, this, &LedgerPane::show);
  connect(&workbench, &Workbench::relit, this, &LedgerPane::relight);
  connect(table_, &Table::currentRowChanged, this, &LedgerPane::showDetail);
  connect(ticks_, &QPushButton::clicked, this, [this] {
    const int row = table_->sourceRow();
    if (row < 0) return;
    const QStringList ticks = qs(model_->at(row).smallest_ticks);
    Rules& rules = workbench_.rules();
    rules.undoStack().beginMacro(tr("allow %1").arg(qs(model_->at(row).title)));
    for (const QString& t : ticks)
      if (!rules.apply(t)) workbench_.say(tr("The rules have no setting for %1.").arg(t));
    rules.undoStack().endMacro();
  });
  show();
  relight();
}

void LedgerPane::relight() {
  // Of an operator every transformation is listed: a mark at each would say nothing.
  const QString kind = workbench_.navigator().active().kind;
  const bool chosen = kind != QLatin1String("op") && kind != QLatin1String("transformation");
  model_->setLit([this, chosen](const LegalityRow& r) {
    return chosen && workbench_.lit().contains({QStringLiteral("transformation"), qs(r.transformation)});
  });
}

void LedgerPane::select(const QString& transformation) {
  for (int row = 0; row < model_->rowCount(); ++row)
    if (qs(model_->at(row).transformation) == transformation) table_->selectSourceRow(row);
}

QString LedgerPane::selected() const {
  const int row = table_->sourceRow();
  return row >= 0 ? qs(model_->at(row).transformation) : QString();
}

void LedgerPane::restore(const QJsonObject& table, const QString& transformation) {
  table_->restore(table);
  select(transformation);
  table_->scrollAs(table);
  wanted_ = transformation;
  awaited_ = workbench_.legality().isCurrent() || workbench_.subject().isEmpty() ? QJsonObject() : table;
}

void LedgerPane::show() {
  const auto space = workbench_.legality().space();
  if (!selected().isEmpty()) wanted_ = selected();
  const bool were = model_->rowCount() > 0;
  std::vector<LegalityRow> rows = space ? space->ledger.rows : std::vector<LegalityRow>();
  // What does not apply stands last; the others stay where they are, whatever is ticked.
  std::stable_partition(rows.begin(), rows.end(), [](const LegalityRow& r) { return r.applicable; });
  model_->setRows(std::move(rows));
  table_->setExplanation(workbench_.subject().isEmpty()
                             ? tr("Choose an operator (Ctrl+K): its transformations are judged here.")
                         : space && !space->fault.isEmpty() ? tr("The ledger could not be made: %1").arg(space->fault)
                                                            : tr("Judging…"));
  if (model_->rowCount() == 0) {
    showDetail();
    return;
  }
  const auto& all = model_->rows();
  auto at = std::find_if(all.begin(), all.end(), [this](const auto& r) { return qs(r.transformation) == wanted_; });
  // To begin with, what the rules refuse: there is something to decide.
  if (at == all.end())
    at = std::find_if(all.begin(), all.end(), [](const auto& r) { return r.applicable && !r.allowed; });
  const int row = at == all.end() ? 0 : int(at - all.begin());
  if (const QJsonObject table = std::exchange(awaited_, {}); !table.isEmpty()) {
    table_->restore(table);
    table_->keepSourceRow(row);
  } else if (were) {
    table_->keepSourceRow(row);
  } else {
    table_->selectSourceRow(row);
  }
}

void LedgerPane::showDetail() {
  const int row = table_->sourceRow();
  for (QWidget* w : {static_cast<QWidget*>(title_), static_cast<QWidget*>(law_), static_cast<QWidget*>(reason_),
                     static_cast<QWidget*>(witness_), static_cast<QWidget*>(ticks_)})
    w->hide();
  if (row < 0) return;
  const LegalityRow& r = model_->at(row);
  const TransformationText text = transformation_text(r.transformation);
  title_->setText(qs(r.title) + QStringLiteral("  —  ") + (r.applicable ? legalText(r) : tr("does not apply")));
  setTone(title_, legalTone(r) == Tone::bad ? Tone::bad : Tone::plain);
  const QString why = sentence(qs(r.reason), workbench_.subject().definition().get());
  reason_->setText(why.isEmpty() ? qs(text.why)
                                 : why + (why.endsWith('.') ? QString() : QStringLiteral(".")) +
                                       (text.why.empty() ? QString() : ' ' + qs(text.why)));
  title_->show();
  reason_->setVisible(!reason_->text().isEmpty());
  if (!text.before.empty()) {
    law_->setText(qs(text.before) + QStringLiteral("\n  →  ") + qs(text.after) + QStringLiteral("\n") +
                  tr("law: %1").arg(qs(text.law)));
    law_->show();
  }
  if (r.witness) {
    QStringList lines{tr("Witness")};
    for (const auto& [name, values] : r.witness->inputs) {
      QStringList numbers;
      for (const double v : values) numbers << number(v, 6);
      lines << QStringLiteral("  ") + qs(name) + QStringLiteral(" = [") + numbers.join(QStringLiteral(", ")) + ']';
    }
    lines << tr("  expected %1, observed %2").arg(qs(r.witness->expected), qs(r.witness->observed));
    witness_->setText(lines.join('\n'));
    witness_->show();
  }
  if (r.applicable && !r.allowed && !r.smallest_ticks.empty()) {
    QStringList steps;
    for (const std::string& t : r.smallest_ticks) steps << describeTick(qs(t));
    ticks_->setText(tr("Allow it:  %1").arg(steps.join(tr("  and  "))));
    ticks_->show();
  }
}

} // namespace aicf::views
