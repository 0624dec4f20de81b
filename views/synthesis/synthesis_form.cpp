#include "views/synthesis/synthesis_form.hpp"

#include "views/engine/text.hpp"

#include <QAction>
#include <QComboBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QProgressBar>
#include <QSpinBox>
#include <QVBoxLayout>

namespace aicf::views {
namespace {
constexpr int mostVariants = 64, largestDim = 1 << 28, largestSeed = 1'000'000;
constexpr auto whereKey = "synthesis/where";

QString wordsOf(const WorkerTarget& target) {
  QString name = qs(target.name);
  switch (target.kind) {
  case WorkerTarget::Kind::local:
    return target.name == "local" ? SynthesisForm::tr("this machine") : SynthesisForm::tr("%1 (here)").arg(name);
  case WorkerTarget::Kind::ssh: return SynthesisForm::tr("%1 (ssh %2)").arg(name, qs(target.host));
  case WorkerTarget::Kind::srun: return SynthesisForm::tr("%1 (Slurm)").arg(name);
  }
  return name;
}

QSpinBox* spin(int lo, int hi, const QString& name, const QString& tip) {
  auto* box = new QSpinBox;
  box->setRange(lo, hi);
  box->setKeyboardTracking(false);
  box->setAlignment(Qt::AlignRight);
  box->setFont(theme().mono());
  box->setAccessibleName(name);
  box->setToolTip(tip);
  return box;
}
} // namespace

SynthesisForm::SynthesisForm(Workbench& workbench)
    : workbench_(workbench), sizes_(new QFormLayout), operator_(new ElidedLabel({}, "heading")), dtype_(new QComboBox),
      backend_(new QComboBox), target_(new QComboBox), where_(new QComboBox),
      budget_(spin(1, mostVariants, tr("Variants"),
                   tr("How many to build; each state form comes once before any comes twice"))),
      seed_(spin(1, largestSeed, tr("Seed"), tr("Of the random inputs; the same seed gives the same inputs"))),
      start_(button(tr("Synthesize"), tr("Propose, compile, validate (F5)"), "primary")),
      cancel_(button(tr("Cancel"), tr("Results that arrived are kept (Shift+F5)"))), bar_(new QProgressBar),
      progress_(new ElidedLabel({}, "muted")), notice_(label({})) {
  for (const DType t : {DType::f32, DType::bf16, DType::f16, DType::f64}) dtype_->addItem(qs(name_of(t)), int(t));
  dtype_->setToolTip(tr("What `float` in the definition is bound to"));
  backend_->addItem(tr("Emulator"), "emulator");
  backend_->addItem(tr("CUDA device"), "cuda");
  backend_->setToolTip(tr("Emulator: counts and checks exactly, needs no GPU. CUDA device: times as well."));
  target_->addItems({"sm_80", "sm_86", "sm_89", "sm_90"});
  target_->setToolTip(tr("Architecture that the kernels are compiled for"));
  for (const WorkerTarget& t : workbench.jobs().targets().all) where_->addItem(wordsOf(t), qs(t.name));
  where_->setToolTip(tr("Whose workers build, run and judge the kernels. Other machines are named in %1: "
                        "{\"schema\": \"aicf.targets/1\", \"targets\": [{\"name\": \"gpu\", \"kind\": \"ssh\", "
                        "\"host\": \"me@machine\", \"program\": \"/path/to/aicf\"}]}")
                         .arg(qs(targets_file().string())));
  where_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  where_->setMinimumContentsLength(10);
  if (const int last = where_->findData(workbench.settings().value(whereKey)); last >= 0) where_->setCurrentIndex(last);
  budget_->setValue(6);
  bar_->setTextVisible(false);
  bar_->setAccessibleName(tr("Progress of the synthesis"));
  notice_->setWordWrap(true);
  setTone(notice_, Tone::warn);
  notice_->hide();

  auto* options = new QFormLayout;
  for (QFormLayout* form : {sizes_, options}) {
    form->setContentsMargins(0, 0, 0, 0);
    form->setVerticalSpacing(4);
    form->setHorizontalSpacing(8);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  }
  options->addRow(tr("Type"), dtype_);
  options->addRow(tr("Backend"), backend_);
  options->addRow(tr("Target"), target_);
  options->addRow(tr("Run on"), where_);
  options->addRow(tr("Variants"), budget_);
  options->addRow(tr("Seed"), seed_);
  for (int row = 0; row < options->rowCount(); ++row) {
    QWidget* name = options->itemAt(row, QFormLayout::LabelRole)->widget();
    name->setMinimumWidth(62);
    name->setToolTip(options->itemAt(row, QFormLayout::FieldRole)->widget()->toolTip());
  }
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(start_, 1);
  buttons->addWidget(cancel_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(2, 0, 6, 0);
  layout->setSpacing(6);
  layout->addWidget(operator_);
  layout->addWidget(label(tr("Sizes"), "section"));
  layout->addLayout(sizes_);
  layout->addSpacing(6);
  layout->addWidget(label(tr("Options"), "section"));
  layout->addLayout(options);
  layout->addSpacing(8);
  layout->addLayout(buttons);
  layout->addWidget(bar_);
  layout->addWidget(progress_);
  layout->addWidget(notice_);
  layout->addStretch(1);

  connect(start_, &QPushButton::clicked, this, [this] { workbench_.actions().trigger("synthesis.start"); });
  connect(cancel_, &QPushButton::clicked, this, [this] { workbench_.actions().trigger("synthesis.cancel"); });
  connect(where_, &QComboBox::currentIndexChanged, this, [this] { workbench_.settings().setValue(whereKey, where()); });
  for (QComboBox* box : {dtype_, target_}) connect(box, &QComboBox::currentIndexChanged, this, &SynthesisForm::edited);
  connect(&workbench.subject(), &Subject::opened, this, &SynthesisForm::fillSizes);
  connect(&workbench.subject(), &Subject::problemChanged, this, &SynthesisForm::fillSizes);
  const auto follow = [this](const char* id, QPushButton* b) {
    QAction* action = workbench_.actions().find(id);
    b->setEnabled(action->isEnabled());
    connect(action, &QAction::changed, b, [action, b] { b->setEnabled(action->isEnabled()); });
  };
  follow("synthesis.start", start_);
  follow("synthesis.cancel", cancel_);
  fillSizes();
  showJob(nullptr);
}

QString SynthesisForm::backend() const { return backend_->currentData().toString(); }
QString SynthesisForm::where() const { return where_->currentData().toString(); }
int SynthesisForm::budget() const { return budget_->value(); }
int SynthesisForm::seed() const { return seed_->value(); }
void SynthesisForm::setBudget(int budget) { budget_->setValue(budget); }

void SynthesisForm::fillSizes() {
  const Subject& s = workbench_.subject();
  const Problem& p = s.problem();
  filling_ = true;
  operator_->setText(s.isEmpty() ? tr("No operator") : s.name());
  dtype_->setCurrentIndex(dtype_->findData(int(p.float_type)));
  target_->setCurrentText(qs(p.target));
  const auto sameKeys = [](const auto& a, const auto& b) {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) { return x.first == y.first; });
  };
  if (!sameKeys(p.dims, dims_) || !sameKeys(p.scalars, scalars_)) {
    while (sizes_->rowCount() > 0) sizes_->removeRow(0);
    dims_.clear();
    scalars_.clear();
    const auto name = [](const std::string& text) {
      auto* l = label(qs(text), "mono");
      l->setMinimumWidth(62);
      return l;
    };
    for (const auto& [dim, size] : p.dims) {
      QSpinBox* box = dims_[dim] =
          spin(0, largestDim, tr("Size of %1").arg(qs(dim)), tr("Extent of %1; any size, also 0 and 1").arg(qs(dim)));
      connect(box, &QSpinBox::valueChanged, this, &SynthesisForm::edited);
      sizes_->addRow(name(dim), box);
    }
    for (const auto& [scalar, value] : p.scalars) {
      auto* box = scalars_[scalar] = new QLineEdit;
      box->setFont(theme().mono());
      box->setAlignment(Qt::AlignRight);
      box->setAccessibleName(tr("Scalar %1").arg(qs(scalar)));
      box->setToolTip(tr("Scalar argument; the definition gives its default"));
      connect(box, &QLineEdit::editingFinished, this, &SynthesisForm::edited);
      sizes_->addRow(name(scalar), box);
    }
    if (p.dims.empty() && p.scalars.empty())
      sizes_->addRow(label(s.isEmpty() ? tr("choose an operator (Ctrl+K)") : tr("waiting for the checker"), "muted"));
  }
  for (const auto& [dim, size] : p.dims) dims_[dim]->setValue(int(std::min<std::int64_t>(size, largestDim)));
  for (const auto& [scalar, value] : p.scalars) scalars_[scalar]->setText(QString::number(value, 'g', 12));
  filling_ = false;
}

void SynthesisForm::edited() {
  if (filling_) return;
  Problem p = workbench_.subject().problem();
  for (auto& [dim, size] : p.dims)
    if (const auto it = dims_.find(dim); it != dims_.end()) size = it->second->value();
  for (auto& [scalar, value] : p.scalars) {
    const auto it = scalars_.find(scalar);
    bool ok = false;
    const double read = it == scalars_.end() ? 0 : it->second->text().toDouble(&ok);
    if (ok) value = read;
  }
  p.float_type = DType(dtype_->currentData().toInt());
  p.target = target_->currentText().toStdString();
  workbench_.subject().setProblem(p);
}

void SynthesisForm::showJob(const Job* job) {
  bar_->setVisible(job && !job->isOver());
  if (!job) {
    progress_->setFullText({});
    return;
  }
  bar_->setRange(0, int(job->total));
  bar_->setValue(int(job->done));
  QString text = tr("Job %1: %2").arg(job->number).arg(stateText(job->state));
  if (!job->isOver() && !job->text.isEmpty()) text += QStringLiteral(" · ") + job->text;
  if (job->isOver()) text += tr(" · results: %1").arg(job->results);
  progress_->setFullText(text);
}

void SynthesisForm::setNotice(const QString& text) {
  notice_->setText(text);
  notice_->setVisible(!text.isEmpty());
}

} // namespace aicf::views
