#include "views/ops/certificate_pane.hpp"

#include "views/engine/text.hpp"
#include "views/ops/token_diff.hpp"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QTextCursor>
#include <QVBoxLayout>

#include <algorithm>

namespace aicf::views {
namespace {

Tone toneOf(Certificate::Verdict v) {
  switch (v) {
  case Certificate::Verdict::proven: return Tone::good;
  case Certificate::Verdict::probably: return Tone::info;
  case Certificate::Verdict::refuted: return Tone::bad;
  case Certificate::Verdict::unknown: return Tone::warn;
  }
  return Tone::plain;
}

QString witnessText(const Witness& w) {
  QStringList lines;
  for (const auto& [name, values] : w.inputs) {
    QStringList numbers;
    for (const double v : values) numbers << QString::number(v, 'g', 17);
    lines << qs(name) + QStringLiteral(" = [") + numbers.join(QStringLiteral(", ")) + ']';
  }
  return lines.join('\n');
}

QPlainTextEdit* box(const QString& name) {
  auto* text = new QPlainTextEdit;
  text->setReadOnly(true);
  text->setTabChangesFocus(true);
  text->setAccessibleName(name);
  text->setFont(theme().mono());
  QObject::connect(&theme(), &Theme::changed, text, [text] { text->setFont(theme().mono()); });
  return text;
}

/// Marks what a step took away or brought.
void mark(QPlainTextEdit* text, const TextRanges& ranges, const char* fill) {
  QList<QTextEdit::ExtraSelection> marks;
  for (const auto& [at, length] : ranges) {
    QTextEdit::ExtraSelection m;
    m.format.setBackground(theme().color(fill));
    m.cursor = QTextCursor(text->document());
    m.cursor.setPosition(at);
    m.cursor.setPosition(at + length, QTextCursor::KeepAnchor);
    marks << m;
  }
  text->setExtraSelections(marks);
}

} // namespace

RecordModel<Certificate>* makeCertificatesModel(QObject* parent) {
  using C = Column<Certificate>;
  return new RecordModel<Certificate>(
      {C{{CertificatePane::tr("Verdict"),
          CertificatePane::tr("probably: true except with the probability given as its bound"), CellKind::chip, 82},
         [](const auto& c) { return qs(name_of(c.verdict)); },
         {},
         [](const auto& c) { return toneOf(c.verdict); }},
       C{{CertificatePane::tr("Trials"), CertificatePane::tr("Independent samples"), CellKind::number, 54},
         [](const auto& c) { return c.trials; },
         [](const auto& c) { return c.trials > 0 ? number(c.trials) : QString(); }},
       C{{CertificatePane::tr("Bound"),
          CertificatePane::tr("Probability that the verdict is wrong; 0 for what is proven or refuted"),
          CellKind::number, 76},
         [](const auto& c) { return c.bound; },
         [](const auto& c) { return c.verdict == Certificate::Verdict::unknown ? QString() : number(c.bound, 3); }},
       C{{CertificatePane::tr("Claim"),
          CertificatePane::tr("What is said of the operator, and was decided by the method below"), CellKind::text,
          250},
         [](const auto& c) { return qs(c.claim); },
         {},
         {},
         [](const auto& c) { return qs(c.claim); }}},
      parent);
}

CertificatePane::CertificatePane()
    : model_(makeCertificatesModel(this)), table_(new Table(model_, tr("Certificates"), tr("No certificates yet."))),
      method_(new ElidedLabel({}, "muted")), rule_(new ElidedLabel), before_(box(tr("Before the step"))),
      after_(box(tr("After the step"))), back_(button(QStringLiteral("‹"), tr("The step before"))),
      next_(button(QStringLiteral("›"), tr("The next step"))), beforeTitle_(label(tr("Before"), "muted")),
      afterTitle_(label(tr("After"), "muted")) {
  back_->setAccessibleName(tr("Previous step"));
  next_->setAccessibleName(tr("Next step"));
  for (QPushButton* b : {back_, next_}) b->setFixedWidth(34);
  auto* bottom = new QWidget;
  auto* grid = new QGridLayout(bottom);
  grid->setContentsMargins(0, 4, 0, 0);
  auto* bar = new QHBoxLayout;
  bar->addWidget(rule_, 1);
  bar->addWidget(back_);
  bar->addWidget(next_);
  grid->addWidget(method_, 0, 0, 1, 2);
  grid->addLayout(bar, 1, 0, 1, 2);
  grid->addWidget(beforeTitle_, 2, 0, Qt::AlignTop);
  grid->addWidget(before_, 2, 1);
  grid->addWidget(afterTitle_, 3, 0, Qt::AlignTop);
  grid->addWidget(after_, 3, 1);
  grid->setColumnStretch(1, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 4, 0, 0);
  layout->addWidget(splitter(Qt::Vertical, {{table_, 150}, {bottom, 190}}));
  connect(&theme(), &Theme::changed, this, [this] { showStep(step_); });
  connect(table_, &Table::currentRowChanged, this, &CertificatePane::show);
  connect(back_, &QPushButton::clicked, this, [this] { showStep(step_ - 1); });
  connect(next_, &QPushButton::clicked, this, [this] { showStep(step_ + 1); });
  show();
}

void CertificatePane::setCertificates(const std::vector<Certificate>& certificates) {
  model_->setRows(certificates);
  if (!certificates.empty())
    table_->selectSourceRow(0);
  else
    show();
}

void CertificatePane::select(const QString& id) {
  for (int row = 0; row < model_->rowCount(); ++row)
    if (qs(model_->at(row).id) == id) table_->selectSourceRow(row);
}

void CertificatePane::show() {
  const int row = table_->sourceRow();
  method_->setFullText(row >= 0 ? tr("Method: %1").arg(qs(model_->at(row).method)) : QString());
  showStep(0);
}

void CertificatePane::showStep(int step) {
  const int row = table_->sourceRow();
  const Certificate none;
  const Certificate& c = row >= 0 ? model_->at(row) : none;
  const int steps = int(c.steps.size());
  step_ = std::clamp(step, 0, std::max(0, steps - 1));
  back_->setEnabled(step_ > 0);
  next_->setEnabled(step_ + 1 < steps);
  beforeTitle_->setText(tr("Before"));
  afterTitle_->setText(tr("After"));
  if (steps > 0) {
    const Step& s = c.steps[std::size_t(step_)];
    rule_->setFullText(tr("Step %1 of %2:  %3").arg(step_ + 1).arg(steps).arg(qs(s.rule)));
    before_->setPlainText(qs(s.before));
    after_->setPlainText(qs(s.after));
    const ChangedWords changed = changedWords(before_->toPlainText(), after_->toPlainText());
    mark(before_, changed.before, "removedStrong");
    mark(after_, changed.after, "addedStrong");
    return;
  } else if (c.witness) {
    rule_->setFullText(tr("Witness: inputs on which it fails"));
    beforeTitle_->setText(tr("Inputs"));
    afterTitle_->setText(tr("Result"));
    before_->setPlainText(witnessText(*c.witness));
    after_->setPlainText(tr("expected %1\nobserved %2").arg(qs(c.witness->expected), qs(c.witness->observed)));
  } else {
    rule_->setFullText(row >= 0 ? tr("This verdict has no derivation to step through.")
                                : tr("Choose a claim to see how it was decided."));
    before_->clear();
    after_->clear();
  }
  for (QPlainTextEdit* text : {before_, after_}) text->setExtraSelections({});
}

} // namespace aicf::views
