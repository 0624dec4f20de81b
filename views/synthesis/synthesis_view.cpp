#include "views/synthesis/synthesis_view.hpp"

#include "views/engine/text.hpp"
#include "views/synthesis/synthesis_form.hpp"
#include "views/synthesis/variant_detail.hpp"
#include "views/widgets/panes.hpp"

#include <nlohmann/json.hpp>

#include <QHBoxLayout>
#include <QLineEdit>
#include <QSplitter>

#include <algorithm>

namespace aicf::views {

static const RegisterView registration{40, [](Workbench& w) { return std::make_unique<SynthesisView>(w); }};

namespace {

Tone statusTone(const VariantRow& v) {
  if (v.status == QLatin1String("validated")) return Tone::good;
  return v.status == QLatin1String("not_judged") ? Tone::warn : Tone::bad;
}

using C = Column<VariantRow>;
C wholeColumn(const QString& title, const QString& tip, int width, std::optional<int> VariantRow::*member) {
  return {{title, tip, CellKind::number, width},
          [member](const VariantRow& v) { return v.*member ? QVariant(*(v.*member)) : QVariant(); },
          [member](const VariantRow& v) { return v.*member ? number(*(v.*member)) : QString(); }};
}
C metricColumn(const QString& title, const QString& tip, int width, const QString& id) {
  return {{title, tip, CellKind::number, width},
          [id](const VariantRow& v) {
            const MetricRow* m = v.metric(id);
            return m && m->value ? QVariant(*m->value) : QVariant();
          },
          [id](const VariantRow& v) {
            const MetricRow* m = v.metric(id);
            return m && m->value ? number(*m->value, 5) : QString();
          },
          {},
          {},
          [id](const VariantRow& v) {
            const MetricRow* m = v.metric(id);
            if (!m || !m->value)
              return Origin{SynthesisView::tr("Nothing measured or counted it for this variant."), {}};
            return Origin{SynthesisView::tr("%1 of variant %2: %3%4, in job %5.")
                              .arg(id, v.id, QString(m->source).replace('_', ' '),
                                   m->method.isEmpty() ? QString() : SynthesisView::tr(" by %1").arg(m->method))
                              .arg(v.job),
                          "aicf://job/" + QString::number(v.job)};
          }};
}

/// What a device measured, else the estimate; nullptr when there is neither.
const MetricRow* time(const VariantRow& v) {
  for (const char* id : {"time_us.cold", "time_us.estimate"})
    if (const MetricRow* m = v.metric(id); m != nullptr && m->value) return m;
  return nullptr;
}

} // namespace

RecordModel<VariantRow>* makeVariantsModel(QObject* parent) {
  return new RecordModel<VariantRow>(
      {C{{SynthesisView::tr("Variant"),
          SynthesisView::tr("Short hash of plan, sizes and types; kept in the evidence store"), CellKind::mono, 104},
         [](const auto& v) { return v.id; }},
       C{{SynthesisView::tr("Status"), SynthesisView::tr("validated: within its own a priori bound on every check"),
          CellKind::chip, 86},
         [](const auto& v) { return QString(v.status).replace('_', ' '); },
         {},
         statusTone,
         [](const auto& v) { return v.diagnostics; }},
       C{{SynthesisView::tr("Plan"), SynthesisView::tr("Choices that tell it from the others"), CellKind::text, 166},
         [](const auto& v) { return v.label; },
         {},
         {},
         [](const auto& v) { return v.label; }},
       metricColumn(SynthesisView::tr("Sectors"), SynthesisView::tr("32-byte sectors loaded from global memory"), 80,
                    "global_load_sectors"),
       metricColumn(SynthesisView::tr("Instr."), SynthesisView::tr("Thread instructions executed"), 84,
                    "thread_instructions"),
       wholeColumn(SynthesisView::tr("Regs"), SynthesisView::tr("Registers a thread"), 48, &VariantRow::registers),
       wholeColumn(SynthesisView::tr("Shared"), SynthesisView::tr("Bytes of shared memory a block"), 62,
                   &VariantRow::shared),
       wholeColumn(SynthesisView::tr("Spills"), SynthesisView::tr("Bytes spilled from registers"), 52,
                   &VariantRow::spills),
       C{{SynthesisView::tr("Rel. error"), SynthesisView::tr("Largest relative error over all checks"),
          CellKind::number, 82},
         [](const auto& v) { return v.checks.empty() ? QVariant() : QVariant(v.relErr); },
         [](const auto& v) { return v.checks.empty() ? QString() : number(v.relErr, 2); }},
       C{{SynthesisView::tr("of bound"),
          SynthesisView::tr("Largest error over what the plan's own error analysis allows; above 1 fails"),
          CellKind::number, 70},
         [](const auto& v) { return v.checks.empty() ? QVariant() : QVariant(v.worstRatio); },
         [](const auto& v) { return v.checks.empty() ? QString() : QString::number(v.worstRatio, 'f', 3); },
         [](const auto& v) { return v.worstRatio > 1 ? Tone::bad : Tone::plain; },
         [](const auto& v) { return SynthesisView::tr("bound %1 relative to the result").arg(number(v.bound, 3)); }},
       C{{SynthesisView::tr("Time µs"),
          SynthesisView::tr(
              "Median on the device; with ~ an estimate from counters, occupancy and what is known of the "
              "machine, where no device ran it"),
          CellKind::number, 70},
         [](const auto& v) {
           const MetricRow* t = time(v);
           return t != nullptr ? QVariant(*t->value) : QVariant();
         },
         [](const auto& v) {
           const MetricRow* t = time(v);
           if (t == nullptr) return QString();
           return t->source == QLatin1String("estimated") ? "~" + number(*t->value, 3) : number(*t->value, 4);
         }}},
      parent);
}

SynthesisView::SynthesisView(Workbench& workbench) : workbench_(workbench) { addActions(); }

void SynthesisView::addActions() {
  Actions& a = workbench_.actions();
  const auto jobRuns = [this] {
    const Job* job = workbench_.jobs().find(job_);
    return job && !job->isOver();
  };
  a.add({"synthesis.start", tr("&Synthesize"), tr("Propose, compile and validate variants of the active operator"),
         "run", QKeySequence(Qt::Key_F5),
         [this, jobRuns] {
           return !jobRuns() && workbench_.subject().definition() && workbench_.subject().structureIsCurrent();
         },
         [this] { start(); }});
  a.add({"synthesis.cancel", tr("&Cancel Synthesis"), tr("Ends the job; results that arrived are kept"), "stop",
         QKeySequence(Qt::SHIFT | Qt::Key_F5), jobRuns, [this] { workbench_.jobs().cancel(job_); }});
  const auto hasSelected = [this] { return selected() != nullptr; };
  a.add({"compare.as-a", tr("Compare as &A"), tr("Puts the selected variant on the left"), "compare",
         QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_A), hasSelected, [this] {
           workbench_.open({"compare-a", selected()->id});
         }});
  a.add({"compare.as-b", tr("Compare as &B"), tr("Puts the selected variant on the right"), "compare",
         QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_B), hasSelected, [this] {
           workbench_.open({"compare-b", selected()->id});
         }});
}

QWidget* SynthesisView::widget() {
  if (widget_) return widget_;
  form_ = new SynthesisForm(workbench_);
  model_ = makeVariantsModel(this);
  table_ = new Table(model_, tr("Variants"), {});
  detail_ = new VariantDetail;
  pane_ = new Pane(tr("Variants"), table_);
  auto* toA = button(tr("Compare as A"), tr("Puts the selected variant on the left (Ctrl+Shift+A)"), "link");
  auto* toB = button(tr("Compare as B"), tr("Puts the selected variant on the right (Ctrl+Shift+B)"), "link");
  pane_->addCorner(table_->filterLine());
  pane_->addCorner(toA);
  pane_->addCorner(toB);
  connect(toA, &QPushButton::clicked, this, [this] { workbench_.actions().trigger("compare.as-a"); });
  connect(toB, &QPushButton::clicked, this, [this] { workbench_.actions().trigger("compare.as-b"); });
  widget_ = new QWidget;
  auto* layout = new QHBoxLayout(widget_);
  layout->setContentsMargins(8, 8, 8, 8);
  auto* right = splitter(Qt::Vertical, {{pane_, 280}, {detail_, 400}});
  layout->addWidget(splitter(Qt::Horizontal, {{new Pane(tr("Request"), form_), 206}, {right, 980}}));
  connect(table_, &Table::currentRowChanged, this, [this] {
    detail_->setVariant(selected());
    workbench_.actions().invalidate();
  });
  connect(&workbench_.variants(), &Variants::changed, this, &SynthesisView::refill);
  connect(&workbench_.subject(), &Subject::opened, this, &SynthesisView::refill);
  connect(&workbench_.jobs(), &Jobs::changed, this, [this](int number) {
    if (number == job_) form_->showJob(workbench_.jobs().find(number));
  });
  connect(&workbench_.jobs(), &Jobs::finished, this, &SynthesisView::finished);
  refill();
  return widget_;
}

const VariantRow* SynthesisView::selected() const {
  const int row = table_ ? table_->sourceRow() : -1;
  return row >= 0 ? &model_->at(row) : nullptr;
}

void SynthesisView::start() {
  const Subject& s = workbench_.subject();
  const Problem& p = s.problem();
  (void)widget();
  nlohmann::json dims = nlohmann::json::object(), scalars = nlohmann::json::object();
  QStringList sizes;
  for (const auto& [name, size] : p.dims) {
    dims[name] = size;
    sizes << qs(name) + '=' + QString::number(size);
  }
  for (const auto& [name, value] : p.scalars) scalars[name] = value;
  const nlohmann::json body{{"text", s.text().toStdString()},
                            {"file", s.path().isEmpty() ? s.name().toStdString() : s.path().toStdString()},
                            {"op", s.definition()->name},
                            {"profile", to_json(workbench_.rules().profile())},
                            {"dims", dims},
                            {"scalars", scalars},
                            {"dtype", std::string(name_of(p.float_type))},
                            {"target", p.target},
                            {"backend", form_->backend().toStdString()},
                            {"budget", form_->budget()},
                            {"seed", form_->seed()}};
  form_->setNotice({});
  workbench_.navigator().goTo(id());
  job_ = int(workbench_.jobs().all().size()) + 1;
  workbench_.jobs().start(
      "synth", tr("%1, %2, %3, %4").arg(s.name(), sizes.join(' '), qs(name_of(p.float_type)), form_->backend()),
      s.name(), body, form_->where());
}

void SynthesisView::refill() {
  const QString keep = selected() ? selected()->id : QString();
  std::vector<VariantRow> rows;
  for (const VariantRow& v : workbench_.variants().all())
    if (v.op == workbench_.subject().name()) rows.push_back(v);
  const bool first = model_->rowCount() == 0;
  const std::size_t passed = std::size_t(std::count_if(
      rows.begin(), rows.end(), [](const VariantRow& v) { return v.status == QLatin1String("validated"); }));
  pane_->setNote(rows.empty() ? QString() : tr("validated: %1 of %2").arg(passed).arg(rows.size()));
  model_->setRows(std::move(rows));
  table_->setExplanation(workbench_.subject().isEmpty()
                             ? tr("Choose an operator (Ctrl+K), then Synthesize (F5).")
                             : tr("Nothing synthesized for %1 yet. Synthesize (F5) builds the first variants.")
                                   .arg(workbench_.subject().name()));
  for (int row = 0; row < model_->rowCount(); ++row)
    if (model_->at(row).id == keep || (first && row == 0)) table_->keepSourceRow(row);
  if (!selected()) detail_->setVariant(nullptr);
}

void SynthesisView::finished(int number, const nlohmann::json& body) {
  if (number != job_) return;
  const Job* job = workbench_.jobs().find(number);
  QStringList lines;
  if (body.is_object() && body.contains("refusal") && body["refusal"].is_string())
    lines << qs(body["refusal"].get<std::string>());
  for (const Diagnostic& d : job->diagnostics) lines << qs(d.hint.empty() ? d.message : d.message + "\n" + d.hint);
  form_->setNotice(lines.join('\n'));
}

void SynthesisView::show(const Entity& entity) {
  if (entity.kind == QLatin1String("job")) {
    workbench_.actions().trigger("window.jobs");
    return;
  }
  const VariantRow* variant = workbench_.variants().find(entity.id);
  if (!variant) {
    workbench_.say(tr("Variant %1 is not of this session.").arg(entity.id));
    return;
  }
  if (variant->op != workbench_.subject().name()) workbench_.openOperator(variant->op);
  for (int row = 0; row < model_->rowCount(); ++row)
    if (model_->at(row).id == entity.id) table_->selectSourceRow(row);
}

bool SynthesisView::find() {
  if (!table_) return false;
  table_->filterLine()->setFocus();
  table_->filterLine()->selectAll();
  return true;
}

bool SynthesisView::isReady() const {
  const Job* job = workbench_.jobs().find(job_);
  return !job || job->isOver();
}

QJsonObject SynthesisView::state() const {
  if (!widget_) return {};
  return {{"variant", selected() ? selected()->id : QString()},
          {"table", table_->state()},
          {"tab", detail_->currentIndex()},
          {"line", detail_->source().firstVisibleLine()}};
}

void SynthesisView::restore(const QJsonObject& state) {
  if (!widget_) return;
  table_->restore(state.value("table").toObject());
  for (int row = 0; row < model_->rowCount(); ++row)
    if (model_->at(row).id == state.value("variant").toString()) table_->selectSourceRow(row);
  table_->scrollAs(state.value("table").toObject());
  detail_->setCurrentIndex(state.value("tab").toInt());
  detail_->source().setFirstVisibleLine(state.value("line").toInt());
}

} // namespace aicf::views
