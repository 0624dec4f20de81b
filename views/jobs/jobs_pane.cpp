#include "views/jobs/jobs_pane.hpp"

#include "views/engine/duration.hpp"
#include "views/engine/text.hpp"
#include "views/widgets/panes.hpp"

#include <QHBoxLayout>
#include <QPainter>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace aicf::views {
namespace {
constexpr int progressColumn = 3;
constexpr qreal barRoom = 4, barInset = 3;

Tone toneOf(Job::State state) {
  switch (state) {
  case Job::State::waiting:
  case Job::State::running: return Tone::info;
  case Job::State::ok: return Tone::good;
  case Job::State::cancelling:
  case Job::State::cancelled:
  case Job::State::refused: return Tone::warn;
  case Job::State::failed:
  case Job::State::lost: return Tone::bad;
  }
  return Tone::plain;
}

double seconds(const Job& job) {
  return double(job.started.msecsTo(job.ended.isValid() ? job.ended : QDateTime::currentDateTime())) / 1000;
}

/// The share that is done as a bar, with the steps in words.
class ProgressDelegate : public CellDelegate {
 public:
  using CellDelegate::CellDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    const QString text = std::exchange(cell.text, {});
    cell.widget->style()->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
    if (text.isEmpty()) return;
    const double share = std::clamp(index.data(SortRole).toDouble(), 0.0, 1.0);
    const QRectF bar = QRectF(cell.rect).adjusted(barRoom, barInset, -barRoom, -barInset);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(theme().color("neutralFill"));
    painter->drawRoundedRect(bar, 3, 3);
    painter->setBrush(theme().color("added"));
    painter->drawRoundedRect(QRectF(bar.topLeft(), QSizeF(bar.width() * share, bar.height())), 3, 3);
    painter->setPen(theme().color("text"));
    painter->setFont(cell.font);
    painter->drawText(bar, Qt::AlignCenter, cell.fontMetrics.elidedText(text, Qt::ElideRight, int(bar.width())));
    painter->restore();
  }
};

} // namespace

RecordModel<Job>* makeJobsModel(QObject* parent) {
  using C = Column<Job>;
  return new RecordModel<Job>(
      {C{{JobsPane::tr("No."), JobsPane::tr("Number of the job in this session"), CellKind::number, 44},
         [](const Job& j) { return j.number; }},
       C{{JobsPane::tr("Job"), JobsPane::tr("What was asked for"), CellKind::text, 230},
         [](const Job& j) { return j.title; }},
       C{{JobsPane::tr("State"), JobsPane::tr("lost: its worker crashed or fell silent; what arrived is kept"),
          CellKind::chip, 100},
         [](const Job& j) { return stateText(j.state); },
         {},
         [](const Job& j) { return toneOf(j.state); }},
       C{{JobsPane::tr("Progress"), JobsPane::tr("Steps done of all"), CellKind::number, 110},
         [](const Job& j) { return j.total > 0 ? QVariant(double(j.done) / double(j.total)) : QVariant(); },
         [](const Job& j) { return j.total > 0 ? QStringLiteral("%1 / %2").arg(j.done).arg(j.total) : QString(); }},
       C{{JobsPane::tr("Where"), JobsPane::tr("Whose workers do it: the target, and its machine once one has taken it"),
          CellKind::text, 110},
         [](const Job& j) {
           return j.host.isEmpty() || j.host == j.target ? j.target : j.target + QStringLiteral(" · ") + j.host;
         }},
       C{{JobsPane::tr("Results"), JobsPane::tr("Results that arrived"), CellKind::number, 70},
         [](const Job& j) { return j.results; }},
       C{{JobsPane::tr("Took"), JobsPane::tr("From start to end, or until now"), CellKind::number, 76},
         [](const Job& j) { return seconds(j); },
         [](const Job& j) { return duration(seconds(j)); }},
       C{{JobsPane::tr("Last message"), JobsPane::tr("What its worker said last"), CellKind::text, 120},
         [](const Job& j) { return j.text; }}},
      parent);
}

JobsPane::JobsPane(Workbench& workbench)
    : workbench_(workbench), model_(makeJobsModel(this)),
      table_(new Table(model_, tr("Jobs"), tr("No job has run yet. Synthesis starts one."))), log_(new QPlainTextEdit),
      cancel_(button(tr("Cancel"), tr("Ends the job; results that arrived are kept"))),
      again_(button(tr("Start again"), tr("The same request once more, as a new job"))) {
  log_->setReadOnly(true);
  log_->setAccessibleName(tr("Log of the job"));
  log_->setPlaceholderText(tr("The log of the selected job."));
  log_->setTabChangesFocus(true);
  table_->setItemDelegateForColumn(progressColumn, new ProgressDelegate(table_));
  const auto font = [this] { log_->setFont(theme().mono()); };
  font();
  auto* right = new QWidget;
  auto* rightLayout = new QVBoxLayout(right);
  rightLayout->setContentsMargins(0, 0, 0, 0);
  rightLayout->addWidget(log_, 1);
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  buttons->addWidget(again_);
  buttons->addWidget(cancel_);
  rightLayout->addLayout(buttons);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 0, 6, 6);
  layout->addWidget(splitter(Qt::Horizontal, {{table_, 780}, {right, 460}}));
  cancel_->setEnabled(false);
  again_->setEnabled(false);

  connect(&workbench.jobs(), &Jobs::added, this, &JobsPane::update);
  connect(&workbench.jobs(), &Jobs::changed, this, &JobsPane::update);
  connect(table_, &Table::currentRowChanged, this, &JobsPane::showLog);
  connect(cancel_, &QPushButton::clicked, this, [this] {
    if (const int row = table_->sourceRow(); row >= 0) workbench_.jobs().cancel(model_->at(row).number);
  });
  connect(again_, &QPushButton::clicked, this, [this] {
    if (const int row = table_->sourceRow(); row >= 0) workbench_.jobs().again(model_->at(row).number);
  });
}

void JobsPane::update(int number) {
  const Job& job = *workbench_.jobs().find(number);
  if (number > model_->rowCount()) {
    model_->append(job);
    table_->selectSourceRow(number - 1);
  } else {
    model_->setRow(number - 1, job);
  }
  if (table_->sourceRow() == number - 1) showLog();
}

void JobsPane::showLog() {
  const int row = table_->sourceRow();
  cancel_->setEnabled(row >= 0 && !model_->at(row).isOver());
  again_->setEnabled(row >= 0 && model_->at(row).isOver());
  const QStringList lines = row >= 0 ? model_->at(row).log : QStringList();
  const int number = row >= 0 ? model_->at(row).number : 0;
  // A log only grows: thousands of lines are not laid out anew for each that comes.
  if (number != std::exchange(logged_, number)) {
    log_->setPlainText(lines.join('\n'));
  } else {
    for (qsizetype i = loggedLines_; i < lines.size(); ++i) log_->appendPlainText(lines[i]);
  }
  loggedLines_ = lines.size();
}

} // namespace aicf::views
