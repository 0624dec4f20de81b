#include "views/runs/runs_view.hpp"

#include "core/evidence/store.hpp"
#include "views/engine/text.hpp"
#include "views/widgets/panes.hpp"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QSplitter>

namespace aicf::views {

static const RegisterView registration{60, [](Workbench& w) { return std::make_unique<RunsView>(w); }};

namespace {
constexpr std::size_t mostRows = 500;

Tone statusTone(const std::string& status) {
  if (status == "ok" || status == "validated" || status == "passed") return Tone::good;
  return status.empty() ? Tone::muted : status == "cancelled" ? Tone::warn : Tone::bad;
}
} // namespace

RecordModel<Evidence>* makeRunsModel(QObject* parent) {
  using C = Column<Evidence>;
  const auto text = [](std::string Evidence::*member) { return [member](const Evidence& e) { return qs(e.*member); }; };
  const auto key = [](std::string RunKey::*member) {
    return [member](const Evidence& e) { return qs(e.key.*member); };
  };
  return new RecordModel<Evidence>(
      {C{{RunsView::tr("Started"), RunsView::tr("UTC"), CellKind::mono, 158},
         text(&Evidence::started),
         [](const auto& e) { return qs(e.started).left(19).replace('T', ' '); }},
       C{{RunsView::tr("Kind"), {}, CellKind::text, 80}, key(&RunKey::kind)},
       C{{RunsView::tr("Status"), {}, CellKind::chip, 96},
         [](const auto& e) { return QString(qs(e.status)).replace('_', ' '); },
         {},
         [](const auto& e) { return statusTone(e.status); }},
       C{{RunsView::tr("Shape"), {}, CellKind::mono, 150}, key(&RunKey::shape)},
       C{{RunsView::tr("Type"), {}, CellKind::mono, 52}, key(&RunKey::dtype)},
       C{{RunsView::tr("Device"), {}, CellKind::text, 130}, key(&RunKey::device)},
       C{{RunsView::tr("Seconds"), {}, CellKind::number, 72},
         [](const auto& e) { return e.seconds; },
         [](const auto& e) { return QString::number(e.seconds, 'f', 2); }},
       C{{RunsView::tr("Id"), RunsView::tr("Hash of the row's content"), CellKind::mono, 110},
         [](const auto& e) { return qs(e.id).left(12); }},
       C{{RunsView::tr("Command"), {}, CellKind::mono, 240},
         text(&Evidence::command),
         {},
         {},
         text(&Evidence::command)}},
      parent);
}

RecordModel<Metric>* makeEvidenceMetricsModel(QObject* parent) {
  using C = Column<Metric>;
  const auto has = [](const Metric& m) {
    return m.source == Metric::Source::measured || m.source == Metric::Source::exact ||
           m.source == Metric::Source::estimated;
  };
  return new RecordModel<Metric>(
      {C{{RunsView::tr("Metric"), {}, CellKind::mono, 240}, [](const auto& m) { return qs(m.id); }},
       C{{RunsView::tr("Value"), {}, CellKind::number, 110},
         [has](const auto& m) { return has(m) ? QVariant(m.value) : QVariant(); },
         [has](const auto& m) { return has(m) ? number(m.value, 6) : QString(); }},
       C{{RunsView::tr("Spread"), RunsView::tr("Low and high, as the method names them"), CellKind::mono, 150},
         [](const auto& m) { return m.hi - m.lo; },
         [has](const auto& m) {
           return has(m) && m.lo != m.hi ? number(m.lo, 4) + QStringLiteral(" … ") + number(m.hi, 4) : QString();
         }},
       C{{RunsView::tr("Unit"), {}, CellKind::text, 90}, [](const auto& m) { return qs(m.unit); }},
       C{{RunsView::tr("Source"), {}, CellKind::text, 100},
         [](const auto& m) { return QString(qs(name_of(m.source))).replace('_', ' '); }},
       C{{RunsView::tr("Samples"), {}, CellKind::number, 70}, [](const auto& m) { return m.samples; }},
       C{{RunsView::tr("Method"), {}, CellKind::text, 240}, [](const auto& m) { return qs(m.method); }}},
      parent);
}

RunsView::RunsView(Workbench& workbench) : workbench_(workbench), loading_(this) {
  workbench.actions().add({"window.reload-runs",
                           tr("Reload &Runs"),
                           tr("Reads the evidence store again"),
                           {},
                           {},
                           [this] { return !widget_.isNull(); },
                           [this] { load(); }});
}

QWidget* RunsView::widget() {
  if (widget_) return widget_;
  model_ = makeRunsModel(this);
  metrics_ = makeEvidenceMetricsModel(this);
  table_ = new Table(model_, tr("Evidence rows"), tr("Reading the evidence store…"));
  metricsTable_ = new Table(metrics_, tr("Metrics of the row"), tr("Choose a row to see what it measured."));
  pane_ = new Pane(tr("Evidence"), table_);
  metricsPane_ = new Pane(tr("Metrics"), metricsTable_);
  auto* filter = new QLineEdit;
  filter->setPlaceholderText(tr("Filter"));
  filter->setAccessibleName(tr("Filter the evidence rows"));
  filter->setClearButtonEnabled(true);
  filter->setFixedWidth(200);
  pane_->addCorner(filter);
  widget_ = new QWidget;
  auto* layout = new QHBoxLayout(widget_);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addWidget(splitter(Qt::Vertical, {{pane_, 420}, {metricsPane_, 260}}));
  connect(filter, &QLineEdit::textChanged, table_->proxy(), &QSortFilterProxyModel::setFilterFixedString);
  connect(table_, &Table::currentRowChanged, this, &RunsView::showRun);
  connect(&workbench_.jobs(), &Jobs::finished, this, &RunsView::load);
  load();
  return widget_;
}

void RunsView::load() {
  loading_.request(
      [](std::stop_token) {
        Loaded out;
        const auto path = Store::default_path();
        std::error_code ignored;
        if (!std::filesystem::exists(path, ignored)) return out;
        const auto store = Store::open(path);
        auto rows = store ? store->recent({.limit = mostRows}) : store.failure<std::vector<Evidence>>();
        if (!rows) {
          out.problem = rows.diagnostics.empty() ? QString() : qs(rows.diagnostics.front().message);
          return out;
        }
        out.rows = std::move(*rows);
        out.all = store->count().value.value_or(out.rows.size());
        return out;
      },
      [this](Loaded loaded) {
        loaded_ = true;
        const QString keep = !awaited_.isEmpty()        ? std::exchange(awaited_, {})
                             : table_->sourceRow() >= 0 ? qs(model_->at(table_->sourceRow()).id)
                                                        : QString();
        pane_->setNote(loaded.rows.empty()
                           ? QString()
                           : tr("newest %1 of %2").arg(loaded.rows.size()).arg(number(double(loaded.all))));
        table_->setExplanation(loaded.problem.isEmpty()
                                   ? tr("No evidence yet: Synthesis keeps a row for every variant that it judges.")
                                   : tr("The evidence store could not be read: %1").arg(loaded.problem));
        model_->setRows(std::move(loaded.rows));
        if (model_->rowCount() > 0) table_->selectSourceRow(0);
        if (!keep.isEmpty()) select(keep);
        showRun();
      });
}

void RunsView::select(const QString& id) {
  for (int row = 0; row < model_->rowCount(); ++row)
    if (qs(model_->at(row).id).startsWith(id)) {
      table_->selectSourceRow(row);
      return;
    }
}

void RunsView::showRun() {
  const int row = table_->sourceRow();
  metrics_->setRows(row >= 0 ? model_->at(row).metrics : std::vector<Metric>());
  metricsPane_->setNote(
      row < 0 ? QString()
              : tr("%1 · host %2 · driver %3 · toolkit %4 · seed %5")
                    .arg(qs(model_->at(row).id).left(12), qs(model_->at(row).host),
                         model_->at(row).key.driver.empty() ? tr("none") : qs(model_->at(row).key.driver),
                         model_->at(row).key.toolkit.empty() ? tr("none") : qs(model_->at(row).key.toolkit))
                    .arg(model_->at(row).seed));
}

void RunsView::show(const Entity& entity) {
  if (loaded_)
    select(entity.id);
  else
    awaited_ = entity.id;
}

} // namespace aicf::views
