#include "views/synthesis/variant_detail.hpp"

#include "core/plan/plan.hpp"
#include "views/engine/text.hpp"

#include <algorithm>

namespace aicf::views {

RecordModel<CheckRow>* makeChecksModel(QObject* parent) {
  using C = Column<CheckRow>;
  return new RecordModel<CheckRow>(
      {C{{VariantDetail::tr("Check"), VariantDetail::tr("Kind of inputs"), CellKind::text, 110},
         [](const auto& c) { return c.id; }},
       C{{VariantDetail::tr("Result"), VariantDetail::tr("Whether the kernel passed this check"), CellKind::chip, 78},
         [](const auto& c) { return c.passed ? VariantDetail::tr("passed") : VariantDetail::tr("failed"); },
         {},
         [](const auto& c) { return c.passed ? Tone::good : Tone::bad; }},
       C{{VariantDetail::tr("Detail"), VariantDetail::tr("Sizes, seed, what was found"), CellKind::text, 400},
         [](const auto& c) { return c.detail; },
         {},
         {},
         [](const auto& c) { return c.detail; }}},
      parent);
}

RecordModel<MetricRow>* makeMetricsModel(QObject* parent) {
  using C = Column<MetricRow>;
  return new RecordModel<MetricRow>(
      {C{{VariantDetail::tr("Metric"), VariantDetail::tr("Counters by the emulator, then times by a device"),
          CellKind::mono, 260},
         [](const auto& m) { return m.id; }},
       C{{VariantDetail::tr("Value"), VariantDetail::tr("Of the metric, or of the choice"), CellKind::number, 110},
         [](const auto& m) { return m.value ? QVariant(*m.value) : QVariant(); },
         [](const auto& m) { return m.value ? number(*m.value, 5) : QString(m.source).replace('_', ' '); }},
       C{{VariantDetail::tr("Unit"), VariantDetail::tr("Of the value"), CellKind::text, 90},
         [](const auto& m) { return m.unit; }},
       C{{VariantDetail::tr("Source"),
          VariantDetail::tr("exact: counted; measured: timed on a device; estimated: from a model"), CellKind::text,
          90},
         [](const auto& m) { return QString(m.source).replace('_', ' '); }},
       C{{VariantDetail::tr("Method"), VariantDetail::tr("How the number was made"), CellKind::text, 220},
         [](const auto& m) { return m.method; }}},
      parent);
}

RecordModel<ChoiceRow>* makeChoicesModel(QObject* parent) {
  using C = Column<ChoiceRow>;
  return new RecordModel<ChoiceRow>(
      {C{{VariantDetail::tr("Choice"), VariantDetail::tr("A parameter of the plan"), CellKind::mono, 160},
         [](const auto& c) { return c.param; }},
       C{{VariantDetail::tr("Value"), VariantDetail::tr("Of the metric, or of the choice"), CellKind::mono, 120},
         [](const auto& c) { return c.value; }},
       C{{VariantDetail::tr("Meaning"), VariantDetail::tr("What the parameter decides"), CellKind::text, 320},
         [](const auto& c) { return c.meaning; },
         {},
         {},
         [](const auto& c) { return c.meaning; }}},
      parent);
}

RecordModel<FaultRow>* makeFaultsModel(QObject* parent) {
  using C = Column<FaultRow>;
  return new RecordModel<FaultRow>(
      {C{{VariantDetail::tr("Fault"), VariantDetail::tr("What the emulator's checks found in the kernel"),
          CellKind::chip, 150},
         [](const auto& f) { return f.kind; },
         {},
         [](const auto&) { return Tone::bad; }},
       C{{VariantDetail::tr("Kernel"), VariantDetail::tr("The kernel in which it happened"), CellKind::mono, 150},
         [](const auto& f) { return f.kernel; }},
       C{{VariantDetail::tr("Place"), VariantDetail::tr("Line of the generated source"), CellKind::mono, 190},
         [](const auto& f) { return f.place; }},
       C{{VariantDetail::tr("Message"), VariantDetail::tr("What happened, with thread and address"), CellKind::text,
          320},
         [](const auto& f) { return f.message; },
         {},
         {},
         [](const auto& f) { return f.message; }}},
      parent);
}

std::vector<ChoiceRow> choiceRows(const VariantRow& variant) {
  std::vector<ChoiceRow> rows{{VariantDetail::tr("family"), variant.family, {}}};
  for (const Family& f : families())
    if (qs(f.id) == variant.family) rows.front().meaning = qs(f.title);
  for (auto it = variant.choices.begin(); it != variant.choices.end(); ++it) {
    ChoiceRow row{it.key(), it.value(), {}};
    for (const Param& p : params())
      if (qs(p.id) == it.key() && (qs(p.family) == variant.family || row.meaning.isEmpty()))
        row.meaning = qs(p.meaning);
    rows.push_back(std::move(row));
  }
  return rows;
}

VariantDetail::VariantDetail()
    : source_(new CodeEditor(CodeEditor::Language::cuda, tr("Source of the variant"))), checks_(makeChecksModel(this)),
      metrics_(makeMetricsModel(this)), choices_(makeChoicesModel(this)), faults_(makeFaultsModel(this)),
      checksTable_(new Table(checks_, tr("Checks"), {})), faultsTable_(new Table(faults_, tr("Faults"), {})) {
  source_->setReadOnly(true);
  addTab(source_, tr("Source"));
  addTab(checksTable_, tr("Checks"));
  addTab(new Table(metrics_, tr("Metrics"), tr("No counters: choose a variant that ran.")), tr("Metrics"));
  addTab(new Table(choices_, tr("Plan"), tr("Choose a variant to see its plan.")), tr("Plan"));
  addTab(faultsTable_, tr("Faults"));
  setVariant(nullptr);
}

void VariantDetail::setVariant(const VariantRow* v) {
  const auto title = [&](int tab, const QString& name, std::size_t n) {
    setTabText(tab, v && n > 0 ? QStringLiteral("%1 %2").arg(name).arg(n) : name);
  };
  if (!v) {
    shown_.clear();
    source_->setText(tr("// The generated CUDA of the selected variant.\n"));
    checks_->setRows({});
    metrics_->setRows({});
    choices_->setRows({});
    faults_->setRows({});
    checksTable_->setExplanation(tr("Choose a variant to see what it passed."));
    faultsTable_->setExplanation(tr("Choose a variant to see what went wrong in it."));
  } else {
    if (shown_ != v->id) source_->setText(v->source.isEmpty() ? tr("// No source: %1").arg(v->diagnostics) : v->source);
    shown_ = v->id;
    checks_->setRows(v->checks);
    metrics_->setRows(v->metrics);
    choices_->setRows(choiceRows(*v));
    std::vector<FaultRow> faults = v->faults;
    for (const QString& line : v->diagnostics.split('\n', Qt::SkipEmptyParts))
      faults.push_back({tr("diagnostic"), {}, line, {}});
    faults_->setRows(std::move(faults));
    checksTable_->setExplanation(v->diagnostics.isEmpty() ? tr("Not validated.") : v->diagnostics);
    faultsTable_->setExplanation(tr("No faults: no access out of bounds, no race, no uninitialised read."));
  }
  title(1, tr("Checks"), v ? v->checks.size() : 0);
  title(4, tr("Faults"), std::size_t(faults_->rowCount()));
}

} // namespace aicf::views
